//! Writing VTU files.

use super::values::{Field, Values};
use super::xml::escape;
use crate::WriteError;
use crate::base64;
use crate::names::encode;
use crate::save::save;
use crate::vtk::grid::GROUP_PREFIX;
use crate::vtk::types::{TET, TRIANGLE, VERTEX};
use pliant_mesh::{DVec3, Mesh};
use std::io::{self, Write};
use std::path::Path;

/// How arrays are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Base64,
    /// Behind the elements, as they lie in memory.
    Appended,
    /// The same, in blocks compressed with zlib.
    Compressed,
}

/// The elements of a VTU file.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// Tetrahedra.
    Tet(&'a [[u32; 4]]),
    /// Triangles.
    Tri(&'a [[u32; 3]]),
    /// Points that belong to no element.
    Points(&'a [u32]),
}

impl<'a> From<&'a Mesh> for Cells<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        match mesh {
            Mesh::Tet(m) => Self::Tet(&m.tets),
            Mesh::Tri(m) => Self::Tri(&m.triangles),
        }
    }
}

impl<'a> Cells<'a> {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Tet(list) => list.len(),
            Self::Tri(list) => list.len(),
            Self::Points(list) => list.len(),
        }
    }

    /// Corners per cell, and the number by which VTK calls the type.
    fn shape(&self) -> (usize, u8) {
        match self {
            Self::Tet(_) => (4, TET),
            Self::Tri(_) => (3, TRIANGLE),
            Self::Points(_) => (1, VERTEX),
        }
    }

    pub(super) fn indices(&self) -> &'a [u32] {
        match self {
            Self::Tet(list) => list.as_flattened(),
            Self::Tri(list) => list.as_flattened(),
            Self::Points(list) => list,
        }
    }
}

/// What a file holds.
pub(super) struct Document<'a> {
    pub points: &'a [DVec3],
    pub cells: Cells<'a>,
    pub point_data: Vec<Field<'a>>,
    pub cell_data: Vec<Field<'a>>,
}

pub(super) fn write_mesh(mesh: &Mesh, path: &Path, encoding: Encoding) -> Result<(), WriteError> {
    let (points, cells) = (mesh.vertices(), Cells::from(mesh));
    let mask = |name: &str, members, count| {
        // A line end in an attribute would not survive XML.
        let name = format!("{GROUP_PREFIX}{}", encode(name, |_| false));
        Field { name, values: Values::Mask { members, count } }
    };
    let groups = mesh.groups();
    let document = Document {
        points,
        cells,
        point_data: groups.iter().map(|(name, g)| mask(name, &g.vertices, points.len())).collect(),
        cell_data: groups
            .iter()
            .filter(|(_, g)| !g.elements.is_empty())
            .map(|(name, g)| mask(name, &g.elements, cells.count()))
            .collect(),
    };
    save(path, |out| document.write(out, encoding))
}

impl Document<'_> {
    pub fn write(&self, out: &mut dyn Write, encoding: Encoding) -> io::Result<()> {
        let (corners, number) = self.cells.shape();
        let count = self.cells.count();
        let points = [Field { name: "Points".to_string(), values: Values::Vectors(self.points) }];
        let cells = [
            Field {
                name: "connectivity".to_string(),
                values: Values::Indices { list: self.cells.indices(), bound: self.points.len() },
            },
            Field { name: "offsets".to_string(), values: Values::Offsets { corners, count } },
            Field { name: "types".to_string(), values: Values::Constant { value: number, count } },
        ];
        let compressor = match encoding {
            Encoding::Compressed => " compressor=\"vtkZLibDataCompressor\"",
            _ => "",
        };
        writeln!(
            out,
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\"{compressor}>\n<UnstructuredGrid>\n\
             <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{count}\">",
            self.points.len(),
        )?;
        let mut tail = Tail { encoding, length: 0, fields: Vec::new(), packed: Vec::new() };
        // The large arrays first: meshio 5.3 mixes up appended arrays if many small ones lead.
        for (element, fields) in [
            ("Points", points.as_slice()),
            ("Cells", &cells),
            ("PointData", &self.point_data),
            ("CellData", &self.cell_data),
        ] {
            writeln!(out, "<{element}>")?;
            for field in fields {
                tail.array(out, field)?;
            }
            writeln!(out, "</{element}>")?;
        }
        writeln!(out, "</Piece>\n</UnstructuredGrid>")?;
        tail.write(out)?;
        writeln!(out, "</VTKFile>")?;
        out.flush()
    }
}

/// What is to be written behind the elements.
struct Tail<'a> {
    encoding: Encoding,
    /// Bytes so far.
    length: usize,
    fields: Vec<&'a Field<'a>>,
    packed: Vec<Vec<u8>>,
}

impl<'a> Tail<'a> {
    /// Writes the element of an array, with its numbers or with the place where they will be.
    fn array(&mut self, out: &mut dyn Write, field: &'a Field<'a>) -> io::Result<()> {
        let Field { name, values } = field;
        write!(out, "<DataArray type=\"{}\" Name=\"{}\"", values.type_name(), escape(name))?;
        if values.width() > 1 {
            write!(out, " NumberOfComponents=\"{}\"", values.width())?;
        }
        match self.encoding {
            Encoding::Ascii => {
                writeln!(out, " format=\"ascii\">")?;
                values.write_text(out)?;
            }
            Encoding::Base64 => {
                write!(out, " format=\"binary\">")?;
                base64::encode(&mut *out, |out| {
                    out.write_all(&(values.size() as u64).to_le_bytes())?;
                    values.write_bytes(out)
                })?;
            }
            Encoding::Appended | Encoding::Compressed => {
                writeln!(out, " format=\"appended\" offset=\"{}\"/>", self.length)?;
                return self.append(field);
            }
        }
        writeln!(out, "</DataArray>")
    }

    fn append(&mut self, field: &'a Field<'a>) -> io::Result<()> {
        if self.encoding == Encoding::Appended {
            self.length += size_of::<u64>() + field.values.size();
            self.fields.push(field);
        } else {
            // The sizes must be known before the first byte is written.
            let packed = field.values.packed()?;
            self.length += packed.len();
            self.packed.push(packed);
        }
        Ok(())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.fields.is_empty() && self.packed.is_empty() {
            return Ok(());
        }
        write!(out, "<AppendedData encoding=\"raw\">\n_")?;
        for field in &self.fields {
            out.write_all(&(field.values.size() as u64).to_le_bytes())?;
            field.values.write_bytes(out)?;
        }
        for packed in &self.packed {
            out.write_all(packed)?;
        }
        writeln!(out, "\n</AppendedData>")
    }
}
