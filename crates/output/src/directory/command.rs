//! The command that repeats a run.

use pliant_scene::{Run, Scene};

/// The scene's text, preceded by how it was changed.
pub(super) fn annotated_scene(scene: &Scene) -> String {
    // The text of an override cannot end the comment.
    format!("# {}\n{}", command_of(scene).replace(['\n', '\r'], " "), scene.text())
}

/// The command that repeats a run, its length included.
pub(super) fn full_command(scene: &Scene, run: &Run) -> String {
    let command = command_of(scene);
    if run.is_full_length() { command } else { format!("{command} --steps {}", run.steps()) }
}

/// The command that runs a scene with its changes.
pub fn command_of(scene: &Scene) -> String {
    let mut words = vec!["pliant".to_string(), "run".to_string(), scene.label().to_string()];
    let mut option = |name: &str, value: &str| words.extend([name.to_string(), value.to_string()]);
    if let Some(variant) = scene.variant() {
        option("--variant", variant);
    }
    if let Some(solver) = scene.chosen_solver() {
        option("--solver", solver);
    }
    for (path, value) in scene.overrides() {
        option("--set", &format!("{path}={value}"));
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:+@".contains(c);
    if word.chars().all(plain) && !word.is_empty() {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let mut scene = Scene::load("drop").unwrap();
        scene.set("body.0.name", "it's").unwrap();
        scene.set("youngs", "2e5").unwrap();
        let command = command_of(&scene);
        assert_eq!(command, r"pliant run drop --variant n6 --set 'body.0.name=it'\''s' --set youngs=2e5");
    }
}
