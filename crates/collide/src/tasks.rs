//! Who runs the loops: the caller's threads.

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
