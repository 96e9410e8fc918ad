//! glTF: one binary file with an animation. Bodies are meshes with a morph target for each frame, whose weights go from
//! one frame to the next; obstacles are nodes that move.
//!
//! Viewers hold the weights of a mesh in a few hundred registers, so that a long run is cut: each piece has a mesh of its
//! own that has no size outside of its time.

mod bin;
mod document;
mod pieces;

use super::files::{part_of, replace};
use super::film::Film;
use crate::error::OutputError;
use bin::Bin;
use document::Document;
use pieces::Part;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Largest size of all frames in bytes: of longer films only every n-th frame is kept. Browsers fail at about 2 GB, and
/// are slow long before.
const MOST_BYTES: u64 = 512 << 20;

/// Header of a file and headers of its two chunks.
const HEADERS: usize = 12 + 8 + 8;

/// Writes `scene.glb`; the note says which frames are left out, if any.
pub(super) fn write(film: &mut Film, folder: &Path) -> Result<Option<String>, OutputError> {
    let path = folder.join("scene.glb");
    let data = part_of(&folder.join("scene.bin"));
    let mut kept = kept_frames(film.times.len(), frame_bytes(film), MOST_BYTES);
    // Times are in single precision, and must ascend.
    kept.dedup_by_key(|frame| film.times[*frame] as f32);
    let written = compose(film, &kept, &data, &path);
    // Whatever happened before is more important.
    let _ = fs::remove_file(&data);
    written?;
    let (all, some) = (film.times.len(), kept.len());
    Ok((some < all).then(|| {
        format!(
            "gltf/scene.glb has {some} of {all} frames, so that it stays below {} MiB; viewers interpolate, usd and \
             npz have all",
            MOST_BYTES >> 20
        )
    }))
}

/// Puts the numbers of the kept frames into the file `data` and the whole into `path`.
fn compose(film: &mut Film, kept: &[usize], data: &Path, path: &Path) -> Result<(), OutputError> {
    let mut collect = || -> io::Result<(String, u64)> {
        let mut document = Document::new(Bin::create(data)?, film.run().setup().name.as_str());
        document.obstacles(film, kept)?;
        document.parts(film, kept)?;
        document.finish()
    };
    let (mut json, length) = collect().map_err(OutputError::io(data))?;
    // Both chunks are multiples of four bytes.
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let total = (HEADERS + json.len()) as u64 + length;
    let Ok(total) = u32::try_from(total) else {
        return Err(OutputError::TooLarge { path: path.to_path_buf(), bytes: total });
    };
    replace(path, |out| {
        out.write_all(b"glTF")?;
        out.write_all(&2u32.to_le_bytes())?;
        out.write_all(&total.to_le_bytes())?;
        // Parts of a total that fits.
        out.write_all(&(json.len() as u32).to_le_bytes())?;
        out.write_all(b"JSON")?;
        out.write_all(json.as_bytes())?;
        out.write_all(&(length as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        io::copy(&mut File::open(data)?, out)?;
        Ok(())
    })
}

/// Bytes of a frame: positions of all parts, and normals of the bodies.
fn frame_bytes(film: &Film) -> u64 {
    Part::all(film).iter().map(Part::frame_bytes).sum()
}

/// Every n-th of `count` frames and the last, such that all together have at most about `most` bytes.
fn kept_frames(count: usize, bytes: u64, most: u64) -> Vec<usize> {
    let stride = (count as u64 * bytes).div_ceil(most).max(1) as usize;
    let mut kept: Vec<usize> = (0..count).step_by(stride).collect();
    let last = count.saturating_sub(1);
    if kept.last().is_some_and(|&k| k != last) {
        kept.push(last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_bounded_and_the_last_frame_kept() {
        assert_eq!(kept_frames(5, 10, 1000), [0, 1, 2, 3, 4]);
        assert_eq!(kept_frames(8, 10, 40), [0, 2, 4, 6, 7]);
        assert_eq!(kept_frames(1, 10, 1), [0]);
        assert!(kept_frames(0, 10, 1).is_empty());
    }
}
