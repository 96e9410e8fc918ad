//! Contacts that cannot come about because others are before them.
//!
//! Every contact keeps the points of one side in front of a plane. What lies behind that plane is out of their reach: the
//! side of a floor tile that is level with the tile before it, the rim between the two, and the corners of both. Left
//! in, such contacts catch what slides over the seam, as a vertex on a floor is always a little below it, and the
//! predicted motion goes far below.

use crate::Contact;
use crate::near::{
    ALIKE, EDGE, EDGE_EDGE, FACE, Found, Ordered, Remembered, StepView, VERTEX_TRIANGLE, feature_of,
};
use crate::walk::VERTEX_OBSTACLE;
use pliant_mesh::DVec3;

/// Fraction of the size of triangles within which two planes are level, and a vertex is on a face: more than what the
/// solver leaves, less than any step that is meant.
const LEVEL: f64 = 1e-3;
/// Cosine above which two directions are the same, of contacts that keep something off and of those that follow from them.
const SAME: f64 = 0.9999;
/// No contact.
const NONE: u32 = u32::MAX;

/// The plane that a vertex is kept in front of by a contact.
#[derive(Clone, Copy)]
struct Plane {
    normal: DVec3,
    /// Its place along the normal at the start and at the end of the step, without the thickness.
    offsets: [f64; 2],
    /// Gap of the vertex at the start and at the end of the step, with the thickness.
    gaps: [f64; 2],
    thickness: f64,
    rigid: bool,
    /// Kind and index of what touches the vertex; `None` for an analytic obstacle.
    feature: Option<(u32, u32)>,
}

impl Plane {
    fn height(&self, x: DVec3, moment: usize) -> f64 {
        self.normal.dot(x) - self.offsets[moment]
    }

    fn is_level(&self, tolerance: f64) -> bool {
        self.gaps[0].abs() <= tolerance
    }

    /// When the vertex gets behind the plane, as a fraction of the step; infinite if it does not. If it starts behind it,
    /// how deep, negative.
    fn time_of_entry(&self) -> f64 {
        let [from, to] = self.gaps;
        match (from > 0.0, to < from) {
            (true, true) => from / (from - to),
            (true, false) => f64::INFINITY,
            _ => from,
        }
    }
}

/// How sure it is that two sides touch.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Trust {
    /// They may come to touch in the step.
    Open,
    /// They touch at its start.
    Level,
    /// They did so in the step before too.
    Known,
}

impl Found {
    fn trust(&self, tolerance: f64, is_known: impl FnOnce() -> bool) -> Trust {
        match self.start_gap.abs() <= tolerance {
            true if is_known() => Trust::Known,
            true => Trust::Level,
            false => Trust::Open,
        }
    }
}

/// A contact of which it is asked whether its sides can come together.
#[derive(Clone, Copy)]
struct Pair {
    /// Towards the side that is perhaps kept away.
    normal: DVec3,
    tolerance: f64,
    trust: Trust,
}

impl Pair {
    fn turned(self) -> Pair {
        Pair { normal: -self.normal, ..self }
    }
}

/// Lists of contacts by vertex.
#[derive(Clone, Debug, Default)]
struct ByVertex {
    /// Where the contacts of each vertex with triangles start, in the order of keys; one entry more at the end.
    starts: Vec<u32>,
    /// First contact of each vertex with an analytic obstacle, and the next one of each contact.
    heads: Vec<u32>,
    nexts: Vec<u32>,
}

impl ByVertex {
    fn update(&mut self, count: usize, order: &[Ordered], analytic: &[Contact]) {
        let Self { starts, heads, nexts } = self;
        starts.clear();
        let vertices = order.iter().take_while(|o| (o.0 >> 96) as u32 == VERTEX_TRIANGLE);
        for (place, (key, ..)) in vertices.enumerate() {
            let vertex = (key >> 64) as u32 as usize;
            while starts.len() <= vertex {
                starts.push(place as u32);
            }
        }
        let end = order.partition_point(|o| (o.0 >> 96) as u32 <= VERTEX_TRIANGLE);
        starts.resize(count + 1, end as u32);
        heads.clear();
        heads.resize(count, NONE);
        nexts.clear();
        nexts.resize(analytic.len(), NONE);
        for (index, contact) in analytic.iter().enumerate().rev() {
            let [class, _, vertex, _] = contact.key.0;
            if class == VERTEX_OBSTACLE
                && let Some(head) = heads.get_mut(vertex as usize)
            {
                nexts[index] = std::mem::replace(head, index as u32);
            }
        }
    }
}

