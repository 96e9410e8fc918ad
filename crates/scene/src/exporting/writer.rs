//! What a format does with the frames of a run.

use super::color::Colors;
use crate::error::OutputError;
use crate::running::Run;
use std::fmt::Debug;

/// What a format does with the frames of a run.
pub(super) trait Writer: Debug {
    /// Takes in the present state as the next frame.
    fn frame(&mut self, run: &Run) -> Result<(), OutputError>;

    /// Completes the files. The notes say what the format could not hold.
    fn finish(&mut self, run: &Run, colors: &Colors) -> Result<Vec<String>, OutputError>;

    /// Removes what was needed only until the files were whole.
    fn clean_up(&mut self) {}
}
