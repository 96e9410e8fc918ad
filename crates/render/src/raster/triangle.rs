//! Which samples a triangle covers: exact integer edge functions, so that neighbours share no
//! sample and leave no gap.

/// Snapping grid: this many steps between two samples.
const STEPS: f64 = 256.0;
/// Coordinates must stay within this many samples of the origin, or the products overflow.
pub(super) const GUARD: f64 = 1_048_576.0;

/// Half-open rectangle of samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rect {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

/// A depth that is linear over the picture: `at + dx x + dy y` at the sample with centre (x, y).
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthPlane {
    pub at: f64,
    pub dx: f64,
    pub dy: f64,
    pub low: f64,
    pub high: f64,
}

impl DepthPlane {
    /// Depth at the centre of a sample, kept within the range of the corners: steep planes would
    /// otherwise overshoot where snapping moved the edge.
    pub fn depth(&self, x: i32, y: i32) -> f32 {
        let d = self.at + self.dx * (f64::from(x) + 0.5) + self.dy * (f64::from(y) + 0.5);
        d.max(self.low).min(self.high) as f32
    }
}

/// A triangle ready to be drawn.
pub(super) struct Edges {
    /// Samples it may cover.
    pub bounds: Rect,
    /// Inside means `a x + b y + c >= 0` for all three, in samples.
    a: [i64; 3],
    b: [i64; 3],
    c: [i64; 3],
}

impl Edges {
    /// `None` for a triangle that covers nothing. Corners are in samples, sample `(i, j)` has its
    /// centre at `(i + 1/2, j + 1/2)`.
    pub fn new(corners: [[f64; 2]; 3]) -> Option<Self> {
        if corners.iter().flatten().any(|c| c.is_nan() || c.abs() > GUARD) {
            return None;
        }
        // Shifted by half a sample, so that centres sit on whole numbers of samples.
        let snap = |x: f64| ((x - 0.5) * STEPS).round() as i64;
        let mut p = corners.map(|[x, y]| [snap(x), snap(y)]);
        let area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        if area == 0 {
            return None;
        }
        if area < 0 {
            p.swap(1, 2);
        }
        let step = STEPS as i64;
        let low = |k: usize| p.iter().map(|q| q[k]).min().unwrap_or(0);
        let high = |k: usize| p.iter().map(|q| q[k]).max().unwrap_or(0);
        let ceil = |v: i64| v.div_euclid(step) + i64::from(v.rem_euclid(step) != 0);
        let bounds = Rect {
            x0: ceil(low(0)) as i32,
            y0: ceil(low(1)) as i32,
            x1: high(0).div_euclid(step) as i32 + 1,
            y1: high(1).div_euclid(step) as i32 + 1,
        };
        if bounds.x0 >= bounds.x1 || bounds.y0 >= bounds.y1 {
            return None;
        }
        let mut edges = Self { bounds, a: [0; 3], b: [0; 3], c: [0; 3] };
        for i in 0..3 {
            let (s, e) = (p[i], p[(i + 1) % 3]);
            let (dx, dy) = (e[0] - s[0], e[1] - s[1]);
            // A sample on an edge belongs to one of the two triangles that share it, chosen by the
            // direction of the edge.
            let owns = dy < 0 || (dy == 0 && dx > 0);
            edges.a[i] = -dy * step;
            edges.b[i] = dx * step;
            edges.c[i] = dy * s[0] - dx * s[1] - i64::from(!owns);
        }
        Some(edges)
    }

    /// Calls `visit(x, y)` for every covered sample inside `rect`, row by row.
    pub fn for_each(&self, rect: Rect, mut visit: impl FnMut(i32, i32)) {
        let (x0, x1) = (self.bounds.x0.max(rect.x0), self.bounds.x1.min(rect.x1));
        let (y0, y1) = (self.bounds.y0.max(rect.y0), self.bounds.y1.min(rect.y1));
        for y in y0..y1 {
            let mut e = [0; 3];
            for i in 0..3 {
                e[i] = self.a[i] * i64::from(x0) + self.b[i] * i64::from(y) + self.c[i];
            }
            let mut entered = false;
            for x in x0..x1 {
                // The sign bit of the or is set when any of the three is negative.
                if (e[0] | e[1] | e[2]) >= 0 {
                    entered = true;
                    visit(x, y);
                } else if entered {
                    break;
                }
                for i in 0..3 {
                    e[i] += self.a[i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fan_covers_every_sample_once() {
        let rim = [[1.0, 1.5], [14.2, 0.7], [15.0, 13.5], [0.3, 15.0]];
        let hub = [7.5, 7.5];
        let mut count = [0u8; 256];
        let rect = Rect { x0: 0, y0: 0, x1: 16, y1: 16 };
        for i in 0..4 {
            let corners =
                if i % 2 == 0 { [hub, rim[i], rim[(i + 1) % 4]] } else { [rim[(i + 1) % 4], rim[i], hub] };
            let edges = Edges::new(corners).unwrap();
            edges.for_each(rect, |x, y| count[(y * 16 + x) as usize] += 1);
        }
        assert!(count.iter().all(|c| *c <= 1));
        for y in 2..13 {
            for x in 2..13 {
                assert_eq!(count[y * 16 + x], 1);
            }
        }
    }

    #[test]
    fn degenerate_triangles_cover_nothing() {
        assert!(Edges::new([[0.0, 0.0], [5.0, 5.0], [9.0, 9.0]]).is_none());
        assert!(Edges::new([[f64::NAN, 0.0], [5.0, 5.0], [9.0, 1.0]]).is_none());
        assert!(Edges::new([[1e9, 0.0], [5.0, 5.0], [9.0, 1.0]]).is_none());
        assert!(Edges::new([[0.6, 0.6], [0.9, 0.6], [0.6, 0.9]]).is_none());
    }
}
