//! How the elements of a mesh hang together: edges, faces, fans, parts and open loops.

mod edges;
mod faces;
mod fans;
mod loops;
mod sets;
mod unused;

pub use edges::{EdgeUse, by_edge, edge_uses};
pub use faces::{FaceUse, TET_FACES, face_uses};
pub use fans::fans_per_vertex;
pub use loops::{OpenLoop, open_loops};
pub use sets::{Sets, parts_by_vertices, sorted_unique};
pub use unused::drop_unused;
pub(crate) use unused::used_vertices;
