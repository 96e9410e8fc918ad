//! Writers of pictures and films. Each writes beside its target and renames at the end, so that a
//! failure leaves nothing half-written.

mod gif;
mod mp4;
mod pending;
mod png;
mod quantise;

pub use self::gif::{GifPalette, GifWriter};
pub use mp4::Mp4Writer;
pub use png::{png_bytes, write_png};

use crate::{Image, RenderError};

/// Refuses images whose buffer does not fit their size.
fn check(image: &Image) -> Result<(), RenderError> {
    if image.is_sound() {
        return Ok(());
    }
    let (width, height) = (image.width, image.height);
    Err(RenderError::BadImage { width, height, bytes: image.pixels.len() })
}

/// Refuses frames of another size than the film's.
fn check_frame(image: &Image, expected: (u32, u32)) -> Result<(), RenderError> {
    check(image)?;
    let found = (image.width, image.height);
    if found == expected { Ok(()) } else { Err(RenderError::FrameSize { expected, found }) }
}

/// Refuses rates that give no time between frames.
fn check_rate(fps: f64) -> Result<(), RenderError> {
    if fps.is_finite() && fps > 0.0 { Ok(()) } else { Err(RenderError::BadFrameRate { fps }) }
}
