//! What a picture points at: elements, edges, vertices.

use pliant_mesh::{Mesh, sphere_surface};
use pliant_meshing::inspect::{Defect, Defects};
use pliant_render::Vec3;

/// Radius of the mark of a vertex and of an edge, and least size of an element, where the mesh has size 2.
const DOT: f32 = 0.014;
const TUBE: f32 = 0.006;
const LEAST: f32 = 0.03;

/// Things of one kind, in one colour.
#[derive(Debug)]
pub(super) struct Highlight {
    /// What they are.
    pub(super) name: String,
    /// sRGB, 0 to 1.
    pub(super) color: [f32; 3],
    /// Triangles or tets, by vertices.
    solids: Vec<Vec<u32>>,
    edges: Vec<[u32; 2]>,
    dots: Vec<u32>,
}

impl Highlight {
    fn new(name: String, color: [u8; 3]) -> Highlight {
        let color = color.map(|c| f32::from(c) / 255.0);
        Highlight { name, color, solids: Vec::new(), edges: Vec::new(), dots: Vec::new() }
    }

    /// Triangles to draw, with the vertices of the mesh at `positions`.
    pub(super) fn triangles(&self, positions: &[Vec3]) -> Triangles {
        let mut drawn = Triangles::default();
        let at = |v: u32| positions.get(v as usize).copied().unwrap_or(Vec3::ZERO);
        for corners in &self.solids {
            drawn.solid(&corners.iter().map(|&v| at(v)).collect::<Vec<_>>());
        }
        for &[a, b] in &self.edges {
            drawn.tube(at(a), at(b));
        }
        for &v in &self.dots {
            drawn.dot(at(v));
        }
        drawn
    }
}

/// The defects that were found, a highlight for each kind.
pub(super) fn of_defects(mesh: &Mesh, defects: &Defects) -> Vec<Highlight> {
    const COLORS: [[u8; 3]; 11] = [
        [235, 120, 20],  // open edges
        [200, 30, 160],  // non-manifold edges
        [140, 60, 200],  // non-manifold vertices
        [30, 130, 210],  // misoriented edges
        [215, 30, 40],   // self-intersections
        [215, 30, 40],   // inverted elements
        [130, 20, 30],   // degenerate elements
        [20, 150, 140],  // duplicate elements
        [90, 60, 20],    // faces with more than two tets
        [40, 90, 200],   // duplicate vertices
        [110, 120, 130], // unused vertices
    ];
    let surface = mesh.surface_triangles();
    let kinds = defects.all().into_iter().zip(COLORS).filter(|((_, defect), _)| defect.count > 0);
    kinds
        .map(|((name, defect), color)| {
            let mut highlight = Highlight::new(format!("{} {name}", defect.count), color);
            highlight.add(mesh, &surface, name, defect);
            highlight
        })
        .collect()
}

/// The elements of the lowest quality, and how many they are.
pub(super) fn of_worst(mesh: &Mesh, quality: &[f64], wanted: usize) -> (Highlight, usize) {
    let mut order: Vec<usize> = (0..quality.len()).collect();
    order.sort_by(|&a, &b| quality[a].total_cmp(&quality[b]));
    order.truncate(wanted);
    let range = match (order.first(), order.last()) {
        (Some(&first), Some(&last)) => format!("quality {:.3} to {:.3}", quality[first], quality[last]),
        _ => String::new(),
    };
    let mut highlight = Highlight::new(range, [215, 30, 40]);
    highlight.solids = order.iter().map(|&e| element(mesh, e)).collect();
    (highlight, order.len())
}

fn element(mesh: &Mesh, index: usize) -> Vec<u32> {
    match mesh {
        Mesh::Tet(m) => m.tets.get(index).map_or(Vec::new(), |t| t.to_vec()),
        Mesh::Tri(m) => m.triangles.get(index).map_or(Vec::new(), |t| t.to_vec()),
    }
}

