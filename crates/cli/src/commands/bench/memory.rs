//! `pliant bench --memory`: entries and bytes of the sparse inverse factor S, beside tables 1 and 2 of Zeng25.

use super::models::{BARS, CLOTHS, free_bar, free_cloth};
use crate::failure::Failure;
use crate::output::{self, Table};
use pliant::fem::System;
use pliant::solver::local_global::global_matrix;
use pliant::{Bending, BendingKind, LocalGlobalConfig, Model};
use pliant_linalg::cholesky::RELAX_FACTOR;
use pliant_linalg::inverse::SparseInverse;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::{Permutation, SymbolicCholesky};
use serde_json::{Value, json};

/// MB of S in the paper: the bars of table 2, and the cloths of table 1 by kind of bending.
const PAPER_BARS: [f64; 3] = [125.02, 463.03, 1310.19];
const PAPER_CLOTHS: [(&str, Option<BendingKind>, [f64; 4]); 3] = [
    ("no bending", None, [34.80, 102.51, 183.79, 280.41]),
    ("isometric", Some(BendingKind::Isometric), [62.37, 183.82, 342.68, 523.36]),
    ("Laplace-Beltrami", Some(BendingKind::LaplaceBeltrami), [87.08, 258.85, 487.14, 749.10]),
];

/// Builds every S of the tables and prints them, or JSON.
pub fn run(json: bool) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for ((name, cells), paper) in BARS.into_iter().zip(PAPER_BARS) {
        rows.push(measure(&format!("bar {name}"), &free_bar(cells)?, paper)?);
    }
    for (bending, kind, paper) in PAPER_CLOTHS {
        for ((name, cells), paper) in CLOTHS.into_iter().zip(paper) {
            let bending_model = kind.map(|kind| Bending { kind, stiffness: 1e-6 });
            rows.push(measure(
                &format!("cloth {name}, {bending}"),
                &free_cloth(cells, bending_model)?,
                paper,
            )?);
        }
    }
    if json {
        output::print_json(&Value::Array(rows));
        return Ok(());
    }
    let mut table =
        Table::new(&["system", "vertices", "nnz(S)", "S MB", "paper MB", "S / paper", "panels of L MB"]);
    for r in &rows {
        let number = |key: &str, digits: usize| format!("{:.digits$}", r[key].as_f64().unwrap_or(f64::NAN));
        table.row(vec![
            r["system"].as_str().unwrap_or("").to_string(),
            number("vertices", 0),
            number("nnz", 0),
            number("mb", 1),
            number("paper_mb", 1),
            number("share_of_paper", 3),
            number("panels_mb", 1),
        ]);
    }
    output::print(&table.text());
    Ok(())
}

fn measure(name: &str, model: &Model, paper_mb: f64) -> Result<Value, Failure> {
    let failed = |e: String| Failure::other(format!("{name}: {e}"));
    let system = System::build(model).map_err(|e| failed(e.to_string()))?;
    let matrix = global_matrix(&LocalGlobalConfig::default(), &system, model.dt);
    let order = Permutation::from_forward((0..matrix.n()).collect());
    let factor = SymbolicCholesky::new(&matrix, order, RELAX_FACTOR).factor(&matrix);
    let inverse = SparseInverse::new(&matrix, &factor.map_err(|e| failed(e.to_string()))?);
    let panels = PanelFactor::new(&matrix).map_err(|e| failed(e.to_string()))?;
    let mb = inverse.bytes() as f64 / (1 << 20) as f64;
    Ok(json!({
        "system": name, "vertices": matrix.n(), "nnz": inverse.nnz(), "bytes": inverse.bytes(), "mb": mb,
        "paper_mb": paper_mb, "share_of_paper": mb / paper_mb, "panels_mb": panels.bytes() as f64 / (1 << 20) as f64,
    }))
}
