//! Wavefront OBJ: vertices, faces and their groups. Materials, normals and textures are skipped.

use super::scan::shown;
use super::{Contents, Family, ReadError, Source, without_mark};
use crate::boundary::sorted_unique;
use crate::tidy::drop_unused;
use crate::{Group, Groups, Mesh, Point, TriMesh};

pub(super) const FAMILY: Family = Family { endings: &["obj"], recognises: |_| false, read, formats: &[] };

fn read(source: &Source) -> Result<Contents, ReadError> {
    let mesh = read_obj(source.bytes())?;
    Ok(Contents { mesh, format: "Wavefront OBJ".to_string(), notes: Vec::new() })
}

/// A face belongs to no more groups than this. A bound is needed because faces times groups would outgrow
/// the file.
const MAX_GROUPS: usize = 8;

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

const INDEX_REMEDY: &str = "use numbers from 1 to the number of `v` lines, or negative ones counted back";

/// Reads a Wavefront OBJ file from memory: always a [`Mesh::Tri`].
///
/// Faces may use `v`, `v/vt`, `v//vn` and `v/vt/vn` and negative indices. Polygons are cut into a fan from
/// their first corner, which suits convex ones. `o` and `g` names become groups. Vertices that no face uses
/// are dropped.
pub(crate) fn read_obj(bytes: &[u8]) -> Result<Mesh, ReadError> {
    let mut parser = Parser::default();
    // A backslash at the end of a line joins it with the next.
    let mut joined: Vec<u8> = Vec::new();
    let mut start = 0;
    for (n, line) in without_tail(without_mark(bytes)).split(|&b| b == b'\n').enumerate() {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default().trim_ascii_end();
        if joined.is_empty() {
            start = n + 1;
        }
        if let Some(part) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(part);
            joined.push(b' ');
        } else if joined.is_empty() {
            parser.statement(line, start)?;
        } else {
            joined.extend_from_slice(line);
            parser.statement(&joined, start)?;
            joined.clear();
        }
    }
    parser.statement(&joined, start)?;
    parser.finish()
}

/// The bytes without the zeros or control-Z with which some old programs end a text.
fn without_tail(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !matches!(b, 0 | 0x1a) && !b.is_ascii_whitespace());
    &bytes[..end.map_or(0, |last| last + 1)]
}

#[derive(Default)]
struct Parser {
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    /// The largest vertex number of any face and its line: vertices may follow their faces.
    largest: (u64, usize),
    groups: Groups,
    object: Option<String>,
    names: Vec<String>,
    polygon: Vec<u32>,
}

impl Parser {
    fn statement(&mut self, text: &[u8], line: usize) -> Result<(), ReadError> {
        let mut words = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let Some(keyword) = words.next() else {
            return Ok(());
        };
        match keyword {
            b"v" => self.vertex(words, line),
            b"f" => self.face(words, line),
            b"o" => {
                let name = text.trim_ascii().strip_prefix(b"o").unwrap_or_default().trim_ascii();
                self.object = (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned());
                self.names.clear();
                Ok(())
            }
            b"g" => self.group_names(words, line),
            _ if SKIPPED.iter().any(|s| s.as_bytes() == keyword) => Ok(()),
            _ => Err(ReadError::At {
                line,
                cause: format!("`{}` is not a known OBJ statement", shown(keyword)),
                remedy: "check that the file is a polygon OBJ",
            }),
        }
    }

    fn vertex<'a>(
        &mut self,
        mut words: impl Iterator<Item = &'a [u8]>,
        line: usize,
    ) -> Result<(), ReadError> {
        let mut point = [0.0; 3];
        for (axis, c) in ["x", "y", "z"].into_iter().zip(&mut point) {
            let word = words.next().unwrap_or_default();
            *c = parse::<f64>(word).filter(|v| v.is_finite()).ok_or_else(|| ReadError::At {
                line,
                cause: format!("expected a finite {axis} coordinate, found `{}`", shown(word)),
                remedy: "write three numbers: v x y z",
            })?;
        }
        self.vertices.push(point);
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, line: usize) -> Result<(), ReadError> {
        self.polygon.clear();
        for word in words {
            let index = self.corner(word, line)?;
            self.polygon.push(index);
        }
        if self.polygon.len() < 3 {
            let cause = format!("a face has {} corners", self.polygon.len());
            return Err(ReadError::At { line, cause, remedy: "give it three or more, or remove it" });
        }
        let first = u32::try_from(self.triangles.len()).map_err(|_| ReadError::TooLarge)?;
        let fan = self.polygon.windows(2).skip(1);
        self.triangles.extend(fan.map(|pair| [self.polygon[0], pair[0], pair[1]]));
        let end = u32::try_from(self.triangles.len()).map_err(|_| ReadError::TooLarge)?;
        for name in self.object.iter().chain(&self.names) {
            let group = match self.groups.get_mut(name) {
                Some(group) => group,
                None => self.groups.entry(name.clone()).or_default(),
            };
            group.elements.extend(first..end);
        }
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
        self.largest = self.largest.max((index.unsigned_abs(), line));
        u32::try_from(index).map_err(|_| bad(format!("a face uses vertex {}", shown(number))))
    }

    fn group_names<'a>(
        &mut self,
        words: impl Iterator<Item = &'a [u8]>,
        line: usize,
    ) -> Result<(), ReadError> {
        self.names = words.map(|w| String::from_utf8_lossy(w).into_owned()).collect();
        self.names.sort_unstable();
        self.names.dedup();
        self.names.retain(|n| Some(n) != self.object.as_ref());
        if self.names.len() > MAX_GROUPS {
            let cause = format!("faces belong to {} groups, more than {MAX_GROUPS}", self.names.len());
            return Err(ReadError::At { line, cause, remedy: "put them in fewer groups" });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Mesh, ReadError> {
        if self.triangles.is_empty() {
            return Err(ReadError::Empty { remedy: "export the faces as polygons (`f` lines)" });
        }
        let (index, line) = self.largest;
        let count = self.vertices.len();
        if index >= count as u64 {
            let cause = format!("a face uses vertex {}, but there are {count}", index + 1);
            return Err(ReadError::At { line, cause, remedy: INDEX_REMEDY });
        }
        for Group { vertices, elements } in self.groups.values_mut() {
            let corners = elements.iter().flat_map(|&t| self.triangles[t as usize]);
            *vertices = sorted_unique(corners.collect());
        }
        drop_unused(&mut self.vertices, &mut self.triangles, &mut self.groups);
        Ok(Mesh::Tri(TriMesh { vertices: self.vertices, triangles: self.triangles, groups: self.groups }))
    }
}

fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
