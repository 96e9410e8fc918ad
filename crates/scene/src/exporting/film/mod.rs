//! All frames of a run, for formats that are one file for the whole run.

mod spool;
mod surface;

pub(super) use spool::Spool;
pub(super) use surface::{Surface, obstacle};

use super::color::Colors;
use super::names::identifiers;
use crate::error::OutputError;
use crate::running::Run;
use crate::view::lines;
use pliant::{BodyId, ObstacleId, Pose};
use pliant_mesh::DVec3;
use std::collections::BTreeSet;
use std::io;

/// All frames of a run, to be read in any order, with the names and colours that files give to what is in them.
#[derive(Debug)]
pub(super) struct Film<'a> {
    run: &'a Run,
    spool: &'a mut Spool,
    colors: &'a Colors,
    /// Time of each frame in s.
    pub times: Vec<f64>,
    /// Plain, different names of the bodies, then of the obstacles, then of the lines.
    names: [Vec<String>; 3],
}

impl<'a> Film<'a> {
    /// The frames of `run` in the spool.
    pub fn new(run: &'a Run, spool: &'a mut Spool, colors: &'a Colors) -> Result<Film<'a>, OutputError> {
        let times = (0..spool.frames()).map(|f| Ok(spool.read(f, 0..1)?[0])).collect::<io::Result<_>>();
        let times = times.map_err(|e| spool.error(e))?;
        let (model, mut taken) = (run.world().model(), BTreeSet::new());
        let names = [
            identifiers(model.bodies.iter().map(|b| b.name.as_str()), &mut taken),
            identifiers(model.obstacles.iter().map(|o| o.name.as_str()), &mut taken),
            identifiers(lines(run.world()).iter().map(|(name, _)| *name), &mut taken),
        ];
        Ok(Film { run, spool, colors, times, names })
    }

    /// The run.
    pub fn run(&self) -> &'a Run {
        self.run
    }

    /// Plain names of bodies, all different, and different from those of obstacles and lines.
    pub fn body_names(&self) -> &[String] {
        &self.names[0]
    }

    /// Plain names of obstacles.
    pub fn obstacle_names(&self) -> &[String] {
        &self.names[1]
    }

    /// Plain names of lines, which are cables and needles.
    pub fn line_names(&self) -> &[String] {
        &self.names[2]
    }

    /// Positions of the simulated vertices of a body in m.
    pub fn positions(&mut self, frame: usize, body: BodyId) -> io::Result<Vec<DVec3>> {
        let range = self.run.world().system().bodies[body.index()].vertices.clone();
        self.points(frame, 1 + 3 * range.start, range.len())
    }

    /// Velocities of the simulated vertices of a body in m/s.
    pub fn velocities(&mut self, frame: usize, body: BodyId) -> io::Result<Vec<DVec3>> {
        let range = self.run.world().system().bodies[body.index()].vertices.clone();
        let all = self.run.world().state().positions.len();
        self.points(frame, 1 + 3 * (all + range.start), range.len())
    }

    /// Cables and needles as they are at the end.
    pub fn lines(&self) -> Vec<(&'a str, Vec<DVec3>)> {
        lines(self.run.world())
    }

    /// Points of a line in m.
    pub fn line(&mut self, frame: usize, line: usize) -> io::Result<Vec<DVec3>> {
        let lengths: Vec<usize> = self.lines().iter().map(|(_, points)| points.len()).collect();
        let before: usize = lengths[..line].iter().sum();
        let all = self.run.world().state().positions.len();
        self.points(frame, 1 + 6 * all + 3 * before, lengths[line])
    }

    fn points(&mut self, frame: usize, first: usize, count: usize) -> io::Result<Vec<DVec3>> {
        let numbers = self.spool.read(frame, first..first + 3 * count)?;
        Ok(numbers.as_chunks().0.iter().map(|p| DVec3::from_array(*p)).collect())
    }

    /// What is seen of a body: positions of the vertices of its skin in m.
    pub fn skin(&mut self, frame: usize, body: BodyId) -> io::Result<Vec<DVec3>> {
        let positions = self.positions(frame, body)?;
        Ok(self.run.setup().skins[body.index()].positions(&positions))
    }

    /// Velocities of the vertices of the skin of a body in m/s.
    pub fn skin_velocities(&mut self, frame: usize, body: BodyId) -> io::Result<Vec<DVec3>> {
        let velocities = self.velocities(frame, body)?;
        // A skin hangs on the vertices by constant weights, so that velocities follow like places.
        Ok(self.run.setup().skins[body.index()].positions(&velocities))
    }

    /// Smallest and largest coordinates of all bodies in all frames.
    pub fn bounds(&mut self) -> io::Result<[DVec3; 2]> {
        let mut bounds = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let all = self.run.world().state().positions.len();
        for frame in 0..self.times.len() {
            grow(&mut bounds, &self.points(frame, 1, all)?);
        }
        Ok(bounds)
    }

    /// Colour of a body, sRGB.
    pub fn body_color(&self, body: BodyId) -> [f32; 3] {
        color(&self.colors.bodies, body.index())
    }

    /// Colour of an obstacle, sRGB.
    pub fn obstacle_color(&self, obstacle: ObstacleId) -> [f32; 3] {
        color(&self.colors.obstacles, obstacle.index())
    }

    /// Colour of a line, sRGB.
    pub fn line_color(&self, line: usize) -> [f32; 3] {
        color(&self.colors.lines, line)
    }

    /// Where an obstacle is in each frame.
    pub fn poses(&self, obstacle: ObstacleId) -> Vec<Pose> {
        let obstacle = &self.run.world().model().obstacles[obstacle.index()];
        self.times.iter().map(|&t| obstacle.pose(t)).collect()
    }
}

/// Extends smallest and largest coordinates by those of `points`.
pub(super) fn grow(bounds: &mut [DVec3; 2], points: &[DVec3]) {
    for p in points {
        *bounds = [p.min(bounds[0]), p.max(bounds[1])];
    }
}

/// The colours of a list, again and again; grey if there is none.
fn color(list: &[[f32; 3]], index: usize) -> [f32; 3] {
    if list.is_empty() { [0.6; 3] } else { list[index % list.len()] }
}
