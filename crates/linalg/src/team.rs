//! A team of threads that stays awake for the time of one step.
//!
//! A step of a few milliseconds has a hundred short parallel loops with serial code between them. A sleeping thread
//! takes longer to wake than such a loop to run, so [`Team::with`] borrows the threads of rayon's current pool for a
//! while: the caller leads, the others wait for its loops, spinning. Which thread runs which task never matters for the
//! result, as tasks write to different places.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Spins before a waiting thread lets others run: some 20 microseconds.
const SPINS: usize = 1000;

/// A moment for which a thread lets others run is longer than this if another program has got its core.
const TAKEN_AWAY: Duration = Duration::from_micros(300);

/// Teams that work alone after a core was taken away, at first and at most: each time it happens again it is twice as many.
const ALONE: [u32; 2] = [8, 128];

/// Rows below which a step is done by one thread.
const ROWS_ALONE: usize = 1000;

/// Threads that work on the loops of their leader.
#[derive(Debug)]
pub struct Team {
    threads: usize,
    /// The loop body, set by the leader before it publishes tasks.
    job: UnsafeCell<Option<Job>>,
    /// Tasks that nobody has claimed yet.
    remaining: AtomicUsize,
    /// Tasks that are finished.
    done: AtomicUsize,
    /// Set during a loop: there is only one at a time.
    busy: AtomicBool,
    /// Set when the leader has left.
    finished: AtomicBool,
    /// Set when another program has got the core of one of the threads.
    crowded: AtomicBool,
}

/// What is known of the machine: how many of the next teams work alone, and how many did last. It says nothing about any result.
static CROWD: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

/// Number of threads for the next team, of so many at most. Where other programs share the cores a second thread is a loss: whoever
/// waits for a thread that has no core waits for milliseconds.
fn threads_for_next(most: usize) -> usize {
    let [left, _] = &CROWD;
    let alone = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok();
    if alone { 1 } else { most }
}

/// Notes whether the team that just ended was crowded.
fn remember(crowded: bool) {
    let [left, last] = &CROWD;
    let [first, most] = ALONE;
    let next = if crowded { (2 * last.load(Ordering::Relaxed)).clamp(first, most) } else { 0 };
    last.store(next, Ordering::Relaxed);
    left.store(next, Ordering::Relaxed);
}

/// A loop body whose lifetime is that of the loop.
#[derive(Clone, Copy, Debug)]
struct Job {
    data: *const (),
    call: unsafe fn(*const (), usize),
}

// SAFETY: `job` is written only by the one thread that has set `busy`, and only while there are no tasks: a loop ends,
// also by a panic, when nothing remains to be claimed and all claimed tasks are done. Others read it only between
// claiming a task (acquire) and reporting it done (release), so reads and writes never overlap. The body it points to is
// `Sync` and outlives the loop.
unsafe impl Sync for Team {}

impl Team {
    /// Runs `lead` with a team of all threads of rayon's current pool that are free.
    pub fn with<R: Send>(lead: impl FnOnce(&Team) -> R + Send) -> R {
        Team::of(rayon::current_num_threads(), lead)
    }

    /// The same for work of so many rows: little work is done alone. Loops of a few microseconds gain nothing from a second
    /// thread, and lose milliseconds when the machine takes it away.
    pub fn for_rows<R: Send>(rows: usize, lead: impl FnOnce(&Team) -> R + Send) -> R {
        let threads = if rows < ROWS_ALONE { 1 } else { rayon::current_num_threads() };
        Team::of(threads, lead)
    }

