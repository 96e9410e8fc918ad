//! PNG files.

use super::{check, pending::Pending};
use crate::{Image, RenderError};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes an image as PNG (8-bit sRGB).
///
/// # Errors
/// When the image is empty or its buffer has the wrong length, or the file cannot be written.
pub fn write_png(path: impl AsRef<Path>, image: &Image) -> Result<(), RenderError> {
    let path = path.as_ref();
    check(image)?;
    let (pending, file) = Pending::create(path)?;
    let mut buffered = BufWriter::new(file);
    encode(&mut buffered, image).map_err(|source| RenderError::Png { path: path.to_owned(), source })?;
    buffered.flush().map_err(|e| RenderError::io(path, e))?;
    drop(buffered);
    pending.commit()
}

/// The bytes of a PNG file, for pictures within other files.
///
/// # Errors
/// When the image is empty or its buffer has the wrong length.
pub fn png_bytes(image: &Image) -> Result<Vec<u8>, RenderError> {
    check(image)?;
    let mut bytes = Vec::new();
    encode(&mut bytes, image).map_err(|source| RenderError::Png { path: "picture".into(), source })?;
    Ok(bytes)
}

fn encode(out: &mut impl Write, image: &Image) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(out, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&image.pixels)?;
    writer.finish()
}
