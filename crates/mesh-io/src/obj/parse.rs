//! Reads OBJ statements into a mesh.

use super::SKIPPED;
use super::statements::{Statements, bound_vertices, count_triangles};
use crate::budget::Budget;
use crate::groups::add_corners;
use crate::names::decode;
use crate::polygon::Faces;
use crate::scan::shown;
use crate::words::parse;
use crate::{Contents, ReadError, counted, without_mark};
use pliant_mesh::{DVec3, Group, Groups, Mesh, TriMesh};
use std::collections::BTreeMap;

const INDEX_REMEDY: &str = "use numbers from 1 to the number of `v` lines, or negative ones counted back";

/// What OBJ calls the group of faces that are in none.
pub(super) const NO_GROUP: &str = "default";

/// Reads a Wavefront OBJ file from memory: always a [`Mesh::Tri`].
///
/// Faces may use `v`, `v/vt`, `v//vn` and `v/vt/vn` and negative indices. `o` and `g` names become groups.
pub(super) fn read_obj(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = without_mark(bytes);
    let mut parser = Parser::new(bytes.len());
    let mut statements = Statements::new(text);
    while let Some((line, statement)) = statements.next() {
        parser.statement(&statement, line, statements.rest())?;
    }
    parser.finish()
}

/// Faces from one triangle on, up to the next run, that belong to the same groups.
struct Run {
    first: u32,
    /// Where the groups of the run end in the list of groups of all runs.
    groups_end: usize,
}

struct Parser {
    budget: Budget,
    vertices: Vec<DVec3>,
    faces: Faces,
    /// Numbers of the groups by name, in the order in which faces met them.
    numbers: BTreeMap<String, u32>,
    runs: Vec<Run>,
    groups_of_runs: Vec<u32>,
    /// Name and number of the object. Its name may be long and its groups many, so it is looked up once.
    object: Option<(String, Option<u32>)>,
    names: Vec<String>,
    /// Whether `object` or `names` changed since the last run.
    changed: bool,
    polygon: Vec<u32>,
    left_out: BTreeMap<&'static str, usize>,
}

impl Parser {
    fn new(file_bytes: usize) -> Self {
        Self {
            budget: Budget::new(file_bytes),
            vertices: Vec::new(),
            faces: Faces::default(),
            numbers: BTreeMap::new(),
            runs: Vec::new(),
            groups_of_runs: Vec::new(),
            object: None,
            names: Vec::new(),
            changed: false,
            polygon: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Reads a statement; `rest` is the text after it.
    fn statement(&mut self, text: &[u8], line: usize, rest: &[u8]) -> Result<(), ReadError> {
        let mut words = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let Some(keyword) = words.next() else {
            return Ok(());
        };
        match keyword {
            b"v" => self.vertex(words, line, rest),
            b"f" => self.face(words, line, rest),
            b"o" => {
                let name = text.trim_ascii().strip_prefix(b"o").unwrap_or_default().trim_ascii();
                self.object = (!name.is_empty()).then(|| (String::from_utf8_lossy(name).into_owned(), None));
                self.names.clear();
                self.changed = true;
                Ok(())
            }
            b"g" => {
                self.names = words.filter(|word| *word != NO_GROUP.as_bytes()).map(decode).collect();
                self.changed = true;
                Ok(())
            }
            _ => match SKIPPED.iter().find(|s| s.as_bytes() == keyword) {
                Some(&skipped) => {
                    *self.left_out.entry(skipped).or_default() += 1;
                    Ok(())
                }
                None => Err(ReadError::At {
                    line,
                    cause: format!("`{}` is not a known OBJ statement", shown(keyword)),
                    remedy: "check that the file is a polygon OBJ",
                }),
            },
        }
    }

    fn vertex<'w>(
        &mut self,
        mut words: impl Iterator<Item = &'w [u8]>,
        line: usize,
        rest: &[u8],
    ) -> Result<(), ReadError> {
        let mut point = DVec3::ZERO;
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let word = words.next().unwrap_or_default();
            point[k] = parse::<f64>(word).filter(|v| v.is_finite()).ok_or_else(|| ReadError::At {
                line,
                cause: format!("expected a finite {axis} coordinate, found `{}`", shown(word)),
                remedy: "write three numbers: v x y z",
            })?;
        }
        if self.vertices.len() == self.vertices.capacity() {
            self.budget.reserve(&mut self.vertices, 1 + bound_vertices(rest))?;
        }
        self.vertices.push(point);
        Ok(())
    }

