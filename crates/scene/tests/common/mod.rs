//! What several test files share.

use pliant_scene::Scene;

/// Expects that the scene has one problem after a replacement, at this place and with these words.
#[track_caller]
pub fn refused(scene: &str, (from, to): (&str, &str), place: &str, parts: &[&str]) {
    assert!(scene.contains(from), "the scene has no `{from}`");
    let text = scene.replacen(from, to, 1);
    let setup = Scene::parse("test.toml", &text).and_then(|s| s.build()).and_then(|s| s.world().map(|_| ()));
    let error = setup.unwrap_err();
    assert_eq!(error.problems.len(), 1, "{error}");
    let line = error.to_string();
    assert!(line.starts_with(place), "{line}");
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
}
