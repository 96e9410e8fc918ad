//! Free parts keep their spin.
//!
//! Implicit Euler damps every rotation: forces without torque at the end of the step make the rotation theta' of a rigid
//! part follow `2 sin theta' = sin (theta + theta')`, a loss of `theta^2` in each step. A ball that rolls with 20 rad/s
//! at h = 0.01 s loses 4 % of its spin per step. What the balance of torques at the end of the step lacks is known:
//!
//! ```text
//! sum m y1 x (y1 - y~ - s) = h^2 torque,   y~ = y0 + h w0
//! sum m y1 x w1 = sum m y0 x w0 + h torque,   w1 = (y1 - y0) / h,   if and only if
//! sum m y1 x s = -h sum m (y1 - y0) x w0
//! ```
//!
//! with places y and velocities w relative to the mass centre. So the prediction of a free part is turned by a small `s =
//! phi x y*`, of third order in theta, for the places y* where the part would get as a rigid one without torque. What the
//! true y1 then lacks is added to the velocities. A rigid part turns as in the integrator of Moser and Veselov, "Discrete
//! versions of some classical integrable systems" (1991), which is symplectic. Forces that stretch a turning part stay.

use crate::fem::System;
use crate::fem::parts::{positive_inverse, rotation};
use crate::state::State;
use pliant_mesh::{DMat3, DVec3};

/// Rotation per step in rad beyond which it is not clear how far a part has turned: implicit Euler slows it down first.
const FASTEST: f64 = 1.0;

/// Rotation of the prediction in rad that is not worth a pass over the vertices.
const NEGLIGIBLE: f64 = 1e-14;

/// Iterations for the rotation of a step; each makes its error smaller by a factor `theta^2 / 2` about.
const MOST_ITERATIONS: usize = 30;

/// How a free part turns in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    /// Mass, mass centre and its velocity at the start.
    mass: f64,
    center: DVec3,
    drift: DVec3,
    /// From y0 to y*.
    turn: DMat3,
    /// Rotation of the prediction.
    phi: DVec3,
    /// Change of the angular momentum that keeps the energy from growing.
    change: DVec3,
    /// How much of the correction is applied.
    share: f64,
}

/// Turns the prediction of every free part; `spins` says how.
pub(super) fn predict(system: &System, state: &State, inertial: &mut [DVec3], spins: &mut Vec<Option<Spin>>) {
    spins.clear();
    spins.extend(system.free_parts.iter().map(|part| Moments::new(system, state, part).spin(system.dt)));
    for (part, spin) in turning(system, spins) {
        for v in part {
            inertial[v] += spin.share * spin.shift(state.positions[v]);
        }
    }
}

/// Adds to the velocities of `state`, which is at the end of the step, what the angular momentum lacks. `start` are the
/// positions and velocities at its start.
pub(super) fn correct(system: &System, start: [&[DVec3]; 2], state: &mut State, spins: &[Option<Spin>]) {
    let ([x0, v0], h) = (start, system.dt);
    for (part, spin) in turning(system, spins) {
        let moment: DVec3 = part.clone().map(|v| system.masses[v] * (state.positions[v] - spin.center)).sum();
        let center = spin.center + moment / spin.mass;
        let (mut missing, mut inertia) = (spin.change, DMat3::ZERO);
        for v in part.clone() {
            let m = system.masses[v];
            let (y0, y1, w0) = (x0[v] - spin.center, state.positions[v] - center, v0[v] - spin.drift);
            missing += m * ((y0 - y1).cross(w0) - y1.cross(spin.shift(x0[v])) / h);
            inertia += outer(m * y1, y1);
        }
        let omega = spin.share * (inverse_inertia(&inertia) * missing);
        for v in part {
            state.velocities[v] += omega.cross(state.positions[v] - center);
        }
    }
}

/// The vertices of each part that turns.
fn turning<'a>(
    system: &'a System,
    spins: &'a [Option<Spin>],
) -> impl Iterator<Item = (impl Iterator<Item = usize> + Clone + 'a, &'a Spin)> {
    let parts = system.free_parts.iter().zip(spins);
    parts.filter_map(|(part, spin)| Some((part.iter().map(|&v| v as usize), spin.as_ref()?)))
}

