//! Bodies that a scene fills with tets: what is made, and what is refused with cause, place and remedy.

use pliant::BodyId;
use pliant_mesh::{DVec3, Mesh, TetMesh};
use pliant_scene::recording::{FrameWriter, Recording};
use pliant_scene::{Run, Scene, schema};
use std::path::PathBuf;

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pliant-solids-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A scene with one body of this mesh, which stands in line 9 from column 8 on.
fn scene(mesh: &str) -> String {
    format!(
        r#"format = "pliant-scene"
version = 1
[scene]
name = "test"
duration = 0.1
[parameters]
radius = 0.2
[[body]]
mesh = {mesh}
material = {{ kind = "arap", youngs = 1e5, poisson = 0.3 }}
"#
    )
}

fn mesh(text: &str) -> TetMesh {
    let setup = Scene::parse("test.toml", &scene(text)).unwrap().build().unwrap();
    match Mesh::clone(&setup.model.bodies[0].mesh) {
        Mesh::Tet(mesh) => mesh,
        Mesh::Tri(_) => panic!("a solid was asked for"),
    }
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let error = Scene::parse("test.toml", &scene(text)).and_then(|s| s.build()).unwrap_err().to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.starts_with("test.toml:9:"), "{error}");
    for part in parts {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

#[test]
fn a_modelled_body_has_the_asked_size_and_fineness() {
    let raptor = mesh(r#"{ kind = "body", name = "donut", size = 0.3, vertices = 500 }"#);
    let (low, high) = raptor.bounds();
    let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    assert!((extent - 0.3).abs() < 0.01, "{extent}");
    assert!((400..600).contains(&raptor.vertices.len()), "{}", raptor.vertices.len());
    raptor.validate().unwrap();
}

#[test]
fn a_shape_is_what_its_table_says() {
    let text = r#"{ kind = "shape", edge = 0.06, shape = { blend = 0.05, union = [
      { name = "ball", sphere = { radius = "$radius" } },
      { limb = [[0, 0, 0, 0.1], [0.4, 0, 0, 0.08], [0.5, 0, 0.2, 0.08]], symmetric = "x" },
      { difference = [
          { box = { size = [0.2, 0.2, 0.3], rounding = 0.02 } },
          { cylinder = { ends = [[0, 0, -1], [0, 0, 1]], radius = 0.06 } },
        ], transform = { translate = [0, 0, 0.3] } },
    ], groups = [{ name = "end", half_space = { point = [0.35, 0, 0], normal = [1, 0, 0] } }] } }"#;
    let mesh = mesh(text);
    mesh.validate().unwrap();
    let (low, high) = mesh.bounds();
    for (k, side) in [(0, 0.58), (2, 0.45)] {
        assert!((high[k] - side).abs() < 0.03, "{high:?}");
    }
    // Mirrored.
    assert!((low.x + high.x).abs() < 0.03, "{low:?}");
    let end = &mesh.groups["end"].vertices;
    assert!(!end.is_empty() && end.iter().all(|&v| mesh.vertices[v as usize].x > 0.35 - 1e-5));
    assert!(!mesh.groups["ball"].elements.is_empty() && !mesh.groups["surface"].vertices.is_empty());
}

/// A tube: a cylinder without its ends.
const TUBE: &str = r#"{ kind = "garment", edge = 0.02, open = ["ends"], shape = { cylinder = { ends = [[0, -0.1, 0], [0, 0.1, 0]], radius = 0.05 }, groups = [{ name = "ends", difference = [{ box = { size = [1, 1, 1] } }, { box = { size = [1, 0.198, 1] } }] }] } }"#;

