//! Fans: the triangles around a vertex that hang together by edges.

use super::{EdgeUse, Sets, edges::by_edge};

/// How many fans each vertex has: zero if no triangle uses it, more than one where a surface touches itself in
/// a point. `uses` are the edges of `triangles`, sorted.
pub fn fans_per_vertex(vertices: usize, triangles: &[[u32; 3]], uses: &[EdgeUse]) -> Vec<u32> {
    // Corners at one vertex are joined over each edge that has them; what remains apart are fans.
    let mut corners = Sets::new(3 * triangles.len());
    for run in by_edge(uses) {
        for other in &run[1..] {
            let (a, b) = (run[0].corners(), other.corners());
            corners.join(a[0], b[0]);
            corners.join(a[1], b[1]);
        }
    }
    let mut fans = vec![0; vertices];
    for (corner, &vertex) in (0u32..).zip(triangles.iter().flatten()) {
        fans[vertex as usize] += u32::from(corners.find(corner) == corner);
    }
    fans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::edge_uses;

    #[test]
    fn two_triangles_that_touch_in_a_point_are_two_fans() {
        let triangles = [[0, 1, 2], [2, 1, 3], [3, 4, 5]];
        let fans = fans_per_vertex(7, &triangles, &edge_uses(&triangles));
        assert_eq!(fans, [1, 1, 1, 2, 1, 1, 0]);
    }
}
