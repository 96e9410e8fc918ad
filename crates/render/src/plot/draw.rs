//! Writes a plot: grid, axes, marks, lines, legend.

use super::layout::{LABEL_SIZE, LEGEND_LINE, LEGEND_ROW, LEGEND_SIZE, Layout, TICK_SIZE, TITLE_SIZE};
use super::svg::{Anchor, Label, line, text};
use super::{MarkDirection, Plot, Series};
use std::fmt::Write;

/// Colours that stay apart for colour-blind readers and in print (after Okabe and Ito).
const COLORS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333"];
/// Lines with at most this many points show them.
const MARKER_LIMIT: usize = 24;
const GRID: &str = "stroke=\"#e4e6e9\" stroke-width=\"0.8\"";
const MINOR_GRID: &str = "stroke=\"#f2f3f5\" stroke-width=\"0.7\"";
const AXIS: &str = "stroke=\"#444\" stroke-width=\"1\"";
const MARK: &str = "stroke=\"#666\" stroke-width=\"1.1\" stroke-dasharray=\"2 3\"";

/// Appends the plot with its left top corner at the origin.
pub(super) fn plot(plot: &Plot, out: &mut String) {
    let layout = Layout::new(plot);
    grid(&layout, out);
    axes(plot, &layout, out);
    marks(plot, &layout, out);
    for (i, series) in plot.series.iter().enumerate() {
        draw_series(series, i, &layout, out);
    }
    mark_labels(plot, &layout, out);
    legend(plot, &layout, out);
}

fn grid(layout: &Layout, out: &mut String) {
    let f = layout.frame;
    for minor in [true, false] {
        let style = if minor { MINOR_GRID } else { GRID };
        for tick in layout.x_ticks.iter().filter(|t| t.label.is_none() == minor) {
            let Some(x) = layout.x.place(tick.at).map(|t| layout.place_x(t)) else { continue };
            line(out, (x, f.top), (x, f.bottom), style);
        }
        for tick in layout.y_ticks.iter().filter(|t| t.label.is_none() == minor) {
            let Some(y) = layout.y.place(tick.at).map(|t| layout.place_y(t)) else { continue };
            line(out, (f.left, y), (f.right, y), style);
        }
    }
}

fn axes(plot: &Plot, layout: &Layout, out: &mut String) {
    let f = layout.frame;
    line(out, (f.left, f.top), (f.left, f.bottom), AXIS);
    line(out, (f.left, f.bottom), (f.right, f.bottom), AXIS);
    let small = format!("font-size=\"{TICK_SIZE}\"");
    for tick in &layout.x_ticks {
        let Some(x) = layout.x.place(tick.at).map(|t| layout.place_x(t)) else { continue };
        let long = if tick.label.is_some() { 5.0 } else { 3.0 };
        line(out, (x, f.bottom), (x, f.bottom + long), AXIS);
        if let Some(label) = &tick.label {
            text(out, (x, f.bottom + 19.0), Anchor::Middle, &small, label);
        }
    }
    for tick in &layout.y_ticks {
        let Some(y) = layout.y.place(tick.at).map(|t| layout.place_y(t)) else { continue };
        let long = if tick.label.is_some() { 5.0 } else { 3.0 };
        line(out, (f.left, y), (f.left - long, y), AXIS);
        if let Some(label) = &tick.label {
            text(out, (f.left - 8.0, y + 4.0), Anchor::End, &small, label);
        }
    }
    titles(plot, layout, out);
}

fn titles(plot: &Plot, layout: &Layout, out: &mut String) {
    let f = layout.frame;
    let (middle_x, middle_y) = (0.5 * (f.left + f.right), 0.5 * (f.top + f.bottom));
    let style = format!("font-size=\"{LABEL_SIZE}\"");
    if !plot.x.label.is_empty() {
        text(out, (middle_x, f.bottom + 40.0), Anchor::Middle, &style, &Label::plain(&plot.x.label));
    }
    if !plot.y.label.is_empty() {
        let turned = format!("{style} transform=\"rotate(-90 17 {middle_y:.2})\"");
        text(out, (17.0, middle_y), Anchor::Middle, &turned, &Label::plain(&plot.y.label));
    }
    if !plot.title.is_empty() {
        let style = format!("font-size=\"{TITLE_SIZE}\" font-weight=\"bold\"");
        text(out, (middle_x, 21.0), Anchor::Middle, &style, &Label::plain(&plot.title));
    }
}

