//! Points of the contact problem in colours: those of one colour share no row, so that they can be solved side by side, and
//! the result does not depend on the threads.

use crate::contact::operator::PointRows;

/// Most colours; what is left is solved one after the other at the end.
const MOST: usize = 64;

/// An order of the points by colour.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// The points, colour by colour, each in their own order.
    order: Vec<u32>,
    /// Ends of the colours in `order`; behind the last one are points that may share rows.
    ends: Vec<usize>,
    colour_of: Vec<u8>,
    /// Colours that each row has been given.
    taken: Vec<u64>,
}

impl Colours {
    /// Gives each point the first colour that none of its rows has; `rows` is the number of rows.
    pub(super) fn assign(&mut self, points: &[PointRows], rows: usize) {
        self.taken.clear();
        self.taken.resize(rows, 0);
        self.colour_of.clear();
        let mut counts = [0usize; MOST + 1];
        for point in points {
            let taken = point.rows().iter().fold(0, |taken, &row| taken | self.taken[row as usize]);
            let colour = (!taken).trailing_zeros() as usize;
            if colour < MOST {
                point.rows().iter().for_each(|&row| self.taken[row as usize] |= 1 << colour);
            }
            counts[colour] += 1;
            self.colour_of.push(colour as u8);
        }
        self.ends.clear();
        let mut next = [0usize; MOST + 1];
        let mut end = 0;
        for (colour, count) in counts.iter().enumerate() {
            next[colour] = end;
            end += count;
            if colour < MOST && *count > 0 {
                self.ends.push(end);
            }
        }
        self.order.clear();
        self.order.resize(points.len(), 0);
        for (k, &colour) in self.colour_of.iter().enumerate() {
            let place = &mut next[colour as usize];
            self.order[*place] = k as u32;
            *place += 1;
        }
    }

    /// The points, colour by colour.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where each colour ends in the order.
    pub(super) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        4 * self.order.capacity() + self.colour_of.capacity() + 8 * self.taken.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_colour_share_no_row_and_every_point_has_one_place() {
        let mut seed = 7u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % n) as u32
        };
        for (count, rows) in [(1, 4), (50, 30), (400, 100), (300, 5)] {
            let mut points = Vec::new();
            for _ in 0..count {
                let mut point = PointRows::default();
                let mut used = Vec::new();
                for _ in 0..3 {
                    let row = random(rows);
                    if !used.contains(&row) {
                        used.push(row);
                        point.push(row, 1.0);
                    }
                }
                points.push(point);
            }
            let mut colours = Colours::default();
            colours.assign(&points, rows as usize);
            let mut order = colours.order().to_vec();
            let mut start = 0;
            for &end in colours.ends() {
                let mut seen = vec![false; rows as usize];
                for &k in &order[start..end] {
                    for &row in points[k as usize].rows() {
                        assert!(!std::mem::replace(&mut seen[row as usize], true), "{row} twice");
                    }
                }
                start = end;
            }
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<u32>>());
        }
    }
}
