//! How cables look: straight where they are taut, hanging where they are longer than their way.

use pliant::{CableDrive, CableId, World};
use pliant_mesh::DVec3;

/// Pieces that the stretch between two places of a cable is drawn with.
const PIECES: usize = 16;
/// Halvings in the search for how far a stretch hangs down.
const HALVINGS: usize = 40;

/// A cable as it is seen. Its points are as many whether it is taut or not.
pub(super) fn seen(world: &World, cable: CableId) -> Vec<DVec3> {
    let places = world.cable_path(cable);
    let way: f64 = places.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
    let wanted = match &world.model().cables[cable.index()].drive {
        CableDrive::Length(length) => length.at(world.state().time),
        // A pull takes in what is too much.
        _ => way,
    };
    let longer = if way > 0.0 { (wanted / way).max(1.0) } else { 1.0 };
    let down = world.model().gravity.try_normalize().unwrap_or(DVec3::NEG_Z);
    let stretches = places.windows(2).flat_map(|ends| stretch(ends[0], ends[1], longer, down));
    stretches.chain(places.last().copied()).collect()
}

/// The points from `a` on, without `b`, of a stretch that is `longer` times as long as the way: a parabola that hangs down.
fn stretch(a: DVec3, b: DVec3, longer: f64, down: DVec3) -> impl Iterator<Item = DVec3> {
    let hung = move |sag: f64| {
        (0..=PIECES).map(move |i| {
            let t = i as f64 / PIECES as f64;
            a.lerp(b, t) + 4.0 * sag * t * (1.0 - t) * down
        })
    };
    let length = |sag: f64| {
        let points: Vec<DVec3> = hung(sag).collect();
        points.windows(2).map(|ends| ends[0].distance(ends[1])).sum::<f64>()
    };
    // The length grows with the sag, and is more than is wanted where it hangs down as far as it is long.
    let wanted = longer * a.distance(b);
    let (mut low, mut high) = (0.0, if longer > 1.0 { wanted } else { 0.0 });
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if length(middle) < wanted { low = middle } else { high = middle }
    }
    hung(low).take(PIECES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slack_stretch_hangs_down_and_has_its_length() {
        for (b, longer) in [(DVec3::X, 1.3), (DVec3::new(1.0, 0.5, 2.0), 1.05), (DVec3::Z, 1.5)] {
            let points: Vec<DVec3> = stretch(DVec3::ZERO, b, longer, DVec3::NEG_Z).chain([b]).collect();
            assert_eq!(points.len(), PIECES + 1);
            let length: f64 = points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
            assert!((length - longer * b.length()).abs() < 1e-6, "{length} for {b}");
            assert!(points[PIECES / 2].z < 0.5 * b.z, "it hangs below the straight line");
        }
    }

    #[test]
    fn a_taut_stretch_is_straight() {
        for (i, p) in stretch(DVec3::ZERO, DVec3::X, 1.0, DVec3::NEG_Z).enumerate() {
            assert_eq!(p, DVec3::X * i as f64 / PIECES as f64);
        }
    }
}