/// A step and what was found in it.
struct Scene<'a> {
    view: StepView<'a>,
    found: &'a [Found],
    order: &'a [Ordered],
    analytic: &'a [Contact],
    by_vertex: &'a ByVertex,
    /// Vertices from here on are those of obstacles.
    first_rigid: usize,
}

/// Memory of the search for ghosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ghosts {
    by_vertex: ByVertex,
    /// Whether the contact in the same place of the order can come about.
    alive: Vec<bool>,
}

impl Ghosts {
    /// Says for each of `order`, which is sorted by key, whether others leave it possible.
    pub fn alive(
        &mut self,
        view: StepView,
        found: &[Found],
        order: &[Ordered],
        analytic: &[Contact],
    ) -> &[bool] {
        let Self { by_vertex, alive } = self;
        alive.clear();
        alive.resize(order.len(), true);
        let count = view.skin.global.len();
        by_vertex.update(count, order, analytic);
        let parts = view.skin.parts.iter();
        let first_rigid = parts.filter(|p| p.is_rigid()).map(|p| p.vertices.start).min().unwrap_or(count);
        let scene = Scene { view, found, order, analytic, by_vertex, first_rigid };
        for vertex in 0..count {
            scene.of_vertex(vertex as u32, alive);
        }
        for place in 0..order.len() {
            if alive[place] && scene.is_held_off(place, alive) {
                alive[place] = false;
            }
        }
        alive
    }
}

