//! Attachments, cables and needles of a scene: their points found in the meshes.

use super::find::{body_of, mean, selection};
use super::locate;
use super::motion::motion;
use super::placement::placement;
use super::schedule::{interval, schedule};
use super::solid::tendon;
use crate::error::Fault;
use crate::file::document::{Document, Problems};
use crate::file::spec::{AnchorSpec, AttachmentSpec, BodySpec, CableSpec, StationSpec, TransformSpec};
use pliant::{Attachment, Body, BodyId, Cable, CableDrive, CablePoint, MaterialPoint, Needle, Schedule};
use pliant_mesh::{DVec3, Mesh};
use std::path::Path;

/// Places this close to a body, as a fraction of its size, are in it: numbers of a file are rounded.
const ROUNDING: f64 = 1e-6;

/// The attachments of a scene. Those that cannot be made are reported and left out.
pub(crate) fn attachments(
    d: &Document,
    names: &[String],
    bodies: &[Body],
    problems: &mut Problems,
) -> Vec<Attachment> {
    let own = d.attachment_names();
    let each = d.attachments.iter().zip(own).enumerate();
    each.filter_map(|(i, (spec, name))| {
        let path = format!("attachment.{i}");
        let pairs = Ties { path, names, specs: &d.bodies, bodies, problems }.pairs(spec)?;
        let during = interval(spec.start, spec.stop);
        Some(Attachment { name, pairs, compliance: spec.compliance, during })
    })
    .collect()
}

/// The cables of a scene. Those that cannot be made are reported and left out.
pub(crate) fn cables(d: &Document, names: &[String], bodies: &[Body], problems: &mut Problems) -> Vec<Cable> {
    let own = d.cable_names();
    let each = d.cables.iter().zip(own).enumerate();
    each.filter_map(|(i, (spec, name))| {
        let mut ties = Ties { path: format!("cable.{i}"), names, specs: &d.bodies, bodies, problems };
        let mut points = Vec::new();
        for (k, station) in spec.points.iter().enumerate() {
            points.extend(ties.stations(&format!("points.{k}"), station)?);
        }
        let drive = ties.drive(spec, &points)?;
        Some(Cable { name, points, drive, compliance: spec.compliance })
    })
    .collect()
}

/// The needles of a scene. Those that cannot be made are reported and left out.
pub(crate) fn needles(
    d: &Document,
    names: &[String],
    (bodies, directory): (&[Body], &Path),
    problems: &mut Problems,
) -> Vec<Needle> {
    let own = d.needle_names();
    let each = d.needles.iter().zip(own).enumerate();
    each.filter_map(|(i, (spec, name))| {
        let path = format!("needle.{i}");
        let body = body_of(&path, spec.body.as_ref(), names, problems)?;
        let places = between(spec.path.map(DVec3::from), spec.count);
        let ends = [spec.end, spec.tip].map(DVec3::from);
        let middle = || 0.5 * (ends[0] + ends[1]);
        let motion = motion(&spec.motion, middle, (&TransformSpec::default(), directory))
            .map_err(|fault| problems.add_fault(&format!("{path}.motion"), "", fault))
            .ok()?;
        let points =
            Ties { path, names, specs: &d.bodies, bodies, problems }.inside("path", body, &places)?;
        Some(Needle { name, ends, motion, points, compliance: spec.compliance, grip: spec.grip })
    })
    .collect()
}

/// What is needed to find the points of the entry at `path`.
struct Ties<'a> {
    path: String,
    names: &'a [String],
    /// As they are written, and as they were made.
    specs: &'a [BodySpec],
    bodies: &'a [Body],
    problems: &'a mut Problems,
}

