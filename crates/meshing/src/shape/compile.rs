//! Checks a tree of shapes and flattens it: transforms go to the leaves, every node gets a box.

use super::bounds::{EVERYTHING, box_around};
use super::field::largest_dip;
use super::leaf::{Ellipsoid, Leaf, Local, Outline};
use super::placement::{Placement, direction, frame_about};
use super::tighten::tighten;
use super::tree::{Node, Op, Part, ShapeSolid};
use super::{ShapeError, ShapeTree};
use pliant_mesh::{Aabb, DVec3};

/// Evaluation recurses this deep at most.
const MAX_DEPTH: usize = 100;
/// Unions of more parts are not looked at pair by pair.
const MAX_PAIRED: usize = 200;
/// Most nodes and corners of outlines.
const MAX_NODES: usize = 100_000;

pub(super) fn compile(shape: &ShapeTree) -> Result<ShapeSolid, ShapeError> {
    let mut compiler = Compiler { nodes: Vec::new(), names: Vec::new(), parts: Vec::new(), cost: 0 };
    let root = compiler.add(shape, &At { placement: Placement::IDENTITY, depth: 0, bulge: 0.0 })?;
    let Compiler { nodes, names, parts, .. } = compiler;
    let bounds = nodes[root].extent;
    if bounds.is_empty() {
        return Err(ShapeError::Empty);
    }
    if !(bounds.min.is_finite() && bounds.max.is_finite()) {
        return Err(ShapeError::Unbounded);
    }
    let mut solid = ShapeSolid { nodes, root, bounds, names, parts };
    solid.bounds = tighten(&solid, bounds).ok_or(ShapeError::Empty)?;
    Ok(solid)
}

struct Compiler {
    nodes: Vec<Node>,
    names: Vec<String>,
    parts: Vec<Part>,
    cost: usize,
}

/// Where in the tree a shape is.
#[derive(Clone, Copy)]
struct At {
    placement: Placement,
    depth: usize,
    /// Most that the blends above can move the surface outwards.
    bulge: f64,
}

impl Compiler {
    /// Adds a shape and all below it; returns its node.
    fn add(&mut self, shape: &ShapeTree, at: &At) -> Result<usize, ShapeError> {
        let deeper = At { depth: at.depth + 1, ..*at };
        if at.depth >= MAX_DEPTH {
            return Err(ShapeError::TooDeep { limit: MAX_DEPTH });
        }
        self.spend(1)?;
        match shape {
            ShapeTree::Placed { shape, transform } => {
                let placement = at.placement.after(&Placement::of(transform)?);
                self.add(shape, &At { placement, ..deeper })
            }
            ShapeTree::Mirrored { shape, normal } => {
                let placement = at.placement.after(&Placement::mirror(*normal)?);
                self.add(shape, &At { placement, ..deeper })
            }
            ShapeTree::Named { name, shape } => {
                let node = self.add(shape, &deeper)?;
                self.name(name, node, at.bulge);
                Ok(node)
            }
            ShapeTree::Marked { shape, name, region } => {
                let node = self.add(shape, &deeper)?;
                let region = self.add(region, &deeper)?;
                self.name(name, region, 0.0);
                Ok(node)
            }
            ShapeTree::Union { parts, blend } => {
                let blend = length_or_zero("blend of a union", *blend, at)?;
                let bulge = blend * largest_dip(parts.len());
                let children =
                    self.children("the union", parts, &At { bulge: at.bulge + bulge, ..deeper })?;
                let bounds = children.iter().fold(Aabb::EMPTY, |b, &c| b.union(self.nodes[c].bounds));
                let extent = self.blended_extent(&children, blend, bulge);
                Ok(self.push(bounds.grown(bulge), extent, Op::Union { children, blend }))
            }
            ShapeTree::Intersection { parts, blend } => {
                let blend = length_or_zero("blend of an intersection", *blend, at)?;
                let children = self.children("the intersection", parts, &deeper)?;
                let bounds = children.iter().fold(EVERYTHING, |b, &c| b.intersection(self.nodes[c].bounds));
                let extent = children.iter().fold(EVERYTHING, |b, &c| b.intersection(self.nodes[c].extent));
                Ok(self.push(bounds, extent, Op::Intersection { children, blend }))
            }
            ShapeTree::Difference { parts, blend } => {
                let blend = length_or_zero("blend of a difference", *blend, at)?;
                let children = self.children("the difference", parts, &deeper)?;
                let Node { bounds, extent, .. } = self.nodes[children[0]];
                Ok(self.push(bounds, extent, Op::Difference { children, blend }))
            }
            primitive => {
                if let ShapeTree::Extrusion { outline, .. } = primitive {
                    self.spend(outline.len())?;
                }
                let leaf = leaf(primitive, &at.placement)?;
                let bounds = box_around(&leaf);
                Ok(self.push(bounds, bounds, Op::Leaf(leaf)))
            }
        }
    }

