//! Draws a small gallery into the directory given as argument: a twisted bar, a draped cloth, a
//! scalar field with its legend, a short film and two plots.

use pliant_render::{
    Axis, Camera, GifPalette, GifWriter, Image, Legend, Mark, Mp4Writer, Plot, RenderError, Series, Settings,
    Surface, Vec3, map_scalars, palette, panels, render, write_png,
};
use std::path::Path;

/// Height of the bar's axis above the floor.
const HEIGHT: f32 = 0.95;

/// Height of the covered ball's centre.
const BALL_HEIGHT: f32 = 1.15;

/// A triangle surface with its own memory.
struct Solid {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Solid {
    fn surface(&self, color: [f32; 3]) -> Surface<'_> {
        Surface { positions: &self.positions, triangles: &self.triangles, color, vertex_colors: None }
    }

    fn bounds(&self) -> (Vec3, Vec3) {
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        self.positions.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
    }
}

/// A square prism along X, turned about its axis by `turn` radians from one end to the other.
fn twisted_bar(turn: f32) -> Solid {
    const LENGTH: usize = 64;
    const SIDE: usize = 8;
    let mut shape = Solid { positions: Vec::new(), triangles: Vec::new() };
    let half = 0.5f32;
    // Outline of the section, one point per step around it.
    let ring: Vec<[f32; 2]> = (0..4 * SIDE)
        .map(|k| {
            let t = (k % SIDE) as f32 / SIDE as f32 * 2.0 * half - half;
            [[t, -half], [half, t], [-t, half], [-half, -t]][k / SIDE]
        })
        .collect();
    let point = |i: usize, [y, z]: [f32; 2]| {
        let t = i as f32 / LENGTH as f32;
        let (s, c) = (turn * (t * t * (3.0 - 2.0 * t))).sin_cos();
        // Twisting draws the corners in a little.
        let waist = 1.0 - 0.14 * (std::f32::consts::PI * t).sin();
        Vec3::new((t - 0.5) * 5.0, waist * (c * y - s * z), waist * (s * y + c * z) + HEIGHT)
    };
    for i in 0..=LENGTH {
        shape.positions.extend(ring.iter().map(|p| point(i, *p)));
    }
    let n = ring.len() as u32;
    for i in 0..LENGTH as u32 {
        for k in 0..n {
            let (a, b) = (i * n + k, i * n + (k + 1) % n);
            shape.triangles.extend([[a, a + n, b], [b, a + n, b + n]]);
        }
    }
    cap(&mut shape, SIDE, |q| point(0, q), true);
    cap(&mut shape, SIDE, |q| point(LENGTH, q), false);
    shape
}

/// Closes an end of the bar with a grid of its own vertices.
fn cap(shape: &mut Solid, side: usize, point: impl Fn([f32; 2]) -> Vec3, flip: bool) {
    let base = shape.positions.len() as u32;
    let at = |k: usize| k as f32 / side as f32 - 0.5;
    for j in 0..=side {
        shape.positions.extend((0..=side).map(|i| point([at(i), at(j)])));
    }
    grid_triangles(shape, base, side, flip);
}

fn grid_triangles(shape: &mut Solid, base: u32, side: usize, flip: bool) {
    let n = side as u32 + 1;
    for j in 0..side as u32 {
        for i in 0..side as u32 {
            let a = base + j * n + i;
            let mut pair = [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]];
            if flip {
                pair = pair.map(|[a, b, c]| [a, c, b]);
            }
            shape.triangles.extend(pair);
        }
    }
}

/// A square cloth that lies on a ball and hangs down its sides in folds.
fn draped_cloth() -> Solid {
    const SIDE: usize = 96;
    const SPAN: f32 = 4.5;
    let mut shape = Solid { positions: Vec::new(), triangles: Vec::new() };
    let (radius, center, rim) = (1.02f32, BALL_HEIGHT, 1.48f32);
    for j in 0..=SIDE {
        for i in 0..=SIDE {
            let at = |k: usize| (k as f32 / SIDE as f32 - 0.5) * SPAN;
            let (s, angle) = ((at(i).powi(2) + at(j).powi(2)).sqrt(), at(j).atan2(at(i)));
            let on = s.min(rim * radius) / radius;
            let hang = (s - rim * radius).max(0.0);
            let depth = hang * hang / (hang * hang + 0.35);
            // Folds only push outwards: the ball is inside.
            let fold = 0.5 + 0.5 * (8.0 * angle + 0.6 + 0.4 * (3.0 * angle).sin()).cos();
            let r = radius * on.sin() + 0.10 * depth + depth * 0.42 * fold;
            let z = center + radius * on.cos() - hang * (0.95 - 0.12 * fold);
            shape.positions.push(Vec3::new(r * angle.cos(), r * angle.sin(), z.max(0.012)));
        }
    }
    grid_triangles(&mut shape, 0, SIDE, false);
    shape
}

/// A ball of latitudes and longitudes.
fn ball(center: Vec3, radius: f32) -> Solid {
    const ROWS: usize = 24;
    let mut shape = Solid { positions: Vec::new(), triangles: Vec::new() };
    let columns = 2 * ROWS;
    for j in 0..=ROWS {
        let (s, c) = (std::f32::consts::PI * j as f32 / ROWS as f32).sin_cos();
        for i in 0..columns {
            let (sa, ca) = (std::f32::consts::TAU * i as f32 / columns as f32).sin_cos();
            shape.positions.push(center + Vec3::new(radius * s * ca, radius * s * sa, radius * c));
        }
    }
    for j in 0..ROWS as u32 {
        for i in 0..columns as u32 {
            let (a, b) = (j * columns as u32 + i, j * columns as u32 + (i + 1) % columns as u32);
            let n = columns as u32;
            shape.triangles.extend([[a, a + n, b], [b, a + n, b + n]]);
        }
    }
    shape
}

