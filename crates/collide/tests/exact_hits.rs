//! Motions that meet exactly, in the most awkward ways: none of them may be taken for free.

use crate::support::noise;
use pliant_collide::continuous;
use pliant_collide::proximity::{PairKind, free_part};
use pliant_mesh::DVec3;

/// Numbers that a 53-bit fraction holds exactly, and so all sums and products of a few of them.
struct Dyadic<F>(F);

impl<F: FnMut() -> f64> Dyadic<F> {
    /// A multiple of 1/8 from -1 to 1.
    fn number(&mut self) -> f64 {
        (8.0 * (self.0)()).round() / 8.0
    }

    /// A multiple of 1/8 from 0 to 1; its ends more often than others.
    fn part(&mut self) -> f64 {
        (10.0 * (self.0)()).round().abs().min(8.0) / 8.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn is_rare(&mut self) -> bool {
        (self.0)() > 0.5
    }
}

/// Two features that touch exactly at a time, which is returned with their places at the start and the end. All numbers are exact, so the
/// contact is one of rational arithmetic too.
fn meeting(kind: PairKind, random: &mut Dyadic<impl FnMut() -> f64>) -> (f64, [[DVec3; 4]; 2]) {
    let time = random.part();
    // Places and motions at the moment of contact.
    let mut x: [DVec3; 4] = std::array::from_fn(|_| random.vector());
    let mut way: [DVec3; 4] = std::array::from_fn(|_| random.vector());
    if random.is_rare() {
        // In one plane for ever, and parallel to an axis.
        x.iter_mut().chain(&mut way).for_each(|p| p.z = 0.0);
    }
    if random.is_rare() {
        // All but the first stand still.
        way[1..].fill(DVec3::ZERO);
    }
    if random.is_rare() {
        // No extent in one direction, or in none.
        x[3] = if random.is_rare() { x[2] } else { x[1] + random.number() * (x[2] - x[1]) };
    }
    let [u, v] = [random.part(), random.part()];
    match kind {
        PairKind::EdgeEdge => {
            if random.is_rare() {
                // Parallel.
                x[3] = x[2] + random.number() * (x[1] - x[0]);
            }
            let off = x[2] + v * (x[3] - x[2]) - (x[0] + u * (x[1] - x[0]));
            x[0] += off;
            x[1] += off;
        }
        _ => {
            let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
            x[0] = x[1] + u * (x[2] - x[1]) + v * (x[3] - x[1]);
        }
    }
    let at = |t: f64| std::array::from_fn(|i| x[i] + (t - time) * way[i]);
    (time, [at(0.0), at(1.0)])
}

#[test]
fn no_exact_contact_is_missed() {
    let mut random = Dyadic(noise(18));
    let mut not_touching_at_first = 0;
    for round in 0..1_000_000 {
        let kind = if round % 2 == 0 { PairKind::EdgeEdge } else { PairKind::VertexTriangle };
        let (time, motion) = meeting(kind, &mut random);
        let part = free_part(kind, motion, 0.0, 1e-6, 1.0);
        assert!(part < time || (part == 0.0 && time == 0.0), "{kind:?}: {part} of {time}, {motion:?}");
        not_touching_at_first += usize::from(part > 0.0);
        if round % 256 < 2 {
            let [start, end] = motion;
            let found = match kind {
                PairKind::EdgeEdge => continuous::edge_edge(start, end, 1e-6),
                _ => continuous::vertex_triangle(start, end, 1e-6),
            };
            assert!(found.is_some_and(|t| t <= time), "{kind:?}: {found:?} of {time}, {motion:?}");
        }
    }
    assert!(not_touching_at_first > 100_000, "{not_touching_at_first}");
}
