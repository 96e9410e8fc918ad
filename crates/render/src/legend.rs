//! The key to a scalar field: a bar of colours with numbers beside it.

use crate::color::color_map;
use crate::image::Image;

/// A colour bar for [`color_map`](crate::color_map()), drawn at the right border of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// What the colours show, with its unit.
    pub label: String,
    /// Value at the bottom of the bar.
    pub low: f32,
    /// Value at the top of the bar.
    pub high: f32,
}

impl Legend {
    /// Draws the bar over the image; its size follows the image's.
    pub fn draw(&self, image: &mut Image) {
        const INK: [u8; 3] = [48, 54, 64];
        const TICKS: i64 = 5;
        let scale = (image.height / 270).clamp(1, 8);
        let s = i64::from(scale);
        let numbers: Vec<String> = (0..TICKS)
            .map(|k| number(self.low + (self.high - self.low) * k as f32 / (TICKS - 1) as f32))
            .collect();
        let widest = numbers.iter().map(|n| Image::text_size(n, scale).0).max().unwrap_or(0);
        let bar_width = 10 * scale;
        let bar_height = image.height / 2;
        let right = i64::from(image.width) - 12 * s;
        let left = right - i64::from(widest) - 7 * s - i64::from(bar_width);
        let top = i64::from(image.height / 4);
        for row in 0..bar_height {
            let t = 1.0 - (row as f32 + 0.5) / bar_height as f32;
            let color = color_map(t).map(|c| (c * 255.0 + 0.5) as u8);
            image.fill(left, top + i64::from(row), bar_width, 1, color);
        }
        for (k, text) in numbers.iter().enumerate() {
            let y = top + i64::from(bar_height.saturating_sub(1)) * (TICKS - 1 - k as i64) / (TICKS - 1);
            image.fill(left + i64::from(bar_width), y, 3 * scale, scale.div_ceil(2), INK);
            image.text(left + i64::from(bar_width) + 6 * s, y - 3 * s, text, scale, INK);
        }
        let label_width = i64::from(Image::text_size(&self.label, scale).0);
        image.text((right - label_width).max(s), top - 16 * s, &self.label, scale, INK);
    }
}

/// A short decimal for the bar.
fn number(x: f32) -> String {
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-2..1e5).contains(&magnitude) {
        return format!("{x:.1e}");
    }
    let text = format!(
        "{x:.*}",
        if magnitude >= 100.0 {
            0
        } else if magnitude >= 10.0 {
            1
        } else {
            2
        }
    );
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
