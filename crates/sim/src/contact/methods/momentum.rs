//! Sweeps that go on along their way: nonlinear conjugate gradients, with what sweeps change as the gradient
//! \[Silcowitz10\].
//!
//! With the change g of the forces by two sweeps, forwards and backwards, and the direction d so far:
//!
//! ```text
//! beta = |g|^2 / |g_before|^2;   f <- f + beta d,   d <- g + beta d      while beta < 1, else d <- g
//! ```
//!
//! The sweeps that follow put what has left its cone of friction back into it.

use pliant_mesh::DVec3;

/// Where the forces were, and where they go.
#[derive(Clone, Debug, Default)]
pub(super) struct Momentum {
    start: Vec<DVec3>,
    direction: Vec<DVec3>,
    /// `|g|^2` of the last time.
    size: f64,
    changes: Vec<(usize, DVec3)>,
}

impl Momentum {
    /// Starts without a direction.
    pub(super) fn begin(&mut self, forces: &[DVec3], members: impl Iterator<Item = usize>) {
        self.start.resize(forces.len(), DVec3::ZERO);
        self.direction.resize(forces.len(), DVec3::ZERO);
        self.size = 0.0;
        for i in members {
            self.start[i] = forces[i];
            self.direction[i] = DVec3::ZERO;
        }
    }

    /// Goes on from what the sweeps have left; returns the changes of the forces. They count by how far they move their own
    /// points. Contacts that are open stay so.
    pub(super) fn go_on(
        &mut self,
        forces: &mut [DVec3],
        own: &[f64],
        members: impl Iterator<Item = usize> + Clone,
    ) -> &[(usize, DVec3)] {
        let sizes = members.clone().map(|i| own[i] * (forces[i] - self.start[i]).length_squared());
        let size: f64 = sizes.sum();
        let beta = if size < self.size { size / self.size } else { 0.0 };
        self.size = size;
        self.changes.clear();
        for i in members {
            let by = beta * self.direction[i];
            self.direction[i] = forces[i] - self.start[i] + by;
            if by != DVec3::ZERO && forces[i] != DVec3::ZERO {
                forces[i] += by;
                self.changes.push((i, by));
            }
            self.start[i] = forces[i];
        }
        &self.changes
    }
}
