//! Gathers the surfaces of bodies and the obstacles with faces into one skin and plants the trees over it.

use super::{LONGER, Part, Skin, Topology};
use crate::shape::six_volumes;
use crate::tree::Forest;
use crate::{Obstacle, ObstacleId, Shape, Side, Surface};
use pliant_mesh::{DVec3, TriangleTree};
use rustc_hash::{FxHashMap, FxHashSet};

/// Part of the size of the smallest body to which the rims of cylinders are round, and how many sides they have.
const ROUNDNESS: f64 = 1e-4;
const SIDES_OF_PRISMS: (u32, u32) = (16, 192);

/// What a part is made of, before its triangles are sorted.
struct Source<'a> {
    part: Part,
    triangles: Vec<[u32; 3]>,
    positions: &'a [DVec3],
    /// Added to the index of a vertex to make its name.
    first_name: u32,
}

#[derive(Default)]
struct Builder {
    forest: Forest,
    parts: Vec<Part>,
    global: Vec<u32>,
    repeated: Vec<bool>,
    rest: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    originals: Vec<u32>,
    named: FxHashSet<u32>,
}

impl Skin {
    /// Everything must have been checked.
    pub fn new(surfaces: &[Surface], obstacles: &[Obstacle], rest: &[DVec3]) -> (Self, Forest) {
        let mut builder = Builder::default();
        for surface in surfaces {
            builder.add(Source {
                part: Part {
                    solid: surface.solid,
                    self_contact: surface.self_contact,
                    ..part(Side::Body(surface.body), surface.radius)
                },
                triangles: surface.triangles.clone(),
                positions: rest,
                first_name: 0,
            });
        }
        let mut first_name = rest.len() as u32;
        let precision = ROUNDNESS * builder.parts.iter().map(|p| p.size).fold(f64::INFINITY, f64::min);
        for (index, obstacle) in obstacles.iter().enumerate() {
            let part = part(Side::Obstacle(ObstacleId::new(index)), obstacle.radius);
            first_name += builder.add_obstacle(part, obstacle, precision, first_name);
        }
        builder.finish()
    }
}

fn part(side: Side, radius: f64) -> Part {
    Part {
        side,
        solid: true,
        radius,
        size: 0.0,
        self_contact: false,
        has_faces: true,
        vertices: 0..0,
        triangles: 0..0,
        edges: 0..0,
        flat_edges_touch: false,
        root: 0,
    }
}

