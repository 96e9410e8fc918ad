// What the examples of the documentation start from.

/// A soft cube of 10 cm and 1 kg that lies on a floor.
fn cube_on_floor() -> pliant::World {
    use pliant::{Body, Law, Material, Model, Obstacle, Shape, SolverConfig, World};
    let mesh = pliant_mesh::block([0.1; 3], [2; 3]).expect("a small block");
    let rubber = Material { law: Law::NeoHookean, youngs: 1e6, poisson: 0.4 };
    let model = Model {
        bodies: vec![Body::new("cube", pliant_mesh::Mesh::Tet(mesh), rubber)],
        obstacles: vec![Obstacle::new("floor", Shape::Plane)],
        ..Model::default()
    };
    World::new(model, SolverConfig::default()).expect("a good model")
}
