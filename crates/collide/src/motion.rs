//! Positions of the skin's vertices before and after the step.

use crate::skin::Skin;
use crate::{Pose, Side};
use pliant_mesh::Point;

/// Positions before and after the step, in the order of the skin.
#[derive(Debug)]
pub(crate) struct Motion {
    pub x0: Vec<Point>,
    pub x1: Vec<Point>,
    /// Parts that are where they were in the last update, so that their boxes are still right.
    pub still: Vec<bool>,
    last: Vec<Option<Pose>>,
}

impl Motion {
    pub fn new(skin: &Skin) -> Self {
        let (n, parts) = (skin.global.len(), skin.parts.len());
        Self {
            x0: vec![[0.0; 3]; n],
            x1: vec![[0.0; 3]; n],
            still: vec![false; parts],
            last: vec![None; parts],
        }
    }

    /// Takes the positions of the bodies and places the obstacles.
    pub fn update(&mut self, skin: &Skin, bodies: [&[Point]; 2], poses: [&[Pose]; 2]) {
        for (index, part) in skin.parts.iter().enumerate() {
            let vertices = part.vertices.clone();
            match part.side {
                Side::Body(_) => {
                    for v in vertices {
                        let name = skin.global[v] as usize;
                        self.x0[v] = bodies[0][name];
                        self.x1[v] = bodies[1][name];
                    }
                }
                Side::Obstacle(obstacle) => {
                    let [from, to] = poses.map(|p| p[obstacle as usize]);
                    let stays = from == to;
                    self.still[index] = stays && self.last[index] == Some(to);
                    self.last[index] = stays.then_some(to);
                    if !self.still[index] {
                        for v in vertices {
                            self.x0[v] = from.place(skin.rest[v]);
                            self.x1[v] = to.place(skin.rest[v]);
                        }
                    }
                }
            }
        }
    }
}
