//! The SVG of the plots: well-formed, escaped, and robust against odd data.

use pliant_render::{Axis, Mark, Plot, Series, panels};

/// Checks that tags nest and close, and returns the names of all elements in order.
fn elements(svg: &str) -> Vec<String> {
    let (mut open, mut names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "stray > in {}", &rest[..start]);
        let end = start + rest[start..].find('>').expect("unclosed tag");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else {
            let name = tag.split([' ', '/']).next().unwrap().to_owned();
            names.push(name.clone());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    for piece in svg.split('&').skip(1) {
        let entity = piece.split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "{entity}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    names
}

fn count(svg: &str, name: &str) -> usize {
    elements(svg).iter().filter(|n| *n == name).count()
}

fn sample() -> Plot {
    Plot {
        title: "Cost & error <of> a \"step\"".into(),
        x: Axis::log("vertices"),
        y: Axis::log("time (ms)"),
        series: vec![
            Series::new("a < b", (1..60).map(|i| (f64::from(i), f64::from(i * i))).collect()),
            Series::new("ideal", vec![(1.0, 1.0), (59.0, 59.0)]).dashed(),
        ],
        marks: vec![Mark::horizontal(33.0, "33 ms"), Mark::vertical(10.0, "here")],
        ..Plot::default()
    }
}

#[test]
fn a_plot_is_well_formed_and_complete() {
    let svg = sample().to_svg();
    assert_eq!(count(&svg, "svg"), 1);
    assert_eq!(count(&svg, "polyline"), 2);
    assert!(svg.contains("a &lt; b") && svg.contains("33 ms") && svg.contains("stroke-dasharray=\"6 4\""));
    assert!(svg.contains("10³"));
    assert_eq!(svg, sample().to_svg());
}

#[test]
fn unusable_points_are_skipped_and_break_the_line() {
    let points = vec![(1.0, 1.0), (2.0, 2.0), (3.0, f64::NAN), (4.0, 4.0), (5.0, 5.0), (f64::INFINITY, 1.0)];
    let linear = Plot { series: vec![Series::new("", points.clone())], ..Plot::default() };
    assert_eq!(count(&linear.to_svg(), "polyline"), 2);
    let mut with_zero = points;
    with_zero.extend([(6.0, 0.0), (7.0, -1.0)]);
    let log = Plot { y: Axis::log(""), series: vec![Series::new("", with_zero)], ..Plot::default() };
    assert_eq!(count(&log.to_svg(), "polyline"), 2);
}

#[test]
fn empty_and_odd_plots_are_drawn() {
    elements(&Plot::default().to_svg());
    elements(&panels(&[], 3));
    let odd = [
        vec![],
        vec![(0.0, 0.0)],
        vec![(f64::NAN, f64::NAN)],
        vec![(-1.0, -1.0), (-2.0, -3.0)],
        vec![(f64::MAX, f64::MIN), (f64::MIN, f64::MAX)],
        vec![(5e-324, 1e308), (1e308, 5e-324)],
    ];
    for points in odd {
        for axis in [Axis::linear("a"), Axis::log("b")] {
            let plot = Plot {
                x: axis.clone(),
                y: axis,
                series: vec![Series::new("s", points.clone())],
                marks: vec![Mark::horizontal(f64::NAN, "m"), Mark::vertical(-4.0, "n")],
                width: f64::NAN,
                height: -5.0,
                ..Plot::default()
            };
            elements(&plot.to_svg());
        }
    }
}

#[test]
fn panels_stand_side_by_side() {
    let svg = panels(&[sample(), sample(), sample()], 2);
    assert_eq!(count(&svg, "g"), 3);
    assert!(svg.contains("width=\"1040\" height=\"720\""));
    assert!(svg.contains("translate(520.00 0.00)") && svg.contains("translate(0.00 360.00)"));
    elements(&panels(&[sample()], 0));
}

#[test]
fn many_points_make_a_small_file() {
    let points = (0..100_000).map(|i| (f64::from(i), (f64::from(i) * 1e-4).sin())).collect();
    let svg = Plot { series: vec![Series::new("dense", points)], ..Plot::default() }.to_svg();
    assert!(svg.len() < 60_000, "{}", svg.len());
}
