//! MP4 films through `ffmpeg`, which gets raw frames on its standard input.

use super::pending::Pending;
use super::{check_frame, check_rate};
use crate::{Image, RenderError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Writes an H.264 film that plays everywhere (yuv420p, even size, index at the front).
///
/// The file appears when [`Mp4Writer::finish`] is called; a writer dropped earlier leaves nothing.
pub struct Mp4Writer {
    child: Child,
    input: Option<ChildStdin>,
    pending: Option<Pending>,
    size: (u32, u32),
    frames: u64,
    /// One frame padded to an even size, reused.
    buffer: Vec<u8>,
}

impl Mp4Writer {
    /// Starts a film. Odd sizes grow by one pixel, as the format needs even ones.
    ///
    /// # Errors
    /// [`RenderError::FfmpegMissing`] when there is no `ffmpeg` on PATH: write a GIF instead.
    /// Also when the size is zero, the rate is not positive, or the file cannot be made.
    pub fn new(path: impl AsRef<Path>, width: u32, height: u32, fps: f64) -> Result<Self, RenderError> {
        check_rate(fps)?;
        let largest = crate::MAX_IMAGE_SIDE;
        if width == 0 || height == 0 || width > largest || height > largest {
            return Err(RenderError::BadImage { width, height, bytes: 0 });
        }
        let (pending, _) = Pending::create(path.as_ref())?;
        let mut child = Self::command("ffmpeg", &pending, even(width), even(height), fps)
            .spawn()
            .map_err(|e| spawn_error(&pending, e))?;
        let input = child.stdin.take();
        let size = (width, height);
        Ok(Self { child, input, pending: Some(pending), size, frames: 0, buffer: Vec::new() })
    }

    fn command(program: &str, pending: &Pending, width: u32, height: u32, fps: f64) -> Command {
        let mut command = Command::new(program);
        command
            .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo"])
            .args(["-pixel_format", "rgb24", "-video_size", &format!("{width}x{height}")])
            .args(["-framerate", &format!("{fps}"), "-i", "pipe:0"])
            .args(["-c:v", "libx264", "-preset", "medium", "-crf", "18", "-pix_fmt", "yuv420p"])
            .args(["-movflags", "+faststart", "-f", "mp4"])
            .arg(pending.temporary())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// When the frame's size is not the film's, or `ffmpeg` gave up.
    pub fn frame(&mut self, image: &Image) -> Result<(), RenderError> {
        check_frame(image, self.size)?;
        pad_to_even(image, &mut self.buffer);
        let sent = match &mut self.input {
            Some(input) => input.write_all(&self.buffer),
            None => Err(ErrorKind::BrokenPipe.into()),
        };
        if sent.is_err() {
            // The reason is in what ffmpeg printed, not in the broken pipe.
            self.input = None;
            return Err(RenderError::FfmpegFailed { message: self.last_words() });
        }
        self.frames += 1;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When there was no frame, `ffmpeg` failed, or the file cannot be moved to its place.
    pub fn finish(mut self) -> Result<(), RenderError> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        self.input = None;
        if self.frames == 0 {
            self.stop();
            return Err(RenderError::NoFrames { path: pending.target().to_owned() });
        }
        let message = self.last_words();
        let status = self.child.wait().map_err(|e| RenderError::io(pending.target(), e))?;
        if !status.success() {
            return Err(RenderError::FfmpegFailed { message: format!("{status}: {message}") });
        }
        pending.commit()
    }

    /// What ffmpeg printed; waits until it closes its error stream, that is, until it ends.
    fn last_words(&mut self) -> String {
        let mut text = Vec::new();
        if let Some(mut errors) = self.child.stderr.take() {
            // Half a message is better than none.
            let _ = errors.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    }

    fn stop(&mut self) {
        // It may have ended by itself; either way it must be reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Mp4Writer {
    fn drop(&mut self) {
        if self.pending.is_some() {
            self.input = None;
            self.stop();
        }
    }
}

fn spawn_error(pending: &Pending, error: std::io::Error) -> RenderError {
    if error.kind() == ErrorKind::NotFound {
        RenderError::FfmpegMissing
    } else {
        RenderError::io(pending.target(), error)
    }
}

fn even(n: u32) -> u32 {
    n + n % 2
}

/// Copies the image, its last column and row doubled where the size is odd.
fn pad_to_even(image: &Image, out: &mut Vec<u8>) {
    out.clear();
    let row_bytes = image.width as usize * 3;
    let rows = image.pixels.chunks_exact(row_bytes);
    let last = image.pixels.len() - row_bytes;
    let extra = (image.height % 2 == 1).then(|| &image.pixels[last..]);
    for row in rows.chain(extra) {
        out.extend_from_slice(row);
        if image.width % 2 == 1 {
            out.extend_from_slice(&row[row_bytes - 3..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_sizes_are_padded() {
        let mut image = Image::new(3, 1, [1; 3]);
        image.set(2, 0, [9; 3]);
        let mut out = Vec::new();
        pad_to_even(&image, &mut out);
        assert_eq!(out.len(), 4 * 2 * 3);
        assert_eq!(out[9..12], [9; 3]);
        assert_eq!(out[12..15], [1; 3]);
    }

    #[test]
    fn a_missing_program_has_its_own_error() {
        let target = std::env::temp_dir().join("pliant-render-missing.mp4");
        let (pending, _) = Pending::create(&target).unwrap();
        let error = Mp4Writer::command("pliant-no-such-program", &pending, 2, 2, 30.0).spawn().unwrap_err();
        assert!(matches!(spawn_error(&pending, error), RenderError::FfmpegMissing));
    }
}
