//! What deforms in a glTF file: bodies and lines, as meshes with morph targets, cut into pieces of time.

use super::document::{Document, Keys, Look, single};
use crate::exporting::film::{Film, Surface};
use pliant::BodyId;
use pliant_mesh::{DVec3, Mesh};
use serde_json::{Value, json};
use std::io;

/// Most morph targets of a mesh. WebGL 2 promises 256 registers for all that a vertex needs, and 256 layers of a texture.
const MOST_TARGETS: usize = 128;

/// How glTF calls points that are joined to a line.
const LINE_STRIP: u32 = 3;

/// Something that deforms.
#[derive(Debug)]
pub(super) enum Part {
    /// A body with its triangles.
    Body(BodyId, Surface),
    /// A cable or a needle with its number of points.
    Line(usize, usize),
}

impl Part {
    /// All parts of a film.
    pub fn all(film: &Film) -> Vec<Part> {
        let (model, skins) = (film.run().world().model(), &film.run().setup().skins);
        let bodies = model.bodies.iter().zip(skins).enumerate().map(|(i, (body, skin))| {
            let surface = Surface::creased(&skin.positions(body.mesh.vertices()), skin.triangles());
            Part::Body(BodyId::new(i), surface)
        });
        let lines = film.lines();
        let lines = lines.iter().enumerate().map(|(i, (_, points))| Part::Line(i, points.len()));
        bodies.chain(lines.filter(|line| !matches!(line, Part::Line(_, 0)))).collect()
    }

    /// Bytes of a frame: positions, and normals of bodies.
    pub fn frame_bytes(&self) -> u64 {
        match self {
            Part::Body(_, surface) => 24 * surface.vertices.len() as u64,
            Part::Line(_, points) => 12 * *points as u64,
        }
    }

    fn name<'a>(&self, film: &'a Film) -> &'a str {
        match self {
            Part::Body(id, _) => &film.run().world().model().bodies[id.index()].name,
            Part::Line(i, _) => &film.line_names()[*i],
        }
    }

    fn look(&self, film: &Film) -> Look {
        match self {
            Part::Body(id, _) => {
                let is_sheet = matches!(*film.run().world().model().bodies[id.index()].mesh, Mesh::Tri(_));
                Look { color: film.body_color(*id), two_sided: is_sheet }
            }
            Part::Line(i, _) => Look { color: film.line_color(*i), two_sided: false },
        }
    }

    /// Positions of the written vertices in a frame, and normals if it has any.
    fn shape(&self, film: &mut Film, frame: usize) -> io::Result<(Vec<DVec3>, Option<Vec<DVec3>>)> {
        match self {
            Part::Body(id, surface) => {
                let points = surface.pick(&film.skin(frame, *id)?);
                let normals = surface.normals(&points);
                Ok((points, Some(normals)))
            }
            Part::Line(i, _) => Ok((film.line(frame, *i)?, None)),
        }
    }
}

/// A stretch of time with a mesh of its own.
struct Piece<'a> {
    frames: &'a [usize],
    /// The curve of the weights, and that of the size; nothing where nothing changes.
    weights: Option<usize>,
    size: Option<usize>,
    starts_hidden: bool,
}

impl Document {
    /// All bodies and lines in the kept frames.
    pub fn parts(&mut self, film: &mut Film, kept: &[usize]) -> io::Result<()> {
        let pieces = self.pieces(&film.times, kept)?;
        for part in Part::all(film) {
            self.part(film, &part, &pieces)?;
        }
        Ok(())
    }

