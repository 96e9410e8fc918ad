//! Writers for frames of a simulation: OBJ and PLY surfaces.
//!
//! All write to any [`io::Write`]; wrap files in a [`std::io::BufWriter`].

use pliant_mesh::DVec3;
use std::io::{self, Write};

/// Writes a Wavefront OBJ. Coordinates are the shortest decimals that read back to the same f64.
pub fn write_obj(mut out: impl Write, points: &[DVec3], triangles: &[[u32; 3]]) -> io::Result<()> {
    for DVec3 { x, y, z } in points {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for t in triangles {
        let [a, b, c] = t.map(|i| u64::from(i) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    out.flush()
}

/// Writes a PLY in the format `binary_little_endian` with f32 coordinates.
pub fn write_ply(mut out: impl Write, points: &[DVec3], triangles: &[[u32; 3]]) -> io::Result<()> {
    // PLY has no 64-bit integers, and many readers take face indices as signed.
    if triangles.iter().flatten().any(|&i| i32::try_from(i).is_err()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a PLY index must be below 2^31"));
    }
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        points.len(),
        triangles.len()
    )?;
    for c in points.iter().flat_map(|p| p.to_array()) {
        out.write_all(&(c as f32).to_le_bytes())?;
    }
    for t in triangles {
        out.write_all(&[3])?;
        for i in t {
            out.write_all(&i.to_le_bytes())?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obj_reads_back_to_the_bit() {
        let mut mesh = pliant_mesh::sphere_surface(1.0 / 3.0, 1).unwrap();
        mesh.groups.clear();
        let mut bytes = Vec::new();
        write_obj(&mut bytes, &mesh.vertices, &mesh.triangles).unwrap();
        let source = crate::Source::from_bytes(bytes, Some("a.obj"));
        assert_eq!(source.read().unwrap().mesh, pliant_mesh::Mesh::Tri(mesh));
    }

    #[test]
    fn ply_has_the_size_its_header_tells() {
        let mesh = pliant_mesh::cloth([1.0, 1.0], 1).unwrap();
        let mut bytes = Vec::new();
        write_ply(&mut bytes, &mesh.vertices, &mesh.triangles).unwrap();
        let end = b"end_header\n";
        let header = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
        assert_eq!(bytes.len() - header, 5 * 12 + 4 * 13);
        assert_eq!(&bytes[header + 12..header + 16], &1.0_f32.to_le_bytes());
        assert_eq!(&bytes[header + 60..header + 65], &[3, 0, 0, 0, 0]);
        assert!(write_ply(Vec::new(), &[], &[[0, 1, u32::MAX]]).is_err());
    }
}
