//! The page itself: three files that `web/` is built to, kept in the program.

/// The document.
pub const HTML: &str = include_str!("../web/dist/index.html");
/// What it does.
pub const SCRIPT: &str = include_str!("../web/dist/viewer.js");
/// How it looks.
pub const STYLE: &str = include_str!("../web/dist/viewer.css");

/// What the page may load and where it may connect to: nothing but this server. What may show it in a frame comes last.
macro_rules! policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; ",
            "media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ",
            $ancestors
        )
    };
}

/// In no frame.
pub const POLICY: &str = policy!("'none'");
/// In frames of pages of this machine.
pub const FRAMED_POLICY: &str = policy!("'self' http://localhost:* http://127.0.0.1:*");
