//! `pliant render`: what pictures show, and what is written where something is missing.

mod support;

use std::process::Command;
use support::{Scratch, err};

/// A block that rests on the ground, held at one side, seen from a place of its own in red light.
const SCENE: &str = r#"
format = "pliant-scene"
version = 1

[scene]
name = "pictures"
description = "A block on the ground"
duration = 0.1
settle = true
camera = { direction = [0, -1, 0.2], target = [0, 0, 0.1], distance = 1.5, field_of_view = 30 }

[[body]]
name = "block"
mesh = { kind = "block", size = [0.3, 0.3, 0.3], cells = [4, 4, 4] }
material = { kind = "arap", youngs = 1e4, poisson = 0.3 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }

[[pin]]
name = "side"
body = "block"
select = { group = "x_min" }
"#;

fn pixels(s: &Scratch, arguments: &[&str]) -> Vec<u8> {
    let o = s.pliant(&[&["render", "d", "-o", "a.png", "--size", "160x120"], arguments].concat());
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let file = std::io::BufReader::new(std::fs::File::open(s.0.join("a.png")).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Number of pixels that differ by more than a trace.
fn differing(a: &[u8], b: &[u8]) -> usize {
    let apart = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 8);
    a.chunks_exact(3).zip(b.chunks_exact(3)).filter(|pair| apart(*pair)).count()
}

#[test]
fn every_overlay_changes_the_picture_and_threads_do_not() {
    let s = Scratch::new("overlays");
    s.file("pictures.toml", SCENE);
    let o = s.pliant(&["run", "pictures.toml", "--out", "d", "--quiet"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let plain = pixels(&s, &[]);
    assert_eq!(plain, pixels(&s, &[]), "the same picture every time");
    let overlays: [&[&str]; 9] = [
        &["--color", "stress"],
        &["--color", "strain"],
        &["--color", "strain", "--range", "0,10"],
        &["--show", "contacts"],
        &["--show", "forces"],
        &["--show", "pins"],
        &["--show", "rest"],
        &["--show", "wireframe"],
        &["--wireframe"],
    ];
    let mut seen = vec![plain.clone()];
    for overlay in overlays {
        let picture = pixels(&s, overlay);
        let others = if overlay == ["--wireframe"] { &seen[..1] } else { &seen[..] };
        for other in others {
            assert!(differing(&picture, other) > 20, "{overlay:?}");
        }
        seen.push(picture);
    }
    // The camera and the lights are those of the scene.
    s.file("red.toml", &SCENE.replace("settle = true", "settle = true\nlights = [{ color = [1, 0, 0] }]"));
    s.file("near.toml", &SCENE.replace("distance = 1.5", "distance = 0.8"));
    for scene in ["red.toml", "near.toml"] {
        assert_eq!(s.pliant(&["run", scene, "--out", "d", "--quiet"]).status.code(), Some(0));
        assert!(differing(&pixels(&s, &[]), &plain) > 500, "{scene}");
    }
}

#[test]
fn without_ffmpeg_there_is_a_gif_and_a_note() {
    let s = Scratch::new("no-ffmpeg");
    s.file("pictures.toml", SCENE);
    assert_eq!(s.pliant(&["run", "pictures.toml", "--out", "d", "--quiet"]).status.code(), Some(0));
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
    s.file("pictures.toml", SCENE);
    assert_eq!(s.pliant(&["run", "pictures.toml", "--out", "d", "--quiet"]).status.code(), Some(0));
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
