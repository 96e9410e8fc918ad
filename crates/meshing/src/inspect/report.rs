//! What a report on a mesh holds.

use pliant_mesh::{DVec3, ElementKind};
use serde::{Serialize, Serializer};
use std::fmt::Display;

/// How to inspect.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectOptions {
    /// Vertices not farther apart than this, metres, count as duplicates. Zero by default: equal positions only.
    pub duplicate_distance: f64,
    /// How many places of each defect are listed. 10 by default; all are counted.
    pub places: usize,
    /// Whether to search for triangles that intersect, the slowest of the checks. True by default.
    pub self_intersections: bool,
}

impl Default for InspectOptions {
    fn default() -> Self {
        Self { duplicate_distance: 0.0, places: 10, self_intersections: true }
    }
}

/// A description of a mesh. "Surface" is the mesh itself if it has triangles, or the boundary of the tets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MeshReport {
    /// What the elements are.
    #[serde(serialize_with = "as_text")]
    pub kind: ElementKind,
    /// Number of vertices, used or not.
    pub vertices: usize,
    /// Number of elements.
    pub elements: usize,
    /// The named groups.
    pub groups: Vec<GroupSize>,
    /// Smallest and largest coordinates.
    pub bounds: [[f64; 3]; 2],
    /// Length of the diagonal of the bounds, m.
    pub diagonal: f64,
    /// Sum of the signed tet volumes, or the signed volume that a closed and consistently oriented surface
    /// encloses, m^3. Negative for a surface that is inside out.
    pub volume: Option<f64>,
    /// Area of the surface, m^2.
    pub area: f64,
    /// Number of triangles of the surface.
    pub surface_triangles: usize,
    /// Whether no edge of the surface is open.
    pub closed: bool,
    /// Number of parts that share no vertex.
    pub components: usize,
    /// Elements of the largest parts, descending.
    pub largest_components: Vec<usize>,
    /// Euler characteristic of the surface: vertices minus edges plus triangles.
    pub euler: i64,
    /// Number of handles of a closed manifold surface, over all its parts.
    pub genus: Option<i64>,
    /// Number of loops (and chains) that the open edges form.
    pub open_loops: usize,
    /// The longest of them, descending.
    pub longest_open_loops: Vec<LoopReport>,
    /// Lengths of the elements' edges, m.
    pub edge_length: LengthRange,
    /// Angles between the faces of tets, or at the corners of triangles, degrees.
    pub angle_degrees: Spread,
    /// Inscribed over circumscribed radius, scaled such that 1 is regular; 0 is flat, negative inverted.
    pub radius_ratio: Spread,
    /// `6 sqrt(2) |V| / l^3` of tets with the root mean square `l` of the edge lengths: 1 is regular, 0 flat.
    pub rms_quality: Option<Spread>,
    /// What is wrong with the mesh.
    pub defects: Defects,
}

/// Writes a value as it is displayed.
fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

impl MeshReport {
    /// Lists at most this many places of each defect, components and open loops.
    pub fn shorten(&mut self, places: usize) {
        self.largest_components.truncate(places);
        self.longest_open_loops.truncate(places);
        let d = &mut self.defects;
        for defect in [
            &mut d.open_edges,
            &mut d.non_manifold_edges,
            &mut d.non_manifold_vertices,
            &mut d.misoriented_edges,
            &mut d.self_intersections,
            &mut d.inverted_elements,
            &mut d.degenerate_elements,
            &mut d.duplicate_elements,
            &mut d.crowded_faces,
            &mut d.duplicate_vertices,
            &mut d.unused_vertices,
        ] {
            defect.first.truncate(places);
        }
    }
}

/// The size of a named group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupSize {
    /// Its name.
    pub name: String,
    /// Number of vertices listed.
    pub vertices: usize,
    /// Number of elements listed.
    pub elements: usize,
}