    fn name(&mut self, name: &str, node: usize, bulge: f64) {
        let group = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        });
        self.parts.push(Part { group, node, bulge });
    }

    fn children(
        &mut self,
        what: &'static str,
        parts: &[ShapeTree],
        at: &At,
    ) -> Result<Box<[usize]>, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts(what));
        }
        parts.iter().map(|part| self.add(part, at)).collect()
    }

    fn push(&mut self, bounds: Aabb, extent: Aabb, op: Op) -> usize {
        self.nodes.push(Node { bounds, extent, op });
        self.nodes.len() - 1
    }

    /// A box around a union whose fillets reach out by up to `bulge`.
    fn blended_extent(&self, children: &[usize], blend: f64, bulge: f64) -> Aabb {
        let hull = children.iter().fold(Aabb::EMPTY, |b, &c| b.union(self.nodes[c].extent));
        if blend == 0.0 {
            return hull;
        }
        if children.len() > MAX_PAIRED {
            return hull.grown(bulge);
        }
        // A fillet is where two parts are near each other, one of them within the bulge.
        let fillet = |a: usize, b: usize| {
            let near = self.nodes[a].bounds.grown(bulge);
            near.intersection(self.nodes[b].bounds.grown(bulge + blend))
        };
        let pairs = children.iter().flat_map(|&a| children.iter().map(move |&b| (a, b)));
        let fillets = pairs.filter(|(a, b)| a != b).map(|(a, b)| fillet(a, b));
        fillets.filter(|f| !f.is_empty()).fold(hull, |b, f| b.union(f))
    }

    fn spend(&mut self, cost: usize) -> Result<(), ShapeError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > MAX_NODES { Err(ShapeError::TooLarge { limit: MAX_NODES }) } else { Ok(()) }
    }
}

/// A simple shape, moved to its place.
fn leaf(shape: &ShapeTree, placement: &Placement) -> Result<Leaf, ShapeError> {
    let factor = placement.factor;
    match shape {
        ShapeTree::Sphere { center, radius } => Ok(Leaf::Sphere {
            center: placement.point(finite("centre of a sphere", *center)?),
            radius: factor * length("radius of a sphere", *radius)?,
        }),
        ShapeTree::Capsule { ends, radii } => {
            let ends = [finite("end of a capsule", ends[0])?, finite("end of a capsule", ends[1])?];
            let radii = [length("radius of a capsule", radii[0])?, length("radius of a capsule", radii[1])?];
            Ok(Leaf::cone(ends.map(|e| placement.point(e)), radii.map(|r| factor * r)))
        }
        ShapeTree::Cuboid { center, size, rounding } => {
            let half = 0.5 * *size;
            half.to_array().iter().try_for_each(|&h| length("size of a box", h).map(drop))?;
            let r = rounding_up_to("rounding of a box", *rounding, half.min_element())?;
            let core = factor * (half - r);
            let middle = finite("centre of a box", *center)?;
            let local = Local::Cuboid { core, rounding: factor * r };
            Ok(Leaf::framed(&moved(placement, middle), local))
        }
        ShapeTree::Cylinder { ends, radius, rounding } => cylinder(*ends, *radius, *rounding, placement),
        ShapeTree::Torus { center, axis, major, minor } => {
            let axes = frame_about(direction("axis of a torus", *axis)?);
            let middle = finite("centre of a torus", *center)?;
            let frame = placement.after(&Placement { axes, factor: 1.0, origin: middle });
            let major = factor * length("major radius of a torus", *major)?;
            let minor = factor * length("minor radius of a torus", *minor)?;
            Ok(Leaf::framed(&frame, Local::Torus { major, minor }))
        }
        ShapeTree::Ellipsoid { center, radii } => {
            radii.to_array().iter().try_for_each(|&r| length("radius of an ellipsoid", r).map(drop))?;
            let middle = finite("centre of an ellipsoid", *center)?;
            let local = Local::Ellipsoid(Ellipsoid::new(factor * *radii));
            Ok(Leaf::framed(&moved(placement, middle), local))
        }
        ShapeTree::Extrusion { outline, thickness, rounding } => {
            extrusion(outline, *thickness, *rounding, placement)
        }
        ShapeTree::HalfSpace { point, normal } => {
            let point = placement.point(finite("point of a half space", *point)?);
            let outward = -(placement.axes * direction("normal of a half space", *normal)?);
            Ok(Leaf::HalfSpace { outward, offset: point.dot(outward) })
        }
        // The caller has taken all combinations.
        _ => Err(ShapeError::NoParts("the combination")),
    }
}

