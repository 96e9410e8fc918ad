//! Points of bodies by their place: inside of an element, or nearest on the surface.

use crate::error::Fault;

use pliant::{BodyId, MaterialPoint};
use pliant_mesh::{DVec3, Embedding, Mesh, TriangleTree};

/// A point of a body and how far it is from the place that was asked for, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub point: MaterialPoint,
    pub distance: f64,
}

/// The nearest point of a body to each place: the place itself where it is inside of an element.
pub(crate) fn nearest(body: BodyId, mesh: &Mesh, places: &[DVec3]) -> Result<Vec<Located>, Fault> {
    let surface = mesh.surface_triangles();
    let tree = TriangleTree::from_parts(mesh.vertices(), &surface)?;
    let inside = match mesh {
        Mesh::Tet(solid) => Some(Embedding::new(solid, places)?),
        Mesh::Tri(_) => None,
    };
    let mut located = Vec::with_capacity(places.len());
    for (i, &place) in places.iter().enumerate() {
        if let Some(binding) = inside.as_ref().map(|e| e.bindings()[i]).filter(|b| b.distance == 0.0) {
            let point = MaterialPoint { body, vertices: binding.vertices, weights: binding.weights };
            located.push(Located { point, distance: 0.0 });
        } else {
            located.push(on_surface(body, &tree, &surface, place)?);
        }
    }
    Ok(located)
}

fn on_surface(
    body: BodyId,
    tree: &TriangleTree,
    triangles: &[[u32; 3]],
    place: DVec3,
) -> Result<Located, Fault> {
    let found = tree.closest(place).ok_or_else(|| {
        let cause = format!("nothing of the body is near {:?}", place.to_array());
        Fault::new(cause, "choose finite places and a body with a surface")
    })?;
    let ([a, b, c], w) = (triangles[found.triangle as usize], found.barycentric);
    let point = MaterialPoint { body, vertices: [a, b, c, 0], weights: [w[0], w[1], w[2], 0.0] };
    Ok(Located { point, distance: found.distance_sq.sqrt() })
}

/// The points of a body at these places, or the first place that is not in the body by more than `tolerance` (m) and
/// how far it is from it.
pub(crate) fn inside(
    body: BodyId,
    mesh: &Mesh,
    places: &[DVec3],
    tolerance: f64,
) -> Result<Vec<MaterialPoint>, Fault> {
    let located = nearest(body, mesh, places)?;
    if let Some((place, far)) = places.iter().zip(&located).find(|(_, l)| l.distance > tolerance) {
        let at = far.point.place(mesh.vertices());
        let shown = at.to_array().map(|c| format!("{c:.4}")).join(", ");
        return Err(Fault::new(
            format!("{:?} is {:.2e} m outside of the body", place.to_array(), far.distance),
            format!("its nearest point is [{shown}]"),
        ));
    }
    Ok(located.into_iter().map(|l| l.point).collect())
}

/// The vertex of a list that is nearest to a place, the first of equals; `None` if the list is empty.
pub(crate) fn nearest_vertex(vertices: &[u32], mesh: &Mesh, place: DVec3) -> Option<(u32, f64)> {
    let away = |v: u32| mesh.vertices()[v as usize].distance(place);
    vertices.iter().map(|&v| (v, away(v))).min_by(|a, b| a.1.total_cmp(&b.1))
}
