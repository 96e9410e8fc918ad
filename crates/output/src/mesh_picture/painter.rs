//! A mesh in front of the camera.

use super::highlights::{Highlight, Triangles};
use super::plane;
use crate::text::short;
use pliant_mesh::{DVec3, Mesh};
use pliant_render::{Camera, Image, Settings, Surface, Vec3, render, render_over};

/// Side of a panel, in pixels.
pub(super) const PANEL: u32 = 640;
/// Colour of the body: light, so that the edges show.
const BODY: [f32; 3] = [0.50, 0.68, 0.82];
/// Colour of the body where it is only the ground for something else.
const PALE: [f32; 3] = [0.72, 0.76, 0.80];
/// How much of the body shows where the inside is to be seen.
const GHOST: f32 = 0.42;

/// The axis of a mesh that points up in its picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    #[default]
    Z,
}

impl UpAxis {
    /// All axes.
    pub const ALL: [UpAxis; 3] = [UpAxis::X, UpAxis::Y, UpAxis::Z];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            UpAxis::X => "x",
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        }
    }
}

/// Where the camera stands, and how points get there. Axes are those of the picture's world: z is up, the mesh has
/// a diagonal of 2 and its middle at the origin.
pub(super) struct MeshPainter {
    center: DVec3,
    scale: f64,
    up: UpAxis,
    /// 0 if the camera looks against x, 1 if it looks along y.
    facing: usize,
    camera: Camera,
    /// All vertices.
    pub(super) positions: Vec<Vec3>,
}

impl MeshPainter {
    /// Frames a mesh such that it shows its longest side, or its largest cut.
    pub(super) fn new(mesh: &Mesh, up: UpAxis) -> MeshPainter {
        let (low, high) = mesh.bounds();
        let center = 0.5 * (low + high);
        let diagonal = high.distance(low);
        let scale = if diagonal > 0.0 { 2.0 / diagonal } else { 1.0 };
        let place = |p: &DVec3| turned(scale * (p - center), up).as_vec3();
        let positions: Vec<Vec3> = mesh.vertices().iter().map(place).collect();
        let facing = match mesh {
            Mesh::Tet(m) => {
                let area = |axis| plane::largest(&positions, &m.tets, axis).area;
                usize::from(area(0) <= area(1))
            }
            Mesh::Tri(_) => {
                let extent = turned(high - low, up);
                usize::from(extent.x >= extent.y)
            }
        };
        let direction = [Vec3::new(2.0, -0.9, 0.85), Vec3::new(0.9, -2.0, 0.85)][facing];
        let camera = Camera::fit_points(&positions, direction, 1.0);
        MeshPainter { center, scale, up, facing, camera, positions }
    }

    /// The horizontal axis along which the camera looks.
    pub(super) fn facing(&self) -> usize {
        self.facing
    }

    /// A height along an axis of the picture as a text in the axes and metres of the mesh.
    pub(super) fn height_text(&self, axis: usize, height: f32) -> String {
        let of_mesh = match self.up {
            UpAxis::X => [1, 2, 0],
            UpAxis::Y => [2, 0, 1],
            UpAxis::Z => [0, 1, 2],
        }[axis];
        let at = self.center[of_mesh] + f64::from(height) / self.scale;
        format!("{} = {} m", ["x", "y", "z"][of_mesh], short(at))
    }

    /// The surface with its edges.
    pub(super) fn surface(&self, mesh: &Mesh) -> Image {
        let triangles = mesh.surface_triangles();
        self.render(&[self.body(&triangles, BODY)], true)
    }

    /// The surface made transparent, with highlights in it.
    pub(super) fn ghost(&self, mesh: &Mesh, highlights: &[Highlight]) -> Image {
        let triangles = mesh.surface_triangles();
        let body = self.render(&[self.body(&triangles, PALE)], false);
        let drawn: Vec<Triangles> = highlights.iter().map(|h| h.triangles(&self.positions)).collect();
        let surfaces: Vec<Surface> = highlights
            .iter()
            .zip(&drawn)
            .map(|(highlight, drawn)| Surface {
                positions: &drawn.positions,
                triangles: &drawn.triangles,
                color: highlight.color,
                vertex_colors: None,
            })
            .collect();
        let mut image = faded(&body);
        render_over(&mut image, &surfaces, &self.camera, &settings(true), 1.0);
        image
    }

    /// Draws surfaces alone.
    pub(super) fn render(&self, surfaces: &[Surface<'_>], wires: bool) -> Image {
        render(surfaces, &self.camera, &settings(wires))
    }

    fn body<'a>(&'a self, triangles: &'a [[u32; 3]], color: [f32; 3]) -> Surface<'a> {
        Surface { positions: &self.positions, triangles, color, vertex_colors: None }
    }
}

fn settings(wires: bool) -> Settings {
    Settings {
        width: PANEL,
        height: PANEL,
        wireframe: wires,
        background: [[1.0; 3]; 2],
        specular: 0.1,
        ..Settings::default()
    }
}

/// A point with the axis that is up in the mesh along z, right-handed.
fn turned(p: DVec3, up: UpAxis) -> DVec3 {
    match up {
        UpAxis::X => DVec3::new(p.y, p.z, p.x),
        UpAxis::Y => DVec3::new(p.z, p.x, p.y),
        UpAxis::Z => p,
    }
}

/// A paler picture, over which highlights stand out.
fn faded(body: &Image) -> Image {
    let mut image = body.clone();
    for channel in &mut image.pixels {
        *channel = (255.0 - GHOST * (255.0 - f32::from(*channel))) as u8;
    }
    image
}
