//! Makes the worst tets better, by moving vertices and by changing which tets join them.

use super::collapse::collapse;
use super::complex::Complex;
use super::flip::flip;
use super::peel::peel;
use super::smooth::smooth;
use super::surface::Surface;

/// Improves the tets below `goal` until there are none or nothing helps any more.
pub(super) fn improve(complex: &mut Complex, surface: &Surface<'_>, goal: f64) {
    const PASSES: usize = 12;
    for _ in 0..PASSES {
        let bad = worse_than(complex, goal);
        if bad.is_empty() {
            return;
        }
        let mut changed = false;
        for (_, t) in bad {
            changed |= mend(complex, surface, t, goal);
        }
        if !changed {
            return;
        }
    }
}

/// The tets below a quality, the worst first.
pub(super) fn worse_than(complex: &Complex, goal: f64) -> Vec<(f64, u32)> {
    let value = |t| complex.tet(t).map(|tet| (complex.quality(tet), t));
    let mut bad: Vec<(f64, u32)> =
        (0..complex.slots()).filter_map(value).filter(|&(q, _)| q < goal).collect();
    bad.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    bad
}

/// Tries to make one tet better than `goal`.
fn mend(complex: &mut Complex, surface: &Surface<'_>, t: u32, goal: f64) -> bool {
    let Some(tet) = complex.tet(t) else { return false };
    let quality = complex.quality(tet);
    if quality >= goal {
        return false;
    }
    if flip(complex, surface, t) || peel(complex, surface, t) {
        return true;
    }
    let mut moved = false;
    for v in tet {
        moved |= smooth(complex, surface, v);
    }
    if complex.quality(tet) >= goal {
        return true;
    }
    for u in tet {
        for v in tet {
            let bound = complex.worst_at(u);
            if u != v && collapse(complex, surface, [u, v], bound) {
                return true;
            }
        }
    }
    moved
}
