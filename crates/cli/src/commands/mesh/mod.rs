//! `pliant mesh`: tools for mesh files, one file per command.

mod clock;
mod convert;
mod files;
mod formats;
mod info;
mod picture;
mod repair;
mod simplify;
mod summary;
mod tetrahedralize;
mod text;
mod verdict;

use crate::args::mesh::{MeshCommand, ReportArgs};
use crate::failure::Failure;
use crate::output;
use crate::pool;
use serde_json::Value;

/// Runs a mesh tool.
pub fn run(command: &MeshCommand) -> Result<(), Failure> {
    match command {
        MeshCommand::Info(a) => in_pool(&a.report, || info::run(a)),
        MeshCommand::Convert(a) => in_pool(&a.report, || convert::run(a)),
        MeshCommand::Tetrahedralize(a) => in_pool(&a.report, || tetrahedralize::run(a)),
        MeshCommand::Repair(a) => in_pool(&a.report, || repair::run(a)),
        MeshCommand::Simplify(a) => in_pool(&a.report, || simplify::run(a)),
        MeshCommand::Formats(a) => formats::run(a),
    }
}

/// What a tool found out, for people and for programs.
struct ToolReport {
    text: String,
    json: Value,
}

/// Runs a tool in its threads and prints its report in the form asked for.
fn in_pool(
    args: &ReportArgs,
    tool: impl FnOnce() -> Result<ToolReport, Failure> + Send,
) -> Result<(), Failure> {
    let report = pool::install(args.threads, |_| tool())?;
    if args.json {
        output::print_json(&report.json);
    } else if !args.quiet {
        output::print(&report.text);
    }
    Ok(())
}
