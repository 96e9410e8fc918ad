//! Pliant for Python: what the package `pliant` is built on. Its pure part is in `python/pliant`.
//!
//! Classes here hold one thing of the engine each. A world that is being stepped is locked, not waited for: whoever comes
//! meanwhile gets an exception. Nothing waits for a lock while it holds the interpreter.
#![forbid(unsafe_code)]

mod arrays;
mod batch;
mod errors;
mod mesh;
mod names;
mod scene;
mod threads;
mod viewer;
mod world;

/// The native part of `pliant`.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::scene::NativeScene;
    #[pymodule_export]
    use crate::viewer::Viewer;
    #[pymodule_export]
    use crate::world::{Contacts, Hold, World};

    #[pymodule_export]
    use crate::scene::{formats, scenes, schema, solvers};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