impl Builder {
    /// Adds the faces of an obstacle, if it has any, and the sharp edges of others, round ones to a `precision`; returns how many
    /// names of vertices it took.
    fn add_obstacle(&mut self, part: Part, obstacle: &Obstacle, precision: f64, first_name: u32) -> u32 {
        match &obstacle.shape {
            Shape::Mesh(mesh) => {
                let mut triangles = mesh.triangles.clone();
                let solid = obstacle.shape.is_solid();
                if solid && six_volumes(&mesh.vertices, &triangles) < 0.0 {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                let part = Part { solid, ..part };
                self.add(Source { part, triangles, positions: &mesh.vertices, first_name });
                mesh.vertices.len() as u32
            }
            Shape::Box { half } => {
                let corners: Vec<DVec3> = (0..8_u32)
                    .map(|i| *half * DVec3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 })))
                    .collect();
                let part = Part { has_faces: false, ..part };
                let triangles = BOX_TRIANGLES.to_vec();
                self.add(Source { part, triangles, positions: &corners, first_name });
                8
            }
            Shape::Cylinder { radius, half_length } => {
                let (corners, triangles) = prism(*radius, *half_length, precision);
                let part = Part { has_faces: false, ..part };
                self.add(Source { part, triangles, positions: &corners, first_name });
                corners.len() as u32
            }
            _ => 0,
        }
    }

    fn add(&mut self, source: Source) {
        let Source { part, triangles, positions, first_name } = source;
        let corners = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
        let centers: Vec<DVec3> = triangles.iter().map(|t| corners(t).iter().sum()).collect();
        let (root, order) = self.forest.plant(self.parts.len() as u32, &centers);
        let (first_vertex, first_triangle) = (self.global.len(), self.triangles.len());
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        for &t in &order {
            let triangle = triangles[t as usize].map(|v| {
                *numbers.entry(v).or_insert_with(|| {
                    self.rest.push(positions[v as usize]);
                    self.global.push(first_name + v);
                    self.repeated.push(!self.named.insert(first_name + v));
                    self.global.len() as u32 - 1
                })
            });
            self.triangles.push(triangle);
            self.originals.push(t);
        }
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &x in &self.rest[first_vertex..] {
            (min, max) = (min.min(x), max.max(x));
        }
        self.parts.push(Part {
            size: if min.x <= max.x { max.distance(min) } else { 0.0 },
            vertices: first_vertex..self.global.len(),
            triangles: first_triangle..self.triangles.len(),
            root,
            ..part
        });
    }

    fn finish(self) -> (Skin, Forest) {
        let Self { forest, mut parts, global, repeated, rest, triangles, originals, .. } = self;
        let topology = Topology::new(triangles, global.len());
        for part in &mut parts {
            let edges = topology.owned_edges(&(part.triangles.start as u32..part.triangles.end as u32));
            part.edges = edges.start as usize..edges.end as usize;
        }
        let length = |[a, b]: [u32; 2]| rest[a as usize].distance(rest[b as usize]);
        let lengths: Vec<f64> = topology.edges.iter().map(|&e| length(e)).collect();
        let features = features(&parts, &topology, &rest);
        mark_flat_edges(&mut parts, &lengths, &features);
        let mean = |edges: &[u32; 3]| edges.iter().map(|&e| lengths[e as usize]).sum::<f64>() / 3.0;
        let sizes: Vec<f64> = topology.triangle_edges.iter().map(mean).collect();
        let mut depths = vec![0.0; sizes.len()];
        for part in parts.iter().filter(|p| p.solid) {
            let (range, first) = (part.triangles.clone(), part.vertices.start as u32);
            // Only its own vertices: looking at those of all parts for each part would take the square of their number.
            let triangles: Vec<[u32; 3]> =
                topology.triangles[range.clone()].iter().map(|t| t.map(|v| v - first)).collect();
            let own = &rest[part.vertices.clone()];
            fill_depths(own, &triangles, &sizes[range.clone()], &mut depths[range]);
        }
        let first = |e: usize| topology.edge_triangles[e][0] as usize;
        let edges = 0..lengths.len();
        let runs_along = edges.map(|e| topology.runs_along(e, first(e))).collect();
        let representatives = topology.representatives();
        let skin = Skin {
            parts,
            global,
            repeated,
            rest,
            topology,
            originals,
            representatives,
            sizes,
            depths,
            lengths,
            features,
            runs_along,
        };
        (skin, forest)
    }
}

/// A prism in a cylinder whose rims are those of the cylinder, to a precision, and its triangles, which look outward.
fn prism(radius: f64, half_length: f64, precision: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    // How far a chord is from its arc: r (1 - cos(pi / n)).
    let needed = std::f64::consts::PI * (0.5 * radius / precision).sqrt();
    let (least, most) = SIDES_OF_PRISMS;
    let n = if needed.is_finite() { (needed.ceil() as u32).clamp(least, most) } else { most };
    let rim = |z: f64| {
        (0..n).map(move |k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(n)).sin_cos();
            DVec3::new(radius * cos, radius * sin, z)
        })
    };
    let middles = [DVec3::new(0.0, 0.0, -half_length), DVec3::new(0.0, 0.0, half_length)];
    let corners = rim(-half_length).chain(rim(half_length)).chain(middles).collect();
    let around = (0..n).flat_map(|a| {
        let b = (a + 1) % n;
        [[a, b, n + b], [a, n + b, n + a], [2 * n, b, a], [2 * n + 1, n + a, n + b]]
    });
    (corners, around.collect())
}

