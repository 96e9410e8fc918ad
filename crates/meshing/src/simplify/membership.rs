//! Which groups things are in, as one number per combination of groups.

use pliant_mesh::{Group, Groups};
use std::collections::BTreeMap;

/// The combination of groups of each vertex or element.
pub(super) struct Membership {
    /// The number of the combination of each item; zero is no group.
    pub of: Vec<u32>,
    /// The groups of each combination, ascending.
    sets: Vec<Vec<u32>>,
}

impl Membership {
    pub fn new(count: usize, groups: &Groups, list: impl Fn(&Group) -> &[u32]) -> Self {
        let mut of_item: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (group, number) in groups.values().zip(0u32..) {
            for &i in list(group) {
                of_item[i as usize].push(number);
            }
        }
        let mut sets = vec![Vec::new()];
        let mut number = BTreeMap::from([(Vec::new(), 0)]);
        let of = of_item
            .into_iter()
            .map(|set| {
                *number.entry(set).or_insert_with_key(|set| {
                    sets.push(set.clone());
                    sets.len() as u32 - 1
                })
            })
            .collect();
        Self { of, sets }
    }

    /// Whether all groups of `a` are groups of `b`.
    pub fn within(&self, a: u32, b: u32) -> bool {
        let larger = &self.sets[b as usize];
        a == b || self.sets[a as usize].iter().all(|g| larger.binary_search(g).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_numbered_and_compared() {
        let group = |vertices: &[u32]| Group { vertices: vertices.to_vec(), elements: vec![] };
        let groups: Groups = [("a".into(), group(&[0, 1, 2])), ("b".into(), group(&[2, 3]))].into();
        let m = Membership::new(5, &groups, |g| &g.vertices);
        assert_eq!(m.of, [1, 1, 2, 3, 0]);
        assert!(m.within(m.of[0], m.of[2]) && m.within(m.of[4], m.of[3]));
        assert!(!m.within(m.of[2], m.of[0]) && !m.within(m.of[0], m.of[3]));
    }
}
