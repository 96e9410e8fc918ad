//! An RGB image and the little drawing it needs for labels.

use crate::font::{self, CAPITAL, glyph};

/// An image, 8-bit sRGB, row by row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue of each pixel: `3 * width * height` bytes.
    pub pixels: Vec<u8>,
}

impl Image {
    /// An image of one colour.
    #[must_use]
    pub fn new(width: u32, height: u32, color: [u8; 3]) -> Self {
        Self { width, height, pixels: color.repeat(width as usize * height as usize) }
    }

    /// The colour of a pixel; `None` outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let i = self.offset(i64::from(x), i64::from(y))?;
        Some([self.pixels[i], self.pixels[i + 1], self.pixels[i + 2]])
    }

    /// Sets a pixel; outside nothing happens.
    pub fn set(&mut self, x: i64, y: i64, color: [u8; 3]) {
        if let Some(i) = self.offset(x, y) {
            self.pixels[i..i + 3].copy_from_slice(&color);
        }
    }

    /// Fills the rectangle with its corner at `(x, y)`; parts outside are cut off.
    pub fn fill(&mut self, x: i64, y: i64, width: u32, height: u32, color: [u8; 3]) {
        let clip = |v: i64, size: u32| v.clamp(0, i64::from(size));
        let (x1, y1) = (x.saturating_add(i64::from(width)), y.saturating_add(i64::from(height)));
        for j in clip(y, self.height)..clip(y1, self.height) {
            for i in clip(x, self.width)..clip(x1, self.width) {
                self.set(i, j, color);
            }
        }
    }

    /// Puts another image over this one, its corner at `(x, y)`; parts outside are cut off.
    pub fn paste(&mut self, x: i64, y: i64, image: &Image) {
        for j in 0..image.height {
            for i in 0..image.width {
                if let Some(color) = image.pixel(i, j) {
                    self.set(x.saturating_add(i64::from(i)), y.saturating_add(i64::from(j)), color);
                }
            }
        }
    }

    /// Mixes a rectangle with white, as a quiet ground for labels.
    pub(crate) fn lighten(&mut self, x: i64, y: i64, width: u32, height: u32) {
        let clip = |v: i64, size: u32| v.clamp(0, i64::from(size));
        for j in clip(y, self.height)..clip(y.saturating_add(i64::from(height)), self.height) {
            for i in clip(x, self.width)..clip(x.saturating_add(i64::from(width)), self.width) {
                if let Some(k) = self.offset(i, j) {
                    for channel in &mut self.pixels[k..k + 3] {
                        *channel = ((u16::from(*channel) + 4 * 255) / 5) as u8;
                    }
                }
            }
        }
    }

    /// Writes text with its top left corner at `(x, y)`, capitals `7 * scale` pixels high.
    ///
    /// Knows printable ASCII; anything else shows as a box. Parts outside are cut off.
    pub fn text(&mut self, x: i64, y: i64, text: &str, scale: u32, color: [u8; 3]) {
        let scale = scale.clamp(1, 64);
        let unit = 7.0 * scale as f32 / CAPITAL;
        let mut pen = 0.0;
        for letter in text.chars() {
            let shape = glyph(letter);
            let strokes: Vec<Vec<[f32; 2]>> = shape
                .strokes
                .iter()
                .map(|stroke| stroke.iter().map(|[a, b]| [unit * (pen + a), unit * b]).collect())
                .collect();
            self.strokes((x, y), &strokes, (0.5 * LINE * unit).max(0.55), color);
            pen += shape.advance;
        }
    }

    /// Draws polylines of this half width with soft edges; their points count from `(x, y)`.
    fn strokes(&mut self, (x, y): (i64, i64), strokes: &[Vec<[f32; 2]>], half: f32, color: [u8; 3]) {
        let points = || strokes.iter().flatten();
        let ends = |k: usize| {
            let (low, high) = points().fold((f32::MAX, f32::MIN), |(l, h), p| (l.min(p[k]), h.max(p[k])));
            ((low - half - 1.0) as i64 - 1, (high + half + 1.0) as i64 + 1)
        };
        if points().next().is_none() {
            return;
        }
        let ((left, right), (top, bottom)) = (ends(0), ends(1));
        for j in top..=bottom {
            for i in left..=right {
                let at = [i as f32 + 0.5, j as f32 + 0.5];
                let away = strokes.iter().map(|s| distance(s, at)).fold(f32::MAX, f32::min);
                let cover = (half + 0.5 - away).clamp(0.0, 1.0);
                let Some(k) = self.offset(x.saturating_add(i), y.saturating_add(j)) else { continue };
                for (channel, ink) in self.pixels[k..k + 3].iter_mut().zip(color) {
                    let mixed = f32::from(*channel) * (1.0 - cover) + f32::from(ink) * cover;
                    *channel = (mixed + 0.5) as u8;
                }
            }
        }
    }

    /// Width and height in pixels that [`text`](Self::text) takes.
    #[must_use]
    pub fn text_size(text: &str, scale: u32) -> (u32, u32) {
        let scale = scale.clamp(1, 64);
        let width = font::width(text) * 7.0 * scale as f32 / CAPITAL;
        (width.ceil() as u32, 7 * scale)
    }

    /// Whether the buffer has the length its size asks for, and is not empty.
    pub(crate) fn is_sound(&self) -> bool {
        self.width > 0
            && self.height > 0
            && self.pixels.len() as u64 == u64::from(self.width) * u64::from(self.height) * 3
    }

    fn offset(&self, x: i64, y: i64) -> Option<usize> {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return None;
        }
        let i = (y as usize * self.width as usize + x as usize) * 3;
        // A caller may have changed the buffer's length.
        (i + 3 <= self.pixels.len()).then_some(i)
    }
}

