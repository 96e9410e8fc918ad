//! Ranges and references: what a value may be, beyond its type.

mod action;
mod air;
mod joint;
mod obstacle;
mod schedule;
mod shape;
mod solver;

pub(crate) use solver::solver;

use crate::file::document::{Document, Problems};
use crate::file::spec::{BodySpec, MatchstickSpec, MaterialSpec, MeshSpec};
use pliant_mesh::DVec3;
use std::collections::HashSet;

/// Most steps of a run.
pub(crate) const MAX_STEPS: f64 = 1e8;

/// Checks all entries and reports every problem; returns the names of the bodies.
pub(crate) fn document(d: &Document, problems: &mut Problems) -> Vec<String> {
    scene(d, problems);
    if d.bodies.is_empty() {
        problems.add("", "the scene has no body", "add [[body]] with a mesh and a material");
    }
    for (i, spec) in d.bodies.iter().enumerate() {
        body(&format!("body.{i}"), spec, problems);
    }
    for (i, spec) in d.obstacles.iter().enumerate() {
        obstacle::obstacle(&format!("obstacle.{i}"), spec, problems);
    }
    for (i, spec) in d.pins.iter().enumerate() {
        action::pin(&format!("pin.{i}"), spec, problems);
    }
    action::forces(d, problems);
    air::air(d, problems);
    joint::joints(d, problems);
    action::probes(d, problems);
    action::expectations(d, problems);
    tolerate(d, problems);
    let names = d.body_names();
    unique(&names, "body", problems);
    unique(&d.obstacle_names(), "obstacle", problems);
    unique(&d.pin_names(), "pin", problems);
    unique(&d.force_names(), "force", problems);
    unique(&d.attachment_names(), "attachment", problems);
    unique(&d.cable_names(), "cable", problems);
    unique(&d.needle_names(), "needle", problems);
    unique(&d.probe_names(), "probe", problems);
    names
}

fn unique(names: &[String], kind: &str, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for (i, name) in names.iter().enumerate() {
        if !seen.insert(name) {
            problems.add(
                &format!("{kind}.{i}.name"),
                format!("two entries [[{kind}]] are named `{name}`"),
                "rename one",
            );
        }
    }
}

fn positive(path: &str, value: f64, problems: &mut Problems) -> bool {
    let good = value > 0.0 && value.is_finite();
    if !good {
        problems.add(path, format!("{path} = {value} must be positive and finite"), "write a number above 0");
    }
    good
}

fn not_negative(path: &str, value: f64, problems: &mut Problems) {
    if !(value >= 0.0 && value.is_finite()) {
        problems.add(
            path,
            format!("{path} = {value} must be 0 or more and finite"),
            "write 0 or a number above 0",
        );
    }
}

fn finite(path: &str, values: &[f64], problems: &mut Problems) {
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        problems.add(path, format!("{path} contains {bad}, it must be finite"), "write finite numbers");
    }
}

fn direction(path: &str, axis: &[f64; 3], problems: &mut Problems) {
    let length = DVec3::from(*axis).length_squared();
    if !(length > 0.0 && length.is_finite()) {
        problems.add(path, format!("{path} = {axis:?} has no direction"), "write a vector such as [0, 0, 1]");
    }
}

fn scene(d: &Document, problems: &mut Problems) {
    let s = &d.scene;
    let good = positive("scene.dt", s.dt, problems) & positive("scene.duration", s.duration, problems);
    if good && s.duration / s.dt > MAX_STEPS {
        let cause = format!("duration / dt = {:.3e} steps, more than {MAX_STEPS:.0e}", s.duration / s.dt);
        problems.add("scene.duration", cause, "shorten the duration or use a larger dt");
    }
    if good && s.dt > s.duration {
        let cause = format!("scene.dt = {} s is longer than the duration of {} s", s.dt, s.duration);
        let dt = (s.duration / 10.0).min(0.01);
        problems.add(
            "scene.dt",
            cause,
            format!("a step is a small part of the duration: use for example dt = {dt}"),
        );
    }
    finite("scene.gravity", &s.gravity, problems);
    if let Some(margin) = s.contact_margin {
        positive("scene.contact_margin", margin, problems);
    }
    picture(d, problems);
    if s.compare_step.is_some_and(|n| n as f64 > MAX_STEPS) {
        problems.add("scene.compare_step", "compare_step is too large", "use a step inside of the run");
    }
}

