//! The key to a scalar field: a bar of colours with numbers under it.

use crate::color::color_map;
use crate::image::Image;

/// A colour bar for [`color_map`](crate::color_map()), drawn at the lower border of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// What the colours show, with its unit.
    pub label: String,
    /// Value at the left end of the bar.
    pub low: f32,
    /// Value at the right end of the bar.
    pub high: f32,
}

impl Legend {
    /// Draws the bar over the image, at the middle of its lower border; its size follows the image's.
    pub fn draw(&self, image: &mut Image) {
        const INK: [u8; 3] = [48, 54, 64];
        const TICKS: i64 = 5;
        let scale = (image.height / 270).clamp(1, 8);
        let s = i64::from(scale);
        let (bar_width, bar_height) = ((image.width as f32 * 0.36) as u32, 9 * scale);
        let left = i64::from(image.width - bar_width) / 2;
        let top = i64::from(image.height) - 34 * s;
        let centered = |image: &mut Image, middle: i64, y: i64, text: &str| {
            let width = i64::from(Image::text_size(text, scale).0);
            image.text(middle - width / 2, y, text, scale, INK);
        };
        image.lighten(left - 24 * s, top - 16 * s, bar_width + 48 * scale, 44 * scale);
        for column in 0..bar_width {
            let t = (column as f32 + 0.5) / bar_width as f32;
            let color = color_map(t).map(|c| (c * 255.0 + 0.5) as u8);
            image.fill(left + i64::from(column), top, 1, bar_height, color);
        }
        centered(image, left + i64::from(bar_width / 2), top - 11 * s, &self.label);
        for k in 0..TICKS {
            let x = left + i64::from(bar_width.saturating_sub(1)) * k / (TICKS - 1);
            image.fill(x, top + i64::from(bar_height), scale.div_ceil(2), 3 * scale, INK);
            let value = self.low + (self.high - self.low) * k as f32 / (TICKS - 1) as f32;
            centered(image, x, top + i64::from(bar_height) + 5 * s, &number(value));
        }
    }
}

/// A short decimal for the bar.
fn number(x: f32) -> String {
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-2..1e5).contains(&magnitude) {
        return format!("{x:.1e}");
    }
    let digits = [(100.0, 0), (10.0, 1), (1.0, 2)].iter().find(|d| magnitude >= d.0).map_or(3, |d| d.1);
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [(0.0, "0"), (0.25, "0.25"), (12.5, "12.5"), (300.0, "300"), (2e6, "2.0e6")] {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn the_bar_runs_from_violet_to_yellow() {
        let mut image = Image::new(320, 240, [255; 3]);
        Legend { label: "stress (Pa)".into(), low: 0.0, high: 1.0 }.draw(&mut image);
        let has = |c: [u8; 3]| {
            image.pixels.chunks_exact(3).any(|p| p.iter().zip(c).all(|(a, b)| a.abs_diff(b) < 6))
        };
        assert!(has([68, 1, 84]) && has([253, 231, 37]));
        Legend { label: String::new(), low: f32::NAN, high: 0.0 }.draw(&mut Image::new(3, 2, [0; 3]));
    }
}
