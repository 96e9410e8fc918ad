//! How the elements of a mesh hang together: edges, faces, fans, parts and open loops.

mod edges;
mod faces;
mod fans;
mod loops;
mod sets;

pub(crate) use edges::{EdgeUse, by_edge, edge_uses};
pub(crate) use faces::{FaceUse, face_uses};
pub(crate) use fans::fans_per_vertex;
pub(crate) use loops::{OpenLoop, open_loops};
pub(crate) use sets::{Sets, parts_by_vertices};
