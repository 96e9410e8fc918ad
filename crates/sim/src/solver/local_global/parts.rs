//! The connected parts of the bodies and their rigid rotations.
//!
//! A penalises rotations that cost no energy: a rotation `J = [omega x y]` has `H J = N J`, but `A J = (N + K) J`, where N
//! is mass, mass damping and soft pins, and K the rest of A. The metric of the Newton iteration is therefore
//!
//! ```text
//! B = P A^-1 P^T + Z E^-1 Z^T,   Z the rotations of each part,   E = Z^T N Z,   P = 1 - Z E^-1 Z^T N
//! ```
//!
//! Translations are exact in A already, since `A 1 = N 1`. Hard pins leave a part three rotations about one point, one
//! about a line, or none.

use super::{PIECE, Vec4};
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::fem::parts::{connected_parts, positive_inverse, rotation};
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};
use std::ops::Range;
use std::sync::Arc;

/// Distance from a line, as a part of the distance along it, above which pins do not lie on the line.
const OFF_LINE: f64 = 1e-6;

/// Most numbers that are summed at once.
const SUMS: usize = 12;

/// Sums over the rows of a part.
pub(super) type Sums = [f64; SUMS];

/// The parts of all bodies, and their frames at the present iterate.
#[derive(Clone, Debug)]
pub(in crate::solver) struct Parts {
    layout: Arc<Layout>,
    frames: Vec<Frame>,
    /// Whether some part can move as a whole.
    can_move: bool,
    /// Sums of each run, then of each part.
    partial: Vec<Sums>,
    sums: Vec<Sums>,
}

/// What never changes.
#[derive(Debug)]
struct Layout {
    /// The part of each free row.
    part_of: Vec<u32>,
    /// Consecutive rows of one part, in the order of the rows: what a thread sums at a time.
    runs: Vec<(u32, Range<usize>)>,
    /// Solver indices of the hard-pinned vertices of each part.
    pinned: Vec<Vec<u32>>,
    /// N of each free row: `m (1 + h alpha) + h^2 k`.
    inertia: Vec<f64>,
    /// What stiffness-proportional damping adds to the inertia of a rotation: `2 sum h beta 2 mu V`.
    drag: Vec<f64>,
}

/// How a part can turn, and about which point.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::solver) struct Frame {
    pub(super) center: DVec3,
    /// `E^-1`, restricted to the axes that pins allow; zero where there are none.
    pub(super) inverse: DMat3,
    /// Sum of N where the part can also translate, else zero.
    pub(super) mass: f64,
}

impl Frame {
    /// `1 / mass` where the part can translate, else zero.
    #[inline(always)]
    pub(super) fn inverse_mass(&self) -> f64 {
        if self.mass > 0.0 { 1.0 / self.mass } else { 0.0 }
    }
}

/// A finite motion of a part: a shift, then a rotation about the shifted centre.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct RigidMotion {
    center: DVec3,
    shift: DVec3,
    omega: DVec3,
    rotation: DMat3,
}

impl Parts {
    /// The parts of `system` with time step `h`.
    pub(in crate::solver) fn new(system: &System, numbering: &Numbering, h: f64) -> Parts {
        let part_of_vertex = connected_parts(system);
        let count = part_of_vertex.iter().max().map_or(0, |&p| p as usize + 1);
        let free = numbering.free();
        let part_of: Vec<u32> =
            numbering.free_vertices().iter().map(|&v| part_of_vertex[v as usize]).collect();
        let mut pinned = vec![Vec::new(); count];
        for (i, &v) in numbering.vertex_of().iter().enumerate().skip(free) {
            pinned[part_of_vertex[v as usize] as usize].push(i as u32);
        }
        let mut inertia: Vec<f64> = numbering
            .free_vertices()
            .iter()
            .map(|&v| system.masses[v as usize] * (1.0 + h * system.mass_damping[v as usize]))
            .collect();
        for s in &system.springs {
            if let Some(row) = numbering.row(s.vertex) {
                inertia[row as usize] += h * h * s.stiffness;
            }
        }
        let mut drag = vec![0.0; count];
        let tets = system.tets.iter().map(|t| (t.vertices[0], t.volume, t.material));
        let triangles = system.triangles.iter().map(|t| (t.vertices[0], t.volume, t.material));
        for (v, volume, material) in tets.chain(triangles) {
            let m = &system.materials[material as usize];
            drag[part_of_vertex[v as usize] as usize] += 2.0 * h * m.damping * 2.0 * m.mu * volume;
        }
        let runs = runs(&part_of);
        Parts {
            frames: vec![Frame::default(); count],
            can_move: true,
            partial: vec![[0.0; SUMS]; runs.len()],
            sums: vec![[0.0; SUMS]; count],
            layout: Arc::new(Layout { part_of, runs, pinned, inertia, drag }),
        }
    }

