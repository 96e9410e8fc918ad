//! An independent check of contact: surfaces are sampled against obstacles and bodies with formulas of its own, and what
//! is found is compared with what the program reports.
//!
//! ```text
//! cargo run --release -p pliant-scene --example contact_check -- scene drop table.toml [--set k=v] [--every 10] [--seconds 1]
//! cargo run --release -p pliant-scene --example contact_check -- throws 100 1
//! cargo run --release -p pliant-scene --example contact_check -- throw 17
//! ```
//!
//! `scene` runs scenes (files or built-in ones), `throws COUNT SEED` throws random bodies at random obstacles, `throw SEED`
//! shows one of these throws step by step. Add `KIND` (plate, rod, torus, ...) to `throws` to see only obstacles of that kind.

mod crossing;
mod distance;
mod judge;
mod lowest;
mod paths;
mod random;
mod scenes;
mod survey;
mod throws;

use std::process::ExitCode;

const USAGE: &str = "usage: contact_check scene NAME... [--set k=v] [--every N] [--seconds S] | throws COUNT SEED [KIND] | throw SEED";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
    let checked = match words.as_slice() {
        ["scene", rest @ ..] if !rest.is_empty() => scenes::check_all(rest),
        ["throws", count, seed, rest @ ..] => number(count)
            .and_then(|count| Ok((count, number(seed)?)))
            .and_then(|(count, seed)| judge::many(seed..seed + count, rest.first().copied())),
        ["throw", seed] => number(seed).map(judge::one),
        _ => Err(USAGE.to_string()),
    };
    match checked {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
