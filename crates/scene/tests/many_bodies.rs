//! Thousands of bodies take time in proportion to their number before the first step, not to its square.

use pliant_scene::{Run, Scene};
use pliant_testkit::thread_seconds;

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
    // All of it on one thread, whose own time does not depend on what else runs.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let seconds = |count: usize| {
        let start = thread_seconds()?;
        let run = Run::new(scene(count).build().unwrap()).unwrap();
        assert!(run.world().overlaps(1e-6).unwrap().is_empty());
        Some(thread_seconds()? - start)
    };
    pool.install(|| {
        let Some(few) = (0..3).map(|_| seconds(500)).reduce(least).flatten() else { return };
        let Some(many) = seconds(4000) else { return };
        // Eight times as many: 8 is linear, 64 is quadratic.
        assert!(many / few < 28.0, "{few} s for 500 bodies, {many} s for 4000");
    });
}

fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a?.min(b?))
}
