//! Geomview OFF and its relatives with colours, normals or texture coordinates at the vertices.
//!
//! OFF has counts but no end mark: a last number that was cut short (`12` to `1`) cannot be noticed. It has no place
//! for groups.

use super::budget::Budget;
use super::decimal::Decimal;
use super::groups::not_kept;
use super::polygon::Faces;
use super::save::save;
use super::scan::shown;
use super::words::{Words, parse};
use super::{Contents, Family, Format, ReadError, Source, WriteError, counted, without_mark, writable};
use pliant_mesh::{DVec3, Groups, Mesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

pub(super) const FAMILY: Family = Family {
    endings: &["off"],
    recognises,
    read,
    formats: &[Format {
        name: NAME,
        about: "Geomview OFF: surface; no groups, doubles exact",
        volumes: false,
        write,
    }],
};

const NAME: &str = "off";

/// The first word, for example `OFF` or `STCNOFF`, is followed by a number, `BINARY` or a comment.
fn recognises(text: &[u8]) -> bool {
    let mut words = Words::new(text);
    let header = words.word().unwrap_or_default();
    let follows = words.word().unwrap_or_default();
    prefix(header).is_some() && (parse::<f64>(follows).is_some() || follows == b"BINARY")
}

/// What stands before `OFF` in a header word.
fn prefix(word: &[u8]) -> Option<&[u8]> {
    let prefix = word.strip_suffix(b"OFF")?;
    let mut rest = prefix;
    for letters in [&b"ST"[..], b"C", b"N", b"4", b"n"] {
        rest = rest.strip_prefix(letters).unwrap_or(rest);
    }
    rest.is_empty().then_some(prefix)
}

fn read(source: &Source) -> Result<Contents, ReadError> {
    let text = without_mark(source.bytes());
    let mut words = Words::new(text);
    let mut notes = Vec::new();
    let [vertex_count, face_count] = header(&mut words)?;
    let mut budget = Budget::new(text.len());
    let vertices = read_vertices(&mut words, vertex_count, &mut budget, &mut notes)?;
    let faces = read_faces(&mut words, face_count, vertices.len(), &mut budget, &mut notes)?;
    if words.word().is_some() {
        notes.push(format!("text after the last face, from line {} on, left out", words.line()));
    }
    if faces.triangles.is_empty() {
        return Err(ReadError::Empty { remedy: "export the faces" });
    }
    let triangles = faces.finish(&vertices, &mut notes, |_, _| ReadError::TooLarge)?;
    let mesh = Mesh::Tri(TriMesh { vertices, triangles, groups: Groups::new() });
    Ok(Contents { mesh, format: "OFF".to_string(), notes })
}

/// Reads the header word, which may be missing, and the numbers of vertices and faces.
fn header(words: &mut Words) -> Result<[usize; 2], ReadError> {
    let word = words.expected("OFF")?;
    let vertices = match prefix(word) {
        Some(prefix) if prefix.contains(&b'4') || prefix.contains(&b'n') => {
            return Err(ReadError::Unsupported {
                what: format!("{} with points outside of space", shown(word)),
                remedy: "export plain OFF with three coordinates",
            });
        }
        Some(_) => {
            let next = words.expected("the number of vertices")?;
            if next == b"BINARY" {
                return Err(ReadError::Unsupported {
                    what: "binary OFF".to_string(),
                    remedy: "export it as ASCII OFF, or as PLY",
                });
            }
            next
        }
        None => word,
    };
    let Some(vertices) = parse(vertices) else {
        return Err(words.error(format!("expected the number of vertices, found `{}`", shown(vertices))));
    };
    let faces = words.number("the number of faces")?;
    // The number of edges is never used, and some programs leave it out.
    words.rest_of_line();
    Ok([vertices, faces])
}

fn read_vertices(
    words: &mut Words,
    count: usize,
    budget: &mut Budget,
    notes: &mut Vec<String>,
) -> Result<Vec<DVec3>, ReadError> {
    const SHORTEST: usize = "0 0 0\n".len();
    let mut vertices: Vec<DVec3> = Vec::new();
    budget.reserve(&mut vertices, count.min(words.remaining() / SHORTEST + 1))?;
    let mut extra = false;
    for _ in 0..count {
        let point = words.point()?;
        extra |= !words.rest_of_line().is_empty();
        vertices.push(point);
    }
    if extra {
        notes.push("normals, colours or texture coordinates of vertices left out".to_string());
    }
    Ok(vertices)
}

fn read_faces(
    words: &mut Words,
    count: usize,
    vertices: usize,
    budget: &mut Budget,
    notes: &mut Vec<String>,
) -> Result<Faces, ReadError> {
    const SHORTEST: usize = "3 0 0 0\n".len();
    let mut faces = Faces::default();
    faces.room(count.min(words.remaining() / SHORTEST + 1), budget, || 0)?;
    let mut corners = Vec::new();
    let (mut thin, mut extra) = (0, false);
    for k in 0..count {
        let corner_count: usize = words.number("the number of corners of a face")?;
        let line = words.line();
        corners.clear();
        for _ in 0..corner_count {
            let index: u64 = words.number("a vertex index")?;
            match u32::try_from(index) {
                Ok(corner) if (corner as usize) < vertices => corners.push(corner),
                _ => return Err(words.error(format!("a face uses vertex {index}, there are {vertices}"))),
            }
        }
        // Colours follow in the same line.
        extra |= !words.rest_of_line().is_empty();
        if corner_count < 3 {
            thin += 1;
            continue;
        }
        // Each face to come has a count and two corners more than it has triangles.
        let to_come = || words.count_rest().saturating_sub((count - k - 1).saturating_mul(3));
        faces.room(corner_count - 2, budget, || to_come() + corner_count - 2)?;
        faces.push(&corners, line)?;
    }
    if thin > 0 {
        notes.push(format!("{} with fewer than three corners left out", counted(thin, "face")));
    }
    if extra {
        notes.push("colours of faces left out".to_string());
    }
    Ok(faces)
}

fn write(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = writable::surface(mesh, NAME)?;
    save(path, |mut out| write_surface(&mut out, surface))?;
    Ok(not_kept(surface.groups.len()).into_iter().collect())
}

fn write_surface(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    writeln!(out, "OFF\n{} {} 0", mesh.vertices.len(), mesh.triangles.len())?;
    for [x, y, z] in mesh.vertices.iter().map(|p| p.to_array().map(Decimal)) {
        writeln!(out, "{x} {y} {z}")?;
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Contents, ReadError> {
        super::read(&Source::from_bytes(text.as_bytes().to_vec(), None))
    }

    #[test]
    fn dialects() {
        let body = "3 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n4 0 1 3 2";
        let plain = read(&format!("OFF\n4 2 0\n{body}")).unwrap();
        let Mesh::Tri(mesh) = &plain.mesh else { panic!("expected triangles") };
        assert_eq!(mesh.vertices[0], DVec3::new(3.0, 0.0, 0.0));
        assert_eq!(mesh.triangles, vec![[0, 1, 2], [0, 1, 3], [0, 3, 2]]);
        assert_eq!(plain.notes, ["1 polygon cut into triangles"]);
        for same in [
            format!("OFF 4 2 5\n{body}\n"),
            format!("4 2\n{body}\n"),
            format!("# first\nOFF # a\n# b\n\n4 2 0 # c\n\n{body} # d\n"),
            format!("OFF\r\n4 2 0\r\n{}\r\n", body.replace('\n', "\r\n")),
        ] {
            assert_eq!(read(&same).unwrap(), plain, "{same}");
        }
    }

    #[test]
    fn attributes_are_left_out() {
        let text = "STCNOFF\n3 3 0\n0 0 0 0 0 1 255 0 0 255 0 0\n1 0 0 1 1 1 1\n0 1 0\n3 0 1 2 0.5 0 0\n2 0 1\n1 2\n9";
        let contents = read(text).unwrap();
        assert_eq!(contents.mesh.element_count(), 1);
        assert_eq!(
            contents.notes,
            [
                "normals, colours or texture coordinates of vertices left out",
                "2 faces with fewer than three corners left out",
                "colours of faces left out",
                "text after the last face, from line 9 on, left out"
            ]
        );
    }

    #[test]
    fn errors_name_line_and_remedy() {
        for (text, expected) in [
            ("", "line 1: the file ends where OFF is expected"),
            ("OFF\n", "line 2: the file ends where the number of vertices is expected"),
            ("OFF\nx", "line 2: expected the number of vertices, found `x`"),
            ("OFF BINARY\n", "binary OFF is not supported; export it as ASCII OFF, or as PLY"),
            ("4OFF\n1 1 0\n", "4OFF with points outside of space is not supported"),
            ("OFF\n1 1 0\n0 nan 0\n", "line 3: y is NaN"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "line 4: a face uses vertex 1, there are 1"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "line 4: expected a vertex index, found `-1`"),
            ("OFF\n1 2 0\n0 0 0\n3 0 0 0\n", "line 5: the file ends where the number of corners"),
            ("OFF\n18446744073709551615 1 0\n", "line 3: the file ends where x is expected"),
            (
                "OFF\n1 18446744073709551615 0\n0 0 0\n9 0 0 0 0 0 0 0 0 0\n",
                "the file ends where the number of corners",
            ),
            ("OFF\n1 0 0\n0 0 0\n", "the file has no tets and no triangles; export the faces"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn content_tells_off() {
        for text in ["OFF\n3 1 0", "OFF 3 1 0", "COFF # c\n3 1", "STCN4nOFF 3", "OFF BINARY\n"] {
            assert!(recognises(text.as_bytes()), "{text}");
        }
        for text in ["OFF", "OFFSET 3", "TAKEOFF 3 1 0", "off course", "3 1 0"] {
            assert!(!recognises(text.as_bytes()), "{text}");
        }
    }
}
