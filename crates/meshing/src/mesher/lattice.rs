//! The background of the mesher: an octree filled with body-centred tetrahedra.
//!
//! Each leaf has a vertex at its centre and vertices at its corners. Two leaves of equal size that share a face
//! span four tetrahedra, one per edge of the face, of the body-centred cubic lattice \[Labelle07, section 3\].
//! Where a leaf meets a larger one, the shared quarter of the larger face is cut along the diagonal through the
//! centre of that face and joined with both centres. Leaves that touch in a face or an edge differ by at most
//! a factor of two, so that an edge has at most one vertex in its middle.

use crate::solid::Solid;
use pliant_mesh::DVec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Integer coordinates in half sizes of the smallest cell.
pub(super) type Site = [i32; 3];

/// How many times a cell at the surface may be halved to catch small features.
pub(super) const FINER: u32 = 4;

/// A cube of the octree: its lowest corner and its size, in units of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell {
    pub corner: Site,
    pub size: i32,
}

impl Cell {
    fn center(self) -> Site {
        self.corner.map(|c| c + self.size / 2)
    }

    fn children(self) -> [Cell; 8] {
        let half = self.size / 2;
        std::array::from_fn(|k| Cell {
            corner: std::array::from_fn(|a| self.corner[a] + half * ((k >> a) & 1) as i32),
            size: half,
        })
    }
}

/// Where the lattice lies and how fine it is.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    origin: DVec3,
    /// Metres per unit.
    unit: f64,
    /// Number of the largest cells along each axis.
    roots: [i32; 3],
    /// Size of a cell at the surface, in units.
    base: i32,
    /// Size of the largest cells, in units.
    largest: i32,
    /// Cell size over distance to the surface that the interior may have.
    grading: f64,
}

impl Frame {
    /// A frame around a box with cells of size `cell` at the surface and of at most `2^doublings` that in the
    /// interior. The lowest corner of the box lies on a lattice vertex, which meshes aligned boxes well.
    pub fn new((low, high): (DVec3, DVec3), cell: f64, doublings: u32, grading: f64) -> Self {
        let base = 1 << (FINER + 1);
        let largest = base << doublings;
        let unit = cell / f64::from(base);
        let root = unit * f64::from(largest);
        let roots = ((high - low) / root).ceil().to_array().map(|n| n as i32 + 2);
        Self { origin: low - root, unit, roots, base, largest, grading }
    }

    /// Size of a cell at the surface, m.
    pub fn cell(&self) -> f64 {
        self.unit * f64::from(self.base)
    }

    pub fn position(&self, site: Site) -> DVec3 {
        self.origin + self.unit * DVec3::from_array(site.map(f64::from))
    }

    /// The cell of the size of the surface around a point.
    pub fn base_cell(&self, point: DVec3) -> Cell {
        self.cell_at(point, self.base)
    }

    /// The cell of the given size around a point.
    fn cell_at(&self, point: DVec3, size: i32) -> Cell {
        let site = ((point - self.origin) / self.unit).floor().to_array().map(|c| c as i32);
        Cell { corner: site.map(|c| c.div_euclid(size) * size), size }
    }

    /// Metres of a length in units.
    pub fn length(&self, units: i32) -> f64 {
        self.unit * f64::from(units)
    }

    /// Size of the cell around a point that is a leaf according to the marks, if it can be split.
    pub fn leaf_size(&self, point: DVec3, marks: &FxHashSet<Cell>) -> Option<i32> {
        let sizes = (1..=FINER + 1).rev().map(|k| 1 << k);
        sizes.filter(|&size| size > 2).find(|&size| !marks.contains(&self.cell_at(point, size)))
    }

    /// Marks the cell of the given size around a point, and those around it, to be split.
    pub fn mark(&self, point: DVec3, size: i32, marks: &mut FxHashSet<Cell>) {
        let mut size = size;
        while size <= self.base {
            marks.insert(self.cell_at(point, size));
            size *= 2;
        }
    }

    /// Whether a cell whose centre has the signed distance `d` is split.
    fn splits(&self, cell: Cell, d: f64, marks: &FxHashSet<Cell>) -> bool {
        if cell.size <= self.base {
            // A mark deep inside a cell asks for the whole path down to it.
            return marks.contains(&cell);
        }
        let size = self.unit * f64::from(cell.size);
        // The tets at a cell reach a quarter of its size into the smaller neighbours.
        let near = d.abs() <= size * (0.75_f64.sqrt() + 0.25);
        near || (d < 0.0 && size > self.grading * d.abs())
    }
}

/// Signed distances at the sites of a frame, each asked for once: meshing again with other marks is cheap.
pub(super) struct Distances<'a> {
    solid: &'a dyn Solid,
    frame: Frame,
    known: FxHashMap<u64, f64>,
}

impl<'a> Distances<'a> {
    pub fn new(solid: &'a dyn Solid, frame: Frame) -> Self {
        Self { solid, frame, known: FxHashMap::default() }
    }

