//! `pliant bench --friction`: how far a stiff block slides down a slope of 10 degrees, by contact solver and coefficient of
//! friction, as in figure 7 of Zeng25.

use crate::args::Changes;
use crate::commands::load;
use crate::failure::Failure;
use crate::output::{Table, short};
use pliant_render::{Axis, Mark, Plot, Series};
use pliant_scene::Run;
use serde_json::{Value, json};

const DEGREES: f64 = 10.0;
const GRAVITY: f64 = 9.81;
const DT: f64 = 0.01;

/// Coefficients over the whole range, and closer around the threshold 0.1763.
const WIDE: [f64; 11] = [0.0, 0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20];
const CLOSE: [f64; 13] =
    [0.170, 0.171, 0.172, 0.173, 0.174, 0.175, 0.1755, 0.176, 0.1765, 0.177, 0.178, 0.179, 0.180];

/// What is compared: a name, and the settings of the solver. The last two are those of the figure.
const METHODS: [(&str, &[(&str, &str)]); 4] = [
    ("direct", &[("solver.contact", "direct")]),
    ("Gauss-Seidel, 30 sweeps", &[("solver.contact", "gauss_seidel")]),
    (
        "non-smooth Newton, system inverse",
        &[("solver.contact", "non_smooth_newton"), ("solver.residual_iterations", "24")],
    ),
    (
        "non-smooth Newton, mass inverse",
        &[
            ("solver.contact", "non_smooth_newton"),
            ("solver.residual_iterations", "24"),
            ("solver.preconditioner", "mass_inverse"),
        ],
    ),
];

/// What was measured: as JSON, as text, and as two plots.
#[derive(Debug)]
pub struct Slides {
    /// Coefficients and distances by method.
    pub json: Value,
    /// The same as a table.
    pub table: String,
    /// The whole range, and around the threshold.
    pub plots: [Plot; 2],
}

/// Runs the block with every method and coefficient.
pub fn run() -> Result<Slides, Failure> {
    let measure = |coefficients: &[f64]| -> Result<Vec<Vec<f64>>, Failure> {
        METHODS
            .iter()
            .map(|(_, settings)| coefficients.iter().map(|&mu| slide(settings, mu)).collect())
            .collect()
    };
    let (wide, close) = (measure(&WIDE)?, measure(&CLOSE)?);
    let json = json!({
        "pliant": env!("CARGO_PKG_VERSION"),
        "scene": "stick_slide",
        "degrees": DEGREES,
        "threshold": DEGREES.to_radians().tan(),
        "ranges": [range(&WIDE, &wide), range(&CLOSE, &close)],
    });
    Ok(Slides {
        json,
        table: table(&CLOSE, &close),
        plots: [plot("whole range", &WIDE, &wide), plot("around the threshold", &CLOSE, &close)],
    })
}

/// Distance in m that the block slides in a second.
fn slide(settings: &[(&str, &str)], friction: f64) -> Result<f64, Failure> {
    let mut set: Vec<(String, String)> =
        settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect();
    set.push(("friction".to_string(), friction.to_string()));
    set.push(("angle".to_string(), DEGREES.to_string()));
    // As in the paper the block starts unloaded.
    set.push(("scene.settle".to_string(), "false".to_string()));
    let changes = Changes { variant: None, solver: None, set };
    let mut run = Run::new(load("stick_slide", &changes)?.build()?)?;
    while !run.is_done() {
        run.step()?;
    }
    let probe = run.probes().iter().find(|p| p.name == "slide");
    Ok(probe.and_then(|p| p.last().first().copied()).unwrap_or(f64::NAN))
}

/// What backward Euler gives for a point on the slope, after a second.
fn analytic(friction: f64) -> f64 {
    let (sin, cos) = DEGREES.to_radians().sin_cos();
    0.5 * GRAVITY * (sin - friction * cos).max(0.0) * (1.0 + DT)
}

fn range(coefficients: &[f64], distances: &[Vec<f64>]) -> Value {
    let methods = METHODS.iter().zip(distances);
    json!({
        "friction": coefficients,
        "analytic_m": coefficients.iter().map(|&mu| analytic(mu)).collect::<Vec<_>>(),
        "slides": methods.map(|((name, _), slid)| json!({"method": name, "slide_m": slid})).collect::<Vec<_>>(),
    })
}

fn table(coefficients: &[f64], distances: &[Vec<f64>]) -> String {
    let mut headers = vec!["friction", "analytic m"];
    headers.extend(METHODS.iter().map(|(name, _)| *name));
    let mut table = Table::new(&headers);
    for (i, &mu) in coefficients.iter().enumerate() {
        let mut row = vec![format!("{mu:.4}"), short(analytic(mu))];
        row.extend(distances.iter().map(|slid| short(slid[i])));
        table.row(row);
    }
    table.text()
}

fn plot(title: &str, coefficients: &[f64], distances: &[Vec<f64>]) -> Plot {
    let points = |values: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        coefficients.iter().enumerate().map(|(i, &mu)| (mu, values(i))).collect()
    };
    let mut series = vec![Series::new("analytic", points(&|i| analytic(coefficients[i]))).dashed()];
    for ((name, _), slid) in METHODS.iter().zip(distances) {
        series.push(Series::new(*name, points(&|i| slid[i])));
    }
    Plot {
        title: format!("Block on a slope of 10 degrees: {title}"),
        x: Axis::linear("coefficient of friction"),
        y: Axis::linear("distance slid in 1 s (m)"),
        series,
        marks: vec![Mark::vertical(DEGREES.to_radians().tan(), "tan 10 deg")],
        ..Plot::default()
    }
}
