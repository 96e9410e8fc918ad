//! Thousands of bodies take time in proportion to their number before the first step, not to its square.

use pliant_scene::{Run, Scene};
use std::time::Instant;

/// Cubes of 12 tets each, side by side.
fn scene(count: usize) -> Scene {
    let mut text =
        "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"many\"\nduration = 1\n".to_string();
    for i in 0..count {
        let place = [i % 20, i / 20 % 20, i / 400].map(|k| 0.2 * k as f64);
        text += &format!(
            "[[body]]\nmesh = {{ kind = \"block\", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }}\n\
             transform = {{ translate = {place:?} }}\nmaterial = {{ kind = \"arap\", youngs = 1e5, poisson = 0.3 }}\n"
        );
    }
    Scene::parse("many", &text).unwrap()
}

#[test]
fn checking_is_not_quadratic() {
    let seconds = |count: usize| {
        let start = Instant::now();
        let run = Run::new(scene(count).build().unwrap()).unwrap();
        assert!(run.world().overlaps(1e-6).unwrap().is_empty());
        start.elapsed().as_secs_f64()
    };
    let few = (0..3).map(|_| seconds(500)).fold(f64::INFINITY, f64::min);
    let many = (0..2).map(|_| seconds(4000)).fold(f64::INFINITY, f64::min);
    // Eight times as many: 8 is linear, 64 is quadratic.
    assert!(many / few < 28.0, "{few} s for 500 bodies, {many} s for 4000");
}