    /// A team of nobody but the caller, whoever that is.
    pub fn alone() -> &'static Team {
        static ALONE: Team = Team::new(1);
        &ALONE
    }

    const fn new(threads: usize) -> Team {
        Team {
            threads,
            job: UnsafeCell::new(None),
            remaining: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            busy: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
        }
    }

    fn of<R: Send>(threads: usize, lead: impl FnOnce(&Team) -> R + Send) -> R {
        let threads = if threads > 1 { threads_for_next(threads) } else { 1 };
        let team = Team::new(threads);
        let result = team.gather(threads - 1, lead);
        if threads > 1 {
            remember(team.crowded.load(Ordering::Relaxed));
        }
        result
    }

    /// Number of threads, the leader included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Offers `helpers` places in the team, then leads. Places that nobody took are empty when the leader returns.
    fn gather<R: Send>(&self, helpers: usize, lead: impl FnOnce(&Team) -> R + Send) -> R {
        if helpers > 0 {
            return rayon::join(|| self.gather(helpers - 1, lead), || self.help()).0;
        }
        // Also when the leader panics: the others must not wait for ever.
        struct Finish<'a>(&'a AtomicBool);
        impl Drop for Finish<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
            }
        }
        let _finish = Finish(&self.finished);
        lead(self)
    }

    /// Calls `body` for `0..count`, each once, on all threads, and waits for them.
    ///
    /// # Panics
    /// If called within a loop of the same team, and if `body` panics.
    pub fn for_each(&self, count: usize, body: &(impl Fn(usize) + Sync)) {
        if self.threads == 1 || count <= 1 {
            (0..count).for_each(body);
            return;
        }
        unsafe fn call<F: Fn(usize)>(data: *const (), task: usize) {
            // SAFETY: `data` is the `&F` below, which lives until all tasks are done.
            unsafe { (*data.cast::<F>())(task) }
        }
        fn caller<F: Fn(usize) + Sync>(_: &F) -> unsafe fn(*const (), usize) {
            call::<F>
        }
        assert!(!self.busy.swap(true, Ordering::Acquire), "a team runs one loop at a time");
        let job = Job { data: std::ptr::from_ref(body).cast(), call: caller(body) };
        // SAFETY: `busy` was not set, so no loop runs and there are no tasks.
        unsafe { *self.job.get() = Some(job) };
        self.done.store(0, Ordering::Relaxed);
        self.remaining.store(count, Ordering::Release);
        // Waits for the others on every way out: they must be done with `body` before it goes.
        let _end = LoopEnd { team: self, count };
        while self.work() {}
    }

    /// Does one task if there is one.
    fn work(&self) -> bool {
        let claim = self.remaining.fetch_update(Ordering::Acquire, Ordering::Relaxed, |n| n.checked_sub(1));
        let Ok(remaining) = claim else { return false };
        // Counts the task even if it panics: the leader waits for it; the panic arrives through rayon.
        struct Done<'a>(&'a AtomicUsize);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Release);
            }
        }
        let _done = Done(&self.done);
        // SAFETY: a task is claimed and not yet done, so the job is set, constant and alive.
        unsafe {
            if let Some(job) = *self.job.get() {
                (job.call)(job.data, remaining - 1);
            }
        }
        true
    }

    /// Works on the leader's loops until it leaves.
    fn help(&self) {
        let mut spins = 0;
        while !self.finished.load(Ordering::Acquire) && !self.crowded.load(Ordering::Relaxed) {
            if self.work() {
                spins = 0;
            } else {
                self.pause(&mut spins);
            }
        }
    }

    /// Waits a moment: spinning at first, then letting other threads run. If that takes long the cores are shared with others: then
    /// the helpers leave, and the leader goes on alone.
    fn pause(&self, spins: &mut usize) {
        *spins += 1;
        if *spins < SPINS {
            std::hint::spin_loop();
            return;
        }
        let start = Instant::now();
        std::thread::yield_now();
        if start.elapsed() > TAKEN_AWAY {
            self.crowded.store(true, Ordering::Relaxed);
        }
    }

    /// Calls `body(i, item)` for every item of `items`.
    pub fn for_each_mut<T: Send>(&self, items: &mut [T], body: impl Fn(usize, &mut T) + Sync) {
        let items = SharedSlice::new(items);
        self.for_each(items.len, &|i| {
            // SAFETY: each task has its own item.
            body(i, unsafe { &mut items.range(i, 1)[0] });
        });
    }

    /// Cuts `items` into pieces of `size` and calls `body(first, piece)` with the index of the first item of each.
    pub fn for_each_piece<T: Send>(
        &self,
        items: &mut [T],
        size: usize,
        body: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let items = SharedSlice::new(items);
        self.for_each(items.len.div_ceil(size), &|piece| {
            let first = piece * size;
            // SAFETY: pieces do not overlap.
            body(first, unsafe { items.range(first, size.min(items.len - first)) });
        });
    }
}

/// Ends a loop when it goes out of scope.
struct LoopEnd<'a> {
    team: &'a Team,
    count: usize,
}