/// Which edges are features: of parts without faces, which stand for a formula, only the sharp edges of the shape.
fn features(parts: &[Part], topology: &Topology, rest: &[DVec3]) -> Vec<bool> {
    let mut features = vec![true; topology.edges.len()];
    let normal = |t: u32| {
        let [a, b, c] = topology.triangles[t as usize].map(|v| rest[v as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    for e in parts.iter().filter(|p| !p.has_faces).flat_map(|p| p.edges.clone()) {
        let [t, s] = topology.edge_triangles[e];
        features[e] = normal(t).dot(normal(s)) < 0.5;
    }
    features
}

/// Sets [`Part::flat_edges_touch`] from the lengths of all edges that are features.
fn mark_flat_edges(parts: &mut [Part], lengths: &[f64], features: &[bool]) {
    let of = |p: &Part| p.edges.clone().filter(|&e| features[e]).map(|e| lengths[e]);
    let longest = |p: &Part| of(p).fold(0.0_f64, f64::max);
    let shortest = |p: &Part| of(p).fold(f64::INFINITY, f64::min);
    // The two longest are enough: one of them is of another part.
    let (mut of_all, mut of_soft) = ([(0.0, usize::MAX); 2], [(0.0, usize::MAX); 2]);
    let longest: Vec<f64> = parts.iter().map(longest).collect();
    for (i, (part, &length)) in parts.iter().zip(&longest).enumerate() {
        keep_longest(&mut of_all, length, i);
        if !part.is_rigid() {
            keep_longest(&mut of_soft, length, i);
        }
    }
    for (k, part) in parts.iter_mut().enumerate() {
        // Rigid parts do not meet each other.
        let others = if part.is_rigid() { &of_soft } else { &of_all };
        let other = others.iter().find(|(_, i)| *i != k).map_or(0.0, |(length, _)| *length);
        let limit = LONGER * shortest(part);
        part.flat_edges_touch = other > limit || part.self_contact && longest[k] > limit;
    }
}

/// Keeps the two longest with their parts, the longest first.
fn keep_longest(two: &mut [(f64, usize); 2], length: f64, part: usize) {
    if length > two[0].0 {
        *two = [(length, part), two[0]];
    } else if length > two[1].0 {
        two[1] = (length, part);
    }
}

/// Half of the size of each triangle, and at most half of how thick the solid is behind it.
fn fill_depths(rest: &[DVec3], triangles: &[[u32; 3]], sizes: &[f64], depths: &mut [f64]) {
    let tree = TriangleTree::from_parts(rest, triangles).ok();
    for ((triangle, &size), depth) in triangles.iter().zip(sizes).zip(depths) {
        let [a, b, c] = triangle.map(|v| rest[v as usize]);
        let center = (1.0 / 3.0) * (a + b + c);
        let mut nearest = 1.0;
        if let (Some(tree), Some(normal)) = (&tree, (b - a).cross(c - a).try_normalize()) {
            let at = |t: f64| center - t * size * normal;
            // Starts behind the triangle itself.
            tree.crossings(at(1e-6), at(1.0), |crossing| nearest = crossing.t.min(nearest));
        }
        *depth = 0.5 * size * nearest;
    }
}

/// Two triangles per face that look outward; corners have the sign of coordinate k in bit k.
const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_is_closed_and_looks_outward() {
        let shape = Shape::Box { half: DVec3::new(1.0, 2.0, 3.0) };
        let (skin, _) = Skin::new(&[], &[Obstacle { shape, radius: 0.1 }], &[]);
        let topology = &skin.topology;
        assert_eq!((skin.global.len(), topology.triangles.len(), topology.edges.len()), (8, 12, 18));
        assert!(topology.edge_triangles.iter().flatten().all(|&t| t != super::super::NONE));
        for t in &topology.triangles {
            let [a, b, c] = t.map(|v| skin.rest[v as usize]);
            assert!(a.dot((b - a).cross(c - a)) > 0.0);
        }
        assert!((six_volumes(&skin.rest, &topology.triangles) - 6.0 * 48.0).abs() < 1e-9);
    }

    #[test]
    fn meshes_that_are_inside_out_are_turned() {
        let mesh = pliant_mesh::TriMesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]],
            ..Default::default()
        };
        let (skin, _) = Skin::new(&[], &[Obstacle { shape: Shape::Mesh(mesh), radius: 0.0 }], &[]);
        assert!(six_volumes(&skin.rest, &skin.topology.triangles) > 0.0 && skin.parts[0].solid);
    }

    #[test]
    fn vertices_keep_their_names_and_repeated_ones_are_known() {
        let surface = |triangles: Vec<[u32; 3]>| Surface {
            body: crate::BodyId(0),
            triangles,
            solid: false,
            radius: 0.0,
            self_contact: false,
        };
        let rest: Vec<DVec3> = (0..4).map(f64::from).map(|i| i * DVec3::new(1.0, i * i, 0.0)).collect();
        let surfaces = [surface(vec![[3, 1, 0]]), surface(vec![[1, 2, 3]])];
        let (skin, _) = Skin::new(&surfaces, &[], &rest);
        assert_eq!(skin.global, [3, 1, 0, 1, 2, 3]);
        assert_eq!(skin.repeated, [false, false, false, true, false, true]);
        assert!(skin.shares(0, &[5]) && !skin.shares(0, &[3, 4]));
        assert_eq!(skin.rest[4], rest[2]);
    }
}