/// Width of the strokes of letters, in their units.
const LINE: f32 = 1.7;

/// Distance of a point from a polyline.
fn distance(line: &[[f32; 2]], [x, y]: [f32; 2]) -> f32 {
    let to_segment = |[a, b]: [[f32; 2]; 2]| {
        let (u, v, p, q) = (b[0] - a[0], b[1] - a[1], x - a[0], y - a[1]);
        let t = ((u * p + v * q) / (u * u + v * v).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        (p - t * u).hypot(q - t * v)
    };
    line.windows(2).map(|w| to_segment([w[0], w[1]])).fold(f32::MAX, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_draws_and_is_cut_at_the_border() {
        let mut image = Image::new(40, 12, [255; 3]);
        image.text(1, 1, "I", 1, [0; 3]);
        let ink: u32 = image.pixels.iter().step_by(3).map(|b| u32::from(255 - b)).sum();
        assert!((5 * 255..=14 * 255).contains(&ink), "{ink}");
        image.text(-3, -3, "outside \u{e9}", 3, [0; 3]);
        image.text(i64::MAX, i64::MIN, "far", 64, [0; 3]);
        assert_eq!(Image::text_size("ab", 2), (20, 14));
    }

    #[test]
    fn a_pasted_image_is_cut_at_the_border() {
        let mut image = Image::new(3, 2, [255; 3]);
        image.paste(2, 1, &Image::new(2, 2, [9, 8, 7]));
        assert_eq!((image.pixel(2, 1), image.pixel(1, 1)), (Some([9, 8, 7]), Some([255; 3])));
        image.paste(i64::MAX, -5, &Image::new(2, 2, [0; 3]));
        assert!(image.pixels.iter().all(|&b| b > 0));
    }

    #[test]
    fn pixels_outside_are_none() {
        let image = Image::new(2, 1, [1, 2, 3]);
        assert_eq!(image.pixel(1, 0), Some([1, 2, 3]));
        assert_eq!(image.pixel(2, 0), None);
    }
}
