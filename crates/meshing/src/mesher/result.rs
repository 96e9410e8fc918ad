//! A finished mesh with what is known about it.

use super::sample::Survey;
use super::surface::{Surface, is_boundary};
use super::{MesherError, Solid};
use pliant_mesh::TriangleTree;
use pliant_mesh::{DVec3, Group, Groups, TetMesh};
use rayon::prelude::*;

/// A mesh with what is known about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Meshed {
    /// The mesh; its group `surface` holds the boundary vertices.
    pub mesh: TetMesh,
    /// Edge length at the surface, m.
    pub edge: f64,
    /// Largest distance found between the surface of the body and that of the mesh, from either side, m.
    pub deviation: f64,
    /// Volume of the body itself, m^3, integrated on a fine octree.
    pub body_volume: f64,
    /// How often cells were halved to catch small features; 0 if the asked size was enough.
    pub halvings: u32,
    /// What a person should know about the input, for example that holes were closed.
    pub notes: Vec<String>,
}

impl Meshed {
    pub(super) fn new(
        solid: &dyn Solid,
        (vertices, tets): (Vec<DVec3>, Vec<[u32; 4]>),
        edge: f64,
        survey: &Survey,
        halvings: u32,
    ) -> Result<Self, MesherError> {
        if tets.is_empty() {
            return Err(MesherError::NothingInside { edge });
        }
        let mut mesh = TetMesh { vertices, tets, groups: Groups::new() };
        mesh.groups = groups(solid, &mesh);
        let deviation = deviation(solid, &mesh, &survey.samples);
        Ok(Self { mesh, edge, deviation, body_volume: survey.volume, halvings, notes: Vec::new() })
    }
}

/// The largest distance from the mesh to the surface and from samples of the surface to the mesh.
fn deviation(solid: &dyn Solid, mesh: &TetMesh, samples: &[DVec3]) -> f64 {
    let faces = mesh.boundary();
    let surface = Surface { solid, tolerance: 0.0 };
    let corners = |face: &[u32; 3]| face.map(|v| mesh.vertices[v as usize]);
    let out = faces.par_iter().map(|f| surface.error(corners(f))).reduce(|| 0.0, f64::max);
    let Ok(tree) = TriangleTree::from_parts(&mesh.vertices, &faces) else { return f64::INFINITY };
    let away = |&p: &DVec3| tree.closest(p).map_or(f64::INFINITY, |c| c.distance_sq.sqrt());
    let all: Vec<f64> = samples.par_iter().map(away).collect();
    let mut order: Vec<usize> = (0..all.len()).filter(|&i| all[i] > out).collect();
    order.sort_unstable_by(|&i, &j| all[j].total_cmp(&all[i]));
    // The farthest that is truly on the boundary.
    let real = order.into_iter().find(|&i| is_boundary(solid, samples[i], 1e-3 * all[i]));
    real.map_or(out, |i| all[i])
}

/// The groups of the body, and `surface`.
fn groups(solid: &dyn Solid, mesh: &TetMesh) -> Groups {
    let boundary = mesh.boundary_vertices();
    let mut on_surface = vec![false; mesh.vertices.len()];
    for &v in &boundary {
        on_surface[v as usize] = true;
    }
    let names = solid.groups();
    let member: Vec<Vec<usize>> = if names.is_empty() {
        Vec::new()
    } else {
        let of = |(&p, &on)| solid.groups_at(p, on);
        mesh.vertices.par_iter().zip(&on_surface).map(of).collect()
    };
    let mut groups = Groups::new();
    for (g, name) in names.into_iter().enumerate() {
        let inside = |v: u32| member[v as usize].contains(&g);
        let vertices: Vec<u32> = (0..mesh.vertices.len() as u32).filter(|&v| inside(v)).collect();
        let whole = |t: &u32| mesh.tets[*t as usize].iter().all(|&v| inside(v));
        let elements = (0..mesh.tets.len() as u32).filter(whole).collect();
        groups.insert(name, Group { vertices, elements });
    }
    groups.entry("surface".to_string()).or_insert(Group { vertices: boundary, elements: Vec::new() });
    groups
}
