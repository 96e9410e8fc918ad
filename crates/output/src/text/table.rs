//! Tables in aligned columns.

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
}
