//! The documents are true: what ARCHITECTURE.md says about crates and files is what there is.

use pliant_testkit::source::workspace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

fn architecture() -> String {
    std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// The words in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Folder of each crate and the folders of ours that it depends on, as the table of ARCHITECTURE.md has them.
fn documented() -> Vec<(String, BTreeSet<String>)> {
    let text = architecture();
    let rows = text.lines().filter(|line| line.starts_with("| `crates/"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let folder = quoted(cells[0])[0].trim_start_matches("crates/").to_string();
        // What is of ours stands before the semicolon, crates of others after it.
        let ours = cells[3].split(';').next().unwrap_or_default();
        (folder, quoted(ours).into_iter().map(Into::into).collect())
    })
    .collect()
}

/// The same from cargo. Dependencies of tests do not count.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(workspace())
        .output()
        .expect("cargo metadata");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON of cargo metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        manifest.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned()
    };
    let folder_of: BTreeMap<&str, String> =
        packages.iter().map(|p| (p["name"].as_str().expect("a name"), folder(p))).collect();
    let ours = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies").iter();
        let normal = all.filter(|d| d["kind"].is_null());
        normal.filter_map(|d| folder_of.get(d["name"].as_str()?).cloned()).collect()
    };
    packages.iter().map(|p| (folder(p), ours(p))).collect()
}

#[test]
fn the_table_of_crates_is_that_of_cargo() {
    let (documented, actual) = (documented(), actual());
    let mut above: BTreeSet<&str> = BTreeSet::new();
    for (folder, dependencies) in &documented {
        assert_eq!(Some(dependencies), actual.get(folder), "ARCHITECTURE.md about crates/{folder}");
        let below: Vec<&String> = dependencies.iter().filter(|d| !above.contains(d.as_str())).collect();
        assert!(below.is_empty(), "crates/{folder} depends on {below:?}, which stand below it");
        above.insert(folder);
    }
    let missing: Vec<&String> = actual.keys().filter(|f| !above.contains(f.as_str())).collect();
    assert!(missing.is_empty(), "crates that ARCHITECTURE.md does not list: {missing:?}");
}

/// Column in which the descriptions of a map start.
const DESCRIPTION: usize = 28;

/// Paths that the maps of ARCHITECTURE.md name: an indented block that starts with a folder, then names below it, each
/// line with one or more names before its description.
fn mapped_paths() -> Vec<String> {
    let text = architecture();
    let mut paths = Vec::new();
    // Folders that are open, with the indentation of the line that named them.
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if indent < 4 {
            open.clear();
            continue;
        }
        let names = names_of(line);
        let Some(first) = names.first() else { continue };
        open.retain(|(at, _)| *at < indent);
        let parent = open.last().map_or("", |(_, path)| path);
        if parent.is_empty() && !first.starts_with("crates/") {
            continue;
        }
        let first = format!("{parent}{first}");
        // Further names stand beside the first one.
        let beside = first.trim_end_matches('/').rfind('/').map_or("", |i| &first[..=i]).to_string();
        paths.push(first.clone());
        paths.extend(names[1..].iter().map(|name| format!("{beside}{name}")));
        if names.len() == 1 && first.ends_with('/') {
            open.push((indent, first));
        }
    }
    paths
}

/// The names at the start of a line, before its description.
fn names_of(line: &str) -> Vec<String> {
    let is_name =
        |word: &str| word.ends_with('/') || [".rs", ".ts", ".md", ".html"].iter().any(|e| word.ends_with(e));
    let start = line.len() - line.trim_start().len();
    let mut names = Vec::new();
    let mut column = start;
    for word in line.trim().split_inclusive(' ') {
        let name = word.trim().trim_end_matches(',');
        if !name.is_empty() && (column >= DESCRIPTION || !is_name(name)) {
            break;
        }
        if !name.is_empty() {
            names.push(name.to_string());
        }
        column += word.len();
    }
    names
}

/// The names of the map of the step are those of the folder: nothing is left out.
#[test]
fn the_map_of_the_step_is_complete() {
    let text = architecture();
    let start = text.find("## The step, in file names").expect("the map of the step");
    let map = &text[start..start + text[start + 3..].find("\n## ").expect("the next section")];
    let folder = workspace().join("crates/sim/src");
    let mut missing = Vec::new();
    for file in pliant_testkit::source::rust_files(&folder) {
        let path = file.strip_prefix(&folder).expect("below the folder");
        let names: Vec<String> = path.iter().map(|n| n.to_string_lossy().into_owned()).collect();
        let is_listed = match &names[..] {
            [file] => file == "lib.rs" || map.contains(file.as_str()),
            [folder, file] => {
                let line = map.lines().find(|line| line.contains(&format!("{folder}/")));
                // Where the map says what each file is one of, their names need not be listed.
                let is_plain = file.starts_with("test")
                    || file == "mod.rs"
                    || line.is_some_and(|l| l.contains("one file per"));
                line.is_some() && (is_plain || map.contains(file.as_str()))
            }
            [_, folder, ..] => map.contains(&format!("{folder}/")),
            [] => true,
        };
        if !is_listed {
            missing.push(path.display().to_string());
        }
    }
    assert!(missing.is_empty(), "the map of the step leaves out {missing:#?}");
}

#[test]
fn every_file_in_the_maps_exists() {
    let paths = mapped_paths();
    assert!(paths.len() > 60, "only {} names were found: has the layout of the maps changed?", paths.len());
    let missing: Vec<&String> = paths.iter().filter(|p| !workspace().join(p).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:#?}");
}

#[test]
fn every_file_in_parentheses_of_the_maps_exists_somewhere() {
    let text = architecture();
    let files: BTreeSet<String> = pliant_testkit::source::rust_files(&workspace().join("crates"))
        .iter()
        .filter_map(|p| p.file_name().map(|n| n.to_string_lossy().into_owned()))
        .collect();
    let words = text.split(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
    let named = words.filter(|w| w.ends_with(".rs") && !w.starts_with('.') && w.len() > 3);
    let missing: BTreeSet<&str> = named.filter(|w| !files.contains(*w) && *w != "NAME.rs").collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names files that are nowhere: {missing:?}");
}
