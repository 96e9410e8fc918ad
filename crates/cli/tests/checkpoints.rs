//! Runs that are killed, interrupted or out of room, and resumed: the end is that of a run that was left alone.

use crate::support::{Scratch, err, json, out};
use serde_json::Value;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Several bodies that fall on each other, and a ball that runs into them; long enough to be killed in.
const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "heap"
duration = 0.6
dt = 0.01

[[body]]
name = "low"
mesh = { kind = "block", size = [0.3, 0.2, 0.1], cells = [6, 4, 2] }
transform = { translate = [0, 0, 0.01] }
density = 800
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.4 }

[[body]]
name = "high"
mesh = { kind = "ball", radius = 0.08, cells = 3 }
transform = { translate = [0.02, 0.1, 0.3] }
density = 600
material = { kind = "corotational", youngs = 5e4, poisson = 0.3 }
friction = 0.3

[[body]]
name = "cloth"
mesh = { kind = "cloth", size = [0.3, 0.3], cells = [8, 8] }
transform = { translate = [-0.1, -0.05, 0.45] }
density = 300
thickness = 0.002
material = { kind = "arap", youngs = 1e5, poisson = 0.3 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }

[[obstacle]]
name = "hammer"
shape = { kind = "sphere", radius = 0.1 }
transform = { translate = [-0.6, 0.1, 0.1] }
motion = { kind = "velocity", velocity = [0.5, 0, 0] }

[[probe]]
name = "place"
what = "center"
body = "high"

[[probe]]
name = "push"
what = "contact_force"
body = "low"
"#;

const SAVED: [&str; 6] = ["--every", "3", "--checkpoint-every", "4", "--export", "obj,npz"];

impl Scratch {
    /// The run as it is when nothing happens to it.
    fn undisturbed(&self) -> Value {
        self.file("heap.toml", SCENE);
        let o = self.pliant(&[
            "run",
            "heap.toml",
            "--out",
            "whole",
            "--every",
            "3",
            "--export",
            "obj,npz",
            "--json",
        ]);
        assert_eq!(o.status.code(), Some(0), "{}", err(&o));
        json(&o)
    }

