//! Reads TetGen files.

use super::Files;
use crate::budget::Budget;
use crate::references::{Referenced, Tables};
use crate::scan::shown;
use crate::words::{Words, parse, parse_real};
use crate::{Contents, ReadError, counted};
use pliant_mesh::DVec3;

pub(super) fn read_files(files: &Files) -> Result<Contents, ReadError> {
    let Files { node, ele, face } = files;
    let mut reader =
        Reader::new(node.len() + [ele, face].into_iter().flatten().map(|text| text.len()).sum::<usize>());
    reader.file(".node", node, Reader::nodes)?;
    let others = [(".ele", ele, Reader::elements as ReadFile), (".face", face, Reader::faces)];
    for (name, text, read) in others {
        if let Some(text) = text {
            reader.file(name, text, read)?;
        }
    }
    if reader.tables.tets.elements.is_empty() && reader.tables.triangles.elements.is_empty() {
        return Err(ReadError::Empty { remedy: "put the .ele or .face file beside the .node file" });
    }
    reader.finish()
}

/// Reads one of the files.
type ReadFile = fn(&mut Reader, &mut Words) -> Result<(), ReadError>;

struct Reader {
    budget: Budget,
    /// The number of the first vertex, from the `.node` file.
    base: i64,
    tables: Tables,
    /// Elements with nodes on their edges.
    second_order: usize,
    /// Whether the attributes of elements are numbers of regions.
    whole_attributes: bool,
    notes: Vec<String>,
}

impl Reader {
    fn new(bytes: usize) -> Self {
        Self {
            budget: Budget::new(bytes),
            base: 0,
            tables: Tables::default(),
            second_order: 0,
            whole_attributes: true,
            notes: Vec::new(),
        }
    }

    /// Reads a file to its end. Errors name the file.
    fn file(&mut self, name: &str, text: &[u8], read: ReadFile) -> Result<(), ReadError> {
        let mut words = Words::new(crate::without_mark(text));
        read(self, &mut words)
            .map_err(|error| ReadError::InFile { path: name.into(), error: Box::new(error) })?;
        if words.word().is_some() {
            self.notes.push(format!("text from line {} of the {name} file on left out", words.line()));
        }
        Ok(())
    }

    fn nodes(&mut self, words: &mut Words) -> Result<(), ReadError> {
        let count: usize = words.number("the number of points")?;
        let [dimension, attributes, markers] = header(words, [3, 0, 0])?;
        if dimension != 2 && dimension != 3 {
            return Err(words.error(format!("points have {dimension} coordinates")));
        }
        let room = count.min(words.remaining() / (2 * (dimension + 1)) + 1);
        self.budget.reserve(&mut self.tables.vertices, room)?;
        self.budget.reserve(&mut self.tables.vertex_references, room)?;
        for k in 0..count {
            let number: i64 = words.number("the number of a point")?;
            if k == 0 {
                self.base = number;
            }
            if number.checked_sub(self.base) != i64::try_from(k).ok() {
                return Err(words.error(format!("point {number} does not continue the numbering")));
            }
            let [x, y] = [words.finite("x")?, words.finite("y")?];
            let z = if dimension == 3 { words.finite("z")? } else { 0.0 };
            for _ in 0..attributes {
                words.finite("an attribute")?;
            }
            let marker = if markers > 0 { whole(words, "a marker")? } else { 0 };
            words.rest_of_line();
            self.tables.vertices.push(DVec3::new(x, y, z));
            self.tables.vertex_references.push(marker);
        }
        if attributes > 0 {
            self.notes.push("attributes of points left out".to_string());
        }
        Ok(())
    }

    fn elements(&mut self, words: &mut Words) -> Result<(), ReadError> {
        let count: usize = words.number("the number of elements")?;
        let [corners, attributes] = header(words, [4, 0])?;
        if matches!(corners, 6 | 10) {
            self.second_order += count;
        }
        match corners {
            3 | 6 => self.tables.triangles = self.list(words, [count, corners, attributes])?,
            4 | 10 => self.tables.tets = self.list(words, [count, corners, attributes])?,
            other => return Err(words.error(format!("elements have {other} corners, expected 3 or 4"))),
        }
        Ok(())
    }

