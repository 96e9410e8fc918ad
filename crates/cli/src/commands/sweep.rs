//! `pliant sweep`: a scene with every combination of several values, into one table.

use super::{check_directory, step_count};
use crate::args::sweep::SweepArgs;
use crate::failure::{Failure, OTHER};
use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant_output::{Sweep, SweepTable};
use pliant_scene::Scene;
use std::io::{IsTerminal, stderr};

/// Most rows that are printed; all are in the table.
const MOST_ROWS: usize = 40;

/// Runs what has not been run yet; an error if a run is not ok.
pub fn run(args: &SweepArgs) -> Result<(), Failure> {
    check_directory(Some(&args.out))?;
    let scene =
        Scene::load(&args.scene)?.with_changes(args.variant.as_deref(), args.solver.as_deref(), &[])?;
    let steps = match args.length.seconds.is_some() || args.length.steps.is_some() {
        true => step_count(scene.build()?.model.dt, &args.length)?,
        false => None,
    };
    let sweep = Sweep::new(scene, args.set.clone(), steps)?;
    let visible = !args.quiet && stderr().is_terminal();
    let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(sweep.len() as u64), target);
    let style = ProgressStyle::with_template("{bar:30} run {pos}/{len}  {elapsed} so far, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let table = sweep.run(&args.out, args.jobs, |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let table = table?;
    if !args.quiet {
        print(&table);
        output::print(&format!("{}", args.out.join("sweep.html").display()));
    }
    match table.failed {
        0 => Ok(()),
        failed => {
            let mut message = format!("{failed} of {} runs are not ok: see table.csv", table.rows.len());
            if let Some(error) = &table.error {
                message += &format!("\n{error}");
            }
            Err(Failure { code: OTHER, message })
        }
    }
}

fn print(table: &SweepTable) {
    // Errors are too long for a column.
    let columns = table.heading.len() - usize::from(table.error.is_some());
    let heading: Vec<&str> = table.heading[..columns].iter().map(String::as_str).collect();
    let mut text = output::Table::new(&heading);
    let shown = |cell: &String| cell.parse().map_or_else(|_| cell.clone(), output::short);
    for row in table.rows.iter().take(MOST_ROWS) {
        text.row(row[..columns].iter().map(shown).collect());
    }
    output::print(&text.text());
    if table.rows.len() > MOST_ROWS {
        output::print(&format!("... {} more in table.csv", table.rows.len() - MOST_ROWS));
    }
}
