//! On random small scenes without contact the Newton iteration stays close to Newton's method to convergence, with the
//! default number of iterations.

use crate::random_scenes::{Scene, compare};
use pliant::solver::IterationKind;
use pliant::{LocalGlobalConfig, SolverConfig};

const SCENES: usize = 48;

#[test]
fn random_scenes_stay_close_to_newton() {
    let config = LocalGlobalConfig { iteration: IterationKind::NewtonCg, ..LocalGlobalConfig::default() };
    let config = SolverConfig::LocalGlobal(config);
    let scenes = (1..).map(Scene::new);
    let mut close = 0;
    let compared = scenes.filter_map(|scene| Some((compare(&scene, &config)?, scene)));
    for (comparison, scene) in compared.take(SCENES) {
        let what = format!("seed {} {:?} {:?}: {comparison:?}", scene.seed, scene.family, scene.law);
        assert!(!comparison.failed && comparison.worst < 0.03, "{what}");
        close += usize::from(comparison.worst < 0.01);
    }
    assert!(close * 100 >= SCENES * 95, "only {close} of {SCENES} are within 1 %");
}
