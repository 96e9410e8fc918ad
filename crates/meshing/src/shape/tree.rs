//! A checked tree of shapes and its field.

use super::bounds::box_field;
use super::field::{Field, smooth_max, smooth_min};
use super::leaf::Leaf;
use pliant_mesh::{Aabb, DVec3};

/// A [`ShapeTree`](super::ShapeTree) that was checked and prepared.
///
/// Its field is negative inside and positive outside, and it changes by no more than the distance between two points.
/// So its magnitude is a lower bound of the distance to the surface \[Hart96\]. It is the distance itself for a simple
/// shape, outside of a union and inside of an intersection without blend.
#[derive(Clone, Debug)]
pub struct ShapeSolid {
    pub(super) nodes: Vec<Node>,
    pub(super) root: usize,
    pub(super) bounds: Aabb,
    pub(super) names: Vec<String>,
    pub(super) parts: Vec<Part>,
}

/// A part of the tree with boxes around it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Bounds the field: see `Aabb::field`.
    pub bounds: Aabb,
    /// Holds the part, not more.
    pub extent: Aabb,
    pub op: Op,
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    Leaf(Leaf),
    Union { children: Box<[usize]>, blend: f64 },
    Intersection { children: Box<[usize]>, blend: f64 },
    Difference { children: Box<[usize]>, blend: f64 },
}

/// A part with a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Index into the names.
    pub group: usize,
    pub node: usize,
    /// How far the surface of the body may be outside of the part because of blends.
    pub bulge: f64,
}

impl ShapeSolid {
    /// Full lengths of the body along x, y, z.
    pub fn size(&self) -> DVec3 {
        self.bounds.size()
    }

    /// The field of the whole body.
    pub(super) fn field<F: Field>(&self, p: DVec3) -> F {
        self.node_field(self.root, p, f64::INFINITY)
    }

    /// The field of a node where it is below `cutoff`; elsewhere anything that is not below `cutoff`.
    pub(super) fn node_field<F: Field>(&self, node: usize, p: DVec3, cutoff: f64) -> F {
        match &self.nodes[node].op {
            Op::Leaf(leaf) => F::of(leaf, p, cutoff),
            Op::Union { children, blend } if *blend > 0.0 => {
                // What is farther than the blend beyond the nearest so far changes nothing.
                children.iter().fold(F::FAR, |nearest, &child| {
                    let limit = nearest.distance() + blend;
                    if box_field(&self.nodes[child].bounds, p) >= limit {
                        return nearest;
                    }
                    smooth_min(nearest, self.node_field(child, p, limit), *blend)
                })
            }
            Op::Union { children, .. } => children.iter().fold(F::FAR, |nearest: F, &child| {
                let limit = nearest.distance().min(cutoff);
                if box_field(&self.nodes[child].bounds, p) >= limit {
                    return nearest;
                }
                let field: F = self.node_field(child, p, limit);
                if field.distance() < nearest.distance() { field } else { nearest }
            }),
            Op::Intersection { children, blend } => {
                let mut farthest = F::FAR.flipped();
                for &child in children {
                    let field = self.node_field(child, p, cutoff);
                    farthest = smooth_max(farthest, field, *blend);
                    if farthest.distance() >= cutoff {
                        break;
                    }
                }
                farthest
            }
            Op::Difference { children, blend } => self.difference(children, *blend, p, cutoff),
        }
    }

    fn difference<F: Field>(&self, children: &[usize], blend: f64, p: DVec3, cutoff: f64) -> F {
        let Some((&base, cuts)) = children.split_first() else { return F::FAR };
        let mut rest: F = self.node_field(base, p, cutoff);
        for &cut in cuts {
            if rest.distance() >= cutoff {
                break;
            }
            // A cut that is farther away than this does not shape the field here.
            let limit = blend - rest.distance();
            if box_field(&self.nodes[cut].bounds, p) < limit {
                rest = smooth_max(rest, self.node_field::<F>(cut, p, limit).flipped(), blend);
            }
        }
        rest
    }
}