    fn face<'w>(
        &mut self,
        words: impl Iterator<Item = &'w [u8]>,
        line: usize,
        rest: &[u8],
    ) -> Result<(), ReadError> {
        let mut polygon = std::mem::take(&mut self.polygon);
        polygon.clear();
        for word in words {
            polygon.push(self.corner(word, line)?);
        }
        if polygon.len() < 3 {
            let cause = format!("a face has {} corners", polygon.len());
            return Err(ReadError::At { line, cause, remedy: "give it three or more, or remove it" });
        }
        if std::mem::take(&mut self.changed) {
            self.start_run()?;
        }
        let triangles = polygon.len() - 2;
        self.faces.room(triangles, &mut self.budget, || triangles + count_triangles(rest))?;
        self.faces.push(&polygon, line)?;
        self.polygon = polygon;
        Ok(())
    }

    /// Vertex index, from zero, of a corner such as `7`, `7/1`, `7//2` or `-1/2/3`.
    fn corner(&mut self, word: &[u8], line: usize) -> Result<u32, ReadError> {
        let number = word.split(|&b| b == b'/').next().unwrap_or_default();
        let bad = |cause| ReadError::At { line, cause, remedy: INDEX_REMEDY };
        let count = self.vertices.len() as i64;
        let index = match parse::<i64>(number) {
            Some(n) if n > 0 => n - 1,
            Some(n) if n < 0 && count.saturating_add(n) >= 0 => count + n,
            Some(n) => return Err(bad(format!("a face uses vertex {n}, there are {count} so far"))),
            None => return Err(bad(format!("expected a vertex number, found `{}`", shown(word)))),
        };
        u32::try_from(index).map_err(|_| bad(format!("a face uses vertex {}", shown(number))))
    }

    /// The number of a group.
    fn number(&mut self, name: &str) -> Result<u32, ReadError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        self.budget.group(name)?;
        let next = self.numbers.len() as u32;
        self.numbers.insert(name.to_string(), next);
        Ok(next)
    }

    /// The faces that follow belong to other groups than those before.
    fn start_run(&mut self) -> Result<(), ReadError> {
        let start = self.groups_of_runs.len();
        if let Some((name, number)) = self.object.take() {
            let number = number.map_or_else(|| self.number(&name), Ok)?;
            self.groups_of_runs.push(number);
            self.object = Some((name, Some(number)));
        }
        for name in std::mem::take(&mut self.names) {
            let number = self.number(&name)?;
            self.groups_of_runs.push(number);
        }
        self.groups_of_runs[start..].sort_unstable();
        let mut end = start;
        for k in start..self.groups_of_runs.len() {
            if end == start || self.groups_of_runs[end - 1] != self.groups_of_runs[k] {
                self.groups_of_runs[end] = self.groups_of_runs[k];
                end += 1;
            }
        }
        self.groups_of_runs.truncate(end);
        self.budget.take(size_of::<Run>() + (end - start) * size_of::<u32>())?;
        let first = u32::try_from(self.faces.triangles.len()).map_err(|_| ReadError::TooLarge)?;
        self.runs.push(Run { first, groups_end: end });
        Ok(())
    }

    fn finish(mut self) -> Result<Contents, ReadError> {
        if self.faces.triangles.is_empty() {
            return Err(ReadError::Empty { remedy: "export the faces as polygons (`f` lines)" });
        }
        let count = self.vertices.len();
        let mut notes = Vec::new();
        let triangles =
            std::mem::take(&mut self.faces).finish(&self.vertices, &mut notes, |index, line| {
                let cause = format!("a face uses vertex {}, but there are {count}", u64::from(index) + 1);
                ReadError::At { line, cause, remedy: INDEX_REMEDY }
            })?;
        notes.extend(self.left_out_notes());
        self.vertices.shrink_to_fit();
        let groups = self.groups(&triangles)?;
        let mesh = TriMesh { vertices: self.vertices, triangles, groups };
        Ok(Contents { mesh: Mesh::Tri(mesh), format: "Wavefront OBJ".to_string(), notes })
    }

    /// What was left out, in a few words. Display state is not worth a word.
    fn left_out_notes(&self) -> Vec<String> {
        let count = |keyword| self.left_out.get(keyword).copied().unwrap_or(0);
        let mut notes = Vec::new();
        for (keyword, noun) in [("l", "polyline"), ("p", "point element")] {
            if count(keyword) > 0 {
                notes.push(format!("{} left out", counted(count(keyword), noun)));
            }
        }
        let attributes: Vec<&str> =
            [("vn", "normals"), ("vt", "texture coordinates"), ("usemtl", "materials")]
                .into_iter()
                .filter_map(|(keyword, noun)| (count(keyword) > 0).then_some(noun))
                .collect();
        if !attributes.is_empty() {
            notes.push(format!("{} left out", attributes.join(", ")));
        }
        notes
    }

    fn groups(&mut self, triangles: &[[u32; 3]]) -> Result<Groups, ReadError> {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); self.numbers.len()];
        let mut sizes = vec![0; lists.len()];
        self.each_run(triangles.len(), |number, faces| sizes[number] += faces.len());
        for (list, &size) in lists.iter_mut().zip(&sizes) {
            self.budget.reserve(list, size)?;
        }
        self.each_run(triangles.len(), |number, faces| lists[number].extend(faces));
        let mut groups: Groups = std::mem::take(&mut self.numbers)
            .into_iter()
            .map(|(name, number)| {
                let elements = std::mem::take(&mut lists[number as usize]);
                (name, Group { vertices: Vec::new(), elements })
            })
            .collect();
        add_corners(&mut groups, triangles, self.vertices.len(), &mut self.budget)?;
        Ok(groups)
    }

    /// Calls `each` with the number of a group and a range of triangles in it, for all of them.
    fn each_run(&self, triangles: usize, mut each: impl FnMut(usize, std::ops::Range<u32>)) {
        let mut start = 0;
        for (k, run) in self.runs.iter().enumerate() {
            let end = self.runs.get(k + 1).map_or(triangles as u32, |next| next.first);
            for &number in &self.groups_of_runs[start..run.groups_end] {
                each(number as usize, run.first..end);
            }
            start = run.groups_end;
        }
    }
}
