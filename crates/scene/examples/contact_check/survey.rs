//! All surfaces of a model against all obstacles and each other.

use crate::crossing;
use crate::distance::{Checked, Field, local};
use crate::lowest::on_triangle;
use pliant::{DVec3, Model, Pose};
use pliant_mesh::{Aabb, Mesh, TriangleTree};

/// Part of a body's size to which depths are found.
const TOLERANCE: f64 = 1e-4;

/// The surface of a body.
pub struct Surface {
    pub name: String,
    pub triangles: Vec<[u32; 3]>,
    pub solid: bool,
    self_contact: bool,
    /// The diagonal of the box around it at rest, m.
    pub size: f64,
    /// Its first vertex among those of all bodies.
    first: usize,
    vertices: usize,
}

impl Surface {
    /// Its part of the positions of all vertices.
    pub fn positions<'a>(&self, x: &'a [DVec3]) -> &'a [DVec3] {
        &x[self.first..self.first + self.vertices]
    }
}

/// A body in an obstacle or in another body.
pub struct Found {
    /// The body, and what it is in.
    pub names: [String; 2],
    /// Deepest point in m, and in parts of the body's size.
    pub depth: f64,
    pub relative: f64,
    pub place: DVec3,
    /// Triangles with a point inside, or pairs of triangles that cross.
    pub triangles: usize,
}

pub struct Survey {
    pub surfaces: Vec<Surface>,
    pub obstacles: Vec<(String, Checked)>,
}

impl Survey {
    pub fn new(model: &Model) -> Survey {
        let mut first = 0;
        let mut surfaces = Vec::new();
        for body in &model.bodies {
            let vertices = body.mesh.vertices();
            surfaces.push(Surface {
                name: body.name.clone(),
                triangles: body.mesh.surface_triangles(),
                solid: matches!(*body.mesh, Mesh::Tet(_)),
                self_contact: body.self_contact,
                size: Aabb::around(vertices).diagonal(),
                first,
                vertices: vertices.len(),
            });
            first += vertices.len();
        }
        let obstacles = model.obstacles.iter();
        let obstacles = obstacles.filter_map(|o| Some((o.name.clone(), Checked::new(&o.shape)?))).collect();
        Survey { surfaces, obstacles }
    }

    /// What is in what, for positions `x` of all vertices.
    pub fn look(&self, x: &[DVec3], poses: &[Pose]) -> Vec<Found> {
        let mut found = Vec::new();
        let placed: Vec<Placed> = self.surfaces.iter().map(|s| Placed::new(s, x)).collect();
        for (k, body) in placed.iter().enumerate() {
            for ((name, obstacle), pose) in self.obstacles.iter().zip(poses) {
                found.extend(body.in_obstacle(name, obstacle, pose));
            }
            for (l, other) in placed.iter().enumerate() {
                let near = body.bounds.overlaps(&other.bounds);
                if k != l && near && other.field.is_some() {
                    found.extend(body.in_body(other));
                } else if near && (k < l && body.field.is_none() || k == l && body.surface.self_contact) {
                    found.extend(body.crossing(other, k == l));
                }
            }
        }
        found
    }
}

/// A surface where it is now.
struct Placed<'a> {
    surface: &'a Surface,
    triangles: Vec<[DVec3; 3]>,
    bounds: Aabb,
    tree: Option<TriangleTree>,
    /// Of a solid.
    field: Option<Field>,
}

impl<'a> Placed<'a> {
    fn new(surface: &'a Surface, x: &[DVec3]) -> Placed<'a> {
        let x = surface.positions(x);
        let triangles: Vec<_> = surface.triangles.iter().map(|t| t.map(|v| x[v as usize])).collect();
        let bounds = triangles.iter().map(|t| Aabb::around(t)).fold(Aabb::EMPTY, Aabb::union);
        let tree = TriangleTree::from_parts(x, &surface.triangles).ok();
        let field = surface.solid.then(|| Field::closed(x, &surface.triangles)).flatten();
        Placed { surface, triangles, bounds, tree, field }
    }

    fn tally(&self, name: &str) -> Found {
        let names = [self.surface.name.clone(), name.to_string()];
        Found { names, depth: 0.0, relative: 0.0, place: DVec3::ZERO, triangles: 0 }
    }

    fn in_obstacle(&self, name: &str, obstacle: &Checked, pose: &Pose) -> Option<Found> {
        let mut found = self.tally(name);
        for &triangle in &self.triangles {
            let corners = local(pose, triangle);
            match obstacle {
                Checked::Solid(field) => {
                    if let Some(low) = on_triangle(field, corners, TOLERANCE * self.surface.size) {
                        found.add(-low.distance, pose.place(low.place), self.surface.size);
                    }
                }
                Checked::Sheet { tree, triangles } => tree.overlapping(&Aabb::around(&corners), |t| {
                    let depth = crossing::depth(corners, triangles[t as usize]);
                    found.add(depth, triangle[0], self.surface.size);
                }),
            }
        }
        (found.triangles > 0).then_some(found)
    }

    fn in_body(&self, other: &Placed) -> Option<Found> {
        let (field, size) = (other.field.as_ref()?, self.surface.size);
        let mut found = self.tally(&other.surface.name);
        for &triangle in self.triangles.iter().filter(|t| Aabb::around(*t).overlaps(&other.bounds)) {
            if let Some(low) = on_triangle(field, triangle, TOLERANCE * size) {
                found.add(-low.distance, low.place, size);
            }
        }
        (found.triangles > 0).then_some(found)
    }

    fn crossing(&self, other: &Placed, itself: bool) -> Option<Found> {
        let mut found = self.tally(&other.surface.name);
        let tree = other.tree.as_ref()?;
        for (k, &triangle) in self.triangles.iter().enumerate() {
            tree.overlapping(&Aabb::around(&triangle), |l| {
                let [t, s] = [self.surface.triangles[k], other.surface.triangles[l as usize]];
                if itself && (l as usize <= k || t.iter().any(|v| s.contains(v))) {
                    return;
                }
                let depth = crossing::depth(triangle, other.triangles[l as usize]);
                found.add(depth, triangle[0], self.surface.size);
            });
        }
        (found.triangles > 0).then_some(found)
    }
}

impl Found {
    /// Takes in a depth, unless it is so small that surfaces only touch.
    fn add(&mut self, depth: f64, place: DVec3, size: f64) {
        if depth > 1e-6 * size {
            self.triangles += 1;
            if depth > self.depth {
                (self.depth, self.relative, self.place) = (depth, depth / size, place);
            }
        }
    }
}
