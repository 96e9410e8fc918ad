//! Forces and pressures on bodies.

use super::{Interval, Schedule};
use pliant_collide::BodyId;
use pliant_mesh::DVec3;

/// An external load on a body.
///
/// ```
/// use pliant::{BodyId, DVec3, Interval, Load};
///
/// let push = Load::force("push", BodyId::new(0), vec![3, 4], 5.0 * DVec3::X); // N, shared by two vertices
/// let puff = Load { during: Interval { from: 0.5, until: 1.0 }, ..Load::pressure("puff", BodyId::new(0), 2e3) };
/// # let _ = (push, puff);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Unique name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// What acts.
    pub kind: LoadKind,
    /// Time over which the load grows linearly from zero, s; 0 applies it at once.
    pub ramp: f64,
    /// When it acts.
    pub during: Interval,
}

impl Load {
    /// A total force in N, shared equally by vertices of a body, from the start on.
    ///
    /// ```
    /// use pliant::{BodyId, DVec3, Load, Schedule};
    ///
    /// let weight = Load::force("weight", BodyId::new(0), vec![3, 4], -9.81 * DVec3::Z);
    /// // One that comes and goes, and one that grows slowly.
    /// let times = Schedule(vec![(0.0, DVec3::ZERO), (0.5, DVec3::X), (1.0, DVec3::ZERO)]);
    /// let push = Load::force("push", BodyId::new(0), vec![3, 4], times);
    /// let slow = Load { ramp: 0.5, ..Load::pressure("air", BodyId::new(0), 2e3) };
    /// # let _ = (weight, push, slow);
    /// ```
    pub fn force(
        name: impl Into<String>,
        body: BodyId,
        vertices: Vec<u32>,
        total: impl Into<Schedule<DVec3>>,
    ) -> Load {
        let kind = LoadKind::Force { vertices, total: total.into() };
        Load { name: name.into(), body, kind, ramp: 0.0, during: Interval::ALWAYS }
    }

    /// A pressure in Pa on the surface of a body from inside, from the start on.
    pub fn pressure(name: impl Into<String>, body: BodyId, value: impl Into<Schedule>) -> Load {
        let kind = LoadKind::Pressure { value: value.into() };
        Load { name: name.into(), body, kind, ramp: 0.0, during: Interval::ALWAYS }
    }
}

/// Kinds of [`Load`].
///
/// ```
/// use pliant::{BodyId, Load, LoadKind};
///
/// let air = Load::pressure("air", BodyId::new(0), 2e3);
/// assert!(matches!(air.kind, LoadKind::Pressure { .. }));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoadKind {
    /// A total force in N, shared equally by the vertices.
    Force {
        /// Vertices of the body.
        vertices: Vec<u32>,
        /// Total force in N over time.
        total: Schedule<DVec3>,
    },
    /// A pressure in Pa on the surface from inside, following the surface as it moves.
    Pressure {
        /// Pressure in Pa over time, positive inflates.
        value: Schedule,
    },
}