    /// Number of parts.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The part of a free row.
    #[inline(always)]
    pub(in crate::solver) fn of(&self, row: usize) -> usize {
        self.layout.part_of[row] as usize
    }

    /// The mean way of the hard pins of each part from one list of positions to another.
    pub(super) fn ways_of_pins(&self, from: &[Vec4], to: &[Vec4]) -> Vec<DVec3> {
        let way = |i: &u32| (to[*i as usize] - from[*i as usize]).point();
        let mean = |pins: &Vec<u32>| pins.iter().map(way).sum::<DVec3>() / pins.len().max(1) as f64;
        self.layout.pinned.iter().map(mean).collect()
    }

    /// Shifts the hard pins of each part.
    pub(super) fn shift_pins(&self, by: &[DVec3], q: &mut [Vec4]) {
        for (pins, by) in self.layout.pinned.iter().zip(by) {
            pins.iter().for_each(|&i| q[i as usize] += *by);
        }
    }

    /// N of all free rows.
    pub(super) fn inertias(&self) -> &[f64] {
        &self.layout.inertia
    }

    /// N of a free row.
    #[inline(always)]
    pub(super) fn inertia(&self, row: usize) -> f64 {
        self.layout.inertia[row]
    }

    /// The frames of the last [`refresh`](Self::refresh).
    pub(in crate::solver) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Whether stiffness-proportional damping, which resists rotations, acts in a part.
    pub(in crate::solver) fn is_damped(&self, part: usize) -> bool {
        self.layout.drag[part] > 0.0
    }

    /// Whether some part can move as a whole: pins may hold all of them.
    #[inline(always)]
    pub(super) fn can_move(&self) -> bool {
        self.can_move
    }

    /// Whether some part can turn.
    pub(super) fn can_turn(&self) -> bool {
        self.frames.iter().any(|f| f.inverse != DMat3::ZERO)
    }

    /// Sums up to [`SUMS`] numbers of each part and row over the rows of each part, in an order that does not depend on
    /// the threads.
    pub(super) fn sum(&mut self, team: &Team, of_row: impl Fn(usize, usize, &mut Sums) + Sync) {
        let Parts { layout, partial, sums, .. } = self;
        team.for_each_mut(partial, |k, sum| {
            *sum = [0.0; SUMS];
            let (part, rows) = &layout.runs[k];
            rows.clone().for_each(|row| of_row(*part as usize, row, sum));
        });
        sums.fill([0.0; SUMS]);
        for ((part, _), add) in layout.runs.iter().zip(partial) {
            for (sum, x) in sums[*part as usize].iter_mut().zip(add) {
                *sum += *x;
            }
        }
    }

    /// The sums of the last call.
    pub(super) fn sums(&self) -> &[Sums] {
        &self.sums
    }

    /// Like [`sum`](Self::sum), with N of each row.
    pub(super) fn sum_weighted(&mut self, team: &Team, of_row: impl Fn(f64, usize, usize, &mut Sums) + Sync) {
        let layout = self.layout.clone();
        self.sum(team, |part, row, sum| of_row(layout.inertia[row], part, row, sum));
    }

    /// Like [`sum`](Self::sum), with N of each row and its arm from the centre of its part.
    pub(super) fn sum_arms(
        &mut self,
        team: &Team,
        q: &[Vec4],
        of_row: impl Fn(f64, DVec3, usize, &mut Sums) + Sync,
    ) {
        let (layout, frames) = (self.layout.clone(), std::mem::take(&mut self.frames));
        self.sum(team, |part, row, sum| {
            of_row(layout.inertia[row], q[row].point() - frames[part].center, row, sum);
        });
        self.frames = frames;
    }