impl Drop for LoopEnd<'_> {
    fn drop(&mut self) {
        // Nothing is left unless the leader's own task panicked: then the rest is given up.
        let unclaimed = self.team.remaining.swap(0, Ordering::Acquire);
        let mut spins = 0;
        while self.team.done.load(Ordering::Acquire) != self.count - unclaimed {
            self.team.pause(&mut spins);
        }
        self.team.busy.store(false, Ordering::Release);
    }
}

/// A slice whose parts are handed to different threads.
pub(crate) struct SharedSlice<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: it only hands out parts, under the promise that they do not overlap.
unsafe impl<T: Send> Sync for SharedSlice<T> {}

impl<T> SharedSlice<T> {
    /// Shares `items`.
    pub(crate) fn new(items: &mut [T]) -> SharedSlice<T> {
        SharedSlice { start: items.as_mut_ptr(), len: items.len() }
    }

    /// Items `first..first + len`.
    ///
    /// # Safety
    /// The slice that was shared is still borrowed, and nobody else uses these items at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn range(&self, first: usize, len: usize) -> &mut [T] {
        debug_assert!(first + len <= self.len);
        // SAFETY: inside the slice; exclusive by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(first), len) }
    }

    /// Items `first..first + len`, to be shared as well.
    ///
    /// # Safety
    /// The slice that was shared is borrowed for as long as the part is used.
    #[inline(always)]
    pub(crate) unsafe fn part(&self, first: usize, len: usize) -> SharedSlice<T> {
        assert!(first + len <= self.len);
        // SAFETY: inside the slice.
        SharedSlice { start: unsafe { self.start.add(first) }, len }
    }

    /// All items from `first` on, to be shared as well.
    ///
    /// # Safety
    /// As for [`part`](Self::part).
    #[inline(always)]
    pub(crate) unsafe fn from(&self, first: usize) -> SharedSlice<T> {
        // SAFETY: the caller's promise.
        unsafe { self.part(first, self.len - first) }
    }

    /// Item `i`.
    ///
    /// # Safety
    /// As for [`range`](Self::range), or nobody writes the item and it is only read.
    #[inline(always)]
    pub(crate) unsafe fn at(&self, i: usize) -> *mut T {
        debug_assert!(i < self.len);
        // SAFETY: inside the slice.
        unsafe { self.start.add(i) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pool<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(f)
    }

    #[test]
    fn every_task_runs_once_in_many_loops() {
        for threads in [1, 2, 4] {
            in_pool(threads, || {
                Team::with(|team| {
                    assert!(team.threads() == threads || team.threads() == 1, "alone on shared cores");
                    let mut counts = vec![0u32; 37];
                    for _ in 0..2000 {
                        team.for_each_mut(&mut counts, |_, c| *c += 1);
                    }
                    assert!(counts.iter().all(|&c| c == 2000));
                });
            });
        }
    }

    #[test]
    fn pieces_cover_everything() {
        in_pool(3, || {
            let mut values = vec![0; 100];
            Team::with(|team| {
                team.for_each_piece(&mut values, 7, |first, piece| {
                    for (k, v) in piece.iter_mut().enumerate() {
                        *v = first + k;
                    }
                });
            });
            assert!(values.iter().enumerate().all(|(i, &v)| i == v));
        });
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for victim in [0, 63] {
            let result = std::panic::catch_unwind(|| {
                in_pool(2, || Team::with(|team| team.for_each(64, &|i| assert_ne!(i, victim, "on purpose"))));
            });
            assert!(result.is_err());
        }
    }

    #[test]
    fn a_loop_within_a_loop_is_refused() {
        let result = std::panic::catch_unwind(|| {
            in_pool(2, || Team::with(|team| team.for_each(4, &|_| team.for_each(4, &|_| {}))));
        });
        assert!(result.is_err());
    }

    #[test]
    fn any_thread_may_work_alone() {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut counts = [0; 50];
                    Team::alone().for_each_mut(&mut counts, |_, c| *c += 1);
                    assert_eq!(counts, [1; 50]);
                });
            }
        });
    }

    #[test]
    fn the_result_of_the_leader_is_returned() {
        assert_eq!(in_pool(2, || Team::with(|_| 42)), 42);
    }
}
