//! What the rasteriser draws, checked pixel by pixel.

use pliant_render::{Camera, Image, Light, MAX_IMAGE_SIDE, Settings, Surface, Vec3, palette, render};

/// A ball of latitudes and longitudes around `center`.
fn ball(center: Vec3, radius: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (rows, columns) = (16u32, 32u32);
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..=rows {
        let (s, c) = (std::f32::consts::PI * j as f32 / rows as f32).sin_cos();
        for i in 0..columns {
            let (sa, ca) = (std::f32::consts::TAU * i as f32 / columns as f32).sin_cos();
            positions.push(center + radius * Vec3::new(s * ca, s * sa, c));
        }
    }
    for j in 0..rows {
        for i in 0..columns {
            let (a, b) = (j * columns + i, j * columns + (i + 1) % columns);
            triangles.push([a, a + columns, b]);
            triangles.push([b, a + columns, b + columns]);
        }
    }
    (positions, triangles)
}

/// A square that faces -Y at the given depth.
fn wall(y: f32, half: f32) -> Vec<Vec3> {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    corners.map(|[x, z]| Vec3::new(x, y, z)).to_vec()
}

const WALL: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn surface<'a>(positions: &'a [Vec3], triangles: &'a [[u32; 3]], color: [f32; 3]) -> Surface<'a> {
    Surface { positions, triangles, color, vertex_colors: None }
}

/// Looks along +Y at the origin.
fn front() -> Camera {
    Camera { eye: -6.0 * Vec3::Y, target: Vec3::ZERO, up: Vec3::Z, fov_y_degrees: 40.0 }
}

fn small() -> Settings {
    Settings { width: 96, height: 96, supersample: 2, ambient_samples: 16, ..Settings::default() }
}

fn brightness(image: &Image, x: u32, y: u32) -> u32 {
    image.pixel(x, y).unwrap().iter().map(|c| u32::from(*c)).sum()
}

#[test]
fn a_ball_is_brighter_on_the_light_side() {
    let (p, t) = ball(Vec3::ZERO, 1.0);
    let settings = Settings {
        key_light: Light { direction: Vec3::new(-1.0, -0.6, 0.4), ..Light::default() },
        ..small()
    };
    let image = render(&[surface(&p, &t, [0.6; 3])], &front(), &settings);
    assert!(brightness(&image, 34, 46) > brightness(&image, 62, 46) + 100);
}

#[test]
fn shading_is_smooth_and_free_of_acne() {
    let (p, t) = ball(Vec3::ZERO, 1.0);
    let settings = Settings {
        width: 240,
        height: 240,
        key_light: Light { direction: Vec3::new(-0.6, -1.0, 0.5), ..Light::default() },
        specular: 0.0,
        ..small()
    };
    let image = render(&[surface(&p, &t, [0.7; 3])], &front(), &settings);
    // Along a row well inside the ball, brightness rises once and falls once, up to rounding.
    let row: Vec<i64> = (75..165).map(|x| i64::from(brightness(&image, x, 120))).collect();
    let top = (0..row.len()).max_by_key(|&i| row[i]).unwrap();
    let drop = |a: i64, b: i64| (a - b).max(0);
    let wrong: i64 = row[..=top].windows(2).map(|w| drop(w[0], w[1])).sum::<i64>()
        + row[top..].windows(2).map(|w| drop(w[1], w[0])).sum::<i64>();
    assert!(wrong < 30, "{wrong}: {row:?}");
}

