//! Tetrahedra for any body: a signed distance or a triangle surface.
//!
//! Isosurface stuffing \[Labelle07\] on an octree gives a mesh with bounded angles; parts that the lattice is too
//! coarse for are found by sampling the surface and meshed again with smaller cells; sharp edges and corners are
//! restored; what angles suffered from both is mended by moving vertices and flipping tets.

mod coarsen;
mod collapse;
mod complex;
mod feature;
mod fit;
mod flip;
mod improve;
mod lattice;
mod options;
mod peel;
mod sample;
mod smooth;
mod solid;
mod stuff;
mod surface;

pub use options::{MeshSize, MesherError, MesherOptions};
pub use solid::{Solid, SurfacePoint};

use crate::spatial::TriangleTree;
use crate::vector::{add, scale};
use crate::{Group, Groups, Point, TetMesh};
use complex::Complex;
use lattice::{Cell, Distances, FINER, Frame, Lattice};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sample::{Survey, survey, thickness};
use stuff::{Stuffed, stuff};
use surface::Surface;

/// Tets below this quality are mended: angles of 15 to 157 degrees.
const GOAL: f64 = 0.26;
/// Restored features leave angles of at least 12 degrees.
const FEATURE_GOAL: f64 = 0.2;
/// How far a sample of the surface may be from the mesh, in edge lengths.
const LOST: f64 = 0.4;
/// How much of the volume may be lost or won before the mesh is refined.
const VOLUME_ERROR: f64 = 0.008;
/// Cells larger than this many times the thickness of the body may miss it.
const THIN: f64 = 1.4;

/// The number of elements is right if it is off by less than this share, and how often that is tried.
const CLOSE: f64 = 0.06;
const TRIES: usize = 5;

/// A mesh with what is known about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Meshed {
    /// The mesh; its group `surface` holds the boundary vertices.
    pub mesh: TetMesh,
    /// Edge length at the surface, m.
    pub edge: f64,
    /// Largest distance found between the surface of the body and that of the mesh, from either side, m.
    pub deviation: f64,
    /// Volume of the body itself, m^3, integrated on a fine octree.
    pub body_volume: f64,
    /// How often cells were halved to catch small features; 0 if the asked size was enough.
    pub halvings: u32,
}

/// Fills a body with tetrahedra.
pub fn tetrahedralize(solid: &dyn Solid, options: &MesherOptions) -> Result<Meshed, MesherError> {
    check(solid, options)?;
    let run = Run { solid, options };
    let (count, wanted): (fn(&TetMesh) -> usize, usize) = match options.size {
        MeshSize::Edge(edge) => return run.mesh(edge),
        MeshSize::Vertices(n) => (|m| m.vertices.len(), n),
        MeshSize::Tets(n) => (|m| m.tets.len(), n),
    };
    let mut search = Search::default();
    let mut edge = run.first_guess(count, wanted)?;
    let mut best: Option<(f64, Meshed)> = None;
    for _ in 0..TRIES {
        let meshed = run.mesh(edge)?;
        let ratio = count(&meshed.mesh) as f64 / wanted as f64;
        let off = ratio.ln().abs();
        edge = search.next(edge, ratio);
        if best.as_ref().is_none_or(|b| off < b.0) {
            best = Some((off, meshed));
        }
        if off < CLOSE {
            break;
        }
    }
    best.map(|(_, meshed)| meshed).ok_or(MesherError::NothingInside { edge })
}

/// Where the edge length for a number of elements is looked for.
#[derive(Default)]
struct Search {
    /// The shortest edge that gave too few, the longest that gave too many, with the ratios.
    few: Option<(f64, f64)>,
    many: Option<(f64, f64)>,
}

