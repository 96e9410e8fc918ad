//! NPZ: all frames as arrays for numpy, in double precision.

mod zip;

use super::files::replace;
use super::film::Film;
use crate::error::OutputError;
use crate::view::tessellate;
use pliant::{BodyId, ObstacleId, Pose};
use pliant_mesh::{DVec3, Mesh};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use zip::Zip;

/// Writes `scene.npz`.
pub(super) fn write(film: &mut Film, folder: &Path) -> Result<(), OutputError> {
    replace(&folder.join("scene.npz"), |out| {
        let mut arrays = Arrays { zip: Zip::new(out) };
        arrays.about(film)?;
        for body in (0..film.body_names().len()).map(BodyId::new) {
            arrays.body(film, body)?;
        }
        for obstacle in (0..film.obstacle_names().len()).map(ObstacleId::new) {
            arrays.obstacle(film, obstacle)?;
        }
        for line in 0..film.line_names().len() {
            let first = film.line(0, line)?.len();
            let key = format!("{}/positions", film.line_names()[line]);
            arrays.points_of_frames(&key, film, first, |film, frame| film.line(frame, line))?;
        }
        arrays.zip.finish()
    })
}

/// The arrays of a file.
struct Arrays<'a> {
    zip: Zip<&'a mut BufWriter<File>>,
}

impl Arrays<'_> {
    /// Times, and what there is.
    fn about(&mut self, film: &Film) -> io::Result<()> {
        let model = film.run().world().model();
        self.numbers("dt", &[], [model.dt])?;
        self.numbers("times", &[film.times.len()], film.times.iter().copied())?;
        self.texts("bodies", film.body_names().iter().map(String::as_str))?;
        self.texts("body_names", model.bodies.iter().map(|b| b.name.as_str()))?;
        self.texts("obstacles", film.obstacle_names().iter().map(String::as_str))?;
        self.texts("obstacle_names", model.obstacles.iter().map(|o| o.name.as_str()))?;
        self.texts("lines", film.line_names().iter().map(String::as_str))?;
        self.texts("line_names", film.lines().iter().map(|(name, _)| *name))
    }

    fn body(&mut self, film: &mut Film, body: BodyId) -> io::Result<()> {
        let run = film.run();
        let key = film.body_names()[body.index()].clone();
        let (mesh, skin) = (&run.world().model().bodies[body.index()].mesh, &run.setup().skins[body.index()]);
        let rest = mesh.vertices();
        self.points_of_frames(&format!("{key}/positions"), film, rest.len(), |f, i| f.positions(i, body))?;
        self.points_of_frames(&format!("{key}/velocities"), film, rest.len(), |f, i| f.velocities(i, body))?;
        self.points(&format!("{key}/rest"), rest)?;
        match &**mesh {
            Mesh::Tet(m) => self.indices(&format!("{key}/tets"), &m.tets)?,
            Mesh::Tri(m) => self.indices(&format!("{key}/triangles"), &m.triangles)?,
        }
        if let Some(own) = skin.own_vertices() {
            let triangles: Vec<_> = skin.triangles().iter().map(|t| t.map(|v| own[v as usize])).collect();
            return self.indices(&format!("{key}/surface"), &triangles);
        }
        self.indices(&format!("{key}/surface"), skin.triangles())?;
        let (key, count) = (format!("{key}/surface_positions"), skin.vertex_count());
        self.points_of_frames(&key, film, count, |film, frame| film.skin(frame, body))
    }

    fn obstacle(&mut self, film: &Film, obstacle: ObstacleId) -> io::Result<()> {
        let key = &film.obstacle_names()[obstacle.index()];
        let poses = film.poses(obstacle);
        self.numbers(&format!("{key}/pose"), &[film.times.len(), 4, 4], poses.iter().flat_map(matrix))?;
        let (points, triangles) = tessellate(&film.run().world().model().obstacles[obstacle.index()].shape);
        // A plane has no end, and no triangles.
        if triangles.is_empty() {
            return Ok(());
        }
        self.points(&format!("{key}/surface_positions"), &points)?;
        self.indices(&format!("{key}/surface"), &triangles)
    }

    /// An array of frames x `count` x 3.
    fn points_of_frames(
        &mut self,
        key: &str,
        film: &mut Film,
        count: usize,
        mut read: impl FnMut(&mut Film, usize) -> io::Result<Vec<DVec3>>,
    ) -> io::Result<()> {
        let frames = film.times.len();
        let head = header("<f8", &[frames, count, 3]);
        let size = head.len() + 8 * 3 * count * frames;
        self.zip.entry(&format!("{key}.npy"), size as u64, |out| {
            out.write_all(&head)?;
            for frame in 0..frames {
                let points = read(film, frame)?;
                points.iter().flat_map(|p| p.to_array()).try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
            }
            Ok(())
        })
    }

    fn points(&mut self, key: &str, points: &[DVec3]) -> io::Result<()> {
        self.numbers(key, &[points.len(), 3], points.iter().flat_map(|p| p.to_array()))
    }

    fn numbers(
        &mut self,
        key: &str,
        shape: &[usize],
        values: impl IntoIterator<Item = f64>,
    ) -> io::Result<()> {
        self.array(key, header("<f8", shape), values.into_iter().flat_map(f64::to_le_bytes).collect())
    }

    fn indices<const N: usize>(&mut self, key: &str, rows: &[[u32; N]]) -> io::Result<()> {
        let bytes = rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        self.array(key, header("<u4", &[rows.len(), N]), bytes)
    }

    /// Texts in UTF-32, all as long as the longest, as numpy holds them.
    fn texts<'b>(&mut self, key: &str, texts: impl Iterator<Item = &'b str>) -> io::Result<()> {
        let texts: Vec<Vec<char>> = texts.map(|text| text.chars().collect()).collect();
        let width = texts.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let code = |text: &Vec<char>, i: usize| text.get(i).map_or(0, |c| *c as u32);
        let bytes =
            texts.iter().flat_map(|t| (0..width).flat_map(move |i| code(t, i).to_le_bytes())).collect();
        self.array(key, header(&format!("<U{width}"), &[texts.len()]), bytes)
    }

    fn array(&mut self, key: &str, head: Vec<u8>, data: Vec<u8>) -> io::Result<()> {
        self.zip.entry(&format!("{key}.npy"), (head.len() + data.len()) as u64, |out| {
            out.write_all(&head)?;
            out.write_all(&data)
        })
    }
}

