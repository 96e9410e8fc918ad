//! Where motion is smooth a step starts with what the last ones had to add to their predictions: conjugate gradients have less to
//! find than in a world that forgets them, and the motion is the same.

use crate::common::{hard, largest_distance, material, newton_cg, solid, twisting_bar, world};
use pliant::{BodyId, Law, Model, Motion, World};

/// A bar that swings about an edge.
fn hinged_bar(law: Law, youngs: f64) -> Model {
    let mesh = pliant_mesh::block([0.4, 0.1, 0.1], [8, 2, 2]).expect("valid sizes");
    let edge: Vec<u32> =
        (0..).zip(&mesh.vertices).filter(|(_, x)| x.x < 1e-9 && x.z < 1e-9).map(|(v, _)| v).collect();
    Model {
        pins: vec![hard("hinge", &edge, Motion::Fixed)],
        bodies: vec![solid(mesh, material(law, youngs, 0.3))],
        ..Model::default()
    }
}

/// Hessian products of a step.
fn products(world: &mut World) -> f64 {
    world.step().expect("a good step");
    let counters = world.timings().counters();
    counters.iter().find(|(counter, _)| counter.name() == "hessian_products").expect("counted").1
}

#[test]
fn the_last_steps_save_hessian_products() {
    let config = newton_cg(|_| ());
    let models = [
        ("twisted", twisting_bar(material(Law::NeoHookean, 1e6, 0.4), [4, 4, 8])),
        ("soft hinged", hinged_bar(Law::StableNeoHookean, 1e5)),
        ("stiff hinged", hinged_bar(Law::Corotational, 1e8)),
    ];
    for (name, model) in models {
        let mut usual = world(&model, &config);
        let mut forgetful = world(&model, &config);
        let [mut few, mut many] = [0.0; 2];
        for _ in 0..40 {
            few += products(&mut usual);
            many += products(&mut forgetful);
            forgetful.set_state(forgetful.state().clone()).expect("its own state");
        }
        assert!(few < 0.8 * many, "{name}: {few} products, {many} without the last steps");
        let apart = largest_distance(usual.positions(BodyId(0)), forgetful.positions(BodyId(0)));
        assert!(apart < 1e-3, "{name}: {apart} m apart");
    }
}
