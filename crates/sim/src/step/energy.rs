//! A step that ends with more energy than it began with, and than was put in, is no solution of the implicit step: it is
//! shortened until it does not. This is the last resort where contact was not solved, as in an impact that is faster than the
//! iteration can follow. It takes momentum out, never in.
//!
//! Forces that do not depend on the positions are what the prediction has of them: `h^2 f = M (q~ - q_t - h v)`.

use super::Workspace;
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::energy::body_elastic_energy;
use crate::state::State;
use pliant_collide::Side;
use pliant_mesh::DVec3;

/// Growth of the energy that is rounding, or what the iteration leaves.
const ALLOWED: f64 = 1e-4;

/// How often a step is halved before nothing of it is left.
const HALVINGS: i32 = 6;

/// Bodies that touch each other, directly or by others, and what the obstacles do to them.
struct Island {
    bodies: Vec<usize>,
    /// Work of the obstacles by their forces, and the most that collisions with them can do, in J.
    pushed: f64,
    most_work: f64,
    /// An obstacle that moves and that one of them touches, and whether they touch another one too.
    carrier: Option<usize>,
    touches_others: bool,
}

/// The energy of bodies before and after a step, in J.
struct Balance {
    start: f64,
    /// At the end, without what moves.
    end: f64,
    kinetic: f64,
    /// Work of forces that do not depend on the positions.
    loads: f64,
}

/// Whether the bodies have more energy at `next` than they had, and than forces put in. Where pins or obstacles move this is not
/// known, and false.
pub(super) fn has_grown(
    system: &System,
    state: &State,
    contacts: &Contacts,
    work: &Workspace,
    next: &[DVec3],
) -> bool {
    let bodies = 0..system.bodies.len();
    let carried = contacts.contacts().iter().any(|c| c.anchor_motion != DVec3::ZERO);
    if carried || bodies.clone().any(|b| is_driven(system, state, work, b)) {
        return false;
    }
    let Balance { start, end, kinetic, loads } = balance(system, state, work, next, bodies);
    end + kinetic > start + ALLOWED * (start + loads.abs())
}

fn balance(
    system: &System,
    state: &State,
    work: &Workspace,
    next: &[DVec3],
    bodies: impl Iterator<Item = usize> + Clone,
) -> Balance {
    let h = system.dt;
    let (mut start, mut kinetic, mut loads) = (0.0, 0.0, 0.0);
    for v in bodies.clone().flat_map(|b| system.bodies[b].vertices.clone()) {
        let (m, x, way) = (system.masses[v], state.positions[v], next[v] - state.positions[v]);
        let force = m * (work.inertial[v] - x - h * state.velocities[v]) / (h * h);
        start += 0.5 * m * state.velocities[v].length_squared();
        kinetic += 0.5 * m * way.length_squared() / (h * h);
        loads += force.dot(way);
    }
    start += elastic_energy(system, bodies.clone(), &state.positions);
    Balance { start, end: elastic_energy(system, bodies, next) - loads, kinetic, loads }
}

fn elastic_energy(system: &System, bodies: impl Iterator<Item = usize>, x: &[DVec3]) -> f64 {
    bodies.map(|b| body_elastic_energy(system, &system.bodies[b], x)).sum()
}

/// Shortens the step to `next` for bodies that gain energy. What touches a moving obstacle is where that has brought it: such bodies
/// are `slowed`, each with the part of its velocity that is left. Returns the number of vertices.
pub(super) fn keep_from_growing(
    system: &System,
    state: &State,
    contacts: &Contacts,
    work: &Workspace,
    next: &mut [DVec3],
    slowed: &mut Vec<(usize, f64)>,
) -> usize {
    let mut stopped = 0;
    for island in islands(system, state, contacts) {
        let moves_by_itself = |&body: &usize| is_driven(system, state, work, body);
        if island.bodies.iter().any(moves_by_itself) {
            continue;
        }
        let bodies = || island.bodies.iter().copied();
        let Balance { start, end, kinetic, loads } = balance(system, state, work, next, bodies());
        // What presses a body together does as much work as that stores.
        let stored = end + loads - elastic_energy(system, bodies(), &state.positions);
        // Of speeds beyond all bounds the most is no number: then it is no bound.
        let done = island.pushed.min(island.most_work + stored.max(0.0)).max(0.0);
        let most = start + done + ALLOWED * (start + loads.abs());
        if end + kinetic <= most {
            continue;
        }
        let vertices = || bodies().flat_map(|b| system.bodies[b].vertices.clone());
        let is_held = || system.held.iter().any(|&(v, _)| vertices().any(|w| w == v as usize));
        match island.carrier {
            None => shorten(system, &island, &state.positions, next, |x, part| {
                elastic_energy(system, bodies(), x) + part * part * kinetic - part * loads <= most
            }),
            // What is at a moving obstacle goes along with it, at least.
            Some(obstacle) if !(end <= most || island.touches_others || is_held()) => {
                let [from, to] = [&work.poses[0], &work.poses[1]].map(|poses| &poses[obstacle]);
                let carried: Vec<DVec3> = state.positions.iter().map(|&x| to.place(from.local(x))).collect();
                shorten(system, &island, &carried, next, |x, part| {
                    elastic_energy(system, bodies(), x) - part * loads <= most
                });
            }
            Some(_) => {}
        }
        if island.carrier.is_some() {
            let Balance { end, kinetic, .. } = balance(system, state, work, next, bodies());
            let left = ((most - end) / kinetic).clamp(0.0, 1.0).sqrt();
            slowed.extend(bodies().map(|b| (b, if left.is_nan() { 0.0 } else { left })));
        }
        stopped += vertices().count();
    }
    stopped
}

