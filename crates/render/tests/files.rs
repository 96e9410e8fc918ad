//! Pictures and films written to disk and read back.

use pliant_render::{GifPalette, GifWriter, Image, Mp4Writer, RenderError, write_png};
use pliant_testkit::TempFolder;
use std::fs::File;
use std::io::BufReader;

/// A light ground with a coloured square whose place depends on the frame.
fn frame(k: i64) -> Image {
    let mut image = Image::new(33, 21, [240, 242, 245]);
    image.fill(2 + 4 * k, 3, 8, 9, [210, 60, 40]);
    image.fill(20, 14, 5, 5, [30, 90, 180]);
    image
}

fn close(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).all(|(x, y)| x.abs_diff(*y) <= 6)
}

#[test]
fn png_round_trip() {
    let scratch = TempFolder::new("png");
    let path = scratch.join("a.png");
    write_png(&path, &frame(1)).unwrap();
    let mut reader = png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (33, 21));
    assert_eq!(pixels, frame(1).pixels);
    assert_eq!(scratch.entries(), 1);
}

#[test]
fn png_refuses_unsound_images_and_missing_directories() {
    let scratch = TempFolder::new("png-bad");
    let path = scratch.join("a.png");
    for image in [Image::new(0, 4, [0; 3]), Image { width: 2, height: 2, pixels: vec![0; 5] }] {
        assert!(matches!(write_png(&path, &image), Err(RenderError::BadImage { .. })));
    }
    assert!(matches!(write_png(scratch.join("no/a.png"), &frame(0)), Err(RenderError::Io { .. })));
    // A directory in the way makes the last step fail; the temporary must not stay behind.
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(write_png(&path, &frame(0)), Err(RenderError::Io { .. })));
    assert_eq!(scratch.entries(), 1);
}

/// Plays a GIF, frame on frame.
fn play(path: &std::path::Path) -> (Vec<Vec<u8>>, Vec<u16>, gif::Repeat) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(BufReader::new(File::open(path).unwrap())).unwrap();
    let width = usize::from(decoder.width());
    let mut canvas = vec![0u8; width * usize::from(decoder.height()) * 3];
    let (mut frames, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (i, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let x = usize::from(frame.left) + i % usize::from(frame.width);
            let y = usize::from(frame.top) + i / usize::from(frame.width);
            if pixel[3] > 0 {
                canvas[(y * width + x) * 3..][..3].copy_from_slice(&pixel[..3]);
            }
        }
        frames.push(canvas.clone());
        delays.push(frame.delay);
    }
    (frames, delays, decoder.repeat())
}

#[test]
fn gif_round_trip() {
    let scratch = TempFolder::new("gif");
    for palette in [GifPalette::Shared, GifPalette::PerFrame] {
        let path = scratch.join("a.gif");
        let mut writer = GifWriter::new(&path, 33, 21, 30.0, palette).unwrap();
        // The third frame repeats the second.
        for k in [0, 1, 1, 3] {
            writer.frame(&frame(k)).unwrap();
        }
        assert!(!path.exists() || palette == GifPalette::PerFrame);
        writer.finish().unwrap();
        let (frames, delays, repeat) = play(&path);
        assert_eq!(frames.len(), 4);
        for (shown, k) in frames.iter().zip([0, 1, 1, 3]) {
            assert!(close(shown, &frame(k).pixels), "{palette:?} {k}");
        }
        assert_eq!(delays, [3, 4, 3, 3]);
        assert_eq!(repeat, gif::Repeat::Infinite);
        assert_eq!(scratch.entries(), 1);
    }
}

#[test]
fn gif_refuses_what_it_cannot_hold() {
    let scratch = TempFolder::new("gif-bad");
    let path = scratch.join("a.gif");
    let new = |w, h, fps| GifWriter::new(&path, w, h, fps, GifPalette::Shared);
    assert!(matches!(new(0, 4, 30.0), Err(RenderError::BadImage { .. })));
    assert!(matches!(new(70_000, 4, 30.0), Err(RenderError::BadImage { .. })));
    assert!(matches!(new(4, 4, f64::NAN), Err(RenderError::BadFrameRate { .. })));
    let mut writer = new(4, 4, 30.0).unwrap();
    assert!(matches!(writer.frame(&frame(0)), Err(RenderError::FrameSize { .. })));
    assert!(matches!(writer.finish(), Err(RenderError::NoFrames { .. })));
    drop(new(4, 4, 30.0).unwrap());
    assert_eq!(scratch.entries(), 0);
}

#[test]
fn mp4_is_written_where_ffmpeg_is_found() {
    let scratch = TempFolder::new("mp4");
    let path = scratch.join("a.mp4");
    let mut writer = match Mp4Writer::new(&path, 33, 21, 30.0) {
        Ok(writer) => writer,
        // Without ffmpeg there is one error, and no file.
        Err(error) => {
            assert!(matches!(error, RenderError::FfmpegMissing));
            assert_eq!(scratch.entries(), 0);
            return;
        }
    };
    for k in 0..4 {
        writer.frame(&frame(k)).unwrap();
    }
    writer.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[4..8], b"ftyp");
    assert_eq!(scratch.entries(), 1);
    std::fs::remove_file(&path).unwrap();
    drop(Mp4Writer::new(&path, 32, 32, 30.0).unwrap());
    let empty = Mp4Writer::new(&path, 32, 32, 30.0).unwrap().finish();
    assert!(matches!(empty, Err(RenderError::NoFrames { .. })));
    assert_eq!(scratch.entries(), 0);
}
