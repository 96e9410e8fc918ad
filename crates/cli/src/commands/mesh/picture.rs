//! The picture of a mesh beside the result of a tool.

use crate::args::mesh::PictureArgs;
use crate::failure::Failure;
use pliant_mesh::{Mesh, MeshError};
use pliant_meshing::inspect::MeshReport;
use pliant_output::mesh_picture;
use pliant_render::{Image, write_png};

pub use mesh_picture::PLACES;

/// Draws a mesh if a picture is asked for.
pub fn draw(args: &PictureArgs, mesh: &Mesh, title: String) -> Result<(), Failure> {
    write(args, &title, || mesh_picture::draw(mesh, args.up, &title))
}

/// The same with a report that is there already; it should have [`PLACES`] places.
pub fn draw_inspected(
    args: &PictureArgs,
    mesh: &Mesh,
    report: &MeshReport,
    title: String,
) -> Result<(), Failure> {
    write(args, &title, || mesh_picture::draw_inspected(mesh, report, args.up, &title))
}

fn write(
    args: &PictureArgs,
    title: &str,
    draw: impl FnOnce() -> Result<Image, MeshError>,
) -> Result<(), Failure> {
    let Some(path) = &args.png else { return Ok(()) };
    let image = draw().map_err(|e| Failure::input(format!("{title}: {e}")))?;
    write_png(path, &image).map_err(pliant_output::Error::from)?;
    Ok(())
}
