//! Chooses among the pairs that were found: one contact per pair of features, and no two that contradict.

use crate::ghosts::Ghosts;
use crate::near::{ALIKE, Found, Ordered, Remembered, StepView, When};
use crate::{Contact, ContactKey};

/// Memory for the choice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chooser {
    pub found: Vec<Found>,
    order: Vec<Ordered>,
    ghosts: Ghosts,
    kept: Vec<u32>,
    /// What was chosen last.
    pub remembered: Vec<Remembered>,
}

impl Chooser {
    /// Adds the chosen contacts to `out`, sorted by key, and remembers them. In `out` are those with analytic obstacles.
    pub fn choose(&mut self, view: StepView, out: &mut Vec<Contact>) {
        self.sort();
        let Self { found, order, ghosts, kept, remembered } = self;
        let alive = ghosts.alive(view, found, order, out);
        let mut place = 0;
        order.retain(|_| {
            place += 1;
            alive[place - 1]
        });
        remembered.clear();
        // All but the last word of the key.
        for group in order.chunk_by(|a, b| a.0 >> 32 == b.0 >> 32) {
            kept.clear();
            kept.extend(group.iter().map(|&(_, _, i)| i));
            if kept.len() > 1 {
                keep_one_way_out(found, kept);
                drop_contradictions(found, kept);
            }
            for &i in kept.iter() {
                let contact = found[i as usize].contact;
                remembered.push(Remembered { key: contact.key, normal: contact.normal });
                out.push(contact);
            }
        }
    }

    /// Orders what was found by key; of each key there is one.
    fn sort(&mut self) {
        let Self { found, order, .. } = self;
        order.clear();
        order.extend(found.iter().zip(0..).map(|(f, i)| (as_number(f.contact.key), f.when, i)));
        order.sort_unstable();
        order.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same && later.1 == first.1 && is_better(&found[later.2 as usize], &found[first.2 as usize]) {
                *first = *later;
            }
            same
        });
    }
}

fn as_number(ContactKey(words): ContactKey) -> u128 {
    words.iter().fold(0, |number, &word| number << 32 | u128::from(word))
}

/// Of two ways to see the same pair: not inside of a solid, or less deep; else the narrower one.
fn is_better(a: &Found, b: &Found) -> bool {
    let height = |f: &Found| f.inside.unwrap_or(f64::INFINITY);
    height(a) > height(b) || (height(a) == height(b) && a.gap < b.gap)
}

/// A vertex inside of a solid leaves by the face it was least deep behind at the start of the step.
fn keep_one_way_out(found: &[Found], kept: &mut Vec<u32>) {
    let mut best: Option<(f64, u32)> = None;
    for &i in kept.iter() {
        if let Some(height) = found[i as usize].inside
            && best.is_none_or(|(highest, _)| height > highest)
        {
            best = Some((height, i));
        }
    }
    if let Some((_, way_out)) = best {
        kept.retain(|&i| i == way_out || found[i as usize].inside.is_none());
    }
}

/// After a crossing, contacts on the far side are those of the wrong side. What was found at an earlier moment goes
/// where a later one says the same.
fn drop_contradictions(found: &[Found], kept: &mut Vec<u32>) {
    let of = |i: &u32| &found[*i as usize];
    let keeps = |i: &u32, others: &[u32]| {
        let f = of(i);
        let alike = |g: &Found| f.contact.normal.dot(g.contact.normal) > ALIKE;
        !others.iter().map(of).any(|g| match (f.when, g.when) {
            (When::End | When::Start, When::Crossing) => f.contact.normal.dot(g.contact.normal) < 0.0,
            (When::Start, When::End) => alike(g),
            // A plane that the vertex crossed first and then slid along.
            (When::Crossing, When::End) => alike(g) && g.gap <= f.gap + 1e-3 * f.gap.abs(),
            _ => false,
        })
    };
    // Few contacts share a feature: the second list is short.
    let mut k = 0;
    let mut dropped = 0_u64;
    for (place, i) in kept.iter().enumerate().take(64) {
        if !keeps(i, kept) {
            dropped |= 1 << place;
        }
    }
    kept.retain(|_| {
        let keep = k >= 64 || dropped >> k & 1 == 0;
        k += 1;
        keep
    });
}
