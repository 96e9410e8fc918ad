//! What there is to see, and from where.

use super::{seen_lines, tessellate};
use crate::building::Setup;
use crate::error::Damage;
use crate::file::spec::{Camera, Light};
use pliant::{Shape, World};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Names and sizes of what is seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Name of the scene.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Kind of the solver.
    pub solver: String,
    /// Variant of the scene, if it has any.
    pub variant: Option<String>,
    /// Time step in s.
    pub dt: f64,
    /// The bodies.
    pub bodies: Vec<SeenBody>,
    /// The obstacles.
    pub obstacles: Vec<SeenObstacle>,
    /// Cables and needles.
    pub lines: Vec<SeenLine>,
    /// Shown vertices whose motion is prescribed.
    pub pins: Vec<u32>,
    /// From where it is seen.
    pub camera: Camera,
    /// What lights it; the usual lights if there is none.
    pub lights: Vec<Light>,
}

/// A body: its shown vertices and triangles follow those of the bodies before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenBody {
    /// Its name.
    pub name: String,
    /// Number of shown vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
}

/// An obstacle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenObstacle {
    /// Its name.
    pub name: String,
    /// Whether it is everything below z = 0 of its own coordinates; then it has no triangles.
    pub plane: bool,
    /// Number of points of its surface.
    pub points: usize,
    /// Number of triangles of its surface.
    pub triangles: usize,
}

/// A cable or a needle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenLine {
    /// Its name.
    pub name: String,
    /// Number of its points.
    pub points: usize,
}

impl Layout {
    /// What is seen of a world that was made from `setup`.
    pub fn of(setup: &Setup, world: &World) -> Layout {
        let model = world.model();
        let bodies = model.bodies.iter().zip(&setup.skins).map(|(body, skin)| SeenBody {
            name: body.name.clone(),
            vertices: skin.vertex_count(),
            triangles: skin.triangles().len(),
        });
        let obstacles = model.obstacles.iter().map(|o| {
            let (points, triangles) = tessellate(&o.shape);
            SeenObstacle {
                name: o.name.clone(),
                plane: matches!(o.shape, Shape::Plane),
                points: points.len(),
                triangles: triangles.len(),
            }
        });
        let lines = seen_lines(world);
        Layout {
            name: setup.name.clone(),
            description: setup.description.clone(),
            solver: world.config().kind().to_string(),
            variant: setup.variant.clone(),
            dt: model.dt,
            bodies: bodies.collect(),
            obstacles: obstacles.collect(),
            lines: lines
                .iter()
                .map(|(name, points)| SeenLine { name: name.to_string(), points: points.len() })
                .collect(),
            pins: pins(setup, world),
            camera: setup.camera,
            lights: setup.lights.clone(),
        }
    }

    /// Number of shown vertices of all bodies.
    pub fn vertices(&self) -> usize {
        self.bodies.iter().map(|b| b.vertices).sum()
    }

    /// Number of triangles of all bodies.
    pub fn triangles(&self) -> usize {
        self.bodies.iter().map(|b| b.triangles).sum()
    }

    /// The vertices of each body among all.
    pub fn vertex_ranges(&self) -> Vec<Range<usize>> {
        ranges(self.bodies.iter().map(|b| b.vertices))
    }

    /// The triangles of each body among all.
    pub fn triangle_ranges(&self) -> Vec<Range<usize>> {
        ranges(self.bodies.iter().map(|b| b.triangles))
    }

    /// Whether all numbers stay within what can be counted, and names what is there.
    pub(crate) fn check(&self) -> Result<(), Damage> {
        let counts = self
            .bodies
            .iter()
            .flat_map(|b| [b.vertices, b.triangles])
            .chain(self.obstacles.iter().flat_map(|o| [o.points, o.triangles]))
            .chain(self.lines.iter().map(|l| l.points));
        let total = counts.fold(0u64, |sum, n| sum.saturating_add(n as u64));
        if total >= u64::from(u32::MAX) {
            return Err(Damage::LayoutSize);
        }
        let vertices = self.vertices();
        match self.pins.iter().find(|&&v| v as usize >= vertices) {
            Some(&vertex) => Err(Damage::Pin { vertex, vertices }),
            None => Ok(()),
        }
    }
}

fn ranges(counts: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut first = 0;
    let range = |count| {
        let range = first..first + count;
        first += count;
        range
    };
    counts.map(range).collect()
}

/// Shown vertices that hang on held vertices only.
fn pins(setup: &Setup, world: &World) -> Vec<u32> {
    let system = world.system();
    let mut held: Vec<bool> = system.pinned.iter().map(Option::is_some).collect();
    system.springs.iter().for_each(|s| held[s.vertex as usize] = true);
    let mut pins = Vec::new();
    let mut first = 0u32;
    for (body, skin) in setup.skins.iter().enumerate() {
        let start = system.bodies[body].vertices.start;
        let is_held = |v: u32| held[start + v as usize];
        pins.extend(
            (0..skin.vertex_count() as u32).filter(|&v| skin.hangs_on(v, is_held)).map(|v| first + v),
        );
        first += skin.vertex_count() as u32;
    }
    pins
}
