//! An allocator that counts calls and bytes, for tests that bound the memory of a piece of code.
//!
//! The counts belong to the whole process: a test file that uses them has one test, or runs its parts one by one.
//!
//! ```
//! use pliant_testkit::{CountingAllocator, allocations};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let before = allocations::calls();
//! drop(std::hint::black_box(vec![1u8; 100]));
//! assert!(allocations::calls() > before);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static CALLS: AtomicUsize = AtomicUsize::new(0);
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted. Make it the `#[global_allocator]` of a test.
#[derive(Debug)]
pub struct CountingAllocator;

/// Allocations and reallocations so far, of all threads.
pub fn calls() -> usize {
    CALLS.load(Ordering::SeqCst)
}

/// Bytes in use; the [`peak_bytes`] are counted anew from here.
pub fn restart_peak() -> usize {
    let now = IN_USE.load(Ordering::SeqCst);
    PEAK.store(now, Ordering::SeqCst);
    now
}

/// The most bytes in use since the last [`restart_peak`].
pub fn peak_bytes() -> usize {
    PEAK.load(Ordering::SeqCst)
}

fn count(bytes: usize) {
    CALLS.fetch_add(1, Ordering::SeqCst);
    let now = IN_USE.fetch_add(bytes, Ordering::SeqCst) + bytes;
    PEAK.fetch_max(now, Ordering::SeqCst);
}

// SAFETY: every call is passed on to the system's allocator unchanged; the counters do not touch the memory.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as for `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::SeqCst);
        // SAFETY: `block` came from this allocator with this layout, hence from the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Growing and shrinking in place, as the system does for large blocks.
        count(size.saturating_sub(layout.size()));
        IN_USE.fetch_sub(layout.size().saturating_sub(size), Ordering::SeqCst);
        // SAFETY: as for `dealloc`; the caller's promise about `size` is passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}
