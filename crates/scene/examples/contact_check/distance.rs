//! Signed distances of obstacles and solid bodies, by formulas of this program's own.

use pliant::{DVec3, Pose, Shape};
use pliant_mesh::{TriangleTree, WindingTree};

/// A signed distance and a direction in which it grows.
pub struct Place {
    pub distance: f64,
    pub normal: DVec3,
}

/// Something with an inside.
pub enum Field {
    Convex(Shape),
    Torus {
        major: f64,
        minor: f64,
    },
    /// A closed surface: inside is where it winds around.
    Closed {
        tree: Box<WindingTree>,
        normals: Vec<DVec3>,
    },
}

/// An obstacle as it is checked.
pub enum Checked {
    Solid(Field),
    /// A surface without an inside, in the obstacle's own coordinates.
    Sheet {
        tree: Box<TriangleTree>,
        triangles: Vec<[DVec3; 3]>,
    },
}

impl Checked {
    /// `None` for a mesh that cannot be searched.
    pub fn new(shape: &Shape) -> Option<Checked> {
        Some(match shape {
            Shape::Mesh(mesh) if shape.is_solid() => {
                Checked::Solid(Field::closed(&mesh.vertices, &mesh.triangles)?)
            }
            Shape::Mesh(mesh) => Checked::Sheet {
                tree: Box::new(TriangleTree::new(mesh).ok()?),
                triangles: mesh.triangles.iter().map(|t| t.map(|v| mesh.vertices[v as usize])).collect(),
            },
            Shape::Torus { major, minor } => Checked::Solid(Field::Torus { major: *major, minor: *minor }),
            convex => Checked::Solid(Field::Convex(convex.clone())),
        })
    }
}

impl Field {
    pub fn closed(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Option<Field> {
        let tree = TriangleTree::from_parts(vertices, triangles).ok()?;
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals = triangles.iter().map(normal).collect();
        (!tree.is_empty()).then(|| Field::Closed { tree: Box::new(WindingTree::new(tree)), normals })
    }

    /// How strongly the distance bends downward at most within a ball, 1/m; `None` if that has no bound. A convex body lies
    /// behind each plane that touches it. A ring bends around its axis.
    pub fn bend(&self, center: DVec3, radius: f64) -> Option<f64> {
        match self {
            Field::Convex(_) => Some(0.0),
            Field::Torus { .. } => {
                Some(center.x.hypot(center.y) - radius).filter(|r| *r > 0.0).map(|r| 1.0 / r)
            }
            Field::Closed { .. } => None,
        }
    }

    /// The distance of a point from the surface, negative inside.
    pub fn at(&self, p: DVec3) -> Place {
        match self {
            Field::Convex(shape) => convex(shape, p),
            Field::Torus { major, minor } => {
                let ring = unit(DVec3::new(p.x, p.y, 0.0), DVec3::X) * *major;
                Place { distance: p.distance(ring) - minor, normal: unit(p - ring, DVec3::Z) }
            }
            Field::Closed { tree, .. } => {
                let Some(near) = tree.triangles().closest(p) else {
                    return Place { distance: f64::INFINITY, normal: DVec3::Z };
                };
                let away = near.distance_sq.sqrt();
                let inside =
                    tree.triangles().bounds().distance_sq(p) == 0.0 && tree.winding_number(p).abs() > 0.5;
                Place { distance: if inside { -away } else { away }, normal: DVec3::ZERO }
            }
        }
    }

    /// Half of the least thickness in m; infinite if it is not known.
    pub fn half_thickness(&self) -> f64 {
        match self {
            Field::Convex(Shape::Sphere { radius } | Shape::Capsule { radius, .. }) => *radius,
            Field::Convex(Shape::Box { half }) => half.min_element(),
            Field::Convex(Shape::Cylinder { radius, half_length }) => radius.min(*half_length),
            Field::Torus { minor, .. } => *minor,
            Field::Convex(_) | Field::Closed { .. } => f64::INFINITY,
        }
    }

    /// Whether a ball is certainly outside, by the box around the surface.
    pub fn is_far(&self, center: DVec3, radius: f64) -> bool {
        match self {
            Field::Closed { tree, .. } => tree.triangles().bounds().distance_sq(center) > radius * radius,
            _ => false,
        }
    }
}

fn convex(shape: &Shape, p: DVec3) -> Place {
    match *shape {
        Shape::Sphere { radius } => rounded(p, radius),
        Shape::Capsule { radius, half_length } => {
            rounded(p - p.z.clamp(-half_length, half_length) * DVec3::Z, radius)
        }
        Shape::Box { half } => {
            let signs = DVec3::from(p.to_array().map(|c| if c < 0.0 { -1.0 } else { 1.0 }));
            let Place { distance, normal } = corner(p.abs() - half);
            Place { distance, normal: normal * signs }
        }
        Shape::Cylinder { radius, half_length } => {
            let out = unit(DVec3::new(p.x, p.y, 0.0), DVec3::X);
            let up = if p.z < 0.0 { -DVec3::Z } else { DVec3::Z };
            let over = DVec3::new(p.x.hypot(p.y) - radius, p.z.abs() - half_length, f64::NEG_INFINITY);
            let Place { distance, normal } = corner(over);
            Place { distance, normal: normal.x * out + normal.y * up }
        }
        // A plane; meshes and rings are no matter of this function.
        _ => Place { distance: p.z, normal: DVec3::Z },
    }
}

fn rounded(from_axis: DVec3, radius: f64) -> Place {
    Place { distance: from_axis.length() - radius, normal: unit(from_axis, DVec3::X) }
}

/// From how far a point is beyond each of three faces at right angles.
fn corner(over: DVec3) -> Place {
    let outside = over.max(DVec3::ZERO);
    let largest = over.max_element();
    if largest > 0.0 {
        return Place { distance: outside.length(), normal: unit(outside, DVec3::X) };
    }
    let axis = over.to_array().iter().position(|&c| c == largest).unwrap_or(0);
    Place { distance: largest, normal: DVec3::AXES[axis] }
}

fn unit(v: DVec3, or: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(or)
}

/// The corners of a triangle in the coordinates of an obstacle.
pub fn local<const N: usize>(pose: &Pose, points: [DVec3; N]) -> [DVec3; N] {
    points.map(|p| pose.local(p))
}
