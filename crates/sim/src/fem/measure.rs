//! Integral quantities of a body: mass, momentum, energy, volume.

use super::System;
use crate::state::State;
use pliant_collide::BodyId;
use pliant_linalg::small::det;
use pliant_mesh::DVec3;

/// How a body moves.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// world.step()?;
/// let motion = world.motion(world.body("cube").expect("it has this name"));
/// assert!((motion.mass - 1.0).abs() < 1e-12 && motion.kinetic_energy < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in m.
    pub center: DVec3,
    /// Velocity of the centre of mass in m/s.
    pub velocity: DVec3,
    /// Linear momentum in kg m/s.
    pub momentum: DVec3,
    /// Angular momentum about the origin in kg m^2/s.
    pub angular_momentum: DVec3,
    /// Kinetic energy in J.
    pub kinetic_energy: f64,
}

/// How a body is deformed.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let world = cube_on_floor();
/// let shape = world.shape(world.body("cube").expect("it has this name"));
/// assert!((shape.volume_ratio - 1.0).abs() < 1e-9 && shape.inverted == 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    /// Volume (area for a cloth) over the rest volume.
    pub volume_ratio: f64,
    /// Smallest volume (area) ratio of an element; negative if it is inverted.
    pub min_j: f64,
    /// Elements with a negative volume ratio.
    pub inverted: usize,
}

/// Mass, momentum and kinetic energy of a body.
pub fn motion(system: &System, state: &State, body: BodyId) -> BodyMotion {
    let mut s = BodyMotion::default();
    for i in system.bodies[body.index()].vertices.clone() {
        let (m, x, v) = (system.masses[i], state.positions[i], state.velocities[i]);
        s.mass += m;
        s.center += m * x;
        s.momentum += m * v;
        s.angular_momentum += m * x.cross(v);
        for v in v.to_array() {
            s.kinetic_energy += 0.5 * m * v * v;
        }
    }
    s.center /= s.mass;
    s.velocity = s.momentum / s.mass;
    s
}

/// Centre of mass of a body in m.
pub fn center(system: &System, x: &[DVec3], body: BodyId) -> DVec3 {
    let (mut mass, mut sum) = (0.0, DVec3::ZERO);
    for i in system.bodies[body.index()].vertices.clone() {
        mass += system.masses[i];
        sum += system.masses[i] * x[i];
    }
    sum / mass
}

/// Volume and inverted elements of a body.
pub fn shape(system: &System, x: &[DVec3], body: BodyId) -> BodyShape {
    let range = &system.bodies[body.index()];
    let tets = system.tets[range.tets.clone()].iter().map(|t| (t.volume, det(&t.deformation_gradient(x))));
    let triangles = system.triangles[range.triangles.clone()].iter();
    let triangles = triangles.map(|t| (t.volume, area_ratio(&t.deformation_gradient(x))));
    let (mut rest_volume, mut volume) = (0.0, 0.0);
    let mut s = BodyShape { volume_ratio: 1.0, min_j: f64::INFINITY, inverted: 0 };
    for (rest, j) in tets.chain(triangles) {
        s.min_j = s.min_j.min(j);
        s.inverted += usize::from(j < 0.0);
        rest_volume += rest;
        volume += rest * j;
    }
    s.volume_ratio = volume / rest_volume;
    s
}

/// The worst elements of a body: what shows that a simulation has gone wrong.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// world.step()?;
/// let worst = world.extremes(world.body("cube").expect("it has this name"));
/// assert!(worst.inverted == 0 && worst.min_j > 0.9 && worst.max_j < 1.1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyExtremes {
    /// Tets with a negative volume ratio.
    pub inverted: usize,
    /// Smallest volume (area) ratio of an element.
    pub min_j: f64,
    /// Largest volume (area) ratio of an element.
    pub max_j: f64,
}

/// How far and how fast the vertices of a body are.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let world = cube_on_floor();
/// let reach = world.reach(world.body("cube").expect("it has this name"));
/// assert!(reach.fastest == 0.0 && (reach.farthest - 0.1 * 3f64.sqrt()).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyReach {
    /// Largest distance of a vertex from the origin in m.
    pub farthest: f64,
    /// Largest speed of a vertex in m/s.
    pub fastest: f64,
}

