//! The distance to a polygon in the plane.

/// A polygon, its inside by the even-odd rule.
#[derive(Clone, Debug)]
pub(in crate::shape) struct Outline {
    edges: Vec<Edge>,
    /// Closer to an edge than this the direction away from it is rounding error.
    tiny: f64,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    start: [f64; 2],
    /// To the end of the edge.
    vector: [f64; 2],
    inverse_length_sq: f64,
}

impl Outline {
    /// The closed polygon through the corners; repeated corners are dropped.
    pub fn new(corners: &[[f64; 2]]) -> Outline {
        let next = |i: usize| corners[(i + 1) % corners.len()];
        let edges: Vec<Edge> = (0..corners.len())
            .filter(|&i| corners[i] != next(i))
            .map(|i| {
                let (start, end) = (corners[i], next(i));
                let vector = [end[0] - start[0], end[1] - start[1]];
                let inverse_length_sq = 1.0 / (vector[0] * vector[0] + vector[1] * vector[1]);
                Edge { start, vector, inverse_length_sq }
            })
            .collect();
        let largest = corners.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
        Outline { edges, tiny: 1e-13 * largest }
    }

    /// Signed distance, negative inside, and its gradient.
    #[inline]
    pub fn sample(&self, p: [f64; 2]) -> (f64, [f64; 2]) {
        let mut best = f64::INFINITY;
        let mut away = [0.0; 2];
        let mut along = [1.0, 0.0];
        for e in &self.edges {
            let d = [p[0] - e.start[0], p[1] - e.start[1]];
            let t = ((d[0] * e.vector[0] + d[1] * e.vector[1]) * e.inverse_length_sq).clamp(0.0, 1.0);
            let offset = [d[0] - t * e.vector[0], d[1] - t * e.vector[1]];
            let distance_sq = offset[0] * offset[0] + offset[1] * offset[1];
            if distance_sq < best {
                (best, away, along) = (distance_sq, offset, e.vector);
            }
        }
        let length = best.sqrt();
        let sign = if self.contains(p) { -1.0 } else { 1.0 };
        let gradient = if length > self.tiny {
            [sign * away[0] / length, sign * away[1] / length]
        } else {
            self.normal(p, along)
        };
        (sign * length, gradient)
    }

    /// The outward normal of an edge at a point on it.
    #[cold]
    fn normal(&self, p: [f64; 2], along: [f64; 2]) -> [f64; 2] {
        let length = along[0].hypot(along[1]);
        let normal = [along[1] / length, -along[0] / length];
        // A step beside the edge tells which side is out.
        let beside = [p[0] + 1e-6 * length * normal[0], p[1] + 1e-6 * length * normal[1]];
        if self.contains(beside) { normal.map(|c| -c) } else { normal }
    }

    /// Whether an odd number of edges crosses the ray to the right of the point.
    #[inline]
    fn contains(&self, p: [f64; 2]) -> bool {
        self.edges.iter().fold(false, |inside, e| {
            let d = [p[0] - e.start[0], p[1] - e.start[1]];
            // Half open, so that a corner on the ray counts once.
            let crosses = (d[1] < 0.0) != (d[1] < e.vector[1]);
            inside ^ (crosses && d[0] < d[1] / e.vector[1] * e.vector[0])
        })
    }

    /// Farthest that the polygon reaches along a vector.
    pub fn support(&self, d: [f64; 2]) -> f64 {
        self.edges.iter().map(|e| e.start[0] * d[0] + e.start[1] * d[1]).fold(f64::NEG_INFINITY, f64::max)
    }
}
