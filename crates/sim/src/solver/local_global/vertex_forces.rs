//! What acts on each free vertex: inertia, the forces of the chunks of elements, soft pins and pressure.
//!
//! Both iterations sum the same terms; they differ in what the chunks say. The forces of chunks are gathered in a fixed
//! order.

use super::{PIECE, Vec4};
use crate::fem::numbering::Numbering;
use crate::fem::{Drag, System};
use crate::solver::StepInput;
use pliant_collide::BodyId;
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};

/// The terms of the residual, in solver order. It never changes.
#[derive(Debug)]
pub(super) struct VertexForces {
    pub(super) h: f64,
    /// Masses and mass damping rates.
    pub(super) masses: Vec<f64>,
    mass_damping: Vec<f64>,
    sources: Sources,
    /// Vertices and stiffness of soft pins, vertices of pressure triangles.
    springs: Vec<(u32, f64)>,
    pressures: Vec<Vec<[u32; 3]>>,
    /// The vertex of each free row.
    vertices: Vec<u32>,
    /// Free bodies, and the solver indices of all their vertices, none of which is held.
    floating: Vec<(BodyId, Vec<u32>)>,
}

impl VertexForces {
    /// For chunks that act on these vertices.
    pub(super) fn new<'a>(
        system: &System,
        chunks: impl Iterator<Item = &'a [u32]> + Clone,
        numbering: &Numbering,
        h: f64,
    ) -> VertexForces {
        let reorder = |values: &[f64]| numbering.vertex_of().iter().map(|&v| values[v as usize]).collect();
        let solver_index = |v: u32| numbering.index_of()[v as usize];
        let renumber = |triangles: &[[u32; 3]]| triangles.iter().map(|t| t.map(solver_index)).collect();
        VertexForces {
            h,
            masses: reorder(&system.masses),
            mass_damping: reorder(&system.mass_damping),
            sources: Sources::new(chunks, numbering.free()),
            springs: system.springs.iter().map(|s| (solver_index(s.vertex), s.stiffness)).collect(),
            pressures: system.pressures.iter().map(|p| renumber(&p.triangles)).collect(),
            vertices: numbering.free_vertices().to_vec(),
            floating: floating_bodies(system, numbering.index_of()),
        }
    }

    /// Moves each free body as a whole so that its linear momentum is exact: internal forces cannot change it, but the
    /// f32 solve does by rounding. The sum of the residual over a body is `sum m (q~ - q) + h^2 f` with the total force f of
    /// its contacts and joints, which must vanish. What is longer than `most` m is no rounding: it is the force of a contact problem
    /// that was not solved, and no reason to throw the body away.
    pub(super) fn keep_momentum(&self, inertial: &[Vec4], forces: &[DVec3], most: f64, q: &mut [Vec4]) {
        debug_assert!(forces.is_empty() || self.floating.iter().all(|(body, _)| body.index() < forces.len()));
        let VertexForces { h, masses, floating, .. } = self;
        for (body, vertices) in floating {
            // No forces at all: nothing touches and nothing is tied.
            let force = forces.get(body.index()).copied().unwrap_or_default();
            let (mut mass, mut sum) = (0.0, h * h * force);
            for &i in vertices {
                let m = masses[i as usize];
                mass += m;
                sum += m * (inertial[i as usize] - q[i as usize]).point();
            }
            let shift = sum / mass;
            if shift.length() <= most {
                vertices.iter().for_each(|&i| q[i as usize] += shift);
            }
        }
    }

    /// `r = M (q~ - q) + h^2 (forces)` on the free vertices, with the `forces` that the chunks have summed at `q`.
    pub(super) fn residual_into<'a>(
        &self,
        team: &Team,
        input: &StepInput,
        state: [&[Vec4]; 3],
        forces: impl Fn(usize) -> &'a [Vec4] + Sync,
        residual: &mut [Vec4],
    ) {
        let gather = |i: usize, inertia: [f64; 4]| self.sources.gather(i, inertia, &forces);
        self.sum_into(team, input, state, gather, residual);
    }

    /// The same without the forces of the chunks.
    pub(super) fn outer_into(
        &self,
        team: &Team,
        input: &StepInput,
        state: [&[Vec4]; 3],
        residual: &mut [Vec4],
    ) {
        self.sum_into(team, input, state, |_, inertia| inertia, residual);
    }

    fn sum_into(
        &self,
        team: &Team,
        input: &StepInput,
        [q, q_t, inertial]: [&[Vec4]; 3],
        gather: impl Fn(usize, [f64; 4]) -> [f64; 4] + Sync,
        residual: &mut [Vec4],
    ) {
        team.for_each_piece(residual, PIECE, |first, out| {
            for (k, r) in out.iter_mut().enumerate() {
                let i = first + k;
                let (m, drag) = (self.masses[i], self.h * self.mass_damping[i]);
                let inertia = std::array::from_fn(|c| {
                    m * (inertial[i].0[c] - q[i].0[c] - drag * (q[i].0[c] - q_t[i].0[c]))
                });
                r.0 = gather(i, inertia);
            }
        });
        self.add_air(team, input, residual, |drag, i| {
            self.h * (self.h * drag.pull - drag.matrix * (q[i] - q_t[i]).point())
        });
        let h2 = self.h * self.h;
        for (&(i, stiffness), anchor) in self.springs.iter().zip(input.anchors) {
            if let Some(r) = residual.get_mut(i as usize) {
                *r += h2 * stiffness * (anchor - q[i as usize].point());
            }
        }
        for (triangles, pressure) in self.pressures.iter().zip(input.pressures) {
            for t in triangles {
                let [a, b, c] = t.map(|v| q[v as usize].point());
                add_to_corners(t, h2 * pressure / 6.0 * (b - a).cross(c - a), residual);
            }
        }
    }

    /// `H p` on the free vertices, with the products that the chunks have summed at `q`.
    pub(super) fn product_into<'a>(
        &self,
        team: &Team,
        input: &StepInput,
        [q, p]: [&[Vec4]; 2],
        products: impl Fn(usize) -> &'a [Vec4] + Sync,
        out: &mut [Vec4],
    ) {
        team.for_each_piece(out, PIECE, |first, out| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = first + k;
                let n = self.masses[i] * (1.0 + self.h * self.mass_damping[i]);
                out.0 = self.sources.gather(i, p[i].0.map(|x| n * x), &products);
            }
        });
        self.add_air(team, input, out, |drag, i| self.h * (drag.matrix * p[i].point()));
        let h2 = self.h * self.h;
        for &(i, stiffness) in &self.springs {
            if let Some(out) = out.get_mut(i as usize) {
                *out += h2 * stiffness * p[i as usize].point();
            }
        }
        for (triangles, pressure) in self.pressures.iter().zip(input.pressures) {
            for t in triangles {
                let [a, b, c] = t.map(|v| q[v as usize].point());
                let [da, db, dc] = t.map(|v| p[v as usize].point());
                let turned = (db - da).cross(c - a) + (b - a).cross(dc - da);
                add_to_corners(t, -h2 * pressure / 6.0 * turned, out);
            }
        }
    }

    /// Adds what the drag of the air gives for each free row.
    fn add_air(
        &self,
        team: &Team,
        input: &StepInput,
        to: &mut [Vec4],
        term: impl Fn(&Drag, usize) -> DVec3 + Sync,
    ) {
        if input.drags.is_empty() {
            return;
        }
        team.for_each_piece(to, PIECE, |first, to| {
            for (k, to) in to.iter_mut().enumerate() {
                *to += term(&input.drags[self.vertices[first + k] as usize], first + k);
            }
        });
    }

    /// Shortens the residual of the vertices that air acts on to what a matrix without air answers well to: `M (M + h D)^-1 r`. It
    /// vanishes where the residual does.
    pub(super) fn allow_for_air(&self, team: &Team, input: &StepInput, residual: &mut [Vec4]) {
        if input.drags.is_empty() {
            return;
        }
        team.for_each_piece(residual, PIECE, |first, residual| {
            for (k, r) in residual.iter_mut().enumerate() {
                let i = first + k;
                let drag = &input.drags[self.vertices[i] as usize];
                let mass = self.masses[i];
                let effective = DMat3::from_diagonal(DVec3::splat(mass)) + self.h * drag.matrix;
                *r = Vec4::new(mass * (effective.inverse() * r.point()));
            }
        });
    }
}

