//! A block that has sunk into the ground is lifted out of it, with the operator of A and with a change of it.

use super::super::{LocalGlobalConfig, Weighted, assemble};
use super::*;
use crate::contact::{ContactMethod, LinearSolve, NonSmoothNewton};
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::model::{Body, Model, Obstacle};
use crate::{Law, Material, Pose};
use pliant_collide::Shape;
use pliant_mesh::{Mesh, block};

/// Part of the depth that may be left.
const LEFT: f64 = 1e-3;

/// How deep the block is below the ground, m.
const DEPTH: f64 = 1e-3;

struct Case {
    system: System,
    contacts: Contacts,
    numbering: Numbering,
    panels: Arc<PanelFactor>,
    masses: Vec<f64>,
    h: f64,
    /// Where the block starts.
    x_t0: Vec<DVec3>,
    /// Where it would be without contact, in solver order.
    q: Vec<Vec4>,
}

/// A block that falls onto the ground and slides.
fn case() -> Case {
    let mesh = block([0.1, 0.1, 0.05], [2, 2, 1]).expect("valid sizes");
    let material = Material { law: Law::Arap, youngs: 1e5, poisson: 0.3 };
    let ground = Obstacle::new("ground", Shape::Plane).with_friction(0.3);
    let bodies = vec![Body::new("block", Mesh::Tet(mesh), material)];
    let model = Model { bodies, obstacles: vec![ground], ..Model::default() };
    let system = System::build(&model).expect("a good model");
    let mut contacts = Contacts::new(&model, &system).expect("a good model");
    let low = system.rest.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let x_t0: Vec<_> = system.rest.iter().map(|x| x - low * DVec3::Z).collect();
    let sunk = |x: &DVec3| *x + DVec3::new(2e-3, 0.0, -DEPTH * (1.0 + 5.0 * x.x));
    let x: Vec<_> = x_t0.iter().map(sunk).collect();
    let poses = [Pose::IDENTITY];
    Team::with(|team| contacts.detect(team, [&poses, &poses], [&x_t0, &x], [0.0, model.dt]));
    let weights = Weighted::all(&system, LocalGlobalConfig::default().weight_scale);
    let (matrix, numbering) = assemble::ordered_matrix(&system, &weights, model.dt);
    let masses = numbering.free_vertices().iter().map(|&v| system.masses[v as usize]).collect();
    let q = numbering.vertex_of().iter().map(|&v| Vec4::new(x[v as usize])).collect();
    let panels = Arc::new(PanelFactor::new(&matrix).expect("definite"));
    Case { h: model.dt, system, contacts, numbering, panels, masses, x_t0, q }
}

impl Case {
    fn step<W: FactorEntries<Block: PointSolve>>(&self, method: ContactMethod) -> ContactStep<W> {
        let config = ContactConfig { method, sweeps: 2000, ..ContactConfig::default() };
        let (masses, size) = (self.masses.clone(), self.system.size());
        ContactStep::new(config, Some(self.panels.clone()), masses, self.q.len(), self.h, size)
    }

    /// Prepares the problem of the present positions.
    fn grow<W: FactorEntries<Block: PointSolve>>(&mut self, team: &Team, step: &mut ContactStep<W>) {
        step.refresh(team, &mut self.contacts, self.numbering.index_of(), &self.q);
        step.grow(team, &self.contacts, self.numbering.index_of(), &self.x_t0);
    }

    /// Values of the fields: rotations about the middle, which the block has many of in a little time.
    fn rotations(&self) -> impl Fn(u32, &mut [DVec3]) + use<> {
        let places: Vec<_> = self.q.iter().map(Vec4::point).collect();
        let middle = places.iter().sum::<DVec3>() / places.len() as f64;
        move |row, out| {
            let y = places[row as usize] - middle;
            [DVec3::X, DVec3::Y, DVec3::Z].iter().zip(out).for_each(|(axis, out)| *out = axis.cross(y));
        }
    }

