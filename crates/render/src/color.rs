//! Colours: sRGB against linear light, the palette of bodies, the map of scalar fields.
//!
//! Callers give colours in sRGB, 0 to 1 (what a colour picker shows); light adds up in linear RGB.

use crate::math::fifth_root;
use glam::Vec3;
use std::sync::LazyLock;

/// Entries of the encoding table; fine enough that the darkest steps of 8-bit sRGB differ.
const ENCODE_STEPS: usize = 1 << 14;

static ENCODE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut level = 0u8;
    (0..=ENCODE_STEPS)
        .map(|i| {
            let value = i as f64 / ENCODE_STEPS as f64;
            while level < 255 && decode((f64::from(level) + 0.5) / 255.0) <= value {
                level += 1;
            }
            level
        })
        .collect()
});

/// sRGB to linear, one channel: x^2.4 = x^2 (x^2)^(1/5), which needs no library power.
fn decode(s: f64) -> f64 {
    if s <= 0.04045 {
        return (s / 12.92).max(0.0);
    }
    let x = ((s + 0.055) / 1.055).min(1.0);
    x * x * fifth_root(x * x)
}

/// sRGB colour in 0..=1 to linear light; non-finite channels count as zero.
pub(crate) fn to_linear(srgb: [f32; 3]) -> Vec3 {
    Vec3::from_array(srgb)
        .map(|c| if c.is_finite() { decode(f64::from(c.clamp(0.0, 1.0))) as f32 } else { 0.0 })
}

/// Linear light to an 8-bit sRGB pixel, clipped.
pub(crate) fn to_srgb8(linear: Vec3) -> [u8; 3] {
    linear.to_array().map(|c| ENCODE[(c.clamp(0.0, 1.0) * ENCODE_STEPS as f32 + 0.5) as usize])
}

/// Colour of the `index`-th body (sRGB, 0 to 1): eight calm hues, then again from the first.
#[must_use]
pub fn palette(index: usize) -> [f32; 3] {
    const HUES: [[u8; 3]; 8] = [
        [226, 109, 79],  // coral
        [58, 134, 182],  // blue
        [236, 176, 66],  // amber
        [73, 158, 132],  // sea green
        [150, 111, 178], // violet
        [214, 121, 158], // rose
        [128, 163, 74],  // olive
        [110, 126, 148], // slate
    ];
    HUES[index % HUES.len()].map(|c| f32::from(c) / 255.0)
}

/// Colour (sRGB, 0 to 1) of a scalar: 0 is blue, 0.5 sea green, 1 yellow; clamped outside.
///
/// Lightness grows evenly, so that the map also reads in grey and with colour-blind eyes. Its dark end is no black: shade must still
/// be seen on it.
/// A scalar that is not a number is grey.
#[must_use]
pub fn color_map(t: f32) -> [f32; 3] {
    const STOPS: [[u8; 3]; 9] = [
        [61, 91, 169],
        [58, 118, 184],
        [47, 144, 189],
        [42, 167, 179],
        [59, 187, 155],
        [103, 203, 128],
        [156, 215, 103],
        [207, 224, 82],
        [251, 230, 77],
    ];
    if t.is_nan() {
        return [0.5; 3];
    }
    let x = t.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let i = (x as usize).min(STOPS.len() - 2);
    let stop = |k: usize| Vec3::from_array(STOPS[k].map(|c| f32::from(c) / 255.0));
    let (below, above) = (stop(i), stop(i + 1));
    (below + (x - i as f32) * (above - below)).to_array()
}

/// Colours of many scalars with `low` at the bottom of [`color_map`] and `high` at its top.
#[must_use]
pub fn map_scalars(values: &[f32], low: f32, high: f32) -> Vec<[f32; 3]> {
    let span = if high > low { high - low } else { 1.0 };
    values.iter().map(|v| color_map((v - low) / span)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_survives_the_round_trip() {
        for level in 0..=255u8 {
            let linear = to_linear([f32::from(level) / 255.0; 3]);
            assert_eq!(to_srgb8(linear), [level; 3]);
        }
        assert_eq!(to_srgb8(Vec3::new(-1.0, 2.0, f32::NAN)), [0, 255, 0]);
    }

    #[test]
    fn the_map_gets_lighter() {
        let light = |c: [f32; 3]| to_linear(c).dot(Vec3::new(0.21, 0.72, 0.07));
        for i in 0..64 {
            let (a, b) = (i as f32 / 64.0, (i + 1) as f32 / 64.0);
            assert!(light(color_map(b)) > light(color_map(a)));
        }
        assert_eq!(color_map(-3.0), color_map(0.0));
        assert_eq!(color_map(f32::NAN), [0.5; 3]);
        assert_eq!(map_scalars(&[2.0, 4.0], 2.0, 4.0), vec![color_map(0.0), color_map(1.0)]);
    }
}
