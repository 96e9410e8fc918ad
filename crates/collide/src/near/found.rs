//! A pair that was found near, as a contact, and its key.

use super::{Config, StepView};
use crate::skin::Part;
use crate::{Contact, ContactKey};
use pliant_mesh::DVec3;

/// Kinds of features of triangles in the upper bits of a key's last word.
pub(crate) const FACE: u32 = 0;
pub(crate) const EDGE: u32 = 1;
pub(crate) const VERTEX: u32 = 2;

/// Classes of contacts: first word of a key.
pub(crate) const VERTEX_TRIANGLE: u32 = 1;
pub(crate) const EDGE_EDGE: u32 = 2;

/// Kind and index of the feature in the last word of a key.
pub(crate) fn feature_of(word: u32) -> (u32, u32) {
    (word >> 30, word & ((1 << 30) - 1))
}

/// The moment at which a pair was found near; the more certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum When {
    /// The pair crosses within the step.
    Crossing,
    /// Near at the end of the step.
    End,
    /// Near at its start only.
    Start,
}

/// Cosine above which two directions are about the same.
pub(crate) const ALIKE: f64 = 0.7;

/// A place among what was found: the key as one number, which sorts faster, then moment and index.
pub(crate) type Ordered = (u128, When, u32);

/// A contact and what is needed to choose among several of one vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub contact: Contact,
    pub when: When,
    /// For a vertex inside of a solid: its height over the face at the start of the step.
    pub inside: Option<f64>,
    /// Gap at the start and at the end of the step.
    pub start_gap: f64,
    pub gap: f64,
}

impl Found {
    /// The same, with the time at which it is met if the rest of the `way` is long.
    pub(super) fn met_at(mut self, time: f64, way: f64, parts: [&Part; 2]) -> Found {
        let long = parts.iter().filter(|p| !p.is_rigid()).map(|p| p.long_way());
        if (1.0 - time) * way > long.fold(f64::INFINITY, f64::min) {
            self.contact.time = time;
        }
        self
    }

    /// How far the sides were apart at the start of the step in the direction of the contact, without the thickness.
    pub fn start_height(&self) -> f64 {
        self.start_gap + self.contact.thickness
    }
}

/// What is remembered of a contact until the next step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remembered {
    pub key: ContactKey,
    pub normal: DVec3,
}

/// The two sides of a pair of features, with their vertices and weights.
pub(super) struct Sides<'a> {
    pub first: (u32, &'a [(u32, f64)]),
    pub second: (u32, &'a [(u32, f64)]),
    /// From second to first.
    pub normal: DVec3,
    pub thickness: f64,
}

impl StepView<'_> {
    pub fn remembered(&self, key: ContactKey) -> Option<DVec3> {
        let place = self.remembered.binary_search_by_key(&key, |r| r.key).ok()?;
        Some(self.remembered[place].normal)
    }

    /// The contact of two sides of which at most one is an obstacle. A body comes first.
    pub(super) fn contact(&self, key: ContactKey, sides: Sides) -> Contact {
        let Sides { mut first, mut second, mut normal, thickness } = sides;
        if self.part(first.0).is_rigid() {
            (first, second) = (second, first);
            normal = -normal;
        }
        let (a, b): (&Part, &Part) = (self.part(first.0), self.part(second.0));
        let mut contact = Contact {
            key,
            sides: [a.side, b.side],
            vertices: [0; 4],
            weights: [0.0; 4],
            count: 0,
            normal,
            found_normal: normal,
            anchor: DVec3::ZERO,
            anchor_motion: DVec3::ZERO,
            thickness,
            time: 1.0,
        };
        let mut push = |v: u32, w: f64| {
            let k = contact.count as usize;
            if k < 4 && w != 0.0 {
                contact.vertices[k] = self.skin.global[v as usize];
                contact.weights[k] = w;
                contact.count += 1;
            }
        };
        first.1.iter().for_each(|&(v, w)| push(v, w));
        if b.is_rigid() {
            for &(v, w) in second.1 {
                let (x0, x1) = (self.x0[v as usize], self.x1[v as usize]);
                contact.anchor += w * x1;
                contact.anchor_motion += w * (x1 - x0);
            }
        } else {
            second.1.iter().for_each(|&(v, w)| push(v, -w));
        }
        contact
    }

    /// Gaps of two sides at the start and at the end of the step.
    pub(super) fn gaps(&self, sides: &Sides) -> [f64; 2] {
        [self.x0, self.x1].map(|x| {
            let point = |group: &[(u32, f64)]| group.iter().map(|&(v, w)| w * x[v as usize]).sum::<DVec3>();
            sides.normal.dot(point(sides.first.1) - point(sides.second.1)) - sides.thickness
        })
    }
}

impl Config<'_> {
    /// Kind and index of the feature that a point of a triangle is named by. A point as good as on an edge or at a
    /// corner takes the name of these so that all triangles there agree; but not in a valley, where a vertex may touch
    /// several triangles at once, unless there is no distance that separates them.
    pub(super) fn feature_name(&self, triangle: u32, weights: [f64; 3], touching: bool) -> (u32, u32) {
        const ON_BORDER: f64 = 1e-4;
        let topology = &self.skin.topology;
        let t = triangle as usize;
        let zero = weights.map(|w| w <= 0.0);
        let on = weights.map(|w| w < ON_BORDER);
        let named = |set: [bool; 3]| match set {
            [false, false, true] => (EDGE, topology.triangle_edges[t][0]),
            [true, false, false] => (EDGE, topology.triangle_edges[t][1]),
            [false, true, false] => (EDGE, topology.triangle_edges[t][2]),
            [false, true, true] => (VERTEX, topology.triangles[t][0]),
            [true, false, true] => (VERTEX, topology.triangles[t][1]),
            [true, true, false] => (VERTEX, topology.triangles[t][2]),
            _ => (FACE, triangle),
        };
        let (exact, rounded) = (named(zero), named(on));
        if touching || exact == rounded || !self.is_valley(triangle, rounded) { rounded } else { exact }
    }

    /// Whether a triangle around an edge or a vertex rises over the plane of the given one.
    fn is_valley(&self, triangle: u32, (kind, index): (u32, u32)) -> bool {
        let Some(normal) = self.normal(triangle) else { return false };
        let [base, ..] = self.corners(triangle);
        let beside = match kind {
            EDGE => self.skin.topology.beside(index),
            VERTEX => self.skin.topology.around(index),
            _ => &[],
        };
        let mut corners = beside.iter().flat_map(|&t| self.corners(t));
        corners.any(|c| {
            let to_corner = c - base;
            normal.dot(to_corner) > 1e-3 * to_corner.length()
        })
    }
}
