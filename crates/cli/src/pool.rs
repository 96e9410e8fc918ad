//! The thread pool in which a command simulates.

use crate::failure::Failure;

/// Runs `work` in a pool of this many threads (all cores if `None`); `work` is told how many there are.
pub fn install<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce(usize) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::other(format!("the thread pool could not start ({e}): use fewer --threads")))?;
    let count = pool.current_num_threads();
    pool.install(|| work(count))
}
