//! `pliant render`: which files it writes, and what it says where something is missing.

use crate::support::{Scratch, err};
use std::process::Command;

/// A block that falls.
const SCENE: &str = r#"
format = "pliant-scene"
version = 1

[scene]
name = "falling"
duration = 0.1

[[body]]
mesh = { kind = "block", size = [0.3, 0.3, 0.3], cells = [2, 2, 2] }
material = { kind = "arap", youngs = 1e4, poisson = 0.3 }
"#;

#[test]
fn without_ffmpeg_there_is_a_gif_and_a_note() {
    let s = Scratch::new("no-ffmpeg");
    s.file("falling.toml", SCENE);
    assert_eq!(s.pliant(&["run", "falling.toml", "--out", "d", "--quiet"]).status.code(), Some(0));
    let o = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["render", "d", "-o", "film.mp4", "--size", "64x48"])
        .env("PATH", "")
        .current_dir(&s.0)
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    assert!(err(&o).contains("ffmpeg was not found") && err(&o).contains("film.gif"), "{}", err(&o));
    assert!(s.0.join("film.gif").is_file() && !s.0.join("film.mp4").exists());
}

#[test]
fn a_page_to_share_and_bad_options() {
    let s = Scratch::new("shared");
    s.file("falling.toml", SCENE);
    assert_eq!(s.pliant(&["run", "falling.toml", "--out", "d", "--quiet"]).status.code(), Some(0));
    let o = s.pliant(&["render", "d", "-o", "page.html"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let page = std::fs::read_to_string(s.0.join("page.html")).unwrap();
    assert!(page.contains("id=\"recording\"") && page.ends_with("</html>\n"));
    for bad in [["--color", "heat"], ["--show", "everything"], ["--range", "0,1"]] {
        let o = s.pliant(&[&["render", "d", "-o", "a.png"], &bad[..]].concat());
        assert_eq!(o.status.code(), Some(2), "{bad:?}: {}", err(&o));
    }
    std::fs::create_dir(s.0.join("empty")).unwrap();
    let o = s.pliant(&["view", "empty", "--no-open"]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
    assert!(err(&o).contains("there is no recording here"), "{}", err(&o));
}
