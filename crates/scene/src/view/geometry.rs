//! Surfaces that do not change while a world moves: triangles, rest positions, obstacles.

use super::{Bytes, Layout, put, single, tessellate};
use crate::building::Setup;
use crate::error::Damage;
use pliant::World;

/// The surfaces of a [`Layout`].
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Triangles of all bodies, vertices numbered through.
    pub triangles: Vec<[u32; 3]>,
    /// Where the shown vertices are at rest, m.
    pub rest: Vec<[f32; 3]>,
    /// Each obstacle in its own coordinates.
    pub obstacles: Vec<SeenSurface>,
}

/// A surface of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenSurface {
    /// Its points, m.
    pub points: Vec<[f32; 3]>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Geometry {
    /// The surfaces of a world that was made from `setup`.
    pub fn of(setup: &Setup, world: &World) -> Geometry {
        let mut geometry = Geometry { triangles: Vec::new(), rest: Vec::new(), obstacles: Vec::new() };
        for (body, skin) in world.model().bodies.iter().zip(&setup.skins) {
            let first = geometry.rest.len() as u32;
            geometry.triangles.extend(skin.triangles().iter().map(|t| t.map(|v| v + first)));
            geometry.rest.extend(skin.positions(body.mesh.vertices()).iter().map(single));
        }
        geometry.obstacles.extend(world.model().obstacles.iter().map(|o| {
            let (points, triangles) = tessellate(&o.shape);
            SeenSurface { points: points.iter().map(single).collect(), triangles }
        }));
        geometry
    }

    /// Appends its bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let put_triangles = |out: &mut Vec<u8>, triangles: &[[u32; 3]]| {
            triangles.iter().flatten().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        };
        put_triangles(out, &self.triangles);
        put(out, self.rest.iter().flatten().copied());
        for obstacle in &self.obstacles {
            put(out, obstacle.points.iter().flatten().copied());
            put_triangles(out, &obstacle.triangles);
        }
    }

    /// Number of bytes that the geometry of a layout has.
    pub fn size(layout: &Layout) -> u64 {
        let of_obstacles: u64 = layout.obstacles.iter().map(|o| (o.points + o.triangles) as u64).sum();
        12 * (layout.vertices() as u64 + layout.triangles() as u64 + of_obstacles)
    }

    /// Reads what [`encode`](Self::encode) wrote.
    pub fn decode(layout: &Layout, bytes: &[u8]) -> Result<Geometry, Damage> {
        if bytes.len() as u64 != Geometry::size(layout) {
            return Err(Damage::CutOff { part: "geometry" });
        }
        let mut bytes = Bytes(bytes);
        let geometry = Geometry {
            triangles: bytes.triangles(layout.triangles()),
            rest: bytes.points(layout.vertices()),
            obstacles: layout
                .obstacles
                .iter()
                .map(|o| SeenSurface {
                    points: bytes.points(o.points),
                    triangles: bytes.triangles(o.triangles),
                })
                .collect(),
        };
        let inside =
            |triangles: &[[u32; 3]], count: usize| triangles.iter().flatten().all(|&v| (v as usize) < count);
        let sound = inside(&geometry.triangles, layout.vertices())
            && geometry.obstacles.iter().all(|o| inside(&o.triangles, o.points.len()));
        if sound { Ok(geometry) } else { Err(Damage::Triangle) }
    }
}
