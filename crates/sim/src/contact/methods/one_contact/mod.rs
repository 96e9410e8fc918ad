//! One frictional contact, or one point that is held, solved exactly.

mod block;
mod scalar;

use crate::contact::FrictionLaw;
use crate::contact::operator::Compliance;
use pliant_mesh::DVec3;

/// A contact point whose relative position answers a force `f` by `free + compliance f`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneContact<C> {
    /// Position without any force of its own, m.
    pub(crate) free: DVec3,
    /// Unit normal.
    pub(crate) normal: DVec3,
    /// The gap is `normal . position - offset`.
    pub(crate) offset: f64,
    /// Position from which sliding is measured, m.
    pub(crate) start: DVec3,
    /// Displacement per force, m/N.
    pub(crate) compliance: C,
    /// Friction of a contact.
    pub(crate) friction: FrictionLaw,
    /// What acts at the point.
    pub(crate) law: PointLaw,
}

/// What acts at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PointLaw {
    /// Contact with friction.
    Contact,
    /// It is held at `start` by a spring of this compliance in m/N; 0 is rigid.
    Held(f64),
    /// It is held at the line through `start` along `normal`, and slides along it.
    Guided {
        /// Compliance across the line in m/N; 0 is rigid.
        soft: f64,
        /// Largest force along the line in N, with which it sticks to `start`.
        grip: f64,
    },
}

/// A compliance for which the laws of a point are solved exactly, all other forces given.
pub(crate) trait PointSolve: Compliance {
    /// The force that satisfies Signorini's and Coulomb's laws: no gap and no pull, no sliding below the cone of friction,
    /// sliding against the force on it.
    fn contact_force(contact: &OneContact<Self>) -> DVec3;

    /// The force that takes the point back to `start`, less what a spring of compliance `soft` gives way.
    fn held_force(contact: &OneContact<Self>, soft: f64) -> DVec3;

    /// The force of [`PointLaw::Guided`]: across the line the point goes back to it; along it friction is cut off at the
    /// grip.
    fn guided_force(contact: &OneContact<Self>, soft: f64, grip: f64) -> DVec3;
}

impl<C> OneContact<C> {
    /// The same contact at another place, with another compliance.
    #[inline(always)]
    pub(super) fn with<D>(&self, free: DVec3, compliance: D) -> OneContact<D> {
        let OneContact { normal, offset, start, friction, law, .. } = *self;
        OneContact { free, normal, offset, start, compliance, friction, law }
    }
}

impl<C: PointSolve> OneContact<C> {
    /// The force that satisfies the law of the point.
    #[inline(always)]
    pub(crate) fn force(&self) -> DVec3 {
        match self.law {
            PointLaw::Held(soft) => C::held_force(self, soft),
            PointLaw::Guided { soft, grip } => C::guided_force(self, soft, grip),
            PointLaw::Contact => C::contact_force(self),
        }
    }
}

#[cfg(test)]
mod tests;
