//! What ties points besides contact: attachments between bodies, cables through them, needles in them, holds.

use super::hold::Hold;
use super::needle::NeedleState;
use crate::fem::System;
use crate::model::{Attachment, Cable, CableDrive, CablePoint, MaterialPoint, Model, ModelError, Schedule};
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// A point as a weighted sum of vertices of all bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightedPoint {
    /// Vertices; the first `count` are used.
    pub vertices: [u32; 8],
    /// Their weights.
    pub weights: [f64; 8],
    /// How many.
    pub count: usize,
}

impl WeightedPoint {
    pub(crate) fn add(&mut self, point: &MaterialPoint, first: usize, sign: f64) {
        for (&v, &w) in point.vertices.iter().zip(&point.weights).filter(|(_, w)| **w != 0.0) {
            self.vertices[self.count] = first as u32 + v;
            self.weights[self.count] = sign * w;
            self.count += 1;
        }
    }

    /// Sum of the weights of the wanted vertices.
    pub(crate) fn share(&self, wanted: &dyn Fn(u32) -> bool) -> f64 {
        let used = self.vertices.iter().zip(&self.weights).take(self.count);
        used.filter(|(v, _)| wanted(**v)).map(|(_, w)| w).sum()
    }

    /// Whether all weights cancel: the difference of a point and itself.
    fn vanishes(&self) -> bool {
        let used = &self.vertices[..self.count];
        used.iter().all(|v| self.share(&|other| other == *v).abs() < 1e-9)
    }

    /// Its position at positions `x` of the vertices.
    pub fn at(&self, x: impl Fn(u32) -> Point) -> Point {
        let mut sum = [0.0; 3];
        for (&v, &w) in self.vertices.iter().zip(&self.weights).take(self.count) {
            let p = x(v);
            for k in 0..3 {
                sum[k] += w * p[k];
            }
        }
        sum
    }
}

/// Attachments, cables, needles and holds with their forces.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    /// Difference of the two points of each attached pair, and its compliance.
    pub(crate) pairs: Vec<(WeightedPoint, f64)>,
    /// Force on the first point of each pair, N.
    pub(crate) pair_forces: Vec<Point>,
    pub(crate) cables: Vec<CableState>,
    pub(crate) needles: Vec<NeedleState>,
    pub(crate) holds: Vec<Hold>,
    /// First pair of each attachment, and the number of all pairs.
    first_pair: Vec<usize>,
}

/// A cable.
#[derive(Clone, Debug)]
pub(crate) struct CableState {
    /// The points it runs through, in order.
    pub(crate) points: Vec<CableStation>,
    pub(crate) drive: CableDrive,
    pub(crate) compliance: f64,
    /// Tension in N.
    pub(crate) tension: f64,
    /// Force on each point, N.
    pub(crate) forces: Vec<Point>,
}

/// Where a cable passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CableStation {
    /// A point of a body.
    Body(WeightedPoint),
    /// A place in the world.
    Fixed(Point),
}

impl CableStation {
    /// Its place at positions `x` of the vertices.
    pub(crate) fn at(&self, x: impl Fn(u32) -> Point) -> Point {
        match self {
            CableStation::Body(point) => point.at(x),
            CableStation::Fixed(p) => *p,
        }
    }
}

/// Length of a straight piece of cable, and the unit vector along it, or none if it has no length. A point is pulled by the
/// difference of those of the pieces after and before it.
pub(crate) fn piece(from: &Point, to: &Point) -> (f64, Point) {
    let d: Point = std::array::from_fn(|c| to[c] - from[c]);
    let size = dot(&d, &d).sqrt();
    (size, if size > 0.0 { d.map(|x| x / size) } else { [0.0; 3] })
}

impl Joints {
    pub(crate) fn new(model: &Model, system: &System) -> Result<Joints, ModelError> {
        let mut joints = Joints::default();
        for attachment in &model.attachments {
            joints.first_pair.push(joints.pairs.len());
            joints.attach(attachment, model, system)?;
        }
        joints.first_pair.push(joints.pairs.len());
        for cable in &model.cables {
            joints.cables.push(run_cable(cable, model, system)?);
        }
        for needle in &model.needles {
            joints.needles.push(NeedleState::new(needle, model, system)?);
        }
        joints.pair_forces = vec![[0.0; 3]; joints.pairs.len()];
        Ok(joints)
    }