#[test]
fn a_shadow_falls_on_the_floor() {
    let (p, t) = ball(Vec3::Z, 0.5);
    let camera = Camera { eye: Vec3::new(0.0, -6.0, 5.0), target: 0.5 * Vec3::Z, ..front() };
    let settings = Settings {
        floor: Some(0.0),
        key_light: Light { direction: Vec3::new(-1.0, 0.0, 1.0), ..Light::default() },
        checker: false,
        ..small()
    };
    let lit = render(&[], &camera, &settings);
    let image = render(&[surface(&p, &t, palette(0))], &camera, &settings);
    // The centre's shadow is at (1, 0, 0): right of the middle of the picture.
    let right = (50..96).map(|x| brightness(&lit, x, 54).saturating_sub(brightness(&image, x, 54))).max();
    assert!(right.unwrap() > 120, "{right:?}");
    let corner = brightness(&lit, 3, 90).abs_diff(brightness(&image, 3, 90));
    assert!(corner < 12, "{corner}");
    let without = render(&[surface(&p, &t, palette(0))], &camera, &Settings { shadows: false, ..settings });
    assert_ne!(without, image);
}

#[test]
fn nearer_hides_farther_in_any_order() {
    let (near, far) = (wall(-1.0, 0.5), wall(1.0, 1.5));
    let red = surface(&near, &WALL, [0.9, 0.1, 0.1]);
    let blue = surface(&far, &WALL, [0.1, 0.1, 0.9]);
    let image = render(&[red, blue], &front(), &small());
    let [r, _, b] = image.pixel(48, 48).unwrap();
    assert!(r > b);
    let [r, _, b] = image.pixel(48, 24).unwrap();
    assert!(b > r);
    assert_eq!(image, render(&[blue, red], &front(), &small()));
}

#[test]
fn both_sides_of_a_cloth_are_lit() {
    let p = wall(0.0, 1.0);
    let flipped: Vec<[u32; 3]> = WALL.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let one = render(&[surface(&p, &WALL, palette(1))], &front(), &small());
    assert_eq!(one, render(&[surface(&p, &flipped, palette(1))], &front(), &small()));
}

#[test]
fn wires_darken_some_pixels_only() {
    let p = wall(0.0, 1.0);
    let plain = render(&[surface(&p, &WALL, palette(2))], &front(), &small());
    let wired = render(&[surface(&p, &WALL, palette(2))], &front(), &Settings { wireframe: true, ..small() });
    let changed = plain.pixels.iter().zip(&wired.pixels).filter(|(a, b)| a != b).count();
    assert!(changed > 100 && changed < plain.pixels.len() / 4, "{changed}");
    assert!(plain.pixels.iter().zip(&wired.pixels).all(|(a, b)| a >= b));
}

#[test]
fn vertex_colors_replace_the_body_color() {
    let p = wall(0.0, 1.0);
    let colors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
    let painted = Surface { vertex_colors: Some(&colors), ..surface(&p, &WALL, [0.0, 0.0, 1.0]) };
    let image = render(&[painted], &front(), &small());
    let (left, right) = (image.pixel(30, 48).unwrap(), image.pixel(66, 48).unwrap());
    assert!(left[0] > left[1] && right[1] > right[0]);
    let short = Surface { vertex_colors: Some(&colors[..2]), ..painted };
    let [r, _, b] = render(&[short], &front(), &small()).pixel(48, 48).unwrap();
    assert!(b > r);
}

#[test]
fn same_bytes_for_one_and_two_threads() {
    let (p, t) = ball(Vec3::Z, 1.0);
    let camera =
        Camera::fit(Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 2.0), Vec3::new(1.0, -2.0, 1.0), 1.0);
    let settings = Settings { floor: Some(0.0), wireframe: true, ..small() };
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&[surface(&p, &t, palette(3))], &camera, &settings))
    };
    assert_eq!(draw(1), draw(2));
}

#[test]
fn nothing_to_draw_gives_the_background() {
    let image = render(&[], &front(), &small());
    assert_eq!((image.width, image.height), (96, 96));
    assert_ne!(image.pixel(0, 0), image.pixel(0, 95));
    assert_eq!(image, render(&[surface(&[], &[], [0.0; 3])], &front(), &small()));
}

