//! The thread pool in which a command simulates.

use crate::failure::Failure;

/// Does `work` in a pool of this many threads (all cores if `None`), and passes it their number.
pub fn install<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce(usize) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    pliant_output::with_threads(threads, || work(rayon::current_num_threads()))
        .map_err(pliant_output::Error::from)?
}
