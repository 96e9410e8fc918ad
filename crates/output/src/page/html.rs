//! Small pieces of HTML. Every text goes through [`escape`].

pub use pliant_render::escape;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Rows of cells; columns of numbers are set to the right. Cells are text.
#[derive(Debug)]
pub struct HtmlTable {
    heading: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl HtmlTable {
    /// A table with a heading.
    pub fn new(heading: &[&'static str]) -> HtmlTable {
        HtmlTable { heading: heading.to_vec(), rows: Vec::new() }
    }

    /// Appends a row of texts.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table; nothing if it has no row.
    pub fn html(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let class = |c: usize| if self.is_numeric(c) { " class=\"number\"" } else { "" };
        let mut out = String::from("<div class=\"wide\"><table>\n<tr>");
        for (c, text) in self.heading.iter().enumerate() {
            out += &format!("<th{}>{}</th>", class(c), escape(text));
        }
        for row in &self.rows {
            out += "</tr>\n<tr>";
            for (c, text) in row.iter().enumerate() {
                let class = match text.as_str() {
                    "ok" => " class=\"good\"",
                    "failed" => " class=\"bad\"",
                    _ => class(c),
                };
                out += &format!("<td{class}>{}</td>", escape(text));
            }
        }
        out + "</tr>\n</table></div>\n"
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.rows.iter().filter_map(|r| r.get(column)).all(|c| c.parse::<f64>().is_ok() || c == "-")
    }
}

/// A list of names and values.
pub fn facts(list: &[(&str, String)]) -> String {
    let one = |(name, value): &(&str, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value))
    };
    format!("<dl>\n{}</dl>\n", list.iter().map(one).collect::<String>())
}

/// A heading with what is below it; nothing if there is nothing.
pub fn section(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("<h2>{}</h2>\n{body}", escape(title)) }
}

/// The address of a PNG picture within the page.
pub fn png_address(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_be_markup() {
        let escaped = escape("<script>alert(\"1\" & '2')</script>\u{0}\u{1b}");
        assert_eq!(escaped, "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
        let mut table = HtmlTable::new(&["a"]);
        table.row(vec!["<b>".into()]);
        assert!(table.html().contains("&lt;b&gt;") && !table.html().contains("<b>"));
        assert!(facts(&[("a", "</dl>".into())]).contains("&lt;/dl&gt;"));
    }
}
