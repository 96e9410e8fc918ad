//! Work beside the simulation whose result arrives at a promised step.
//!
//! A better preconditioner or a new factor may take longer than a step. Taking it over whenever it happens to be ready
//! would make results depend on the speed of the machine; here it is taken over at a step that is fixed when the work
//! begins, and whoever asks at that step waits for it if need be.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackgroundError {
    /// The job panicked.
    #[error("the background job panicked: {message}")]
    Panicked {
        /// The text of the panic.
        message: String,
    },
    /// The system gave no thread for the job.
    #[error("no thread for the background job: {message}")]
    NoThread {
        /// The system's reason.
        message: String,
    },
}

/// Lets a job know that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    /// Whether the job should return as soon as it can; what it returns is dropped.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A job on a thread of its own, whose result is delivered at a fixed step. Dropping it cancels the job without waiting
/// for it. Where there are no threads (wasm32) the job runs when it is started.
#[derive(Debug)]
pub struct Background<T> {
    due: u64,
    cancelled: Cancelled,
    work: Work<T>,
}

#[derive(Debug)]
enum Work<T> {
    Running(JoinHandle<Result<T, BackgroundError>>),
    Ready(Result<T, BackgroundError>),
    Delivered,
}

impl<T: Send + 'static> Background<T> {
    /// Starts `job`, whose result is due at step `due`. The job owns its data, and should look at its argument now and
    /// then if it is long.
    pub fn start(due: u64, job: impl FnOnce(&Cancelled) -> T + Send + 'static) -> Background<T> {
        let cancelled = Cancelled::default();
        let token = cancelled.clone();
        let run = move || {
            catch_unwind(AssertUnwindSafe(|| job(&token)))
                .map_err(|cause| BackgroundError::Panicked { message: text_of(cause.as_ref()) })
        };
        let work = if cfg!(target_family = "wasm") {
            Work::Ready(run())
        } else {
            match std::thread::Builder::new().name("background".into()).spawn(run) {
                Ok(thread) => Work::Running(thread),
                Err(e) => Work::Ready(Err(BackgroundError::NoThread { message: e.to_string() })),
            }
        };
        Background { due, cancelled, work }
    }
}

impl<T> Background<T> {
    /// The step at which the result is due.
    pub fn due(&self) -> u64 {
        self.due
    }

    /// Whether the result is there, so that nobody would have to wait for it.
    pub fn is_ready(&self) -> bool {
        match &self.work {
            Work::Running(thread) => thread.is_finished(),
            Work::Ready(_) | Work::Delivered => true,
        }
    }

    /// The result, once, if it is due by `step`, however early or late the job is done: before that step there is none,
    /// at that step the call waits.
    pub fn deliver_at(&mut self, step: u64) -> Option<Result<T, BackgroundError>> {
        if step < self.due {
            return None;
        }
        match std::mem::replace(&mut self.work, Work::Delivered) {
            Work::Running(thread) => {
                Some(thread.join().unwrap_or_else(|cause| {
                    Err(BackgroundError::Panicked { message: text_of(cause.as_ref()) })
                }))
            }
            Work::Ready(result) => Some(result),
            Work::Delivered => None,
        }
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.cancelled.0.store(true, Ordering::Relaxed);
    }
}

fn text_of(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// At which of the steps 0..10 the result arrives, and what it is.
    fn arrival(takes: Duration, pause: Duration) -> (u64, i32) {
        let mut job = Background::start(6, move |_| {
            std::thread::sleep(takes);
            42
        });
        let mut arrived = None;
        for step in 0..10 {
            std::thread::sleep(pause);
            if let Some(result) = job.deliver_at(step) {
                assert!(arrived.is_none(), "delivered twice");
                arrived = Some((step, result.expect("no panic")));
            }
        }
        arrived.expect("delivered")
    }

    #[test]
    fn fast_and_slow_jobs_arrive_at_the_promised_step() {
        let ms = Duration::from_millis;
        assert_eq!(arrival(ms(0), ms(2)), (6, 42));
        assert_eq!(arrival(ms(40), ms(0)), (6, 42));
    }

    #[test]
    fn a_skipped_step_delivers_at_the_next_one() {
        let mut job = Background::start(3, |_| "done");
        assert!(job.deliver_at(2).is_none());
        assert_eq!(job.deliver_at(7), Some(Ok("done")));
        assert_eq!(job.deliver_at(8), None);
    }

    #[test]
    fn a_panic_is_an_error_at_the_promised_step() {
        let mut job: Background<()> = Background::start(1, |_| panic!("no luck"));
        assert!(job.deliver_at(0).is_none());
        let error = BackgroundError::Panicked { message: "no luck".into() };
        assert_eq!(job.deliver_at(1), Some(Err(error)));
    }

    #[test]
    fn dropping_cancels_the_job() {
        let ended = Arc::new(AtomicBool::new(false));
        let flag = ended.clone();
        let job = Background::start(1, move |cancelled| {
            while !cancelled.is_set() {
                std::thread::yield_now();
            }
            flag.store(true, Ordering::Release);
        });
        drop(job);
        let start = Instant::now();
        while !ended.load(Ordering::Acquire) {
            assert!(start.elapsed() < Duration::from_secs(60), "the job goes on");
            std::thread::yield_now();
        }
    }
}
