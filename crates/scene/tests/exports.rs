//! Files for other programs: what is in them, that they continue after a stop, and tables.

use pliant::BodyId;
use pliant_mesh::Mesh;
use pliant_mesh_io::read_contents;
use pliant_scene::exporting::{Colors, Exporter, Format};
use pliant_scene::{Run, Scene, Tables};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const SCENE: &str = r#"
format = "pliant-scene"
version = 1
[scene]
name = "two \"blocks\""
duration = 0.1
dt = 0.01
[[body]]
name = "lower, soft"
mesh = { kind = "block", size = [0.2, 0.2, 0.1], cells = [2, 2, 1] }
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }
[[body]]
name = "cloth"
mesh = { kind = "cloth", size = [0.2, 0.2], cells = 3 }
transform = { translate = [0.1, 0.1, 0.11] }
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }
[[obstacle]]
name = "ground"
shape = { kind = "plane" }
[[obstacle]]
name = "cloth"
shape = { kind = "sphere", radius = 0.02 }
transform = { translate = [0.5, 0, 0] }
motion = { kind = "velocity", velocity = [0, 1, 0] }
[[pin]]
name = "held"
body = "cloth"
select = { index = [0] }
[[probe]]
name = "top"
what = "center"
body = "cloth"
"#;

/// A directory that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pliant-exports-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// All files below it with their bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>, root: &Path) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(&path, files, root);
                } else {
                    files.insert(path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        collect(&self.0, &mut files, &self.0);
        files
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn start() -> Run {
    Run::new(Scene::parse("two.toml", SCENE).unwrap().build().unwrap()).unwrap()
}

/// Runs to the end with a frame after every second step, and tables.
fn export(run: &mut Run, exporter: &mut Exporter, tables: &mut Tables) {
    while !run.is_done() {
        run.step().unwrap();
        tables.step(run).unwrap();
        if run.steps_taken().is_multiple_of(2) {
            exporter.frame(run).unwrap();
            tables.frame(run).unwrap();
        }
    }
}

/// A whole run in all formats.
fn exported(folder: &Folder) -> Run {
    let mut run = start();
    let mut exporter = Exporter::create(&folder.0, &Format::ALL, &run).unwrap();
    let mut tables = Tables::create(&folder.0, &run).unwrap();
    exporter.frame(&run).unwrap();
    export(&mut run, &mut exporter, &mut tables);
    assert!(exporter.finish(&run, &Colors::default()).unwrap().is_empty());
    run
}

#[test]
fn nothing_but_whole_files_is_left() {
    let folder = Folder::new("whole");
    exported(&folder);
    let names: Vec<String> = folder.files().keys().map(|p| p.display().to_string()).collect();
    assert!(names.iter().all(|name| !name.contains(".part")), "{names:?}");
    for file in ["gltf/scene.glb", "usd/scene.usda", "npz/scene.npz", "vtu/scene.pvd", "probes.csv"] {
        assert!(names.iter().any(|name| name == file), "{file} in {names:?}");
    }
    assert_eq!(names.iter().filter(|name| name.ends_with(".obj")).count(), 12);
}

/// A run that was killed after its fourth frame and resumed from its second leaves the same bytes.
#[test]
fn exports_go_on_as_if_never_stopped() {
    let (whole, cut) = (Folder::new("never"), Folder::new("stopped"));
    exported(&whole);
    let mut killed = start();
    let mut exporter = Exporter::create(&cut.0, &Format::ALL, &killed).unwrap();
    let mut tables = Tables::create(&cut.0, &killed).unwrap();
    exporter.frame(&killed).unwrap();
    killed.limit_steps(7);
    export(&mut killed, &mut exporter, &mut tables);
    drop((exporter, tables));
    assert!(!cut.0.join("npz/scene.npz").exists());
    let mut again = start();
    again.limit_steps(3);
    while !again.is_done() {
        again.step().unwrap();
    }
    again.limit_steps(10);
    let mut exporter = Exporter::resume(&cut.0, &Format::ALL, &again, 2).unwrap();
    let mut tables = Tables::resume(&cut.0, 3).unwrap();
    export(&mut again, &mut exporter, &mut tables);
    exporter.finish(&again, &Colors::default()).unwrap();
    let (whole, cut) = (whole.files(), cut.files());
    assert_eq!(whole.keys().collect::<Vec<_>>(), cut.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(cut[name] == *bytes, "{} differs", name.display());
    }
}

#[test]
fn going_on_without_the_frames_before_is_refused() {
    let folder = Folder::new("refused");
    let run = start();
    for format in [Format::Vtu, Format::Npz] {
        let error = Exporter::resume(&folder.0, &[format], &run, 3).unwrap_err().to_string();
        assert!(
            error.contains("entries") || error.contains("from the start") || error.contains("No such"),
            "{error}"
        );
    }
}

/// A run that is shorter than the one before, and killed, does not leave frames of that one.
#[test]
fn a_new_run_removes_the_exports_of_the_last() {
    let folder = Folder::new("again");
    exported(&folder);
    let run = start();
    let mut exporter = Exporter::create(&folder.0, &Format::ALL, &run).unwrap();
    exporter.frame(&run).unwrap();
    let names: Vec<String> = folder.files().keys().map(|p| p.display().to_string()).collect();
    assert!(!names.iter().any(|name| name.contains("_000001") || name.ends_with(".glb")), "{names:?}");
    assert!(names.iter().any(|name| name == "obj/0_lower__soft_000000.obj"), "{names:?}");
}

/// The mesh of a GLB without its animation is the start.
#[test]
fn a_glb_shows_the_start() {
    let folder = Folder::new("glb");
    let run = exported(&folder);
    let glb = read_contents(&folder.0.join("gltf/scene.glb")).unwrap();
    let Mesh::Tri(mesh) = glb.mesh else { panic!() };
    // Ground of 2, ball of 64 x 32 x 2 (with its waist twice), block of 2 x (4 + 2 + 2) x 2, cloth of 3 x 3 x 4.
    assert_eq!(mesh.triangles.len(), 2 + 4224 + 32 + 36);
    let lowest = |k: usize| mesh.vertices.iter().map(|v| v[k]).fold(f64::INFINITY, f64::min);
    // The ball is at z = 0, which is y of the file.
    assert!((lowest(1) + 0.02).abs() < 1e-6, "{}", lowest(1));
    let top = mesh.vertices.iter().map(|v| v.y).fold(0.0, f64::max);
    let start = run.setup().model.bodies[1].mesh.vertices().iter().map(|v| v.z).fold(0.0, f64::max);
    assert!((top - start).abs() < 1e-6, "{top} {start}");
}

/// The JSON of a GLB.
fn glb_document(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes.len(), u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize);
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// No mesh has more morph targets than browsers can hold; each piece is seen in its own time only.
#[test]
fn a_long_film_is_cut_into_pieces() {
    let folder = Folder::new("pieces");
    let mut run = start();
    run.limit_steps(150);
    let mut exporter = Exporter::create(&folder.0, &[Format::Gltf], &run).unwrap();
    exporter.frame(&run).unwrap();
    while !run.is_done() {
        run.step().unwrap();
        exporter.frame(&run).unwrap();
    }
    exporter.finish(&run, &Colors::default()).unwrap();
    let document = glb_document(&folder.0.join("gltf/scene.glb"));
    let list = |key: &str| document[key].as_array().unwrap().clone();
    let targets: Vec<(String, usize)> = list("meshes")
        .iter()
        .filter_map(|m| Some((m["name"].as_str()?.to_string(), m["weights"].as_array()?.len())))
        .collect();
    let want = [
        ("lower, soft part 1", 128),
        ("lower, soft part 2", 22),
        ("cloth part 1", 128),
        ("cloth part 2", 22),
    ];
    assert_eq!(targets, want.map(|(name, count)| (name.to_string(), count)));
    // The size of the two pieces of the first body: 1 from 0 to 1.28 s, and from then on.
    let (animation, accessors) = (&document["animations"][0], list("accessors"));
    let sizes: Vec<(f64, f64, u64)> = animation["channels"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["target"]["path"] == "scale")
        .map(|c| {
            let sampler = &animation["samplers"][c["sampler"].as_u64().unwrap() as usize];
            assert_eq!(sampler["interpolation"], "STEP");
            let input = &accessors[sampler["input"].as_u64().unwrap() as usize];
            let time = |key: &str| (100.0 * input[key][0].as_f64().unwrap()).round();
            (time("min"), time("max"), input["count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(sizes, [(0.0, 128.0, 2); 4]);
    let hidden = list("nodes").iter().filter(|n| n["scale"] == serde_json::json!([0.0, 0.0, 0.0])).count();
    assert_eq!(hidden, 2);
}

#[test]
fn a_usd_file_has_every_frame_of_every_body() {
    let folder = Folder::new("usd");
    exported(&folder);
    let text = folder.text("usd/scene.usda");
    assert!(text.contains("doc = \"two \\\"blocks\\\", simulated"));
    assert!(
        text.contains("timeCodesPerSecond = 50\n") && text.contains("endTimeCode = 5\n"),
        "{}",
        &text[..400]
    );
    for prim in
        ["def Mesh \"lower__soft\"", "def Mesh \"cloth\"", "def Mesh \"ground\"", "def Mesh \"cloth_2\""]
    {
        assert_eq!(text.matches(prim).count(), 1, "{prim}");
    }
    assert!(text.contains("string name = \"lower, soft\""));
    // Points, velocities and extents of two bodies, and where the ball is.
    assert_eq!(text.matches("            5: ").count(), 2 * 3 + 1);
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn tables_have_a_row_for_each_step_or_frame() {
    let folder = Folder::new("tables");
    let run = exported(&folder);
    let probes = folder.text("probes.csv");
    let rows: Vec<&str> = probes.lines().collect();
    assert_eq!(rows[0], "step,time [s],top.x [m],top.y [m],top.z [m]");
    assert_eq!(rows.len(), 12);
    let last: Vec<f64> = rows[11].split(',').map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(last[..2], [10.0, 0.1]);
    assert_eq!(last[2..], *run.probes()[0].last());

    let energies = folder.text("energies.csv");
    assert!(energies.starts_with("step,time [s],\"lower, soft.kinetic [J]\","), "{energies}");
    assert_eq!(energies.lines().count(), 7);
    let last: Vec<f64> = energies.lines().last().unwrap().split(',').map(|c| c.parse().unwrap()).collect();
    assert!((last[2] + last[5] - last[8]).abs() <= 1e-15 * last[8].abs());
    assert!((last[8] + last[9] + last[10] - last[11]).abs() < 1e-12);
    assert_eq!(last[2], run.world().motion(BodyId(0)).kinetic_energy);

    let forces = folder.text("forces.csv");
    let reaction = run.world().reaction(pliant::PinId(0)).z;
    let pin = forces.lines().last().unwrap();
    assert!(
        pin.starts_with("10,0.1,pin,cloth,held,,") && pin.ends_with(&format!(",{reaction:?},,,,")),
        "{pin}"
    );
    assert!(forces.contains(",contact,\"lower, soft\",ground,"), "{forces}");
}

#[test]
fn formats_are_known_by_name() {
    assert_eq!("usd".parse::<Format>(), Ok(Format::Usd));
    assert!("gltff".parse::<Format>().unwrap_err().to_string().contains("`gltf`"));
    assert!("csv".parse::<Format>().unwrap_err().to_string().contains("probes.csv"));
}
