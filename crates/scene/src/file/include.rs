//! Other files that a scene takes in: `include = ["materials.toml"]`.

use super::tree::{self, Data, Entry, Node, Origin};
use crate::error::{Fault, SceneError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files within files within files.
const MAX_DEPTH: usize = 8;
/// Files of one scene.
const MAX_FILES: usize = 100;

/// The tree with all that it includes; `read` reads a file. Files are looked for beside the one that names them.
pub(super) fn take_in(
    tree: Node,
    (label, text): (&str, &str),
    directory: &Path,
    read: &dyn Fn(&Path) -> Result<String, String>,
) -> Result<Node, SceneError> {
    let mut taker = Taker { read, files: 0 };
    taker.take_in(tree, (label, text), directory, 0)
}

struct Taker<'a> {
    read: &'a dyn Fn(&Path) -> Result<String, String>,
    files: usize,
}

impl Taker<'_> {
    fn take_in(
        &mut self,
        mut tree: Node,
        (label, text): (&str, &str),
        directory: &Path,
        depth: usize,
    ) -> Result<Node, SceneError> {
        let Some(list) = remove(&mut tree, "include") else { return Ok(tree) };
        let mut whole = Node { data: Data::Table(Vec::new()), origin: tree.origin.clone() };
        for (name, origin) in names(&list).map_err(|fault| fault.at(list.origin.place(label, text)))? {
            let fail = |cause: String, remedy: &str| Fault::new(cause, remedy).at(origin.place(label, text));
            self.files += 1;
            if depth >= MAX_DEPTH || self.files > MAX_FILES {
                let cause = format!("`{name}` is included too deep, or in a circle");
                return Err(fail(cause, "include each file once"));
            }
            let path: PathBuf = directory.join(&name);
            let remedy = "it is looked for beside the file that includes it";
            let content = (self.read)(&path).map_err(|cause| fail(format!("`{name}`: {cause}"), remedy))?;
            let shown = path.display().to_string();
            let mut part = tree::parse(&shown, &content)?;
            let file = Arc::new((shown, content));
            part.relabel(&file);
            let beside = path.parent().unwrap_or(Path::new(""));
            let part = self.take_in(part, (&file.0, &file.1), beside, depth + 1)?;
            merge(&mut whole, part);
        }
        // A part may say its format, but only that of the scene counts.
        let _ = (remove(&mut whole, "format"), remove(&mut whole, "version"));
        merge(&mut whole, tree);
        Ok(whole)
    }
}

/// Names of files, with where they are written.
fn names(list: &Node) -> Result<Vec<(String, Origin)>, Fault> {
    let fault = || Fault::new("include is not a list of files", "write include = [\"parts.toml\"]");
    let name = |node: &Node| Some((node.as_str()?.to_string(), node.origin.clone()));
    match &list.data {
        Data::Array(items) => items.iter().map(|item| name(item).ok_or_else(fault)).collect(),
        _ => Err(fault()),
    }
}

fn remove(tree: &mut Node, key: &str) -> Option<Node> {
    let Data::Table(entries) = &mut tree.data else { return None };
    let at = entries.iter().position(|e| e.key == key)?;
    Some(entries.remove(at).value)
}

/// Puts `more` over `whole`: tables are joined, lists of entries go one after the other, other values are replaced.
fn merge(whole: &mut Node, more: Node) {
    let Node { data, origin } = more;
    match (&mut whole.data, data) {
        (Data::Table(entries), Data::Table(others)) => {
            for Entry { key, key_origin, value } in others {
                match entries.iter_mut().find(|e| e.key == key) {
                    Some(entry) => merge(&mut entry.value, value),
                    None => entries.push(Entry { key, key_origin, value }),
                }
            }
        }
        (Data::Array(items), Data::Array(others)) if is_entries(items) && is_entries(&others) => {
            items.extend(others);
        }
        (_, data) => *whole = Node { data, origin },
    }
}

/// Whether a list is one of tables, as bodies are; vectors are values.
fn is_entries(items: &[Node]) -> bool {
    items.iter().all(|item| matches!(item.data, Data::Table(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str, files: &[(&str, &str)]) -> Result<Node, SceneError> {
        let read = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| text.to_string()).ok_or_else(|| "there is no such file".to_string())
        };
        take_in(tree::parse("main", text).unwrap(), ("main", text), Path::new("dir"), &read)
    }

    #[test]
    fn what_is_included_comes_first_and_the_scene_has_the_last_word() {
        let main =
            "include = ['a.toml']\n[parameters]\nx = 2\n[[body]]\nname = 'mine'\nvelocity = [0, 0, 1]\n";
        let part = "format = 'other'\n[parameters]\nx = 1\ny = 3\n[[body]]\nname = 'theirs'\n";
        let json = taken(main, &[("dir/a.toml", part)]).unwrap().to_json();
        assert_eq!(json["parameters"], serde_json::json!({ "x": 2, "y": 3 }));
        assert_eq!(json["body"][0]["name"], "theirs");
        assert_eq!(json["body"][1]["velocity"], serde_json::json!([0, 0, 1]));
        assert!(json.get("include").is_none() && json.get("format").is_none());
    }

    #[test]
    fn files_are_beside_those_that_include_them_and_errors_name_them() {
        let files =
            [("dir/sub/a.toml", "include = ['b.toml']\n"), ("dir/sub/b.toml", "[scene]\nname = 'b'\n")];
        let tree = taken("include = ['sub/a.toml']\n", &files).unwrap();
        let origin = &tree.get("scene").unwrap().get("name").unwrap().origin;
        assert_eq!(origin.place("main", "").to_string(), "dir/sub/b.toml:2:8");
        let gone = taken("\ninclude = ['gone.toml']\n", &[]).unwrap_err().to_string();
        assert!(gone.starts_with("main:2:12: `gone.toml`: there is no such file"), "{gone}");
        let bad = taken("include = ['a.toml']\n", &[("dir/a.toml", "x = = 1")]).unwrap_err().to_string();
        assert!(bad.starts_with("dir/a.toml:1:"), "{bad}");
    }

    #[test]
    fn circles_end() {
        let circle = taken("include = ['a.toml']\n", &[("dir/a.toml", "include = ['a.toml']\n")]);
        assert!(circle.unwrap_err().to_string().contains("circle"));
    }
}
