//! The thread pool in which a run is simulated.

/// Does `work` in a pool of this many threads, or of as many as there are cores.
///
/// # Errors
/// If the pool cannot be started.
pub fn with_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build()?;
    Ok(pool.install(work))
}
