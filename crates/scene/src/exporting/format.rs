//! The formats by name.

use crate::error::{quoted, suggest};
use std::fmt;
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// VTK unstructured grids with an index, for ParaView.
    Vtu,
    /// Wavefront, surface only.
    Obj,
    /// Stanford, surface only.
    Ply,
    /// Binary glTF with an animation, for browsers and Blender.
    Gltf,
    /// Universal Scene Description as text, for film tools.
    Usd,
    /// Arrays for numpy.
    Npz,
}

impl Format {
    /// All formats, in the order in which users see them.
    pub const ALL: [Format; 6] =
        [Format::Vtu, Format::Obj, Format::Ply, Format::Gltf, Format::Usd, Format::Npz];

    /// Its name on the command line, which is that of its folder too.
    pub fn name(self) -> &'static str {
        match self {
            Format::Vtu => "vtu",
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Gltf => "gltf",
            Format::Usd => "usd",
            Format::Npz => "npz",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        let known = Format::ALL.into_iter().find(|f| f.name() == text);
        known.ok_or_else(|| UnknownFormat { name: text.to_string() })
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, names) = (&self.name, Format::ALL.map(Format::name));
        match name.as_str() {
            "csv" => write!(
                f,
                "`csv` is no format of frames: probes.csv, energies.csv and forces.csv are always in --out; \
                 use {} for frames",
                quoted(&names)
            ),
            _ => write!(f, "unknown format `{name}`: {}", suggest(name, &names, "formats")),
        }
    }
}

impl std::error::Error for UnknownFormat {}
