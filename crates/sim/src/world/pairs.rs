//! What two sides do to each other in the last step: force, normal and friction sums, area.

use super::World;
use pliant_collide::{Contact, Side};
use pliant_mesh::DVec3;
use std::collections::BTreeMap;

/// All contacts between two sides that carry a force.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// (0..30).try_for_each(|_| world.step().map(|_| ()))?;
/// let pair = world.contact_pairs()[0]; // the cube on the floor
/// assert!((pair.force.z - 9.81).abs() < 0.05 && (pair.area - 0.01).abs() < 1e-3);
/// println!("{} Pa", pair.pressure());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairContact {
    /// The two sides; the first is a body, of two bodies the one that comes first in the model.
    pub sides: [Side; 2],
    /// Points that carry a force.
    pub points: usize,
    /// Total force on the first side, N.
    pub force: DVec3,
    /// Sum of the sizes of the normal forces, N.
    pub normal: f64,
    /// Sum of the sizes of the friction forces, N.
    pub friction: f64,
    /// Area of the surface triangles all of whose corners touch, m^2, on the side where it is larger.
    pub area: f64,
}

impl PairContact {
    /// Mean pressure in Pa; zero where no whole triangle touches.
    pub fn pressure(&self) -> f64 {
        if self.area > 0.0 { self.normal / self.area } else { 0.0 }
    }
}

impl World {
    /// Everything that touches, pair by pair: bodies with bodies, themselves and obstacles.
    pub fn contact_pairs(&self) -> Vec<PairContact> {
        let mut index_of: BTreeMap<[Side; 2], u32> = BTreeMap::new();
        let mut pairs: Vec<PairContact> = Vec::new();
        // Vertices of the first side of each contact, with the pair and whether that side comes first in it.
        let mut marks: Vec<(u32, u32, bool)> = Vec::new();
        let loaded = self.contacts.contacts().iter().zip(self.contacts.forces());
        for (c, f) in loaded.filter(|(_, f)| **f != DVec3::ZERO) {
            let in_order = c.sides[0] <= c.sides[1];
            let sides = if in_order { c.sides } else { [c.sides[1], c.sides[0]] };
            let index = *index_of.entry(sides).or_insert_with(|| {
                let (force, normal, friction, area) = (DVec3::ZERO, 0.0, 0.0, 0.0);
                pairs.push(PairContact { sides, points: 0, force, normal, friction, area });
                pairs.len() as u32 - 1
            });
            let pair = &mut pairs[index as usize];
            let normal = c.normal.dot(*f);
            pair.points += 1;
            pair.force += if in_order { *f } else { -*f };
            pair.normal += normal.abs();
            pair.friction += (f - normal * c.normal).length();
            marks.extend(first_side(c).map(|v| (v, index, in_order)));
        }
        marks.sort_unstable();
        marks.dedup();
        for (pair, area) in pairs.iter_mut().zip(self.touching_areas(&marks, index_of.len())) {
            pair.area = area[0].max(area[1]);
        }
        pairs
    }

    /// Area of the triangles whose corners are all marked for a pair, on either side.
    fn touching_areas(&self, marks: &[(u32, u32, bool)], pairs: usize) -> Vec<[f64; 2]> {
        let mut areas = vec![[0.0; 2]; pairs];
        let of_vertex = |v: u32| {
            let first = marks.partition_point(|m| m.0 < v);
            marks[first..].iter().take_while(move |m| m.0 == v)
        };
        let x = &self.state.positions;
        for &[a, b, c] in self.system.surface.iter().filter(|_| !marks.is_empty()) {
            for &(_, pair, side) in of_vertex(a) {
                let is_marked = |v: u32| marks.binary_search(&(v, pair, side)).is_ok();
                if is_marked(b) && is_marked(c) {
                    let [a, b, c] = [a, b, c].map(|v| x[v as usize]);
                    areas[pair as usize][usize::from(side)] += 0.5 * (b - a).cross(c - a).length();
                }
            }
        }
        areas
    }
}

/// The vertices of the first side of a contact.
fn first_side(c: &Contact) -> impl Iterator<Item = u32> {
    let used = c.vertices.iter().zip(&c.weights).take(c.count as usize);
    used.filter(|(_, w)| **w > 0.0).map(|(v, _)| *v)
}
