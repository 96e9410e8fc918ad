//! Format name and version; brings files of older versions to the current one.

use super::tree::{Data, Node, Origin};
use crate::error::Fault;

/// Name of the format.
pub(crate) const FORMAT: &str = "pliant-scene";
/// The version that this crate reads and writes.
pub(crate) const VERSION: i64 = 1;

/// `STEPS[i]` turns version `i + 1` into version `i + 2`. Version 1 is the first.
const STEPS: [fn(&mut Node); VERSION as usize - 1] = [];

/// Checks format and version and migrates; the error has its origin.
pub(crate) fn to_current(tree: &mut Node) -> Result<(), (Origin, Fault)> {
    let missing = |key: &str, value: &str| {
        let cause = format!("missing key `{key}` at the top level");
        (Origin::File(0..0), Fault::new(cause, format!("begin the file with {key} = {value}")))
    };
    let format = tree.get("format").ok_or_else(|| missing("format", "\"pliant-scene\""))?;
    if format.as_str() != Some(FORMAT) {
        let cause = format!("format is not \"{FORMAT}\"");
        let remedy = format!("begin the file with format = \"{FORMAT}\"");
        return Err((format.origin.clone(), Fault::new(cause, remedy)));
    }
    let version = tree.get("version").ok_or_else(|| missing("version", "1"))?;
    let number = match version.data {
        Data::Integer(n) if n >= 1 => n,
        _ => {
            let cause = "version must be a whole number, 1 or more";
            let fault = Fault::new(cause, format!("write version = {VERSION}"));
            return Err((version.origin.clone(), fault));
        }
    };
    if number > VERSION {
        let cause = format!("the file has version {number}, this program reads up to {VERSION}");
        return Err((version.origin.clone(), Fault::new(cause, "use a newer pliant")));
    }
    for step in STEPS.iter().skip(number as usize - 1) {
        step(tree);
    }
    Ok(())
}