/// A loop of open edges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopReport {
    /// Number of edges.
    pub edges: usize,
    /// Length, m.
    pub length: f64,
    /// Area of the triangles between the loop and its centre, m^2: about what a patch would have.
    pub area: f64,
    /// Mean of its vertices.
    pub center: [f64; 3],
    /// Whether its ends meet; they do not where it runs into edges with more than two triangles.
    pub closed: bool,
}

/// Shortest, mean and longest of lengths, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LengthRange {
    /// Shortest.
    pub min: f64,
    /// Mean over the elements, each with all its edges.
    pub mean: f64,
    /// Longest.
    pub max: f64,
}

/// How a measure is distributed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest value.
    pub min: f64,
    /// The element it belongs to.
    pub min_element: usize,
    /// Largest value.
    pub max: f64,
    /// The element it belongs to.
    pub max_element: usize,
    /// Mean.
    pub mean: f64,
    /// Counts of values.
    pub histogram: Histogram,
}

/// Counts of values in bins of equal width; values beyond the ends count in the first and last bin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Histogram {
    /// Lower end of the first bin.
    pub from: f64,
    /// Upper end of the last bin.
    pub to: f64,
    /// Values in each bin.
    pub counts: Vec<usize>,
}

/// What is wrong with a mesh, each kind with a count and the first places. The indices of a place are named
/// with each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Defects {
    /// Edges of the surface with one triangle. Two vertices.
    pub open_edges: Defect,
    /// Edges of the surface with more than two triangles. Two vertices.
    pub non_manifold_edges: Defect,
    /// Vertices of the surface whose triangles do not hang together by edges. One vertex.
    pub non_manifold_vertices: Defect,
    /// Edges with two triangles that pass them in the same direction: one of them is turned. Two vertices.
    pub misoriented_edges: Defect,
    /// Pairs of surface triangles that intersect. Two triangles.
    pub self_intersections: Defect,
    /// Tets with a negative volume. One tet.
    pub inverted_elements: Defect,
    /// Elements with a repeated vertex, or flat to nine digits. One element.
    pub degenerate_elements: Defect,
    /// Elements with the same vertices as an earlier one. This element and the earlier one.
    pub duplicate_elements: Defect,
    /// Faces with more than two tets. Three vertices.
    pub crowded_faces: Defect,
    /// Vertices at the place of an earlier one. This vertex and the earlier one.
    pub duplicate_vertices: Defect,
    /// Vertices that no element uses. One vertex.
    pub unused_vertices: Defect,
}

impl Defects {
    /// All kinds with a name that reads well in a report.
    pub fn all(&self) -> [(&'static str, &Defect); 11] {
        [
            ("open edges", &self.open_edges),
            ("non-manifold edges", &self.non_manifold_edges),
            ("non-manifold vertices", &self.non_manifold_vertices),
            ("misoriented edges", &self.misoriented_edges),
            ("self-intersections", &self.self_intersections),
            ("inverted elements", &self.inverted_elements),
            ("degenerate elements", &self.degenerate_elements),
            ("duplicate elements", &self.duplicate_elements),
            ("faces with more than two tets", &self.crowded_faces),
            ("duplicate vertices", &self.duplicate_vertices),
            ("unused vertices", &self.unused_vertices),
        ]
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.all().iter().all(|(_, defect)| defect.count == 0)
    }
}

/// One kind of defect.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Defect {
    /// How often it occurs.
    pub count: usize,
    /// The first places.
    pub first: Vec<Place>,
}

/// Where a defect is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Vertices or elements; see the fields of [`Defects`].
    pub indices: Vec<u32>,
    /// A point in the middle of it.
    pub at: [f64; 3],
}

impl Defect {
    /// Counts all places and keeps the first ones.
    pub(super) fn collect(places: impl Iterator<Item = (Vec<u32>, DVec3)>, keep: usize) -> Self {
        let mut defect = Self::default();
        for (indices, at) in places {
            if defect.count < keep {
                defect.first.push(Place { indices, at: at.to_array() });
            }
            defect.count += 1;
        }
        defect
    }
}
