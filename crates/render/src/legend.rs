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
        for (value, text) in ticks(f64::from(self.low), f64::from(self.high)) {
            let part = (value - f64::from(self.low)) / f64::from(self.high - self.low);
            let x = left + (f64::from(bar_width.saturating_sub(1)) * part).round() as i64;
            image.fill(x, top + i64::from(bar_height), scale.div_ceil(2), 3 * scale, INK);
            centered(image, x, top + i64::from(bar_height) + 5 * s, &text);
        }
    }
}

/// Round values between two others, three to six of them, with their texts.
fn ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let rough = (high - low) / 5.0;
    if !(rough > 0.0 && rough.is_finite()) {
        return Vec::new();
    }
    let decade = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().find(|s| *s >= 0.999 * rough);
    let step = step.unwrap_or(rough);
    let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
    let largest = low.abs().max(high.abs());
    let text = |x: f64| match (1e-3..1e5).contains(&largest) {
        true => format!("{x:.digits$}", digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize),
        false => format!("{x:e}"),
    };
    (first..=last.min(first + 10)).map(|k| k as f64 * step).map(|x| (x, text(x))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let texts = |low, high| ticks(low, high).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(0.0, 3610.0), ["0", "1000", "2000", "3000"]);
        assert_eq!(texts(0.0, 0.47), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(texts(-1.0, 1.0), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(texts(0.0, 2.1e6), ["0e0", "5e5", "1e6", "1.5e6", "2e6"]);
        assert!(texts(1.0, 1.0).is_empty() && texts(0.0, f64::NAN).is_empty());
    }

    #[test]
    fn the_bar_runs_from_blue_to_yellow() {
        let mut image = Image::new(320, 240, [255; 3]);
        Legend { label: "stress (Pa)".into(), low: 0.0, high: 1.0 }.draw(&mut image);
        let has = |c: [u8; 3]| {
            image.pixels.chunks_exact(3).any(|p| p.iter().zip(c).all(|(a, b)| a.abs_diff(b) < 6))
        };
        assert!(has([61, 91, 169]) && has([251, 230, 77]));
        Legend { label: String::new(), low: f32::NAN, high: 0.0 }.draw(&mut Image::new(3, 2, [0; 3]));
    }
}
