//! The contacts of an iteration: their energy, its gradient and its Hessian, projected pair by pair.

use super::function::{Jet, augmentation, barrier, friction};
use super::hessian::HessianKind;
use pliant_collide::proximity::{Closest, Mollifier, Pair, PairKind};
use pliant_collide::{Pose, Side};
use pliant_linalg::small::{Mat3, symmetric_eigen};
use pliant_mesh::{DMat3, DVec3};

/// A pair within reach, with what stays as it is during one line search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub(super) pair: Pair,
    /// Stiffness of its barrier, N/m.
    pub(super) sigma: f64,
    /// Its multiplier in N, if it has one.
    pub(super) multiplier: Option<f64>,
    /// Its friction in this iteration.
    pub(super) friction: Option<Sliding>,
}

/// Friction of a contact as it was at the last iterate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    /// Weights of the points in the relative motion, and what an obstacle adds to it, m.
    weights: [f64; 4],
    of_obstacle: DVec3,
    normal: DVec3,
    /// Largest force, N.
    bound: f64,
    /// Way in a step below which it sticks, m.
    eps: f64,
    /// Whether its Hessian is that of a parabola above its energy that touches it here.
    careful: bool,
}

/// Energy of a pair as a function of its gap.
fn of_gap(term: &Term, gap: f64) -> Jet {
    let own = barrier(gap, term.pair.reach).times(term.sigma);
    match term.multiplier {
        Some(mu) => own.plus(augmentation(gap, term.pair.reach, mu, term.sigma)),
        None => own,
    }
}

impl Term {
    /// Total normal force at the points, N: barrier and multiplier together, less where edges are nearly parallel.
    pub(super) fn normal_force(&self, points: &[DVec3]) -> f64 {
        let x = self.pair.places(points);
        let gap = Closest::of(self.pair.kind, x).distance - self.pair.thickness;
        -of_gap(self, gap).slope * self.mollifier_value(x)
    }

    /// The gap at the points, m.
    pub(super) fn gap(&self, points: &[DVec3]) -> f64 {
        Closest::of(self.pair.kind, self.pair.places(points)).distance - self.pair.thickness
    }

    /// What the multiplier is to be after an iteration, N: first-order in the force, and never a pull.
    pub(super) fn updated_multiplier(&self, points: &[DVec3]) -> Option<f64> {
        let mu = self.multiplier?;
        Some((-augmentation(self.gap(points), self.pair.reach, mu, self.sigma).slope).max(0.0))
    }

    /// Friction as it is at the points, for a coefficient; `poses` are those of all obstacles at the start of the step and here, `bodies` is the
    /// number of vertices.
    pub(super) fn slide(
        &mut self,
        (points, bodies): (&[DVec3], usize),
        poses: [&[Pose]; 2],
        coefficient: f64,
        (eps, careful): (f64, bool),
    ) {
        let x = self.pair.places(points);
        let closest = Closest::of(self.pair.kind, x);
        let bound = coefficient * self.normal_force(points);
        let mut weights = closest.weights;
        let mut of_obstacle = DVec3::ZERO;
        for (side, sign) in self.pair.sides.iter().zip([1.0, -1.0]) {
            let Side::Obstacle(obstacle) = side else { continue };
            // The point of the obstacle that is touched: its axis is not where a thick one turns past.
            let mut foot = DVec3::ZERO;
            for k in 0..4 {
                if self.pair.points[k] as usize >= bodies {
                    foot += sign * std::mem::take(&mut weights[k]) * x[k];
                }
            }
            if self.pair.kind == PairKind::VertexPlane {
                foot = x[0] - closest.distance * closest.normal;
            }
            let place = foot - sign * self.pair.thickness * closest.normal;
            let [then, now] = poses.map(|poses| &poses[obstacle.index()]);
            of_obstacle += sign * (place - then.place(now.local(place)));
        }
        let sliding = Sliding { weights, of_obstacle, normal: closest.normal, bound, eps, careful };
        self.friction = (bound > 0.0).then_some(sliding);
    }

    /// Force of friction on the first side at the points, N.
    pub(super) fn friction_force(&self, points: [&[DVec3]; 2]) -> DVec3 {
        self.friction.map_or(DVec3::ZERO, |f| {
            let way = f.way(self, points);
            -f.bound * friction(way.length(), f.eps).1 * way
        })
    }

    fn mollifier_value(&self, x: [DVec3; 4]) -> f64 {
        match self.pair.parallel > 0.0 {
            true => Mollifier::value(x, self.pair.parallel).unwrap_or(1.0),
            false => 1.0,
        }
    }

    /// Its energy with `points` at the start of the step and now, J.
    pub(super) fn value(&self, points: [&[DVec3]; 2]) -> f64 {
        let sliding = self.friction.map(|f| f.bound * friction(f.way(self, points).length(), f.eps).0);
        let of_friction = sliding.unwrap_or(0.0);
        if self.multiplier.is_none() && !self.pair.may_be_near([points[1], points[1]]) {
            return of_friction;
        }
        let x = self.pair.places(points[1]);
        let gap = Closest::of(self.pair.kind, x).distance - self.pair.thickness;
        let mut value = of_gap(self, gap).value;
        if value != 0.0 {
            value *= self.mollifier_value(x);
        }
        // Where something touches no angle helps.
        if gap <= 0.0 {
            value = f64::INFINITY;
        }
        value + of_friction
    }