/// How far and how fast the vertices of a body are: cheap enough for every step.
pub fn reach(system: &System, state: &State, body: BodyId) -> BodyReach {
    let vertices = &system.bodies[body.index()].vertices;
    let longest = |all: &[DVec3]| all.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
    BodyReach {
        farthest: longest(&state.positions[vertices.clone()]),
        fastest: longest(&state.velocities[vertices.clone()]),
    }
}

/// The worst elements of a body.
pub fn extremes(system: &System, x: &[DVec3], body: BodyId) -> BodyExtremes {
    let range = &system.bodies[body.index()];
    let mut worst = BodyExtremes { inverted: 0, min_j: f64::INFINITY, max_j: f64::NEG_INFINITY };
    let mut take = |j: f64, inverted: bool| {
        worst.min_j = worst.min_j.min(j);
        worst.max_j = worst.max_j.max(j);
        worst.inverted += usize::from(inverted);
    };
    // By one thread: where others use the machine, waiting for a second one takes longer than this.
    for tet in &system.tets[range.tets.clone()] {
        let [a, b, c, d] = tet.vertices.map(|v| x[v as usize]);
        let j = (b - a).cross(c - a).dot(d - a) / (6.0 * tet.volume);
        take(j, j < 0.0);
    }
    for triangle in &system.triangles[range.triangles.clone()] {
        take(area_ratio(&triangle.deformation_gradient(x)), false);
    }
    worst
}

/// Product of the two stretches of a 3x2 deformation gradient.
pub(crate) fn area_ratio(f: &[[f64; 2]; 3]) -> f64 {
    let minor = |i: usize, j: usize| f[i][0] * f[j][1] - f[j][0] * f[i][1];
    (minor(0, 1).powi(2) + minor(1, 2).powi(2) + minor(2, 0).powi(2)).sqrt()
}

/// Whether the volume of a tetrahedron is positive beyond any rounding [Shewchuk97].
pub(crate) fn is_upright([a, b, c, d]: [DVec3; 4]) -> bool {
    // More than the rounding of a determinant of three differences.
    const ROUNDING: f64 = 32.0 * f64::EPSILON;
    let (u, v, w) = (b - a, c - a, d - a);
    // False for NaN.
    u.cross(v).dot(w) > ROUNDING * u.length() * v.length() * w.length()
}

/// The diagonal of the box around points, m.
pub(crate) fn diagonal(points: &[DVec3]) -> f64 {
    let low = points.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    high.distance(low)
}

impl System {
    /// Size of the system: the diagonal of the box around its rest shape, m.
    pub fn size(&self) -> f64 {
        diagonal(&self.rest)
    }

    /// The element of `body` with the largest entry of its deformation gradient at positions `x`.
    pub(crate) fn most_distorted(&self, x: &[DVec3], body: BodyId) -> Option<Distorted> {
        let range = &self.bodies[body.index()];
        let tets = range.tets.clone().map(|e| Distorted {
            kind: "tet",
            element: e - range.tets.start,
            index: e,
            vertex: self.tets[e].vertices[0] as usize,
            stretch: largest(&self.tets[e].deformation_gradient(x)),
        });
        let triangles = range.triangles.clone().map(|e| Distorted {
            kind: "triangle",
            element: e - range.triangles.start,
            index: e,
            vertex: self.triangles[e].vertices[0] as usize,
            stretch: largest(&self.triangles[e].deformation_gradient(x)),
        });
        tets.chain(triangles).max_by(|a, b| a.stretch.total_cmp(&b.stretch))
    }

    /// The largest entry of the deformation gradient of the same element at other positions.
    pub(crate) fn distortion(&self, x: &[DVec3], of: &Distorted) -> f64 {
        match of.kind {
            "tet" => largest(&self.tets[of.index].deformation_gradient(x)),
            _ => largest(&self.triangles[of.index].deformation_gradient(x)),
        }
    }
}

/// An element and how far it is stretched.
#[derive(Clone, Debug)]
pub(crate) struct Distorted {
    /// "tet" or "triangle".
    pub kind: &'static str,
    /// Its index in its body, and in the system.
    pub element: usize,
    index: usize,
    /// Its first vertex, in the system.
    pub vertex: usize,
    /// Largest entry of F; a NaN counts as infinite.
    pub stretch: f64,
}

fn largest<const D: usize>(f: &[[f64; D]; 3]) -> f64 {
    let size = |x: &f64| if x.is_nan() { f64::INFINITY } else { x.abs() };
    f.iter().flatten().map(size).fold(0.0, f64::max)
}
