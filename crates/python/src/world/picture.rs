//! Pictures of a world.

use super::World;
use crate::arrays::shaped;
use crate::errors::value_error;
use crate::threads::within;
use numpy::PyArray3;
use pliant_output::{Field, Mark, Overlays, PictureOptions, picture};
use pyo3::prelude::*;

/// Largest side of a picture in pixels.
const MOST_PIXELS: u32 = 8192;

#[pymethods]
impl World {
    /// A picture: an array of red, green, blue from 0 to 255, shape (height, width, 3).
    ///
    /// `field` colours the bodies by "stress" or "strain"; `marks` are any of "contacts", "forces", "pins", "rest" and
    /// "wireframe"; `eye` and `target` are where the picture is taken from and what is in its middle, m.
    #[pyo3(signature = (width=960, height=720, *, field=None, marks=Vec::new(), eye=None, target=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the arguments of a method in Python")]
    fn render<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
        field: Option<&str>,
        marks: Vec<String>,
        eye: Option<&Bound<PyAny>>,
        target: Option<&Bound<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        if !(1..=MOST_PIXELS).contains(&width) || !(1..=MOST_PIXELS).contains(&height) {
            let cause = format!("{width} x {height} pixels");
            return Err(value_error("render", cause, "give sides from 1 to 8192"));
        }
        let eye_and_target = match (eye, target) {
            (None, None) => None,
            (Some(eye), Some(target)) => {
                let place = |given, what| crate::arrays::vector(given, what).map(|v| v.to_array());
                Some([place(eye, "eye")?, place(target, "target")?])
            }
            _ => return Err(value_error("render", "an eye without a target, or the other way", "give both")),
        };
        let overlays = Overlays {
            field: field.map(named_field).transpose()?,
            marks: named_marks(&marks)?,
            ..Default::default()
        };
        let options = PictureOptions { size: (width, height), overlays, eye_and_target };
        let held = self.hold()?;
        let simulated = &held.get()?.simulated;
        let pool = self.pool();
        let image =
            py.detach(|| within(pool, || picture::of_world(simulated.setup(), simulated.world(), &options)));
        shaped(py, image.pixels, [image.height as usize, image.width as usize, 3])
    }
}

fn named_field(name: &str) -> PyResult<Field> {
    let known = Field::ALL.map(Field::name);
    let found = Field::ALL.into_iter().find(|f| f.name() == name);
    found.ok_or_else(|| unknown("field", name, &known))
}

fn named_marks(names: &[String]) -> PyResult<Vec<Mark>> {
    let known = Mark::ALL.map(Mark::name);
    let find = |name: &String| {
        Mark::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| unknown("marks", name, &known))
    };
    names.iter().map(find).collect()
}

fn unknown(what: &str, name: &str, known: &[&str]) -> PyErr {
    value_error(what, format!("unknown word `{name}`"), &pliant_scene::suggest(name, known, what))
}