fn bar_camera(shape: &Solid) -> Camera {
    let (mut low, high) = shape.bounds();
    low.z = 0.0;
    Camera::fit(low, high, Vec3::new(0.55, -1.0, 0.42), 16.0 / 9.0)
}

fn bar(wireframe: bool) -> Image {
    let shape = twisted_bar(std::f32::consts::PI * 1.15);
    let settings = Settings { floor: Some(0.0), wireframe, ..Settings::default() };
    render(&[shape.surface(palette(0))], &bar_camera(&shape), &settings)
}

fn field() -> Image {
    let shape = twisted_bar(std::f32::consts::PI);
    let values: Vec<f32> =
        shape.positions.iter().map(|p| (p.y * p.y + (p.z - HEIGHT).powi(2)).sqrt()).collect();
    let colors = map_scalars(&values, 0.0, 0.7);
    let surface = Surface { vertex_colors: Some(&colors), ..shape.surface([1.0; 3]) };
    let settings = Settings { floor: Some(0.0), ..Settings::default() };
    let mut image = render(&[surface], &bar_camera(&shape), &settings);
    Legend { label: "distance from axis (m)".into(), low: 0.0, high: 0.7 }.draw(&mut image);
    image
}

fn cloth(wireframe: bool) -> Image {
    let (cloth, ball) = (draped_cloth(), ball(BALL_HEIGHT * Vec3::Z, 1.0));
    let small = self::ball(Vec3::new(1.75, -0.75, 0.36), 0.36);
    let surfaces = [cloth.surface(palette(1)), ball.surface(palette(7)), small.surface(palette(2))];
    let (low, high) = (Vec3::new(-1.5, -1.0, 0.0), Vec3::new(2.0, 1.0, 2.2));
    let camera = Camera::fit(low, high, Vec3::new(0.3, -1.0, 0.38), 16.0 / 9.0);
    let settings = Settings { floor: Some(0.0), wireframe, ..Settings::default() };
    render(&surfaces, &camera, &settings)
}

fn film(directory: &Path) -> Result<(), RenderError> {
    let camera = bar_camera(&twisted_bar(1.0));
    let (width, height) = (480, 270);
    let settings = Settings {
        floor: Some(0.0),
        width,
        height,
        supersample: 2,
        ambient_samples: 16,
        ..Settings::default()
    };
    let frames: Vec<Image> = (0..20)
        .map(|k| {
            let shape = twisted_bar(3.0 * (k as f32 / 20.0 * std::f32::consts::TAU).sin());
            render(&[shape.surface(palette(3))], &camera, &settings)
        })
        .collect();
    let mut gif = GifWriter::new(directory.join("bar.gif"), width, height, 20.0, GifPalette::PerFrame)?;
    for frame in &frames {
        gif.frame(frame)?;
    }
    gif.finish()?;
    match Mp4Writer::new(directory.join("bar.mp4"), width, height, 20.0) {
        Ok(mut mp4) => {
            for frame in &frames {
                mp4.frame(frame)?;
            }
            mp4.finish()
        }
        Err(error @ RenderError::FfmpegMissing) => {
            println!("no MP4: {error}");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn plots() -> String {
    let decay = |rate: f64| (0..200).map(|k| (f64::from(k), 2.0 * (-rate * f64::from(k)).exp())).collect();
    let residuals = Plot {
        title: "Convergence of one step".into(),
        x: Axis::linear("iteration"),
        y: Axis::log("relative residual"),
        series: vec![
            Series::new("gradient", decay(0.02)),
            Series::new("conjugate", decay(0.08)),
            Series::new("preconditioned", decay(0.16)),
        ],
        ..Plot::default()
    };
    let cost = |a: f64, p: f64| {
        [300.0, 1e3, 3e3, 1e4, 3e4, 1e5].iter().map(|&n: &f64| (n, a * n.powf(p))).collect::<Vec<_>>()
    };
    let times = Plot {
        title: "Cost of one step".into(),
        x: Axis::log("vertices"),
        y: Axis::log("time per step (ms)"),
        series: vec![
            Series::new("direct", cost(2e-4, 1.35)),
            Series::new("iterative", cost(2e-3, 1.02)),
            Series::new("slope 1", cost(6e-4, 1.0)).dashed(),
        ],
        marks: vec![Mark::horizontal(33.0, "33 ms"), Mark::vertical(2e4, "hand model")],
        ..Plot::default()
    };
    panels(&[residuals, times], 2)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: gallery DIRECTORY")?;
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let timed = |name: &str, image: &dyn Fn() -> Image| -> Result<(), RenderError> {
        let start = std::time::Instant::now();
        let image = image();
        println!("{name}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        write_png(directory.join(name), &image)
    };
    timed("bar.png", &|| bar(false))?;
    timed("bar-wire.png", &|| bar(true))?;
    timed("field.png", &field)?;
    timed("cloth.png", &|| cloth(false))?;
    timed("cloth-wire.png", &|| cloth(true))?;
    film(directory)?;
    std::fs::write(directory.join("plots.svg"), plots())?;
    Ok(())
}
