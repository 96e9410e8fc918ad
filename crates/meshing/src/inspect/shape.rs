//! The shape of the elements, measured in parallel with sums in a fixed order.

use super::report::{Histogram, LengthRange, Spread};
use pliant_mesh::check::check_indices;
use pliant_mesh::measure::edge_lengths;
use pliant_mesh::quality::{angles_degrees, dihedrals_degrees, tet_radius_ratio, triangle_radius_ratio};
use pliant_mesh::vector::tet_volume;
use pliant_mesh::{DVec3, ElementKind, Mesh, MeshError, TetMesh, TriMesh};
use rayon::prelude::*;

/// Elements measured by one task; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 4096;
const ANGLE_BINS: usize = 18;
const RATIO_BINS: usize = 10;

pub(super) struct Shapes {
    pub edge_length: LengthRange,
    pub angle_degrees: Spread,
    pub radius_ratio: Spread,
    pub rms_quality: Option<Spread>,
}

pub(super) fn tet_shapes(mesh: &TetMesh) -> Shapes {
    measure(mesh.tets.len(), |t, sums| {
        let corners = mesh.corners(t);
        sums.add_edges(&corners);
        for angle in dihedrals_degrees(corners) {
            sums.angle.add(angle, t);
        }
        sums.radius_ratio.add(tet_radius_ratio(corners), t);
        sums.rms_quality.add(tet_rms_quality(corners), t);
    })
}

pub(super) fn triangle_shapes(mesh: &TriMesh) -> Shapes {
    measure(mesh.triangles.len(), |t, sums| {
        let corners = mesh.corners(t);
        sums.add_edges(&corners);
        for angle in angles_degrees(corners) {
            sums.angle.add(angle, t);
        }
        sums.radius_ratio.add(triangle_radius_ratio(corners), t);
    })
}

/// How well shaped each element is: 1 is regular, 0 flat, negative inverted. `6 sqrt(2) V / l^3` of tets with
/// the root mean square `l` of the edge lengths, the radius ratio of triangles. An error if an index is out of
/// range.
pub fn element_quality(mesh: &Mesh) -> Result<Vec<f64>, MeshError> {
    let vertices = mesh.vertices().len();
    match mesh {
        Mesh::Tet(m) => {
            check_indices(ElementKind::Tet, vertices, &m.tets)?;
            let signed = |c: [DVec3; 4]| tet_rms_quality(c).copysign(tet_volume(c));
            Ok((0..m.tets.len()).into_par_iter().map(|t| signed(m.corners(t))).collect())
        }
        Mesh::Tri(m) => {
            check_indices(ElementKind::Triangle, vertices, &m.triangles)?;
            let ratio = |t| triangle_radius_ratio(m.corners(t));
            Ok((0..m.triangles.len()).into_par_iter().map(ratio).collect())
        }
    }
}

/// Volume over that of the regular tet with the same root mean square of edge lengths.
fn tet_rms_quality(corners: [DVec3; 4]) -> f64 {
    let mean_square = edge_lengths(&corners).map(|l| l * l).sum::<f64>() / 6.0;
    let cube = mean_square * mean_square.sqrt();
    if cube > 0.0 { 6.0 * 2.0_f64.sqrt() * tet_volume(corners).abs() / cube } else { 0.0 }
}

fn measure(count: usize, add: impl Fn(usize, &mut Sums) + Sync) -> Shapes {
    let chunks: Vec<Sums> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut sums = Sums::new();
            for t in chunk * CHUNK..count.min((chunk + 1) * CHUNK) {
                add(t, &mut sums);
            }
            sums
        })
        .collect();
    let mut all = Sums::new();
    for sums in &chunks {
        all.edge.merge(&sums.edge);
        all.angle.merge(&sums.angle);
        all.radius_ratio.merge(&sums.radius_ratio);
        all.rms_quality.merge(&sums.rms_quality);
    }
    let edge = all.edge.spread();
    Shapes {
        edge_length: LengthRange { min: edge.min, mean: edge.mean, max: edge.max },
        angle_degrees: all.angle.spread(),
        radius_ratio: all.radius_ratio.spread(),
        rms_quality: (all.rms_quality.count > 0).then(|| all.rms_quality.spread()),
    }
}

struct Sums {
    edge: SpreadSum,
    angle: SpreadSum,
    radius_ratio: SpreadSum,
    rms_quality: SpreadSum,
}

impl Sums {
    fn new() -> Self {
        Self {
            edge: SpreadSum::new(1.0, 1),
            angle: SpreadSum::new(180.0, ANGLE_BINS),
            radius_ratio: SpreadSum::new(1.0, RATIO_BINS),
            rms_quality: SpreadSum::new(1.0, RATIO_BINS),
        }
    }

    fn add_edges(&mut self, corners: &[DVec3]) {
        for length in edge_lengths(corners) {
            self.edge.add(length, 0);
        }
    }
}

/// A [`Spread`] in the making.
struct SpreadSum {
    min: (f64, usize),
    max: (f64, usize),
    sum: f64,
    count: usize,
    /// Upper end of the histogram, which starts at zero.
    to: f64,
    bins: Vec<usize>,
}

impl SpreadSum {
    fn new(to: f64, bins: usize) -> Self {
        Self {
            min: (f64::INFINITY, 0),
            max: (f64::NEG_INFINITY, 0),
            sum: 0.0,
            count: 0,
            to,
            bins: vec![0; bins],
        }
    }

    fn add(&mut self, value: f64, element: usize) {
        if value < self.min.0 {
            self.min = (value, element);
        }
        if value > self.max.0 {
            self.max = (value, element);
        }
        self.sum += value;
        self.count += 1;
        // Negative values and NaN become zero in the conversion.
        let bin = (value / self.to * self.bins.len() as f64) as usize;
        let last = self.bins.len() - 1;
        self.bins[bin.min(last)] += 1;
    }

    fn merge(&mut self, other: &Self) {
        if other.min.0 < self.min.0 {
            self.min = other.min;
        }
        if other.max.0 > self.max.0 {
            self.max = other.max;
        }
        self.sum += other.sum;
        self.count += other.count;
        for (own, more) in self.bins.iter_mut().zip(&other.bins) {
            *own += more;
        }
    }

    fn spread(&self) -> Spread {
        Spread {
            min: self.min.0,
            min_element: self.min.1,
            max: self.max.0,
            max_element: self.max.1,
            mean: self.sum / self.count.max(1) as f64,
            histogram: Histogram { from: 0.0, to: self.to, counts: self.bins.clone() },
        }
    }
}
