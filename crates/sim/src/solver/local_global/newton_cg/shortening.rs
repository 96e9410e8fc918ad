//! How much of a rejected step is tried next.

use super::STEEPEST;

/// Curvature at which a shortened step aims where it is known how it falls.
const AIM: f64 = 1.4;

/// Least part of a rejected step that is tried next.
const LEAST: f64 = 0.1;

/// The last step that was rejected: the part of the whole one, and the curvature along it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shortening(Option<(f64, f64)>);

impl Shortening {
    /// The part to try after `part` was rejected for its `curvature`. Where the energy is of fourth order, as in cloth that bends and
    /// must not stretch, the curvature k is `1 + (k - 1) t^2` along the step, and phi is least where t times that is 1. With contact
    /// two rejected steps say which power of t the curvature goes with: often the first, where the bodies are stiffer than the metric.
    pub(super) fn next(&mut self, part: f64, curvature: f64, is_free: bool) -> f64 {
        let longer = self.0.replace((part, curvature)).filter(|_| !is_free);
        let kept = match (curvature.is_finite(), longer) {
            (true, Some((longer, steeper)))
                if curvature > STEEPEST && steeper > curvature && longer > part =>
            {
                let power = ((steeper / curvature).ln() / (longer / part).ln()).clamp(1.0, 3.0);
                (AIM / curvature).powf(1.0 / power).max(LEAST)
            }
            (true, _) if curvature > STEEPEST => (1.0 / curvature).cbrt().max(LEAST),
            (true, _) => 0.5, // an element was flattened, or phi falls too steeply
            (false, _) => LEAST,
        };
        kept * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Curvatures of a body that is ten times as stiff as the metric are those of the part times ten.
    #[test]
    fn the_third_part_fits_where_the_curvature_goes_with_the_part() {
        let mut shortening = Shortening::default();
        let first = shortening.next(1.0, 10.0, false);
        let second = shortening.next(first, 10.0 * first, false);
        assert!((10.0 * second - AIM).abs() < 1e-9, "{second}");
    }

    #[test]
    fn what_is_no_number_is_shortened_most() {
        assert_eq!(Shortening::default().next(1.0, f64::NAN, false), LEAST);
    }
}
