//! When do two moving features first come close?

/// Fraction of the first distance at which they count as touching. Until then they have not crossed, so the direction
/// between them is that of the side they came from.
const TOUCH: f64 = 0.1;
/// Most advances. What is still undecided then counts as touching: a contact too many is safe, one too few is not.
const MAX_ADVANCES: usize = 200;

/// First time in 0..1 at which the distance falls to a tenth of what it was, by additive conservative advancement
/// \[Li21\]: as long as both move by less than their distance they cannot meet. `motion` bounds their relative
/// motion in the whole step, `distance(t)` is their distance at time t.
///
/// `None` if they do not come that close. The distance at the start must be positive.
pub(super) fn first_touch(start: f64, motion: f64, distance: impl Fn(f64) -> f64) -> Option<f64> {
    let mut time = 0.0;
    let mut apart = start;
    for _ in 0..MAX_ADVANCES {
        let next = time + (1.0 - TOUCH) * apart / motion;
        // Also leaves with NaN.
        let within = next < 1.0;
        if !within {
            return None;
        }
        let at_next = distance(next);
        if at_next <= TOUCH * start {
            // Only the last place of all is surely before the crossing if this one hit it exactly.
            return Some(if at_next > 0.0 { next } else { time });
        }
        (time, apart) = (next, at_next);
    }
    Some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_on_and_missing() {
        let time = first_touch(1.0, 4.0, |t| (1.0 - 4.0 * t).abs()).unwrap();
        assert!(time < 0.25 && 1.0 - 4.0 * time <= 0.1);
        assert!(first_touch(1.0, 0.95, |t| 1.0 - 0.95 * t).is_none_or(|t| t > 0.9));
        assert_eq!(first_touch(1.0, 0.5, |t| 1.0 - 0.5 * t), None);
        // Passes at half of the first distance.
        assert_eq!(first_touch(1.0, 10.0, |t| (5.0 * t - 1.0).abs().max(0.5)), None);
        assert_eq!(first_touch(1.0, f64::NAN, |_| 1.0), None);
    }
}
