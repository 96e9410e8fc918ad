//! What the tests of all crates share: an allocator that counts, temporary folders, and checks of the source tree itself.
//!
//! Only tests depend on this crate.

pub mod allocations;
pub mod folder;
pub mod source;

pub use allocations::CountingAllocator;
pub use folder::TempFolder;