impl Search {
    /// The next length to try, after one gave `ratio` times the wanted number.
    fn next(&mut self, edge: f64, ratio: f64) -> f64 {
        // Numbers grow with the cube of the fineness inside and with the square at the surface.
        const POWER: f64 = 2.7;
        *(if ratio > 1.0 { &mut self.many } else { &mut self.few }) = Some((edge, ratio));
        match (self.many, self.few) {
            (Some((short, above)), Some((long, below))) if short < long => {
                // Between two lengths on a line in logarithms, a bit off the ends.
                let share = (above.ln() / (above.ln() - below.ln())).clamp(0.1, 0.9);
                short * (long / short).powf(share)
            }
            _ => edge * ratio.powf(1.0 / POWER).clamp(0.6, 1.8),
        }
    }
}

fn check(solid: &dyn Solid, options: &MesherOptions) -> Result<(), MesherError> {
    let (low, high) = solid.bounds();
    if !(0..3).all(|a| (high[a] - low[a]).is_finite() && high[a] > low[a]) {
        return Err(MesherError::NoExtent { low, high });
    }
    if !(1.0..=64.0).contains(&options.coarsest) {
        return Err(MesherError::BadCoarsest(options.coarsest));
    }
    match options.size {
        MeshSize::Edge(edge) if !(edge.is_finite() && edge > 0.0) => Err(MesherError::BadEdge(edge)),
        MeshSize::Vertices(n) | MeshSize::Tets(n) if n < 20 => Err(MesherError::TooFew(n)),
        MeshSize::Vertices(n) | MeshSize::Tets(n) if n > options::MAX_TETS => {
            Err(MesherError::TooLarge { about: n as f64, edge: 0.0 })
        }
        _ => Ok(()),
    }
}

struct Run<'a> {
    solid: &'a dyn Solid,
    options: &'a MesherOptions,
}