/// The 4 x 4 matrix that takes columns `(x, y, z, 1)` in the coordinates of an obstacle to the world.
fn matrix(pose: &Pose) -> [f64; 16] {
    let (r, t) = (&pose.rotation, &pose.translation);
    std::array::from_fn(|i| match (i / 4, i % 4) {
        (3, column) => f64::from(u8::from(column == 3)),
        (row, 3) => t[row],
        (row, column) => r.col(column)[row],
    })
}

/// The head of an array file, version 1.0: padded with blanks so that the data start at a multiple of 64.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({lengths}), }}");
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    // Far below 2^16: a shape has at most three numbers.
    head.extend((text.len() as u16).to_le_bytes());
    head.extend(text.as_bytes());
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::DMat3;

    #[test]
    fn heads_are_as_numpy_writes_them() {
        let head = header("<f8", &[5, 3]);
        assert_eq!(head.len(), 128);
        assert!(head.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, "));
        assert!(head.ends_with(b" \n"));
        assert!(String::from_utf8_lossy(&header("<f8", &[])).contains("'shape': ()"));
        assert!(String::from_utf8_lossy(&header("<U3", &[2])).contains("'shape': (2,)"));
    }

    #[test]
    fn a_pose_is_a_matrix_of_columns() {
        let rotation = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
        let m = matrix(&Pose { rotation, translation: DVec3::new(7.0, 8.0, 9.0) });
        assert_eq!(m, [0.0, -1.0, 0.0, 7.0, 1.0, 0.0, 0.0, 8.0, 0.0, 0.0, 1.0, 9.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
