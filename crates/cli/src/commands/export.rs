//! `pliant export`: the frames of a run for other programs, after the run.

use crate::args::sweep::ExportArgs;
use crate::failure::Failure;
use crate::output;
use crate::pool;
use pliant_output::export_again;

/// Writes the frames under the directory of the run.
pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let exported = pool::install(args.threads, |_| Ok(export_again(&args.directory, &args.format)?))?;
    exported.notes.iter().for_each(|note| output::note(note));
    if !exported.is_same {
        output::warning(
            "the run ended otherwise this time: another machine, program or mesh file made the recording",
        );
    }
    if !args.quiet {
        for format in &args.format {
            output::print(&format!("{}", args.directory.join(format.name()).display()));
        }
    }
    Ok(())
}