impl Spin {
    /// `s` of a vertex that is at `x` at the start.
    fn shift(&self, x: DVec3) -> DVec3 {
        self.phi.cross(self.turn * (x - self.center))
    }
}

/// Moments of the mass and of the momentum of a part about its mass centre.
struct Moments {
    total: f64,
    center: DVec3,
    drift: DVec3,
    /// `sum m y y^T`
    mass: DMat3,
    /// `sum m w y^T`
    momentum: DMat3,
    /// `sum m w^2`
    energy: f64,
}

impl Moments {
    fn new(system: &System, state: &State, vertices: &[u32]) -> Moments {
        let first = vertices[0] as usize;
        let [origin, speed] = [state.positions[first], state.velocities[first]];
        // About the first vertex, in one pass.
        let (mut total, mut energy) = (0.0, 0.0);
        let [mut at, mut drift] = [DVec3::ZERO; 2];
        let [mut mass, mut momentum] = [DMat3::ZERO; 2];
        for v in vertices.iter().map(|&v| v as usize) {
            let (m, y, w) = (system.masses[v], state.positions[v] - origin, state.velocities[v] - speed);
            total += m;
            at += m * y;
            drift += m * w;
            energy += m * w.length_squared();
            mass += outer(m * y, y);
            momentum += outer(m * w, y);
        }
        let (at, drift) = (at / total, drift / total);
        Moments {
            total,
            center: origin + at,
            drift: speed + drift,
            mass: mass - outer(total * at, at),
            momentum: momentum - outer(total * drift, at),
            energy: energy - total * drift.length_squared(),
        }
    }

    /// How the part turns in a step of length h without torque; none if there is nothing to correct.
    fn spin(&self, h: f64) -> Option<Spin> {
        let inverse = inverse_inertia(&self.mass);
        // sum m y0 x (R y0) = h L for R = exp theta.
        let spin = h * axial(&self.momentum);
        let spin_of = |turn: &DMat3| axial(&(*turn * self.mass));
        let mut theta = inverse * spin;
        for _ in 0..MOST_ITERATIONS {
            let angle = theta.length();
            if angle.is_nan() || angle > FASTEST {
                return None;
            }
            let missing = inverse * (spin - spin_of(&rotation(theta)));
            theta += missing;
            if missing.length() < NEGLIGIBLE {
                break;
            }
        }
        let turn = rotation(self.without_gain(theta, h));
        // The torque of y~ - y* about the centre, which s takes away.
        let torque = -axial(&((self.mass + h * self.momentum) * turn.transpose()));
        let share = self.share_of_rotation(inverse * spin, spin, h);
        let phi = turn * (inverse * (turn.transpose() * torque));
        let change = (spin_of(&turn) - spin) / h;
        let Moments { total: mass, center, drift, .. } = *self;
        (share * phi.length() > NEGLIGIBLE).then_some(Spin { mass, center, drift, turn, phi, change, share })
    }

    /// The whole correction is for parts that turn as a whole: nothing where less than half of the energy of the motion about the
    /// mass centre is that of the rotation, everything from 0.8 on. A cloth that flutters has other losses.
    fn share_of_rotation(&self, theta: DVec3, spin: DVec3, h: f64) -> f64 {
        let rotation = theta.dot(spin) / (h * h);
        if self.energy > 0.0 { ((rotation / self.energy - 0.5) / 0.3).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The rotation theta, or as much of it as does not raise the energy: it would rise from velocities along the circle at
    /// the start, and now and then where a part tumbles. A rotation along chords has the energy of `2 sin(theta / 2)`.
    fn without_gain(&self, theta: DVec3, h: f64) -> DVec3 {
        let angle = theta.length();
        let energy = 2.0 * (trace(&self.mass) - trace(&(rotation(theta) * self.mass))) / (h * h);
        if energy <= self.energy || angle == 0.0 {
            return theta;
        }
        let chord = (0.5 * angle).sin() * (self.energy / energy).sqrt();
        theta * (2.0 * chord.asin() / angle)
    }
}

/// The inverse of the inertia of a part with moments `mass`.
fn inverse_inertia(mass: &DMat3) -> DMat3 {
    positive_inverse(&(DMat3::from_diagonal(DVec3::splat(trace(mass))) - *mass))
}

/// `a b^T`
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `sum y x w` of a matrix `sum w y^T`.
fn axial(m: &DMat3) -> DVec3 {
    DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x)
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
