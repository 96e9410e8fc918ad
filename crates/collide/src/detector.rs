//! Finds the contacts of a step.

use crate::analytic::MovingShape;
use crate::model::check;
use crate::skin::{Part, Skin};
use crate::{CollideError, Contact, ContactKey, Obstacle, Options, Pose, Shape, Side, Surface, Tasks};
use pliant_mesh::Point;

/// First word of the key of a contact between a vertex and an analytic obstacle.
const VERTEX_OBSTACLE: u32 = 0;

/// Collision detection for a fixed set of surfaces and obstacles.
#[derive(Debug)]
pub struct Detector {
    skin: Skin,
    obstacles: Vec<Obstacle>,
    options: Options,
    vertex_count: usize,
}

impl Detector {
    /// Prepares the detection. `rest` has the vertices of all bodies in their rest shape.
    pub fn new(
        surfaces: &[Surface],
        obstacles: &[Obstacle],
        rest: &[Point],
        options: Options,
    ) -> Result<Self, CollideError> {
        check(surfaces, obstacles, rest, &options)?;
        Ok(Self {
            skin: Skin::new(surfaces, rest.len()),
            obstacles: obstacles.to_vec(),
            options,
            vertex_count: rest.len(),
        })
    }

    /// The contacts of a step in which the bodies go from `x0` to the predicted `x1`, and each obstacle from its pose
    /// in `poses0` to that in `poses1`; sorted by key.
    ///
    /// Vertices that are not at finite positions have no contacts, and there are none at all if there are fewer
    /// positions than vertices or fewer poses than obstacles.
    pub fn detect(
        &mut self,
        _tasks: &dyn Tasks,
        x0: &[Point],
        x1: &[Point],
        poses0: &[Pose],
        poses1: &[Pose],
        out: &mut Vec<Contact>,
    ) {
        out.clear();
        if !self.matches(x0, poses0) || !self.matches(x1, poses1) {
            return;
        }
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            if matches!(obstacle.shape, Shape::Mesh(_)) {
                continue;
            }
            for part in &self.skin.parts {
                let moving = self.moving(part.radius, index, poses0, poses1);
                self.touch_vertices(&moving, part, index as u32, x0, x1, out);
            }
        }
        out.sort_unstable_by_key(|c| c.key);
    }

    fn matches(&self, x: &[Point], poses: &[Pose]) -> bool {
        x.len() >= self.vertex_count && poses.len() >= self.obstacles.len()
    }

    fn moving<'a>(
        &'a self,
        radius: f64,
        index: usize,
        poses0: &'a [Pose],
        poses1: &'a [Pose],
    ) -> MovingShape<'a> {
        MovingShape {
            shape: &self.obstacles[index].shape,
            start: &poses0[index],
            end: &poses1[index],
            thickness: radius + self.obstacles[index].radius,
            margin: self.options.margin,
        }
    }

    fn touch_vertices(
        &self,
        moving: &MovingShape,
        part: &Part,
        index: u32,
        x0: &[Point],
        x1: &[Point],
        out: &mut Vec<Contact>,
    ) {
        for &v in &self.skin.global[part.vertices.clone()] {
            let Some(touch) = moving.touch(x0[v as usize], x1[v as usize]) else { continue };
            out.push(Contact {
                key: ContactKey([VERTEX_OBSTACLE, v, index, 0]),
                sides: [part.side, Side::Obstacle(index)],
                vertices: [v, 0, 0, 0],
                weights: [1.0, 0.0, 0.0, 0.0],
                count: 1,
                normal: touch.normal,
                anchor: touch.anchor,
                anchor_motion: touch.anchor_motion,
                thickness: moving.thickness,
            });
        }
    }

    /// New normals and anchors for the same pairs, with the same weights, at positions `x` \[ZengRec\]. Contacts keep
    /// the side they are on; what cannot be told from `x` stays as it is.
    pub fn refresh(&self, x: &[Point], poses0: &[Pose], poses1: &[Pose], contacts: &mut [Contact]) {
        if !self.matches(x, poses0) || !self.matches(x, poses1) {
            return;
        }
        for contact in contacts {
            let [VERTEX_OBSTACLE, v, index, _] = contact.key.0 else { continue };
            let (v, index) = (v as usize, index as usize);
            if v >= x.len() || index >= self.obstacles.len() {
                continue;
            }
            let moving =
                MovingShape { thickness: contact.thickness, ..self.moving(0.0, index, poses0, poses1) };
            if let Some(touch) = moving.refreshed(x[v], contact.normal) {
                contact.normal = touch.normal;
                contact.anchor = touch.anchor;
                contact.anchor_motion = touch.anchor_motion;
            }
        }
    }
}

#[cfg(test)]
mod tests;
