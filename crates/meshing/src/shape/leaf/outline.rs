//! The distance to a polygon in the plane.

/// A polygon, its inside by the even-odd rule.
#[derive(Clone, Debug)]
pub(in crate::shape) struct Outline {
    edges: Vec<Edge>,
    /// Boxes `[x_min, y_min, x_max, y_max]` around each [`RUN`] edges.
    boxes: Vec<[f64; 4]>,
    /// Closer to an edge than this the direction away from it is rounding error.
    tiny: f64,
}

/// Neighbouring edges that are skipped together.
const RUN: usize = 6;

#[derive(Clone, Copy, Debug)]
struct Edge {
    start: [f64; 2],
    end: [f64; 2],
    /// From start to end.
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
                Edge { start, end, vector, inverse_length_sq }
            })
            .collect();
        let largest = corners.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
        let boxes = edges.chunks(RUN).map(box_around).collect();
        Outline { edges, boxes, tiny: 1e-13 * largest }
    }

    /// Signed distance, negative inside, and its gradient.
    #[inline]
    pub fn sample(&self, p: [f64; 2]) -> (f64, [f64; 2]) {
        let mut best = f64::INFINITY;
        let mut away = [0.0; 2];
        let mut along = [1.0, 0.0];
        for (run, around) in self.edges.chunks(RUN).zip(&self.boxes) {
            let x = (around[0] - p[0]).max(p[0] - around[2]).max(0.0);
            let y = (around[1] - p[1]).max(p[1] - around[3]).max(0.0);
            if x * x + y * y >= best {
                continue;
            }
            for e in run {
                let d = [p[0] - e.start[0], p[1] - e.start[1]];
                let t = ((d[0] * e.vector[0] + d[1] * e.vector[1]) * e.inverse_length_sq).clamp(0.0, 1.0);
                let offset = [d[0] - t * e.vector[0], d[1] - t * e.vector[1]];
                let distance_sq = offset[0] * offset[0] + offset[1] * offset[1];
                if distance_sq < best {
                    (best, away, along) = (distance_sq, offset, e.vector);
                }
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
        // A step beside the edge shows which side is out.
        let beside = [p[0] + 1e-6 * length * normal[0], p[1] + 1e-6 * length * normal[1]];
        if self.contains(beside) { normal.map(|c| -c) } else { normal }
    }

    /// Whether an odd number of edges crosses the ray to the right of the point.
    #[inline]
    fn contains(&self, p: [f64; 2]) -> bool {
        let beside = |around: &[f64; 4]| p[1] < around[1] || p[1] > around[3] || p[0] > around[2];
        let runs = self.edges.chunks(RUN).zip(&self.boxes).filter(|(_, around)| !beside(around));
        runs.flat_map(|(run, _)| run).fold(false, |inside, e| {
            // Half open, so that a corner on the ray counts once; and without differences, so that its two edges
            // agree on which side of the ray it is.
            let crosses = (p[1] < e.start[1]) != (p[1] < e.end[1]);
            let t = (p[1] - e.start[1]) / e.vector[1];
            inside ^ (crosses && p[0] - e.start[0] < t * e.vector[0])
        })
    }

    /// Farthest that the polygon reaches along a vector.
    pub fn support(&self, d: [f64; 2]) -> f64 {
        self.edges.iter().map(|e| e.start[0] * d[0] + e.start[1] * d[1]).fold(f64::NEG_INFINITY, f64::max)
    }
}

fn box_around(edges: &[Edge]) -> [f64; 4] {
    let mut around = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for e in edges {
        for k in 0..2 {
            around[k] = around[k].min(e.start[k]).min(e.end[k]);
            around[k + 2] = around[k + 2].max(e.start[k]).max(e.end[k]);
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn heights_of_corners_are_no_exception() {
        // Corners whose heights differ by rounding errors only, or not at all.
        let corners: Vec<[f64; 2]> = (0..48)
            .map(|i| {
                let (sin, cos) = (TAU * f64::from(i) / 48.0).sin_cos();
                [0.075 * cos - 0.035, 0.925 + 0.075 * sin]
            })
            .collect();
        let outline = Outline::new(&corners);
        for &[x, y] in &corners {
            for across in [-0.1, 0.01, 0.3] {
                let p = [x + across, y];
                let (distance, gradient) = outline.sample(p);
                let round = (p[0] + 0.035).hypot(p[1] - 0.925) - 0.075;
                assert!((distance - round).abs() < 2e-4, "{p:?}: {distance} for {round}");
                assert!((gradient[0].hypot(gradient[1]) - 1.0).abs() < 1e-9);
            }
            let (distance, [gx, gy]) = outline.sample([x, y]);
            assert!(distance.abs() < 1e-15 && gx * (x + 0.035) + gy * (y - 0.925) > 0.0);
        }
    }
}
