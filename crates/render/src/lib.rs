//! Pictures without a display: a software rasteriser, PNG, GIF and MP4 writers, and SVG plots.
//!
//! Everything runs on the CPU, so a picture needs no driver and no window. The rasteriser uses
//! only IEEE arithmetic and square roots (no library sines or powers) and a fixed order of work:
//! the same scene gives the same bytes on every machine and for any number of threads.
//!
//! ```
//! use pliant_render::{Camera, Settings, Surface, Vec3, render};
//!
//! let positions = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 1.0, 0.5)];
//! let triangle = Surface {
//!     positions: &positions,
//!     triangles: &[[0, 1, 2]],
//!     color: pliant_render::palette(0),
//!     vertex_colors: None,
//! };
//! let settings = Settings { width: 64, height: 48, ..Settings::default() };
//! let (low, high, direction) = (Vec3::ZERO, Vec3::new(1.0, 1.0, 0.5), Vec3::new(1.0, -2.0, 1.0));
//! let camera = Camera::fit(low, high, direction, 64.0 / 48.0);
//! let image = render(&[triangle], &camera, &settings);
//! assert_eq!(image.pixels.len(), 64 * 48 * 3);
//! ```
#![forbid(unsafe_code)]

mod camera;
mod color;
mod error;
mod font;
mod image;
mod legend;
mod math;
mod output;
mod over;
mod plot;
mod raster;

pub use camera::Camera;
pub use color::{color_map, map_scalars, palette};
pub use error::RenderError;
pub use glam::Vec3;
pub use image::Image;
pub use legend::Legend;
pub use output::{GifPalette, GifWriter, Mp4Writer, png_bytes, write_png};
pub use over::render_over;
pub use plot::{Axis, Mark, MarkDirection, Plot, Scale, Series, escape, panels};
pub use raster::{Light, MAX_IMAGE_SIDE, MAX_SUPERSAMPLE, Settings, Surface, render};
