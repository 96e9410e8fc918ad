//! Animated GIF files, frame by frame.

use super::pending::Pending;
use super::quantise::Quantiser;
use super::{check_frame, check_rate};
use crate::{Image, RenderError};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Index that shows the frame before; the palettes have one colour less than 256 for it.
const TRANSPARENT: u8 = 255;
const COLORS: usize = 255;
/// Frames that wait for a shared palette made from all of them.
const POOL: usize = 24;

/// Which colours a GIF's frames use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GifPalette {
    /// Every frame has its own: the best colours, for 768 bytes a frame.
    #[default]
    PerFrame,
    /// All frames use the colours of the first 24: for films whose colours stay the same.
    Shared,
}

/// Writes a GIF that repeats forever. Only what changed since the frame before is stored.
///
/// The file appears when [`GifWriter::finish`] is called; a writer dropped earlier leaves nothing.
pub struct GifWriter {
    // Before `pending`, so that the file is closed when the temporary is removed.
    encoder: gif::Encoder<BufWriter<File>>,
    pending: Pending,
    size: (u32, u32),
    palette: GifPalette,
    quantiser: Option<Quantiser>,
    waiting: Vec<Image>,
    previous: Option<Image>,
    fps: f64,
    /// Frames taken, and hundredths of a second given to them.
    frames: u64,
    centiseconds: u64,
}

impl GifWriter {
    /// Starts a film. GIF counts in hundredths of a second; the delays alternate so that the mean
    /// rate is right, up to 50 frames per second, above which viewers slow down.
    ///
    /// # Errors
    /// When the size is zero or above 65535, the rate is not positive, or the file cannot be made.
    pub fn new(
        path: impl AsRef<Path>,
        width: u32,
        height: u32,
        fps: f64,
        palette: GifPalette,
    ) -> Result<Self, RenderError> {
        check_rate(fps)?;
        let bad = RenderError::BadImage { width, height, bytes: 0 };
        let (Ok(w), Ok(h)) = (u16::try_from(width), u16::try_from(height)) else { return Err(bad) };
        if w == 0 || h == 0 {
            return Err(bad);
        }
        let (pending, file) = Pending::create(path.as_ref())?;
        let failed = |source| RenderError::Gif { path: path.as_ref().to_owned(), source };
        let mut encoder = gif::Encoder::new(BufWriter::new(file), w, h, &[]).map_err(failed)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
        Ok(Self {
            encoder,
            pending,
            size: (width, height),
            palette,
            quantiser: None,
            waiting: Vec::new(),
            previous: None,
            fps: fps.min(50.0),
            frames: 0,
            centiseconds: 0,
        })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// When the frame's size is not the film's, or the file cannot be written.
    pub fn frame(&mut self, image: &Image) -> Result<(), RenderError> {
        check_frame(image, self.size)?;
        if self.palette == GifPalette::PerFrame {
            self.quantiser = Some(Quantiser::new(std::slice::from_ref(image), COLORS));
        } else if self.quantiser.is_none() {
            self.waiting.push(image.clone());
            return if self.waiting.len() == POOL { self.flush() } else { Ok(()) };
        }
        self.write(image)
    }

    /// Makes the shared palette and writes the frames that waited for it.
    fn flush(&mut self) -> Result<(), RenderError> {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.quantiser = Some(Quantiser::new(&waiting, COLORS));
        }
        waiting.iter().try_for_each(|image| self.write(image))
    }

    fn write(&mut self, image: &Image) -> Result<(), RenderError> {
        let delay = self.next_delay();
        let frame = self.encode(image, delay);
        let target = self.pending.target().to_owned();
        self.encoder.write_frame(&frame).map_err(|source| RenderError::Gif { path: target, source })?;
        self.previous = Some(image.clone());
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When there was no frame, or the file cannot be written.
    pub fn finish(mut self) -> Result<(), RenderError> {
        self.flush()?;
        let Self { encoder, pending, frames, .. } = self;
        if frames == 0 {
            return Err(RenderError::NoFrames { path: pending.target().to_owned() });
        }
        let mut buffered = encoder
            .into_inner()
            .map_err(|source| RenderError::Gif { path: pending.target().to_owned(), source })?;
        buffered.flush().map_err(|e| RenderError::io(pending.target(), e))?;
        drop(buffered);
        pending.commit()
    }

    fn next_delay(&mut self) -> u16 {
        self.frames += 1;
        let end = (self.frames as f64 * 100.0 / self.fps).round() as u64;
        let delay = end.saturating_sub(self.centiseconds).clamp(1, u64::from(u16::MAX));
        self.centiseconds += delay;
        delay as u16
    }

    fn encode(&mut self, image: &Image, delay: u16) -> gif::Frame<'static> {
        let area = Area::changed(image, self.previous.as_ref());
        let mut indices = Vec::with_capacity(area.width * area.height);
        let mut colors = Vec::new();
        if let Some(quantiser) = &mut self.quantiser {
            for y in area.y..area.y + area.height {
                for x in area.x..area.x + area.width {
                    let color = color_at(image, x, y);
                    let same = self.previous.as_ref().is_some_and(|p| color_at(p, x, y) == color);
                    indices.push(if same { TRANSPARENT } else { quantiser.index(color, x, y) });
                }
            }
            colors = quantiser.palette.concat();
        }
        // The transparent index must exist in the table.
        colors.resize(256 * 3, 0);
        gif::Frame {
            delay,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            left: area.x as u16,
            top: area.y as u16,
            width: area.width as u16,
            height: area.height as u16,
            palette: Some(colors),
            buffer: Cow::Owned(indices),
            ..gif::Frame::default()
        }
    }
}

fn color_at(image: &Image, x: usize, y: usize) -> [u8; 3] {
    let i = (y * image.width as usize + x) * 3;
    [image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]]
}

/// The part of a frame that is stored.
struct Area {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Area {
    /// The smallest rectangle with all changed pixels; one pixel when none changed, as a frame
    /// must have some.
    fn changed(image: &Image, previous: Option<&Image>) -> Self {
        let (width, height) = (image.width as usize, image.height as usize);
        let Some(previous) = previous else { return Self { x: 0, y: 0, width, height } };
        let (mut x0, mut y0, mut x1, mut y1) = (width, height, 0, 0);
        for y in 0..height {
            for x in 0..width {
                if color_at(image, x, y) != color_at(previous, x, y) {
                    (x0, y0) = (x0.min(x), y0.min(y));
                    (x1, y1) = (x1.max(x + 1), y1.max(y + 1));
                }
            }
        }
        if x0 >= x1 {
            return Self { x: 0, y: 0, width: 1, height: 1 };
        }
        Self { x: x0, y: y0, width: x1 - x0, height: y1 - y0 }
    }
}
