//! The tests of the command line in one program: each program of its own takes longer to link than to run.

mod broken_runs;
mod checkpoints;
mod command_line;
mod dummy_solver;
mod hostile_files;
mod mesh_commands;
mod render;
mod support;
mod sweep;
