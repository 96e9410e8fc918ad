//! Points over time, as all that read animations make them.

use crate::error::ReadError;
use pliant_mesh::DVec3;

/// Where the points of a mesh are over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// When, s, ascending.
    pub times: Vec<f64>,
    /// Where, at each of the times. All have the same number of points.
    pub frames: Vec<Vec<DVec3>>,
    /// Corners of the triangles of its surface; none if the file has points only.
    pub triangles: Vec<[u32; 3]>,
}

/// Most numbers of an animation: 4 GB.
const MOST: usize = 500_000_000;

/// Refuses animations that no memory would hold.
pub(crate) fn check_size(frames: usize, points: usize) -> Result<(), ReadError> {
    match frames.checked_mul(points) {
        Some(count) if count <= MOST / 3 => Ok(()),
        _ => Err(ReadError::TooLarge),
    }
}

/// Times from 0 to `end`, so many per second, and `end` itself.
pub(crate) fn sample_times(end: f64, per_second: f64) -> Result<Vec<f64>, ReadError> {
    let whole = (end * per_second).floor();
    if !(0.0..1e7).contains(&whole) {
        return Err(ReadError::TooLarge);
    }
    let mut times: Vec<f64> = (0..=whole as usize).map(|k| k as f64 / per_second).collect();
    if times.last().is_none_or(|&last| end - last > 1e-9 * end) {
        times.push(end);
    }
    Ok(times)
}