    fn at(&mut self, sites: &[Site]) -> Vec<f64> {
        let new: Vec<Site> =
            sites.par_iter().copied().filter(|&site| !self.known.contains_key(&key(site))).collect();
        let value = |&site: &Site| self.solid.signed_distance(self.frame.position(site));
        let values: Vec<f64> = new.par_iter().map(value).collect();
        self.known.extend(new.into_iter().map(key).zip(values));
        sites.par_iter().map(|&site| self.known[&key(site)]).collect()
    }

    fn at_centers(&mut self, cells: &[Cell]) -> Vec<f64> {
        let centers: Vec<Site> = cells.iter().map(|cell| cell.center()).collect();
        self.at(&centers)
    }
}

/// Vertices and tetrahedra that cover the body, before they are cut at its surface.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    pub sites: Vec<Site>,
    pub positions: Vec<DVec3>,
    /// Signed distance of each vertex.
    pub distances: Vec<f64>,
    pub tets: Vec<[u32; 4]>,
}

impl Lattice {
    /// Fills the body. `marks` are cells that are split beyond the size of the surface.
    pub fn new(distances: &mut Distances<'_>, marks: &FxHashSet<Cell>) -> Self {
        let mut octree = Octree::new(distances, marks);
        octree.balance(distances);
        octree.fill(distances)
    }
}

/// The leaves by their lowest corner, with the size and the signed distance of the centre.
struct Octree {
    leaves: FxHashMap<u64, (i32, f64)>,
    frame_end: Site,
    largest: i32,
    unit: f64,
}

/// A site as one number; coordinates stay below 2^20, see [`Frame::new`].
fn key(site: Site) -> u64 {
    site.iter().fold(0, |key, &c| (key << 21) | (i64::from(c) + (1 << 20)) as u64 & 0x1f_ffff)
}

fn site_of(key: u64) -> Site {
    [42, 21, 0].map(|shift| ((key >> shift & 0x1f_ffff) as i64 - (1 << 20)) as i32)
}

impl Octree {
    fn new(distances: &mut Distances<'_>, marks: &FxHashSet<Cell>) -> Self {
        let frame = distances.frame.clone();
        let [nx, ny, nz] = frame.roots;
        let size = frame.largest;
        let mut front: Vec<Cell> = (0..nx * ny * nz)
            .map(|i| Cell { corner: [i % nx * size, i / nx % ny * size, i / nx / ny * size], size })
            .collect();
        let mut leaves = FxHashMap::default();
        while !front.is_empty() {
            let values = distances.at_centers(&front);
            let mut next = Vec::new();
            for (&cell, &d) in front.iter().zip(&values) {
                if cell.size > 2 && frame.splits(cell, d, marks) {
                    next.extend(cell.children());
                } else {
                    leaves.insert(key(cell.corner), (cell.size, d));
                }
            }
            front = next;
        }
        Self { leaves, frame_end: frame.roots.map(|n| n * size), largest: size, unit: frame.unit }
    }

    /// The leaf that contains the cell, if the cell is in the domain and not itself divided.
    fn leaf_over(&self, cell: Cell) -> Option<Cell> {
        let mut size = cell.size;
        while size <= self.largest {
            let corner = cell.corner.map(|c| c.div_euclid(size) * size);
            if self.leaves.get(&key(corner)).is_some_and(|leaf| leaf.0 == size) {
                return Some(Cell { corner, size });
            }
            size *= 2;
        }
        None
    }

    fn inside(&self, cell: Cell) -> bool {
        (0..3).all(|a| cell.corner[a] >= 0 && cell.corner[a] < self.frame_end[a])
    }

    fn sorted(&self) -> Vec<Cell> {
        let mut cells: Vec<Cell> =
            self.leaves.iter().map(|(&key, &(size, _))| Cell { corner: site_of(key), size }).collect();
        cells.par_sort_unstable();
        cells
    }

    /// Splits leaves until those that touch in a face or an edge differ by a factor of two at most.
    fn balance(&mut self, distances: &mut Distances<'_>) {
        let mut pending = self.sorted();
        while !pending.is_empty() {
            let this = &*self;
            let too_wide = |&cell: &Cell| {
                let over = move |n| this.leaf_over(n).filter(|leaf| leaf.size > 2 * cell.size);
                neighbours(cell).filter(|&n| this.inside(n)).filter_map(over).map(move |leaf| (leaf, cell))
            };
            let found: Vec<(Cell, Cell)> = pending.par_iter().flat_map_iter(too_wide).collect();
            let (mut wide, mut narrow): (Vec<Cell>, Vec<Cell>) = found.into_iter().unzip();
            wide.par_sort_unstable();
            wide.dedup();
            let children: Vec<Cell> = wide.iter().flat_map(|leaf| leaf.children()).collect();
            let values = distances.at_centers(&children);
            for leaf in &wide {
                self.leaves.remove(&key(leaf.corner));
            }
            for (cell, d) in children.iter().zip(values) {
                self.leaves.insert(key(cell.corner), (cell.size, d));
            }
            // One split may not be enough for the small neighbour, and the children may have larger ones.
            narrow.dedup();
            pending = narrow;
            pending.extend(children);
        }
    }