    /// Adds its gradient to that of its points.
    pub(super) fn add_gradient(&self, points: [&[DVec3]; 2], mut add: impl FnMut(u32, DVec3)) {
        let x = self.pair.places(points[1]);
        let closest = Closest::of(self.pair.kind, x);
        let jet = of_gap(self, closest.distance - self.pair.thickness);
        let mollifier = if self.pair.parallel > 0.0 { Mollifier::of(x, self.pair.parallel) } else { None };
        let part = mollifier.map_or(1.0, |m| m.value);
        let force = self.friction.map(|f| (f, -self.friction_force(points)));
        for (k, &point) in self.pair.points.iter().enumerate() {
            let mut sum = part * jet.slope * closest.weights[k] * closest.normal;
            if let Some(m) = &mollifier {
                sum += jet.value * m.gradient[k];
            }
            if let Some((f, force)) = &force {
                sum += f.weights[k] * *force;
            }
            add(point, sum);
        }
    }

    /// Its Hessian between its points.
    pub(super) fn hessian(&self, points: [&[DVec3]; 2], kind: HessianKind) -> [[DMat3; 4]; 4] {
        let x = self.pair.places(points[1]);
        let closest = Closest::of(self.pair.kind, x);
        let jet = of_gap(self, closest.distance - self.pair.thickness);
        let mollifier = if self.pair.parallel > 0.0 { Mollifier::of(x, self.pair.parallel) } else { None };
        let mut blocks = match mollifier {
            Some(mollifier) => mollified(&closest, x, jet, &mollifier, kind),
            None => plain(&closest, x, jet, kind),
        };
        if let Some(f) = &self.friction {
            let tangent = f.stiffness(f.way(self, points));
            for i in 0..4 {
                for j in 0..4 {
                    blocks[i][j] += tangent * (f.weights[i] * f.weights[j]);
                }
            }
        }
        blocks
    }
}

impl Sliding {
    /// The way of the first side relative to the second in the step, across the normal.
    fn way(&self, term: &Term, [points_t0, points]: [&[DVec3]; 2]) -> DVec3 {
        let moved = |k: usize| {
            let p = term.pair.points[k] as usize;
            self.weights[k] * (points[p] - points_t0[p])
        };
        let way = self.of_obstacle + moved(0) + moved(1) + moved(2) + moved(3);
        way - way.dot(self.normal) * self.normal
    }

    /// `bound (f'/y P + (f'' - f'/y) u u^T / y^2)` with the projection P across the normal; `bound f'/y P` if it is careful: f is concave in y^2, so a full
    /// step then does not overshoot.
    fn stiffness(&self, way: DVec3) -> DMat3 {
        let (_, over_way, more) = friction(way.length(), self.eps);
        let outer = |a: DVec3| DMat3::from_cols(a.x * a, a.y * a, a.z * a);
        let across = DMat3::IDENTITY - outer(self.normal);
        let more = if self.careful { 0.0 } else { more };
        (across * over_way + outer(way.normalize_or_zero()) * more) * self.bound
    }
}

/// `slope Hess d + bend grad d grad d^T`.
fn plain(closest: &Closest, x: [DVec3; 4], jet: Jet, kind: HessianKind) -> [[DMat3; 4]; 4] {
    let curvature = closest.curvature(x);
    let g = &curvature.gradient;
    let matrix: [[f64; 5]; 5] = std::array::from_fn(|i| {
        std::array::from_fn(|j| jet.slope * curvature.hessian[i][j] + jet.bend * g[i] * g[j])
    });
    let finite = matrix.as_flattened().iter().all(|a| a.is_finite());
    let matrix = if finite {
        of_kind(&matrix, kind)
    } else {
        // Features without extent: what is left is the stiffness along the normal.
        std::array::from_fn(|i| std::array::from_fn(|j| jet.bend * g[i] * g[j]))
    };
    curvature.expanded(&matrix)
}

/// The same, multiplied by what makes edges that are nearly parallel smooth.
fn mollified(
    closest: &Closest,
    x: [DVec3; 4],
    jet: Jet,
    m: &Mollifier,
    kind: HessianKind,
) -> [[DMat3; 4]; 4] {
    let curvature = closest.curvature(x);
    let of_distance = curvature.expanded(&curvature.hessian);
    let g = closest.gradient();
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(b.x * a, b.y * a, b.z * a);
    let mut all = [[0.0; 12]; 12];
    for i in 0..4 {
        for j in 0..4 {
            let block = of_distance[i][j] * (m.value * jet.slope)
                + outer(g[i], g[j]) * (m.value * jet.bend)
                + (outer(m.gradient[i], g[j]) + outer(g[i], m.gradient[j])) * jet.slope
                + m.hessian[i][j] * jet.value;
            for r in 0..3 {
                for c in 0..3 {
                    all[3 * i + r][3 * j + c] = block.col(c)[r];
                }
            }
        }
    }
    if !all.as_flattened().iter().all(|a| a.is_finite()) {
        let along = |i: usize, j: usize| outer(g[i], g[j]) * (m.value * jet.bend);
        return std::array::from_fn(|i| std::array::from_fn(|j| along(i, j)));
    }
    let all = of_kind(&all, kind);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let column = |c: usize| DVec3::from_array([0, 1, 2].map(|r| all[3 * i + r][3 * j + c]));
            DMat3::from_cols(column(0), column(1), column(2))
        })
    })
}

fn of_kind<const N: usize>(matrix: &[[f64; N]; N], kind: HessianKind) -> [[f64; N]; N] {
    match kind {
        HessianKind::True => *matrix,
        HessianKind::Projected => positive_part(matrix),
    }
}

fn positive_part<const N: usize>(matrix: &[[f64; N]; N]) -> [[f64; N]; N] {
    let (values, q) = symmetric_eigen(matrix);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..N).map(|k| q[i][k] * values[k].max(0.0) * q[j][k]).sum())
    })
}

/// The block by rows.
pub(super) fn by_rows(block: &DMat3) -> Mat3 {
    block.transpose().to_cols_array_2d()
}
