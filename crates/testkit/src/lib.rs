//! What the tests of all crates share: an allocator that counts, time of one thread, temporary folders, damage without end, and checks of the source tree itself.
//!
//! Only tests depend on this crate.

pub mod allocations;
pub mod folder;
pub mod fuzz;
pub mod source;
pub mod work;

pub use allocations::CountingAllocator;
pub use folder::TempFolder;
pub use work::thread_seconds;
