//! USD: one text file with a mesh for each body, whose points are given for every frame.

use super::color::linear;
use super::files::replace;
use super::film::{Film, grow, obstacle};
use crate::error::OutputError;
use pliant::{BodyId, ObstacleId, Pose, Shape};
use pliant_mesh::{DVec3, Mesh};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Frames per second of a film of one frame.
const DEFAULT_RATE: f64 = 24.0;

/// Width of lines as a fraction of the size of the bodies.
const LINE_WIDTH: f64 = 0.006;

/// Writes `scene.usda`.
pub(super) fn write(film: &mut Film, folder: &Path) -> Result<(), OutputError> {
    replace(&folder.join("scene.usda"), |out| {
        let clock = Clock::new(&film.times);
        let around = film.bounds()?;
        let mut stage = UsdStage { out, clock };
        stage.head(&film.run().setup().name)?;
        for body in (0..film.body_names().len()).map(BodyId::new) {
            stage.body(film, body)?;
        }
        for id in (0..film.obstacle_names().len()).map(ObstacleId::new) {
            stage.obstacle(film, id, around)?;
        }
        let size = around[1].distance(around[0]);
        for line in 0..film.line_names().len() {
            stage.line(film, line, LINE_WIDTH * size)?;
        }
        writeln!(stage.out, "}}")
    })
}

/// Time codes of the frames: whole numbers for frames that are equally far apart.
#[derive(Clone, Debug)]
struct Clock {
    /// Codes per second.
    rate: f64,
    codes: Vec<f64>,
}

impl Clock {
    fn new(times: &[f64]) -> Clock {
        let rate = match times {
            [a, b, ..] if b > a => 1.0 / (b - a),
            _ => DEFAULT_RATE,
        };
        let code = |t: &f64| {
            let code = t * rate;
            if (code - code.round()).abs() < 1e-6 { code.round() } else { code }
        };
        Clock { rate, codes: times.iter().map(code).collect() }
    }
}

struct UsdStage<'a> {
    out: &'a mut BufWriter<File>,
    clock: Clock,
}

impl UsdStage<'_> {
    fn head(&mut self, name: &str) -> io::Result<()> {
        let (rate, codes) = (self.clock.rate, &self.clock.codes);
        let (first, last) = (codes.first().unwrap_or(&0.0), codes.last().unwrap_or(&0.0));
        write!(
            self.out,
            "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    doc = {}\n    startTimeCode = {first}\n    \
             endTimeCode = {last}\n    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}\n    \
             metersPerUnit = 1\n    upAxis = \"Z\"\n)\n\ndef Xform \"scene\" (\n    kind = \"component\"\n)\n{{\n",
            quoted(&format!("{name}, simulated by pliant {}", env!("CARGO_PKG_VERSION"))),
        )
    }

    fn body(&mut self, film: &mut Film, body: BodyId) -> io::Result<()> {
        let run = film.run();
        let model = &run.world().model().bodies[body.index()];
        self.open("Mesh", &film.body_names()[body.index()], &model.name)?;
        self.faces(run.setup().skins[body.index()].triangles(), matches!(*model.mesh, Mesh::Tri(_)))?;
        self.color(film.body_color(body))?;
        let mut extents = Vec::with_capacity(film.times.len());
        self.samples("point3f[] points", |out, frame| {
            let points = film.skin(frame, body)?;
            extents.push(extent(&points, 0.0));
            vectors(out, &points)
        })?;
        self.samples("vector3f[] velocities", |out, frame| {
            vectors(out, &film.skin_velocities(frame, body)?)
        })?;
        self.samples("float3[] extent", |out, frame| vectors(out, &extents[frame]))?;
        self.close()
    }

    fn obstacle(&mut self, film: &Film, id: ObstacleId, around: [DVec3; 2]) -> io::Result<()> {
        let model = &film.run().world().model().obstacles[id.index()];
        let poses = film.poses(id);
        let (points, triangles) = obstacle(&model.shape, &poses, around);
        self.open("Mesh", &film.obstacle_names()[id.index()], &model.name)?;
        self.faces(&triangles, matches!(model.shape, Shape::Plane) || !model.shape.is_solid())?;
        self.color(film.obstacle_color(id))?;
        self.value("point3f[] points", |out| vectors(out, &points))?;
        self.value("float3[] extent", |out| vectors(out, &extent(&points, 0.0)))?;
        match poses.first() {
            Some(first) if poses.iter().all(|pose| pose == first) => {
                self.value("matrix4d xformOp:transform", |out| matrix(out, first))?;
            }
            _ => self.samples("matrix4d xformOp:transform", |out, frame| matrix(out, &poses[frame]))?,
        }
        writeln!(self.out, "        uniform token[] xformOpOrder = [\"xformOp:transform\"]")?;
        self.close()
    }

    /// A cable or a needle.
    fn line(&mut self, film: &mut Film, line: usize, width: f64) -> io::Result<()> {
        let lines = film.lines();
        let (name, points) = &lines[line];
        // A curve has two points at least.
        if points.len() < 2 {
            return Ok(());
        }
        self.open("BasisCurves", &film.line_names()[line], name)?;
        writeln!(self.out, "        uniform token type = \"linear\"")?;
        writeln!(self.out, "        int[] curveVertexCounts = [{}]", points.len())?;
        writeln!(
            self.out,
            "        float[] widths = [{}] (\n            interpolation = \"constant\"\n        )",
            width as f32
        )?;
        self.color(film.line_color(line))?;
        let mut extents = Vec::with_capacity(film.times.len());
        self.samples("point3f[] points", |out, frame| {
            let points = film.line(frame, line)?;
            extents.push(extent(&points, 0.5 * width));
            vectors(out, &points)
        })?;
        self.samples("float3[] extent", |out, frame| vectors(out, &extents[frame]))?;
        self.close()
    }

    /// Starts an object. Its own name is kept where USD does not allow it.
    fn open(&mut self, kind: &str, plain: &str, name: &str) -> io::Result<()> {
        write!(self.out, "    def {kind} \"{plain}\"")?;
        if plain != name {
            let name = quoted(name);
            write!(
                self.out,
                " (\n        customData = {{\n            string name = {name}\n        }}\n    )"
            )?;
        }
        writeln!(self.out, "\n    {{")
    }

    fn close(&mut self) -> io::Result<()> {
        writeln!(self.out, "    }}\n")
    }

    fn faces(&mut self, triangles: &[[u32; 3]], two_sided: bool) -> io::Result<()> {
        writeln!(self.out, "        uniform token subdivisionScheme = \"none\"")?;
        writeln!(self.out, "        uniform bool doubleSided = {}", u8::from(two_sided))?;
        self.value("int[] faceVertexCounts", |out| list(out, triangles, |out, _| write!(out, "3")))?;
        self.value("int[] faceVertexIndices", |out| {
            list(out, triangles.as_flattened(), |out, v| write!(out, "{v}"))
        })
    }

    /// Linear light, as USD has its colours.
    fn color(&mut self, srgb: [f32; 3]) -> io::Result<()> {
        let [r, g, b] = srgb.map(linear);
        writeln!(
            self.out,
            "        color3f[] primvars:displayColor = [({r}, {g}, {b})] (\n            \
             interpolation = \"constant\"\n        )"
        )
    }

    /// A property that does not change.
    fn value(
        &mut self,
        property: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        write!(self.out, "        {property} = ")?;
        write(self.out)?;
        writeln!(self.out)
    }

    /// A property that is different in every frame.
    fn samples(
        &mut self,
        property: &str,
        mut write: impl FnMut(&mut BufWriter<File>, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        writeln!(self.out, "        {property}.timeSamples = {{")?;
        for (frame, code) in self.clock.codes.iter().enumerate() {
            write!(self.out, "            {code}: ")?;
            write(self.out, frame)?;
            writeln!(self.out, ",")?;
        }
        writeln!(self.out, "        }}")
    }
}

