//! Which parts have boxes that overlap, by sorting them along x: with many bodies most are far from each other.

use crate::skin::Skin;
use crate::tree::Forest;

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Broad {
    /// Lower ends of the boxes along x, with their parts.
    order: Vec<(f32, u32)>,
    pub pairs: Vec<[u32; 2]>,
}

impl Broad {
    /// Fills `pairs` with the wanted pairs of parts whose boxes overlap, ascending; a part with itself too.
    pub fn search(&mut self, skin: &Skin, forest: &Forest, wanted: impl Fn([u32; 2]) -> bool) {
        let Self { order, pairs } = self;
        pairs.clear();
        order.clear();
        let bounds = |part: u32| &forest.nodes[skin.parts[part as usize].root as usize].bounds;
        let with_faces = (0..).zip(&skin.parts).filter(|(_, p)| !p.triangles.is_empty());
        order.extend(with_faces.map(|(part, _)| (bounds(part).min[0], part)));
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (k, &(_, first)) in order.iter().enumerate() {
            let own = bounds(first);
            let near = order[k..].iter().take_while(|(low, _)| *low <= own.max[0]);
            let pair = |&(_, second): &(f32, u32)| [first.min(second), first.max(second)];
            pairs.extend(near.map(pair).filter(|p| bounds(p[0]).overlaps(bounds(p[1])) && wanted(*p)));
        }
        pairs.sort_unstable();
    }
}
