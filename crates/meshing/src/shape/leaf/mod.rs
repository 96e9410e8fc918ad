//! The simple shapes in the world: exact signed distances with gradients.
//!
//! Formulas after \[Quilez08\] unless a function says otherwise.

mod ellipsoid;
mod outline;

pub(super) use ellipsoid::Ellipsoid;
pub(super) use outline::Outline;

use super::field::Sample;
use super::placement::Placement;
use pliant_mesh::Point;
use pliant_mesh::vector::{add, dot, norm, scale, sub};

/// A simple shape where it is in the world.
#[derive(Clone, Debug)]
pub(super) enum Leaf {
    Sphere {
        center: Point,
        radius: f64,
    },
    Cone(Cone),
    /// A shape about the origin of a frame of its own.
    Framed {
        origin: Point,
        axes: [Point; 3],
        local: Local,
    },
    /// `dot(p, outward) < offset`.
    HalfSpace {
        outward: Point,
        offset: f64,
    },
}

/// Shapes about the origin, with the z axis as axis of rotation.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// Half lengths of the box whose edges are rounded by growing it.
    Cuboid {
        core: Point,
        rounding: f64,
    },
    Cylinder {
        core_radius: f64,
        core_half: f64,
        rounding: f64,
    },
    Torus {
        major: f64,
        minor: f64,
    },
    Ellipsoid(Ellipsoid),
    Extrusion {
        outline: Outline,
        half: f64,
        rounding: f64,
    },
}

/// The convex hull of two balls, none inside of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    start: Point,
    /// Unit vector from the first ball to the second.
    along: Point,
    length: f64,
    radii: [f64; 2],
    /// Sine of the half opening angle, positive if the second ball is smaller, and its cosine.
    sin: f64,
    cos: f64,
}

impl Leaf {
    /// The convex hull of two balls.
    pub fn cone(ends: [Point; 2], radii: [f64; 2]) -> Leaf {
        let between = sub(ends[1], ends[0]);
        let length = norm(between);
        let sin = (radii[0] - radii[1]) / length;
        // One ball holds the other, or they are the same.
        if length == 0.0 || sin.abs() >= 1.0 {
            let larger = usize::from(radii[1] > radii[0]);
            return Leaf::Sphere { center: ends[larger], radius: radii[larger] };
        }
        let along = scale(between, 1.0 / length);
        Leaf::Cone(Cone { start: ends[0], along, length, radii, sin, cos: (1.0 - sin * sin).sqrt() })
    }

    /// A shape of `local` lengths that already are those of the world.
    pub fn framed(placement: &Placement, local: Local) -> Leaf {
        Leaf::Framed { origin: placement.origin, axes: placement.axes, local }
    }

    /// Signed distance and its gradient, a unit vector, where the distance is below `cutoff`; elsewhere a distance that
    /// is not below `cutoff`, and any gradient.
    #[inline(always)]
    pub fn sample(&self, p: Point, cutoff: f64) -> Sample {
        match self {
            Leaf::Sphere { center, radius } => {
                let (length, gradient) = length_and_direction(sub(p, *center), [1.0, 0.0, 0.0]);
                Sample { distance: length - radius, gradient }
            }
            Leaf::Cone(cone) => cone.sample(p),
            Leaf::Framed { origin, axes, local } => {
                let d = sub(p, *origin);
                let Sample { distance, gradient: g } = local.sample(axes.map(|axis| dot(axis, d)), cutoff);
                let gradient = add(add(scale(axes[0], g[0]), scale(axes[1], g[1])), scale(axes[2], g[2]));
                Sample { distance, gradient }
            }
            Leaf::HalfSpace { outward, offset } => {
                Sample { distance: dot(p, *outward) - offset, gradient: *outward }
            }
        }
    }

    /// Farthest that the shape reaches along a unit vector.
    pub fn support(&self, d: Point) -> f64 {
        match self {
            Leaf::Sphere { center, radius } => dot(*center, d) + radius,
            Leaf::Cone(c) => {
                let start = dot(c.start, d);
                (start + c.radii[0]).max(start + c.length * dot(c.along, d) + c.radii[1])
            }
            Leaf::Framed { origin, axes, local } => {
                dot(*origin, d) + local.support(axes.map(|axis| dot(axis, d)))
            }
            Leaf::HalfSpace { outward, offset } => {
                if dot(*outward, d) > 1.0 - 1e-15 {
                    *offset
                } else {
                    f64::INFINITY
                }
            }
        }
    }
}

