//! The mesh tools from outside: what they print and write, and what they refuse.

use crate::support::{Scratch, err, json, out};
use pliant_mesh::{DVec3, Group, Mesh, TriMesh, block, cloth, sphere_surface};
use pliant_mesh_io::{formats, read_contents, write_mesh};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

impl Scratch {
    fn mesh(&self, name: &str, mesh: impl Into<Mesh>) {
        write_mesh(&self.0.join(name), &mesh.into(), None).unwrap();
    }

    /// Runs a mesh tool that must succeed and gives its JSON.
    #[track_caller]
    fn tool(&self, arguments: &[&str]) -> Value {
        let output = self.pliant(&[&["mesh"], arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", err(&output));
        assert_eq!(err(&output), "");
        json(&output)
    }

    /// Runs a mesh tool that must succeed and gives its text.
    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.pliant(&[&["mesh"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", err(&output));
        out(&output)
    }

    fn read(&self, name: &str) -> Mesh {
        read_contents(&self.0.join(name)).unwrap().mesh
    }
}

/// A cube with a hole, a doubled vertex, an unused one and a triangle that is turned.
fn broken_cube() -> TriMesh {
    let mut cube = block([1.0; 3], [3, 3, 3]).unwrap().surface();
    cube.groups.clear();
    cube.triangles.remove(20);
    cube.triangles[5].swap(0, 1);
    let doubled = cube.vertices.len() as u32;
    let v = cube.triangles[40][0];
    cube.vertices.push(cube.vertices[v as usize]);
    cube.triangles[40][0] = doubled;
    cube.vertices.push(DVec3::splat(0.5));
    cube
}

#[track_caller]
fn has_keys(value: &Value, pointers: &[&str]) {
    for pointer in pointers {
        assert!(value.pointer(pointer).is_some_and(|v| !v.is_null()), "{pointer} is not in {value:#}");
    }
}

#[test]
fn info_describes_a_volume() {
    let s = Scratch::new("info-tets");
    s.mesh("block.msh", block([1.0, 2.0, 3.0], [2, 4, 6]).unwrap());
    let report = s.tool(&["info", "block.msh"]);
    assert_eq!(
        (&report["kind"], &report["vertices"], &report["elements"]),
        (&"tet".into(), &105.into(), &288.into())
    );
    assert!((report["volume"].as_f64().unwrap() - 6.0).abs() < 1e-12);
    assert!((report["area"].as_f64().unwrap() - 22.0).abs() < 1e-12);
    assert_eq!(report["groups"].as_array().unwrap().len(), 6);
    assert_eq!(report["verdict"]["ready"], true);
    let keys = [
        "/format",
        "/notes",
        "/unit",
        "/bounds/1/2",
        "/angle_degrees/histogram/counts",
        "/radius_ratio/min_element",
    ];
    has_keys(&report, &keys);
    has_keys(
        &report,
        &["/rms_quality/mean", "/edge_length/max", "/components", "/defects/inverted_elements/count"],
    );
    let text = s.text(&["info", "block.msh"]);
    for part in [
        "Gmsh MSH 4.1",
        "105 vertices, 288 tets",
        "volume      6.000 m^3",
        "x_min: ",
        "dihedral angle",
        "####",
    ] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    assert!(
        text.contains("defects: none") && text.contains("verdict: ready to simulate as a solid"),
        "{text}"
    );
    assert!(text.contains("read as metres"), "{text}");
    // A body in millimetres.
    let small = s.tool(&["info", "block.msh", "--unit", "mm"]);
    assert!((small["volume"].as_f64().unwrap() - 6e-9).abs() < 1e-21);
    assert_eq!((&small["unit"], &small["metres_per_unit"]), (&"mm".into(), &0.001.into()));
}

#[test]
fn info_finds_defects_before_anything_is_tidied() {
    let s = Scratch::new("info-defects");
    s.mesh("cube.obj", broken_cube());
    let report = s.tool(&["info", "cube.obj", "--places", "2"]);
    let count = |kind: &str| report["defects"][kind]["count"].as_u64().unwrap();
    assert!(count("open_edges") > 3 && count("misoriented_edges") == 3, "{report:#}");
    assert_eq!((count("duplicate_vertices"), count("unused_vertices")), (1, 1));
    assert_eq!(report["defects"]["open_edges"]["first"].as_array().unwrap().len(), 2);
    let text = s.text(&["info", "cube.obj"]);
    for part in
        ["open edges", "misoriented edges", "at (0.5, 0.5, 0.5), vertex", "more", "pliant mesh repair"]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let mut folded = block([1.0; 3], [2, 2, 2]).unwrap();
    folded.tets[3].swap(0, 1);
    folded.vertices.push(DVec3::splat(9.0));
    s.mesh("folded.msh", folded);
    let report = s.tool(&["info", "folded.msh"]);
    assert_eq!(report["defects"]["inverted_elements"]["count"], 1);
    assert_eq!(report["defects"]["unused_vertices"]["first"][0]["at"], serde_json::json!([9.0, 9.0, 9.0]));
    s.mesh("sheet.obj", cloth([1.0, 1.0], 4).unwrap());
    let sheet = s.tool(&["info", "sheet.obj"]);
    assert!(sheet["verdict"]["summary"].as_str().unwrap().contains("open sheet"), "{sheet:#}");
    assert!(sheet["volume"].is_null());
}

#[test]
fn conversions_through_all_formats_keep_the_mesh() {
    let s = Scratch::new("chain");
    let tets = Mesh::Tet(block([1.0, 0.7, 0.3], [3, 2, 2]).unwrap());
    let triangles = Mesh::Tri(sphere_surface(1.0, 2).unwrap());
    for (mesh, start) in [(tets, "volume.msh"), (triangles, "surface.obj")] {
        s.mesh(start, mesh.clone());
        let mut last = start.to_string();
        for (i, format) in formats().filter(|f| f.volumes || matches!(mesh, Mesh::Tri(_))).enumerate() {
            let next = format!("{start}-{i}.{}", format.endings()[0]);
            let report = s.tool(&["convert", &last, &next, "--format", format.name]);
            assert_eq!(report["output"]["format"], format.name);
            assert!(report["output"]["bytes"].as_u64().unwrap() > 100, "{report:#}");
            let read = s.read(&next);
            let now = (read.vertices().len(), read.element_count());
            assert_eq!(now, (mesh.vertices().len(), mesh.element_count()), "{}", format.name);
            let info = s.tool(&["info", &next]);
            assert_eq!((&info["vertices"], &info["elements"]), (&now.0.into(), &now.1.into()));
            last = next;
        }
    }
}

#[test]
fn convert_tells_what_is_lost_and_keeps_the_input() {
    let s = Scratch::new("convert");
    s.mesh("block.msh", block([1.0; 3], [2, 2, 2]).unwrap());
    let report = s.tool(&["convert", "block.msh", "surface.stl", "--surface", "--unit", "in"]);
    has_keys(
        &report,
        &["/input/format", "/input/mesh/kind", "/output/file", "/output/mesh/elements", "/notes/0"],
    );
    assert_eq!(
        (&report["input"]["mesh"]["elements"], &report["output"]["mesh"]["elements"]),
        (&48.into(), &48.into())
    );
    let notes = report["notes"].to_string();
    for part in ["scaled from in to metres", "boundary of 48 tets", "single precision", "not kept"] {
        assert!(notes.contains(part), "`{part}` is not in {notes}");
    }
    let (_, high) = s.read("surface.stl").bounds();
    assert!((high[0] - 0.0254).abs() < 1e-8);
    let before = std::fs::read(s.0.join("block.msh")).unwrap();
    let same = s.pliant(&["mesh", "convert", "block.msh", "./block.msh"]);
    assert_eq!(same.status.code(), Some(2));
    assert!(err(&same).contains("overwrite the input") && err(&same).contains("--force"), "{}", err(&same));
    assert_eq!(std::fs::read(s.0.join("block.msh")).unwrap(), before);
    s.text(&["convert", "block.msh", "block.msh", "--force", "--format", "gmsh22-ascii"]);
    assert!(std::fs::read(s.0.join("block.msh")).unwrap().starts_with(b"$MeshFormat\n2.2 0"));
    // Writing one file of TetGen writes the others.
    s.text(&["convert", "block.msh", "block.node"]);
    let beside = s.pliant(&["mesh", "convert", "block.node", "block.ele"]);
    assert_eq!(beside.status.code(), Some(2), "{}", err(&beside));
    assert_eq!(s.text(&["convert", "block.msh", "quiet.off", "--surface", "--quiet"]), "");
}

#[test]
fn tetrahedralize_fills_a_surface_and_a_body() {
    let s = Scratch::new("fill");
    let mut sphere = sphere_surface(0.5, 3).unwrap();
    sphere.groups.insert("cap".into(), Group { vertices: vec![0, 1, 2], elements: vec![] });
    s.mesh("sphere.obj", sphere);
    let report = s.tool(&["tetrahedralize", "sphere.obj", "-o", "ball.msh", "--tets", "1000"]);
    let keys =
        ["/edge_m", "/quality/min", "/quality/mean", "/dihedral_degrees/min", "/deviation_m/mesh_to_input"];
    has_keys(&report, &keys);
    has_keys(
        &report,
        &["/deviation_m/input_to_mesh", "/deviation_of_edge", "/volume_ratio", "/time_s/mesh", "/notes"],
    );
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64).unwrap();
    assert!((number("/volume_ratio") - 1.0).abs() < 0.02, "{report:#}");
    assert!(number("/deviation_of_edge") < 0.5 && number("/quality/min") > 0.1, "{report:#}");
    assert!((600.0..1600.0).contains(&number("/output/mesh/elements")), "{report:#}");
    let Mesh::Tet(ball) = s.read("ball.msh") else { panic!("expected tets") };
    ball.validate().unwrap();
    assert!(ball.groups.contains_key("surface"));
    let fill = |more: &[&str]| s.tool(&[&["tetrahedralize", "sphere.obj", "-o", "b.msh"], more].concat());
    let coarse = fill(&["--edge", "0.25", "--coarsest", "1", "--no-features"]);
    assert!((coarse["edge_m"].as_f64().unwrap() - 0.25).abs() < 1e-12);
    let one = std::fs::read(s.0.join("b.msh")).unwrap();
    fill(&["--edge", "0.25", "--coarsest", "1", "--no-features", "--threads", "1"]);
    assert_eq!(std::fs::read(s.0.join("b.msh")).unwrap(), one, "the number of threads changed the mesh");
    let body =
        s.tool(&["tetrahedralize", "body:donut", "-o", "donut.msh", "--vertices", "300", "--size", "0.1"]);
    assert!(body["deviation_m"]["max"].as_f64().unwrap() < 0.02, "{body:#}");
    let (low, high) = s.read("donut.msh").bounds();
    assert!((0.09..0.11).contains(&(high[0] - low[0])));
    // A volume is filled anew.
    let again = s.tool(&["tetrahedralize", "ball.msh", "-o", "again.msh", "--tets", "500"]);
    assert!(again["notes"].to_string().contains("filled anew"), "{again:#}");
    let text = s.text(&["tetrahedralize", "sphere.obj", "-o", "b.msh", "--edge", "0.3"]);
    for part in ["edges", "angles", "quality", "distance", "of the edge", "volume", "time", "in all"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn repair_mends_and_tells() {
    let s = Scratch::new("repair");
    s.mesh("cube.obj", broken_cube());
    let report = s.tool(&["repair", "cube.obj", "-o", "mended.obj"]);
    has_keys(
        &report,
        &["/input/defects/open_edges", "/output/defects/open_edges", "/verdict/ready", "/notes"],
    );
    let kinds: BTreeSet<&str> =
        report["changes"].as_array().unwrap().iter().map(|c| c["kind"].as_str().unwrap()).collect();
    let wanted = ["holes_filled", "turned", "unused_dropped", "welded"];
    assert!(wanted.iter().all(|k| kinds.contains(k)), "{kinds:?}");
    assert!(report["output"]["defects"].as_object().unwrap().values().all(|n| n == 0), "{report:#}");
    let report = s.tool(&["info", "mended.obj"]);
    assert!((report["volume"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{report:#}");
    let text = s.text(&["repair", "cube.obj", "-o", "again.obj"]);
    for part in ["filled 1 hole", "welded 1 vertex", "before", "after", "verdict: ready"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let good = s.text(&["repair", "mended.obj", "-o", "again.obj"]);
    assert!(good.contains("nothing to change"), "{good}");
    let kept = s.tool(&["repair", "cube.obj", "-o", "open.obj", "--holes", "0"]);
    assert_eq!(kept["output"]["defects"]["open_edges"], 3, "{kept:#}");
}

#[test]
fn simplify_makes_a_surface_coarser() {
    let s = Scratch::new("simplify");
    s.mesh("sphere.obj", sphere_surface(1.0, 4).unwrap());
    let report = s.tool(&["simplify", "sphere.obj", "-o", "small.obj", "--triangles", "500"]);
    has_keys(
        &report,
        &[
            "/simplification/triangles_before",
            "/simplification/deviation",
            "/deviation_m/max",
            "/time_s/total",
        ],
    );
    assert_eq!(report["input"]["mesh"]["elements"], 5120);
    let triangles = report["output"]["mesh"]["elements"].as_u64().unwrap();
    assert!((400..=500).contains(&triangles), "{report:#}");
    assert!(report["deviation_m"]["max"].as_f64().unwrap() < 0.05, "{report:#}");
    assert_eq!(s.tool(&["info", "small.obj"])["closed"], true);
    let report = s.tool(&["simplify", "sphere.obj", "-o", "close.obj", "--error", "0.005"]);
    assert!(report["deviation_m"]["max"].as_f64().unwrap() <= 0.005, "{report:#}");
    assert!(report["output"]["mesh"]["elements"].as_u64().unwrap() < 5120);
    let text =
        s.text(&["simplify", "sphere.obj", "-o", "small.obj", "--triangles", "500", "--png", "small.png"]);
    assert!(text.contains("5120 to ") && text.contains("of the diagonal"), "{text}");
    assert_eq!(picture(&s.0.join("small.png")).0, 2 * 640);
}

#[test]
fn formats_are_listed() {
    let s = Scratch::new("formats");
    let list = json(&s.pliant(&["mesh", "formats", "--json"]));
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names, formats().map(|f| f.name).collect::<Vec<_>>());
    has_keys(&list, &["/0/about", "/0/endings/0", "/0/default", "/0/volumes"]);
    let text = out(&s.pliant(&["mesh", "formats"]));
    assert!(names.iter().all(|n| text.contains(n)), "{text}");
}

/// Size and colours of a picture: `(width, height, colours, share of white)`.
fn picture(path: &Path) -> (u32, u32, usize, f64) {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let colors: BTreeSet<&[u8]> = pixels.chunks_exact(3).collect();
    let white = pixels.chunks_exact(3).filter(|p| *p == [255; 3]).count();
    (info.width, info.height, colors.len(), white as f64 / f64::from(info.width * info.height))
}

#[test]
fn pictures_show_the_mesh() {
    let s = Scratch::new("pictures");
    s.mesh("block.msh", block([1.0, 2.0, 0.5], [3, 6, 2]).unwrap());
    s.mesh("cube.obj", broken_cube());
    s.text(&["info", "block.msh", "--png", "block.png"]);
    s.text(&["repair", "cube.obj", "-o", "mended.obj", "--png", "mended.png", "--up", "y"]);
    s.text(&["convert", "block.msh", "block.off", "--surface", "--png", "converted.png"]);
    s.text(&["tetrahedralize", "body:donut", "-o", "donut.msh", "--tets", "500", "--png", "donut.png"]);
    s.text(&["info", "cube.obj", "--png", "cube.png"]);
    for (name, panels) in [("block", 3), ("mended", 2), ("converted", 2), ("donut", 3), ("cube", 2)] {
        let (width, height, colors, white) = picture(&s.0.join(format!("{name}.png")));
        assert!(width == panels * 640 && (700..1200).contains(&height), "{name}: {width} x {height}");
        assert!(colors > 200 && (0.3..0.95).contains(&white), "{name}: {colors} colours, {white} white");
    }
}

/// Bad input: exit code 2, the cause in the first line, nothing on stdout, nothing written.
#[track_caller]
fn refused(s: &Scratch, arguments: &[&str], parts: &[&str]) -> Output {
    let before = s.entries();
    let output = s.pliant(&[&["mesh"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", out(&output), err(&output));
    assert_eq!(out(&output), "");
    for part in parts {
        assert!(err(&output).contains(part), "`{part}` is not in: {}", err(&output));
    }
    assert_eq!(s.entries(), before, "{arguments:?} wrote something");
    output
}

#[test]
fn bad_input_is_exit_code_2_and_writes_nothing() {
    let s = Scratch::new("refused");
    s.mesh("block.msh", block([1.0; 3], [2, 2, 2]).unwrap());
    s.mesh("sheet.obj", cloth([1.0, 1.0], 4).unwrap());
    s.file("noise.dat", "no mesh at all\n");
    s.file("cut.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1");
    s.file("nan.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n");
    s.file("empty.obj", "");
    std::fs::create_dir(s.0.join("folder")).unwrap();
    for (arguments, parts) in [
        (&["info", "gone.msh"][..], &["gone.msh", "does not exist"][..]),
        (&["info", "folder"], &["folder", "this is a folder"]),
        (&["info", "noise.dat"], &["noise.dat", "not a known mesh format", "pliant mesh formats"]),
        (&["info", "cut.msh"], &["cut.msh", "line"]),
        (&["info", "empty.obj"], &["empty.obj"]),
        (&["info", "nan.obj"], &["nan.obj"]),
        (&["info", "block.msh", "--png", "a.jpg"], &["a.jpg", ".png"]),
        (&["info", "block.msh", "--unit", "mn"], &["mn", "mm"]),
        (&["convert", "block.msh", "a.mhs"], &["unknown mesh format `mhs`", "`msh`"]),
        (&["convert", "block.msh", "a"], &["no ending", "--format"]),
        (&["convert", "block.msh", "a.obj"], &["surfaces only", "--surface"]),
        (&["convert", "block.msh", "a.msh", "--format", "gmsh42"], &["gmsh42", "gmsh22"]),
        (&["convert", "block.msh", "no/where.msh"], &["no/where.msh", "the folder no does not exist"]),
        (&["convert", "block.msh", "folder"], &["folder", "format"]),
        (&["tetrahedralize", "sheet.obj", "-o", "a.msh"], &["sheet.obj", "open"]),
        (&["tetrahedralize", "body:dragn", "-o", "a.msh"], &["body:dragn", "`dragon`"]),
        (&["tetrahedralize", "body:donut", "-o", "a.stl"], &["a.stl", "surfaces only"]),
        (
            &["tetrahedralize", "body:donut", "-o", "a.msh", "--edge", "1", "--tets", "9"],
            &["--edge", "--tets"],
        ),
        (&["tetrahedralize", "body:donut", "-o", "a.msh", "--edge", "-1"], &["positive number"]),
        (&["tetrahedralize", "body:donut", "-o", "a.msh", "--edge", "1e-9"], &["longer edge"]),
        (&["tetrahedralize", "body:donut", "-o", "a.msh", "--tets", "2"], &["too few"]),
        (&["tetrahedralize", "body:donut", "-o", "a.msh", "--unit", "mm"], &["--size"]),
        (&["tetrahedralize", "sheet.obj", "-o", "a.msh", "--size", "2"], &["--unit"]),
        (&["tetrahedralize", "body:donut"], &["--output"]),
        (&["repair", "block.msh", "-o", "block.msh"], &["overwrite the input"]),
        (&["repair", "block.msh", "-o", "a.obj"], &["surfaces only"]),
        (&["simplify", "block.msh", "-o", "a.obj", "--triangles", "9"], &["this is a volume", "--surface"]),
        (&["simplify", "sheet.obj", "-o", "a.obj"], &["--triangles", "--error"]),
        (&["simplify", "sheet.obj", "-o", "a.obj", "--error", "0"], &["positive number"]),
        (&["inform", "block.msh"], &["inform", "info"]),
    ] {
        refused(&s, arguments, parts);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_found_before_the_work() {
    let s = Scratch::new("no-permission");
    s.mesh("block.msh", block([1.0; 3], [2, 2, 2]).unwrap());
    // Nobody can make files in /proc, whoever runs the tests.
    refused(
        &s,
        &["convert", "block.msh", "/proc/a.msh"],
        &["/proc/a.msh", "no file can be written", "permissions"],
    );
    refused(&s, &["info", "block.msh", "--png", "/proc/a.png"], &["/proc/a.png"]);
    // A device is written to as it is.
    s.text(&["convert", "block.msh", "/dev/null", "--format", "gmsh41"]);
}
