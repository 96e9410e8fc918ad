//! Who runs the loops: the caller's threads.

use std::sync::{Mutex, PoisonError};

/// Runs independent tasks, for example on the team of threads of a simulation step.
///
/// What a task does depends on its number alone, so results are the same for any number of threads.
pub trait Tasks: Sync {
    /// Calls `task` with `0..count`, each once, and returns when all are done.
    fn for_each(&self, count: usize, task: &(dyn Fn(usize) + Sync));
}

/// One task after the other, on the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Tasks for Serial {
    fn for_each(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(task);
    }
}

/// Memory for the tasks of one search, so that it is allocated once. Nothing in it outlives the search: a copy starts empty.
#[derive(Debug)]
pub(crate) struct PerTask<T>(Vec<Mutex<T>>);

impl<T> Default for PerTask<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Clone for PerTask<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Default> PerTask<T> {
    /// Makes room for tasks `0..count`.
    pub fn reserve(&mut self, count: usize) {
        if self.0.len() < count {
            self.0.resize_with(count, Mutex::default);
        }
    }

    /// Gives the memory of a task to `work`.
    pub fn with(&self, task: usize, work: impl FnOnce(&mut T)) {
        work(&mut self.0[task].lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Gives the memory of tasks `0..count` to `collect`, in their order.
    pub fn each(&mut self, count: usize, collect: impl FnMut(&mut T)) {
        let memories = self.0[..count].iter_mut();
        memories.map(|memory| memory.get_mut().unwrap_or_else(PoisonError::into_inner)).for_each(collect);
    }
}
