//! A recording in the viewer, and as one file that needs none.

mod common;

use common::{Page, Server, get};
use flate2::read::GzDecoder;
use pliant_scene::recording::{FrameWriter, Recording};
use pliant_scene::{Run, Scene};
use pliant_testkit::TempFolder;
use pliant_viewer::{Options, Viewer, write_shared};
use serde_json::Value;
use std::io::Read;
use std::path::PathBuf;

/// A folder with the recording of three steps; it is removed at the end.
struct Folder(TempFolder);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Folder(TempFolder::new(name));
        let mut run = Run::new(Scene::load("drop").expect("read").build().expect("built")).expect("run");
        let mut writer = FrameWriter::create(&folder.frames(), &run).expect("a file");
        for _ in 0..3 {
            run.step().expect("a step");
            writer.frame(&run).expect("a frame");
        }
        writer.finish().expect("finished");
        folder
    }

    fn frames(&self) -> PathBuf {
        self.0.join("frames.bin")
    }
}

#[test]
fn a_recording_is_served_in_parts() {
    let folder = Folder::new("parts");
    let server = Server::of_recording(folder.0.path());
    assert_eq!(Page::open(&server).hello["mode"], "recording");
    let file = std::fs::read(folder.frames()).expect("the file");
    let (status, _, head) = get(&server, "/recording/head");
    assert_eq!((status, &head[..]), (200, &file[..head.len()]));
    let (status, _, index) = get(&server, "/recording/index");
    let index: Value = serde_json::from_slice(&index).expect("JSON");
    assert_eq!((status, &index["frames"], &index["complete"]), (200, &3.into(), &true.into()));
    let (status, _, frame) = get(&server, "/recording/frame/1");
    let size = index["bytes"][1].as_u64().expect("a number") as usize;
    let start = head.len() + 4 + index["bytes"][0].as_u64().expect("a number") as usize + 4;
    assert_eq!((status, &frame[..]), (200, &file[start..start + size]));
    for path in ["/recording/frame/3", "/recording/frame/-1", "/recording/frame/x", "/state.bin"] {
        assert!(matches!(get(&server, path).0, 400 | 404), "{path}");
    }
}

#[test]
fn a_recording_grows_while_its_run_goes_on() {
    let folder = Folder::new("grows");
    let whole = std::fs::read(folder.frames()).expect("the file");
    let mut going_on = whole.clone();
    going_on[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    std::fs::write(folder.frames(), &going_on[..going_on.len() - 100]).expect("written");
    let server = Server::of_recording(folder.0.path());
    let index = || -> Value { serde_json::from_slice(&get(&server, "/recording/index").2).expect("JSON") };
    assert_eq!((&index()["frames"], &index()["complete"]), (&2.into(), &false.into()));
    std::fs::write(folder.frames(), &whole).expect("written");
    assert_eq!((&index()["frames"], &index()["complete"]), (&3.into(), &true.into()));
    assert_eq!(get(&server, "/recording/frame/2").0, 200);
}

#[test]
fn a_folder_without_a_recording_is_refused() {
    let folder = Folder::new("without");
    std::fs::write(folder.frames(), b"PLIANTFR but no more").expect("written");
    let error = Viewer::of_recording(folder.0.path(), Options::default()).expect_err("refused").to_string();
    assert!(error.contains("frames.bin"), "{error}");
    std::fs::remove_file(folder.frames()).expect("removed");
    assert!(Viewer::of_recording(folder.0.path(), Options::default()).is_err());
}

#[test]
fn a_shared_file_has_everything_in_it() {
    let folder = Folder::new("shared");
    let out = folder.0.join("shared.html");
    write_shared(&folder.frames(), &out).expect("written");
    let html = std::fs::read_to_string(&out).expect("text");
    assert!(!html.contains("src=\"") && !html.contains("<link rel=\"stylesheet\""), "nothing is loaded");
    let (_, rest) = html.split_once("id=\"recording\" data-encoding=\"gzip\">").expect("the recording");
    let (data, rest) = rest.split_once("</script>").expect("its end");
    assert!(rest.contains("<script type=\"module\">") && rest.trim_end().ends_with("</html>"));
    assert_eq!(html.matches("</script>").count(), 2, "no text ends a script early");
    let packed = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data).expect("base64");
    let mut file = Vec::new();
    GzDecoder::new(&packed[..]).read_to_end(&mut file).expect("gzip");
    let copy = folder.0.join("copy.bin");
    std::fs::write(&copy, &file).expect("written");
    assert_eq!(file, std::fs::read(folder.frames()).expect("the file"));
    assert_eq!(Recording::open(&copy).expect("a recording").frames(), 3);
}
