//! Every kind of bad scene: the message names the cause, the place and the remedy, in one line.

use pliant_mesh::DVec3;
use pliant_scene::Scene;

/// A small scene that is right, line by line.
const GOOD: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
duration = 0.1
dt = 0.01
default_variant = "small"

[parameters]
stiff = 1e6
speed = [1, 0, 0]

[variants.small]
"body.0.mesh.cells" = [2, 2, 2]

[variants.large]
"body.0.mesh.cells" = [3, 3, 3]
stiff = 2e6

[solver]
kind = "local_global"

[[body]]
name = "block"
mesh = { kind = "block", size = [1, 1, 1], cells = [1, 1, 1] }
density = 1000
material = { kind = "neo_hookean", youngs = "$stiff", poisson = 0.3 }
velocity = "-$speed"

[[pin]]
select = { group = "x_min" }
motion = { kind = "rotation", axis = [0, 0, 1], turns_per_second = 1 }

[[probe]]
name = "tip"
what = "position"
select = { group = "x_max" }

[[expect]]
what = "tip.z"
op = "within"
value = 0
tolerance = 1
"#;

/// The problems of the good scene after one replacement, or of its set value.
fn problems(from: &str, to: &str) -> Vec<String> {
    assert!(GOOD.contains(from), "the good scene has no `{from}`");
    let text = GOOD.replacen(from, to, 1);
    let result = Scene::parse("test.toml", &text).and_then(|s| s.build().map(|_| ()));
    let lines: Vec<String> = result.unwrap_err().to_string().lines().map(str::to_string).collect();
    assert!(!lines.is_empty());
    lines
}

