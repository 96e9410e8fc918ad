//! The edge length for a number of elements.

use super::run::{Draft, Run};
use super::tets::Counted;
use super::{Meshed, MesherError};

/// The number of elements is right if it is off by at most this share; after some tries, which show that it jumps,
/// more will do.
const CLOSE: f64 = 0.1;
const FAIR: f64 = 0.15;
const CLOSE_TRIES: usize = 3;
const TRIES: usize = 6;
/// Meshes that start from the lattice's number before the results of two tries bound the search.
const FREE_TRIES: usize = 2;
/// Numbers grow with the cube of the fineness inside and with the square at the surface.
const POWER: f64 = 2.7;

/// Meshes a body with about `wanted` elements.
///
/// The lattice before it is refined and coarsened gives the number roughly, at a fraction of the cost; what it is
/// off by is learnt from each mesh.
pub(super) fn mesh_by_count(run: &Run<'_>, counted: Counted, wanted: usize) -> Result<Meshed, MesherError> {
    let wanted = wanted as f64;
    let mut search = Search { run, counted, wanted, correction: 1.0, few: None, many: None };
    let mut edge = run.first_guess(counted, wanted)?;
    let mut best: Option<(f64, Meshed)> = None;
    for attempt in 0..TRIES {
        let draft = if attempt < FREE_TRIES { search.settle(edge)? } else { run.draft(edge)? };
        let (drafted_edge, expected) = (draft.edge(), draft.expected(counted));
        let meshed = run.finish(draft)?;
        let count = counted.of(meshed.mesh.vertices.len(), meshed.mesh.tets.len());
        let off = (count / wanted - 1.0).abs();
        search.correction = count / expected;
        edge = search.next(drafted_edge, count / wanted);
        if best.as_ref().is_none_or(|b| off < b.0) {
            best = Some((off, meshed));
        }
        let enough = if attempt + 1 < CLOSE_TRIES { CLOSE } else { FAIR };
        if best.as_ref().is_some_and(|b| b.0 <= enough) {
            break;
        }
    }
    best.map(|(_, meshed)| meshed).ok_or(MesherError::NothingInside { edge })
}

/// Where the edge length is looked for.
struct Search<'a> {
    run: &'a Run<'a>,
    counted: Counted,
    wanted: f64,
    /// The last number over the estimate of its draft.
    correction: f64,
    /// The shortest edge that gave too few, the longest that gave too many, with the ratios.
    few: Option<(f64, f64)>,
    many: Option<(f64, f64)>,
}

impl<'a> Search<'a> {
    /// A draft that promises the wanted number, or nearly so: from `edge` on, along the line through the last two in
    /// logarithms.
    fn settle(&self, edge: f64) -> Result<Draft<'a>, MesherError> {
        const LOOKS: usize = 6;
        let mut draft = self.run.draft(edge)?;
        let mut last: Option<(f64, f64)> = None;
        for _ in 1..LOOKS {
            let off = (self.correction * draft.expected(self.counted) / self.wanted).ln();
            if off.abs() < 0.4 * CLOSE {
                break;
            }
            let at = draft.edge().ln();
            // The number of elements in a part as thin as they are hardly depends on the length asked for.
            let slope = last.map_or(-POWER, |(before, was)| (off - was) / (at - before));
            let slope = if slope.is_finite() { slope.clamp(-4.0, -1.0) } else { -POWER };
            last = Some((at, off));
            draft = self.run.draft((at - (off / slope).clamp(-0.9, 0.9)).exp())?;
        }
        Ok(draft)
    }

    /// The next length to try, after one gave `ratio` times the wanted number.
    fn next(&mut self, edge: f64, ratio: f64) -> f64 {
        *(if ratio > 1.0 { &mut self.many } else { &mut self.few }) = Some((edge, ratio));
        match (self.many, self.few) {
            (Some((short, above)), Some((long, below))) if short < long => {
                // Between two lengths on a line in logarithms, away from the ends: numbers jump where a thin part is
                // caught or not.
                let share = (above.ln() / (above.ln() - below.ln())).clamp(0.3, 0.7);
                short * (long / short).powf(share)
            }
            _ => edge * ratio.powf(1.0 / POWER).clamp(0.6, 1.8),
        }
    }
}