    /// Finds how each part can turn at positions `q`.
    pub(in crate::solver) fn refresh(&mut self, team: &Team, q: &[Vec4]) {
        self.refresh_with(team, q, |_| 0.0);
    }

    /// The same where each row has `more` inertia than N.
    pub(in crate::solver) fn refresh_with(
        &mut self,
        team: &Team,
        q: &[Vec4],
        more: impl Fn(usize) -> f64 + Sync,
    ) {
        let layout = self.layout.clone();
        let is_held = |pins: &Vec<u32>| matches!(Freedom::left_by(pins, q), Freedom::None);
        self.can_move = !layout.pinned.iter().all(is_held);
        if !self.can_move {
            for (frame, pins) in self.frames.iter_mut().zip(&layout.pinned) {
                *frame = Frame { center: q[pins[0] as usize].point(), ..Frame::default() };
            }
            return;
        }
        self.sum(team, |_, row, sum| {
            let n = layout.inertia[row] + more(row);
            let x = q[row].point();
            sum[0] += n;
            add3(sum, 1, n * x);
        });
        for (part, frame) in self.frames.iter_mut().enumerate() {
            let sum = &self.sums[part];
            let pinned = &layout.pinned[part];
            *frame = Frame::default();
            match pinned.first() {
                None if sum[0] > 0.0 => {
                    frame.mass = sum[0];
                    frame.center = get3(sum, 1) / sum[0];
                }
                None => {}
                Some(&first) => frame.center = q[first as usize].point(),
            }
        }
        self.sum_arms(team, q, |n, y, row, sum| {
            let n = n + more(row);
            let (x, square) = (n * y, n * y.length_squared());
            let upper = [
                square - x.x * y.x,
                -x.x * y.y,
                -x.x * y.z,
                square - x.y * y.y,
                -x.y * y.z,
                square - x.z * y.z,
            ];
            sum.iter_mut().zip(upper).for_each(|(sum, x)| *sum += x);
        });
        for (part, frame) in self.frames.iter_mut().enumerate() {
            let [xx, xy, xz, yy, yz, zz, ..] = self.sums[part];
            let drag = layout.drag[part];
            let inertia = DMat3::from_cols_array(&[xx + drag, xy, xz, xy, yy + drag, yz, xz, yz, zz + drag]);
            frame.inverse = restricted_inverse(&inertia, &Freedom::left_by(&layout.pinned[part], q));
        }
    }

    /// The rigid motion of each part that the forces `r` cause, into `motions`: `E^-1 Z^T r`.
    pub(in crate::solver) fn balance(
        &mut self,
        team: &Team,
        q: &[Vec4],
        r: &[Vec4],
        motions: &mut Vec<RigidMotion>,
    ) {
        self.motions_by(team, q, |_, row| r[row].point(), motions);
    }

    /// The rigid part of the motion `d` of each part, into `motions`: shift and rotation in the metric of N.
    pub(in crate::solver) fn motions(
        &mut self,
        team: &Team,
        q: &[Vec4],
        d: &[Vec4],
        motions: &mut Vec<RigidMotion>,
    ) {
        self.motions_by(team, q, |n, row| n * d[row].point(), motions);
    }

    /// The rigid motions that a force on each row causes, by N of the row.
    fn motions_by(
        &mut self,
        team: &Team,
        q: &[Vec4],
        force: impl Fn(f64, usize) -> DVec3 + Sync,
        motions: &mut Vec<RigidMotion>,
    ) {
        if self.can_move {
            self.sum_arms(team, q, |n, y, row, sum| {
                let force = force(n, row);
                add3(sum, 0, force);
                add3(sum, 3, y.cross(force));
            });
        } else {
            self.sums.fill([0.0; SUMS]);
        }
        self.motions_of_sums(motions);
    }