impl Cone {
    #[inline(always)]
    fn sample(&self, p: Point) -> Sample {
        let from_start = sub(p, self.start);
        let height = dot(from_start, self.along);
        let across = sub(from_start, scale(self.along, height));
        let radial = norm(across);
        let outward = if radial > 0.0 { scale(across, 1.0 / radial) } else { any_normal(self.along) };
        // Along the line of the mantle, from where it touches the first ball.
        let mantle = self.cos * height - self.sin * radial;
        if mantle > 0.0 && mantle < self.cos * self.length {
            let distance = self.cos * radial + self.sin * height - self.radii[0];
            return Sample { distance, gradient: add(scale(outward, self.cos), scale(self.along, self.sin)) };
        }
        let (offset, radius) =
            if mantle <= 0.0 { (height, self.radii[0]) } else { (height - self.length, self.radii[1]) };
        let (length, [out, up]) = length_and_direction_2([radial, offset], [1.0, 0.0]);
        Sample { distance: length - radius, gradient: add(scale(outward, out), scale(self.along, up)) }
    }
}

impl Local {
    #[inline(always)]
    fn sample(&self, p: Point, cutoff: f64) -> Sample {
        match self {
            Local::Cuboid { core, rounding } => cuboid(p, *core, *rounding),
            Local::Cylinder { core_radius, core_half, rounding } => {
                let (radial, outward) = length_and_direction_2([p[0], p[1]], [1.0, 0.0]);
                let profile = rounded_corner([radial - core_radius, p[2].abs() - core_half], *rounding);
                revolve(profile, outward, p[2])
            }
            Local::Torus { major, minor } => {
                let (radial, outward) = length_and_direction_2([p[0], p[1]], [1.0, 0.0]);
                let (length, [out, up]) = length_and_direction_2([radial - major, p[2]], [1.0, 0.0]);
                let gradient = [out * outward[0], out * outward[1], up];
                Sample { distance: length - minor, gradient }
            }
            Local::Ellipsoid(ellipsoid) => ellipsoid.sample(p, cutoff),
            Local::Extrusion { outline, half, rounding } => {
                let (distance, outward) = outline.sample([p[0], p[1]]);
                let profile = rounded_corner([distance + rounding, p[2].abs() - half + rounding], *rounding);
                revolve(profile, outward, p[2])
            }
        }
    }

    fn support(&self, d: Point) -> f64 {
        let flat = d[0].hypot(d[1]);
        match self {
            Local::Cuboid { core, rounding } => rounding + (0..3).map(|k| core[k] * d[k].abs()).sum::<f64>(),
            Local::Cylinder { core_radius, core_half, rounding } => {
                core_radius * flat + core_half * d[2].abs() + rounding
            }
            Local::Torus { major, minor } => major * flat + minor,
            Local::Ellipsoid(Ellipsoid { radii, .. }) => {
                norm([radii[0] * d[0], radii[1] * d[1], radii[2] * d[2]])
            }
            Local::Extrusion { outline, half, .. } => outline.support([d[0], d[1]]) + half * d[2].abs(),
        }
    }
}

#[inline(always)]
fn cuboid(p: Point, core: Point, rounding: f64) -> Sample {
    let excess: Point = std::array::from_fn(|k| p[k].abs() - core[k]);
    let sign = |k: usize| 1.0_f64.copysign(p[k]);
    let outside = excess.map(|e| e.max(0.0));
    let length = norm(outside);
    if length > 0.0 {
        let gradient = std::array::from_fn(|k| outside[k] / length * sign(k));
        return Sample { distance: length - rounding, gradient };
    }
    let nearest = (0..3).fold(0, |best, k| if excess[k] > excess[best] { k } else { best });
    let mut gradient = [0.0; 3];
    gradient[nearest] = sign(nearest);
    Sample { distance: excess[nearest] - rounding, gradient }
}

/// Distance to a quarter plane, both coordinates negative, that is grown by `rounding`; and its gradient.
#[inline(always)]
fn rounded_corner(excess: [f64; 2], rounding: f64) -> (f64, [f64; 2]) {
    let [x, y] = excess;
    if x > 0.0 && y > 0.0 {
        let (length, gradient) = length_and_direction_2(excess, [1.0, 0.0]);
        (length - rounding, gradient)
    } else if x > y {
        (x - rounding, [1.0, 0.0])
    } else {
        (y - rounding, [0.0, 1.0])
    }
}

/// The gradient in space of a profile with a horizontal and a vertical part.
#[inline(always)]
fn revolve((distance, [out, up]): (f64, [f64; 2]), outward: [f64; 2], z: f64) -> Sample {
    Sample { distance, gradient: [out * outward[0], out * outward[1], up.copysign(z)] }
}

/// Length of a vector and its direction, `otherwise` where it has none.
#[inline(always)]
fn length_and_direction(v: Point, otherwise: Point) -> (f64, Point) {
    let length = norm(v);
    (length, if length > 0.0 { scale(v, 1.0 / length) } else { otherwise })
}

#[inline(always)]
fn length_and_direction_2(v: [f64; 2], otherwise: [f64; 2]) -> (f64, [f64; 2]) {
    let length = (v[0] * v[0] + v[1] * v[1]).sqrt();
    (length, if length > 0.0 { [v[0] / length, v[1] / length] } else { otherwise })
}

/// Some unit vector at a right angle to a unit vector.
#[cold]
fn any_normal(v: Point) -> Point {
    super::placement::frame_about(v)[0]
}
