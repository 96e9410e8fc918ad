//! Ranges of what is filled with tets: how fine, and the numbers of its shapes.

use super::{direction, finite, not_negative, positive};
use crate::error::{quoted, suggest};
use crate::file::document::Problems;
use crate::file::spec::{GeneratorSpec, ShapeSpec, TransformSpec};
use crate::file::tree::Data;
use pliant_mesh::DVec3;
use pliant_meshing::bodies;

/// Checks a generator that fills a body with tets; the others are checked when they are made.
pub(super) fn generator(path: &str, g: &GeneratorSpec, problems: &mut Problems) {
    if let GeneratorSpec::Cylinder { length, height, .. } = g
        && length.is_some() == height.is_some()
    {
        let cause = format!("{path} needs either `length` or `height`");
        problems.add(path, cause, "`length` is centred at the origin, `height` stands on z = 0");
    }
    let Some((vertices, tets, edge)) = g.fineness() else { return };
    let given = [("vertices", vertices.is_some()), ("tets", tets.is_some()), ("edge", edge.is_some())];
    if given.iter().filter(|g| g.1).count() != 1 {
        let cause = format!("{path} needs exactly one of `vertices`, `tets` and `edge`");
        problems.add(path, cause, "write for example vertices = 5000, or edge = 0.01 in m");
    }
    if let Some(edge) = edge {
        positive(&format!("{path}.edge"), edge, problems);
    }
    match g {
        GeneratorSpec::Body { name, size, .. } => {
            positive(&format!("{path}.size"), *size, problems);
            modelled(&format!("{path}.name"), name, problems);
        }
        GeneratorSpec::Shape { shape: spec, .. } | GeneratorSpec::Garment { shape: spec, .. } => {
            shape(&format!("{path}.shape"), spec, problems)
        }
        _ => {}
    }
}

/// A modelled body must exist.
fn modelled(path: &str, name: &str, problems: &mut Problems) {
    let names: Vec<&str> = bodies::bodies().iter().map(|b| b.name).collect();
    if !names.contains(&name) {
        let shown: String = name.chars().take(60).collect();
        problems.add(path, format!("there is no modelled body `{shown}`"), suggest(name, &names, "bodies"));
    }
}

/// Checks a shape and all below it.
fn shape(path: &str, s: &ShapeSpec, problems: &mut Problems) {
    kind(path, s, problems);
    simple(path, s, problems);
    if let Some(name) = &s.body {
        modelled(&format!("{path}.body"), name, problems);
    }
    for (key, parts) in
        [("union", &s.union), ("intersection", &s.intersection), ("difference", &s.difference)]
    {
        let Some(parts) = parts else { continue };
        let path = format!("{path}.{key}");
        if parts.is_empty() {
            problems.add(&path, format!("{path} has no parts"), "write at least one shape");
        }
        for (i, part) in parts.iter().enumerate() {
            shape(&format!("{path}.{i}"), part, problems);
        }
    }
    for (i, group) in s.groups.iter().enumerate() {
        let path = format!("{path}.groups.{i}");
        if group.name.is_none() {
            problems.add(&path, format!("{path} has no name"), "add `name = \"...\"`");
        }
        shape(&path, group, problems);
    }
    if let Some(t) = &s.transform {
        transform(&format!("{path}.transform"), t, problems);
    }
    for (key, axis) in [("symmetric", s.symmetric), ("mirror", s.mirror)] {
        if let Some(axis) = axis {
            direction(&format!("{path}.{key}"), &axis.0, problems);
        }
    }
}

/// A shape says once what it is, and blends only what is combined.
fn kind(path: &str, s: &ShapeSpec, problems: &mut Problems) {
    let kinds = s.kinds();
    let given: Vec<&str> = kinds.iter().filter(|k| k.1).map(|k| k.0).collect();
    match given[..] {
        [_] => {}
        [] => {
            let all: Vec<&str> = kinds.iter().map(|k| k.0).collect();
            let remedy = format!("add one of {}", quoted(&all));
            problems.add(path, format!("{path} does not say what shape it is"), remedy);
        }
        _ => {
            let cause = format!("{path} is several shapes at once: {}", quoted(&given));
            problems.add(path, cause, "keep one, or write union = [{ ... }, { ... }]");
        }
    }
    if let Some(blend) = s.blend {
        let path = format!("{path}.blend");
        not_negative(&path, blend, problems);
        if s.union.is_none() && s.intersection.is_none() && s.difference.is_none() {
            problems.add(
                &path,
                format!("{path} is for union, intersection and difference"),
                "remove it, or use `rounding` for the edges of one shape",
            );
        }
    }
}

