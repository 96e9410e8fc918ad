//! The page itself: three files that `web/` is built to, kept in the program.

/// The document.
pub const HTML: &str = include_str!("../web/dist/index.html");
/// What it does.
pub const SCRIPT: &str = include_str!("../web/dist/viewer.js");
/// How it looks.
pub const STYLE: &str = include_str!("../web/dist/viewer.css");

/// What the page may load and where it may connect to: nothing but this server.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";