fn list<T>(
    out: &mut BufWriter<File>,
    items: &[T],
    mut write: impl FnMut(&mut BufWriter<File>, &T) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "[")?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            write!(out, ", ")?;
        }
        write(out, item)?;
    }
    write!(out, "]")
}

/// Vectors in single precision, with the digits that give the same bits again.
fn vectors(out: &mut BufWriter<File>, values: &[DVec3]) -> io::Result<()> {
    list(out, values, |out, v| {
        let [x, y, z] = v.as_vec3().to_array();
        write!(out, "({x}, {y}, {z})")
    })
}

/// The matrix of a pose for rows of coordinates, as USD has it.
fn matrix(out: &mut BufWriter<File>, pose: &Pose) -> io::Result<()> {
    write!(out, "( ")?;
    for DVec3 { x, y, z } in [0, 1, 2].map(|k| pose.rotation.col(k)) {
        write!(out, "({x}, {y}, {z}, 0), ")?;
    }
    let DVec3 { x, y, z } = pose.translation;
    write!(out, "({x}, {y}, {z}, 1) )")
}

fn extent(points: &[DVec3], margin: f64) -> [DVec3; 2] {
    let mut bounds = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    grow(&mut bounds, points);
    [bounds[0] - margin, bounds[1] + margin]
}

/// A text as USD reads it: one line, quotes and backslashes marked.
fn quoted(text: &str) -> String {
    let mut safe = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => safe.extend(['\\', c]),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_codes_are_whole_numbers_where_frames_are_regular() {
        let clock = Clock::new(&[0.0, 0.03, 0.06, 0.09, 0.1]);
        assert!((clock.rate - 1.0 / 0.03).abs() < 1e-12);
        assert_eq!(clock.codes[..4], [0.0, 1.0, 2.0, 3.0]);
        assert!((clock.codes[4] / clock.rate - 0.1).abs() < 1e-15);
        assert_eq!(Clock::new(&[0.0]).rate, DEFAULT_RATE);
    }

    #[test]
    fn no_name_ends_a_text() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c d""#);
    }
}