impl Run<'_> {
    fn frame(&self, edge: f64) -> Result<Frame, MesherError> {
        let (low, high) = self.solid.bounds();
        let cells: f64 = (0..3).map(|a| (high[a] - low[a]) / edge + 1.0).product();
        let about = 12.0 * cells;
        // A thin body in a large box may still be small: the box is only the bound against absurd requests.
        if !(about < 1e3 * options::MAX_TETS as f64) {
            return Err(MesherError::TooLarge { about, edge });
        }
        let doublings = self.options.coarsest.log2().floor() as u32;
        Ok(Frame::new((low, high), edge, doublings, 0.5))
    }

    fn stuff(&self, distances: &mut Distances<'_>, marks: &FxHashSet<Cell>) -> Stuffed {
        stuff(self.solid, Lattice::new(distances, marks))
    }

    /// An edge length for a number of elements, from meshes without refinement.
    fn first_guess(&self, count: fn(&TetMesh) -> usize, wanted: usize) -> Result<f64, MesherError> {
        let (low, high) = self.solid.bounds();
        let extent: Point = std::array::from_fn(|a| high[a] - low[a]);
        // Twelve tets fill a cell; a body fills perhaps a third of its box.
        let mut edge = (4.0 * extent.iter().product::<f64>() / wanted as f64).cbrt();
        for _ in 0..6 {
            let mut distances = Distances::new(self.solid, self.frame(edge)?);
            let stuffed = self.stuff(&mut distances, &FxHashSet::default());
            let mesh = TetMesh { vertices: stuffed.positions, tets: stuffed.tets, ..Default::default() };
            let ratio = (count(&mesh) as f64 / wanted as f64).max(1.0 / 64.0);
            edge *= ratio.powf(1.0 / 2.7);
            if ratio.ln().abs() < 0.1 {
                break;
            }
        }
        Ok(edge)
    }

    fn mesh(&self, edge: f64) -> Result<Meshed, MesherError> {
        let frame = self.frame(edge)?;
        let surface = Surface { solid: self.solid, tolerance: 0.05 * edge };
        let survey = survey(self.solid, 0.25 * edge);
        let mut distances = Distances::new(self.solid, frame.clone());
        let mut marks = self.thin_parts(&survey, &frame);
        let (mut halvings, mut limit) = (0, LOST * edge);
        'size: loop {
            let stuffed = self.stuff(&mut distances, &marks);
            let mut complex = Complex::new(stuffed.positions, stuffed.tets);
            feature::restore_features(&mut complex, &surface, FEATURE_GOAL);
            let may_refine = self.options.keep_features && halvings < FINER;
            if may_refine && self.refine(&complex, &survey, limit, &frame, &mut marks) {
                halvings += 1;
                continue;
            }
            improve::improve(&mut complex, &surface, GOAL);
            if !marks.is_empty() {
                complex = self.coarsened(complex, &survey, &surface, &frame);
            }
            fit::fit(&mut complex, &surface, 0.1 * edge, FEATURE_GOAL);
            let off = may_refine && (complex.volume() / survey.volume - 1.0).abs() > VOLUME_ERROR;
            while off && limit > 0.02 * edge {
                limit *= 0.6;
                if self.refine(&complex, &survey, limit, &frame, &mut marks) {
                    halvings += 1;
                    continue 'size;
                }
            }
            return self.finish(complex, edge, &survey, halvings);
        }
    }

    /// The mesh with longer edges where small cells were needed only to find the surface. Where that would lose
    /// a feature, the short ones are kept.
    fn coarsened(&self, complex: Complex, survey: &Survey, surface: &Surface<'_>, frame: &Frame) -> Complex {
        const TRIES: usize = 4;
        let edge = frame.cell();
        let surface = Surface { tolerance: 0.3 * surface.tolerance, ..*surface };
        let mut kept: FxHashSet<Cell> = FxHashSet::default();
        for _ in 0..TRIES {
            let mut coarse = complex.clone();
            let is_kept = |p: Point| kept.contains(&frame.base_cell(p));
            coarsen::coarsen(&mut coarse, &surface, edge, GOAL, is_kept);
            let lost = self.lost(&coarse, &survey.samples, LOST * edge);
            if lost.is_empty() {
                return coarse;
            }
            for p in lost {
                kept.extend(around(p, 0.5 * edge).map(|near| frame.base_cell(near)));
            }
        }
        complex
    }

    /// The cells where the body is thinner than they are.
    fn thin_parts(&self, survey: &Survey, frame: &Frame) -> FxHashSet<Cell> {
        let mut marks = FxHashSet::default();
        if !self.options.keep_features {
            return marks;
        }
        let cell = frame.cell();
        let thickness: Vec<f64> =
            survey.samples.par_iter().map(|&p| thickness(self.solid, p, cell / THIN)).collect();
        for (&point, &thickness) in survey.samples.iter().zip(&thickness) {
            while let Some(size) = frame.leaf_size(point, &marks)
                && frame.length(size) > THIN * thickness
            {
                frame.mark(point, size, &mut marks);
            }
        }
        marks
    }

    /// Marks the cells where the mesh is farther than `limit` from the surface; false if there are none.
    fn refine(
        &self,
        complex: &Complex,
        survey: &Survey,
        limit: f64,
        frame: &Frame,
        marks: &mut FxHashSet<Cell>,
    ) -> bool {
        let before = marks.clone();
        for point in self.lost(complex, &survey.samples, limit) {
            mark(frame, &before, marks, point);
        }
        marks.len() > before.len()
    }

    /// Whether a point of a surface is where the body ends: surfaces of broken inputs go on inside of it.
    fn is_boundary(&self, point: Point, step: f64) -> bool {
        let normal = self.solid.project(point).normal;
        let side = |by: f64| self.solid.signed_distance(add(point, scale(normal, by)));
        side(step) > 0.0 && side(-step) < 0.0
    }

    /// The samples farther than `limit` from the boundary of the mesh, and the middles of boundary faces that
    /// far from the body.
    fn lost(&self, complex: &Complex, samples: &[Point], limit: f64) -> Vec<Point> {
        let faces = complex.boundary_faces();
        let Ok(tree) = TriangleTree::from_parts(&complex.positions, &faces) else {
            return samples.to_vec();
        };
        let far =
            |p: &&Point| tree.closest_within(**p, limit).is_none() && self.is_boundary(**p, 0.01 * limit);
        let mut lost: Vec<Point> = samples.par_iter().filter(far).copied().collect();
        lost.par_extend(faces.par_iter().filter_map(|face| {
            let middle = centroid(&complex.positions, *face);
            (self.solid.distance(middle) > limit).then_some(middle)
        }));
        lost
    }

    fn finish(
        &self,
        complex: Complex,
        edge: f64,
        survey: &Survey,
        halvings: u32,
    ) -> Result<Meshed, MesherError> {
        let Stuffed { positions: vertices, tets } = complex.finish();
        if tets.is_empty() {
            return Err(MesherError::NothingInside { edge });
        }
        let mut mesh = TetMesh { vertices, tets, groups: Groups::new() };
        mesh.groups = self.groups(&mesh);
        let deviation = self.deviation(&mesh, &survey.samples);
        Ok(Meshed { mesh, edge, deviation, halvings, body_volume: survey.volume })
    }

    fn deviation(&self, mesh: &TetMesh, samples: &[Point]) -> f64 {
        let faces = mesh.boundary();
        let surface = Surface { solid: self.solid, tolerance: 0.0 };
        let corners = |face: &[u32; 3]| face.map(|v| mesh.vertices[v as usize]);
        let out = faces.par_iter().map(|f| surface.error(corners(f))).reduce(|| 0.0, f64::max);
        let Ok(tree) = TriangleTree::from_parts(&mesh.vertices, &faces) else { return f64::INFINITY };
        let away = |&p: &Point| tree.closest(p).map_or(f64::INFINITY, |c| c.distance_sq.sqrt());
        let all: Vec<f64> = samples.par_iter().map(away).collect();
        let mut order: Vec<usize> = (0..all.len()).filter(|&i| all[i] > out).collect();
        order.sort_unstable_by(|&i, &j| all[j].total_cmp(&all[i]));
        // The farthest that is truly on the boundary.
        let real = order.into_iter().find(|&i| self.is_boundary(samples[i], 1e-3 * all[i]));
        real.map_or(out, |i| all[i])
    }

    fn groups(&self, mesh: &TetMesh) -> Groups {
        let boundary = mesh.boundary_vertices();
        let mut on_surface = vec![false; mesh.vertices.len()];
        for &v in &boundary {
            on_surface[v as usize] = true;
        }
        let names = self.solid.groups();
        let member: Vec<Vec<usize>> = if names.is_empty() {
            Vec::new()
        } else {
            let of = |(&p, &on)| self.solid.groups_at(p, on);
            mesh.vertices.par_iter().zip(&on_surface).map(of).collect()
        };
        let mut groups = Groups::new();
        for (g, name) in names.into_iter().enumerate() {
            let inside = |v: u32| member[v as usize].contains(&g);
            let vertices: Vec<u32> = (0..mesh.vertices.len() as u32).filter(|&v| inside(v)).collect();
            let whole = |t: &u32| mesh.tets[*t as usize].iter().all(|&v| inside(v));
            let elements = (0..mesh.tets.len() as u32).filter(whole).collect();
            groups.insert(name, Group { vertices, elements });
        }
        groups.entry("surface".to_string()).or_insert(Group { vertices: boundary, elements: Vec::new() });
        groups
    }
}

fn centroid(positions: &[Point], face: [u32; 3]) -> Point {
    std::array::from_fn(|a| face.iter().map(|&v| positions[v as usize][a]).sum::<f64>() / 3.0)
}

/// Asks for smaller cells around a point than it had.
fn mark(frame: &Frame, before: &FxHashSet<Cell>, marks: &mut FxHashSet<Cell>, point: Point) {
    if let Some(size) = frame.leaf_size(point, before) {
        for near in around(point, 0.25 * frame.length(size)) {
            frame.mark(near, size, marks);
        }
    }
}

/// The corners of a cube around a point.
fn around(point: Point, reach: f64) -> impl Iterator<Item = Point> {
    (0..8).map(move |k| std::array::from_fn(|a| point[a] + if k >> a & 1 == 0 { -reach } else { reach }))
}
