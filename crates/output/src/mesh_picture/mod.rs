//! Pictures of meshes: the surface, a cut through tets, and what is wrong or worst.

mod cut;
mod highlights;
mod painter;
mod panels;
mod plane;

pub use painter::UpAxis;

use crate::text::{elements_of, mesh_line, short};
use highlights::Highlight;
use painter::MeshPainter;
use panels::Panels;
use pliant_mesh::{Mesh, MeshError};
use pliant_meshing::inspect::{InspectOptions, MeshReport, element_quality, inspect};
use pliant_render::Image;

/// Defects that are drawn of each kind.
pub const PLACES: usize = 20_000;
/// Elements that are drawn as the worst.
const WORST: usize = 20;

/// Inspects a mesh and draws it.
///
/// # Errors
/// If the mesh cannot be inspected.
pub fn draw(mesh: &Mesh, up: UpAxis, title: &str) -> Result<Image, MeshError> {
    let options = InspectOptions { places: PLACES, ..InspectOptions::default() };
    draw_inspected(mesh, &inspect(mesh, &options)?, up, title)
}

/// Draws a mesh that was inspected already, preferably with [`PLACES`] places.
///
/// # Errors
/// If the quality of its elements cannot be computed.
pub fn draw_inspected(mesh: &Mesh, report: &MeshReport, up: UpAxis, title: &str) -> Result<Image, MeshError> {
    let quality = element_quality(mesh)?;
    let painter = MeshPainter::new(mesh, up);
    let mut panels = Panels::new(title, facts(mesh, report));
    panels.add("surface", painter.surface(mesh));
    if let Mesh::Tet(tets) = mesh {
        let (image, at) = cut::draw(&painter, tets, &quality);
        panels.add(&at, image).bar("quality of tets");
    }
    let (heading, highlights) = highlights(mesh, report, &quality);
    panels.add(&heading, painter.ghost(mesh, &highlights)).key(&highlights);
    Ok(panels.image())
}

/// The defects, or the worst elements of a mesh without any.
fn highlights(mesh: &Mesh, report: &MeshReport, quality: &[f64]) -> (String, Vec<Highlight>) {
    let defects = highlights::of_defects(mesh, &report.defects);
    if !defects.is_empty() {
        return ("defects".into(), defects);
    }
    let (worst_ones, worst) = highlights::of_worst(mesh, quality, WORST);
    (format!("the worst {}", elements_of(mesh, worst)), vec![worst_ones])
}

/// Numbers under the title.
fn facts(mesh: &Mesh, report: &MeshReport) -> [String; 2] {
    let (edge, angle) = (report.edge_length, &report.angle_degrees);
    let quality = report.rms_quality.as_ref().unwrap_or(&report.radius_ratio);
    [
        format!("{}, edges of {} to {} m", mesh_line(mesh), short(edge.min), short(edge.max)),
        format!(
            "angles of {:.1} to {:.1} degrees, quality {} at worst, {} on average",
            angle.min,
            angle.max,
            short(quality.min),
            short(quality.mean)
        ),
    ]
}