    fn fill(&self, distances: &mut Distances<'_>) -> Lattice {
        let frame = distances.frame.clone();
        let cells = self.sorted();
        let corners: FxHashSet<u64> = cells.iter().flat_map(|&c| corner_sites(c)).map(key).collect();
        let tets: Vec<[Site; 4]> = cells
            .par_iter()
            .flat_map_iter(|&cell| {
                let mut out = Vec::new();
                for axis in 0..3 {
                    for up in [false, true] {
                        self.join(cell, axis, up, &corners, &mut out);
                    }
                }
                out
            })
            .map(|tet| oriented(&frame, tet))
            .collect();
        let mut index: FxHashMap<u64, u32> = FxHashMap::default();
        let mut lattice = Lattice::default();
        for tet in &tets {
            lattice.tets.push(tet.map(|site| {
                *index.entry(key(site)).or_insert_with(|| {
                    lattice.sites.push(site);
                    lattice.sites.len() as u32 - 1
                })
            }));
        }
        lattice.positions = lattice.sites.iter().map(|&s| frame.position(s)).collect();
        lattice.distances = distances.at(&lattice.sites);
        // Distances below a millionth of a cell are noise of the rounding: the vertex is on the surface.
        let noise = 1e-6 * frame.cell();
        for d in &mut lattice.distances {
            if d.abs() < noise {
                *d = 0.0;
            }
        }
        lattice
    }

    /// Whether a leaf and all its corners are outside the body.
    fn outside(&self, leaf: Cell) -> bool {
        let (size, d) = self.leaves[&key(leaf.corner)];
        d > self.unit * f64::from(size) * 0.75_f64.sqrt()
    }

    /// The tets across one face of a leaf, unless the neighbour makes them.
    fn join(&self, cell: Cell, axis: usize, up: bool, corners: &FxHashSet<u64>, out: &mut Vec<[Site; 4]>) {
        let mut beside = cell;
        beside.corner[axis] += if up { cell.size } else { -cell.size };
        if !self.inside(beside) {
            return;
        }
        // A divided neighbour makes the tets of its smaller faces.
        let Some(other) = self.leaf_over(beside) else { return };
        if self.outside(cell) && self.outside(other) {
            return;
        }
        let face = face_sites(cell, axis, up);
        let (c, o) = (cell.center(), other.center());
        if other.size == cell.size {
            if !up {
                return;
            }
            for k in 0..4 {
                let (a, b) = (face[k], face[(k + 1) % 4]);
                let middle: Site = std::array::from_fn(|i| (a[i] + b[i]) / 2);
                // The middle of an edge of the smallest cells is no site: sizes are even, halves may be odd.
                if cell.size > 2 && corners.contains(&key(middle)) {
                    out.push([a, middle, c, o]);
                    out.push([middle, b, c, o]);
                } else {
                    out.push([a, b, c, o]);
                }
            }
            return;
        }
        let start = (0..4)
            .find(|&k| (0..3).all(|a| a == axis || face[k][a] == o[a]))
            .expect("a quarter of a face touches its centre");
        let [f, p, q, r] = std::array::from_fn(|k| face[(start + k) % 4]);
        for apex in [c, o] {
            out.push([f, p, q, apex]);
            out.push([f, q, r, apex]);
        }
    }
}

/// Cells of the same size that touch a cell in a face or an edge.
fn neighbours(cell: Cell) -> impl Iterator<Item = Cell> {
    (0..27).filter_map(move |k: i32| {
        let step = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
        let count: i32 = step.iter().map(|s| s.abs()).sum();
        let corner = std::array::from_fn(|a| cell.corner[a] + step[a] * cell.size);
        (count == 1 || count == 2).then_some(Cell { corner, ..cell })
    })
}

fn corner_sites(cell: Cell) -> [Site; 8] {
    std::array::from_fn(|k| std::array::from_fn(|a| cell.corner[a] + cell.size * ((k >> a) & 1) as i32))
}

/// The corners of a face, in order around it.
fn face_sites(cell: Cell, axis: usize, up: bool) -> [Site; 4] {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| {
        let mut site = cell.corner;
        site[axis] += if up { cell.size } else { 0 };
        site[u] += i * cell.size;
        site[v] += j * cell.size;
        site
    })
}

fn oriented(frame: &Frame, [a, b, c, d]: [Site; 4]) -> [Site; 4] {
    let volume = pliant_mesh::vector::tet_volume([a, b, c, d].map(|s| frame.position(s)));
    if volume > 0.0 { [a, b, c, d] } else { [a, b, d, c] }
}
