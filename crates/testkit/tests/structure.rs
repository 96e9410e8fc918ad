//! The source tree keeps its own rules: no import cycles, no long files, no long functions, `unsafe` only where it belongs.

use pliant_testkit::source::{
    blank_comments_and_literals, crates, functions, import_cycles, rust_files, workspace,
};
use std::path::{Path, PathBuf};

/// Longest file and longest function, in lines.
const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 80;

fn all_files() -> Vec<PathBuf> {
    rust_files(&workspace().join("crates"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a source file")
}

fn short(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string()
}

#[test]
fn no_module_imports_itself_by_way_of_others() {
    let mut report = String::new();
    for folder in crates() {
        for cycle in import_cycles(&folder) {
            report += &format!("{}: {}\n", short(&folder), cycle.modules.join(", "));
            cycle.imports.iter().for_each(|import| report += &format!("    {import}\n"));
        }
    }
    assert!(report.is_empty(), "import cycles between modules:\n{report}");
}

#[test]
fn no_file_is_too_long() {
    let count = |path: &PathBuf| read(path).lines().count();
    let long: Vec<String> = all_files()
        .iter()
        .map(|path| (count(path), path))
        .filter(|(lines, _)| *lines > FILE_LINES)
        .map(|(lines, path)| format!("{} has {lines} lines", short(path)))
        .collect();
    assert!(
        long.is_empty(),
        "more than {FILE_LINES} lines, split where the theory splits:\n{}",
        long.join("\n")
    );
}

#[test]
fn no_function_is_too_long() {
    let mut long = Vec::new();
    for path in all_files() {
        for f in functions(&blank_comments_and_literals(&read(&path))) {
            if f.lines > FUNCTION_LINES {
                long.push(format!("{}:{}: {} has {} lines", short(&path), f.line, f.name, f.lines));
            }
        }
    }
    assert!(long.is_empty(), "more than {FUNCTION_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn unsafe_code_is_in_linalg_only() {
    let allowed = ["crates/linalg/", "crates/testkit/src/allocations.rs"];
    let uses_it = |path: &PathBuf| {
        let code = blank_comments_and_literals(&read(path));
        ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|word| code.contains(word))
    };
    let found: Vec<String> = all_files().iter().filter(|p| uses_it(p)).map(|p| short(p)).collect();
    let wrong: Vec<&String> = found.iter().filter(|p| !allowed.iter().any(|a| p.starts_with(a))).collect();
    assert!(wrong.is_empty(), "unsafe code: {wrong:?}");
    assert!(!found.is_empty(), "the test finds unsafe code where it is");
}

/// Where tests share a program, one that is not in its list would never run.
#[test]
fn every_file_of_tests_belongs_to_a_program() {
    let mut forgotten = Vec::new();
    for folder in crates() {
        let (manifest, list) = (folder.join("Cargo.toml"), folder.join("tests/all.rs"));
        if !read(&manifest).contains("autotests = false") {
            continue;
        }
        let (manifest, list) = (read(&manifest), read(&list));
        for entry in std::fs::read_dir(folder.join("tests")).expect("tests") {
            let path = entry.expect("a file").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_listed = list.lines().any(|line| line == format!("mod {name};"));
            if !is_listed && !manifest.contains(&format!("[[test]]\nname = \"{name}\"")) {
                forgotten.push(short(&path));
            }
        }
    }
    assert!(forgotten.is_empty(), "neither in tests/all.rs nor in Cargo.toml: {}", forgotten.join(", "));
}

/// Build scripts compile C with these crates. `generator` belongs to loom, which only tests of other crates use.
#[test]
fn no_dependency_compiles_c() {
    let lock = read(&workspace().join("Cargo.lock"));
    let tools = [" \"cc\",", " \"cmake\",", " \"bindgen\",", " \"autotools\","];
    let compiles = |package: &&str| tools.iter().any(|tool| package.contains(tool));
    let name = |package: &str| package.lines().find(|line| line.starts_with("name")).map(str::to_string);
    let found: Vec<String> = lock.split("[[package]]").filter(compiles).filter_map(name).collect();
    assert_eq!(found, ["name = \"generator\""], "a dependency needs a C compiler");
}
