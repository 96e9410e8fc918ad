//! How large what is seen is.

use super::{Prop, is_level};
use pliant_scene::view::Frame;

/// Smallest boxes around the bodies and around the obstacles over some frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    bodies: Option<([f32; 3], [f32; 3])>,
    props: Option<([f32; 3], [f32; 3])>,
}

impl Bounds {
    /// Takes in a frame.
    pub(super) fn add(&mut self, frame: &Frame, props: &[Prop]) {
        self.bodies = grow(self.bodies, &frame.positions);
        for line in &frame.lines {
            self.props = grow(self.props, line);
        }
        for (prop, pose) in props.iter().zip(&frame.poses) {
            self.props = grow(self.props, &prop.placed(pose));
            if prop.is_plane && !is_level(pose) {
                // Some of a slope is to be seen around what is on it.
                let (low, high) = self.of_bodies();
                let margin = 0.2 * self.diagonal();
                let around = [low.map(|c| c - margin), high.map(|c| c + margin)];
                self.props = grow(self.props, &around);
            }
        }
    }

    pub(super) fn of_bodies(&self) -> ([f32; 3], [f32; 3]) {
        self.bodies.unwrap_or(([0.0; 3], [1.0; 3]))
    }

    pub(super) fn diagonal(&self) -> f32 {
        let (low, high) = self.of_bodies();
        (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f32>().sqrt().max(1e-3)
    }

    /// The bodies, and of the obstacles what is near them.
    pub(super) fn seen(&self) -> ([f32; 3], [f32; 3]) {
        let (low, high) = self.of_bodies();
        let Some((prop_low, prop_high)) = self.props else { return (low, high) };
        let reach = 0.5 * self.diagonal();
        let near = |k: usize, c: f32| c.clamp(low[k] - reach, high[k] + reach);
        (
            std::array::from_fn(|k| low[k].min(near(k, prop_low[k]))),
            std::array::from_fn(|k| high[k].max(near(k, prop_high[k]))),
        )
    }
}

/// Smallest box around points, and around a box found before.
fn grow(bounds: Option<([f32; 3], [f32; 3])>, positions: &[[f32; 3]]) -> Option<([f32; 3], [f32; 3])> {
    positions.iter().filter(|p| p.iter().all(|c| c.is_finite())).fold(bounds, |b, p| {
        let (low, high) = b.unwrap_or((*p, *p));
        Some((std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))))
    })
}
