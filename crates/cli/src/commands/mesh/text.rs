//! The report on a mesh as text: sections of short lines.

use super::summary::{count, elements_of, line, notes};
use super::verdict::Verdict;
use crate::args::mesh::{InfoArgs, Unit};
use crate::output::short;
use pliant_mesh::{ElementKind, Mesh};
use pliant_mesh_io::Contents;
use pliant_meshing::inspect::{Defect, Histogram, MeshReport, Spread};

/// Widest bar of a histogram.
const BAR: usize = 24;

/// Everything that `pliant mesh info` reports.
pub fn info(args: &InfoArgs, contents: &Contents, report: &MeshReport, verdict: &Verdict) -> String {
    let mut lines = vec![format!("{}: {}", args.input.file.display(), contents.format)];
    lines.extend(notes(&contents.notes));
    lines.push(String::new());
    size(args.input.lengths.unit, &contents.mesh, report, &mut lines);
    lines.push(String::new());
    topology(&contents.mesh, report, &mut lines);
    lines.push(String::new());
    quality(report, &mut lines);
    lines.push(String::new());
    defects(report, &mut lines);
    lines.push(String::new());
    lines.push(format!("verdict: {}", verdict.summary));
    lines.extend(verdict.advice.iter().map(|a| format!("  - {a}")));
    lines.join("\n")
}

fn entry(lines: &mut Vec<String>, name: &str, value: &str) {
    lines.push(format!("  {name:<12}{value}"));
}

fn size(unit: Unit, mesh: &Mesh, report: &MeshReport, lines: &mut Vec<String>) {
    lines.push("size".into());
    entry(lines, "mesh", &line(mesh));
    let [low, high] = report.bounds;
    let [x, y, z] = [0, 1, 2].map(|k| short(high[k] - low[k]));
    entry(lines, "extent", &format!("{x} x {y} x {z} m, diagonal {} m", short(report.diagonal)));
    entry(lines, "from, to", &format!("{} to {}", point(low), point(high)));
    match report.volume {
        Some(volume) => entry(lines, "volume", &format!("{} m^3", short(volume))),
        None => entry(
            lines,
            "volume",
            "none: the surface is not closed, or its triangles disagree on the outside",
        ),
    }
    let of = if report.kind == ElementKind::Tet { " of the boundary" } else { "" };
    entry(lines, "area", &format!("{} m^2{of}", short(report.area)));
    let edge = report.edge_length;
    let edges = format!("{} to {} m, mean {} m", short(edge.min), short(edge.max), short(edge.mean));
    entry(lines, "edges", &edges);
    entry(lines, "units", &units(unit));
}

fn units(unit: Unit) -> String {
    match unit {
        Unit::M => "lengths as in the file, read as metres; --unit mm, cm or in scales".into(),
        other => format!("lengths of the file in {}, scaled by {} to metres", other.name(), other.metres()),
    }
}

fn topology(mesh: &Mesh, report: &MeshReport, lines: &mut Vec<String>) {
    lines.push("topology".into());
    let sizes: Vec<String> = report.largest_components.iter().map(usize::to_string).collect();
    let parts = match report.components {
        1 => "1, all hangs together".into(),
        n => format!("{n}, the largest with {} {}", sizes.join(", "), kind_name(report.kind, 2)),
    };
    entry(lines, "parts", &parts);
    let surface = count(report.surface_triangles, "triangle", "triangles");
    let state = match (report.closed, report.genus) {
        (true, Some(genus)) => format!("closed, {}", count(genus.max(0) as usize, "handle", "handles")),
        (true, None) => "closed, but not a manifold".into(),
        _ => format!("open, {}", count(report.open_loops, "loop of open edges", "loops of open edges")),
    };
    entry(lines, "surface", &format!("{surface}, {state}, Euler characteristic {}", report.euler));
    for open in &report.longest_open_loops {
        let shape = if open.closed { "loop" } else { "chain" };
        let edges = count(open.edges, "edge", "edges");
        let length = short(open.length);
        entry(lines, "", &format!("{shape} of {edges}, {length} m, around {}", point(open.center)));
    }
    if report.groups.is_empty() {
        entry(lines, "groups", "none");
    }
    for (i, group) in report.groups.iter().enumerate() {
        let size = count(group.vertices, "vertex", "vertices");
        let elements = match group.elements {
            0 => String::new(),
            n => format!(", {}", elements_of(mesh, n)),
        };
        entry(lines, if i == 0 { "groups" } else { "" }, &format!("{}: {size}{elements}", group.name));
    }
}

fn kind_name(kind: ElementKind, n: usize) -> &'static str {
    match (kind, n) {
        (ElementKind::Tet, 1) => "tet",
        (ElementKind::Tet, _) => "tets",
        (ElementKind::Triangle, 1) => "triangle",
        (ElementKind::Triangle, _) => "triangles",
    }
}

