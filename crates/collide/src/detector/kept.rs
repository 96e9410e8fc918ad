//! Pairs that once had to be stopped stay contacts for as long as they are near, whatever the usual rules say: what one step
//! could not foresee, the next one knows.

use crate::near::{EDGE_EDGE, EdgeTest, FACE, Found, StepView, VERTEX_TRIANGLE, VertexTest, feature_of};
use crate::{Contact, ContactKey, Detector};
use std::ops::Range;

impl Detector {
    /// Adds the contacts of pairs that had to be stopped before and are still near. `out` must be sorted, and is.
    pub(crate) fn add_kept(&mut self, out: &mut Vec<Contact>) {
        if self.guard.kept.is_empty() {
            return;
        }
        let mut kept = std::mem::take(&mut self.guard.kept);
        let mut again = std::mem::take(&mut self.guard.stops);
        again.clear();
        let view = self.view();
        kept.retain(|&key| {
            if out.binary_search_by_key(&key, |c| c.key).is_ok() {
                return true;
            }
            let found = still_near(view, key);
            again.extend(found);
            found.is_some()
        });
        if !again.is_empty() {
            out.extend(again.iter().map(|f| f.contact));
            out.sort_unstable_by_key(|c| c.key);
            out.dedup_by_key(|c| c.key);
        }
        self.guard.stops = again;
        self.guard.kept = kept;
    }

    /// Remembers the pairs of contacts that were missed.
    pub(super) fn keep(&mut self, contacts: &[Contact]) {
        let kept = &mut self.guard.kept;
        kept.extend(contacts.iter().map(|c| c.key));
        kept.sort_unstable();
        kept.dedup();
    }
}

/// The contact of a pair, if it is still near; `None` also for kinds of contacts that the usual rules always find.
fn still_near(view: StepView, ContactKey([class, first, second_part, word]): ContactKey) -> Option<Found> {
    let parts = &view.skin.parts;
    let part_with = |range: fn(&crate::skin::Part) -> &Range<usize>| {
        parts.iter().position(|p| range(p).contains(&(first as usize))).map(|p| p as u32)
    };
    match (class, feature_of(word)) {
        (EDGE_EDGE, _) => {
            EdgeTest::new(view, part_with(|p| &p.edges)?, second_part).stop_or_near([first, word])
        }
        (VERTEX_TRIANGLE, (FACE, triangle)) => {
            VertexTest::new(view, part_with(|p| &p.vertices)?, second_part, 0.0).stop_or_near(first, triangle)
        }
        _ => None,
    }
}
