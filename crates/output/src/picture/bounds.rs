//! How large what is seen is.

use super::{Prop, is_level, vectors};
use pliant_render::Vec3;
use pliant_scene::view::Frame;

/// Smallest boxes around the bodies and around the obstacles over some frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    bodies: Option<(Vec3, Vec3)>,
    props: Option<(Vec3, Vec3)>,
}

impl Bounds {
    /// Takes in a frame.
    pub(super) fn add(&mut self, frame: &Frame, props: &[Prop]) {
        self.bodies = grow(self.bodies, vectors(&frame.positions));
        for line in &frame.lines {
            self.props = grow(self.props, vectors(line));
        }
        for (prop, pose) in props.iter().zip(&frame.poses) {
            self.props = grow(self.props, prop.placed(pose));
            if prop.is_plane && !is_level(pose) {
                // Some of a slope is to be seen around what is on it.
                let (low, high) = self.of_bodies();
                let margin = 0.2 * self.diagonal();
                self.props = grow(self.props, [low - margin, high + margin]);
            }
        }
    }

    pub(super) fn of_bodies(&self) -> (Vec3, Vec3) {
        self.bodies.unwrap_or((Vec3::ZERO, Vec3::ONE))
    }

    pub(super) fn diagonal(&self) -> f32 {
        let (low, high) = self.of_bodies();
        high.distance(low).max(1e-3)
    }

    /// What is seen of the obstacles: what is near the bodies, as the corners of a box.
    pub(super) fn seen_props(&self) -> Vec<Vec3> {
        let Some((prop_low, prop_high)) = self.props else { return Vec::new() };
        let (low, high) = self.seen();
        let ends = [prop_low.clamp(low, high), prop_high.clamp(low, high)];
        (0..8).map(|i| Vec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z)).collect()
    }

    /// The bodies, and of the obstacles what is near them.
    pub(super) fn seen(&self) -> (Vec3, Vec3) {
        let (low, high) = self.of_bodies();
        let Some((prop_low, prop_high)) = self.props else { return (low, high) };
        let reach = 0.5 * self.diagonal();
        let near = |p: Vec3| p.clamp(low - reach, high + reach);
        (low.min(near(prop_low)), high.max(near(prop_high)))
    }
}

/// Smallest box around points, and around a box found before.
fn grow(bounds: Option<(Vec3, Vec3)>, points: impl IntoIterator<Item = Vec3>) -> Option<(Vec3, Vec3)> {
    points.into_iter().filter(|p| p.is_finite()).fold(bounds, |b, p| {
        let (low, high) = b.unwrap_or((p, p));
        Some((low.min(p), high.max(p)))
    })
}