    /// Moves the block by the last change of the forces: `h^2 (A^-1 + J S J^T) C^T df`.
    fn push<W: FactorEntries<Block: PointSolve>>(&mut self, team: &Team, step: &ContactStep<W>, s: &[f64]) {
        let mut load = vec![Vec4::default(); self.masses.len()];
        step.changes_into(&mut load);
        let (rotations, mut torque) = (self.rotations(), [0.0; 3]);
        let at = |row: usize| {
            let mut values = [DVec3::ZERO; 3];
            rotations(row as u32, &mut values);
            values
        };
        let mut scratch = self.panels.scratch(1);
        for (row, load) in load.iter().enumerate() {
            scratch.vector_mut(0)[row] = load.0.map(|x| x as f32);
            at(row).iter().zip(&mut torque).for_each(|(value, torque)| *torque += value.dot(load.point()));
        }
        self.panels.solve(team, &mut scratch);
        for (row, moved) in scratch.vector(0).iter().enumerate().take(self.masses.len()) {
            self.q[row] += DVec3::new(moved[0].into(), moved[1].into(), moved[2].into());
            for (k, value) in at(row).iter().enumerate() {
                let theta: f64 = (0..3).map(|j| s[3 * k + j] * torque[j]).sum();
                self.q[row] += theta * *value;
            }
        }
    }

    /// Largest depth of a contact, and largest gap of one with a force, m.
    fn errors<W: FactorEntries<Block: PointSolve>>(
        &mut self,
        team: &Team,
        step: &mut ContactStep<W>,
    ) -> [f64; 2] {
        step.refresh(team, &mut self.contacts, self.numbering.index_of(), &self.q);
        let mut errors = [0.0f64; 2];
        for (c, f) in self.contacts.contacts().iter().zip(self.contacts.forces()) {
            errors[0] = errors[0].max(-c.gap(&step.x));
            if *f != DVec3::ZERO {
                errors[1] = errors[1].max(c.gap(&step.x));
            }
        }
        errors
    }
}

/// Conjugate residuals, whose products are solves.
fn by_solves() -> ContactMethod {
    let linear = LinearSolve::ConjugateResiduals(60);
    ContactMethod::NonSmoothNewton(NonSmoothNewton {
        linear,
        operator: OperatorChoice::MatrixFree,
        ..NonSmoothNewton::default()
    })
}

#[test]
fn without_fields_the_forces_are_those_of_the_numbers() {
    for method in [ContactMethod::GaussSeidel, ContactMethod::Direct, by_solves()] {
        let (mut one, mut three) = (case(), case());
        let mut numbers = one.step::<ScalarEntries>(method);
        let mut blocks = three.step::<UpdatedEntries>(method);
        Team::with(|team| {
            numbers.begin(&one.contacts, one.numbering.index_of());
            one.grow(team, &mut numbers);
            numbers.solve(team, &mut one.contacts, 0.0);
            blocks.begin(&three.contacts, three.numbering.index_of());
            three.grow(team, &mut blocks);
            blocks.set_update(1.0, 0, |_| None, |_, _| (), |_| None, &[]);
            blocks.solve(team, &mut three.contacts, 0.0);
        });
        let largest = one.contacts.forces().iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(largest > 0.0);
        for (a, b) in one.contacts.forces().iter().zip(three.contacts.forces()) {
            assert!((a - b).length() < 1e-4 * largest, "{method:?}: {a:?} {b:?}");
        }
        assert_eq!(numbers.kept_rows(), blocks.kept_rows());
    }
}

#[test]
fn what_fields_add_is_known_to_the_forces_in_every_iteration() {
    for (method, iterations) in
        [(ContactMethod::GaussSeidel, 2), (ContactMethod::Direct, 3), (by_solves(), 12)]
    {
        let mut case = case();
        let mut step = case.step::<UpdatedEntries>(method);
        Team::with(|team| {
            step.begin(&case.contacts, case.numbering.index_of());
            let errors = case.errors(team, &mut step);
            assert!(errors[0] > DEPTH);
            let inertia: f64 = case.masses.iter().sum::<f64>() * 1e-3;
            for k in 0..iterations {
                case.grow(team, &mut step);
                let s: [f64; 9] = std::array::from_fn(|i| {
                    if i % 4 == 0 { (1.0 + 0.2 * k as f64) / inertia } else { -0.1 / inertia }
                });
                step.set_update(1.0, 3, |_| Some(0), case.rotations(), |_| None, &s);
                step.solve(team, &mut case.contacts, 0.0);
                case.push(team, &step, &s);
            }
            let errors = case.errors(team, &mut step);
            assert!(errors.iter().all(|e| *e < LEFT * DEPTH), "{method:?}: {errors:?}");
        });
    }
}
