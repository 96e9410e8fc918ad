//! VTU and VTP: the XML files of the Visualization Toolkit for unstructured grids and polygonal data.

mod array;
mod frame;
mod outline;
mod piece;
mod read;
mod values;
mod write;
mod xml;

pub use frame::{VtuData, VtuGrid, write_vtu};
pub(super) use outline::outline;
pub use write::Cells;

use super::{Family, Format};
use write::{Encoding, write_mesh};

pub(super) const FAMILY: Family =
    Family { endings: &["vtu", "vtp"], recognises, read: read::read, formats: &FORMATS };

fn recognises(text: &[u8]) -> bool {
    // The root may follow the declaration and comments.
    let head = &text[..text.len().min(4096)];
    text.starts_with(b"<") && head.windows(8).any(|window| window == b"<VTKFile")
}

const FORMATS: [Format; 4] = [
    Format {
        name: "vtu",
        about: "VTK XML unstructured grid, appended binary",
        volumes: true,
        write: |mesh, path| write_mesh(mesh, path, Encoding::Appended).map(|()| Vec::new()),
    },
    Format {
        name: "vtu-base64",
        about: "VTK XML unstructured grid, base64",
        volumes: true,
        write: |mesh, path| write_mesh(mesh, path, Encoding::Base64).map(|()| Vec::new()),
    },
    Format {
        name: "vtu-ascii",
        about: "VTK XML unstructured grid, text",
        volumes: true,
        write: |mesh, path| write_mesh(mesh, path, Encoding::Ascii).map(|()| Vec::new()),
    },
    Format {
        name: "vtu-compressed",
        about: "VTK XML unstructured grid, appended binary compressed with zlib",
        volumes: true,
        write: |mesh, path| write_mesh(mesh, path, Encoding::Compressed).map(|()| Vec::new()),
    },
];

#[cfg(test)]
mod tests;
