//! Draws the picture tile by tile: first what each sample shows, then one colour per pixel.
//!
//! Visibility is found at every sample, but each face is lit only once per pixel, at the mean of
//! its samples: smooth edges at a fraction of the cost of full supersampling.

use super::mesh::Mesh;
use super::settings::Settings;
use super::shade::Shader;
use super::triangle::{DepthPlane, Rect};
use super::view::{Projected, View};
use crate::Image;
use crate::color::to_srgb8;
use glam::Vec3;
use rayon::prelude::*;

/// Side of a tile in pixels.
const TILE: u32 = 32;
/// Faces projected by one task; fixed, so that the order of triangles is too.
const CHUNK: usize = 4096;
/// What a sample shows when it shows no face.
const NOTHING: u32 = u32::MAX;
const FLOOR: u32 = u32::MAX - 1;

/// Draws everything.
pub(super) fn draw(mesh: &Mesh, view: &View, shader: &Shader<'_>, settings: &Settings) -> Image {
    let triangles = project(mesh, view);
    let grid = TileGrid::new(settings);
    let bins = grid.bin(&triangles);
    let floor = settings.floor.and_then(|height| view.floor_plane(height));
    let tiles: Vec<Vec<u8>> = bins
        .par_iter()
        .enumerate()
        .map(|(index, bin)| {
            let mut tile = Tile::new(grid.samples_of(index), settings.supersample);
            for &t in bin {
                tile.add(&triangles[t as usize]);
            }
            if let Some(plane) = &floor {
                tile.add_floor(plane);
            }
            tile.resolve(shader)
        })
        .collect();
    grid.assemble(&tiles)
}

fn project(mesh: &Mesh, view: &View) -> Vec<Projected> {
    let camera_space: Vec<Vec3> = mesh.positions.par_iter().map(|p| view.to_camera(*p)).collect();
    let chunks: Vec<Vec<Projected>> = mesh
        .faces
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, faces)| {
            let mut out = Vec::with_capacity(faces.len());
            for (i, face) in faces.iter().enumerate() {
                let corners = face.map(|v| camera_space[v as usize]);
                view.project((chunk * CHUNK + i) as u32, corners, &mut out);
            }
            out
        })
        .collect();
    chunks.into_iter().flatten().collect()
}

/// The picture cut into tiles.
struct TileGrid {
    width: u32,
    height: u32,
    supersample: u32,
    columns: u32,
    rows: u32,
}

impl TileGrid {
    fn new(settings: &Settings) -> Self {
        Self {
            width: settings.width,
            height: settings.height,
            supersample: settings.supersample,
            columns: settings.width.div_ceil(TILE),
            rows: settings.height.div_ceil(TILE),
        }
    }

    /// The triangles that may touch each tile, in their order.
    fn bin(&self, triangles: &[Projected]) -> Vec<Vec<u32>> {
        let mut bins = vec![Vec::new(); (self.columns * self.rows) as usize];
        let side = (TILE * self.supersample) as i32;
        for (index, triangle) in triangles.iter().enumerate() {
            let b = triangle.edges.bounds;
            let (x0, y0) = (b.x0.max(0) / side, b.y0.max(0) / side);
            let x1 = ((b.x1 - 1).div_euclid(side)).min(self.columns as i32 - 1);
            let y1 = ((b.y1 - 1).div_euclid(side)).min(self.rows as i32 - 1);
            for y in y0..=y1 {
                for x in x0..=x1 {
                    bins[(y * self.columns as i32 + x) as usize].push(index as u32);
                }
            }
        }
        bins
    }

    fn pixels_of(&self, index: usize) -> Rect {
        let (x, y) = (index as u32 % self.columns * TILE, index as u32 / self.columns * TILE);
        Rect {
            x0: x as i32,
            y0: y as i32,
            x1: (x + TILE).min(self.width) as i32,
            y1: (y + TILE).min(self.height) as i32,
        }
    }

