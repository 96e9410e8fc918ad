//! When do two moving features first come close?

/// Most advances. What is still undecided then counts as touching: a contact too many is safe, one too few is not.
const MAX_ADVANCES: usize = 200;

/// The distance at which two features count as touching that start at `start` and are reported within `reach`. Until
/// then they have not crossed, so the direction between them is that of the side they came from.
pub(super) fn touching(start: f64, reach: f64) -> f64 {
    (0.5 * reach).clamp(1e-3 * start, 0.1 * start)
}

/// First time in 0..1 at which the distance falls from `start` to `touch`, by additive conservative advancement
/// \[Li21\]: as long as both move by less than their distance they cannot meet. `motion` bounds their relative
/// motion in the whole step, `distance(t)` is their distance at time t.
///
/// `None` if they do not come that close. Both distances must be positive.
pub(super) fn first_touch(
    [start, touch]: [f64; 2],
    motion: f64,
    distance: impl Fn(f64) -> f64,
) -> Option<f64> {
    let mut time = 0.0;
    let mut apart = start;
    for _ in 0..MAX_ADVANCES {
        let next = time + 0.9 * apart / motion;
        // Also leaves with NaN.
        let within = next < 1.0;
        if !within {
            return None;
        }
        let at_next = distance(next);
        if at_next <= touch {
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
        let time = first_touch([1.0, 0.01], 4.0, |t| (1.0 - 4.0 * t).abs()).unwrap();
        assert!(time < 0.25 && 1.0 - 4.0 * time <= 0.01);
        assert_eq!(first_touch([1.0, 0.1], 0.5, |t| 1.0 - 0.5 * t), None);
        // Passes at half of the first distance.
        assert_eq!(first_touch([1.0, 0.1], 10.0, |t| (5.0 * t - 1.0).abs().max(0.5)), None);
        assert_eq!(first_touch([1.0, 0.1], f64::NAN, |_| 1.0), None);
        assert_eq!([touching(1.0, 0.0), touching(1.0, 0.02), touching(1.0, 9.0)], [1e-3, 0.01, 0.1]);
    }
}