    fn spawn(&self, arguments: &[&str]) -> std::process::Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        let silent =
            command.args(arguments).current_dir(&self.0).stdout(Stdio::null()).stderr(Stdio::piped());
        silent.spawn().unwrap()
    }

    /// Waits until a run has something to resume from.
    fn wait_for_checkpoint(&self, directory: &str) {
        while !self.0.join(directory).join("checkpoint.bin").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Makes a run look as if it had been killed right before its end.
    fn forget_the_end(&self, directory: &str) {
        std::fs::remove_file(self.0.join(directory).join("report.json")).unwrap();
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.0.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// All that a resumed run must have in common with one that was left alone.
    fn is_alike(&self, directory: &str, resumed: &Output, whole: &Value) {
        assert_eq!(resumed.status.code(), Some(0), "{}", err(resumed));
        let report = json(resumed);
        for key in ["state_hash", "steps", "probes", "contacts", "residual", "bodies", "contact_pairs", "ok"]
        {
            assert_eq!(report[key], whole[key], "{key}");
        }
        for file in ["frames.bin", "state.bin"] {
            let (a, b) = (self.bytes(&format!("{directory}/{file}")), self.bytes(&format!("whole/{file}")));
            assert!(a == b, "{file} differs");
        }
        for entry in std::fs::read_dir(self.0.join("whole/obj")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let file = |directory: &str| self.bytes(&format!("{directory}/obj/{name}"));
            assert!(file(directory) == file("whole"), "{name} differs");
        }
        assert!(!self.0.join(directory).join("checkpoint.bin.new").exists());
    }
}

#[test]
fn a_killed_run_resumes_as_if_nothing_had_happened() {
    let s = Scratch::new("killed");
    let whole = s.undisturbed();
    for (i, pause) in [0, 20, 70].into_iter().enumerate() {
        let directory = format!("killed{i}");
        let mut child = s.spawn(&[&["run", "heap.toml", "--out", &directory], &SAVED[..]].concat());
        s.wait_for_checkpoint(&directory);
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
        let threads = ["1", "2"][i % 2];
        let resumed = s.pliant(&["resume", &directory, "--json", "--threads", threads]);
        s.is_alike(&directory, &resumed, &whole);
        assert!(
            String::from_utf8(s.bytes(&format!("{directory}/log.txt")))
                .unwrap()
                .starts_with("resumed after step")
        );
    }
    // A run that has ended is left alone.
    let again = s.pliant(&["resume", "killed0/checkpoint.bin", "--json"]);
    s.is_alike("killed0", &again, &whole);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_saves_itself_and_says_how_to_resume() {
    let s = Scratch::new("interrupted");
    let whole = s.undisturbed();
    let more = ["--every", "3", "--checkpoint-every", "1000000", "--export", "obj,npz"];
    let child = s.spawn(&[&["run", "heap.toml", "--out", "stopped"], &more[..]].concat());
    s.wait_for_checkpoint("stopped");
    std::thread::sleep(Duration::from_millis(30));
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let output = child.wait_with_output().unwrap();
    if output.status.code() == Some(130) {
        assert!(err(&output).contains("pliant resume stopped"), "{}", err(&output));
        let resumed = s.pliant(&["resume", "stopped"]);
        assert!(out(&resumed).starts_with("resuming after step"), "{}", out(&resumed));
    }
    let resumed = s.pliant(&["resume", "stopped", "--json"]);
    s.is_alike("stopped", &resumed, &whole);
}

#[cfg(unix)]
#[test]
fn without_room_the_last_checkpoint_stays_whole_and_the_run_continues() {
    let s = Scratch::new("room");
    let run = "\"$0\" run drop --variant n12 --steps 30 --every 1000 --out full --checkpoint-every 5 --quiet";
    // Files up to 240 kB: the checkpoint before the first step is smaller, all others are larger.
    let script = format!("trap '' XFSZ; ulimit -f 470; {run}");
    let limited = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_pliant")]).current_dir(&s.0).output().unwrap()
    };
    let o = limited(&script);
    let text = err(&o);
    assert!(
        text.contains("no checkpoint at step 5 (") && text.contains("no checkpoint at step 25 ("),
        "{text}"
    );
    assert!(text.contains("the checkpoint of step 0 stays whole"), "{text}");
    assert_eq!(o.status.code(), Some(0), "{text}");
    let hash = |o: &Output| json(o)["state_hash"].clone();
    s.forget_the_end("full");
    let whole = s.pliant(&["run", "drop", "--variant", "n12", "--steps", "30", "--json"]);
    assert_eq!(hash(&s.pliant(&["resume", "full", "--json"])), hash(&whole));
}

#[test]
fn what_cannot_be_resumed_is_refused_in_one_line() {
    let s = Scratch::new("refused");
    s.file("heap.toml", SCENE);
    let run = ["run", "heap.toml", "--steps", "6", "--quiet", "--out", "d"];
    assert_eq!(s.pliant(&[&run[..], &SAVED[..4]].concat()).status.code(), Some(0));
    let refused = |name: &str, why: &str| {
        let o = s.pliant(&["resume", name]);
        let text = err(&o);
        assert_eq!(o.status.code(), Some(2), "{text}");
        assert!(text.contains(why) && text.lines().count() == 1 && out(&o).is_empty(), "{text}");
    };
    let whole = s.bytes("d/checkpoint.bin");
    let changed = |at: usize, by: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= by;
        std::fs::write(s.0.join("d/checkpoint.bin"), bytes).unwrap();
    };
    refused("gone", "no checkpoint here");
    refused("heap.toml", "not a checkpoint");
    changed(8, 4);
    refused("d", "has format 5");
    changed(whole.len() / 2, 1);
    refused("d", "damaged");
    changed(0, 0);
    std::fs::write(s.0.join("d/checkpoint.bin"), &whole[..whole.len() - 1]).unwrap();
    refused("d/checkpoint.bin", "cut off");
    changed(0, 0);
    s.forget_the_end("d");
    let frames = s.bytes("d/frames.bin");
    s.file("d/frames.bin", "short");
    refused("d", "the recording has 5 bytes");
    std::fs::write(s.0.join("d/frames.bin"), [&frames[..60], &[7; 4], &frames[64..]].concat()).unwrap();
    refused("d", "recording of another run");
    std::fs::write(s.0.join("d/frames.bin"), frames).unwrap();
    assert_eq!(s.pliant(&["resume", "d", "--quiet"]).status.code(), Some(0));
    // A run without checkpoints in the same place leaves nothing of the old one to resume.
    assert_eq!(s.pliant(&run).status.code(), Some(0));
    refused("d", "no checkpoint here");
}
