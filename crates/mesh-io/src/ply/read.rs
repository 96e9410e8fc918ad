//! Reads PLY.

use super::body::{Binary, Body, Text};
use super::header::{Element, Encoding, Header, Kind, Property, parse_header};
use crate::budget::Budget;
use crate::numbers::NumberType;
use crate::polygon::Faces;
use crate::scan::{DAMAGED, shown};
use crate::words::Words;
use crate::{Contents, ReadError, Source, counted, without_mark};
use pliant_mesh::{DVec3, Groups, Mesh, TriMesh};
use std::ptr;

pub(super) fn read(source: &Source) -> Result<Contents, ReadError> {
    let bytes = without_mark(source.bytes()).trim_ascii_start();
    let header = parse_header(bytes)?;
    let mut reader = Reader::new(bytes.len());
    let (at, line) = header.body;
    let rest = match header.encoding {
        Encoding::Ascii => {
            let mut body = Text(Words::from_line(&bytes[at..], line));
            reader.elements(&header, &mut body)?;
            usize::from(body.0.word().is_some())
        }
        Encoding::Little | Encoding::Big => {
            let mut body = Binary { bytes, at, big: header.encoding == Encoding::Big };
            reader.elements(&header, &mut body)?;
            body.remaining()
        }
    };
    if rest > 0 {
        reader.notes.push("the file continues after the last element: the rest left out".to_string());
    }
    reader.finish(&header)
}

struct Reader {
    budget: Budget,
    vertices: Vec<DVec3>,
    faces: Faces,
    /// Corners of the face that is read.
    corners: Vec<u32>,
    /// Faces with fewer than three corners.
    thin: usize,
    /// Triangles of strips that only join the parts of a strip.
    joints: usize,
    notes: Vec<String>,
}

impl Reader {
    fn new(file_bytes: usize) -> Self {
        Self {
            budget: Budget::new(file_bytes),
            vertices: Vec::new(),
            faces: Faces::default(),
            corners: Vec::new(),
            thin: 0,
            joints: 0,
            notes: Vec::new(),
        }
    }

    fn elements(&mut self, header: &Header, body: &mut impl Body) -> Result<(), ReadError> {
        for element in &header.elements {
            match element.name {
                b"vertex" => self.vertices(element, header.encoding, body)?,
                b"face" => self.faces(element, header.encoding, body)?,
                b"tristrips" => self.strips(element, body)?,
                name => {
                    self.notes.push(format!("element `{}` left out", shown(name)));
                    for_each(element, body, |body| {
                        element.properties.iter().try_for_each(|property| body.skip_property(property))
                    })?;
                }
            }
        }
        Ok(())
    }

    fn vertices(
        &mut self,
        element: &Element,
        encoding: Encoding,
        body: &mut impl Body,
    ) -> Result<(), ReadError> {
        let axes = [&b"x"[..], b"y", b"z"];
        let axis_of = |name: &[u8]| axes.iter().position(|&axis| axis == name);
        for axis in axes {
            let found = element.properties.iter().filter(|p| p.name == axis);
            if found.filter(|p| matches!(p.kind, Kind::One(_))).count() != 1 {
                return Err(body.error(format!("vertices have no property `{}`", shown(axis))));
            }
        }
        let most = body.remaining() / element.smallest(encoding).max(1) + 1;
        self.budget.reserve(&mut self.vertices, element.count.min(most))?;
        let quick = quick_point(element);
        for_each(element, body, |body| {
            if let Some(point) = quick.and_then(|number| body.quick_point(number)) {
                self.vertices.push(point);
                return element.properties[3..].iter().try_for_each(|p| body.skip_property(p));
            }
            let mut point = DVec3::ZERO;
            for property in &element.properties {
                match (axis_of(property.name), property.kind) {
                    (Some(axis), Kind::One(number)) => point[axis] = finite(body, number, property.name)?,
                    _ => body.skip_property(property)?,
                }
            }
            self.vertices.push(point);
            Ok(())
        })?;
        self.note_left_out("vertices", element, |name| axis_of(name).is_some());
        Ok(())
    }

    fn faces(
        &mut self,
        element: &Element,
        encoding: Encoding,
        body: &mut impl Body,
    ) -> Result<(), ReadError> {
        let corners = index_list(element, body)?;
        // A triangle has a count and three corners.
        let triangle = match corners.kind {
            Kind::List { count, item } if encoding != Encoding::Ascii => count.size() + 3 * item.size(),
            _ => "3 0 0 0\n".len(),
        };
        let most = body.remaining() / triangle + 1;
        self.faces.room(element.count.min(most), &mut self.budget, || 0)?;
        let quick = is_plain_list(element);
        let mut left = element.count;
        for_each(element, body, |body| {
            left -= 1;
            let bound = |body: &mut _| Body::bound_triangles(body, element, corners, left);
            if let Some(triangle) = quick.then(|| body.quick_triangle()).flatten() {
                self.faces.room(1, &mut self.budget, || 1 + bound(body))?;
                return self.faces.push(&triangle, body.place());
            }
            for property in &element.properties {
                match property.kind {
                    Kind::List { count, item } if ptr::eq(property, corners) => {
                        self.face(count, item, body)?
                    }
                    _ => body.skip_property(property)?,
                }
            }
            let triangles = self.corners.len().saturating_sub(2);
            if triangles == 0 {
                self.thin += 1;
                return Ok(());
            }
            self.faces.room(triangles, &mut self.budget, || triangles + bound(body))?;
            self.faces.push(&self.corners, body.place())
        })?;
        self.note_left_out("faces", element, |name| INDEX_NAMES.contains(&name));
        Ok(())
    }