fn cylinder(ends: [DVec3; 2], radius: f64, rounding: f64, placement: &Placement) -> Result<Leaf, ShapeError> {
    let ends = [finite("end of a cylinder", ends[0])?, finite("end of a cylinder", ends[1])?];
    let between = ends[1] - ends[0];
    let half = length("half of the height of a cylinder", 0.5 * between.length())?;
    let radius = length("radius of a cylinder", radius)?;
    let r = rounding_up_to("rounding of a cylinder", rounding, half.min(radius))?;
    let axes = frame_about(direction("axis of a cylinder", between)?);
    let origin = 0.5 * (ends[0] + ends[1]);
    let frame = placement.after(&Placement { axes, factor: 1.0, origin });
    let factor = placement.factor;
    let (core_radius, core_half) = (factor * (radius - r), factor * (half - r));
    Ok(Leaf::framed(&frame, Local::Cylinder { core_radius, core_half, rounding: factor * r }))
}

fn extrusion(
    outline: &[[f64; 2]],
    thickness: f64,
    rounding: f64,
    placement: &Placement,
) -> Result<Leaf, ShapeError> {
    let bad =
        |value: String, want| Err(ShapeError::BadParameter { name: "outline of an extrusion", value, want });
    if outline.len() < 3 {
        return bad(format!("{} points", outline.len()), "at least three points");
    }
    if let Some(corner) = outline.iter().find(|c| !(c[0].is_finite() && c[1].is_finite())) {
        return bad(format!("{corner:?}"), "of finite numbers");
    }
    let half = length("thickness of an extrusion", 0.5 * thickness)?;
    let r = rounding_up_to("rounding of an extrusion", rounding, half)?;
    let factor = placement.factor;
    let corners: Vec<[f64; 2]> = outline.iter().map(|c| c.map(|x| factor * x)).collect();
    let local =
        Local::Extrusion { outline: Outline::new(&corners), half: factor * half, rounding: factor * r };
    Ok(Leaf::framed(placement, local))
}

fn moved(placement: &Placement, middle: DVec3) -> Placement {
    Placement { origin: placement.point(middle), ..*placement }
}

fn finite(name: &'static str, p: DVec3) -> Result<DVec3, ShapeError> {
    if p.is_finite() {
        return Ok(p);
    }
    Err(ShapeError::BadParameter { name, value: format!("{:?}", p.to_array()), want: "finite" })
}

fn length(name: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(ShapeError::BadParameter { name, value: format!("{value:?}"), want: "positive and finite (metres)" })
}

/// A blend, in the lengths of the world.
fn length_or_zero(name: &'static str, value: f64, at: &At) -> Result<f64, ShapeError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value * at.placement.factor);
    }
    Err(ShapeError::BadParameter { name, value: format!("{value:?}"), want: "0 or positive (metres)" })
}

fn rounding_up_to(name: &'static str, value: f64, most: f64) -> Result<f64, ShapeError> {
    // Half of a size may be a rounding error smaller than the radius that a user writes.
    if value >= 0.0 && value <= most * (1.0 + 1e-9) {
        return Ok(value.min(most));
    }
    let want = "0 or positive, and at most half of the smallest length";
    Err(ShapeError::BadParameter { name, value: format!("{value:?}"), want })
}
