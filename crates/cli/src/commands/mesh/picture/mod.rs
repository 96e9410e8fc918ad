//! Pictures of meshes: the surface, a cut through tets, and what is wrong or worst.

mod cut;
mod marks;
mod page;
mod stage;

use crate::args::mesh::PictureArgs;
use crate::failure::Failure;
use crate::output::short;
use marks::Mark;
use page::Page;
use pliant_mesh::Mesh;
use pliant_meshing::inspect::{InspectOptions, MeshReport, element_quality, inspect};
use pliant_render::write_png;
use stage::Stage;

/// Defects that are drawn of each kind.
pub const PLACES: usize = 20_000;
/// Elements that are drawn as the worst.
const WORST: usize = 20;

/// Draws a mesh if a picture is asked for.
pub fn draw(args: &PictureArgs, mesh: &Mesh, title: String) -> Result<(), Failure> {
    if args.png.is_none() {
        return Ok(());
    }
    let options = InspectOptions { places: PLACES, ..InspectOptions::default() };
    let report = inspect(mesh, &options).map_err(|e| Failure::input(format!("{title}: {e}")))?;
    draw_inspected(args, mesh, &report, title)
}

/// The same with a report that is there already; it should have many places.
pub fn draw_inspected(
    args: &PictureArgs,
    mesh: &Mesh,
    report: &MeshReport,
    title: String,
) -> Result<(), Failure> {
    let Some(path) = &args.png else { return Ok(()) };
    let quality = element_quality(mesh).map_err(|e| Failure::input(format!("{title}: {e}")))?;
    let stage = Stage::new(mesh, args.up);
    let mut page = Page::new(&title, facts(mesh, report));
    page.add("surface", stage.surface(mesh));
    if let Mesh::Tet(tets) = mesh {
        let (image, at) = cut::draw(&stage, tets, &quality);
        page.add(&at, image).bar("quality of tets");
    }
    let (title, marks) = highlights(mesh, report, &quality);
    page.add(&title, stage.ghost(mesh, &marks)).key(&marks);
    write_png(path, &page.image()).map_err(Failure::from)
}

/// The defects, or the worst elements of a mesh without any.
fn highlights(mesh: &Mesh, report: &MeshReport, quality: &[f64]) -> (String, Vec<Mark>) {
    let defects = marks::of_defects(mesh, &report.defects);
    if !defects.is_empty() {
        return ("defects".into(), defects);
    }
    let (mark, worst) = marks::of_worst(mesh, quality, WORST);
    (format!("the worst {}", super::summary::elements_of(mesh, worst)), vec![mark])
}

/// Numbers under the title.
fn facts(mesh: &Mesh, report: &MeshReport) -> [String; 2] {
    let (edge, angle) = (report.edge_length, &report.angle_degrees);
    let quality = report.rms_quality.as_ref().unwrap_or(&report.radius_ratio);
    [
        format!("{}, edges of {} to {} m", super::summary::line(mesh), short(edge.min), short(edge.max)),
        format!(
            "angles of {:.1} to {:.1} degrees, quality {} at worst, {} in the mean",
            angle.min,
            angle.max,
            short(quality.min),
            short(quality.mean)
        ),
    ]
}
