//! What is seen of a world: a [`Layout`] and a [`Geometry`] once, a [`Frame`] for each moment.
//!
//! Recordings, the viewer and pictures share these; their bytes are described in `crates/viewer/PROTOCOL.md`.

mod cable;
mod frame;
mod geometry;
mod layout;
mod tessellate;

pub use crate::file::spec::{Camera, Light};
pub use frame::{Fields, Frame, SeenContact};
pub use geometry::{Geometry, SeenSurface};
pub use layout::{Layout, SeenBody, SeenLine, SeenObstacle};
pub use tessellate::tessellate;

use pliant::{CableId, NeedleId, World};
use pliant_mesh::DVec3;

/// Cables and needles, with their names and the places that they pass.
pub fn lines(world: &World) -> Vec<(&str, Vec<DVec3>)> {
    let model = world.model();
    let cables =
        model.cables.iter().enumerate().map(|(i, c)| (c.name.as_str(), world.cable_path(CableId::new(i))));
    let needles = model.needles.iter().enumerate().map(|(i, n)| {
        let ends = world.needle_ends(NeedleId::new(i)).map_or_else(Vec::new, |ends| ends.to_vec());
        (n.name.as_str(), ends)
    });
    cables.chain(needles).collect()
}

/// The same as they are seen: cables that are longer than their way hang.
fn seen_lines(world: &World) -> Vec<(&str, Vec<DVec3>)> {
    let mut lines = lines(world);
    for (cable, (_, points)) in lines.iter_mut().take(world.model().cables.len()).enumerate() {
        *points = cable::seen(world, CableId::new(cable));
    }
    lines
}

/// Coordinates as they are stored and drawn.
fn single(p: &DVec3) -> [f32; 3] {
    p.as_vec3().to_array()
}

/// Appends numbers to bytes, little endian.
fn put(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = f32>) {
    numbers.into_iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
}

/// Takes numbers from the front of bytes. Every size was checked before: what is missing reads as zero.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        if let Some((head, rest)) = self.0.split_at_checked(N) {
            out.copy_from_slice(head);
            self.0 = rest;
        }
        out
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    fn points(&mut self, count: usize) -> Vec<[f32; 3]> {
        (0..count).map(|_| [self.f32(), self.f32(), self.f32()]).collect()
    }

    fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.f32()).collect()
    }

    fn triangles(&mut self, count: usize) -> Vec<[u32; 3]> {
        (0..count).map(|_| [self.u32(), self.u32(), self.u32()]).collect()
    }
}
