//! Small pieces of SVG.

use std::fmt::Write;

/// Sans-serif faces that most systems have one of.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Where a text is held.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text with an optional power: `base` followed by `exponent` raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub base: String,
    pub exponent: Option<i32>,
}

impl Label {
    pub fn plain(base: impl Into<String>) -> Self {
        Self { base: base.into(), exponent: None }
    }

    /// Estimated width at a font size.
    pub fn width(&self, size: f64) -> f64 {
        let raised = self.exponent.map_or(0.0, |e| 0.72 * text_width(&e.to_string(), size));
        text_width(&self.base, size) + raised
    }
}

/// Estimated width of a text; there is no font at hand to measure with, so a little generous.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' | '!' | 'I' => 0.30,
        ' ' | 't' | 'f' | 'r' | '(' | ')' | '-' | '/' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.90,
        'A'..='Z' => 0.70,
        _ => 0.57,
    };
    size * text.chars().map(letter).sum::<f64>()
}

/// Text made safe for element content and attributes of HTML and SVG; characters that may not or cannot be shown are
/// dropped, ends of lines and tabs stay.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {}
            c => out.push(c),
        }
    }
    out
}

fn superscript(c: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize])
}

/// A text element; `style` holds further attributes.
pub(super) fn text(out: &mut String, at: (f64, f64), anchor: Anchor, style: &str, label: &Label) {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let _ = write!(out, "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"{anchor}\" {style}>", at.0, at.1);
    // An end of a line in a label is a space.
    out.push_str(&escape(&label.base.replace(['\t', '\n', '\r'], " ")));
    if let Some(exponent) = label.exponent {
        // Superscript characters: viewers disagree on how a shifted span moves an anchored text.
        out.extend(exponent.to_string().chars().map(superscript));
    }
    out.push_str("</text>\n");
}

/// A line element; `style` holds further attributes.
pub(super) fn line(out: &mut String, a: (f64, f64), b: (f64, f64), style: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" {style}/>",
        a.0, a.1, b.0, b.1
    );
}

/// A whole document on white.
pub(super) fn document(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.2} {height:.2}\" font-family=\"{FONTS}\" fill=\"#222\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}
