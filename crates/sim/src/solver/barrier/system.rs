//! Newton's system of an iteration: the Hessian of the incremental potential, whose pattern never changes, and that of the contacts.

use super::config::{BarrierConfig, NewtonSolve, PCG};
use super::hessian::HessianKind;
use super::terms::{Term, by_rows};
use crate::fem::System;
use crate::fem::assembly::Assembly;
use crate::fem::potential::Potential;
use crate::solver::{Monitor, Stage};
use pliant_linalg::block::{BlockPattern, BlockSymmetric, Scatter};
use pliant_linalg::cholesky::{CholeskyScratch, RELAX_FACTOR};
use pliant_linalg::krylov::{GradientScratch, Params, conjugate_gradients};
use pliant_linalg::small::{Mat3, inverse};
use pliant_linalg::{Cholesky, NotPositiveDefinite, Permutation, SymbolicCholesky, SymmetricCsc, Team};
use pliant_mesh::DVec3;

/// Pairs that a thread works on at a time.
const PIECE: usize = 32;

/// Newton's matrix `elastic + contact` over the free vertices, and what solves with it.
#[derive(Clone, Debug)]
pub(super) struct NewtonSystem {
    assembly: Assembly,
    contact: Option<BlockSymmetric>,
    /// In the order of the numbering: motion of what is prescribed.
    motion: Vec<DVec3>,
    /// By row.
    right: Vec<DVec3>,
    solution: Vec<DVec3>,
    inverses: Vec<Mat3>,
    scratch: GradientScratch<DVec3>,
    direct: Direct,
}

/// A Cholesky factor, and the matrix that it is of.
#[derive(Clone, Debug, Default)]
struct Direct {
    elastic: Option<SymmetricCsc>,
    merged: Option<SymmetricCsc>,
    factor: Option<Cholesky>,
    scratch: CholeskyScratch,
    numbers: Vec<f64>,
}

impl NewtonSystem {
    pub(super) fn new(system: &System) -> NewtonSystem {
        let assembly = Assembly::with_pins(system);
        let (n, free) = (assembly.numbering().len(), assembly.numbering().free());
        NewtonSystem {
            contact: None,
            motion: vec![DVec3::ZERO; n],
            right: vec![DVec3::ZERO; free],
            solution: vec![DVec3::ZERO; free],
            inverses: Vec::new(),
            scratch: GradientScratch::default(),
            direct: Direct::default(),
            assembly,
        }
    }

    /// Whether a vertex is free.
    pub(super) fn is_free(&self, vertex: u32) -> bool {
        (vertex as usize) < self.motion.len() && self.assembly.numbering().row(vertex).is_some()
    }

    pub(super) fn free_vertices(&self) -> &[u32] {
        self.assembly.numbering().free_vertices()
    }

    /// Mean stiffness of each vertex in N/m, inertia included, for a potential at x; 0 where one is held.
    pub(super) fn stiffness_of_vertices(&mut self, potential: &Potential, x: &[DVec3]) -> Vec<f64> {
        Team::with(|team| self.assembly.assemble(team, potential, x, true));
        let mut stiffness = vec![0.0; x.len()];
        for (row, &v) in self.assembly.numbering().free_vertices().iter().enumerate() {
            let block = self.assembly.hessian().diagonal(row);
            stiffness[v as usize] = (block[0][0] + block[1][1] + block[2][2]) / 3.0;
        }
        stiffness
    }

    /// The matrix at `points[1]`, in a step from `points[0]`.
    pub(super) fn assemble(
        &mut self,
        team: &Team,
        potential: &Potential,
        (terms, kind): (&[Term], HessianKind),
        points: [&[DVec3]; 2],
    ) -> Vec<[[Mat3; 4]; 4]> {
        let n = self.motion.len();
        self.assembly.assemble(team, potential, &points[1][..n], kind == HessianKind::Projected);
        let mut blocks = vec![[[[[0.0; 3]; 3]; 4]; 4]; terms.len()];
        team.for_each_piece(&mut blocks, PIECE, |first, out| {
            for (out, term) in out.iter_mut().zip(&terms[first..]) {
                *out = term.hessian(points, kind).map(|row| row.map(|block| by_rows(&block)));
            }
        });
        self.contact = (!terms.is_empty()).then(|| self.contact_matrix(team, terms, &blocks));
        blocks
    }

