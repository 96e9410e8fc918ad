//! Normals and neighbourhoods of features at one moment of the step.

use crate::skin::{NONE, Skin};
use pliant_mesh::{DVec3, Feature};

/// How far, relative to its length, a direction may lean over a neighbour of the feature it starts from.
const LEAN: f64 = 1e-6;

/// The skin at a time between 0, the start of the step, and 1, its end.
#[derive(Clone, Copy)]
pub(crate) struct Config<'a> {
    pub skin: &'a Skin,
    pub x0: &'a [DVec3],
    pub x1: &'a [DVec3],
    pub time: f64,
}

/// Sine of how far the neighbours of a vertex may stand out before it: a hollow touches a ball too.
const HOLLOW: f64 = -0.5;

impl Config<'_> {
    #[inline(always)]
    pub fn position(&self, vertex: u32) -> DVec3 {
        let v = vertex as usize;
        if self.time == 1.0 {
            self.x1[v]
        } else if self.time == 0.0 {
            self.x0[v]
        } else {
            self.x0[v] + self.time * (self.x1[v] - self.x0[v])
        }
    }

    #[inline]
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.skin.topology.triangles[triangle as usize].map(|v| self.position(v))
    }

    #[inline]
    pub fn ends(&self, edge: u32) -> [DVec3; 2] {
        self.skin.topology.edges[edge as usize].map(|v| self.position(v))
    }

    /// Unit normal of a triangle; `None` without area.
    pub fn normal(&self, triangle: u32) -> Option<DVec3> {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a).try_normalize()
    }

    /// Height of a point over the plane of a triangle; of one without area none at all.
    pub fn height(&self, triangle: u32, point: DVec3) -> f64 {
        let [a, ..] = self.corners(triangle);
        self.normal(triangle).map_or(0.0, |normal| normal.dot(point - a))
    }

    /// How far from an edge a point in the plane of a triangle there is, towards the inside of the triangle.
    pub fn depth_in_face(&self, edge: u32, triangle: u32, point: DVec3) -> f64 {
        let [a, b] = self.ends(edge);
        let Some(normal) = self.normal(triangle) else { return 0.0 };
        let Some(across) = normal.cross(b - a).try_normalize() else { return 0.0 };
        let [p, q, r] = self.corners(triangle);
        let inward = across.dot((p + q + r) / 3.0 - a).signum();
        inward * across.dot(point - a)
    }

    /// Sum of the normals of the triangles at an edge: separates the sides of a solid there.
    pub fn edge_normal(&self, edge: u32) -> DVec3 {
        let normals = self.skin.topology.beside(edge).iter();
        normals.filter_map(|&t| self.normal(t)).sum()
    }

    /// Angle-weighted sum of the normals around a vertex \[Baerentzen05\]: separates the sides of a solid there.
    pub fn vertex_normal(&self, vertex: u32) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for &t in self.skin.topology.around(vertex) {
            let Some(normal) = self.normal(t) else { continue };
            let corners = self.skin.topology.triangles[t as usize];
            let Some(k) = corners.iter().position(|&v| v == vertex) else { continue };
            let place = self.position(vertex);
            let [u, v] = [1, 2].map(|step| self.position(corners[(k + step) % 3]) - place);
            sum += u.cross(v).length().atan2(u.dot(v)) * normal;
        }
        sum
    }

    /// The outward direction at a feature of a triangle, of any length.
    pub fn pseudonormal(&self, triangle: u32, feature: Feature) -> DVec3 {
        let t = triangle as usize;
        match feature {
            Feature::Face => self.normal(triangle).unwrap_or(DVec3::ZERO),
            Feature::Edge(k) => self.edge_normal(self.skin.topology.triangle_edges[t][usize::from(k)]),
            Feature::Vertex(k) => self.vertex_normal(self.skin.topology.triangles[t][usize::from(k)]),
        }
    }

    /// Whether no neighbour of the feature is nearer to a point, seen from the feature's own nearest point `foot` in
    /// direction `away`.
    pub fn is_local_minimum(&self, triangle: u32, feature: Feature, foot: DVec3, away: DVec3) -> bool {
        let lean = LEAN * away.length();
        let beside = |v: u32| {
            let to_neighbour = self.position(v) - foot;
            away.dot(to_neighbour) <= lean * to_neighbour.length()
        };
        let topology = &self.skin.topology;
        match feature {
            Feature::Face => true,
            Feature::Edge(k) => {
                let edge = topology.triangle_edges[triangle as usize][usize::from(k)] as usize;
                topology.edge_wings[edge].iter().all(|&wing| wing == NONE || beside(wing))
            }
            Feature::Vertex(k) => {
                let vertex = topology.triangles[triangle as usize][usize::from(k)];
                let mut fan = topology.around(vertex).iter().flat_map(|&t| topology.triangles[t as usize]);
                fan.all(|v| v == vertex || beside(v))
            }
        }
    }

    /// Whether no neighbour of a vertex is nearer to the point that the vertex is `away` from.
    pub fn is_foremost(&self, vertex: u32, away: DVec3) -> bool {
        let (x, lean) = (self.position(vertex), LEAN * away.length());
        let topology = &self.skin.topology;
        let mut fan = topology.around(vertex).iter().flat_map(|&t| topology.triangles[t as usize]);
        fan.all(|v| {
            let to_neighbour = self.position(v) - x;
            -away.dot(to_neighbour) <= lean * to_neighbour.length()
        })
    }

    /// Whether a vertex of a solid looks against `direction` with one of its triangles and is foremost there, or nearly so:
    /// its neighbours lie behind it. A vertex at the rim of a block is foremost for what it stands on, but not for the
    /// side of what it stands on.
    pub fn looks_against(&self, vertex: u32, direction: DVec3) -> bool {
        let x = self.position(vertex);
        let around = self.skin.topology.around(vertex);
        let corners = around.iter().flat_map(|&t| self.skin.topology.triangles[t as usize]);
        let foremost = corners
            .filter(|&v| v != vertex)
            .all(|v| (self.position(v) - x).try_normalize().is_none_or(|edge| edge.dot(direction) > HOLLOW));
        foremost && around.iter().filter_map(|&t| self.normal(t)).any(|m| m.dot(direction) < -1e-3)
    }

    /// Unit directions in the triangles at an edge, across it and away from it.
    pub fn wings(&self, edge: u32) -> [Option<DVec3>; 2] {
        let [a, b] = self.ends(edge);
        let along = (b - a).try_normalize().unwrap_or(DVec3::ZERO);
        self.skin.topology.edge_wings[edge as usize].map(|wing| {
            if wing == NONE {
                return None;
            }
            let w = self.position(wing) - a;
            (w - w.dot(along) * along).try_normalize()
        })
    }

    /// The direction that best separates what is around a vertex from what is around a feature of a triangle, both at
    /// `place`, among the normals of both solids; `None` without any normal.
    pub fn separating_normal(
        &self,
        vertex: Option<u32>,
        triangle: u32,
        feature: Feature,
        place: DVec3,
    ) -> Option<DVec3> {
        let topology = &self.skin.topology;
        let t = triangle as usize;
        let own: &[u32] = match feature {
            Feature::Face => std::slice::from_ref(&triangle),
            Feature::Edge(k) => topology.beside(topology.triangle_edges[t][usize::from(k)]),
            Feature::Vertex(k) => topology.around(topology.triangles[t][usize::from(k)]),
        };
        let other: &[u32] = vertex.map_or(&[], |v| topology.around(v));
        let of_own = own.iter().filter_map(|&t| self.normal(t));
        let of_other = other.iter().filter_map(|&t| self.normal(t)).map(|m| -m);
        let mut best: Option<(f64, DVec3)> = None;
        for n in of_own.chain(of_other) {
            let wrong = self.violation(own, place, n).max(self.violation(other, place, -n));
            if best.is_none_or(|(least, _)| wrong < least - 1e-9) {
                best = Some((wrong, n));
            }
        }
        best.map(|(_, n)| n)
    }

    /// How much triangles rise beyond `place` in direction `n`, relative to their size, or look the other way.
    fn violation(&self, triangles: &[u32], place: DVec3, n: DVec3) -> f64 {
        triangles.iter().fold(0.0, |worst: f64, &t| {
            let from_place = self.corners(t).map(|c| c - place);
            let largest = |of: &dyn Fn(DVec3) -> f64| from_place.iter().map(|&c| of(c)).fold(0.0, f64::max);
            let (rise, size) = (largest(&|c| c.dot(n)), largest(&DVec3::length));
            let turned_away = self.normal(t).map_or(0.0, |m| -m.dot(n));
            worst.max(turned_away).max(if size > 0.0 { rise / size } else { 0.0 })
        })
    }
}