    fn samples_of(&self, index: usize) -> Rect {
        let (p, s) = (self.pixels_of(index), self.supersample as i32);
        Rect { x0: p.x0 * s, y0: p.y0 * s, x1: p.x1 * s, y1: p.y1 * s }
    }

    fn assemble(&self, tiles: &[Vec<u8>]) -> Image {
        let mut image = Image::new(self.width, self.height, [0; 3]);
        for (index, tile) in tiles.iter().enumerate() {
            let r = self.pixels_of(index);
            let row_bytes = (r.x1 - r.x0) as usize * 3;
            for (row, bytes) in tile.chunks_exact(row_bytes).enumerate() {
                let start = ((r.y0 as usize + row) * self.width as usize + r.x0 as usize) * 3;
                image.pixels[start..start + row_bytes].copy_from_slice(bytes);
            }
        }
        image
    }
}

/// The samples of one tile.
struct Tile {
    rect: Rect,
    supersample: i32,
    /// Inverse distance of what each sample shows: larger is nearer.
    nearness: Vec<f32>,
    shows: Vec<u32>,
}

impl Tile {
    fn new(rect: Rect, supersample: u32) -> Self {
        let count = ((rect.x1 - rect.x0) * (rect.y1 - rect.y0)) as usize;
        Self {
            rect,
            supersample: supersample as i32,
            nearness: vec![0.0; count],
            shows: vec![NOTHING; count],
        }
    }

    fn index(&self, x: i32, y: i32) -> usize {
        ((y - self.rect.y0) * (self.rect.x1 - self.rect.x0) + x - self.rect.x0) as usize
    }

    fn add(&mut self, triangle: &Projected) {
        triangle.edges.for_each(self.rect, |x, y| self.show(x, y, triangle.plane.depth(x, y), triangle.face));
    }

    fn add_floor(&mut self, plane: &DepthPlane) {
        for y in self.rect.y0..self.rect.y1 {
            for x in self.rect.x0..self.rect.x1 {
                self.show(x, y, plane.depth(x, y), FLOOR);
            }
        }
    }

    fn show(&mut self, x: i32, y: i32, nearness: f32, what: u32) {
        let i = self.index(x, y);
        if nearness > self.nearness[i] {
            self.nearness[i] = nearness;
            self.shows[i] = what;
        }
    }

    /// One RGB triple per pixel, row by row.
    fn resolve(&self, shader: &Shader<'_>) -> Vec<u8> {
        let s = self.supersample;
        let mut bytes = Vec::new();
        for y in (self.rect.y0..self.rect.y1).step_by(s as usize) {
            for x in (self.rect.x0..self.rect.x1).step_by(s as usize) {
                bytes.extend(to_srgb8(self.pixel(x, y, shader)));
            }
        }
        bytes
    }

    /// Mean colour of the pixel whose first sample is `(x, y)`.
    fn pixel(&self, x: i32, y: i32, shader: &Shader<'_>) -> Vec3 {
        let s = self.supersample;
        // What is seen, by how many samples, and the sum of their positions.
        let mut seen = [(0u32, 0u32, 0.0f64, 0.0f64); 16];
        let mut kinds = 0;
        for j in y..y + s {
            for i in x..x + s {
                let what = self.shows[self.index(i, j)];
                let at = seen[..kinds].iter().position(|k| k.0 == what).unwrap_or(kinds);
                if at == kinds {
                    seen[at] = (what, 0, 0.0, 0.0);
                    kinds += 1;
                }
                seen[at].1 += 1;
                seen[at].2 += f64::from(i) + 0.5;
                seen[at].3 += f64::from(j) + 0.5;
            }
        }
        let mut color = Vec3::ZERO;
        for &(what, count, sum_x, sum_y) in &seen[..kinds] {
            let (px, py) = (sum_x / f64::from(count), sum_y / f64::from(count));
            let part = match what {
                NOTHING => shader.background(py),
                FLOOR => shader.floor(px, py),
                face => shader.face(face as usize, px, py),
            };
            color += count as f32 / (s * s) as f32 * part;
        }
        color
    }
}
