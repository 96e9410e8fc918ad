//! A bound on the memory that a file may ask for, so that a small file cannot fill the machine.

use super::ReadError;

/// Bytes that a reader may still set aside.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    /// Memory stays below ten times the file. The readers' own tables need the rest.
    const FACTOR: usize = 8;

    /// Small files may unfold further: nobody runs out of memory by this.
    const FLOOR: usize = 256 << 10;

    /// Rough cost of a named group in a map: its node, its lists and two allocations.
    const GROUP: usize = 160;

    pub fn new(file_bytes: usize) -> Self {
        Self { left: file_bytes.saturating_mul(Self::FACTOR).saturating_add(Self::FLOOR) }
    }

    /// Another file of the mesh has been read.
    pub fn add_file(&mut self, file_bytes: usize) {
        self.left = self.left.saturating_add(file_bytes.saturating_mul(Self::FACTOR));
    }

    /// Accounts for `bytes` of memory.
    pub fn take(&mut self, bytes: usize) -> Result<(), ReadError> {
        self.left = self.left.checked_sub(bytes).ok_or(ReadError::OutOfProportion)?;
        Ok(())
    }

    /// Accounts for a group with this name.
    pub fn group(&mut self, name: &str) -> Result<(), ReadError> {
        self.take(Self::GROUP + name.len())
    }

    /// Makes room for exactly `more` items.
    pub fn reserve<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), ReadError> {
        let missing = more.saturating_sub(list.capacity() - list.len());
        self.take(missing.saturating_mul(size_of::<T>()))?;
        list.try_reserve_exact(more).map_err(|_| ReadError::OutOfProportion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_by_the_file() {
        let mut budget = Budget::new(0);
        let mut list: Vec<u64> = Vec::new();
        budget.reserve(&mut list, 1000).unwrap();
        budget.reserve(&mut list, 1000).unwrap();
        assert_eq!(budget.left, Budget::FLOOR - 8000);
        assert!(budget.reserve(&mut list, usize::MAX).is_err());
        assert!(budget.reserve(&mut list, Budget::FLOOR / 4).is_err());
        budget.group("name").unwrap();
    }
}