    /// Shift and rotation by sums of forces and torques.
    fn motions_of_sums(&self, motions: &mut Vec<RigidMotion>) {
        motions.clear();
        motions.extend(self.frames.iter().zip(&self.sums).map(|(frame, sum)| {
            let shift = frame.inverse_mass() * get3(sum, 0);
            let omega = frame.inverse * get3(sum, 3);
            RigidMotion { center: frame.center, shift, omega, rotation: rotation(omega) }
        }));
    }
}

impl RigidMotion {
    /// The same without rotation.
    pub(in crate::solver) fn without_rotation(self) -> RigidMotion {
        RigidMotion { omega: DVec3::ZERO, rotation: DMat3::IDENTITY, ..self }
    }

    /// The rotation.
    pub(in crate::solver) fn rotation(&self) -> &DMat3 {
        &self.rotation
    }

    /// Where the point `x` goes if it moves with the part.
    #[inline(always)]
    pub(in crate::solver) fn carried(&self, x: DVec3) -> DVec3 {
        self.center + self.shift + self.rotation * (x - self.center)
    }

    /// The linear displacement of the point `x`.
    #[inline(always)]
    pub(in crate::solver) fn rigid(&self, x: DVec3) -> DVec3 {
        self.shift + self.omega.cross(x - self.center)
    }

    /// The vector `v` turned.
    #[inline(always)]
    pub(super) fn rotated(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Where the point `x` goes whose linear displacement is `d`, and the velocity with which it gets there if the
    /// motion takes one unit of time.
    #[inline(always)]
    pub(in crate::solver) fn turned(&self, x: DVec3, d: DVec3) -> (DVec3, DVec3) {
        let y = x - self.center;
        let deformed = d - self.shift - self.omega.cross(y);
        let arm = self.rotation * (y + deformed);
        let velocity = self.shift + self.rotation * deformed + self.omega.cross(arm);
        (self.center + self.shift + arm, velocity)
    }
}

/// The rotations that the hard pins of a part leave it.
enum Freedom {
    /// About a point.
    All,
    /// About a line with this direction.
    Line(DVec3),
    None,
}

impl Freedom {
    /// With these pins at `q`.
    fn left_by(pins: &[u32], q: &[Vec4]) -> Freedom {
        let place = |i: &u32| q[*i as usize].point();
        let Some(first) = pins.first().map(place) else { return Freedom::All };
        let far = pins
            .iter()
            .map(|i| place(i) - first)
            .fold(DVec3::ZERO, |far, d| if d.length_squared() > far.length_squared() { d } else { far });
        let length = far.length();
        if length == 0.0 {
            return Freedom::All;
        }
        let axis = far / length;
        let on_line = |i: &u32| (place(i) - first).cross(axis).length() <= OFF_LINE * length;
        if pins.iter().all(on_line) { Freedom::Line(axis) } else { Freedom::None }
    }
}

/// `E^-1` on the axes that pins leave.
fn restricted_inverse(inertia: &DMat3, freedom: &Freedom) -> DMat3 {
    match *freedom {
        Freedom::All => positive_inverse(inertia),
        Freedom::Line(axis) => {
            let about_axis = axis.dot(*inertia * axis);
            let turns = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
            if about_axis > 0.0 { turns * (1.0 / about_axis) } else { DMat3::ZERO }
        }
        Freedom::None => DMat3::ZERO,
    }
}

#[inline(always)]
pub(super) fn add3(sum: &mut Sums, at: usize, v: DVec3) {
    sum[at] += v.x;
    sum[at + 1] += v.y;
    sum[at + 2] += v.z;
}

#[inline(always)]
pub(super) fn get3(sum: &Sums, at: usize) -> DVec3 {
    DVec3::new(sum[at], sum[at + 1], sum[at + 2])
}

/// Runs of rows of the same part, none longer than a piece.
fn runs(part_of: &[u32]) -> Vec<(u32, Range<usize>)> {
    let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
    for (row, &part) in part_of.iter().enumerate() {
        match runs.last_mut() {
            Some((p, rows)) if *p == part && rows.len() < PIECE => rows.end = row + 1,
            _ => runs.push((part, row..row + 1)),
        }
    }
    runs
}
