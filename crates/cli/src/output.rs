//! Text for people: tables, colours on terminals, and printing that survives a closed pipe.

use std::io::{IsTerminal, Write, stderr, stdout};

/// Prints to stdout. A reader that went away is not our problem.
pub fn print(text: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// Prints a JSON value to stdout, readable.
pub fn print_json(value: &serde_json::Value) {
    print(&format!("{value:#}"));
}

/// Prints `error: line` to stderr.
pub fn error(line: &str) {
    let head = if colored(&stderr()) { "\x1b[1;31merror\x1b[0m" } else { "error" };
    let _ = writeln!(stderr(), "{head}: {line}");
}

/// Prints `note: line` to stderr.
pub fn note(line: &str) {
    let _ = writeln!(stderr(), "note: {line}");
}

/// Prints `warning: line` to stderr.
pub fn warning(line: &str) {
    let head = if colored(&stderr()) { "\x1b[1;33mwarning\x1b[0m" } else { "warning" };
    let _ = writeln!(stderr(), "{head}: {line}");
}

/// Whether a stream shows colours: a terminal, and the user did not object.
fn colored(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// A word for good or bad on stdout.
pub fn verdict(ok: bool) -> String {
    let word = if ok { "ok" } else { "FAILED" };
    if !colored(&stdout()) {
        return word.to_string();
    }
    let color = if ok { 32 } else { 31 };
    format!("\x1b[1;{color}m{word}\x1b[0m")
}

/// Rows of cells in aligned columns; the first row is the heading. Numbers are set to the right.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a heading.
    pub fn new(heading: &[&str]) -> Table {
        Table { rows: vec![heading.iter().map(|h| h.to_string()).collect()] }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as lines.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let right: Vec<bool> = (0..columns).map(|c| self.is_numeric(c)).collect();
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[c] - cell.chars().count());
                let (left, after) = if right[c] { (pad.as_str(), "") } else { ("", pad.as_str()) };
                line.push_str(&format!("{left}{cell}{after}  "));
            }
            lines.push(line.trim_end().to_string());
        }
        lines.join("\n")
    }

    fn is_numeric(&self, column: usize) -> bool {
        let cells: Vec<&String> = self.rows.iter().skip(1).filter_map(|r| r.get(column)).collect();
        !cells.is_empty() && cells.iter().all(|c| c.parse::<f64>().is_ok() || *c == "-")
    }
}

/// A number with about four digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        a if a == 0.0 || !a.is_finite() => format!("{value}"),
        a if !(1e-3..1e6).contains(&a) => format!("{value:.2e}"),
        a if a >= 100.0 => format!("{value:.1}"),
        a if a >= 1.0 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// A number or a vector of numbers.
pub fn short_list(values: &[f64]) -> String {
    match values {
        [one] => short(*one),
        many => format!("({})", many.iter().map(|v| short(*v)).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_numbers_go_right() {
        let mut t = Table::new(&["name", "ms"]);
        t.row(vec!["a".into(), "1.5".into()]);
        t.row(vec!["long".into(), "10.25".into()]);
        assert_eq!(t.text(), "name     ms\na       1.5\nlong  10.25");
    }

    #[test]
    fn short_numbers() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1234.56), "1234.6");
        assert_eq!(short(1.5e-7), "1.50e-7");
        assert_eq!(short(f64::NAN), "NaN");
        assert_eq!(short_list(&[1.0, -0.25]), "(1.000, -0.2500)");
    }
}