impl Ties<'_> {
    /// The tied points of an attachment.
    fn pairs(&mut self, spec: &AttachmentSpec) -> Option<Vec<[MaterialPoint; 2]>> {
        let (a, from) = self.anchor("from", &spec.from)?;
        let (b, to) = self.anchor("to", &spec.to)?;
        let places: Vec<DVec3> = from.iter().map(|p| p.place(self.mesh(a).vertices())).collect();
        let near = |p: &DVec3| {
            let away = |q: &MaterialPoint| p.distance(q.place(self.mesh(b).vertices()));
            to.iter().map(|q| (*q, away(q))).min_by(|x, y| x.1.total_cmp(&y.1))
        };
        let found: Vec<(MaterialPoint, f64)> = if to.is_empty() {
            let located = locate::nearest(b, self.mesh(b), &places);
            let located = located.map_err(|e| self.report("to", e)).ok()?;
            located.into_iter().map(|l| (l.point, l.distance)).collect()
        } else {
            places.iter().filter_map(near).collect()
        };
        let reach = spec.reach.unwrap_or(f64::INFINITY);
        let nearest = found.iter().map(|f| f.1).fold(f64::INFINITY, f64::min);
        let both = from.into_iter().zip(found).filter(|(_, f)| f.1 <= reach);
        let pairs: Vec<_> = both.map(|(p, (q, _))| [p, q]).collect();
        if pairs.is_empty() {
            let cause =
                format!("no point is within the reach of {reach} m; the nearest is {nearest:.3e} m away");
            self.report("reach", Fault::new(cause, "enlarge `reach`, or move the bodies together"));
            return None;
        }
        Some(pairs)
    }

    /// Body and points of one side of an attachment; no points stand for the nearest ones of the body.
    fn anchor(&mut self, key: &str, spec: &AnchorSpec) -> Option<(BodyId, Vec<MaterialPoint>)> {
        let path = format!("{}.{key}", self.path);
        let body = body_of(&path, spec.body.as_ref(), self.names, self.problems)?;
        let mesh = &self.bodies[body.index()].mesh;
        let chosen = match &spec.select {
            Some(select) => Some(selection(&path, Some(select), mesh, self.problems)?),
            None => None,
        };
        let points = match (chosen, spec.point.map(DVec3::from)) {
            (Some(list), Some(place)) => {
                locate::nearest_vertex(&list, mesh, place).into_iter().map(|(v, _)| v).collect()
            }
            (Some(list), None) => list,
            (None, Some(place)) => {
                return Some((body, self.inside(&format!("{key}.point"), body, &[place])?));
            }
            (None, None) => Vec::new(),
        };
        Some((body, points.into_iter().map(|v| MaterialPoint::vertex(body, v)).collect()))
    }

    /// The points that an entry of `points` of a cable stands for.
    fn stations(&mut self, key: &str, spec: &StationSpec) -> Option<Vec<CablePoint>> {
        if let Some(place) = spec.fixed {
            return Some(vec![CablePoint::Fixed(place.into())]);
        }
        let path = format!("{}.{key}", self.path);
        let body = body_of(&path, spec.body.as_ref(), self.names, self.problems)?;
        let mesh = &self.bodies[body.index()].mesh;
        let point = spec.point.map(DVec3::from);
        let specs = self.specs;
        let written = &specs[body.index()];
        let moved = |places: Vec<DVec3>| if spec.local { placed(written, places) } else { places };
        let points = if let Some(select) = &spec.select {
            let list = selection(&path, Some(select), mesh, self.problems)?;
            let point = moved(point.into_iter().collect()).first().copied();
            let middle = point.unwrap_or_else(|| mean(&list, mesh.vertices()));
            let (vertex, _) = locate::nearest_vertex(&list, mesh, middle)?;
            vec![MaterialPoint::vertex(body, vertex)]
        } else if let Some(line) = spec.line {
            let places = moved(between(line.map(DVec3::from), spec.count.unwrap_or(2)));
            self.inside(&format!("{key}.line"), body, &places)?
        } else if spec.along.is_some() {
            let key = format!("{key}.along");
            let way = tendon(&written.mesh).map_err(|e| self.report(&key, e)).ok()?;
            let places = placed(written, way);
            self.inside(&key, body, &places)?
        } else {
            let places = moved(point.into_iter().collect());
            self.inside(&format!("{key}.point"), body, &places)?
        };
        Some(points.into_iter().map(CablePoint::Material).collect())
    }

    fn mesh(&self, body: BodyId) -> &Mesh {
        &self.bodies[body.index()].mesh
    }

    fn inside(&mut self, key: &str, body: BodyId, places: &[DVec3]) -> Option<Vec<MaterialPoint>> {
        let Body { mesh, thickness, .. } = &self.bodies[body.index()];
        let (low, high) = mesh.bounds();
        let mut tolerance = ROUNDING * low.distance(high);
        if matches!(**mesh, Mesh::Tri(_)) {
            tolerance += thickness;
        }
        locate::inside(body, mesh, places, tolerance).map_err(|e| self.report(key, e)).ok()
    }

    /// What drives a cable that passes these points at the start.
    fn drive(&mut self, spec: &CableSpec, points: &[CablePoint]) -> Option<CableDrive> {
        if let Some(pull) = &spec.pull {
            return Some(CableDrive::Pull(schedule(pull, |v| v)));
        }
        if let Some(values) = &spec.length {
            return Some(CableDrive::Length(schedule(values, |v| v)));
        }
        let at = |p: &CablePoint| match p {
            CablePoint::Material(m) => m.place(self.mesh(m.body).vertices()),
            CablePoint::Fixed(p) => *p,
        };
        let whole: f64 = points.windows(2).map(|w| at(&w[0]).distance(at(&w[1]))).sum();
        let Some(values) = &spec.shorten else {
            return Some(CableDrive::Length(Schedule(vec![(0.0, whole)])));
        };
        if let Some(bad) = values.0.iter().find(|v| v.value > whole) {
            let cause = format!("it cannot be shortened by {} m, it is {whole:.4} m long", bad.value);
            self.report("shorten", Fault::new(cause, "shorten it by less than its length"));
            return None;
        }
        Some(CableDrive::Length(schedule(values, |v| whole - v)))
    }

    fn report(&mut self, key: &str, fault: Fault) {
        self.problems.add_fault(&format!("{}.{key}", self.path), "", fault);
    }
}

/// Places of a mesh where the transform of its body puts them.
fn placed(body: &BodySpec, mut places: Vec<DVec3>) -> Vec<DVec3> {
    // The transform is good: it has placed the mesh.
    let _ = placement(&body.transform).apply_all(&mut places);
    places
}

/// Evenly spaced places from one end of a line to the other, the ends included.
fn between([from, to]: [DVec3; 2], count: usize) -> Vec<DVec3> {
    let steps = count.max(2) - 1;
    let at = |t: f64| from + t * (to - from);
    (0..=steps).map(|i| at(i as f64 / steps as f64)).collect()
}