fn tolerate(d: &Document, problems: &mut Problems) {
    for (name, value) in d.tolerate.numbers() {
        let (path, Some(value)) = (format!("tolerate.{name}"), value) else { continue };
        let is_part = ["held_back", "doubtful_steps"].contains(&name);
        if is_part && !(0.0..=1.0).contains(&value) {
            problems.add(
                &path,
                format!("{path} = {value} must be a part of the steps, 0 to 1"),
                "0.1 is every tenth",
            );
        } else {
            not_negative(&path, value, problems);
        }
    }
}

fn picture(d: &Document, problems: &mut Problems) {
    let camera = &d.scene.camera;
    direction("scene.camera.direction", &camera.direction, problems);
    if let Some(target) = &camera.target {
        finite("scene.camera.target", target, problems);
    }
    if let Some(distance) = camera.distance {
        positive("scene.camera.distance", distance, problems);
    }
    if !(1.0..=150.0).contains(&camera.field_of_view) {
        let cause = format!("scene.camera.field_of_view = {} must be 1 to 150 degrees", camera.field_of_view);
        problems.add("scene.camera.field_of_view", cause, "28 keeps proportions, 60 is wide");
    }
    for (i, light) in d.scene.lights.iter().enumerate() {
        let path = format!("scene.lights.{i}");
        direction(&format!("{path}.direction"), &light.direction, problems);
        not_negative(&format!("{path}.intensity"), light.intensity, problems);
        if !light.color.iter().all(|c| (0.0..=1.0).contains(c)) {
            let cause = format!("{path}.color = {:?} must be three values from 0 to 1", light.color);
            problems.add(&format!("{path}.color"), cause, "white is [1, 1, 1]");
        }
    }
}

fn body(path: &str, b: &BodySpec, problems: &mut Problems) {
    positive(&format!("{path}.density"), b.density, problems);
    positive(&format!("{path}.thickness"), b.thickness, problems);
    shape::transform(&format!("{path}.transform"), &b.transform, problems);
    for (key, mesh) in [("mesh", Some(&b.mesh)), ("surface", b.surface.as_ref())] {
        if let Some(MeshSpec::Generator(generator)) = mesh {
            shape::generator(&format!("{path}.{key}"), generator, problems);
        }
    }
    finite(&format!("{path}.velocity"), &b.velocity, problems);
    finite(&format!("{path}.angular_velocity"), &b.angular_velocity, problems);
    not_negative(&format!("{path}.damping.mass"), b.damping.mass, problems);
    not_negative(&format!("{path}.damping.stiffness"), b.damping.stiffness, problems);
    not_negative(&format!("{path}.friction"), b.friction, problems);
    matchstick(path, b.matchstick.as_ref(), problems);
    not_negative(&format!("{path}.contact_radius"), b.contact_radius, problems);
    if let Some(bending) = &b.bending {
        not_negative(&format!("{path}.bending.stiffness"), bending.stiffness, problems);
    }
    material(&format!("{path}.material"), &b.material, problems);
    for (i, region) in b.regions.iter().enumerate() {
        let path = format!("{path}.regions.{i}");
        material(&format!("{path}.material"), &region.material, problems);
        if region.select.is_some() == region.group.is_some() {
            problems.add(
                &path,
                format!("{path} needs either `select` or `group`"),
                "write exactly one of the two",
            );
        }
    }
}

/// The structure of a body or an obstacle.
fn matchstick(path: &str, structure: Option<&MatchstickSpec>, problems: &mut Problems) {
    let Some(structure) = structure else { return };
    direction(&format!("{path}.matchstick.direction"), &structure.direction, problems);
    for (key, value) in [("along", structure.along), ("across", structure.across)] {
        positive(&format!("{path}.matchstick.{key}"), value, problems);
    }
}

fn material(path: &str, m: &MaterialSpec, problems: &mut Problems) {
    if !(m.youngs > 0.0 && m.youngs.is_finite()) {
        let cause = format!("{path}.youngs = {} must be positive and finite", m.youngs);
        problems.add(&format!("{path}.youngs"), cause, "rubber is about 1e6 Pa, soft tissue 1e4 Pa");
    }
    if !(m.poisson > -1.0 && m.poisson < 0.5) {
        let cause = format!("{path}.poisson = {} must be above -1 and below 0.5", m.poisson);
        problems.add(&format!("{path}.poisson"), cause, "use 0.49 for nearly incompressible");
    }
}
