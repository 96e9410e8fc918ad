//! `mesh` of a `[[body]]`: a file or a generator.

use super::{Number, ShapeSpec, Vector};
use crate::file::read::MESH;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A mesh file or a generator.
#[derive(Clone, Debug)]
pub(crate) enum MeshSpec {
    File(String),
    Generator(GeneratorSpec),
}

impl<'de> Deserialize<'de> for MeshSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MeshVisitor;

        impl<'de> Visitor<'de> for MeshVisitor {
            type Value = MeshSpec;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a file name or a generator such as { kind = \"block\", ... }")
            }

            fn visit_str<E: de::Error>(self, file: &str) -> Result<MeshSpec, E> {
                Ok(MeshSpec::File(file.to_string()))
            }

            fn visit_enum<A: de::EnumAccess<'de>>(self, access: A) -> Result<MeshSpec, A::Error> {
                GeneratorSpec::deserialize(de::value::EnumAccessDeserializer::new(access))
                    .map(MeshSpec::Generator)
            }
        }

        // A plain text is a file name, not a kind: `MESH` marks it for the reader.
        deserializer.deserialize_enum(MESH, GENERATORS, MeshVisitor)
    }
}

/// The words for `kind`.
pub(crate) const GENERATORS: &[&str] = &[
    "block",
    "beam",
    "ball",
    "cylinder",
    "torus",
    "cloth",
    "sphere_surface",
    "body",
    "shape",
    "garment",
    "tetrahedralize",
];

impl JsonSchema for MeshSpec {
    fn schema_name() -> Cow<'static, str> {
        "Mesh".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A mesh file, relative to the scene file, or a generator.",
            "anyOf": [{ "type": "string" }, generator.subschema_for::<GeneratorSpec>()]
        })
    }
}

/// Shapes that are made, not read.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "a generator such as { kind = \"block\", ... }"
)]
#[schemars(rename = "Generator", tag = "kind")]
pub(crate) enum GeneratorSpec {
    /// A box from the origin to `size`; groups x_min, x_max, y_min, y_max, z_min, z_max.
    Block {
        /// Size in m.
        size: Vector,
        /// Cells along x, y, z; six tets each.
        cells: [usize; 3],
        /// Corners in the plane x-y that the corners (0,0), (1,0), (1,1), (0,1) of the box are moved to, in m; what is
        /// between follows bilinearly. Tapers the box.
        #[serde(default)]
        corners: Option<[[Number; 2]; 4]>,
    },
    /// A block named by its length (x), width (y) and height (z).
    Beam {
        /// Length in m.
        length: Number,
        /// Width in m.
        width: Number,
        /// Height in m.
        height: Number,
        /// Cells along x, y, z; six tets each.
        cells: [usize; 3],
    },
    /// A solid ball about the origin; group surface.
    Ball {
        /// Radius in m.
        radius: Number,
        /// Cells over the diameter, at least 2.
        cells: usize,
    },
    /// A solid cylinder about z: centred with `length`, from z = 0 with `height`; groups bottom, top, side.
    Cylinder {
        /// Radius in m.
        radius: Number,
        /// Between its ends in m, half of it on each side of z = 0, as for an obstacle.
        #[serde(default)]
        length: Option<Number>,
        /// Height in m from z = 0, instead of `length`.
        #[serde(default)]
        height: Option<Number>,
        /// Cells over the diameter, at least 2.
        across: usize,
        /// Cells along the axis.
        along: usize,
    },
    /// A solid torus about z, centred at the origin; group surface.
    Torus {
        /// From the centre to the middle of the tube in m.
        major: Number,
        /// Radius of the tube in m.
        minor: Number,
        /// Cells around the axis, at least 3.
        around: usize,
        /// Cells over the tube, at least 2.
        across: usize,
    },
    /// A cloth from the origin to `size` in the plane z = 0; groups x_min, x_max, y_min, y_max.
    Cloth {
        /// Size in m.
        size: [Number; 2],
        /// Cells along each side, or [along x, along y]; four triangles each.
        cells: ClothCells,
    },
    /// The surface of a sphere about the origin; group surface.
    SphereSurface {
        /// Radius in m.
        radius: Number,
        /// Times that the 20 triangles of an icosahedron are cut into four.
        subdivisions: u32,
    },
    /// A modelled body, filled with tets; groups of its own and surface. Exactly one of `vertices`, `tets`, `edge`.
    Body {
        /// Which one, as in `wooper`.
        name: String,
        /// Its largest extent in m.
        #[serde(default = "one")]
        #[schemars(extend("exclusiveMinimum" = 0))]
        size: Number,
        /// About this many vertices.
        #[serde(default)]
        vertices: Option<usize>,
        /// About this many tets.
        #[serde(default)]
        tets: Option<usize>,
        /// Length of the edges at the surface in m.
        #[serde(default)]
        edge: Option<Number>,
    },
    /// A body made of simple shapes, filled with tets; groups of its own and surface. Exactly one of `vertices`, `tets`,
    /// `edge`.
    Shape {
        /// The body.
        shape: Box<ShapeSpec>,
        /// About this many vertices.
        #[serde(default)]
        vertices: Option<usize>,
        /// About this many tets.
        #[serde(default)]
        tets: Option<usize>,
        /// Length of the edges at the surface in m.
        #[serde(default)]
        edge: Option<Number>,
    },
    /// A cloth: the surface of a body made of simple shapes, without what lies in the groups `open` of its shape; groups of
    /// its own.
    Garment {
        /// The body that it would fit, with a group for each opening.
        shape: Box<ShapeSpec>,
        /// Length of its edges in m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        edge: Number,
        /// Groups that are left out: neck, sleeves.
        #[serde(default)]
        open: Vec<String>,
    },
    /// The inside of a surface, filled with tets; groups of the file and surface. Exactly one of `vertices`, `tets`,
    /// `edge`.
    Tetrahedralize {
        /// A mesh file of triangles beside the scene file.
        file: String,
        /// About this many vertices.
        #[serde(default)]
        vertices: Option<usize>,
        /// About this many tets.
        #[serde(default)]
        tets: Option<usize>,
        /// Length of the edges at the surface in m.
        #[serde(default)]
        edge: Option<Number>,
    },
}

