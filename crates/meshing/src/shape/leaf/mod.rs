//! The simple shapes in the world: exact signed distances with gradients.
//!
//! Formulas after \[Quilez08\] unless a function says otherwise.

mod ellipsoid;
mod outline;

pub(super) use ellipsoid::Ellipsoid;
pub(super) use outline::Outline;

use super::placement::Placement;
use super::sample::Sample;
use pliant_mesh::{DMat3, DVec3};

/// A simple shape where it is in the world.
#[derive(Clone, Debug)]
pub(super) enum Leaf {
    Sphere {
        center: DVec3,
        radius: f64,
    },
    Cone(Cone),
    /// A shape about the origin of a frame of its own.
    Framed {
        origin: DVec3,
        /// Its columns are the axes of the frame.
        axes: DMat3,
        local: Local,
    },
    /// `p.dot(outward) < offset`.
    HalfSpace {
        outward: DVec3,
        offset: f64,
    },
}

/// Shapes about the origin, with the z axis as axis of rotation.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// Half lengths of the box whose edges are rounded by growing it.
    Cuboid {
        core: DVec3,
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
    start: DVec3,
    /// Unit vector from the first ball to the second.
    along: DVec3,
    length: f64,
    radii: [f64; 2],
    /// Sine of the half opening angle, positive if the second ball is smaller, and its cosine.
    sin: f64,
    cos: f64,
}

impl Leaf {
    /// The convex hull of two balls.
    pub fn cone(ends: [DVec3; 2], radii: [f64; 2]) -> Leaf {
        let between = ends[1] - ends[0];
        let length = between.length();
        let sin = (radii[0] - radii[1]) / length;
        // One ball holds the other, or they are the same.
        if length == 0.0 || sin.abs() >= 1.0 {
            let larger = usize::from(radii[1] > radii[0]);
            return Leaf::Sphere { center: ends[larger], radius: radii[larger] };
        }
        let along = between * (1.0 / length);
        Leaf::Cone(Cone { start: ends[0], along, length, radii, sin, cos: (1.0 - sin * sin).sqrt() })
    }

    /// A shape of `local` lengths that already are those of the world.
    pub fn framed(placement: &Placement, local: Local) -> Leaf {
        Leaf::Framed { origin: placement.origin, axes: placement.axes, local }
    }

    /// Signed distance and its gradient, a unit vector, where the distance is below `cutoff`; elsewhere a distance that
    /// is not below `cutoff`, and any gradient.
    #[inline(always)]
    pub fn sample(&self, p: DVec3, cutoff: f64) -> Sample {
        match self {
            Leaf::Sphere { center, radius } => {
                let (length, gradient) = length_and_direction(p - center, DVec3::X);
                Sample { distance: length - radius, gradient }
            }
            Leaf::Cone(cone) => cone.sample(p),
            Leaf::Framed { origin, axes, local } => {
                let d = p - origin;
                let Sample { distance, gradient } = local.sample(axes.transpose() * d, cutoff);
                Sample { distance, gradient: axes * gradient }
            }
            Leaf::HalfSpace { outward, offset } => {
                Sample { distance: p.dot(*outward) - offset, gradient: *outward }
            }
        }
    }

