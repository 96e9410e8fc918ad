//! VTK legacy files, text and binary. What they share with the XML files is in `grid` and `types`.

mod attributes;
mod data;
pub(super) mod grid;
mod read;
pub(super) mod types;
mod write;

use super::{Family, Format};

pub(super) const FAMILY: Family = Family {
    endings: &["vtk"],
    recognises: |text| text.starts_with(b"# vtk DataFile"),
    read: read::read,
    formats: &FORMATS,
};

const FORMATS: [Format; 2] = [
    Format {
        name: "vtk",
        about: "VTK legacy, binary",
        volumes: true,
        write: |mesh, path| write::write(mesh, path, true).map(|()| Vec::new()),
    },
    Format {
        name: "vtk-ascii",
        about: "VTK legacy, text",
        volumes: true,
        write: |mesh, path| write::write(mesh, path, false).map(|()| Vec::new()),
    },
];

#[cfg(test)]
mod tests;
