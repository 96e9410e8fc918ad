//! Which module of a crate imports which, from the paths in its sources.
//!
//! Modules are compared with their siblings at every level: an import of `crate::a::x` in `crate::b::y` makes b depend on
//! a, whatever x and y are. A module and its own parent may name each other. Tests may import anything.

use super::{blank_comments_and_literals, rust_files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// Names of a path below the crate, for example `["contact", "rows"]`.
type Names = Vec<String>;

/// Modules that import each other, directly or by way of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The modules, as paths from the root of the crate.
    pub modules: Vec<String>,
    /// One import for each step, as `file imports path`.
    pub imports: Vec<String>,
}

/// All cycles between sibling modules of the crate in `folder`.
///
/// # Panics
/// If its sources cannot be read.
pub fn import_cycles(folder: &Path) -> Vec<Cycle> {
    let source = folder.join("src");
    let files: BTreeMap<Names, (String, String)> = rust_files(&source)
        .into_iter()
        .filter_map(|path| {
            let relative = path.strip_prefix(&source).ok()?.to_path_buf();
            let module = module_of(&relative)?;
            let text = std::fs::read_to_string(&path).expect("a source file");
            let code = without_tests(&blank_comments_and_literals(&text));
            Some((module, (relative.display().to_string(), code)))
        })
        .collect();
    let tree = Tree { exports: exports(&files), modules: files.keys().cloned().collect() };
    let mut edges: BTreeMap<(Names, Names), String> = BTreeMap::new();
    for (module, (file, code)) in &files {
        for path in imported_paths(module, code) {
            let target = tree.resolve(&path);
            if let Some(edge) = between_siblings(module, &target) {
                edges.entry(edge).or_insert_with(|| format!("{file} imports {}", path.join("::")));
            }
        }
    }
    cycles(&edges)
}

/// The module that a file of `src` holds; nothing for tests.
fn module_of(relative: &Path) -> Option<Names> {
    let mut names: Names = relative
        .with_extension("")
        .components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    if names.iter().any(|n| n == "tests" || n.starts_with("test_") || n == "trials" || n == "bin") {
        return None;
    }
    if matches!(names.last().map(String::as_str), Some("mod"))
        || matches!(names[..], [ref one] if one == "lib" || one == "main")
    {
        names.pop();
    }
    Some(names)
}

/// The code before the tests at the end of a file.
fn without_tests(code: &str) -> String {
    let end = code.find("#[cfg(test)]\nmod ").or_else(|| code.find("#[cfg(test)]\npub(crate) mod "));
    code[..end.unwrap_or(code.len())].to_string()
}

struct Tree {
    modules: BTreeSet<Names>,
    /// What a module gives out under a name of its own that is defined elsewhere.
    exports: BTreeMap<(Names, String), Names>,
}

impl Tree {
    /// The module in which the thing at `path` is defined.
    fn resolve(&self, path: &[String]) -> Names {
        let mut path = path.to_vec();
        for _ in 0..8 {
            let known =
                (0..=path.len()).rev().find(|&n| n == 0 || self.modules.contains(&path[..n])).unwrap_or(0);
            let (module, rest) = path.split_at(known);
            let export = rest.first().and_then(|name| self.exports.get(&(module.to_vec(), name.clone())));
            match export {
                Some(elsewhere) if elsewhere != &path => {
                    path = elsewhere.iter().chain(&rest[1..]).cloned().collect();
                }
                _ => return module.to_vec(),
            }
        }
        path
    }
}

/// What each module exports of other modules by `pub use`.
fn exports(files: &BTreeMap<Names, (String, String)>) -> BTreeMap<(Names, String), Names> {
    let mut all = BTreeMap::new();
    for (module, (_, code)) in files {
        for (is_public, path) in use_paths(code) {
            let Some(name) = path.last().filter(|_| is_public) else { continue };
            let target =
                absolute(module, &path).unwrap_or_else(|| module.iter().chain(&path).cloned().collect());
            all.insert((module.clone(), name.clone()), target);
        }
    }
    all
}