    fn faces(&mut self, words: &mut Words) -> Result<(), ReadError> {
        let count: usize = words.number("the number of faces")?;
        let [markers] = header(words, [0])?;
        // A face of second order has six nodes, which the header does not say; its marker is not looked for.
        let markers = if self.second_order > 0 { 0 } else { markers };
        let faces = self.list(words, [count, 3, markers])?;
        // Triangle has no `.face` files: triangles of a `.ele` file stay what they are.
        if self.tables.triangles.elements.is_empty() {
            self.tables.triangles = faces;
        }
        Ok(())
    }

    /// Reads `count` lines of a number, `corners` vertices of which the first `N` are used, and `attributes`, of
    /// which the first is used.
    fn list<const N: usize>(
        &mut self,
        words: &mut Words,
        [count, corners, attributes]: [usize; 3],
    ) -> Result<Referenced<N>, ReadError> {
        let vertices = self.tables.vertices.len();
        let mut list = Referenced::default();
        let room = count.min(words.remaining() / (2 * (corners + 1)) + 1);
        self.budget.reserve(&mut list.elements, room)?;
        self.budget.reserve(&mut list.references, room)?;
        for _ in 0..count {
            words.number::<i64>("the number of an element")?;
            let mut element = [0; N];
            for k in 0..corners {
                let number: i64 = words.number("a vertex number")?;
                let index = number.checked_sub(self.base).and_then(|i| u32::try_from(i).ok());
                let Some(index) = index.filter(|&i| (i as usize) < vertices) else {
                    return Err(words.error(format!("an element uses vertex {number}, there are {vertices}")));
                };
                if let Some(corner) = element.get_mut(k) {
                    *corner = index;
                }
            }
            let reference = if attributes > 0 { self.attribute(words)? } else { 0 };
            words.rest_of_line();
            list.elements.push(element);
            list.references.push(reference);
        }
        Ok(list)
    }

    /// The number of a region, which TetGen writes as a real number.
    fn attribute(&mut self, words: &mut Words) -> Result<i64, ReadError> {
        let value = words.finite("an attribute")?;
        let whole = value.fract() == 0.0 && value.abs() < 1e15;
        self.whole_attributes &= whole;
        Ok(if whole { value as i64 } else { 0 })
    }

    fn finish(mut self) -> Result<Contents, ReadError> {
        let tables = &mut self.tables;
        let solid = !tables.tets.elements.is_empty();
        let elements = if solid { tables.tets.elements.len() } else { tables.triangles.elements.len() };
        if u32::try_from(elements.max(tables.vertices.len())).is_err() {
            return Err(ReadError::TooLarge);
        }
        if self.second_order > 0 {
            let count = counted(self.second_order, "element");
            self.notes.push(format!("{count} of second order: nodes on edges left out"));
        }
        if !self.whole_attributes {
            tables.tets.references.fill(0);
            tables.triangles.references.fill(0);
            self.notes.push("attributes of elements, which are not whole numbers, left out".to_string());
        }
        self.tables.finish(&mut self.budget, "TetGen", self.notes)
    }
}

/// The rest of the first line, where numbers that are left out have their usual values.
fn header<const N: usize>(words: &mut Words, usual: [usize; N]) -> Result<[usize; N], ReadError> {
    let mut numbers = usual;
    let line = words.rest_of_line();
    for (number, word) in
        numbers.iter_mut().zip(line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()))
    {
        *number = parse(word)
            .filter(|&n: &usize| n < 1000)
            .ok_or_else(|| words.error(format!("expected a small number, found `{}`", shown(word))))?;
    }
    Ok(numbers)
}

/// A whole number, maybe written as a real one.
fn whole(words: &mut Words, what: &str) -> Result<i64, ReadError> {
    let word = words.expected(what)?;
    let real = || parse_real(word).filter(|v| v.fract() == 0.0 && v.abs() < 1e15).map(|v| v as i64);
    parse(word).or_else(real).ok_or_else(|| words.error(format!("expected {what}, found `{}`", shown(word))))
}