/// Cells of a cloth along x and y: one number for both, or a list of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClothCells(pub [usize; 2]);

impl<'de> Deserialize<'de> for ClothCells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellsVisitor;

        impl<'de> Visitor<'de> for CellsVisitor {
            type Value = ClothCells;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a whole number or a list of 2 of them")
            }

            fn visit_u64<E: de::Error>(self, count: u64) -> Result<ClothCells, E> {
                Ok(ClothCells([usize::try_from(count).unwrap_or(usize::MAX); 2]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<ClothCells, A::Error> {
                let mut cells = [0; 2];
                for (i, count) in cells.iter_mut().enumerate() {
                    let next = list.next_element()?;
                    *count =
                        next.ok_or_else(|| de::Error::invalid_length(i, &"a list of 2 whole numbers"))?;
                }
                Ok(ClothCells(cells))
            }
        }

        deserializer.deserialize_any(CellsVisitor)
    }
}

impl JsonSchema for ClothCells {
    fn schema_name() -> Cow<'static, str> {
        "ClothCells".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let count = serde_json::json!({ "type": "integer", "minimum": 1 });
        json_schema!({
            "description": "Cells along each side, or along x and along y.",
            "anyOf": [count, { "type": "array", "items": count, "minItems": 2, "maxItems": 2 }]
        })
    }
}

fn one() -> f64 {
    1.0
}

impl GeneratorSpec {
    /// The asked fineness: vertices, tets, edge. `None` for generators that count cells.
    pub(crate) fn fineness(&self) -> Option<(Option<usize>, Option<usize>, Option<f64>)> {
        match self {
            GeneratorSpec::Body { vertices, tets, edge, .. }
            | GeneratorSpec::Shape { vertices, tets, edge, .. }
            | GeneratorSpec::Tetrahedralize { vertices, tets, edge, .. } => Some((*vertices, *tets, *edge)),
            GeneratorSpec::Garment { edge, .. } => Some((None, None, Some(*edge))),
            _ => None,
        }
    }
}
