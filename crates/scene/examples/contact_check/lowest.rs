//! The lowest signed distance on a triangle or on a straight path: pieces that can be no lower than what was found are
//! left out, the others are divided until they are small.

use crate::distance::Field;
use pliant::DVec3;

/// Often enough for any body; a bound where many points are equally deep.
const MOST_DIVISIONS: u32 = 7;
/// The same for surfaces of triangles, which have no bound but the way: all of a face that lies on another is sampled.
const MOST_ON_SURFACES: u32 = 4;

/// The lowest point found.
#[derive(Clone, Copy)]
pub struct Lowest {
    pub distance: f64,
    pub place: DVec3,
}

/// The lowest signed distance on a triangle if it is below zero, to within `tolerance`.
pub fn on_triangle(field: &Field, corners: [DVec3; 3], tolerance: f64) -> Option<Lowest> {
    let mut best = None;
    let most = if matches!(field, Field::Closed { .. }) { MOST_ON_SURFACES } else { MOST_DIVISIONS };
    let mut pieces = vec![(corners, 0)];
    while let Some(([a, b, c], depth)) = pieces.pop() {
        if look(field, &[a, b, c], tolerance, &mut best) && depth < most {
            let [d, e, f] = [0.5 * (b + c), 0.5 * (c + a), 0.5 * (a + b)];
            pieces.extend([[a, f, e], [f, b, d], [e, d, c], [d, e, f]].map(|t| (t, depth + 1)));
        }
    }
    best
}

/// The same on the way from one point to another.
pub fn on_path(field: &Field, ends: [DVec3; 2], tolerance: f64) -> Option<Lowest> {
    let mut best = None;
    let mut pieces = vec![(ends, 0)];
    while let Some(([a, b], depth)) = pieces.pop() {
        if look(field, &[a, b], tolerance, &mut best) && depth < 2 * MOST_DIVISIONS {
            let middle = 0.5 * (a + b);
            pieces.extend([[a, middle], [middle, b]].map(|s| (s, depth + 1)));
        }
    }
    best
}

/// Looks at the middle of a piece; whether the rest of it may be lower than the best.
fn look(field: &Field, corners: &[DVec3], tolerance: f64, best: &mut Option<Lowest>) -> bool {
    let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let radius = corners.iter().map(|c| c.distance(middle)).fold(0.0, f64::max);
    if field.is_far(middle, radius) {
        return false;
    }
    let place = field.at(middle);
    if place.distance < best.map_or(0.0, |b| b.distance) {
        *best = Some(Lowest { distance: place.distance, place: middle });
    }
    // A distance changes by no more than the way. And it is not below the plane that touches the surface nearby by more than
    // the surface bends away from the plane.
    let mut least = place.distance - radius;
    if let Some(bend) = field.bend(middle, radius) {
        let on_plane = middle - place.distance * place.normal;
        let heights = corners.iter().map(|&c| place.normal.dot(c - on_plane));
        least = least.max(heights.fold(f64::INFINITY, f64::min) - 0.5 * bend * radius * radius);
    }
    let deeper = least < best.map_or(0.0, |b| b.distance) - tolerance;
    for &place in corners.iter().filter(|_| deeper) {
        let distance = field.at(place).distance;
        if distance < best.map_or(0.0, |b| b.distance) {
            *best = Some(Lowest { distance, place });
        }
    }
    deeper
}