    /// Reads the corners of a face.
    fn face(&mut self, count: NumberType, item: NumberType, body: &mut impl Body) -> Result<(), ReadError> {
        let length = body.length(count)?;
        self.corners.clear();
        for _ in 0..length {
            let index = body.whole(item, "a vertex index")?;
            let corner =
                u32::try_from(index).map_err(|_| body.error(format!("a face uses vertex {index}")))?;
            self.corners.push(corner);
        }
        Ok(())
    }

    /// Strips of triangles: each index but the first two gives one, and a negative index starts anew.
    fn strips(&mut self, element: &Element, body: &mut impl Body) -> Result<(), ReadError> {
        let corners = index_list(element, body)?;
        for_each(element, body, |body| {
            for property in &element.properties {
                match property.kind {
                    Kind::List { count, item } if ptr::eq(property, corners) => {
                        self.strip(count, item, body)?
                    }
                    _ => body.skip_property(property)?,
                }
            }
            Ok(())
        })
    }

    fn strip(&mut self, count: NumberType, item: NumberType, body: &mut impl Body) -> Result<(), ReadError> {
        let length = body.length(count)?;
        self.faces.room(length.min(body.bound(item)), &mut self.budget, || 0)?;
        let mut last: Vec<u32> = Vec::with_capacity(2);
        let mut odd = false;
        for _ in 0..length {
            let index = body.whole(item, "a vertex index")?;
            if index < 0 {
                last.clear();
                odd = false;
                continue;
            }
            let c = u32::try_from(index).map_err(|_| body.error(format!("a strip uses vertex {index}")))?;
            let &[a, b] = &last[..] else {
                last.push(c);
                continue;
            };
            if a == b || b == c || c == a {
                self.joints += 1;
            } else {
                self.faces.push(&if odd { [b, a, c] } else { [a, b, c] }, body.place())?;
            }
            odd = !odd;
            last = vec![b, c];
        }
        Ok(())
    }

    /// A note on properties that were passed over.
    fn note_left_out(&mut self, what: &str, element: &Element, used: impl Fn(&[u8]) -> bool) {
        const LISTED: usize = 6;
        let names: Vec<String> =
            element.properties.iter().filter(|p| !used(p.name)).map(|p| shown(p.name)).collect();
        if !names.is_empty() {
            let more = if names.len() > LISTED { ", ..." } else { "" };
            let listed = names[..names.len().min(LISTED)].join(", ");
            self.notes.push(format!("properties of {what} left out: {listed}{more}"));
        }
    }

    fn finish(mut self, header: &Header) -> Result<Contents, ReadError> {
        if self.faces.triangles.is_empty() {
            return Err(ReadError::Empty { remedy: "export the faces; a point cloud is no surface" });
        }
        let count = self.vertices.len();
        let ascii = header.encoding == Encoding::Ascii;
        let triangles = self.faces.finish(&self.vertices, &mut self.notes, |index, place| {
            let cause = format!("a face uses vertex {index}, there are {count}");
            match ascii {
                true => ReadError::At { line: place, cause, remedy: DAMAGED },
                false => ReadError::AtByte { offset: place, cause, remedy: DAMAGED },
            }
        })?;
        for (count, noun, why) in [
            (self.thin, "face", "with fewer than three corners left out"),
            (self.joints, "triangle", "that only join strips left out"),
        ] {
            if count > 0 {
                self.notes.push(format!("{} {why}", counted(count, noun)));
            }
        }
        let encoding = match header.encoding {
            Encoding::Ascii => "ASCII",
            Encoding::Little => "binary little endian",
            Encoding::Big => "binary big endian",
        };
        let mesh = Mesh::Tri(TriMesh { vertices: self.vertices, triangles, groups: Groups::new() });
        Ok(Contents { mesh, format: format!("PLY {encoding}"), notes: self.notes })
    }
}

/// Names that programs give to the corners of a face.
const INDEX_NAMES: [&[u8]; 2] = [b"vertex_indices", b"vertex_index"];

/// The property with the corners.
fn index_list<'e, 'a>(element: &'e Element<'a>, body: &impl Body) -> Result<&'e Property<'a>, ReadError> {
    let is_list = |p: &&Property| matches!(p.kind, Kind::List { .. }) && INDEX_NAMES.contains(&p.name);
    let found: Vec<_> = element.properties.iter().filter(is_list).collect();
    match found[..] {
        [only] => Ok(only),
        _ => Err(body.error("faces have no list `vertex_indices`".to_string())),
    }
}

/// The type of the coordinates if they come first, in order and all in the same type.
fn quick_point(element: &Element) -> Option<NumberType> {
    match element.properties.get(..3)? {
        [
            Property { name: b"x", kind: Kind::One(x) },
            Property { name: b"y", kind: Kind::One(y) },
            Property { name: b"z", kind: Kind::One(z) },
        ] => (x == y && y == z).then_some(*x),
        _ => None,
    }
}

/// Whether elements are nothing but a list with a length of one byte and indices of four.
fn is_plain_list(element: &Element) -> bool {
    use NumberType::{I32, U8, U32};
    matches!(element.properties[..], [Property { kind: Kind::List { count: U8, item: I32 | U32 }, .. }])
}

/// Calls `each` as often as there are elements. Elements without properties take no bytes, so there may be any
/// number of them.
fn for_each<B: Body>(
    element: &Element,
    body: &mut B,
    mut each: impl FnMut(&mut B) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if element.properties.is_empty() {
        return Ok(());
    }
    (0..element.count).try_for_each(|_| each(body))
}

fn finite(body: &mut impl Body, number: NumberType, name: &[u8]) -> Result<f64, ReadError> {
    let name = match name {
        b"x" => "x",
        b"y" => "y",
        _ => "z",
    };
    let value = body.real(number, name)?;
    if value.is_finite() { Ok(value) } else { Err(body.error(format!("{name} is {value}"))) }
}
