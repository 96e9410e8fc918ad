//! From a body and an edge length to a mesh, in the order of the method.

use super::complex::Complex;
use super::lattice::{Cell, Distances, FINER, Frame, Lattice};
use super::sample::{Survey, cube_corners, survey};
use super::stuff::stuff;
use super::surface::{Surface, is_boundary};
use super::tets::{Counted, Tets};
use super::{MeshSize, Meshed, MesherError, MesherOptions, Solid, coarsen, feature, fit, improve};
use pliant_mesh::DVec3;
use pliant_mesh::TriangleTree;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Tets below this quality are mended: angles of 15 to 157 degrees.
const GOAL: f64 = 0.26;
/// Tets below this are mended even if the surface moves a bit: angles of 9 to 166 degrees.
const LEAST: f64 = 0.16;
/// Restored features leave angles of at least 12 degrees.
const FEATURE_GOAL: f64 = 0.2;
/// How far a sample of the surface may be from the mesh, in edge lengths.
const LOST: f64 = 0.4;
/// How much of the volume may be lost or won before the mesh is refined.
const VOLUME_ERROR: f64 = 0.008;
/// Size of a cell inside over its distance from the surface.
const GRADING: f64 = 0.7;
/// Cells larger than this many times the thickness of the body may miss it.
const THIN: f64 = 1.4;

/// Tets of a cell of the lattice, and tets that a vertex has on average.
const TETS_PER_CELL: f64 = 12.0;
const TETS_PER_VERTEX: f64 = 5.0;
/// Tets over those asked for that nobody means, where they are more than usual meshes have.
const TOO_MANY: f64 = 200.0;
const USUAL_TETS: f64 = 2e6;
/// How much more than the most may be expected where the number of elements is searched for: the estimate is rough.
const LOOSE: f64 = 4.0;

/// Tets in thin parts that are left after the mesh was made coarser there, as a share.
const KEPT: f64 = 0.36;

/// What a mesh starts from.
pub(super) struct Draft<'a> {
    edge: f64,
    frame: Frame,
    survey: Survey,
    distances: Distances<'a>,
    /// Cells with smaller ones in them, for thin parts.
    marks: FxHashSet<Cell>,
    stuffed: Tets,
    /// Vertices and tets without the smaller cells, if there are any.
    plain: Option<(usize, usize)>,
}

impl Draft<'_> {
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// About how many elements the mesh will have.
    pub fn expected(&self, counted: Counted) -> f64 {
        let full = self.stuffed.count(counted);
        let plain = self.plain.map_or(full, |(vertices, tets)| counted.of(vertices, tets));
        (plain + KEPT * (full - plain)).max(1.0)
    }
}

pub(super) struct Run<'a> {
    pub solid: &'a dyn Solid,
    pub options: &'a MesherOptions,
}

