//! The viewer in the browser.

use crate::errors::{PliantError, raise};
use pliant::World;
use pliant_scene::{Scene, Setup};
use pliant_viewer::{Options, Viewer as Server};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A running viewer: a page at `url`. It ends when it is closed, or with Python.
#[pyclass(frozen, module = "pliant", weakref)]
pub struct Viewer {
    server: Mutex<Option<Server>>,
    url: String,
}

impl Viewer {
    /// Shows a copy of a world from where it is.
    pub fn of_world(scene: &Scene, setup: Setup, world: World, port: u16, paused: bool) -> PyResult<Viewer> {
        let options = Options { port, paused, framed: true, ..Options::default() };
        let shown = Server::of_world(scene, setup, world, options);
        let server = shown.map_err(raise::<PliantError, _>)?;
        Ok(Viewer { url: server.url(), server: Mutex::new(Some(server)) })
    }
}

#[pymethods]
impl Viewer {
    /// Where the page is.
    #[getter]
    fn url(&self) -> String {
        self.url.clone()
    }

    /// Whether it still serves the page.
    #[getter]
    fn is_open(&self) -> bool {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Ends it.
    fn close(&self, py: Python) {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(server));
    }

    fn __repr__(&self) -> String {
        format!("<pliant.Viewer at {}>", self.url)
    }

    /// Shown inline in a notebook.
    fn _repr_html_(&self) -> String {
        format!("<iframe src=\"{}\" width=\"100%\" height=\"560\" style=\"border:0\"></iframe>", self.url)
    }
}
