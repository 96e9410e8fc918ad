//! Islands: bodies that touch, directly or through others. Nothing that happens to one of them acts on another.

use super::Rows;
use crate::contact::methods::Problem;

/// Fewer points than this are not worth being told apart.
const FROM: usize = 256;

impl Rows {
    /// Lists the points of each island, after [`describe`](Rows::describe). The matrix falls into `parts`, and a row belongs
    /// to the part that `part_of` it is.
    pub(crate) fn list_islands<C>(
        &mut self,
        problem: &mut Problem<C>,
        parts: usize,
        part_of: impl Fn(u32) -> usize,
    ) {
        problem.islands.clear();
        problem.members.clear();
        // Cables run through many bodies.
        if self.held < FROM || self.held < self.points.len() {
            return;
        }
        self.leader.clear();
        self.leader.extend(0..parts as u32);
        for point in &self.points {
            let mut touched = point.rows().iter().map(|&row| part_of(row));
            if let Some(first) = touched.next() {
                touched.for_each(|other| join(&mut self.leader, first, other));
            }
        }
        let leader = &mut self.leader;
        let mut island_of =
            |point: &super::PointRows| point.rows().first().map_or(0, |&row| find(leader, part_of(row)));
        self.island_of.clear();
        self.island_of.extend(self.points.iter().map(|point| island_of(point) as u32));
        problem.members.extend(0..self.points.len() as u32);
        let island_of = &self.island_of;
        problem.members.sort_unstable_by_key(|&point| (island_of[point as usize], point));
        let mut start = 0;
        for island in problem.members.chunk_by(|&a, &b| island_of[a as usize] == island_of[b as usize]) {
            problem.islands.push(start..start + island.len());
            start += island.len();
        }
        if problem.islands.len() == 1 {
            problem.islands.clear();
            problem.members.clear();
        }
    }
}

/// The part that stands for all that are joined with one.
fn find(leader: &mut [u32], mut part: usize) -> usize {
    while leader[part] as usize != part {
        leader[part] = leader[leader[part] as usize];
        part = leader[part] as usize;
    }
    part
}

fn join(leader: &mut [u32], a: usize, b: usize) {
    let (a, b) = (find(leader, a), find(leader, b));
    // The smaller number leads: the order does not depend on who was joined first.
    leader[a.max(b)] = a.min(b) as u32;
}

#[cfg(test)]
mod tests {
    use super::super::PointRows;
    use super::*;

    /// A point between two rows.
    fn between(a: u32, b: u32) -> PointRows {
        let mut point = PointRows::default();
        point.push(a, 1.0);
        point.push(b, -1.0);
        point
    }

    #[test]
    fn points_of_bodies_that_touch_are_one_island() {
        let mut rows = Rows::new(vec![1.0; 8], 0.01);
        // Four bodies of two rows each: the first touches the last, and those between them each other.
        rows.points.extend((0..300).map(|k| if k % 3 == 0 { between(0, 7) } else { between(4, 3) }));
        rows.held = rows.points.len();
        let mut problem = Problem::<f64>::new(0.01);
        let part_of = |row: u32| row as usize / 2;
        rows.list_islands(&mut problem, 4, part_of);
        let islands: Vec<&[u32]> = problem.islands.iter().map(|i| &problem.members[i.clone()]).collect();
        let expected: [Vec<u32>; 2] =
            [0, 1].map(|rest| (0..300).filter(|k| (k % 3 > 0) == (rest > 0)).collect());
        assert_eq!(islands, expected);
        rows.points.push(between(1, 2));
        rows.held += 1;
        rows.list_islands(&mut problem, 4, part_of);
        assert!(problem.islands.is_empty(), "all of them are one");
    }
}