fn quality(report: &MeshReport, lines: &mut Vec<String>) {
    lines.push("quality".into());
    let angle = if report.kind == ElementKind::Tet { "dihedral angle, degrees" } else { "angle, degrees" };
    let mut columns = vec![Column::new(angle, &report.angle_degrees)];
    columns.push(Column::new("radius ratio", &report.radius_ratio));
    if let Some(spread) = &report.rms_quality {
        columns.push(Column::new("6 sqrt(2) V / l_rms^3", spread));
    }
    let element = kind_name(report.kind, 1);
    for column in &columns {
        let Spread { min, min_element, mean, max, max_element, .. } = column.spread;
        lines.push(format!(
            "  {:<24}{} ({element} {min_element}) to {} ({element} {max_element}), mean {}",
            column.name,
            short(*min),
            short(*max),
            short(*mean)
        ));
    }
    lines.push(String::new());
    let rows = columns.iter().map(|c| c.rows.len()).max().unwrap_or(0);
    let title: String = columns.iter().map(|c| format!("  {:<width$}", c.name, width = c.width)).collect();
    lines.push(title.trim_end().to_string());
    for row in 0..rows {
        let cells = columns.iter().map(|c| {
            let cell = c.rows.get(row).map_or("", String::as_str);
            format!("  {cell:<width$}", width = c.width)
        });
        lines.push(cells.collect::<String>().trim_end().to_string());
    }
}

/// A measure with its histogram as rows of text.
struct Column<'a> {
    name: &'static str,
    spread: &'a Spread,
    rows: Vec<String>,
    width: usize,
}

impl<'a> Column<'a> {
    fn new(name: &'static str, spread: &'a Spread) -> Self {
        let rows = histogram(&spread.histogram);
        let width = rows.iter().map(String::len).max().unwrap_or(0).max(name.len()) + 2;
        Self { name, spread, rows, width }
    }
}

/// One row per bin: lower end, count, bar. A bin that is not empty shows at least a dot.
fn histogram(histogram: &Histogram) -> Vec<String> {
    let bins = histogram.counts.len().max(1);
    let step = (histogram.to - histogram.from) / bins as f64;
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    let digits = most.to_string().len();
    let row = |(i, &n): (usize, &usize)| {
        let from = histogram.from + step * i as f64;
        let from = if step >= 1.0 { format!("{from:>3.0}") } else { format!("{from:.1}") };
        let length = (n * BAR + most / 2) / most;
        let bar = if n > 0 && length == 0 { ".".to_string() } else { "#".repeat(length) };
        format!("{from} {n:>digits$} {bar}").trim_end().to_string()
    };
    histogram.counts.iter().enumerate().map(row).collect()
}

fn defects(report: &MeshReport, lines: &mut Vec<String>) {
    if report.defects.is_empty() {
        lines.push("defects: none".into());
        return;
    }
    lines.push("defects".into());
    for (name, defect) in report.defects.all() {
        if defect.count > 0 {
            lines.push(format!("  {:>8}  {name}", defect.count));
            places(report.kind, name, defect, lines);
        }
    }
}

fn places(kind: ElementKind, name: &str, defect: &Defect, lines: &mut Vec<String>) {
    for place in &defect.first {
        let indices: Vec<String> = place.indices.iter().map(u32::to_string).collect();
        let what = indexed(kind, name, indices.len());
        lines.push(format!("            at {}, {what} {}", point(place.at), indices.join(", ")));
    }
    let more = defect.count - defect.first.len().min(defect.count);
    if more > 0 && !defect.first.is_empty() {
        lines.push(format!("            and {more} more"));
    }
}

/// What the indices of a defect's places count.
fn indexed(kind: ElementKind, defect: &str, n: usize) -> &'static str {
    match defect {
        "self-intersections" => "surface triangles",
        "inverted elements" | "degenerate elements" | "duplicate elements" => kind_name(kind, n),
        _ if n == 1 => "vertex",
        _ => "vertices",
    }
}

/// A point with enough digits to find it.
pub fn point(p: [f64; 3]) -> String {
    let [x, y, z] = p.map(|c| if c == 0.0 { "0".to_string() } else { format!("{:.6}", Digits(c)) });
    format!("({x}, {y}, {z})")
}

/// A number with so many significant digits, without an exponent where it is of usual size.
struct Digits(f64);

impl std::fmt::Display for Digits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(6);
        let magnitude = self.0.abs().log10().floor();
        if !(-4.0..7.0).contains(&magnitude) {
            return write!(f, "{:.*e}", digits - 1, self.0);
        }
        let after = (digits as f64 - 1.0 - magnitude).clamp(0.0, 12.0) as usize;
        let text = format!("{:.*}", after, self.0);
        let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        f.write_str(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_six_digits() {
        assert_eq!(point([0.0, -1.5, 123.456789]), "(0, -1.5, 123.457)");
        assert_eq!(point([1e-9, 0.00123456789, 1e7]), "(1.00000e-9, 0.00123457, 1.00000e7)");
    }

    #[test]
    fn a_rare_value_shows_in_a_histogram() {
        let counts = vec![1, 0, 1000];
        let rows = histogram(&Histogram { from: 0.0, to: 1.5, counts });
        assert_eq!(rows[0], "0.0    1 .");
        assert_eq!(rows[1], "0.5    0");
        assert!(rows[2].ends_with(&"#".repeat(BAR)));
    }
}
