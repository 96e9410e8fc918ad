//! `sweep.html`: the table of a sweep with a curve of every probe over every number that was varied.

use super::SweepTable;
use crate::page::document;
use crate::text::short;
use pliant_render::{Axis, Plot, Series, escape};
use pliant_scene::Scene;
use std::collections::BTreeMap;

/// More curves help nobody.
const MOST_PLOTS: usize = 60;
const MOST_CURVES: usize = 12;

/// Rows that the page shows; the rest is in the table.
const MOST_ROWS: usize = 1000;

pub(super) fn page(scene: &Scene, axes: &[(String, Vec<String>)], table: &SweepTable) -> String {
    let title = format!("Sweep of {}", scene.label());
    let count = table.rows.len();
    let (class, verdict) = match table.failed {
        0 => ("", format!("all {count} runs are ok")),
        failed => (" failed", format!("{failed} of {count} runs are not ok")),
    };
    let mut body = format!("<h1>{}</h1>\n<p class=\"verdict{class}\">{verdict}</p>\n", escape(&title));
    let plots: String = plots(axes, table).iter().map(|p| format!("<div>{}</div>\n", p.to_svg())).collect();
    if !plots.is_empty() {
        body += &format!("<h2>Last values</h2>\n<div class=\"plots\">\n{plots}</div>\n");
    }
    body += &format!("<h2>Runs</h2>\n{}", rows(table));
    document(&escape(&title), &body, env!("CARGO_PKG_VERSION"))
}

/// Each probe over each number that was varied; what else was varied makes the curves.
fn plots(axes: &[(String, Vec<String>)], table: &SweepTable) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (x, (name, values)) in axes.iter().enumerate() {
        if values.len() < 2 || values.iter().any(|v| v.parse::<f64>().is_err()) {
            continue;
        }
        // After the values come `ok` and `verdict`.
        for y in table.set + 2..table.heading.len() {
            let mut curves: BTreeMap<Vec<&str>, Vec<(f64, f64)>> = BTreeMap::new();
            let points = table.column(x).into_iter().zip(table.column(y)).zip(&table.rows);
            for ((x_value, y_value), row) in points {
                let others = (0..table.set).filter(|&c| c != x).map(|c| row[c].as_str()).collect();
                if let (Some(x_value), Some(y_value)) = (x_value, y_value) {
                    curves.entry(others).or_default().push((x_value, y_value));
                }
            }
            let names: Vec<&str> = (0..axes.len()).filter(|&c| c != x).map(|c| axes[c].0.as_str()).collect();
            plots.push(plot([name, &table.heading[y]], &names, curves));
        }
    }
    plots.retain(|p| p.series.iter().any(|s| s.points.len() > 1));
    plots.truncate(MOST_PLOTS);
    plots
}

fn plot([x, y]: [&str; 2], others: &[&str], curves: BTreeMap<Vec<&str>, Vec<(f64, f64)>>) -> Plot {
    let curve = |(values, mut points): (Vec<&str>, Vec<(f64, f64)>)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let label: Vec<String> = others.iter().zip(&values).map(|(n, v)| format!("{n} = {v}")).collect();
        Series::new(label.join(", "), points)
    };
    Plot {
        title: format!("{y} over {x}").chars().take(60).collect(),
        x: Axis::linear(x),
        y: Axis::linear(""),
        series: curves.into_iter().take(MOST_CURVES).map(curve).collect(),
        width: 520.0,
        height: 320.0,
        ..Plot::default()
    }
}

fn rows(table: &SweepTable) -> String {
    let cells = |tag: &str, row: &[String]| -> String {
        row.iter().map(|c| format!("<{tag}>{}</{tag}>", escape(c))).collect()
    };
    let rounded = |row: &Vec<String>| -> Vec<String> {
        let measured = |c: &String| c.parse().map_or_else(|_| c.clone(), short);
        row[..table.set].iter().cloned().chain(row[table.set..].iter().map(measured)).collect()
    };
    let mut out = format!("<div class=\"wide\"><table>\n<tr>{}</tr>\n", cells("th", &table.heading));
    for row in table.rows.iter().take(MOST_ROWS) {
        out += &format!("<tr>{}</tr>\n", cells("td", &rounded(row)));
    }
    out + "</table></div>\n"
}