    /// Cuts time. Each piece starts with the frame that the one before ends with.
    fn pieces<'a>(&mut self, times: &[f64], kept: &'a [usize]) -> io::Result<Vec<Piece<'a>>> {
        let mut pieces = Vec::new();
        let mut start = 0;
        while start < kept.len() {
            let end = (start + MOST_TARGETS).min(kept.len() - 1);
            let frames = &kept[start..=end];
            let (is_first, is_last) = (start == 0, end == kept.len() - 1);
            let weights = if frames.len() > 1 { Some(self.weight_curve(times, frames)?) } else { None };
            let size = match (is_first, is_last) {
                (true, true) => None,
                _ => Some(self.size_curve(times, frames, is_first, is_last)?),
            };
            pieces.push(Piece { frames, weights, size, starts_hidden: !is_first });
            if is_last {
                break;
            }
            start = end;
        }
        Ok(pieces)
    }

    /// In the k-th frame the k-th target has all the weight, and none in the first: that is the mesh itself.
    fn weight_curve(&mut self, times: &[f64], frames: &[usize]) -> io::Result<usize> {
        let targets = frames.len() - 1;
        let mut weights = vec![0.0; frames.len() * targets];
        for k in 0..targets {
            weights[(k + 1) * targets + k] = 1.0;
        }
        let keys = self.keys(times, frames)?;
        let output = self.bin.keys(&weights, 1)?;
        Ok(self.sampler(keys, output))
    }

    /// Nothing before the first frame and from the last one on, unless nothing comes before or after.
    fn size_curve(
        &mut self,
        times: &[f64],
        frames: &[usize],
        is_first: bool,
        is_last: bool,
    ) -> io::Result<usize> {
        let mut keys = vec![(times[frames[0]], 1.0)];
        if !is_first {
            keys.insert(0, (times[0], 0.0));
        }
        if !is_last {
            keys.push((times[frames[frames.len() - 1]], 0.0));
        }
        let times: Vec<f32> = keys.iter().map(|(t, _)| *t as f32).collect();
        let sizes: Vec<f32> = keys.iter().flat_map(|(_, size)| [*size; 3]).collect();
        let keys = Keys { times: self.bin.times(&times)?, interpolation: "STEP" };
        let output = self.bin.keys(&sizes, 3)?;
        Ok(self.sampler(keys, output))
    }

    fn part(&mut self, film: &mut Film, part: &Part, pieces: &[Piece]) -> io::Result<()> {
        let material = self.material(part.name(film), part.look(film));
        let indices = match part {
            Part::Body(_, surface) => Some(self.bin.indices(surface.triangles.as_flattened())?),
            Part::Line(..) => None,
        };
        let mut nodes = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let (mut primitive, targets) = self.primitive(film, part, piece)?;
            primitive["material"] = json!(material);
            match indices {
                Some(indices) => primitive["indices"] = json!(indices),
                None => primitive["mode"] = json!(LINE_STRIP),
            }
            let name = match pieces.len() {
                1 => part.name(film).to_string(),
                _ => format!("{} part {}", part.name(film), number + 1),
            };
            let mesh = self.mesh(&name, primitive, targets);
            let size = if piece.starts_hidden { [0.0; 3] } else { [1.0; 3] };
            let node = self.node(json!({ "name": name, "mesh": mesh, "scale": size }));
            piece.weights.into_iter().for_each(|curve| self.channel(node, "weights", curve));
            piece.size.into_iter().for_each(|curve| self.channel(node, "scale", curve));
            nodes.push(node);
        }
        let top = match nodes[..] {
            [only] => only,
            _ => self.node(json!({ "name": part.name(film), "children": nodes })),
        };
        self.show(top);
        Ok(())
    }

    /// The first frame of a piece as attributes, the others as targets, and the number of these.
    fn primitive(&mut self, film: &mut Film, part: &Part, piece: &Piece) -> io::Result<(Value, usize)> {
        let (points, normals) = part.shape(film, piece.frames[0])?;
        let (points, normals) = (single(&points), normals.map(|n| single(&n)));
        self.bin.open();
        let attributes = self.attributes(&points, normals.as_deref())?;
        let mut targets = Vec::new();
        for &frame in &piece.frames[1..] {
            let (now, now_normals) = part.shape(film, frame)?;
            let turned = now_normals.map(|n| single(&n)).zip(normals.as_ref());
            let turned = turned.map(|(now, first)| minus(&now, first));
            targets.push(self.attributes(&minus(&single(&now), &points), turned.as_deref())?);
        }
        self.bin.close();
        let count = targets.len();
        let mut primitive = json!({ "attributes": attributes });
        if count > 0 {
            primitive["targets"] = Value::Array(targets);
        }
        Ok((primitive, count))
    }

    fn attributes(&mut self, points: &[[f32; 3]], normals: Option<&[[f32; 3]]>) -> io::Result<Value> {
        let mut attributes = json!({ "POSITION": self.bin.positions(points)? });
        if let Some(normals) = normals {
            attributes["NORMAL"] = json!(self.bin.vectors(normals)?);
        }
        Ok(attributes)
    }
}

fn minus(a: &[[f32; 3]], b: &[[f32; 3]]) -> Vec<[f32; 3]> {
    a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect()
}
