//! Line plots as SVG, for the documentation and the benchmark reports.
//!
//! [`axis`] chooses ranges and ticks, [`layout`] places the frame and the legend, [`draw`] writes.

mod axis;
mod draw;
mod layout;
mod svg;

pub use svg::escape;

use std::fmt::Write;

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; values that are not positive are skipped.
    Log,
}

/// One axis of a plot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// How values are spread.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log }
    }
}

/// One line of a plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in the legend; none when empty.
    pub label: String,
    /// `(x, y)` in drawing order. Points that are not finite, or not positive on a logarithmic
    /// axis, are skipped and break the line.
    pub points: Vec<(f64, f64)>,
    /// Draws the line dashed, for references and predictions.
    pub dash: bool,
    /// Its colour as in SVG; one after the other if there is none.
    pub color: Option<&'static str>,
}

impl Series {
    /// A solid line.
    #[must_use]
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, dash: false, color: None }
    }

    /// The same line in this colour of SVG.
    #[must_use]
    pub fn colored(self, color: &'static str) -> Self {
        Self { color: Some(color), ..self }
    }

    /// The same line, dashed.
    #[must_use]
    pub fn dashed(self) -> Self {
        Self { dash: true, ..self }
    }
}

/// Direction of a reference line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkDirection {
    /// At one y, across the plot.
    Horizontal,
    /// At one x, up the plot.
    Vertical,
}

/// A reference line, such as the 33 ms of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Across or up.
    pub direction: MarkDirection,
    /// The value it stands at; the axis is extended to show it.
    pub at: f64,
    /// Written beside the line.
    pub label: String,
}

impl Mark {
    /// A line at one y.
    #[must_use]
    pub fn horizontal(at: f64, label: impl Into<String>) -> Self {
        Self { direction: MarkDirection::Horizontal, at, label: label.into() }
    }

    /// A line at one x.
    #[must_use]
    pub fn vertical(at: f64, label: impl Into<String>) -> Self {
        Self { direction: MarkDirection::Vertical, at, label: label.into() }
    }
}

/// A plot: its data, and the size it is drawn at.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Above the frame; none when empty.
    pub title: String,
    /// Axis at the bottom.
    pub x: Axis,
    /// Axis at the left.
    pub y: Axis,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
    /// Reference lines.
    pub marks: Vec<Mark>,
    /// Width in SVG units (pixels at scale 1), clamped to 160..=10000.
    pub width: f64,
    /// Height in SVG units, clamped to 120..=10000.
    pub height: f64,
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            series: Vec::new(),
            marks: Vec::new(),
            width: 520.0,
            height: 360.0,
        }
    }
}

impl Plot {
    /// The plot as a whole SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        panels(std::slice::from_ref(self), 1)
    }

    /// The size it is drawn at.
    fn size(&self) -> (f64, f64) {
        let side = |s: f64, low: f64, default: f64| if s.is_finite() { s.clamp(low, 1e4) } else { default };
        (side(self.width, 160.0, 520.0), side(self.height, 120.0, 360.0))
    }
}

/// Several plots in one SVG document, row by row with `columns` (at least one) in a row.
#[must_use]
pub fn panels(plots: &[Plot], columns: usize) -> String {
    let columns = columns.clamp(1, plots.len().max(1));
    let mut body = String::new();
    let (mut width, mut top): (f64, f64) = (0.0, 0.0);
    for row in plots.chunks(columns) {
        let (mut left, mut tallest): (f64, f64) = (0.0, 0.0);
        for plot in row {
            let (w, h) = plot.size();
            let _ = writeln!(body, "<g transform=\"translate({left:.2} {top:.2})\">");
            draw::plot(plot, &mut body);
            body.push_str("</g>\n");
            left += w;
            tallest = tallest.max(h);
        }
        width = width.max(left);
        top += tallest;
    }
    svg::document(width.max(1.0), top.max(1.0), &body)
}
