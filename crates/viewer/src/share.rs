//! A recording as one HTML file that plays without a server or a network.

use crate::page;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes the page with the file `frames.bin` in it to `out`.
///
/// # Errors
/// If a file cannot be read or written.
pub fn write_shared(frames: &Path, out: &Path) -> io::Result<()> {
    let (before, after) = split_page()?;
    let mut file = BufWriter::new(File::create(out)?);
    file.write_all(before.as_bytes())?;
    file.write_all(b"<script type=\"application/octet-stream\" id=\"recording\" data-encoding=\"gzip\">")?;
    let base64 = EncoderWriter::new(&mut file, &STANDARD);
    let mut packed = GzEncoder::new(base64, Compression::default());
    io::copy(&mut File::open(frames)?, &mut packed)?;
    packed.finish()?.finish()?;
    file.write_all(b"</script>")?;
    file.write_all(after.as_bytes())?;
    file.flush()
}

/// The page with script and style in it, cut where the recording belongs: before the script, which reads it.
fn split_page() -> io::Result<(String, String)> {
    let html = page::HTML;
    let style = element(html, "<link", "viewer.css", ">");
    let script = element(html, "<script", "viewer.js", "</script>");
    let (Some(style), Some(script)) = (style, script) else {
        return Err(io::Error::other("the page of the viewer has no script or no style"));
    };
    let inlined = html.replacen(style, &format!("<style>{}</style>", page::STYLE), 1);
    let (head, rest) = inlined.split_once(script).unwrap_or((&inlined, ""));
    // The script may stand in the head, and reads the document: it belongs at its end.
    let (body, end) = rest.rsplit_once("</body>").unwrap_or((rest, "</html>"));
    // `</script` in a text of the script would end it.
    let code = page::SCRIPT.replace("</script", "<\\/script");
    Ok((format!("{head}{body}"), format!("\n<script type=\"module\">{code}</script></body>{end}")))
}

/// The element that starts with `tag`, names `file` and ends with `end`.
fn element<'a>(html: &'a str, tag: &str, file: &str, end: &str) -> Option<&'a str> {
    html.match_indices(tag).find_map(|(start, _)| {
        let length = html[start..].find(end)? + end.len();
        let element = &html[start..start + length];
        element.contains(file).then_some(element)
    })
}