/// The only problem after a replacement.
fn problem(from: &str, to: &str) -> String {
    let all = problems(from, to);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

#[track_caller]
fn check(from: &str, to: &str, start: &str, parts: &[&str]) {
    let line = problem(from, to);
    assert!(line.starts_with(start), "{line}");
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
}

#[test]
fn the_good_scene_is_good() {
    let setup = Scene::parse("test.toml", GOOD).unwrap().build().unwrap();
    assert_eq!((setup.steps, setup.vertices(), setup.elements()), (10, 27, 48));
    assert_eq!(setup.model.bodies[0].velocity, DVec3::NEG_X);
    assert_eq!(setup.model.bodies[0].materials[0].youngs, 1e6);
}

#[test]
fn unknown_keys_name_the_nearest() {
    check(
        "youngs =",
        "yougns =",
        "test.toml:28:",
        &["unknown key `yougns` in body.0.material", "did you mean `youngs`?"],
    );
    check("density =", "densty =", "test.toml:27:1:", &["unknown key `densty` in body.0", "`density`"]);
    check("[solver]", "[solvr]", "test.toml:21:2:", &["unknown key `solvr` at the top level", "`solver`"]);
    check("duration =", "duratoin =", "test.toml:6:1:", &["`duratoin` in scene", "`duration`"]);
    check("axis =", "axes =", "test.toml:33:", &["unknown key `axes` in pin.0.motion", "`axis`"]);
    check("group = \"x_min\"", "grup = \"x_min\"", "test.toml:32:", &["unknown value `grup`", "`group`"]);
    check(
        "group = \"x_min\"",
        "box = { mn = [0, 0, 0], max = [1, 1, 1] }",
        "test.toml:32:",
        &["`mn` in pin.0.select.box", "`min`"],
    );
    check("tolerance = 1", "tolerence = 1", "test.toml:44:1:", &["`tolerance`"]);
}

#[test]
fn wrong_types_say_what_is_expected() {
    check(
        "duration = 0.1",
        "duration = \"long\"",
        "test.toml:6:12:",
        &["scene.duration: expected a number", "\"long\""],
    );
    check("[1, 1, 1], cells = [1, 1, 1]", "[1, 1], cells = [1, 1, 1]", "test.toml:26:", &["a list of 3"]);
    check("[1, 1, 1], cells = [1, 1, 1]", "[1, 1, 1, 1], cells = [1, 1, 1]", "test.toml:26:", &["4 values"]);
    check("name = \"block\"", "name = 5", "test.toml:25:8:", &["a text in quotes"]);
    check("duration = 0.1", "duration = 2026-01-01", "test.toml:6:12:", &["the date"]);
    check("[[pin]]", "[pin]", "test.toml:31:", &["`pin` must be a list of tables", "[[pin]]"]);
    check("stiff = 1e6", "stiff = { a = 1 }", "test.toml:", &["parameter"]);
}

#[test]
fn ranges() {
    check("stiff = 1e6", "stiff = -1e6", "test.toml:28:", &["body.0.material.youngs = -1000000", "positive"]);
    check("stiff = 1e6", "stiff = nan", "test.toml:28:", &["youngs = NaN"]);
    check("stiff = 1e6", "stiff = inf", "test.toml:28:", &["youngs = inf"]);
    check("poisson = 0.3", "poisson = 0.5", "test.toml:28:", &["below 0.5", "0.49"]);
    check("poisson = 0.3", "poisson = -1", "test.toml:28:", &["above -1"]);
    check("poisson = 0.3", "poisson = nan", "test.toml:28:", &["poisson = NaN"]);
    check("density = 1000", "density = 0", "test.toml:27:11:", &["body.0.density = 0 must be positive"]);
    check("density = 1000", "density = -5", "test.toml:27:11:", &["density = -5"]);
    check("dt = 0.01", "dt = 0", "test.toml:7:6:", &["scene.dt = 0 must be positive"]);
    check("dt = 0.01", "dt = -1", "test.toml:7:6:", &["scene.dt = -1"]);
    check("duration = 0.1", "duration = 0.005", "test.toml:7:6:", &["longer", "use for example dt = 0.0005"]);
    check("duration = 0.1", "duration = 1e12", "test.toml:6:12:", &["steps, more than"]);
    check("axis = [0, 0, 1]", "axis = [0, 0, 0]", "test.toml:33:", &["no direction"]);
    check(", turns_per_second = 1", "", "test.toml:33:", &["exactly one rate"]);
    check("tolerance = 1", "tolerance = -1", "test.toml:44:13:", &["0 or more"]);
}

#[test]
fn structures_of_surfaces() {
    let with = |matchstick: &str| format!("density = 1000\nmatchstick = {{ {matchstick} }}");
    let bad =
        |matchstick: &str, parts: &[&str]| check("density = 1000", &with(matchstick), "test.toml:28:", parts);
    bad("direction = [1, 0, 0], along = 0, across = 1", &["body.0.matchstick.along = 0 must be positive"]);
    bad("direction = [1, 0, 0], along = 1, across = -1", &["body.0.matchstick.across = -1"]);
    bad("direction = [0, 0, 0], along = 1, across = 1", &["no direction"]);
    bad("direction = [1, 0, 0], along = 1", &["across"]);
    bad("direction = [1, 0, 0], along = 1, across = 1, iso = 1", &["iso"]);
    let boards = "[[obstacle]]\nshape = { kind = \"plane\" }\ntransform = { translate = [0, 0, -1] }\n                  matchstick = { direction = [0, 0, 1], along = 0.1, across = 0.2 }\n\n[[pin]]";
    let scene = Scene::parse("test.toml", &GOOD.replace("[[pin]]", boards)).unwrap();
    let error = scene.build().unwrap().world().unwrap_err().to_string();
    assert!(error.contains("normal to its surface"), "{error}");
    let turned = GOOD.replace(
        "density = 1000",
        "transform = { rotate = { axis = [0, 0, 1], degrees = 90 } }\nmatchstick = { direction = [2, 0, 0], along = 0.1, across = 0.2 }",
    );
    let setup = Scene::parse("test.toml", &turned).unwrap().build().unwrap();
    let structure = setup.model.bodies[0].matchstick.expect("it has one");
    assert!(structure.direction.abs_diff_eq(DVec3::new(0.0, 2.0, 0.0), 1e-12), "{structure:?}");
}

#[test]
fn meshes_and_selections() {
    check("cells\" = [2, 2, 2]", "cells\" = [2, 2, 0]", "test.toml:26:8:", &["body.0.mesh", "at least 1"]);
    check(
        "cells\" = [2, 2, 2]",
        "cells\" = [9000, 9000, 9000]",
        "test.toml:",
        &["elements, more than 2000000", "fewer cells"],
    );
    check(
        "cells\" = [2, 2, 2]",
        "cells\" = [9000000000000, 9000000000000, 9000000000000]",
        "test.toml:",
        &["more than 2000000"],
    );
    check("\"x_min\"", "\"x_mim\"", "test.toml:32:10:", &["no group `x_mim`", "`x_min`"]);
    check(
        "{ group = \"x_min\" }",
        "{ sphere = { center = [9, 9, 9], radius = 1 } }",
        "test.toml:32:10:",
        &["selects no vertex", "move or enlarge"],
    );
    check("{ group = \"x_min\" }", "{ index = [] }", "test.toml:32:10:", &["selects nothing"]);
    check("{ group = \"x_min\" }", "{ index = [99] }", "test.toml:32:10:", &["99"]);
    check(
        "{ group = \"x_min\" }",
        "{ group = \"x_min\", all = true }",
        "test.toml:32:10:",
        &["exactly one key"],
    );
    let missing = "{ kind = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }";
    let text = GOOD.replace("\"body.0.mesh.cells\"", "\"scene.seed\"").replace(missing, "\"gone.msh\"");
    let text = text.replace("= [2, 2, 2]", "= 1").replace("= [3, 3, 3]", "= 2");
    let error = Scene::parse("test.toml", &text).unwrap().build().unwrap_err().to_string();
    assert!(
        error.starts_with("test.toml:26:8:") && error.contains("mesh file `gone.msh` cannot be read"),
        "{error}"
    );
}

/// What would take minutes and all memory is refused before it begins, and in time.
#[test]
fn meshes_that_are_far_too_fine_are_refused_at_once() {
    let started = std::time::Instant::now();
    let block = "{ kind = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }";
    let plate = "{ box = { size = [1, 1, 1e-3] } }";
    for (mesh, says) in [
        ("{ kind = \"body\", name = \"liver\", vertices = 10000000 }".to_string(), "500000 at most"),
        ("{ kind = \"body\", name = \"liver\", tets = 600000 }".to_string(), "pliant mesh tetrahedralize"),
        ("{ kind = \"body\", name = \"liver\", edge = 1e-4 }".to_string(), "longer edges"),
        ("{ kind = \"body\", name = \"liver\", edge = 1e-9 }".to_string(), "longer edges"),
        (format!("{{ kind = \"shape\", edge = 2e-3, shape = {plate} }}"), "about"),
        ("{ kind = \"cloth\", size = [1, 1], cells = 2000 }".to_string(), "more than 2000000"),
        ("{ kind = \"ball\", radius = 1, cells = 100 }".to_string(), "more than 2000000"),
    ] {
        let text = GOOD.replace("\"body.0.mesh.cells\" = [2, 2, 2]", "\"scene.seed\" = 1");
        let text =
            text.replace("\"body.0.mesh.cells\" = [3, 3, 3]", "\"scene.seed\" = 2").replace(block, &mesh);
        assert!(text.contains(&mesh));
        let error = Scene::parse("test.toml", &text).unwrap().build().unwrap_err().to_string();
        assert!(error.contains(says) && error.lines().count() == 1, "{mesh}: {error}");
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn versions_parameters_solvers() {
    check("version = 1", "version = 2", "test.toml:2:11:", &["version 2", "reads up to 1", "newer pliant"]);
    check("version = 1", "version = 0", "test.toml:2:11:", &["1 or more"]);
    check("version = 1\n", "", "test.toml:1:1:", &["missing key `version`"]);
    check("\"pliant-scene\"", "\"other\"", "test.toml:1:10:", &["format"]);
    check(
        "\"$stiff\"",
        "\"$stif\"",
        "test.toml:28:",
        &["unknown parameter `$stif`", "did you mean `stiff`?"],
    );
    check("\"-$speed\"", "\"-$text\"", "test.toml:29:", &["unknown parameter `$text`"]);
    check("stiff = 1e6", "stiff = \"$speed\"", "test.toml:11:9:", &["refers to another parameter"]);
    check("\"local_global\"", "\"local_globl\"", "test.toml:22:8:", &["unknown solver", "`local_global`"]);
    check(
        "kind = \"local_global\"",
        "kind = \"newton\"\nanderson = 3",
        "test.toml:23:12:",
        &["does not belong"],
    );
    check(
        "default_variant = \"small\"",
        "default_variant = \"smal\"",
        "test.toml:8:19:",
        &["unknown variant", "`small`"],
    );
}

#[test]
fn all_problems_are_collected() {
    let text = GOOD.replace("density = 1000", "density = -1").replace("poisson = 0.3", "poisson = 0.7");
    let error =
        Scene::parse("test.toml", &text.replace("dt = 0.01", "dt = -1")).unwrap().build().unwrap_err();
    assert_eq!(error.problems.len(), 3, "{error}");
    let text = GOOD.replace("density", "densty").replace("tolerance", "tolernce");
    assert_eq!(Scene::parse("test.toml", &text).unwrap().build().unwrap_err().problems.len(), 2);
}

#[test]
fn syntax_errors_have_places() {
    for (from, to, line) in
        [("[scene]", "[scene", 4), ("dt = 0.01", "dt = 0.01.1", 7), ("name = \"test\"", "name = test", 5)]
    {
        let text = GOOD.replacen(from, to, 1);
        let error = Scene::parse("test.toml", &text).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("test.toml:{line}:")) && error.contains("not valid TOML"),
            "{error}"
        );
    }
}

#[test]
fn set_values_point_at_the_override() {
    let mut scene = Scene::parse("test.toml", GOOD).unwrap();
    scene.set("body.0.density", "-3").unwrap();
    let error = scene.build().unwrap_err().to_string();
    assert!(error.starts_with("--set body.0.density: "), "{error}");
    let mut scene = Scene::parse("test.toml", GOOD).unwrap();
    scene.set("stiff", "-3").unwrap();
    let error = scene.build().unwrap_err().to_string();
    assert!(error.starts_with("--set stiff: body.0.material.youngs = -3"), "{error}");
    let error = scene.set("stif", "3").unwrap_err().to_string();
    assert!(error.starts_with("--set stif: unknown parameter `stif`: did you mean `stiff`?"), "{error}");
    let error = scene.set("bdy.0.density", "3").unwrap_err().to_string();
    assert!(
        error.starts_with("--set bdy.0.density: there is no `bdy` in a scene: did you mean `body`?"),
        "{error}"
    );
    let error = scene.set("body.0.density.a", "3").unwrap_err().to_string();
    assert!(error.starts_with("--set body.0.density.a: "), "{error}");
    scene.set("stiff", "5e5").unwrap();
    scene.set("block.density", "1").unwrap_err();
    scene.set("body.block.density", "1.5").unwrap();
    scene.set("body.0.damping.mass", "3").unwrap();
    let setup = scene.build().unwrap();
    assert_eq!((setup.model.bodies[0].materials[0].youngs, setup.model.bodies[0].density), (5e5, 1.5));
    assert_eq!(setup.model.bodies[0].damping.mass, 3.0);
    scene.set("body.0.dampin.mass", "3").unwrap();
    let error = scene.build().unwrap_err().to_string();
    assert!(
        error.starts_with("--set body.0.dampin.mass: unknown key `dampin` in body.0: did you mean"),
        "{error}"
    );
}

#[test]
fn variants_and_solvers_can_be_chosen() {
    let large = Scene::parse("test.toml", GOOD).unwrap().with_variant("large").unwrap();
    let setup = large.clone().with_solver("newton").unwrap().build().unwrap();
    assert_eq!((setup.elements(), setup.solver.kind()), (162, "newton"));
    assert_eq!(setup.model.bodies[0].materials[0].youngs, 2e6);
    let error = large.clone().with_variant("huge").unwrap_err().to_string();
    assert_eq!(error, "--variant huge: unknown variant `huge`: use one of the variants: `small`, `large`");
    let error = large.clone().with_solver("newtn").unwrap_err().to_string();
    assert_eq!(error, "--solver newtn: unknown solver `newtn`: did you mean `newton`?");
}

#[test]
fn an_inverted_tet_in_a_file_is_refused() {
    let directory = std::env::temp_dir().join(format!("pliant-scene-inverted-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mesh = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n\
                0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 0.5\n$EndNodes\n\
                $Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 1 3 2 5\n$EndElements\n";
    std::fs::write(directory.join("bad.msh"), mesh).unwrap();
    let text = "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"t\"\nduration = 1\n[[body]]\n\
                mesh = \"bad.msh\"\nmaterial = { kind = \"arap\", youngs = 1e5, poisson = 0.3 }\n";
    let path = directory.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let error = Scene::load(path.to_str().unwrap()).unwrap().build().unwrap_err().to_string();
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(
        error.contains("scene.toml:7:8: body.0.mesh: ") && error.contains("1 of 2 tets are inverted"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
}

#[test]
fn what_the_model_refuses_has_a_place() {
    let text = GOOD.replace("poisson = 0.3", "poisson = -0.3");
    let setup = Scene::parse("test.toml", &text).unwrap().build().unwrap();
    let error = setup.world().unwrap_err().to_string();
    assert!(error.starts_with("test.toml:28:12: body `block`: Poisson's ratio -0.3"), "{error}");
}

/// The block of TOML in the tutorial.
fn tutorial() -> String {
    let page = include_str!("../../../docs/book/first-scene.md");
    let start = page.find("```toml\n").unwrap() + "```toml\n".len();
    page[start..start + page[start..].find("```").unwrap()].to_string()
}

#[test]
fn the_tutorial_is_true() {
    let text = tutorial();
    let setup = Scene::parse("diving_board.toml", &text).unwrap().build().unwrap();
    let mut run = pliant_scene::Run::new(setup).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let report = pliant_scene::report::report(&run, &Default::default());
    assert_eq!(report["ok"], true, "{:#}", report["expect"]);
    let wrong = text.replace("youngs = \"$youngs\"", "yougns = \"$youngs\"");
    let error = Scene::parse("diving_board.toml", &wrong).unwrap().build().unwrap_err().to_string();
    assert!(include_str!("../../../docs/book/first-scene.md").contains(&error), "{error}");
}

#[test]
fn every_key_is_documented() {
    let page = include_str!("../../../docs/book/scene-file.md");
    let schema = pliant_scene::schema();
    let mut keys = Vec::new();
    collect(&schema, &mut keys);
    assert!(keys.len() > 60);
    // The worked example of a solver is no part of the guide.
    let of_the_example = |key: &str| cfg!(feature = "dummy-solver") && ["drag", "gust"].contains(&key);
    for key in keys.iter().filter(|key| !of_the_example(key)) {
        assert!(page.contains(key), "docs/book/scene-file.md does not mention `{key}`");
    }
}

/// Names of all properties in a schema.
fn collect(schema: &serde_json::Value, keys: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(|p| p.as_object()) {
        keys.extend(properties.keys().cloned());
    }
    match schema {
        serde_json::Value::Object(map) => map.values().for_each(|v| collect(v, keys)),
        serde_json::Value::Array(items) => items.iter().for_each(|v| collect(v, keys)),
        _ => {}
    }
}
