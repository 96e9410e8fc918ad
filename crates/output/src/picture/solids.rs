//! Simple solids for what has no surface of its own: balls, tubes, arrows.

use pliant_mesh::sphere_surface;
use pliant_render::{Surface, Vec3};

/// Sides of a tube, and directions to their edges: constants, so that pictures are the same on every machine.
const SIDES: usize = 8;
const RING: [[f32; 2]; SIDES] = {
    const H: f32 = std::f32::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [H, H], [0.0, 1.0], [-H, H], [-1.0, 0.0], [-H, -H], [0.0, -1.0], [H, -H]]
};
/// Length of the head of an arrow, and how much wider it is than the shaft, in widths of the shaft.
const HEAD_LENGTH: f32 = 7.0;
const HEAD_WIDTH: f32 = 2.6;

/// Balls, tubes and arrows as one surface.
#[derive(Clone, Debug, Default)]
pub(super) struct Solid {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Solid {
    /// A tube around each piece of a line.
    pub fn line(points: &[Vec3], radius: f32) -> Solid {
        let mut solid = Solid::default();
        points.windows(2).for_each(|ends| solid.cone([ends[0], ends[1]], [radius; 2]));
        solid
    }

    /// As it is drawn.
    pub fn surface(&self, color: [f32; 3]) -> Surface<'_> {
        Surface { positions: &self.positions, triangles: &self.triangles, color, vertex_colors: None }
    }

    /// Adds a ball.
    pub fn ball(&mut self, center: Vec3, radius: f32) {
        let Ok(ball) = sphere_surface(f64::from(radius), 1) else { return };
        let first = self.positions.len() as u32;
        self.positions.extend(ball.vertices.iter().map(|p| center + p.as_vec3()));
        self.triangles.extend(ball.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// Adds an arrow; a short one is all head.
    pub fn arrow(&mut self, from: Vec3, to: Vec3, radius: f32) {
        let head = (HEAD_LENGTH * radius / to.distance(from).max(f32::MIN_POSITIVE)).min(1.0);
        let neck = to - head * (to - from);
        self.cone([from, neck], [radius; 2]);
        self.cone([neck, to], [HEAD_WIDTH * radius, 0.0]);
    }

    /// A straight piece with a radius at each end; nothing if it has no length.
    fn cone(&mut self, ends: [Vec3; 2], radii: [f32; 2]) {
        let Some([u, v]) = across(ends[1] - ends[0]) else { return };
        let first = self.positions.len() as u32;
        for (end, radius) in ends.into_iter().zip(radii) {
            self.positions.extend(RING.map(|[cos, sin]| end + radius * (cos * u + sin * v)));
        }
        let sides = SIDES as u32;
        for i in 0..sides {
            let (a, b) = (first + i, first + (i + 1) % sides);
            self.triangles.extend([[a, b, b + sides], [a, b + sides, a + sides]]);
        }
    }
}

/// Two unit vectors that are normal to a direction and to each other; none if it has no length.
fn across(along: Vec3) -> Option<[Vec3; 2]> {
    let unit = |a: Vec3| {
        let size = a.length();
        (size > 0.0 && size.is_finite()).then(|| a / size)
    };
    let along = unit(along)?;
    let helper = Vec3::AXES[along.abs().min_position()];
    let u = unit(along.cross(helper))?;
    Some([u, along.cross(u)])
}