fn add_to_corners(triangle: &[u32; 3], force: DVec3, to: &mut [Vec4]) {
    for &i in triangle {
        if let Some(to) = to.get_mut(i as usize) {
            *to += force;
        }
    }
}

/// For each free vertex the chunk slots that act on it, in the order of the chunks.
#[derive(Debug)]
struct Sources {
    /// The sources of vertex i are `slots[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    slots: Vec<(u32, u32)>,
}

impl Sources {
    /// For chunks that act on these vertices, of which those below `free` can move.
    fn new<'a>(chunks: impl Iterator<Item = &'a [u32]> + Clone, free: usize) -> Sources {
        let mut first = vec![0u32; free + 1];
        for &v in chunks.clone().flatten().filter(|v| (**v as usize) < free) {
            first[v as usize + 1] += 1;
        }
        for i in 0..free {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut slots = vec![(0, 0); first[free] as usize];
        for (k, vertices) in chunks.enumerate() {
            for (slot, &v) in vertices.iter().enumerate().filter(|(_, v)| (**v as usize) < free) {
                slots[next[v as usize] as usize] = (k as u32, slot as u32);
                next[v as usize] += 1;
            }
        }
        Sources { first, slots }
    }

    /// Adds what acts on vertex `i` to `sum`.
    #[inline(always)]
    fn gather<'a>(&self, i: usize, mut sum: [f64; 4], forces: &impl Fn(usize) -> &'a [Vec4]) -> [f64; 4] {
        for &(chunk, slot) in &self.slots[self.first[i] as usize..self.first[i + 1] as usize] {
            let force = &forces(chunk as usize)[slot as usize].0;
            for c in 0..4 {
                sum[c] += force[c];
            }
        }
        sum
    }
}

/// Bodies that nothing outside holds, pushes or drags: only then is `sum m (q~ - q)` zero.
fn floating_bodies(system: &System, index: &[u32]) -> Vec<(BodyId, Vec<u32>)> {
    let mut held = vec![false; system.rest.len()];
    for (v, h) in held.iter_mut().enumerate() {
        *h = system.pinned[v].is_some() || system.mass_damping[v] > 0.0;
    }
    for s in &system.springs {
        held[s.vertex as usize] = true;
    }
    let pressed = system.pressures.iter().flat_map(|p| p.triangles.iter().flatten());
    for v in pressed.chain(system.air.iter().flat_map(|t| &t.vertices)) {
        held[*v as usize] = true;
    }
    let bodies = system.bodies.iter().enumerate().filter(|(_, b)| !held[b.vertices.clone()].contains(&true));
    bodies.map(|(k, b)| (BodyId::new(k), b.vertices.clone().map(|v| index[v]).collect())).collect()
}