/// Checks the numbers of a simple shape.
fn simple(path: &str, s: &ShapeSpec, problems: &mut Problems) {
    let at = |key: &str| format!("{path}.{key}");
    if let Some(x) = &s.sphere {
        finite(&at("sphere.center"), &x.center, problems);
        positive(&at("sphere.radius"), x.radius, problems);
    }
    if let Some(x) = &s.capsule {
        finite(&at("capsule.ends"), x.ends.as_flattened(), problems);
        positive(&at("capsule.radius"), x.radius, problems);
    }
    if let Some(x) = &s.round_cone {
        finite(&at("round_cone.ends"), x.ends.as_flattened(), problems);
        all_positive(&at("round_cone.radii"), &x.radii, problems);
    }
    if let Some(balls) = &s.limb {
        limb(&at("limb"), balls, problems);
    }
    if let Some(x) = &s.cuboid {
        finite(&at("box.center"), &x.center, problems);
        all_positive(&at("box.size"), &x.size, problems);
        rounding(&at("box.rounding"), x.rounding, 0.5 * least(&x.size), problems);
    }
    if let Some(x) = &s.cylinder {
        finite(&at("cylinder.ends"), x.ends.as_flattened(), problems);
        positive(&at("cylinder.radius"), x.radius, problems);
        let [a, b] = x.ends.map(DVec3::from);
        direction(&at("cylinder.ends"), &(b - a).to_array(), problems);
        let half = 0.5 * b.distance(a);
        rounding(&at("cylinder.rounding"), x.rounding, half.min(x.radius), problems);
    }
    if let Some(x) = &s.torus {
        finite(&at("torus.center"), &x.center, problems);
        direction(&at("torus.axis"), &x.axis.0, problems);
        positive(&at("torus.major"), x.major, problems);
        positive(&at("torus.minor"), x.minor, problems);
    }
    if let Some(x) = &s.ellipsoid {
        finite(&at("ellipsoid.center"), &x.center, problems);
        all_positive(&at("ellipsoid.radii"), &x.radii, problems);
    }
    if let Some(x) = &s.extrusion {
        outline(&at("extrusion.outline"), &x.outline, problems);
        positive(&at("extrusion.thickness"), x.thickness, problems);
        rounding(&at("extrusion.rounding"), x.rounding, 0.5 * x.thickness, problems);
    }
    if let Some(x) = &s.half_space {
        finite(&at("half_space.point"), &x.point, problems);
        direction(&at("half_space.normal"), &x.normal, problems);
    }
}

fn limb(path: &str, balls: &[[f64; 4]], problems: &mut Problems) {
    if balls.len() < 2 {
        let cause = format!("{path} has {} balls, a limb needs two or more", balls.len());
        problems.add(path, cause, "write [x, y, z, radius] for each");
    }
    for (i, &[x, y, z, radius]) in balls.iter().enumerate() {
        let path = format!("{path}.{i}");
        finite(&path, &[x, y, z], problems);
        all_positive(&path, &[radius], problems);
    }
}

fn outline(path: &str, corners: &[[f64; 2]], problems: &mut Problems) {
    finite(path, corners.as_flattened(), problems);
    if corners.len() < 3 {
        let cause = format!("{path} has {} corners, a polygon needs three or more", corners.len());
        problems.add(path, cause, "write [x, y] for each");
    }
}

fn rounding(path: &str, value: f64, most: f64, problems: &mut Problems) {
    not_negative(path, value, problems);
    if most > 0.0 && value > most * (1.0 + 1e-9) {
        let cause = format!("{path} = {value} is more than half of the smallest length");
        problems.add(path, cause, format!("use at most {most}"));
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn all_positive(path: &str, values: &[f64], problems: &mut Problems) {
    if let Some(bad) = values.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
        let cause = format!("{path} contains {bad}, lengths must be positive and finite");
        problems.add(path, cause, "write numbers above 0");
    }
}

/// Checks where something is put.
pub(super) fn transform(path: &str, t: &TransformSpec, problems: &mut Problems) {
    positive(&format!("{path}.scale"), t.scale, problems);
    finite(&format!("{path}.translate"), &t.translate, problems);
    for (i, rotation) in t.rotate.0.iter().enumerate() {
        // A single rotation may stand without a list.
        let single = matches!(problems.tree.closest(&format!("{path}.rotate")).data, Data::Table(_));
        let path = if single { format!("{path}.rotate") } else { format!("{path}.rotate.{i}") };
        finite(&format!("{path}.degrees"), &[rotation.degrees], problems);
        direction(&format!("{path}.axis"), &rotation.axis, problems);
    }
}