impl Scene<'_> {
    fn places(&self, vertex: u32) -> std::ops::Range<usize> {
        let [from, to] = [0, 1].map(|k| self.by_vertex.starts[vertex as usize + k] as usize);
        from..to
    }

    fn found(&self, place: usize) -> &Found {
        &self.found[self.order[place].2 as usize]
    }

    /// The plane of a contact between its first vertex and a triangle; `None` within one body.
    fn plane(&self, place: usize) -> Option<Plane> {
        let found = self.found(place);
        let Contact { key, sides, normal, thickness, .. } = found.contact;
        if sides[0] == sides[1] {
            return None;
        }
        let [_, vertex, part, word] = key.0;
        let flipped = vertex as usize >= self.first_rigid;
        let normal = if flipped { -normal } else { normal };
        let gaps = [found.start_gap, found.gap];
        let x = [self.view.x0, self.view.x1].map(|x| normal.dot(x[vertex as usize]));
        let offsets = [0, 1].map(|k| x[k] - gaps[k] - thickness);
        let rigid = self.view.part(part).is_rigid();
        Some(Plane { normal, offsets, gaps, thickness, rigid, feature: Some(feature_of(word)) })
    }

    fn analytic_plane(&self, contact: &Contact) -> Plane {
        let vertex = contact.key.0[2] as usize;
        let n = contact.normal;
        let offsets = [n.dot(contact.anchor - contact.anchor_motion), n.dot(contact.anchor)];
        let x = [self.view.x0[vertex], self.view.x1[vertex]];
        let gaps = [0, 1].map(|k| n.dot(x[k]) - offsets[k] - contact.thickness);
        Plane { normal: n, offsets, gaps, thickness: contact.thickness, rigid: true, feature: None }
    }

    /// The first plane of a vertex, among those of contacts that are kept, that `holds`.
    fn any_plane(&self, vertex: u32, alive: &[bool], mut holds: impl FnMut(usize, &Plane) -> bool) -> bool {
        let mut next = self.by_vertex.heads[vertex as usize];
        while next != NONE {
            if holds(usize::MAX, &self.analytic_plane(&self.analytic[next as usize])) {
                return true;
            }
            next = self.by_vertex.nexts[next as usize];
        }
        self.places(vertex).any(|p| alive[p] && self.plane(p).is_some_and(|plane| holds(p, &plane)))
    }

    /// Drops contacts of a vertex with what is behind its other contacts. Of two faces behind each other, as at the rim
    /// of a block, one is kept.
    fn of_vertex(&self, vertex: u32, alive: &mut [bool]) {
        let places = self.places(vertex);
        for place in places {
            let Some(plane) = self.plane(place) else { continue };
            let Some(feature) = plane.feature else { continue };
            let ghost = self.any_plane(vertex, alive, |other, before| {
                let along = before.normal.dot(plane.normal);
                if other == place || along > SAME {
                    return false;
                }
                let tolerance = LEVEL * self.size_of_vertex(vertex).min(self.size(feature));
                if !self.is_behind(feature, plane.rigid, before, tolerance) {
                    return false;
                }
                let mutual =
                    before.feature.is_some_and(|f| self.is_behind(f, before.rigid, &plane, tolerance));
                !mutual || (along < ALIKE && !self.is_preferred(vertex, &plane, before, tolerance))
            });
            if ghost {
                alive[place] = false;
            }
        }
    }

    /// Whether the triangles at a feature are behind a plane.
    fn is_behind(&self, feature: (u32, u32), rigid: bool, plane: &Plane, tolerance: f64) -> bool {
        let topology = &self.view.skin.topology;
        self.triangles(feature, |triangles| {
            let corners = triangles.iter().flat_map(|&t| topology.triangles[t as usize]);
            corners.into_iter().all(|v| self.is_vertex_behind(v, rigid, plane, tolerance))
        })
    }

    /// Whether a vertex is behind a plane at the end of the step, and at its start too if bodies take part: their predicted
    /// motion is not what they will do.
    fn is_vertex_behind(&self, vertex: u32, rigid: bool, plane: &Plane, tolerance: f64) -> bool {
        let x = [self.view.x0, self.view.x1].map(|x| x[vertex as usize]);
        let is_behind = |moment: usize| plane.height(x[moment], moment) <= tolerance;
        is_behind(1) && (rigid && plane.rigid || is_behind(0))
    }

    fn triangles<R>(&self, (kind, index): (u32, u32), f: impl FnOnce(&[u32]) -> R) -> R {
        match kind {
            FACE => f(&[index]),
            EDGE => f(self.view.skin.topology.beside(index)),
            _ => f(self.view.skin.topology.around(index)),
        }
    }

    /// Of two faces that a vertex is behind: whether the first is the one it came in by. That is the one it was on, or else
    /// the one that it got behind last.
    fn is_preferred(&self, vertex: u32, first: &Plane, second: &Plane, tolerance: f64) -> bool {
        let level = [first, second].map(|p| p.is_level(tolerance));
        if level[0] != level[1] {
            return level[0];
        }
        if level[0] {
            let known = [first, second].map(|p| self.is_known(vertex, p));
            if known[0] != known[1] {
                return known[0];
            }
            return first.gaps[1] > second.gaps[1];
        }
        first.time_of_entry() > second.time_of_entry()
    }

    /// Whether the vertex or the face was touched in the direction of a plane in the last step.
    fn is_known(&self, vertex: u32, plane: &Plane) -> bool {
        let topology = &self.view.skin.topology;
        let of_face =
            |&t: &u32| topology.triangles[t as usize].iter().any(|&v| self.was_touched(v, -plane.normal));
        self.was_touched(vertex, plane.normal)
            || plane.feature.is_some_and(|f| self.triangles(f, |triangles| triangles.iter().any(of_face)))
    }

    /// Whether the vertex had a contact in about this direction in the last step.
    fn was_touched(&self, vertex: u32, normal: DVec3) -> bool {
        let sign = if vertex as usize >= self.first_rigid { -1.0 } else { 1.0 };
        let of_vertex = |r: &&Remembered| r.key.0[..2] == [VERTEX_TRIANGLE, vertex];
        let remembered = self.view.remembered;
        let first = remembered.partition_point(|r| r.key.0[..2] < [VERTEX_TRIANGLE, vertex][..]);
        remembered[first..].iter().take_while(of_vertex).any(|r| sign * r.normal.dot(normal) > ALIKE)
    }

    /// Whether one side of a contact is kept in front of a plane by contacts of its vertices, and the other is behind it.
    fn is_held_off(&self, place: usize, alive: &[bool]) -> bool {
        let found = self.found(place);
        let contact = &found.contact;
        if contact.sides[0] == contact.sides[1] {
            return false;
        }
        let topology = &self.view.skin.topology;
        let [class, first, _, word] = contact.key.0;
        if class == EDGE_EDGE {
            let [a, b] = [first, word].map(|e| topology.edges[e as usize]);
            let tolerance = LEVEL * self.length(first).min(self.length(word));
            let known = || self.view.remembered(contact.key).is_some();
            let pair = Pair { normal: contact.normal, tolerance, trust: found.trust(tolerance, known) };
            return self.keeps_off(&a, &b, pair, alive) || self.keeps_off(&b, &a, pair.turned(), alive);
        }
        let Some(plane) = self.plane(place) else { return false };
        let (kind, index) = feature_of(word);
        let tolerance = LEVEL * self.size_of_vertex(first).min(self.size((kind, index)));
        let trust = found.trust(tolerance, || self.is_known(first, &plane));
        let pair = Pair { normal: -plane.normal, tolerance, trust };
        match kind {
            FACE => self.keeps_off(&topology.triangles[index as usize], &[first], pair, alive),
            EDGE => self.keeps_off(&topology.edges[index as usize], &[first], pair, alive),
            _ => self.keeps_off(&[index], &[first], pair, alive),
        }
    }

    /// Whether contacts keep the vertices of `one` in front of a plane that has those of `other` behind it, and are to be
    /// trusted as much as that of the pair.
    fn keeps_off(&self, one: &[u32], other: &[u32], pair: Pair, alive: &[bool]) -> bool {
        if one[0] as usize >= self.first_rigid {
            return false;
        }
        let rigid = other[0] as usize >= self.first_rigid;
        let Pair { normal, tolerance, trust } = pair;
        one.iter().any(|&v| {
            self.any_plane(v, alive, |_, plane| {
                plane.normal.dot(normal) < SAME
                    && other.iter().all(|&w| self.is_vertex_behind(w, rigid, plane, tolerance))
                    && one.iter().all(|&w| w == v || self.stays_before(w, plane, tolerance, alive))
                    && (trust < Trust::Level || plane.is_level(tolerance))
                    && (trust < Trust::Known || plane.feature.is_none() || self.is_known(v, plane))
            })
        })
    }

    /// Whether a vertex is in front of a plane, and stays there by itself or by a contact.
    fn stays_before(&self, vertex: u32, plane: &Plane, tolerance: f64, alive: &[bool]) -> bool {
        let x = [self.view.x0, self.view.x1].map(|x| x[vertex as usize]);
        let least = plane.thickness - tolerance;
        plane.height(x[0], 0) >= least
            && (plane.height(x[1], 1) >= least
                || self.any_plane(vertex, alive, |_, own| own.normal.dot(plane.normal) > SAME))
    }

    fn length(&self, edge: u32) -> f64 {
        self.view.skin.lengths[edge as usize]
    }

    fn size(&self, feature: (u32, u32)) -> f64 {
        self.triangles(feature, |triangles| self.mean_size(triangles))
    }

    fn size_of_vertex(&self, vertex: u32) -> f64 {
        self.mean_size(self.view.skin.topology.around(vertex))
    }

    fn mean_size(&self, triangles: &[u32]) -> f64 {
        let sum: f64 = triangles.iter().map(|&t| self.view.skin.sizes[t as usize]).sum();
        sum / triangles.len().max(1) as f64
    }
}
