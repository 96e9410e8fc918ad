//! Options of `sweep` and `export`.

use super::{Length, solver_help, thread_count};
use clap::Args;
use pliant_scene::exporting::Format;
use std::path::PathBuf;

/// Options of `sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Name of a built-in scene or path of a .toml file.
    pub scene: String,
    /// Values of a parameter (youngs=1e5,1e6) or a dotted path; repeatable, every combination is run.
    #[arg(long, value_name = "NAME=A,B,C", value_parser = values, required = true)]
    pub set: Vec<(String, Vec<String>)>,
    /// Size or flavour of the scene, see `pliant scenes`.
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    #[arg(long, value_name = "KIND", help = solver_help("the scene's"))]
    pub solver: Option<String>,
    #[command(flatten)]
    pub length: Length,
    /// Directory for table.csv, sweep.html and the reports; the same one goes on where a sweep was stopped.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Runs at a time, each on one core; as many as there are cores if absent.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub jobs: Option<usize>,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// What `pliant run SCENE --out DIR` wrote.
    pub directory: PathBuf,
    /// Formats: vtu, obj, ply, gltf, usd, npz.
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', required = true)]
    pub format: Vec<Format>,
    /// Threads; all cores if absent.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// `NAME=A,B,C`; commas inside of brackets and quotes belong to a value.
fn values(text: &str) -> Result<(String, Vec<String>), String> {
    let help = "write NAME=A,B,C, for example youngs=1e5,1e6";
    let (name, list) = text.split_once('=').ok_or(help)?;
    let (mut values, mut depth, mut quote) = (vec![String::new()], 0, None);
    for c in list.chars() {
        match c {
            '[' | '{' if quote.is_none() => depth += 1,
            ']' | '}' if quote.is_none() => depth -= 1,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            ',' if depth == 0 && quote.is_none() => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        values.last_mut().expect("it never is empty").push(c);
    }
    let values: Vec<String> = values.iter().map(|v| v.trim().to_string()).collect();
    if name.trim().is_empty() || values.iter().any(String::is_empty) {
        return Err(help.into());
    }
    Ok((name.trim().to_string(), values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_values_but_not_their_parts() {
        let read = |text| values(text).map(|(name, values)| (name, values.join("|")));
        assert_eq!(read("a=1, 2,3"), Ok(("a".into(), "1|2|3".into())));
        assert_eq!(read("size=[1, 2],[3, 4]"), Ok(("size".into(), "[1, 2]|[3, 4]".into())));
        assert_eq!(read("name=\"a,b\",c"), Ok(("name".into(), "\"a,b\"|c".into())));
        assert!(["a", "=1", "a=", "a=1,,2"].iter().all(|bad| values(bad).is_err()));
    }
}
