//! `pliant`: soft-body simulation on the command line.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod failure;
mod output;
mod pool;
mod progress;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Scenes(a) => commands::scenes::run(a),
        Command::Run(a) => commands::run::run(a),
        Command::Resume(a) => commands::resume::run(a),
        Command::Check(a) => commands::check::run(a),
        Command::Compare(a) => commands::compare::run(a),
        Command::Bench(a) => commands::bench::run(a),
        Command::Sweep(a) => commands::sweep::run(a),
        Command::Export(a) => commands::export::run(a),
        Command::Render(a) => commands::render::run(a),
        Command::View(a) => commands::view::run(a),
        Command::Mesh(a) => commands::mesh::run(&a.command),
        Command::Schema => commands::schema::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code)
        }
    }
}