impl Run<'_> {
    fn frame(&self, edge: f64) -> Result<Frame, MesherError> {
        let (low, high) = self.solid.bounds();
        let cells = (high - low) / edge + 1.0;
        let about = 12.0 * cells.element_product();
        // A thin body in a large box may still be small: the box only guards against absurd requests, and
        // against more cells along an axis than the lattice can count.
        if !(about < 100.0 * self.options.most_tets as f64 && cells.cmplt(DVec3::splat(16_000.0)).all()) {
            return Err(MesherError::TooLarge { about, edge });
        }
        let doublings = self.options.coarsest.log2().floor() as u32;
        Ok(Frame::new((low, high), edge, doublings, GRADING))
    }

    fn stuff(&self, distances: &mut Distances<'_>, marks: &FxHashSet<Cell>) -> Tets {
        stuff(self.solid, Lattice::new(distances, marks))
    }

    /// An edge length for a number of elements, from meshes without refinement.
    pub fn first_guess(&self, counted: Counted, wanted: f64) -> Result<f64, MesherError> {
        let (low, high) = self.solid.bounds();
        // Twelve tets fill a cell; a body fills perhaps a third of its box.
        let mut edge = (4.0 * (high - low).element_product() / wanted).cbrt();
        self.check_thickness(&self.survey(edge), edge)?;
        for _ in 0..6 {
            let mut distances = Distances::new(self.solid, self.frame(edge)?);
            let stuffed = self.stuff(&mut distances, &FxHashSet::default());
            let ratio = (stuffed.count(counted) / wanted).max(1.0 / 64.0);
            edge *= ratio.powf(1.0 / 2.7);
            if ratio.ln().abs() < 0.1 {
                break;
            }
        }
        Ok(edge)
    }

    /// Looks at the body and cuts the first lattice.
    pub fn draft(&self, edge: f64) -> Result<Draft<'_>, MesherError> {
        let frame = self.frame(edge)?;
        let survey = self.survey(edge);
        self.check_thickness(&survey, edge)?;
        let mut distances = Distances::new(self.solid, frame.clone());
        let marks = self.thin_parts(&survey, &frame);
        let stuffed = self.stuff(&mut distances, &marks);
        let plain = (!marks.is_empty()).then(|| self.stuff(&mut distances, &FxHashSet::default()));
        let plain = plain.map(|p| (p.positions.len(), p.tets.len()));
        Ok(Draft { edge, frame, survey, distances, marks, stuffed, plain })
    }

    /// Refuses what would take far more cells than were asked for because it is thin: minutes would pass before that shows.
    fn check_thickness(&self, survey: &Survey, edge: f64) -> Result<(), MesherError> {
        let most = self.options.most_tets as f64;
        let most = match self.options.size {
            _ if !self.options.keep_features => return Ok(()),
            MeshSize::Edge(_) => most,
            MeshSize::Vertices(n) => {
                (TOO_MANY * TETS_PER_VERTEX * n as f64).max(USUAL_TETS).min(LOOSE * most)
            }
            MeshSize::Tets(n) => (TOO_MANY * n as f64).max(USUAL_TETS).min(LOOSE * most),
        };
        // A box of the survey stands for a square of the surface, which cells no larger than the body is thick cover. Where the body
        // is so thin that the survey looks through it, its mean thickness counts: that of a plate is 2 V / A.
        let area = survey.thickness.len() as f64 * survey.spacing.powi(2);
        let mean = 2.0 * survey.volume / area;
        let shortest = edge / f64::from(1 << FINER);
        let cells = survey.thickness.iter().map(|t| {
            let cell = (THIN * t.min(mean)).clamp(shortest, edge);
            (survey.spacing / cell).powi(2)
        });
        let about = TETS_PER_CELL * cells.sum::<f64>();
        if about > most {
            return Err(MesherError::TooThin { thickness: survey.thinnest().min(mean), about });
        }
        Ok(())
    }

    /// Makes a mesh of a draft.
    pub fn finish(&self, draft: Draft<'_>) -> Result<Meshed, MesherError> {
        let Draft { edge, frame, survey, mut distances, mut marks, stuffed, .. } = draft;
        let surface = Surface { solid: self.solid, tolerance: 0.05 * edge };
        let mut first = Some(stuffed);
        let (mut halvings, mut limit) = (0, LOST * edge);
        'size: loop {
            let stuffed = first.take().unwrap_or_else(|| self.stuff(&mut distances, &marks));
            let mut complex = Complex::new(stuffed.positions, stuffed.tets);
            feature::restore_features(&mut complex, &surface, FEATURE_GOAL);
            let may_refine = self.options.keep_features && halvings < FINER;
            if may_refine && self.refine(&complex, &survey, limit, &frame, &mut marks) {
                halvings += 1;
                continue;
            }
            improve::improve(&mut complex, &surface, GOAL);
            // Angles come before the distance from the surface, which has some room.
            for looser in [2.0, 4.0, 8.0] {
                let tolerance = looser * surface.tolerance;
                improve::improve(&mut complex, &Surface { tolerance, ..surface }, LEAST);
            }
            if !marks.is_empty() {
                complex = self.coarsened(complex, &survey, &surface, &frame);
            }
            fit::fit(&mut complex, &surface, 0.1 * edge, FEATURE_GOAL, survey.volume);
            let off = may_refine && (complex.volume() / survey.volume - 1.0).abs() > VOLUME_ERROR;
            while off && limit > 0.02 * edge {
                limit *= 0.6;
                if self.refine(&complex, &survey, limit, &frame, &mut marks) {
                    halvings += 1;
                    continue 'size;
                }
            }
            let Tets { positions, tets } = complex.finish();
            return Meshed::new(self.solid, (positions, tets), edge, &survey, halvings);
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
            let is_kept = |p: DVec3| kept.contains(&frame.base_cell(p));
            coarsen::coarsen(&mut coarse, &surface, edge, GOAL, is_kept);
            let lost = self.lost(&coarse, &survey.samples, LOST * edge);
            if lost.is_empty() {
                return coarse;
            }
            for p in lost {
                kept.extend(cube_corners(p, 0.5 * edge).map(|near| frame.base_cell(near)));
            }
        }
        complex
    }

    /// Looks at the body; closer where it is thin, if the volume depends on it.
    fn survey(&self, edge: f64) -> Survey {
        const TIMES: usize = 3;
        let mut spacing = 0.25 * edge;
        let mut seen = survey(self.solid, spacing, edge / THIN);
        if let Some(volume) = self.solid.volume() {
            return Survey { volume, ..seen };
        }
        for _ in 0..TIMES {
            if !self.options.keep_features || seen.thinnest() > 1.5 * spacing {
                break;
            }
            spacing *= 0.5;
            seen = survey(self.solid, spacing, edge / THIN);
        }
        seen
    }

    /// The cells where the body is thinner than they are.
    fn thin_parts(&self, survey: &Survey, frame: &Frame) -> FxHashSet<Cell> {
        let mut marks = FxHashSet::default();
        if !self.options.keep_features {
            return marks;
        }
        for (&point, &thickness) in survey.samples.iter().zip(&survey.thickness) {
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

    /// The samples farther than `limit` from the boundary of the mesh, and the middles of boundary faces that
    /// far from the body.
    fn lost(&self, complex: &Complex, samples: &[DVec3], limit: f64) -> Vec<DVec3> {
        let faces = complex.boundary_faces();
        let Ok(tree) = TriangleTree::from_parts(&complex.positions, &faces) else {
            return samples.to_vec();
        };
        let far = |p: &&DVec3| {
            tree.closest_within(**p, limit).is_none() && is_boundary(self.solid, **p, 0.01 * limit)
        };
        let mut lost: Vec<DVec3> = samples.par_iter().filter(far).copied().collect();
        let surface = Surface { solid: self.solid, tolerance: limit };
        lost.par_extend(faces.par_iter().filter_map(|face| {
            let corners = face.map(|v| complex.positions[v as usize]);
            (!surface.is_near(corners, limit)).then(|| centroid(corners))
        }));
        lost
    }
}

fn centroid([a, b, c]: [DVec3; 3]) -> DVec3 {
    (a + b + c) * (1.0 / 3.0)
}

/// Asks for smaller cells around a point than it had.
fn mark(frame: &Frame, before: &FxHashSet<Cell>, marks: &mut FxHashSet<Cell>, point: DVec3) {
    if let Some(size) = frame.leaf_size(point, before) {
        for near in cube_corners(point, 0.25 * frame.length(size)) {
            frame.mark(near, size, marks);
        }
    }
}