    fn contact_matrix(&self, team: &Team, terms: &[Term], blocks: &[[[Mat3; 4]; 4]]) -> BlockSymmetric {
        let row = |p: u32| if self.is_free(p) { self.assembly.numbering().row(p) } else { None };
        let mut places: Vec<Option<(u32, u32)>> = Vec::with_capacity(16 * terms.len());
        for term in terms {
            let rows = term.pair.points.map(row);
            places.extend(rows.iter().flat_map(|i| rows.iter().map(move |j| Some(((*i)?, (*j)?)))));
        }
        let free = self.assembly.numbering().free();
        let pattern = BlockPattern::new(free, places.iter().copied().flatten());
        // It was made from these places.
        let scatter = Scatter::new(&pattern, places);
        let mut matrix = BlockSymmetric::new(pattern);
        if let Ok(scatter) = scatter {
            matrix.add(team, &scatter, blocks.as_flattened().as_flattened());
        }
        matrix
    }

    /// Newton's step for a gradient by vertex, into `step` for all vertices: those that are held go by `prescribed`, which has a way for each
    /// point, and the free ones as these take them along.
    pub(super) fn solve(
        &mut self,
        team: &Team,
        config: &BarrierConfig,
        (terms, blocks): (&[Term], &[[[Mat3; 4]; 4]]),
        (gradient, prescribed): (&[DVec3], Option<&[DVec3]>),
        step: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<(), NotPositiveDefinite> {
        let numbering = self.assembly.numbering().clone();
        for (right, &v) in self.right.iter_mut().zip(numbering.free_vertices()) {
            *right = -gradient[v as usize];
        }
        if let Some(ways) = prescribed {
            self.motion.fill(DVec3::ZERO);
            for (motion, &v) in self.motion.iter_mut().zip(numbering.vertex_of()).skip(numbering.free()) {
                *motion = ways[v as usize];
            }
            self.assembly.subtract_motion_of_pins(team, &self.motion, &mut self.right);
            for (term, blocks) in terms.iter().zip(blocks) {
                let is_free = term.pair.points.map(|p| self.is_free(p));
                for (i, &p) in term.pair.points.iter().enumerate().filter(|(i, _)| is_free[*i]) {
                    let Some(row) = numbering.row(p) else { continue };
                    for (j, &q) in term.pair.points.iter().enumerate().filter(|(j, _)| !is_free[*j]) {
                        let way = ways[q as usize];
                        let force = blocks[i][j].map(|r| DVec3::from(r).dot(way));
                        self.right[row as usize] -= DVec3::from(force);
                    }
                }
            }
        }
        match config.linear {
            NewtonSolve::Cholesky => self.solve_directly(team)?,
            NewtonSolve::Pcg => self.solve_by_gradients(team, config, monitor),
        }
        step.fill(DVec3::ZERO);
        for (d, &v) in self.solution.iter().zip(numbering.free_vertices()) {
            step[v as usize] = *d;
        }
        if let Some(ways) = prescribed {
            for &v in &numbering.vertex_of()[numbering.free()..] {
                step[v as usize] = ways[v as usize];
            }
        }
        monitor.lap(Stage::GLOBAL);
        Ok(())
    }

    /// Largest speed in m/s that what the last step changes in the forces of contacts gives a vertex within `dt`.
    pub(super) fn contact_speed(&self, team: &Team, masses: &[f64], dt: f64) -> f64 {
        let Some(contact) = &self.contact else { return 0.0 };
        let mut change = vec![DVec3::ZERO; self.solution.len()];
        contact.multiply_into(team, &self.solution, &mut change);
        let massive = self.free_vertices().iter().map(|&v| masses[v as usize]).zip(&change);
        massive.filter(|(mass, _)| *mass > 0.0).map(|(mass, f)| dt * f.length() / mass).fold(0.0, f64::max)
    }

    fn solve_by_gradients(&mut self, team: &Team, config: &BarrierConfig, monitor: &mut Monitor) {
        let NewtonSystem { assembly, contact, right, solution, inverses, scratch, .. } = self;
        let elastic = assembly.hessian();
        inverses.clear();
        inverses.extend((0..right.len()).map(|row| {
            let mut block = *elastic.diagonal(row);
            if let Some(contact) = contact {
                for (a, b) in block.as_flattened_mut().iter_mut().zip(contact.diagonal(row).as_flattened()) {
                    *a += b;
                }
            }
            inverse(&block).unwrap_or([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        }));
        let mut more = vec![DVec3::ZERO; right.len()];
        let mut multiply = |team: &Team, x: &[DVec3], y: &mut [DVec3]| {
            elastic.multiply_into(team, x, y);
            if let Some(contact) = contact {
                contact.multiply_into(team, x, &mut more);
                y.iter_mut().zip(&more).for_each(|(y, more)| *y += *more);
            }
        };
        let inverses = &*inverses;
        let mut precondition = |team: &Team, r: &[DVec3], z: &mut [DVec3]| {
            team.for_each_piece(z, 1024, |first, z| {
                for (k, z) in z.iter_mut().enumerate() {
                    *z = DVec3::from(inverses[first + k].map(|row| DVec3::from(row).dot(r[first + k])));
                }
            });
        };
        solution.fill(DVec3::ZERO);
        let params = Params { iterations: config.pcg_iterations, tolerance: config.pcg_tolerance };
        let problem = (&right[..], &mut solution[..]);
        let info =
            conjugate_gradients(team, &mut multiply, Some(&mut precondition), problem, params, scratch);
        monitor.count(PCG, info.iterations);
    }

    fn solve_directly(&mut self, team: &Team) -> Result<(), NotPositiveDefinite> {
        let NewtonSystem { assembly, contact, right, solution, direct, .. } = self;
        direct.factor(team, assembly, contact.as_ref())?;
        let Direct { factor, scratch, numbers, .. } = direct;
        let Some(factor) = factor else { return Ok(()) };
        numbers.clear();
        numbers.extend(right.iter().flat_map(|r| r.to_array()));
        factor.solve_in_place(numbers, scratch);
        for (x, value) in solution.iter_mut().zip(numbers.as_chunks::<3>().0) {
            *x = DVec3::from(*value);
        }
        Ok(())
    }

    pub(super) fn factor_bytes(&self) -> usize {
        self.direct.factor.as_ref().map_or(0, Cholesky::bytes)
    }
}

impl Direct {
    /// Factors the sum; what is known of its pattern is used again while that stays the same.
    fn factor(
        &mut self,
        team: &Team,
        assembly: &Assembly,
        contact: Option<&BlockSymmetric>,
    ) -> Result<(), NotPositiveDefinite> {
        let elastic = self.elastic.get_or_insert_with(|| assembly.scalar_pattern());
        assembly.expand_into(team, elastic);
        let sum = match contact {
            Some(contact) => {
                let mut scalar = contact.scalar_pattern();
                contact.expand_into(team, &mut scalar);
                elastic.plus(&scalar)
            }
            None => elastic.clone(),
        };
        let is_same = |old: &SymmetricCsc| old.col_ptr == sum.col_ptr && old.row_idx == sum.row_idx;
        let same = self.merged.as_ref().is_some_and(is_same);
        match &mut self.factor {
            Some(factor) if same => factor.refactor(&sum, &mut self.scratch)?,
            slot => {
                // The rows are in elimination order for the elements already.
                let order = Permutation::from_forward((0..sum.n()).collect());
                *slot = Some(SymbolicCholesky::new(&sum, order, RELAX_FACTOR).factor(&sum)?);
            }
        }
        self.merged = Some(sum);
        Ok(())
    }
}