impl Highlight {
    fn add(&mut self, mesh: &Mesh, surface: &[[u32; 3]], name: &str, defect: &Defect) {
        for place in &defect.first {
            match (name, &place.indices[..]) {
                ("self-intersections", pair) => {
                    let triangles = pair.iter().filter_map(|&t| surface.get(t as usize));
                    self.solids.extend(triangles.map(|t| t.to_vec()));
                }
                ("inverted elements" | "degenerate elements" | "duplicate elements", [first, ..]) => {
                    self.solids.push(element(mesh, *first as usize));
                }
                ("duplicate vertices", [first, ..]) | (_, [first]) => self.dots.push(*first),
                (_, [a, b]) => self.edges.push([*a, *b]),
                (_, face) => self.solids.push(face.to_vec()),
            }
        }
    }
}

/// Triangles to be drawn.
#[derive(Debug, Default)]
pub(super) struct Triangles {
    /// Vertices.
    pub(super) positions: Vec<Vec3>,
    /// Their indices.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Triangles {
    fn add(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) {
        let base = self.positions.len() as u32;
        self.positions.extend_from_slice(positions);
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| base + v)));
    }

    /// A triangle or a tet, enlarged about its middle if it would be too small to be seen.
    fn solid(&mut self, corners: &[Vec3]) {
        let n = corners.len().max(1) as f32;
        let middle = corners.iter().sum::<Vec3>() / n;
        let reach = corners.iter().map(|c| c.distance(middle)).fold(0.0, f32::max);
        let factor = if reach > 0.0 { (0.5 * LEAST / reach).max(1.0) } else { 1.0 };
        let grown: Vec<Vec3> = corners.iter().map(|c| middle + factor * (c - middle)).collect();
        match grown.len() {
            4 => {
                // Corners of its own for each face: sharp edges.
                for face in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
                    self.add(&face.map(|i: usize| grown[i]), &[[0, 1, 2]]);
                }
            }
            3 => self.add(&grown, &[[0, 1, 2]]),
            _ => self.dot(middle),
        }
        if let Some([a, b]) = needle(&grown) {
            self.tube(a, b);
        }
    }

    /// A three-sided rod.
    fn tube(&mut self, a: Vec3, b: Vec3) {
        let along = b - a;
        if along.length() <= 0.0 {
            return self.dot(a);
        }
        let other = Vec3::AXES[along.abs().min_position()];
        let u = unit(along.cross(other));
        let v = unit(along.cross(u));
        let ring = [[1.0, 0.0], [-0.5, 0.866], [-0.5, -0.866]].map(|[x, y]| TUBE * (x * u + y * v));
        let positions: Vec<Vec3> = [a, b].iter().flat_map(|&p| ring.map(|r| p + r)).collect();
        let sides = (0..3u32).flat_map(|i| {
            let j = (i + 1) % 3;
            [[i, j, i + 3], [j, j + 3, i + 3]]
        });
        self.add(&positions, &sides.collect::<Vec<_>>());
    }

    fn dot(&mut self, center: Vec3) {
        if let Ok(ball) = sphere_surface(f64::from(DOT), 1) {
            let positions: Vec<Vec3> = ball.vertices.iter().map(|p| center + p.as_vec3()).collect();
            self.add(&positions, &ball.triangles);
        }
    }
}

/// The longest side of a triangle that is too narrow to be seen.
fn needle(corners: &[Vec3]) -> Option<[Vec3; 2]> {
    let &[a, b, c] = corners else { return None };
    let area = (b - a).cross(c - a).length();
    let length = |side: &[Vec3; 2]| side[0].distance(side[1]);
    let longest = [[a, b], [b, c], [c, a]].into_iter().max_by(|p, q| length(p).total_cmp(&length(q)))?;
    (area < 0.1 * length(&longest).powi(2)).then_some(longest)
}

/// The vector with length 1, or zero.
fn unit(v: Vec3) -> Vec3 {
    v / v.length().max(1e-30)
}