#[test]
fn broken_triangles_are_skipped() {
    let mut p = wall(0.0, 1.0);
    let whole = render(&[surface(&p, &WALL, palette(0))], &front(), &small());
    p.extend([Vec3::NAN, Vec3::new(f32::INFINITY, 0.0, 0.0), -2.0 * Vec3::Y, 1e30 * Vec3::X]);
    let t = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [0, 5, 1], [6, 6, 1], [0, 1, 1], [0, 1, 7], [0, 1, 99]];
    assert_eq!(whole, render(&[surface(&p, &t, palette(0))], &front(), &small()));
}

#[test]
fn sizes_are_clamped() {
    let size = |width, height| {
        let settings = Settings { width, height, supersample: 1, ..small() };
        let image = render(&[], &front(), &settings);
        assert_eq!(image.pixels.len(), image.width as usize * image.height as usize * 3);
        (image.width, image.height)
    };
    assert_eq!(size(0, 0), (1, 1));
    assert_eq!(size(u32::MAX, 2), (MAX_IMAGE_SIDE, 2));
}

#[test]
fn odd_cameras_and_settings_are_survived() {
    let (p, t) = ball(Vec3::ZERO, 1.0);
    let body = [surface(&p, &t, [f32::NAN, 2.0, -1.0])];
    let inside = Camera { eye: Vec3::ZERO, target: 0.5 * Vec3::Y, ..front() };
    let along_up = Camera { eye: 5.0 * Vec3::Z, ..front() };
    let nowhere = Camera { eye: Vec3::NAN, target: Vec3::NAN, up: Vec3::ZERO, fov_y_degrees: f32::NAN };
    let wide = Camera { fov_y_degrees: 1e9, ..front() };
    let odd = Settings {
        supersample: 0,
        floor: Some(f32::NAN),
        crease_degrees: f32::NAN,
        key_light: Light { direction: Vec3::ZERO, ..Light::default() },
        ambient_samples: 0,
        wireframe: true,
        ..small()
    };
    for camera in [inside, along_up, nowhere, wide] {
        for settings in [&odd, &small(), &Settings { floor: Some(-1.0), ..small() }] {
            assert_eq!(render(&body, &camera, settings).pixels.len(), 96 * 96 * 3);
        }
    }
}

#[test]
fn a_wall_through_the_eye_plane_is_clipped() {
    // A long floor of triangles from behind the eye to far in front of it.
    let corners = [[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]];
    let p = corners.map(|[x, y]| Vec3::new(x, y, -1.0));
    let image = render(&[surface(&p, &WALL, [0.9, 0.1, 0.1])], &front(), &small());
    let [r, g, _] = image.pixel(48, 90).unwrap();
    assert!(r > g + 40);
    let [r, g, b] = image.pixel(48, 10).unwrap();
    assert!(r.abs_diff(g) < 40 && b >= r);
}

#[test]
fn lights_have_colours_and_a_fill_light_reaches_the_dark_side() {
    let positions = wall(0.0, 1.0);
    let wall = surface(&positions, &WALL, [0.5; 3]);
    let camera = Camera::fit(Vec3::NEG_ONE, Vec3::ONE, Vec3::NEG_Y, 1.0);
    let middle = |settings: &Settings| {
        let image = render(&[wall], &camera, settings);
        image.pixel(settings.width / 2, settings.height / 2).unwrap()
    };
    let behind = Light { direction: Vec3::Y, ..Light::default() };
    let dark = Settings { key_light: behind, ..small() };
    let red = Light { direction: Vec3::NEG_Y, color: [1.0, 0.0, 0.0], intensity: 1.0 };
    let [a, b] = [middle(&dark), middle(&Settings { fill_lights: vec![red], ..dark.clone() })];
    assert!(b[0] > a[0] + 60 && b[1].abs_diff(a[1]) < 12, "{a:?} {b:?}");
    let c = middle(&Settings { key_light: red, ..small() });
    assert!(c[0] > c[1] + 40, "{c:?}");
}
