//! Waiting for another thread: spinning on cores of one's own, asleep where others want them.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Looks at the condition between two looks at the clock: less than a microsecond.
const LOOKS: u32 = 16;
/// Time between two looks at the clock after which a thread knows that it was taken off its core.
const AWAY: Duration = Duration::from_micros(300);
/// For how long a thread spins before it sleeps, with cores of its own and without.
const PATIENCE: [Duration; 2] = [Duration::from_millis(2), Duration::from_micros(50)];
/// Time between two looks at what nobody calls for.
const NAP: Duration = Duration::from_micros(50);
/// For how many waits the cores count as shared after a thread was taken off one.
const WARY: u32 = 5000;

/// Waits for which the cores still count as shared. It belongs to the machine, not to a team; only times depend on it.
static SHARED: AtomicU32 = AtomicU32::new(0);

/// A place where threads wait for a condition.
#[derive(Debug)]
pub(super) struct Waiting {
    asleep: AtomicUsize,
    lock: Mutex<()>,
    called: Condvar,
}

impl Waiting {
    pub const fn new() -> Waiting {
        Waiting { asleep: AtomicUsize::new(0), lock: Mutex::new(()), called: Condvar::new() }
    }

    /// Waits until `done` says so. Whoever makes it true calls [`wake`](Self::wake) afterwards; both use sequentially
    /// consistent accesses, so that one of the two sees the other.
    pub fn until(&self, done: impl Fn() -> bool) {
        if !spin(&done) {
            self.sleep(&done);
        }
    }

    /// Wakes those who wait, if any does.
    #[inline]
    pub fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) > 0 {
            // Nobody is between looking at the condition and sleeping.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.called.notify_all();
        }
    }

    #[cold]
    fn sleep(&self, done: &impl Fn() -> bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.fetch_add(1, Ordering::SeqCst);
        while !done() {
            guard = self.called.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits until `done` without being woken, and a moment more: for threads that leave, which are not to be interrupted by
/// those they wake before they have left.
pub(super) fn look_until(done: impl Fn() -> bool) {
    if !spin(&done) {
        while !done() {
            std::thread::sleep(NAP);
        }
    }
    for _ in 0..LOOKS * LOOKS {
        std::hint::spin_loop();
    }
}

/// Spins until `done`, or until it is better to sleep: returns false then.
fn spin(done: &impl Fn() -> bool) -> bool {
    if done() {
        return true;
    }
    let wary = SHARED.load(Ordering::Relaxed);
    if wary > 0 {
        // Inexact among threads, which does not matter.
        SHARED.store(wary - 1, Ordering::Relaxed);
    }
    let patience = PATIENCE[usize::from(wary > 0)];
    let start = Instant::now();
    let mut last = start;
    loop {
        for _ in 0..LOOKS {
            if done() {
                return true;
            }
            std::hint::spin_loop();
        }
        let now = Instant::now();
        if now - last > AWAY {
            SHARED.store(WARY, Ordering::Relaxed);
            return false;
        }
        if now - start > patience {
            return false;
        }
        last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_is_woken() {
        let (ball, place) = (AtomicUsize::new(0), Waiting::new());
        // Two threads take turns, asleep in between.
        let play = |own: usize| {
            for round in 0..500 {
                place.sleep(&|| ball.load(Ordering::SeqCst) == 2 * round + own);
                ball.fetch_add(1, Ordering::SeqCst);
                place.wake();
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| play(0));
            scope.spawn(|| play(1));
        });
        assert_eq!(ball.load(Ordering::SeqCst), 1000);
    }

    #[test]
    fn what_is_done_is_not_waited_for() {
        Waiting::new().until(|| true);
        look_until(|| true);
    }
}
