//! A grid of cells cut into tets: the Kuhn subdivision, six tets per cell around a main diagonal.
//!
//! Each tet is a path of three axis steps along its cell's diagonal. With the same diagonal in all cells the
//! cuts of neighbours match. Cells before `mirror` have the reflected cut, which matches as well at the
//! plane of reflection; so the diagonals of a grid that becomes round can all point outward, and no tet lies
//! with two faces on the surface, where the map would flatten it.

use crate::DVec3;

/// The orders of three axis steps with even (first three) and odd parity.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];

pub(super) struct Grid {
    /// Number of cells in each direction.
    pub cells: [usize; 3],
    /// Cells below this index are cut in mirror image in that direction.
    pub mirror: [usize; 3],
    /// The last layer in z meets the first.
    pub closed_z: bool,
}

impl Grid {
    pub fn new(cells: [usize; 3]) -> Self {
        Self { cells, mirror: [0; 3], closed_z: false }
    }

    /// Number of vertices in each direction.
    pub fn points(&self) -> [usize; 3] {
        let [x, y, z] = self.cells;
        [x + 1, y + 1, if self.closed_z { z } else { z + 1 }]
    }

    /// Index of a vertex: x fastest, then y, then z.
    fn index(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [px, py, pz] = self.points();
        // The element limit keeps all indices far below 2^32.
        (i + px * (j + py * (k % pz))) as u32
    }

    /// All `[i, j, k]` of a box of the given size, x fastest.
    fn walk(size: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
        let [x, y, z] = size;
        (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
    }

    /// Vertex positions from grid indices.
    pub fn vertices(&self, position: impl FnMut([usize; 3]) -> DVec3) -> Vec<DVec3> {
        Self::walk(self.points()).map(position).collect()
    }

    /// Indices of the vertices whose grid index passes `test`, ascending.
    pub fn select(&self, test: impl Fn([usize; 3]) -> bool) -> Vec<u32> {
        Self::walk(self.points()).filter(|&p| test(p)).map(|p| self.index(p)).collect()
    }

    /// Is a grid vertex at an end of direction `axis`?
    pub fn at_end(&self, p: [usize; 3], axis: usize) -> bool {
        p[axis] == 0 || p[axis] == self.cells[axis]
    }

    /// Positively oriented tets, if the map from grid to space keeps the orientation.
    pub fn tets(&self) -> Vec<[u32; 4]> {
        let mut tets = Vec::with_capacity(6 * self.cells.iter().product::<usize>());
        for cell in Self::walk(self.cells) {
            let mirrored: [bool; 3] = std::array::from_fn(|d| cell[d] < self.mirror[d]);
            let odd_mirrors = mirrored.iter().filter(|&&m| m).count() % 2 == 1;
            let corner = |step: [bool; 3]| {
                self.index(std::array::from_fn(|d| cell[d] + usize::from(step[d] != mirrored[d])))
            };
            for (n, path) in PATHS.iter().enumerate() {
                let mut step = [false; 3];
                let mut tet = [corner(step); 4];
                for (k, &axis) in path.iter().enumerate() {
                    step[axis] = true;
                    tet[k + 1] = corner(step);
                }
                if (n >= 3) != odd_mirrors {
                    tet.swap(2, 3);
                }
                tets.push(tet);
            }
        }
        tets
    }
}
