//! Wavefront OBJ: vertices, faces and their groups. Materials, normals and textures are left out.
//!
//! OBJ has neither counts nor an end mark, so a file that was cut cannot be noticed in general, and a last line
//! without a line end is accepted. Groups are of faces. In their names `%` and two hexadecimal digits stand for a byte
//! that a word cannot hold.

mod parse;
mod statements;
mod write;

use super::{Contents, Family, Format, ReadError, Source};
use statements::Statements;

pub(super) const FAMILY: Family = Family {
    endings: &["obj"],
    recognises,
    read,
    formats: &[Format {
        name: "obj",
        about: "Wavefront OBJ: surface; groups of faces, doubles exact",
        volumes: false,
        write: write::write,
    }],
};

/// Statements that carry no triangles: attributes, materials, display state, points and lines.
const SKIPPED: [&str; 19] = [
    "vt",
    "vn",
    "vp",
    "l",
    "p",
    "s",
    "mg",
    "mtllib",
    "usemtl",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "call",
    "csh",
];

fn read(source: &Source) -> Result<Contents, ReadError> {
    parse::read_obj(source.bytes())
}

/// The first statements are all OBJ, and one of them is a vertex.
fn recognises(text: &[u8]) -> bool {
    const LOOKED_AT: usize = 32;
    let mut vertex = false;
    for (_, statement) in Statements::new(text).filter(|(_, s)| !s.trim_ascii().is_empty()).take(LOOKED_AT) {
        let mut words = statement.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        match words.next().unwrap_or_default() {
            b"v" => {
                let numbers: Vec<_> = words.map(super::words::parse::<f64>).collect();
                if numbers.len() < 3 || numbers.contains(&None) {
                    return false;
                }
                vertex = true;
            }
            b"o" | b"g" | b"f" => {}
            other if SKIPPED.iter().any(|s| s.as_bytes() == other) => {}
            _ => return false,
        }
    }
    vertex
}

#[cfg(test)]
pub(super) mod tests;