/// Halves the way of the bodies of an island from `from` to `next` until it is short enough, at last to nothing.
fn shorten(
    system: &System,
    island: &Island,
    from: &[DVec3],
    next: &mut [DVec3],
    is_short_enough: impl Fn(&[DVec3], f64) -> bool,
) {
    let vertices = || island.bodies.iter().flat_map(|&b| system.bodies[b].vertices.clone());
    let whole: Vec<DVec3> = vertices().map(|v| next[v]).collect();
    for halving in 1..=HALVINGS {
        let part = if halving == HALVINGS { 0.0 } else { 0.5_f64.powi(halving) };
        for (v, &to) in vertices().zip(&whole) {
            next[v] = from[v] + part * (to - from[v]);
        }
        if is_short_enough(next, part) {
            break;
        }
    }
}

/// Whether pins, pressure, wind or soft pins do work on a body: then its energy may grow.
fn is_driven(system: &System, state: &State, work: &Workspace, body: usize) -> bool {
    let vertices = &system.bodies[body].vertices;
    let mut pins = system.held.iter().zip(&work.pin_targets);
    let moved =
        pins.any(|(&(v, _), &to)| vertices.contains(&(v as usize)) && to != state.positions[v as usize]);
    let blown = |v: usize| work.drags.get(v).is_some_and(|d| d.pull != DVec3::ZERO);
    moved
        || vertices.clone().any(blown)
        || system.springs.iter().any(|s| vertices.contains(&(s.vertex as usize)))
        || system
            .pressures
            .iter()
            .any(|p| p.triangles.iter().flatten().any(|&v| vertices.contains(&(v as usize))))
}

/// The bodies that touch something, in islands.
fn islands(system: &System, state: &State, contacts: &Contacts) -> Vec<Island> {
    let count = system.bodies.len();
    let mut leader: Vec<usize> = (0..count).collect();
    let mut touches = vec![false; count];
    let mut pushed = vec![0.0; count];
    let mut carried: Vec<Option<usize>> = vec![None; count];
    let mut met: Vec<Option<usize>> = vec![None; count];
    let mut others = vec![false; count];
    for (contact, force) in contacts.contacts().iter().zip(contacts.forces()) {
        let [first, second] = contact.sides.map(|side| match side {
            Side::Body(body) => Some(body.index()),
            Side::Obstacle(_) => None,
        });
        let Some(first) = first else { continue };
        touches[first] = true;
        match second {
            Some(second) => {
                touches[second] = true;
                let (a, b) = (find(&leader, first), find(&leader, second));
                leader[a.max(b)] = a.min(b);
            }
            None => {
                pushed[first] += force.dot(contact.anchor_motion);
                if let Side::Obstacle(obstacle) = contact.sides[1] {
                    let obstacle = Some(obstacle.index());
                    others[first] |= met[first].is_some_and(|met| Some(met) != obstacle);
                    met[first] = obstacle;
                    if contact.anchor_motion != DVec3::ZERO {
                        carried[first] = carried[first].or(obstacle);
                    }
                }
            }
        }
    }
    let mut islands: Vec<Island> = Vec::new();
    let mut of_leader = vec![usize::MAX; count];
    for body in (0..count).filter(|&b| touches[b]) {
        let leader = find(&leader, body);
        if of_leader[leader] == usize::MAX {
            of_leader[leader] = islands.len();
            islands.push(Island {
                bodies: Vec::new(),
                pushed: 0.0,
                most_work: 0.0,
                carrier: None,
                touches_others: false,
            });
        }
        let island = &mut islands[of_leader[leader]];
        island.bodies.push(body);
        // Of what several bodies touch nobody keeps a list.
        island.touches_others |= others[body] || island.bodies.len() > 1;
        island.carrier = island.carrier.or(carried[body]);
        island.pushed += pushed[body].max(0.0);
        island.most_work += most_work(system, state, contacts, body);
    }
    islands
}

/// What an obstacle of speed u can do at most to a body of speed v by a collision without any loss: `2 m u (u + v)`.
fn most_work(system: &System, state: &State, contacts: &Contacts, body: usize) -> f64 {
    let of_body = |side: Side| matches!(side, Side::Body(b) if b.index() == body);
    let own = contacts.contacts().iter().filter(|c| of_body(c.sides[0]));
    let u = own.fold(0.0, |u: f64, c| u.max(c.anchor_motion.length())) / system.dt;
    let range = system.bodies[body].vertices.clone();
    let v = state.velocities[range.clone()].iter().fold(0.0, |v: f64, w| v.max(w.length()));
    2.0 * system.masses[range].iter().sum::<f64>() * u * (u + v)
}

fn find(leader: &[usize], mut of: usize) -> usize {
    while leader[of] != of {
        of = leader[of];
    }
    of
}
