//! Points at the same place.

use super::Aabb;
use super::bvh::Bvh;
use crate::DVec3;
use rayon::prelude::*;

/// Each point that has earlier ones within `distance`, with the first of these: `[point, earlier]`, ascending.
/// Positions must be finite.
pub fn close_pairs(points: &[DVec3], distance: f64) -> Vec<[u32; 2]> {
    if distance > 0.0 { within(points, distance) } else { equal(points) }
}

fn equal(points: &[DVec3]) -> Vec<[u32; 2]> {
    // Adding zero turns -0 into +0, which is the same place.
    let key = |i: u32| points[i as usize] + 0.0;
    let compare = |a: &u32, b: &u32| {
        let (p, q) = (key(*a), key(*b));
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)).then(a.cmp(b))
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.par_sort_unstable_by(compare);
    let mut pairs: Vec<[u32; 2]> = order
        .chunk_by(|&a, &b| key(a) == key(b))
        .flat_map(|run| run[1..].iter().map(|&later| [later, run[0]]))
        .collect();
    pairs.sort_unstable();
    pairs
}

fn within(points: &[DVec3], distance: f64) -> Vec<[u32; 2]> {
    let boxes: Vec<Aabb> = points.iter().map(|&p| Aabb { min: p, max: p }).collect();
    let tree = Bvh::new(&boxes);
    let mut pairs: Vec<[u32; 2]> = (0..points.len() as u32)
        .into_par_iter()
        .filter_map(|i| {
            let p = points[i as usize];
            let mut first = i;
            tree.filtered(
                |bounds| bounds.distance_sq(p) <= distance * distance,
                |slots| {
                    for &j in &tree.order[slots] {
                        if j < first && points[j as usize].distance_squared(p) <= distance * distance {
                            first = j;
                        }
                    }
                },
            );
            (first < i).then_some([i, first])
        })
        .collect();
    pairs.par_sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_name_the_first() {
        let points = [
            DVec3::X,
            DVec3::ZERO,
            DVec3::new(1.0, -0.0, 0.0),
            DVec3::splat(-0.0),
            DVec3::ZERO,
            DVec3::splat(2.0),
        ];
        assert_eq!(close_pairs(&points, 0.0), [[2, 0], [3, 1], [4, 1]]);
        assert_eq!(close_pairs(&points, 1e-9), [[2, 0], [3, 1], [4, 1]]);
    }

    #[test]
    fn points_within_the_distance_are_those_of_a_double_loop() {
        let points: Vec<DVec3> = (0..500)
            .map(|i| ((f64::from(i) + 0.5) * DVec3::new(0.7548776662, 0.5698402910, 0.3247179572)).fract())
            .collect();
        for distance in [0.01, 0.08, 0.3] {
            let near = |i: u32, j: u32| {
                points[i as usize].distance_squared(points[j as usize]) <= distance * distance
            };
            let expected: Vec<[u32; 2]> =
                (0..500).filter_map(|i| (0..i).find(|&j| near(i, j)).map(|j| [i, j])).collect();
            assert_eq!(close_pairs(&points, distance), expected);
        }
    }
}
