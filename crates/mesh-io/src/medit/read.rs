//! Reads MEDIT files.

use crate::budget::Budget;
use crate::polygon::Faces;
use crate::references::Tables;
use crate::scan::{DAMAGED, shown};
use crate::words::{Words, parse, parse_real};
use crate::{Contents, ReadError};
use pliant_mesh::DVec3;

pub(super) fn read_ascii(text: &[u8]) -> Result<Contents, ReadError> {
    let mut reader = Reader::new(text);
    reader.sections()?;
    reader.finish()
}

struct Reader<'a> {
    words: Words<'a>,
    budget: Budget,
    dimension: usize,
    tables: Tables,
    faces: Faces,
    /// The largest vertex index of a tet and its line: vertices may follow.
    largest: (u32, usize),
    left_out: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            words: Words::new(text),
            budget: Budget::new(text.len()),
            dimension: 3,
            tables: Tables::default(),
            faces: Faces::default(),
            largest: (0, 0),
            left_out: Vec::new(),
        }
    }

    /// Reads sections up to `End`.
    fn sections(&mut self) -> Result<(), ReadError> {
        let mut next = None;
        loop {
            let Some(keyword) = next.take().or_else(|| self.words.word()) else {
                return Err(ReadError::At {
                    line: self.words.line(),
                    cause: "the file ends before `End`".to_string(),
                    remedy: "the file is cut, export it again; if it is whole, add a line `End`",
                });
            };
            match keyword {
                b"MeshVersionFormatted" => self.version()?,
                b"Dimension" => self.dimension()?,
                b"Vertices" => self.vertices()?,
                b"Triangles" => self.triangles(3)?,
                b"Quadrilaterals" => self.triangles(4)?,
                b"Tetrahedra" => self.tets()?,
                b"Hexahedra" | b"Prisms" | b"Pyramids" => {
                    if self.words.number::<u64>("a count")? > 0 {
                        return Err(unsupported(keyword));
                    }
                }
                b"End" => return Ok(()),
                _ if keyword[0].is_ascii_alphabetic() => next = self.skip(keyword),
                _ => {
                    let cause = format!("expected a section such as Vertices, found `{}`", shown(keyword));
                    return Err(self.words.error(cause));
                }
            }
        }
    }

    fn version(&mut self) -> Result<(), ReadError> {
        let version: u64 = self.words.number("a version")?;
        match version {
            1..=4 => Ok(()),
            _ => Err(self.words.error(format!("version {version} is not known"))),
        }
    }

    fn dimension(&mut self) -> Result<(), ReadError> {
        self.dimension = self.words.number("a dimension")?;
        match self.dimension {
            2 | 3 => Ok(()),
            other => Err(self.words.error(format!("dimension {other} is neither 2 nor 3"))),
        }
    }

    /// Number of lines of a section with so many numbers each, and how many of them there can be at most.
    fn count(&mut self, columns: usize) -> Result<(usize, usize), ReadError> {
        let count: usize = self.words.number("a count")?;
        Ok((count, count.min(self.words.remaining() / (2 * columns) + 1)))
    }

    fn vertices(&mut self) -> Result<(), ReadError> {
        let (count, room) = self.count(self.dimension + 1)?;
        self.budget.reserve(&mut self.tables.vertices, room)?;
        self.budget.reserve(&mut self.tables.vertex_references, room)?;
        for _ in 0..count {
            let [x, y] = [self.words.finite("x")?, self.words.finite("y")?];
            let z = if self.dimension == 3 { self.words.finite("z")? } else { 0.0 };
            let reference = self.reference()?;
            self.tables.vertices.push(DVec3::new(x, y, z));
            self.tables.vertex_references.push(reference);
        }
        Ok(())
    }

    /// Triangles, or quadrilaterals to be cut.
    fn triangles(&mut self, corners: usize) -> Result<(), ReadError> {
        let (count, room) = self.count(corners + 1)?;
        let per_face = corners - 2;
        self.faces.room(room.saturating_mul(per_face), &mut self.budget, || 0)?;
        self.budget.reserve(&mut self.tables.triangles.references, room.saturating_mul(per_face))?;
        let mut face = [0; 4];
        for _ in 0..count {
            for corner in &mut face[..corners] {
                *corner = self.index()?;
            }
            self.faces.push(&face[..corners], self.words.line())?;
            let reference = self.reference()?;
            self.tables.triangles.references.extend((0..per_face).map(|_| reference));
        }
        Ok(())
    }

    fn tets(&mut self) -> Result<(), ReadError> {
        let (count, room) = self.count(5)?;
        self.budget.reserve(&mut self.tables.tets.elements, room)?;
        self.budget.reserve(&mut self.tables.tets.references, room)?;
        for _ in 0..count {
            let mut tet = [0; 4];
            for corner in &mut tet {
                *corner = self.index()?;
                self.largest = self.largest.max((*corner, self.words.line()));
            }
            let reference = self.reference()?;
            self.tables.tets.elements.push(tet);
            self.tables.tets.references.push(reference);
        }
        Ok(())
    }

    /// A vertex number, made to count from zero.
    fn index(&mut self) -> Result<u32, ReadError> {
        let number: u64 = self.words.number("a vertex number")?;
        let index = number.checked_sub(1).and_then(|index| u32::try_from(index).ok());
        index.ok_or_else(|| self.words.error(format!("an element uses vertex {number}")))
    }

    fn reference(&mut self) -> Result<i64, ReadError> {
        let word = self.words.expected("a reference")?;
        // Some programs write all numbers of a line as reals.
        let real = || parse_real(word).filter(|v| v.fract() == 0.0 && v.abs() < 1e15).map(|v| v as i64);
        parse(word)
            .or_else(real)
            .ok_or_else(|| self.words.error(format!("expected a reference, found `{}`", shown(word))))
    }

    /// Passes over a section up to the next keyword, which is returned.
    fn skip(&mut self, keyword: &[u8]) -> Option<&'a [u8]> {
        let mut numbers = 0;
        loop {
            let word = self.words.word()?;
            if word[0].is_ascii_alphabetic() {
                // Only a count of zero, or none, is no loss.
                const LISTED: usize = 8;
                if numbers > 1 && self.left_out.len() < LISTED {
                    self.left_out.push(shown(keyword));
                }
                return Some(word);
            }
            numbers += 1;
        }
    }

    fn finish(mut self) -> Result<Contents, ReadError> {
        let count = self.tables.vertices.len();
        if self.faces.triangles.is_empty() && self.tables.tets.elements.is_empty() {
            return Err(ReadError::Empty { remedy: "export triangles or tetrahedra" });
        }
        let too_large = |index: u32, line: usize| {
            let cause = format!("an element uses vertex {}, there are {count}", u64::from(index) + 1);
            ReadError::At { line, cause, remedy: DAMAGED }
        };
        let (index, line) = self.largest;
        if !self.tables.tets.elements.is_empty() && index as usize >= count {
            return Err(too_large(index, line));
        }
        if u32::try_from(self.tables.tets.elements.len()).is_err() {
            return Err(ReadError::TooLarge);
        }
        let mut notes = Vec::new();
        self.tables.triangles.elements = self.faces.finish(&self.tables.vertices, &mut notes, too_large)?;
        if !self.left_out.is_empty() {
            notes.push(format!("sections left out: {}", self.left_out.join(", ")));
        }
        self.tables.finish(&mut self.budget, "MEDIT ASCII", notes)
    }
}

fn unsupported(section: &[u8]) -> ReadError {
    ReadError::Unsupported {
        what: format!("a mesh with {}", shown(section).to_lowercase()),
        remedy: "cut them into tetrahedra, for example with the mesher that made them",
    }
}
