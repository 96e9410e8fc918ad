//! The threads that simulate, and the patience of the one that waits for them.

use crate::errors::value_error;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::time::Duration;

/// How long Python waits at most before it looks for an interrupt.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Most threads that can be asked for.
const MOST: usize = 1024;

/// A pool of this many threads; the one that all share if no number is given.
pub fn pool(threads: Option<usize>) -> PyResult<Option<Arc<ThreadPool>>> {
    threads.map(|n| checked(n).and_then(build).map(Arc::new)).transpose()
}

/// Pools of one thread each, for worlds side by side.
pub fn singles(threads: Option<usize>) -> PyResult<Vec<ThreadPool>> {
    let count = threads.map(checked).transpose()?.unwrap_or_else(cores);
    (0..count).map(|_| build(1)).collect()
}

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn checked(threads: usize) -> PyResult<usize> {
    match threads {
        1..=MOST => Ok(threads),
        _ => Err(value_error("threads", format!("{threads} threads"), "give a number from 1 to 1024")),
    }
}

fn build(threads: usize) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|_| "pliant".into()).build();
    pool.map_err(|e| value_error("threads", e, "use fewer threads"))
}

/// Does `work` in a pool, or where it is.
pub fn within<R: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