    fn attach(&mut self, a: &Attachment, model: &Model, system: &System) -> Result<(), ModelError> {
        let refuse = |message: String| refusal("attachment", &a.name, message);
        check_compliance(a.compliance).map_err(refuse)?;
        if a.pairs.is_empty() {
            return Err(refuse("it ties no points: widen its selections".into()));
        }
        for pair in &a.pairs {
            let mut point = WeightedPoint::default();
            for (end, sign) in pair.iter().zip([1.0, -1.0]) {
                check_point(end, model).map_err(refuse)?;
                point.add(end, system.bodies[end.body].vertices.start, sign);
            }
            if point.vanishes() {
                return Err(refuse("it ties a point to itself: choose two different points".into()));
            }
            self.pairs.push((point, a.compliance));
        }
        Ok(())
    }

    /// Forgets all forces.
    pub(crate) fn reset(&mut self) {
        self.pair_forces.fill([0.0; 3]);
        for cable in &mut self.cables {
            cable.tension = 0.0;
            cable.forces.fill([0.0; 3]);
        }
        self.needles.iter_mut().for_each(NeedleState::reset);
        self.holds.iter_mut().for_each(|h| h.force = [0.0; 3]);
    }

    /// Writes all forces, and where needles hold what.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.points(&self.pair_forces);
        for cable in &self.cables {
            out.f64(cable.tension);
            out.points(&cable.forces);
        }
        self.needles.iter().for_each(|needle| needle.save(out));
        out.list(&self.holds, |out, hold| hold.save(out));
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(crate) fn load(&mut self, system: &System, from: &mut Reader) -> Result<(), SnapshotError> {
        self.pair_forces = from.points("attached pairs", self.pairs.len())?;
        for cable in &mut self.cables {
            cable.tension = from.f64()?;
            cable.forces = from.points("points of a cable", cable.points.len())?;
        }
        self.needles.iter_mut().try_for_each(|needle| needle.load(from))?;
        self.holds = from.list(|from| Hold::load(system, from))?;
        Ok(())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.cables.is_empty() && self.needles.is_empty() && self.holds.is_empty()
    }

    /// Points that are held from outside.
    pub(crate) fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// Total force of an attachment on its first body, N.
    pub fn attachment_force(&self, attachment: usize) -> Point {
        let pairs = self.first_pair[attachment]..self.first_pair[attachment + 1];
        self.pair_forces[pairs].iter().fold([0.0; 3], |s, f| std::array::from_fn(|k| s[k] + f[k]))
    }

    /// Tension of a cable, N.
    pub fn tension(&self, cable: usize) -> f64 {
        self.cables[cable].tension
    }

    /// The places that a cable passes at positions `x` of all vertices, in order.
    pub(crate) fn path(&self, cable: usize, x: &[Point]) -> Vec<Point> {
        let stations = self.cables.get(cable).map_or(&[][..], |c| &c.points);
        stations.iter().map(|station| station.at(|v| x[v as usize])).collect()
    }

    /// Share of the forces of all joints that acts on the wanted vertices at positions `x`, N. The pull of a cable follows
    /// from its tension and its way: points that cannot move have no force of their own.
    pub(crate) fn force_on_vertices(&self, x: &[Point], wanted: &dyn Fn(u32) -> bool) -> Point {
        let mut sum = [0.0; 3];
        let mut add = |point: &WeightedPoint, force: &Point| {
            let share = point.share(wanted);
            sum = std::array::from_fn(|k| sum[k] + share * force[k]);
        };
        self.pairs.iter().zip(&self.pair_forces).for_each(|((point, _), f)| add(point, f));
        self.needles.iter().flat_map(|n| n.points.iter().zip(&n.forces)).for_each(|(p, f)| add(p, f));
        self.holds.iter().for_each(|h| add(&h.at, &h.force));
        for (k, cable) in self.cables.iter().enumerate() {
            let path = self.path(k, x);
            let mut before = [0.0; 3];
            for (i, station) in cable.points.iter().enumerate() {
                let next = path.get(i + 1).map_or([0.0; 3], |to| piece(&path[i], to).1);
                if let CableStation::Body(point) = station {
                    add(point, &std::array::from_fn(|c| cable.tension * (next[c] - before[c])));
                }
                before = next;
            }
        }
        sum
    }

    /// Calls `act` with every point that a joint acts on and the force there, N.
    fn each_force(&self, mut act: impl FnMut(&WeightedPoint, &Point)) {
        self.pairs.iter().zip(&self.pair_forces).for_each(|((point, _), f)| act(point, f));
        self.needles.iter().flat_map(|n| n.points.iter().zip(&n.forces)).for_each(|(p, f)| act(p, f));
        self.holds.iter().for_each(|h| act(&h.at, &h.force));
        for cable in &self.cables {
            for (station, f) in cable.points.iter().zip(&cable.forces) {
                if let CableStation::Body(point) = station {
                    act(point, f);
                }
            }
        }
    }

