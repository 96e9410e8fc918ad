//! Bodies that are there many times.

use crate::common::refused;
use pliant_scene::Scene;

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "bin"
duration = 0.1
seed = 4

[[body]]
name = "floor"
mesh = { kind = "block", size = [1, 1, 0.1], cells = [1, 1, 1] }
material = { kind = "corotational", youngs = 1e6, poisson = 0.3 }

[[body]]
name = "cube"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }
transform = { translate = [0, 0, 1] }
material = { kind = "corotational", youngs = 1e6, poisson = 0.3 }
instances = { grid = [2, 3, 2], spacing = [0.2, 0.3, 0.4] }

[[probe]]
name = "last"
what = "center"
body = "cube_11"
"#;

const RANDOM: &str =
    "{ count = 20, within = { min = [0, 0, 0], max = [1, 1, 1] }, distance = 0.2, turned = true }";

fn centers(text: &str) -> Vec<[f64; 3]> {
    let setup = Scene::parse("test.toml", text).unwrap().build().unwrap();
    let center = |b: &pliant::Body| {
        let all = b.mesh.vertices();
        (all.iter().sum::<pliant_mesh::DVec3>() / all.len() as f64).to_array()
    };
    setup.model.bodies.iter().map(center).collect()
}

#[test]
fn a_grid_of_bodies_has_names_and_places() {
    let setup = Scene::parse("test.toml", SCENE).unwrap().build().unwrap();
    let names: Vec<&str> = setup.model.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[1], names[12]), (13, "floor", "cube_0", "cube_11"));
    let [first, last] = [1, 12].map(|i| centers(SCENE)[i]);
    for (k, shift) in [0.2, 0.6, 0.4].into_iter().enumerate() {
        assert!((last[k] - first[k] - shift).abs() < 1e-12, "{first:?} {last:?}");
    }
}

#[test]
fn random_bodies_keep_their_distance_and_follow_their_seed() {
    let random = SCENE.replace("{ grid = [2, 3, 2], spacing = [0.2, 0.3, 0.4] }", RANDOM);
    let places = centers(&random);
    assert_eq!(places.len(), 21);
    assert_eq!(places, centers(&random), "equal seeds, equal places");
    assert_ne!(places, centers(&random.replace("seed = 4", "seed = 5")));
    // Turns are about a corner of the cube: its centre is within 0.09 m of where it would be.
    for (i, a) in places[1..].iter().enumerate() {
        for b in &places[1..=i] {
            let apart = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
            assert!(apart > 0.2 - 2.0 * 0.0867, "{a:?} {b:?}");
        }
    }
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let grid = "grid = [2, 3, 2], spacing = [0.2, 0.3, 0.4]";
    refused(SCENE, (grid, "grid = [2, 3, 2]"), "test.toml:19:13", &["a grid or at random", "spacing"]);
    refused(SCENE, (grid, "grid = [2000, 3000, 2], spacing = [1, 1, 1]"), "test.toml:19:", &["10000"]);
    let crowd = "count = 50, within = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }, distance = 0.5";
    refused(SCENE, (grid, crowd), "test.toml:19:13", &["only 1 of 50 fit", "enlarge the box"]);
    // Problems of an instance are at the body that it comes from.
    refused(
        SCENE,
        ("transform = { translate = [0, 0, 1] }\n", "density = -1\n"),
        "test.toml:17:11",
        &["density"],
    );
}
