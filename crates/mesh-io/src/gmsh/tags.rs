//! From the tags of nodes to vertex indices.

/// Tags are any numbers; most files count from one without gaps.
#[derive(Debug, Default)]
pub(super) struct NodeTags {
    first: u64,
    count: u32,
    /// All tags and indices once a gap was seen; ascending by tag when sealed.
    sparse: Vec<(u64, u32)>,
}

impl NodeTags {
    /// Adds the tag of the next vertex. At most 2^32 vertices.
    pub fn push(&mut self, tag: u64) {
        if self.count == 0 {
            self.first = tag;
        } else if self.sparse.is_empty() && tag != self.first.wrapping_add(u64::from(self.count)) {
            let first = self.first;
            self.sparse = (0..self.count).map(|i| (first.wrapping_add(u64::from(i)), i)).collect();
        }
        if !self.sparse.is_empty() {
            self.sparse.push((tag, self.count));
        }
        self.count = self.count.saturating_add(1);
    }

    /// Adds `count` tags from `first` on, or says that they do not continue the others.
    pub fn push_run(&mut self, first: u64, count: u32) -> bool {
        let follows = self.count == 0 || first == self.first.wrapping_add(u64::from(self.count));
        if !self.sparse.is_empty() || !follows || self.count.checked_add(count).is_none() {
            return false;
        }
        if self.count == 0 {
            self.first = first;
        }
        self.count += count;
        true
    }

    /// Makes the tags ready for [`find`](Self::find). A tag used twice is an error.
    pub fn seal(&mut self) -> Result<(), u64> {
        self.sparse.sort_unstable();
        match self.sparse.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(()),
        }
    }

    /// Vertex index of a tag.
    #[inline]
    pub fn find(&self, tag: u64) -> Option<u32> {
        if self.sparse.is_empty() {
            let offset = tag.wrapping_sub(self.first);
            return (offset < u64::from(self.count)).then_some(offset as u32);
        }
        self.sparse.binary_search_by_key(&tag, |&(t, _)| t).ok().map(|at| self.sparse[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(list: &[u64]) -> NodeTags {
        let mut tags = NodeTags::default();
        list.iter().for_each(|&t| tags.push(t));
        tags
    }

    #[test]
    fn with_and_without_gaps() {
        for list in [&[5, 6, 7, 8][..], &[5, 6, 9, 8], &[9, 8, 7], &[u64::MAX, 0, 1], &[]] {
            let mut tags = tags(list);
            tags.seal().unwrap();
            for (index, &tag) in (0..).zip(list) {
                assert_eq!(tags.find(tag), Some(index), "{list:?}");
            }
            for absent in [2, 4, 10, u64::MAX - 1] {
                assert_eq!(tags.find(absent), None, "{list:?}");
            }
        }
    }

    #[test]
    fn repeats_are_found() {
        assert_eq!(tags(&[1, 2, 3, 2]).seal(), Err(2));
        assert_eq!(tags(&[1, 1]).seal(), Err(1));
    }

    #[test]
    fn runs_must_continue() {
        let mut tags = NodeTags::default();
        assert!(tags.push_run(10, 5));
        assert!(!tags.push_run(10, 5));
        assert!(tags.push_run(15, 1));
        assert!(!tags.push_run(16, u32::MAX));
        tags.seal().unwrap();
        assert_eq!((tags.find(15), tags.find(16)), (Some(5), None));
    }
}