    /// Farthest that the shape reaches along a unit vector.
    pub fn support(&self, d: DVec3) -> f64 {
        match self {
            Leaf::Sphere { center, radius } => center.dot(d) + radius,
            Leaf::Cone(c) => {
                let start = c.start.dot(d);
                (start + c.radii[0]).max(start + c.length * c.along.dot(d) + c.radii[1])
            }
            Leaf::Framed { origin, axes, local } => origin.dot(d) + local.support(axes.transpose() * d),
            Leaf::HalfSpace { outward, offset } => {
                if outward.dot(d) > 1.0 - 1e-15 {
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
    fn sample(&self, p: DVec3) -> Sample {
        let from_start = p - self.start;
        let height = from_start.dot(self.along);
        let across = from_start - height * self.along;
        let radial = across.length();
        let outward = if radial > 0.0 { across * (1.0 / radial) } else { any_normal(self.along) };
        // Along the line of the mantle, from where it touches the first ball.
        let mantle = self.cos * height - self.sin * radial;
        if mantle > 0.0 && mantle < self.cos * self.length {
            let distance = self.cos * radial + self.sin * height - self.radii[0];
            return Sample { distance, gradient: self.cos * outward + self.sin * self.along };
        }
        let (offset, radius) =
            if mantle <= 0.0 { (height, self.radii[0]) } else { (height - self.length, self.radii[1]) };
        let (length, [out, up]) = length_and_direction_2([radial, offset], [1.0, 0.0]);
        Sample { distance: length - radius, gradient: out * outward + up * self.along }
    }
}

impl Local {
    #[inline(always)]
    fn sample(&self, p: DVec3, cutoff: f64) -> Sample {
        match self {
            Local::Cuboid { core, rounding } => cuboid(p, *core, *rounding),
            Local::Cylinder { core_radius, core_half, rounding } => {
                let (radial, outward) = length_and_direction_2([p.x, p.y], [1.0, 0.0]);
                let profile = rounded_corner([radial - core_radius, p.z.abs() - core_half], *rounding);
                revolve(profile, outward, p.z)
            }
            Local::Torus { major, minor } => {
                let (radial, outward) = length_and_direction_2([p.x, p.y], [1.0, 0.0]);
                let (length, [out, up]) = length_and_direction_2([radial - major, p.z], [1.0, 0.0]);
                let gradient = DVec3::new(out * outward[0], out * outward[1], up);
                Sample { distance: length - minor, gradient }
            }
            Local::Ellipsoid(ellipsoid) => ellipsoid.sample(p, cutoff),
            Local::Extrusion { outline, half, rounding } => {
                let (distance, outward) = outline.sample([p.x, p.y]);
                let profile = rounded_corner([distance + rounding, p.z.abs() - half + rounding], *rounding);
                revolve(profile, outward, p.z)
            }
        }
    }

    fn support(&self, d: DVec3) -> f64 {
        let flat = d.x.hypot(d.y);
        match self {
            Local::Cuboid { core, rounding } => rounding + core.dot(d.abs()),
            Local::Cylinder { core_radius, core_half, rounding } => {
                core_radius * flat + core_half * d.z.abs() + rounding
            }
            Local::Torus { major, minor } => major * flat + minor,
            Local::Ellipsoid(Ellipsoid { radii, .. }) => (radii * d).length(),
            Local::Extrusion { outline, half, .. } => outline.support([d.x, d.y]) + half * d.z.abs(),
        }
    }
}

#[inline(always)]
fn cuboid(p: DVec3, core: DVec3, rounding: f64) -> Sample {
    let excess = p.abs() - core;
    let outside = excess.max(DVec3::ZERO);
    let length = outside.length();
    if length > 0.0 {
        return Sample { distance: length - rounding, gradient: outside / length * p.signum() };
    }
    let nearest = excess.max_position();
    let mut gradient = DVec3::ZERO;
    gradient[nearest] = p[nearest].signum();
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
    Sample { distance, gradient: DVec3::new(out * outward[0], out * outward[1], up.copysign(z)) }
}

/// Length of a vector and its direction, `otherwise` where it has none.
#[inline(always)]
fn length_and_direction(v: DVec3, otherwise: DVec3) -> (f64, DVec3) {
    let length = v.length();
    (length, if length > 0.0 { v * (1.0 / length) } else { otherwise })
}

#[inline(always)]
fn length_and_direction_2(v: [f64; 2], otherwise: [f64; 2]) -> (f64, [f64; 2]) {
    let length = (v[0] * v[0] + v[1] * v[1]).sqrt();
    (length, if length > 0.0 { [v[0] / length, v[1] / length] } else { otherwise })
}

/// Some unit vector at a right angle to a unit vector.
#[cold]
fn any_normal(v: DVec3) -> DVec3 {
    super::placement::frame_about(v).x_axis
}
