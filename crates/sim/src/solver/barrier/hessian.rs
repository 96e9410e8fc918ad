//! Which Hessian an iteration takes: the true one, or one that is projected to be positive semi-definite.
//!
//! What is compressed, as a cloth that wrinkles or a contact that curves, has negative curvature. Projection puts zero in its place, pair by
//! pair and element by element, and where the sum is nearly singular the projected one is far too stiff: convergence is linear, with
//! factors up to 0.99. There the true Hessian mostly has a factor, and converges at once \[Longva23\].

use super::config::{BarrierConfig, NewtonSolve};

/// Part of the last speed that is slow progress of a full step.
const SLOW: f64 = 0.3;
/// Iterations after which the true Hessian is tried again, once it was indefinite.
const WAIT: usize = 4;

/// What a Hessian is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HessianKind {
    True,
    Projected,
}

/// What it is in this iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choice {
    is_true: bool,
    /// Iterations until the true one may be tried.
    wait: usize,
    /// Speed that the last step meant, m/s.
    last: Option<f64>,
}

impl Choice {
    pub(super) fn kind(&self, config: &BarrierConfig) -> HessianKind {
        // Conjugate gradients do not notice that a matrix is indefinite.
        match self.is_true && config.linear == NewtonSolve::Cholesky {
            true => HessianKind::True,
            false => HessianKind::Projected,
        }
    }

    /// The true one has no factor.
    pub(super) fn is_indefinite(&mut self) {
        (self.is_true, self.wait) = (false, WAIT);
    }

    /// Takes note of how an iteration went: whether its step was taken in full, and the speed that it meant.
    pub(super) fn watch(&mut self, full: bool, speed: f64) {
        let slow = full && self.last.is_some_and(|last| speed > SLOW * last);
        self.last = Some(speed);
        if self.wait > 0 {
            self.wait -= 1;
        }
        self.is_true = full && self.wait == 0 && (slow || self.is_true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_true_hessian_is_tried_where_progress_is_slow_and_not_again_at_once() {
        let config = BarrierConfig::default();
        let mut choice = Choice::default();
        for (full, speed, kind) in [
            (true, 1.0, HessianKind::Projected),
            (true, 0.1, HessianKind::Projected),
            (false, 0.09, HessianKind::Projected),
            (true, 0.08, HessianKind::True),
            (true, 1e-3, HessianKind::True),
        ] {
            choice.watch(full, speed);
            assert_eq!(choice.kind(&config), kind, "{full} {speed}");
        }
        choice.is_indefinite();
        for _ in 1..WAIT {
            assert_eq!(choice.kind(&config), HessianKind::Projected);
            choice.watch(true, 1e-3);
        }
        choice.watch(true, 1e-3);
        assert_eq!(choice.kind(&config), HessianKind::True);
        let config = BarrierConfig { linear: NewtonSolve::Pcg, ..config };
        assert_eq!(choice.kind(&config), HessianKind::Projected);
    }
}