#[test]
fn a_garment_is_a_surface_with_openings() {
    let setup = Scene::parse("test.toml", &scene(TUBE)).unwrap().build().unwrap();
    let Mesh::Tri(tube) = &*setup.model.bodies[0].mesh else { panic!("a cloth was asked for") };
    tube.validate().unwrap();
    assert!((tube.area() / (0.2 * 0.1 * std::f64::consts::PI) - 1.0).abs() < 0.05, "{}", tube.area());
    assert!(tube.vertices.iter().all(|p| p.x.hypot(p.z) > 0.045), "the ends are open");
    let rim = &tube.groups["ends"].vertices;
    assert!(!rim.is_empty() && rim.iter().all(|&v| tube.vertices[v as usize].y.abs() > 0.09));
    refused(
        &TUBE.replace("open = [\"ends\"]", "open = [\"sleeves\"]"),
        &["no group `sleeves`", "name a group"],
    );
    refused(
        &TUBE.replace("0.198, 1", "0.198, 0.001").replace("size = [1, 0", "size = [0.001, 0"),
        &["nothing is left"],
    );
    refused(&TUBE.replace("edge = 0.02", "edge = 0"), &["edge = 0 must be positive"]);
}

#[test]
fn a_surface_is_filled() {
    let directory = Folder::new("filled");
    let sphere = Mesh::from(pliant_mesh::sphere_surface(0.1, 3).unwrap());
    pliant_mesh_io::write_mesh(&directory.0.join("ball.obj"), &sphere, None).unwrap();
    let text = scene(r#"{ kind = "tetrahedralize", file = "ball.obj", tets = 3000 }"#);
    std::fs::write(directory.0.join("scene.toml"), text).unwrap();
    let scene = Scene::load(directory.0.join("scene.toml").to_str().unwrap()).unwrap();
    let setup = scene.build().unwrap();
    let Mesh::Tet(mesh) = &*setup.model.bodies[0].mesh else { panic!() };
    assert!((2400..3600).contains(&mesh.tets.len()), "{}", mesh.tets.len());
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.001;
    assert!((mesh.volume() / exact - 1.0).abs() < 0.02, "{}", mesh.volume());
}

#[test]
fn fineness_is_given_exactly_once() {
    let remedy = "exactly one of `vertices`, `tets` and `edge`";
    refused(r#"{ kind = "body", name = "donut" }"#, &["body.0.mesh", remedy]);
    refused(r#"{ kind = "body", name = "donut", edge = 0.1, tets = 500 }"#, &[remedy]);
    refused(r#"{ kind = "shape", shape = { sphere = { radius = 1 } } }"#, &[remedy]);
    refused(r#"{ kind = "tetrahedralize", file = "a.obj" }"#, &[remedy]);
    refused(r#"{ kind = "body", name = "donut", edge = -0.1 }"#, &["body.0.mesh.edge = -0.1", "positive"]);
    refused(r#"{ kind = "body", name = "donut", vertices = 3 }"#, &["body.0.mesh", "too few"]);
    refused(
        r#"{ kind = "body", name = "donut", vertices = 90000000 }"#,
        &["tets; a scene fills a body with 500000 at most"],
    );
    refused(
        r#"{ kind = "body", name = "donut", edge = 1e-4 }"#,
        &["tets; a scene fills a body with 500000 at most", "longer edges"],
    );
    refused(r#"{ kind = "body", name = "donut", size = 0, edge = 1 }"#, &["body.0.mesh.size = 0"]);
}

#[test]
fn words_name_the_nearest() {
    refused(r#"{ kind = "body", name = "woper", tets = 500 }"#, &["`woper`", "did you mean `wooper`?"]);
    refused(r#"{ kind = "body", name = "tree", tets = 500 }"#, &["`armadillo`, `donut`"]);
    refused(
        r#"{ kind = "body", nam = "donut", tets = 500 }"#,
        &["unknown key `nam` in body.0.mesh", "`name`"],
    );
    refused(
        r#"{ kind = "shape", tets = 500, shape = { union = [{ spere = { radius = 1 } }] } }"#,
        &["unknown key `spere` in body.0.mesh.shape.union.0", "did you mean `sphere`?"],
    );
    refused(
        r#"{ kind = "shape", tets = 500, shape = { sphere = { radus = 1 } } }"#,
        &["unknown key `radus` in body.0.mesh.shape.sphere", "`radius`"],
    );
    refused(
        r#"{ kind = "tetrahedralise", file = "a.obj", tets = 500 }"#,
        &["did you mean `tetrahedralize`?"],
    );
}

#[test]
fn a_shape_is_one_thing() {
    let shape = |text: &str| format!("{{ kind = \"shape\", tets = 500, shape = {text} }}");
    refused(&shape("{}"), &["body.0.mesh.shape does not say what shape it is", "`sphere`", "`difference`"]);
    refused(
        &shape("{ sphere = { radius = 1 }, box = { size = [1, 1, 1] } }"),
        &["several shapes at once: `sphere`, `box`", "union"],
    );
    refused(&shape("{ sphere = { radius = 1 }, blend = 0.1 }"), &["shape.blend is for union"]);
    refused(&shape("{ union = [] }"), &["body.0.mesh.shape.union has no parts"]);
    refused(&shape("{ body = \"dragn\" }"), &["did you mean `dragon`?"]);
    refused(
        &shape("{ sphere = { radius = 1 }, groups = [{ sphere = { radius = 1 } }] }"),
        &["shape.groups.0 has no name"],
    );
    refused(&shape("5"), &["a shape such as { sphere"]);
}

#[test]
fn numbers_of_shapes_have_ranges() {
    let part = |text: &str| format!("{{ kind = \"shape\", tets = 500, shape = {{ union = [{text}] }} }}");
    for (text, cause) in [
        ("{ sphere = { radius = 0 } }", "union.0.sphere.radius = 0 must be positive"),
        ("{ sphere = { radius = 1, center = [nan, 0, 0] } }", "sphere.center contains NaN"),
        ("{ capsule = { ends = [[0, 0, 0], [1, 0, 0]], radius = -1 } }", "capsule.radius = -1"),
        ("{ round_cone = { ends = [[0, 0, 0], [1, 0, 0]], radii = [1, 0] } }", "round_cone.radii contains 0"),
        ("{ limb = [[0, 0, 0, 1]] }", "limb has 1 balls"),
        ("{ limb = [[0, 0, 0, 1], [1, 0, 0, -1]] }", "limb.1 contains -1"),
        ("{ box = { size = [1, 1, 0] } }", "box.size contains 0"),
        ("{ box = { size = [1, 1, 1], rounding = 0.6 } }", "box.rounding = 0.6 is more than half"),
        ("{ cylinder = { ends = [[0, 0, 0], [0, 0, 0]], radius = 1 } }", "cylinder.ends"),
        ("{ torus = { major = 1, minor = inf } }", "torus.minor = inf"),
        ("{ torus = { major = 1, minor = 0.1, axis = [0, 0, 0] } }", "torus.axis"),
        ("{ ellipsoid = { radii = [1, 1, -1] } }", "ellipsoid.radii contains -1"),
        ("{ extrusion = { outline = [[0, 0], [1, 0]], thickness = 1 } }", "outline has 2 corners"),
        (
            "{ extrusion = { outline = [[0, 0], [1, 0], [0, 1]], thickness = 1, rounding = 2 } }",
            "rounding = 2",
        ),
        ("{ half_space = { point = [0, 0, 0], normal = [0, 0, 0] } }", "half_space.normal"),
        ("{ sphere = { radius = 1 }, transform = { scale = 0 } }", "transform.scale = 0"),
        ("{ sphere = { radius = 1 }, mirror = [0, 0, 0] }", "mirror"),
        ("{ half_space = { point = [0, 0, 0], normal = [1, 1, 0] } }", "has no bounds"),
    ] {
        refused(&part(text), &[cause]);
    }
    refused(
        r#"{ kind = "shape", tets = 500, shape = { intersection = [
            { sphere = { radius = 1 } }, { sphere = { radius = 1, center = [3, 0, 0] } }] } }"#,
        &["the shape is empty"],
    );
}

#[test]
fn files_to_fill_are_surfaces_that_exist() {
    let file = |name: &str| format!("{{ kind = \"tetrahedralize\", file = \"{name}\", tets = 500 }}");
    refused(&file("missing.obj"), &["`missing.obj` cannot be read", "beside the scene file"]);
}

#[test]
fn the_schema_has_the_shapes() {
    let schema = schema().to_string();
    for key in ["round_cone", "half_space", "tetrahedralize", "symmetric", "thickness"] {
        assert!(schema.contains(&format!("\"{key}\"")), "{key}");
    }
}

#[test]
fn the_example_of_the_guide_is_true() {
    let page = include_str!("../../../docs/book/shapes.md");
    let start = page.find("```toml\n").unwrap() + "```toml\n".len();
    let example = &page[start..start + page[start..].find("```").unwrap()];
    let head = "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"puppet\"\nduration = 0.1\n";
    let setup = Scene::parse("puppet.toml", &format!("{head}{example}")).unwrap().build().unwrap();
    let groups: Vec<&String> = setup.model.bodies[0].mesh.groups().keys().collect();
    assert_eq!(groups, ["hands", "head", "hem", "surface"]);
    assert!((1300..1700).contains(&setup.vertices()), "{}", setup.vertices());
    for body in pliant_meshing::bodies::bodies() {
        assert!(page.contains(&format!("| `{}` |", body.name)), "{} is not in the guide", body.name);
    }
}

#[test]
fn a_fine_surface_follows_its_tets() {
    let directory = Folder::new("surface");
    let fine = Mesh::from(pliant_mesh::sphere_surface(1.0, 3).unwrap());
    pliant_mesh_io::write_mesh(&directory.0.join("ball.obj"), &fine, None).unwrap();
    let text = scene(r#"{ kind = "tetrahedralize", file = "ball.obj", tets = 300 }"#).replace(
        "material",
        "surface = \"ball.obj\"\ntransform = { scale = 0.1, translate = [0, 0, 5] }\nmaterial",
    );
    std::fs::write(directory.0.join("scene.toml"), text).unwrap();
    let scene = Scene::load(directory.0.join("scene.toml").to_str().unwrap()).unwrap();
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    let seen = |run: &Run| run.setup().skins[0].positions(run.world().positions(BodyId(0)));
    let before = seen(&run);
    assert_eq!((before.len(), run.setup().skins[0].triangles().len()), (642, 1280));
    let on_ball = |p: &DVec3| (p.distance(5.0 * DVec3::Z) - 0.1).abs() < 1e-12;
    assert!(before.iter().all(on_ball));
    let path = directory.0.join("frames.bin");
    let mut writer = FrameWriter::create(&path, &run).unwrap();
    for _ in 0..10 {
        run.step().unwrap();
    }
    writer.frame(&run).unwrap();
    writer.finish().unwrap();
    // It falls with the tets: 0.5 g t^2, a bit more by the implicit step.
    let after = seen(&run);
    for (a, b) in after.iter().zip(&before) {
        assert!((b.z - a.z - 9.81 * 1e-4 * 55.0).abs() < 1e-6, "{a:?} {b:?}");
    }
    let mut recording = Recording::open(&path).unwrap();
    assert_eq!((recording.layout().vertices(), recording.geometry().triangles.len()), (642, 1280));
    assert_eq!(recording.frame(0).unwrap().positions[7], after[7].as_vec3().to_array());
}

#[test]
fn a_surface_needs_tets_and_triangles() {
    let surface =
        |text: &str, file: &str| scene(text).replace("material", &format!("surface = \"{file}\"\nmaterial"));
    let error = |text: String| Scene::parse("test.toml", &text).unwrap().build().unwrap_err().to_string();
    let donut = r#"{ kind = "body", name = "donut", vertices = 300 }"#;
    let missing = error(surface(donut, "missing.obj"));
    assert!(missing.contains("body.0.surface: mesh file `missing.obj` cannot be read"), "{missing}");
    let cloth = error(surface(r#"{ kind = "cloth", size = [1, 1], cells = 2 }"#, "missing.obj"));
    assert!(
        cloth.starts_with("test.toml:10:") && cloth.contains("only a solid can carry a surface"),
        "{cloth}"
    );
}
