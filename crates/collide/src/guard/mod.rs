//! Which triangles have come to intersect in a step, and what is remembered of them. The [`Detector`](crate::Detector)
//! turns them into contacts and holds vertices back.

mod apart;
mod fan;
mod passing;
mod piercing;

pub(crate) use piercing::{Guard, LAST_RESORT, Pair, Watched};

use crate::{ObstacleId, Side};

/// The obstacle that a side is.
fn obstacle_of(side: Side) -> Option<ObstacleId> {
    match side {
        Side::Obstacle(obstacle) => Some(obstacle),
        Side::Body(_) => None,
    }
}
