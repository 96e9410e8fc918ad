//! Reads STL.

use super::weld::Welder;
use super::{HEADER, TRIANGLE, announced};
use crate::budget::Budget;
use crate::groups::{add_corners, spread};
use crate::scan::{DAMAGED, Scanner, shown};
use crate::{Contents, ReadError, counted};
use pliant_mesh::{DVec3, Group, Groups, Mesh, TriMesh};
use std::collections::BTreeMap;

pub(super) fn read_binary(bytes: &[u8]) -> Result<Contents, ReadError> {
    let at_end = |cause: String| ReadError::AtByte { offset: bytes.len(), cause, remedy: DAMAGED };
    let Some(count) = announced(bytes) else {
        return Err(at_end("the file ends within the header of 84 bytes".to_string()));
    };
    let body = &bytes[HEADER..];
    if body.len() / TRIANGLE < count {
        return Err(at_end(format!("the file ends after {} of {count} triangles", body.len() / TRIANGLE)));
    }
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(count);
    for (k, record) in body.chunks_exact(TRIANGLE).take(count).enumerate() {
        let mut corners = [0; 3];
        for (corner, point) in corners.iter_mut().zip(points(record)) {
            if !point.is_finite() {
                let cause = format!("a corner of triangle {k} is at {:?}", point.to_array());
                return Err(ReadError::AtByte { offset: HEADER + k * TRIANGLE, cause, remedy: DAMAGED });
            }
            *corner = welder.vertex(point).ok_or(ReadError::TooLarge)?;
        }
        triangles.push(corners);
    }
    let mut contents = finish(welder, triangles, Groups::new(), "STL binary")?;
    let trailing = body.len() - count * TRIANGLE;
    if trailing > 0 {
        contents.notes.push(format!("{} after the last triangle left out", counted(trailing, "byte")));
    }
    Ok(contents)
}

/// The corners of a triangle record.
fn points(record: &[u8]) -> [DVec3; 3] {
    let number = |at: usize| {
        let bytes = record.get(at..at + 4).and_then(|b| b.try_into().ok()).unwrap_or_default();
        f64::from(f32::from_le_bytes(bytes))
    };
    // The normal comes first; it follows from the corners.
    [12, 24, 36].map(|at| DVec3::new(number(at), number(at + 4), number(at + 8)))
}

pub(super) fn read_ascii(text: &[u8]) -> Result<Contents, ReadError> {
    let mut reader = Ascii::new(text);
    while let Some(word) = reader.scan.word() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(reader.scan.error(format!("expected solid, found `{}`", shown(word))));
        }
        reader.solid()?;
    }
    let Ascii { welder, triangles, names, solids, mut budget, .. } = reader;
    let sets = (0..names.len() as u32).map(|k| (i64::from(k) + 1, vec![k])).collect();
    let mut lists = spread(names.len(), &solids, &sets, &mut budget)?;
    let mut groups = Groups::new();
    for (name, number) in names {
        let elements = std::mem::take(&mut lists[number as usize - 1]);
        if !elements.is_empty() {
            groups.insert(name, Group { vertices: Vec::new(), elements });
        }
    }
    add_corners(&mut groups, &triangles, welder.vertices.len(), &mut budget)?;
    finish(welder, triangles, groups, "STL ASCII")
}

struct Ascii<'a> {
    scan: Scanner<'a>,
    welder: Welder,
    triangles: Vec<[u32; 3]>,
    /// Numbers of the solids by name, from one.
    names: BTreeMap<String, i64>,
    /// The number of each triangle's solid; zero without a name.
    solids: Vec<i64>,
    budget: Budget,
}

impl<'a> Ascii<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            scan: Scanner::new(text),
            welder: Welder::default(),
            triangles: Vec::new(),
            names: BTreeMap::new(),
            solids: Vec::new(),
            budget: Budget::new(text.len()),
        }
    }

    /// A solid after its first word.
    fn solid(&mut self) -> Result<(), ReadError> {
        let name = String::from_utf8_lossy(self.scan.rest_of_line());
        let solid = match self.names.get(&*name) {
            _ if name.is_empty() => 0,
            Some(&number) => number,
            None => {
                self.budget.group(&name)?;
                let next = self.names.len() as i64 + 1;
                self.names.insert(name.into_owned(), next);
                next
            }
        };
        loop {
            match self.scan.word() {
                Some(word) if word.eq_ignore_ascii_case(b"facet") => self.facet(solid)?,
                Some(word) if word.eq_ignore_ascii_case(b"endsolid") => break,
                word => return Err(self.unexpected("facet or endsolid", word)),
            }
        }
        // The name once more.
        self.scan.rest_of_line();
        Ok(())
    }

    fn facet(&mut self, solid: i64) -> Result<(), ReadError> {
        self.keyword("normal")?;
        for _ in 0..3 {
            // Some programs write `nan` for the normal of a flat triangle.
            self.scan.number::<f64>("a normal")?;
        }
        self.keyword("outer")?;
        self.keyword("loop")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            self.keyword("vertex")?;
            let point = self.scan.point()?;
            *corner = self.welder.vertex(point).ok_or(ReadError::TooLarge)?;
        }
        self.keyword("endloop")?;
        self.keyword("endfacet")?;
        self.triangles.push(corners);
        self.solids.push(solid);
        Ok(())
    }

    fn keyword(&mut self, expected: &str) -> Result<(), ReadError> {
        match self.scan.word() {
            Some(word) if word.eq_ignore_ascii_case(expected.as_bytes()) => Ok(()),
            word => Err(self.unexpected(expected, word)),
        }
    }

    fn unexpected(&self, expected: &str, word: Option<&[u8]>) -> ReadError {
        self.scan.error(match word {
            Some(word) => format!("expected {expected}, found `{}`", shown(word)),
            None => format!("the file ends where {expected} is expected"),
        })
    }
}

fn finish(
    welder: Welder,
    triangles: Vec<[u32; 3]>,
    groups: Groups,
    format: &str,
) -> Result<Contents, ReadError> {
    if triangles.is_empty() {
        return Err(ReadError::Empty { remedy: "export the triangles" });
    }
    if u32::try_from(triangles.len()).is_err() {
        return Err(ReadError::TooLarge);
    }
    let mut vertices = welder.vertices;
    vertices.shrink_to_fit();
    let notes =
        vec![format!("{} welded into {} vertices", counted(welder.corners, "corner"), vertices.len())];
    let mesh = Mesh::Tri(TriMesh { vertices, triangles, groups });
    Ok(Contents { mesh, format: format.to_string(), notes })
}
