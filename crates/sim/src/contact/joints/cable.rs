//! Cables: strings through points of bodies and of the world, of a given length or pulled with a given force.

use super::point::{WeightedPoint, check_compliance, check_point};
use crate::fem::System;
use crate::model::{Cable, CableDrive, CablePoint, EntryError, Model};
use pliant_mesh::DVec3;

/// A cable and the forces on the points it runs through.
#[derive(Clone, Debug)]
pub(crate) struct CableState {
    /// The points it runs through, in order.
    pub(crate) points: Vec<CableStation>,
    pub(crate) drive: CableDrive,
    pub(crate) compliance: f64,
    /// Tension in N.
    pub(crate) tension: f64,
    /// Force on each point, N.
    pub(crate) forces: Vec<DVec3>,
}

/// Where a cable passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CableStation {
    /// A point of a body.
    Body(WeightedPoint),
    /// A place in the world.
    Fixed(DVec3),
}

impl CableStation {
    /// Its place at positions `x` of the vertices.
    pub(crate) fn at(&self, x: impl Fn(u32) -> DVec3) -> DVec3 {
        match self {
            CableStation::Body(point) => point.at(x),
            CableStation::Fixed(p) => *p,
        }
    }
}

impl CableState {
    pub(super) fn new(cable: &Cable, model: &Model, system: &System) -> Result<CableState, EntryError> {
        if cable.points.len() < 2 {
            return Err(EntryError::TooFewPoints);
        }
        check_compliance(cable.compliance)?;
        let (CableDrive::Length(values) | CableDrive::Pull(values)) = &cable.drive;
        values.validate()?;
        let mut points = Vec::new();
        for point in &cable.points {
            points.push(match point {
                CablePoint::Fixed(p) if p.is_finite() => CableStation::Fixed(*p),
                CablePoint::Fixed(p) => {
                    return Err(EntryError::NotFinite { what: "its point", value: *p, unit: "m" });
                }
                CablePoint::Material(m) => {
                    check_point(m, model)?;
                    CableStation::Body(WeightedPoint::of(m, system.bodies[m.body.index()].vertices.start))
                }
            });
        }
        if points.iter().all(|p| matches!(p, CableStation::Fixed(_))) {
            return Err(EntryError::NoBodyPoint);
        }
        let forces = vec![DVec3::ZERO; points.len()];
        Ok(CableState {
            points,
            drive: cable.drive.clone(),
            compliance: cable.compliance,
            tension: 0.0,
            forces,
        })
    }

    /// The places it passes at positions `x` of all vertices, in order.
    pub(super) fn path(&self, x: &[DVec3]) -> Vec<DVec3> {
        self.points.iter().map(|station| station.at(|v| x[v as usize])).collect()
    }

    /// Forgets its forces.
    pub(super) fn reset(&mut self) {
        self.tension = 0.0;
        self.forces.fill(DVec3::ZERO);
    }

    /// The points of bodies that it passes, and the forces on them.
    pub(super) fn loaded(&self) -> impl Iterator<Item = (&WeightedPoint, DVec3)> {
        self.points.iter().zip(&self.forces).filter_map(|(station, &force)| match station {
            CableStation::Body(point) => Some((point, force)),
            CableStation::Fixed(_) => None,
        })
    }

    /// The points of bodies that it passes at positions `x`, and the pull there. It follows from the tension and the way:
    /// points that cannot move have no force of their own.
    pub(super) fn pulls<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = (&'a WeightedPoint, DVec3)> {
        let path = self.path(x);
        let mut before = DVec3::ZERO;
        self.points.iter().enumerate().filter_map(move |(i, station)| {
            let next = path.get(i + 1).map_or(DVec3::ZERO, |&to| piece(path[i], to).1);
            let pull = self.tension * (next - before);
            before = next;
            match station {
                CableStation::Body(point) => Some((point, pull)),
                CableStation::Fixed(_) => None,
            }
        })
    }
}

/// Length of a straight piece of cable, and the unit vector along it, or none if it has no length. A point is pulled by the
/// difference of those of the pieces after and before it.
pub(crate) fn piece(from: DVec3, to: DVec3) -> (f64, DVec3) {
    let d = to - from;
    let size = d.length();
    (size, if size > 0.0 { d / size } else { DVec3::ZERO })
}

/// Length of a way through points, m.
pub(crate) fn path_length(path: &[DVec3]) -> f64 {
    path.windows(2).map(|w| piece(w[0], w[1]).0).sum()
}
