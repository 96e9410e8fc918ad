//! The nearest point of the surface, by Newton's method along the gradient.

use super::field::Sample;
use super::solid::ShapeSolid;
use crate::solid::SurfacePoint;
use pliant_mesh::Point;
use pliant_mesh::vector::{add, distance, dot, norm, scale, sub, unit};

/// Newton steps before the search along a line.
const STEPS: usize = 24;
/// Times that a landing point is moved along the surface.
const REFINEMENTS: usize = 10;

/// The point of the surface nearest to `p`, or a near one: where the field is the distance, one step is exact; in a
/// blend the point slides along the surface until its normal points at `p`.
pub(super) fn project(solid: &ShapeSolid, p: Point) -> SurfacePoint {
    let sample = solid.field::<Sample>(p);
    let value = sample.distance;
    let landed = land(solid, p, sample);
    let tolerance = 1e-9 * value.abs() + 1e-12 * norm(solid.size());
    let away = sub(p, landed.point);
    if norm(away) > value.abs() + tolerance {
        return slide(solid, p, landed);
    }
    // The field is a lower bound of the distance: this point proves to be the nearest. On a sharp edge the gradient
    // knows one side only, so the normal is taken from the way that led there.
    if value.abs() > 1e3 * tolerance {
        return SurfacePoint { normal: scale(away, value.signum() / norm(away)), ..landed };
    }
    landed
}

/// Moves a point along the surface towards the nearest one to `p`: gradient descent with the step of two-point
/// secants \[Barzilai88\], which need no line search.
fn slide(solid: &ShapeSolid, p: Point, landed: SurfacePoint) -> SurfacePoint {
    let (mut here, mut best) = (landed, landed);
    let mut last: Option<(Point, Point)> = None;
    for _ in 0..REFINEMENTS {
        let away = sub(p, here.point);
        let aside = sub(away, scale(here.normal, dot(here.normal, away)));
        if norm(aside) <= 5e-3 * norm(away) {
            break;
        }
        let step = last.map_or(1.0, |(point, before)| {
            let moved = sub(here.point, point);
            let curvature = dot(moved, sub(before, aside));
            if curvature > 0.0 { (dot(moved, moved) / curvature).clamp(0.05, 4.0) } else { 1.0 }
        });
        last = Some((here.point, aside));
        let beside = add(here.point, scale(aside, step));
        here = land(solid, beside, solid.field(beside));
        if distance(p, here.point) < distance(p, best.point) {
            best = here;
        }
    }
    best
}

/// A point of the surface near `start`, where the field is `sample`.
fn land(solid: &ShapeSolid, start: Point, mut sample: Sample) -> SurfacePoint {
    let tolerance = 1e-13 * (norm(solid.size()) + norm(start));
    let mut p = start;
    let mut before = sample.gradient;
    for _ in 0..STEPS {
        if sample.distance.abs() <= tolerance {
            return SurfacePoint { point: p, normal: normal(solid, p, sample.gradient) };
        }
        // Where opposite gradients cancel in a blend the full step would be wild.
        let slope_sq = dot(sample.gradient, sample.gradient).max(0.05);
        before = sample.gradient;
        p = sub(p, scale(sample.gradient, sample.distance / slope_sq));
        sample = solid.field::<Sample>(p);
    }
    // The steps go to and fro between two sides of a sharp edge: the middle of their directions leads across. If not
    // even that does, the nearest crossing in any direction is taken.
    let across = add(before, sample.gradient);
    let crossing = |direction| cross_surface(solid, p, sample.distance, direction);
    let nearest = || {
        let found = directions().filter_map(crossing).map(|q| (distance(p, q), q));
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, q)| q)
    };
    let point = crossing(across).or_else(nearest).unwrap_or(p);
    let sample = solid.field::<Sample>(point);
    SurfacePoint { point, normal: normal(solid, point, sample.gradient) }
}

/// The axes and diagonals, both ways.
fn directions() -> impl Iterator<Item = Point> {
    (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|c| f64::from(c - 1))).filter(|d| *d != [0.0; 3])
}

/// Where a line through `p` meets the surface; `value` is the field at `p`.
fn cross_surface(solid: &ShapeSolid, p: Point, value: f64, direction: Point) -> Option<Point> {
    let toward = scale(unit(direction)?, -value.signum());
    let at = |t: f64| add(p, scale(toward, t));
    let crossed = |t: f64| (solid.field::<f64>(at(t)) > 0.0) != (value > 0.0);
    let most = 2.0 * norm(solid.size());
    let mut far = value.abs().max(1e-12 * most);
    while !crossed(far) {
        far *= 2.0;
        if far > most {
            return None;
        }
    }
    let (mut low, mut high) = (0.0, far);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if crossed(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(at(high))
}

/// The unit normal at a point of the surface.
fn normal(solid: &ShapeSolid, p: Point, gradient: Point) -> Point {
    // Opposite gradients may cancel where two blended parts just touch: then the direction from the middle is a
    // direction that exists.
    unit(gradient)
        .or_else(|| {
            let (low, high) = (solid.bounds.min, solid.bounds.max);
            unit(sub(p, scale(add(low, high), 0.5)))
        })
        .unwrap_or([0.0, 0.0, 1.0])
}
