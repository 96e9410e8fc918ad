//! No bytes, and no change of a good scene, may panic or take long. A long run, here of half an hour:
//! `FUZZ_SECONDS=1800 cargo test --release -p pliant-scene --test all changed_scenes -- --nocapture`.

use pliant_scene::{Scene, builtin};
use pliant_testkit::fuzz::{Random, damage, for_a_while};
use proptest::prelude::*;

/// Reads and checks a text as a scene, as far as it goes; large meshes are not built.
fn digest(text: &str) {
    if let Ok(scene) = Scene::parse("fuzz", text) {
        match scene.build() {
            Ok(setup) => assert!(setup.steps > 0),
            Err(e) => {
                assert!(!e.problems.is_empty() && e.to_string().lines().count() == e.problems.len(), "{e}")
            }
        }
    }
}

fn scene_text() -> impl Strategy<Value = String> {
    // Scenes with small meshes: the point is the reader, not the generators.
    prop::sample::select(vec!["cantilever", "free_fall", "patch_test", "spinning_body"])
        .prop_map(|name| builtin::text(name).unwrap().to_string())
}

const TOKENS: &[&str] = &[
    "-1",
    "0",
    "nan",
    "inf",
    "1e400",
    "9223372036854775807",
    "\"\"",
    "\"$youngs\"",
    "\"-$material\"",
    "[]",
    "[1, 2, 3]",
    "{}",
    "true",
    "1979-05-27",
    "[[",
    "]]",
    "=",
    "\"",
    ".",
    "\u{0}",
    "é",
    "kind",
    "mesh",
    "{ kind = \"ball\", radius = 1, cells = 3 }",
    "# ",
    "\n",
    "'''",
];

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        digest(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_bytes_after_a_good_head(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        digest(&format!("format = \"pliant-scene\"\nversion = 1\n{}", String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn a_token_put_anywhere(text in scene_text(), at in any::<prop::sample::Index>(), token in prop::sample::select(TOKENS)) {
        let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        let at = starts[at.index(starts.len())];
        digest(&format!("{}{token}{}", &text[..at], &text[at..]));
    }

    #[test]
    fn a_value_replaced(text in scene_text(), line in any::<prop::sample::Index>(), token in prop::sample::select(TOKENS)) {
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        let at = line.index(lines.len());
        if let Some((key, _)) = lines[at].clone().split_once('=') {
            lines[at] = format!("{key}= {token}");
        }
        digest(&lines.join("\n"));
    }

    #[test]
    fn a_piece_cut_out(text in scene_text(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        let (a, b) = (starts[a.index(starts.len())], starts[b.index(starts.len())]);
        digest(&format!("{}{}", &text[..a.min(b)], &text[a.max(b)..]));
    }

    #[test]
    fn anything_set(path in "[a-z0-9._]{0,24}", value in "\\PC{0,24}") {
        let mut scene = Scene::load("free_fall").unwrap();
        if scene.set(&path, &value).is_ok() {
            let _ = scene.build();
        }
    }

    #[test]
    fn known_paths_set(
        path in prop::sample::select(vec![
            "body.0.mesh", "body.mesh.cells", "body.block.material", "scene.dt", "scene.duration", "solver.kind",
            "youngs", "material", "probe.0.axis", "expect.0.what", "body.0.velocity", "body.0.transform",
        ]),
        value in prop::sample::select(TOKENS),
    ) {
        let mut scene = Scene::load("free_fall").unwrap();
        if scene.set(path, value).is_ok() {
            let _ = scene.build();
        }
    }
}

/// Lines of one scene in another, tokens for values, keys of other lines, damaged bytes: several at a time.
fn mutate(texts: &[&str], random: &mut Random) -> String {
    let mut lines: Vec<String> = random.pick(texts).lines().map(str::to_string).collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(lines.len());
        let other: Vec<&str> = random.pick(texts).lines().collect();
        let token = *random.pick(TOKENS);
        let value = |line: &str| line.split_once('=').map(|(_, value)| value.to_string());
        let key = lines[at].split_once('=').map(|(key, _)| key.to_string());
        match (random.below(6), key) {
            (0, Some(key)) => lines[at] = format!("{key}= {token}"),
            (1, Some(key)) => {
                let line: &str = other[random.below(other.len())];
                lines[at] = format!("{key}={}", value(line).unwrap_or_default());
            }
            (2, _) => lines.insert(at, (*random.pick(&other)).to_string()),
            (3, _) => {
                lines.remove(at);
            }
            (4, _) => {
                let end = lines.len().min(at + random.below(12));
                let part = lines[at..end].to_vec();
                lines.splice(at..at, part);
            }
            _ => {
                let mut bytes = std::mem::take(&mut lines[at]).into_bytes();
                damage(&mut bytes, random);
                lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

#[test]
fn changed_scenes() {
    // The point is the reader, not the mesher, which may have honest work for minutes.
    let is_small = |name: &&str| builtin::size(name).is_some_and(|(_, elements)| elements < 4000);
    let is_made = |text: &&str| !text.contains("kind = \"body\"") && !text.contains("kind = \"shape\"");
    let texts = builtin::names().filter(is_small).filter_map(builtin::text);
    let texts: Vec<&str> = texts.filter(is_made).collect();
    for_a_while("scenes", 40, |random| {
        let text = mutate(&texts, random);
        if std::env::var("FUZZ_SHOW").is_ok() {
            println!("{text}");
        }
        digest(&text);
    });
}
