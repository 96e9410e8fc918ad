//! What a solver is given depends on how it takes contact.

use super::*;
use crate::model::{Body, Model, Obstacle, Pin, PinKind};
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::{Kind, SettingError, Value};
use crate::{Law, Material, Motion};
use pliant_collide::{BodyId, Shape};
use pliant_mesh::{Mesh, block};

/// A solver that notes where it starts, and brings every vertex to its target.
#[derive(Clone, Debug)]
struct Noting {
    kind: &'static Kind,
    first: Vec<DVec3>,
    contacts: usize,
    solved: usize,
}

static BARRIER: Kind = kind(ContactUse::Barrier);
static ROWS: Kind = kind(ContactUse::Rows);
static NONE: Kind = kind(ContactUse::None);

const fn kind(contact: ContactUse) -> Kind {
    Kind { name: "noting", about: "", snapshot_id: 77, contact, stages: &[], counters: &[], presets: &[] }
}

impl Solver for Noting {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        self.kind
    }

    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [DVec3],
        _: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        self.first = x.to_vec();
        self.contacts = contacts.len();
        self.solved += 1;
        x.copy_from_slice(input.inertial);
        for (&(vertex, _), target) in input.system.held.iter().zip(input.pin_targets) {
            x[vertex as usize] = *target;
        }
        Ok(StepOutcome::default())
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn retune(&mut self, _: &str, _: Value) -> Result<(), SettingError> {
        Ok(())
    }
}

/// One step of a falling cube, close above the ground, with a pin that moves; the ground counts if it is seen at all.
fn stepped(kind: &'static Kind) -> (Noting, State, DVec3) {
    let mesh = block([0.1; 3], [1; 3]).expect("valid sizes");
    let material = Material { law: Law::Arap, youngs: 1e5, poisson: 0.3 };
    let body = Body { velocity: -DVec3::Z, ..Body::new("cube", Mesh::Tet(mesh), material) };
    let motion = Motion::Velocity { velocity: 3.0 * DVec3::X, start: 0.0, stop: f64::INFINITY };
    let pin = Pin {
        name: "top".into(),
        body: BodyId(0),
        vertices: vec![7],
        kind: PinKind::Hard,
        motion,
        during: crate::model::Interval::ALWAYS,
    };
    let ground = Obstacle {
        name: "ground".into(),
        shape: Shape::Plane,
        placement: Pose { translation: -1e-3 * DVec3::Z, ..Pose::IDENTITY },
        motion: Motion::Fixed,
        friction: None,
        matchstick: None,
    };
    let model = Model { bodies: vec![body], pins: vec![pin], obstacles: vec![ground], ..Model::default() };
    let system = System::build(&model).expect("a good model");
    let mut contacts = match kind.contact {
        ContactUse::None => Contacts::default(),
        _ => Contacts::new(&model, &system).expect("a good model"),
    };
    let mut state = system.start_state(&model);
    let before = state.clone();
    let mut solver = Noting { kind, first: Vec::new(), contacts: 0, solved: 0 };
    let mut work = Workspace::new(&system);
    let moving = Moving { solver: &mut solver, state: &mut state, contacts: &mut contacts, work: &mut work };
    step(&system, model.gravity, moving, &mut Timings::default()).expect("a step");
    let target = before.positions[7];
    assert!((state.positions[7].x - target.x - 3.0 * model.dt).abs() < 1e-12, "pins reach their targets");
    (solver, before, target)
}

#[test]
fn a_barrier_starts_where_nothing_touches_and_no_guard_follows() {
    let (solver, before, _) = stepped(&BARRIER);
    assert_eq!(solver.first, before.positions, "pins have not jumped either");
    assert_eq!(solver.solved, 1, "no guard asks for another solve");
    assert_eq!(solver.contacts, 0, "it looks for contacts by itself");
}

#[test]
fn rows_start_with_pins_at_their_targets() {
    let (solver, before, start) = stepped(&ROWS);
    assert!((solver.first[7].x - start.x - 0.03).abs() < 1e-12, "{:?}", solver.first[7]);
    assert!(solver.first[0].z < before.positions[0].z, "free vertices start at q + h v");
    assert!(solver.contacts > 0);
}

#[test]
fn without_contact_nothing_is_detected() {
    let (solver, _, start) = stepped(&NONE);
    assert_eq!((solver.contacts, solver.solved), (0, 1));
    assert!((solver.first[7].x - start.x - 0.03).abs() < 1e-12);
}
