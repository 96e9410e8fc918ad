//! The table of solvers is the only list of their kinds, and the guide describes what it holds.

use pliant::solver::{KINDS, SolverConfig, Value};
use std::path::{Path, PathBuf};

/// Places outside a solver's folder that may name it, each for a reason of its own. None of them is a list of kinds.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("sim/src/solver/table.rs", "", "the table"),
    ("sim/src/solver/mod.rs", "", "the modules, and their settings under the names that users import"),
    ("sim/src/lib.rs", "", "the same at the root of the crate"),
    ("sim/src/solver/local_global/mod.rs", "admm", "a module of this name, its own iteration"),
    ("sim/src/solver/local_global/config.rs", "admm", "a word of its own for that iteration"),
    ("sim/src/solver/admm/mod.rs", "local_global", "shares its elements and its matrix"),
    ("sim/src/solver/admm/contact.rs", "local_global", "shares its vectors"),
    ("sim/src/solver/admm/rigid.rs", "local_global", "shares its parts"),
    ("sim/src/solver/local_global/unsolved.rs", "implicit_fe", "solves what it leaves"),
    ("sim/src/world/convergence/mod.rs", "newton", "the reference that others are compared with"),
    ("sim/src/world/convergence/mod.rs", "implicit_fe", "the same where bodies touch"),
    ("sim/src/world/convergence/in_contact.rs", "admm", "its residuals, and the method beside it"),
    ("cli/src/commands/compare/in_contact.rs", "admm", "measures the residuals and weights of this solver"),
    ("cli/src/commands/bench/kernels.rs", "local_global", "measures the kernels of this solver"),
    ("cli/src/commands/bench/memory.rs", "local_global", "measures the factor of this solver"),
];

/// What names a kind in code: its word in scene files, its variant and its settings type.
struct Names {
    kind: &'static str,
    words: Vec<String>,
}

fn names() -> Vec<Names> {
    let each = SolverConfig::all().into_iter().map(|config| {
        // `LocalGlobal(LocalGlobalConfig { .. })`
        let text = format!("{config:?}");
        let variant = text.split('(').next().expect("a variant").to_string();
        let words =
            vec![config.kind().to_string(), format!("{variant}Config"), format!("SolverConfig::{variant}")];
        Names { kind: config.kind(), words }
    });
    each.collect()
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_path_buf()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Whether a line of code has the word, not as a part of another one. `newton` is also the name of a method in many
/// fields: outside of text in quotes it counts as a path only.
fn has(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        let quoted = before.matches('"').count() % 2 == 1;
        let path = before.ends_with("solver::") || (after.starts_with("::") && !after.starts_with("::<"));
        whole && (quoted || path || word.chars().any(char::is_uppercase))
    })
}

#[test]
fn no_other_list_of_kinds_exists() {
    let root = crates();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&root).expect("crates") {
        let src = entry.expect("an entry").path().join("src");
        if src.is_dir() {
            sources(&src, &mut files);
        }
    }
    assert!(files.len() > 200, "{} sources", files.len());
    let mut places = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).expect("below it").to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&file).expect("text");
        for Names { kind, words } in names() {
            let own = name.starts_with(&format!("sim/src/solver/{kind}/"));
            let allowed = ALLOWED.iter().any(|(file, of, _)| *file == name && (of.is_empty() || *of == kind));
            if own || allowed {
                continue;
            }
            for (i, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                if words.iter().any(|word| has(code, word)) {
                    places.push(format!("crates/{name}:{}: {}", i + 1, line.trim()));
                }
            }
        }
    }
    assert!(places.is_empty(), "solvers are named outside of their table:\n{}", places.join("\n"));
}

#[test]
fn the_search_finds_what_it_looks_for() {
    assert!(has("    if kind == \"newton\" {", "newton"));
    assert!(has("use pliant::solver::local_global::global_matrix;", "local_global"));
    assert!(has("let c = SolverConfig::Newton(x);", "SolverConfig::Newton"));
    assert!(has("format!(\"use local_global\")", "local_global"));
    assert!(!has("let newton = sum / first;", "newton"));
    assert!(!has("newton::<Self, S, D>(s, m, z)", "newton"));
    assert!(!has("\"non_smooth_newton\" => 1,", "newton"));
}

/// Every kind has a section in the guide, with a row for each of its settings that gives the default.
#[test]
fn the_guide_describes_every_setting() {
    let page = include_str!("../../../docs/book/solvers.md");
    for (config, kind) in SolverConfig::all().iter().zip(KINDS) {
        if kind.snapshot_id == u32::MAX {
            continue; // the worked example is not for users
        }
        let start = page.find(&format!("\n## {}\n", kind.name)).unwrap_or_else(|| panic!("no {}", kind.name));
        let section = &page[start + 4..];
        let section = &section[..section.find("\n## ").unwrap_or(section.len())];
        for knob in config.knobs() {
            let row = section.lines().find(|l| l.starts_with(&format!("| `{}` |", knob.name)));
            let row = row.unwrap_or_else(|| panic!("{} has no row for `{}`", kind.name, knob.name));
            let default = match config.get(knob.name).expect("a setting") {
                word @ Value::Word(_) => format!("| `{word}` |"),
                number => format!("| {number} |"),
            };
            assert!(row.contains(&default), "`{}` of {} is {default}: {row}", knob.name, kind.name);
        }
    }
}
