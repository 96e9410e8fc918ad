//! What the tests of the binary have in common: a directory of their own and the streams of a command.
#![allow(dead_code)] // each test file is a crate of its own and uses a part of this

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A directory of its own for each test, removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pliant-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn pliant(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub fn entries(&self) -> usize {
        std::fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", out(output), err(output)))
}
