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
