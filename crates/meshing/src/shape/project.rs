//! The nearest point of the surface, by Newton's method along the gradient.

use super::sample::Sample;
use super::tree::ShapeSolid;
use crate::solid::SurfacePoint;
use pliant_mesh::DVec3;
use pliant_mesh::vector::unit;

/// Newton steps before the search along a line.
const STEPS: usize = 24;
/// Times that a landing point is moved along the surface.
const REFINEMENTS: usize = 10;

/// The point of the surface nearest to `p`, or a near one: where the field is the distance, one step is exact; in a
/// blend the point slides along the surface until its normal points at `p`.
pub(super) fn project(solid: &ShapeSolid, p: DVec3) -> SurfacePoint {
    let sample = solid.field::<Sample>(p);
    let value = sample.distance;
    let landed = land(solid, p, sample);
    let tolerance = 1e-9 * value.abs() + 1e-12 * solid.size().length();
    let away = p - landed.point;
    if away.length() > value.abs() + tolerance {
        return slide(solid, p, landed);
    }
    // The field is a lower bound of the distance: this point proves to be the nearest. On a sharp edge the gradient
    // knows one side only, so the normal is taken from the way that led there.
    if value.abs() > 1e3 * tolerance {
        return SurfacePoint { normal: away * (value.signum() / away.length()), ..landed };
    }
    landed
}

/// Moves a point along the surface towards the nearest one to `p`: gradient descent with the step of two-point
/// secants \[Barzilai88\], which need no line search.
fn slide(solid: &ShapeSolid, p: DVec3, landed: SurfacePoint) -> SurfacePoint {
    let (mut here, mut best) = (landed, landed);
    let mut last: Option<(DVec3, DVec3)> = None;
    for _ in 0..REFINEMENTS {
        let away = p - here.point;
        let aside = away - here.normal.dot(away) * here.normal;
        if aside.length() <= 5e-3 * away.length() {
            break;
        }
        let step = last.map_or(1.0, |(point, before)| {
            let moved = here.point - point;
            let curvature = moved.dot(before - aside);
            if curvature > 0.0 { (moved.length_squared() / curvature).clamp(0.05, 4.0) } else { 1.0 }
        });
        last = Some((here.point, aside));
        let beside = here.point + step * aside;
        here = land(solid, beside, solid.field(beside));
        if p.distance(here.point) < p.distance(best.point) {
            best = here;
        }
    }
    best
}

/// A point of the surface near `start`, where the field is `sample`.
fn land(solid: &ShapeSolid, start: DVec3, mut sample: Sample) -> SurfacePoint {
    let tolerance = 1e-13 * (solid.size().length() + start.length());
    let mut p = start;
    let mut before = sample.gradient;
    for _ in 0..STEPS {
        if sample.distance.abs() <= tolerance {
            return SurfacePoint { point: p, normal: normal(solid, p, sample.gradient) };
        }
        // Where opposite gradients cancel in a blend the full step would be wild.
        let slope_sq = sample.gradient.length_squared().max(0.05);
        before = sample.gradient;
        p -= sample.gradient * (sample.distance / slope_sq);
        sample = solid.field::<Sample>(p);
    }
    // The steps go to and fro between two sides of a sharp edge: the middle of their directions leads across. If not
    // even that does, the nearest crossing in any direction is taken.
    let across = before + sample.gradient;
    let crossing = |direction| cross_surface(solid, p, sample.distance, direction);
    let nearest = || {
        let found = directions().filter_map(crossing).map(|q| (p.distance(q), q));
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, q)| q)
    };
    let point = crossing(across).or_else(nearest).unwrap_or(p);
    let sample = solid.field::<Sample>(point);
    SurfacePoint { point, normal: normal(solid, point, sample.gradient) }
}

/// The axes and diagonals, both ways.
fn directions() -> impl Iterator<Item = DVec3> {
    let direction = |i: i32| DVec3::from_array([i % 3, i / 3 % 3, i / 9].map(|c| f64::from(c - 1)));
    (0..27).map(direction).filter(|&d| d != DVec3::ZERO)
}

/// Where a line through `p` meets the surface; `value` is the field at `p`.
fn cross_surface(solid: &ShapeSolid, p: DVec3, value: f64, direction: DVec3) -> Option<DVec3> {
    let toward = -value.signum() * unit(direction)?;
    let at = |t: f64| p + t * toward;
    let crossed = |t: f64| (solid.field::<f64>(at(t)) > 0.0) != (value > 0.0);
    let most = 2.0 * solid.size().length();
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
fn normal(solid: &ShapeSolid, p: DVec3, gradient: DVec3) -> DVec3 {
    // Opposite gradients may cancel where two blended parts just touch: then the direction from the middle is a
    // direction that exists.
    unit(gradient).or_else(|| unit(p - solid.bounds.center())).unwrap_or(DVec3::Z)
}
