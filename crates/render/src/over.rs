//! Surfaces drawn over a finished picture, as if nothing stood before them.

use crate::raster::{Settings, Surface, render};
use crate::{Camera, Image};

/// Draws surfaces over an image of the size of `settings`, with an opacity from 0 to 1. There is no floor, and they
/// cast no shadows.
///
/// How much of a pixel they cover shows in the difference of two pictures of them, one before black and one before
/// white.
pub fn render_over(
    image: &mut Image,
    surfaces: &[Surface<'_>],
    camera: &Camera,
    settings: &Settings,
    opacity: f32,
) {
    if surfaces.iter().all(|s| s.triangles.is_empty()) {
        return;
    }
    let on = |level: f32| {
        let background = [[level; 3]; 2];
        let flat =
            Settings { background, floor: None, shadows: false, ambient_samples: 0, ..settings.clone() };
        render(surfaces, camera, &flat)
    };
    let (black, white) = (on(0.0), on(1.0));
    let opacity = opacity.clamp(0.0, 1.0);
    let drawn = black.pixels.chunks_exact(3).zip(white.pixels.chunks_exact(3));
    for (pixel, (b, w)) in image.pixels.chunks_exact_mut(3).zip(drawn) {
        let clear = (0..3).map(|k| f32::from(w[k]) - f32::from(b[k])).sum::<f32>() / (3.0 * 255.0);
        for k in 0..3 {
            let over = clear * f32::from(pixel[k]) + f32::from(b[k]);
            pixel[k] = ((1.0 - opacity) * f32::from(pixel[k]) + opacity * over).clamp(0.0, 255.0) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn what_is_behind_shines_through_as_much_as_asked_for() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let square = |z: f32| corners.map(|[x, y]| Vec3::new(x, y, z));
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let (front, behind) = (square(1.0), square(0.0));
        let surface =
            |positions, color| Surface { positions, triangles: &triangles, color, vertex_colors: None };
        let settings = Settings { width: 32, height: 32, ..Settings::default() };
        let camera = Camera::fit(Vec3::splat(-2.0), Vec3::splat(2.0), Vec3::Z, 1.0);
        let base = render(&[surface(&front, [1.0, 1.0, 1.0])], &camera, &settings);
        let red = |opacity| {
            let mut image = base.clone();
            render_over(&mut image, &[surface(&behind, [1.0, 0.0, 0.0])], &camera, &settings, opacity);
            image.pixel(16, 16).map(|p| i32::from(p[0]) - i32::from(p[2])).unwrap_or(0)
        };
        assert_eq!(red(0.0), base.pixel(16, 16).map(|p| i32::from(p[0]) - i32::from(p[2])).unwrap_or(0));
        assert!(red(1.0) > 150 && (60..150).contains(&red(0.5)), "{} {}", red(1.0), red(0.5));
        let mut image = base.clone();
        render_over(&mut image, &[], &camera, &settings, 1.0);
        assert_eq!(image, base);
    }
}