    /// What a needle does to its body at positions `x` at the end of the step; nothing if there is no such needle.
    pub(crate) fn needle_hold(&self, needle: usize, x: &[Point]) -> super::NeedleHold {
        self.needles.get(needle).map(|n| n.hold(x)).unwrap_or_default()
    }

    /// Adds the forces on the vertices of each body to `total`, N.
    pub(crate) fn add_body_forces(&self, system: &System, total: &mut [Point]) {
        self.each_force(|point, force| {
            for (&v, &w) in point.vertices.iter().zip(&point.weights).take(point.count) {
                let body = system.bodies.iter().position(|b| b.vertices.contains(&(v as usize)));
                if let Some(sum) = body.and_then(|b| total.get_mut(b)) {
                    for k in 0..3 {
                        sum[k] += w * force[k];
                    }
                }
            }
        });
    }
}

/// Length of a way through points, m.
pub(crate) fn path_length(path: &[Point]) -> f64 {
    path.windows(2).map(|w| piece(&w[0], &w[1]).0).sum()
}

fn run_cable(cable: &Cable, model: &Model, system: &System) -> Result<CableState, ModelError> {
    let refuse = |message: String| refusal("cable", &cable.name, message);
    if cable.points.len() < 2 {
        return Err(refuse("it needs at least two points to run through".into()));
    }
    check_compliance(cable.compliance).map_err(refuse)?;
    let (CableDrive::Length(values) | CableDrive::Pull(values)) = &cable.drive;
    values.validate().map_err(refuse)?;
    let mut points = Vec::new();
    for point in &cable.points {
        points.push(match point {
            CablePoint::Fixed(p) if p.iter().all(|c| c.is_finite()) => CableStation::Fixed(*p),
            CablePoint::Fixed(p) => return Err(refuse(format!("it passes {p:?}, which is not finite"))),
            CablePoint::Material(m) => {
                check_point(m, model).map_err(refuse)?;
                let mut station = WeightedPoint::default();
                station.add(m, system.bodies[m.body].vertices.start, 1.0);
                CableStation::Body(station)
            }
        });
    }
    if points.iter().all(|p| matches!(p, CableStation::Fixed(_))) {
        return Err(refuse("it passes no point of a body".into()));
    }
    let forces = vec![[0.0; 3]; points.len()];
    Ok(CableState { points, drive: cable.drive.clone(), compliance: cable.compliance, tension: 0.0, forces })
}

/// Whether a compliance can be used.
pub(super) fn check_compliance(compliance: f64) -> Result<(), String> {
    if compliance >= 0.0 && compliance.is_finite() {
        Ok(())
    } else {
        Err(format!("compliance = {compliance} m/N must be 0 or more"))
    }
}

/// Whether a point is one of a body of the model.
pub(crate) fn check_point(point: &MaterialPoint, model: &Model) -> Result<(), String> {
    let Some(body) = model.bodies.get(point.body) else {
        return Err(format!("body {} does not exist: there are {}", point.body, model.bodies.len()));
    };
    let n = body.mesh.vertices().len();
    let bad = point.vertices.iter().zip(&point.weights).find(|(v, w)| **w != 0.0 && **v as usize >= n);
    if let Some((v, _)) = bad {
        return Err(format!("vertex {v} of body `{}`, which has {n}", body.name));
    }
    let sum: f64 = point.weights.iter().sum();
    if (sum - 1.0).abs() < 1e-9 {
        Ok(())
    } else {
        Err(format!("the weights of a point add up to {sum}, not 1"))
    }
}

pub(super) fn refusal(item: &'static str, name: &str, message: String) -> ModelError {
    ModelError::Reference { item, name: name.to_string(), message }
}

impl Schedule {
    fn validate(&self) -> Result<(), String> {
        let finite = self.0.iter().all(|(t, v)| t.is_finite() && v.is_finite() && *v >= 0.0);
        if self.0.is_empty() || !finite || self.0.windows(2).any(|w| w[0].0 >= w[1].0) {
            return Err("its schedule needs values of 0 or more at ascending times".into());
        }
        Ok(())
    }

    /// Value at time `t`: linear between the given times, constant outside.
    pub fn at(&self, t: f64) -> f64 {
        let after = self.0.partition_point(|(time, _)| *time <= t);
        match (after.checked_sub(1).map(|k| self.0[k]), self.0.get(after)) {
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * (t - t0) / (t1 - t0),
            (Some((_, a)), None) => a,
            (None, first) => first.map_or(0.0, |f| f.1),
        }
    }
}