/// Every path of other modules in the code, from the root of the crate.
fn imported_paths(module: &[String], code: &str) -> Vec<Names> {
    let mut paths: Vec<Names> =
        use_paths(code).into_iter().filter_map(|(_, p)| absolute(module, &p)).collect();
    // Paths in expressions.
    for start in ["crate::", "super::"] {
        for (i, _) in code.match_indices(start) {
            let path = code[i..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
            let names: Names =
                path.unwrap_or("").split("::").filter(|n| !n.is_empty()).map(Into::into).collect();
            paths.extend(absolute(module, &names));
        }
    }
    paths
}

/// A path that starts with `crate`, `super` or `self`, from the root of the crate; nothing for other crates and children.
fn absolute(module: &[String], path: &[String]) -> Option<Names> {
    match path.first().map(String::as_str) {
        Some("crate") => Some(path[1..].to_vec()),
        Some("self") => Some(module.iter().chain(&path[1..]).cloned().collect()),
        Some("super") => {
            let up = path.iter().take_while(|n| *n == "super").count();
            let parent = &module[..module.len().checked_sub(up)?];
            Some(parent.iter().chain(&path[up..]).cloned().collect())
        }
        _ => None,
    }
}

/// The paths of all `use` items, braces multiplied out, and whether each is public in some way.
fn use_paths(code: &str) -> Vec<(bool, Names)> {
    let mut all = Vec::new();
    for (i, _) in code.match_indices("use ") {
        let before = code[..i].trim_end();
        let starts_an_item =
            before.is_empty() || before.ends_with([';', '}', '{', ']', ')']) || before.ends_with("pub");
        let is_public = before.ends_with("pub")
            || (before.ends_with(')') && before.rfind("pub(").is_some_and(|p| !before[p..].contains(';')));
        let Some(end) = code[i..].find(';').filter(|_| starts_an_item) else { continue };
        let mut paths = Vec::new();
        expand(&mut Vec::new(), code[i + 4..i + end].trim(), &mut paths);
        all.extend(paths.into_iter().map(|p| (is_public, p)));
    }
    all
}

/// Multiplies out `a::{b, c::d}`; `a as b` counts as `a`, `a::{self}` as `a`.
fn expand(prefix: &mut Names, tree: &str, out: &mut Vec<Names>) {
    let tree = tree.trim();
    let depth_before = prefix.len();
    let (path, group) = match tree.find('{') {
        Some(open) => {
            (&tree[..open], tree[open + 1..].rfind('}').map(|close| &tree[open + 1..open + 1 + close]))
        }
        None => (tree, None),
    };
    let path = path.split(" as ").next().unwrap_or(path);
    prefix.extend(path.split("::").map(str::trim).filter(|n| !n.is_empty() && *n != "*").map(Into::into));
    match group {
        Some(group) => split_top_level(group).into_iter().for_each(|part| expand(prefix, part, out)),
        None => {
            let mut whole = prefix.clone();
            if whole.len() > 1 && whole.last().is_some_and(|n| n == "self") {
                whole.pop();
            }
            out.push(whole);
        }
    }
    prefix.truncate(depth_before);
}

fn split_top_level(group: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    parts.retain(|p| !p.trim().is_empty());
    parts
}

/// The siblings that an import connects; nothing between a module and its own ancestors or descendants.
fn between_siblings(from: &[String], to: &[String]) -> Option<(Names, Names)> {
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    (common < from.len() && common < to.len()).then(|| (from[..=common].to_vec(), to[..=common].to_vec()))
}

/// Sets of modules that reach each other.
fn cycles(edges: &BTreeMap<(Names, Names), String>) -> Vec<Cycle> {
    let nodes: BTreeSet<&Names> = edges.keys().flat_map(|(a, b)| [a, b]).collect();
    let reach: BTreeMap<&Names, BTreeSet<&Names>> = nodes.iter().map(|n| (*n, reachable(n, edges))).collect();
    let mut seen: BTreeSet<&Names> = BTreeSet::new();
    let mut found = Vec::new();
    for node in nodes {
        let members: BTreeSet<&Names> =
            reach[node].iter().filter(|o| reach[*o].contains(node)).copied().collect();
        if members.len() < 2 || !seen.insert(node) {
            continue;
        }
        seen.extend(&members);
        let inside = edges.iter().filter(|((a, b), _)| members.contains(a) && members.contains(b));
        let imports =
            inside.map(|((a, b), import)| format!("{} -> {}: {import}", a.join("::"), b.join("::")));
        found.push(Cycle {
            imports: imports.collect(),
            modules: members.iter().map(|m| m.join("::")).collect(),
        });
    }
    found
}

fn reachable<'a>(from: &Names, edges: &'a BTreeMap<(Names, Names), String>) -> BTreeSet<&'a Names> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for (_, to) in edges.keys().filter(|(a, _)| a == node) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TempFolder;

    fn cycles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = TempFolder::new("modules");
        for (name, text) in files {
            let path = folder.join("src").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        import_cycles(folder.path()).into_iter().map(|c| c.modules).collect()
    }

    #[test]
    fn a_cycle_by_way_of_a_third_module_is_found() {
        let found = cycles_of(&[
            ("lib.rs", "mod a; mod b; mod c; pub use c::Thing;"),
            ("a.rs", "use crate::b::{self, deep::{X, Y}};"),
            ("b/mod.rs", "pub mod deep;"),
            ("b/deep.rs", "use crate::Thing;"),
            ("c.rs", "fn f() -> super::a::Item { super::a::new() }"),
        ]);
        assert_eq!(found, [["a", "b", "c"]]);
    }

    #[test]
    fn siblings_inside_a_module_count_parents_tests_and_comments_do_not() {
        let found = cycles_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod x; mod y; pub struct S;"),
            ("a/x.rs", "use super::y::Y; use super::S;"),
            ("a/y.rs", "use super::x::X;"),
            ("b.rs", "// use crate::a::S;\nuse crate::a::S;\n#[cfg(test)]\nmod tests { use crate::a::S; }"),
            ("a/tests.rs", "use crate::b::B;"),
        ]);
        assert_eq!(found, [["a::x", "a::y"]]);
    }
}
