//! `pliant schema`: the JSON Schema of scene files.

use crate::failure::Failure;
use crate::output;

/// Prints it.
pub fn run() -> Result<(), Failure> {
    output::print_json(&pliant_scene::schema());
    Ok(())
}