fn marks(plot: &Plot, layout: &Layout, out: &mut String) {
    let f = layout.frame;
    for mark in &plot.marks {
        match mark.direction {
            MarkDirection::Horizontal => {
                let Some(y) = layout.y.place(mark.at).map(|t| layout.place_y(t)) else { continue };
                line(out, (f.left, y), (f.right, y), MARK);
            }
            MarkDirection::Vertical => {
                let Some(x) = layout.x.place(mark.at).map(|t| layout.place_x(t)) else { continue };
                line(out, (x, f.top), (x, f.bottom), MARK);
            }
        }
    }
}

/// The texts of the marks, over the lines and with a white rim to stay readable there.
fn mark_labels(plot: &Plot, layout: &Layout, out: &mut String) {
    let rim = "stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";
    let style = format!("font-size=\"{LEGEND_SIZE}\" fill=\"#555\" {rim}");
    for (mark, at) in plot.marks.iter().zip(&layout.mark_labels) {
        let Some((x, y)) = *at else { continue };
        let turn = match mark.direction {
            MarkDirection::Horizontal => String::new(),
            MarkDirection::Vertical => format!(" transform=\"rotate(90 {x:.2} {y:.2})\""),
        };
        text(out, (x, y), Anchor::Start, &format!("{style}{turn}"), &Label::plain(&mark.label));
    }
}

fn stroke(series: &Series, index: usize) -> String {
    let dash = if series.dash { " stroke-dasharray=\"6 4\"" } else { "" };
    let color = series.color.unwrap_or(COLORS[index % COLORS.len()]);
    format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.9\" stroke-linejoin=\"round\"{dash}")
}

fn draw_series(series: &Series, index: usize, layout: &Layout, out: &mut String) {
    // Runs of points that can be shown; what is missing breaks the line.
    let placed: Vec<Option<(f64, f64)>> = series.points.iter().map(|p| layout.place(*p)).collect();
    for run in placed.split(Option::is_none) {
        let run: Vec<(f64, f64)> = run.iter().flatten().copied().collect();
        if run.len() > 1 {
            polyline(&run, &stroke(series, index), out);
        }
        let dashed_line = series.dash && run.len() > 1;
        if run.len() == 1 || (series.points.len() <= MARKER_LIMIT && !dashed_line) {
            for &at in &run {
                marker(at, series, index, out);
            }
        }
    }
}

fn polyline(run: &[(f64, f64)], style: &str, out: &mut String) {
    out.push_str("<polyline points=\"");
    let mut last = (f64::NEG_INFINITY, 0.0);
    for (i, &(x, y)) in run.iter().enumerate() {
        // Points closer than a quarter of a pixel cannot be distinguished and only make the file large.
        let close = (x - last.0).abs() < 0.25 && (y - last.1).abs() < 0.25;
        if !close || i + 1 == run.len() {
            let _ = write!(out, "{x:.2},{y:.2} ");
            last = (x, y);
        }
    }
    let _ = writeln!(out, "\" {style}/>");
}

/// Shapes differ as well as colours.
fn marker((x, y): (f64, f64), series: &Series, index: usize, out: &mut String) {
    let color = series.color.unwrap_or(COLORS[index % COLORS.len()]);
    let style = format!("fill=\"{color}\" stroke=\"white\" stroke-width=\"0.9\"");
    let _ = match index % 4 {
        0 => writeln!(out, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.6\" {style}/>"),
        1 => {
            let (left, top) = (x - 3.3, y - 3.3);
            writeln!(out, "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"6.6\" height=\"6.6\" {style}/>")
        }
        2 => writeln!(out, "<path d=\"M{x:.2} {:.2} l4.3 7.4 h-8.6 z\" {style}/>", y - 4.6),
        _ => writeln!(out, "<path d=\"M{x:.2} {:.2} l4.5 4.5 l-4.5 4.5 l-4.5 -4.5 z\" {style}/>", y - 4.5),
    };
}

fn legend(plot: &Plot, layout: &Layout, out: &mut String) {
    let style = format!("font-size=\"{LEGEND_SIZE}\"");
    for &((left, top), index) in &layout.legend {
        let series = &plot.series[index];
        let y = top + 0.5 * LEGEND_ROW;
        line(out, (left, y), (left + LEGEND_LINE, y), &stroke(series, index));
        if series.points.len() <= MARKER_LIMIT && !series.dash {
            marker((left + 0.5 * LEGEND_LINE, y), series, index, out);
        }
        text(out, (left + LEGEND_LINE + 7.0, y + 4.0), Anchor::Start, &style, &Label::plain(&series.label));
    }
}
