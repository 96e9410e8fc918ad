//! The first animation of a glTF file as points over time: nodes that move, morph targets, skins.

use super::accessor::Use;
use super::document::{Kind, Mesh, Node, Tables, parse};
use super::plan::Plan;
use super::scene::check_document;
use super::transform::Affine;
use crate::ReadError;
use crate::Source;
use crate::points::{Animation, check_size, sample_times};
use pliant_mesh::DVec3;
use serde::Deserialize;

#[derive(Deserialize)]
struct Animated {
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
struct Channel {
    sampler: usize,
    target: Target,
}

#[derive(Deserialize)]
struct Target {
    node: Option<usize>,
    path: String,
}

#[derive(Deserialize)]
struct Sampler {
    input: u32,
    output: u32,
    #[serde(default = "linear")]
    interpolation: String,
}

fn linear() -> String {
    "LINEAR".into()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Skin {
    inverse_bind_matrices: Option<u32>,
    joints: Vec<usize>,
}

/// What a mesh has for moving.
#[derive(Deserialize)]
struct Moving {
    primitives: Vec<MovingPrimitive>,
    #[serde(default)]
    weights: Vec<f64>,
}

#[derive(Deserialize)]
struct MovingPrimitive {
    attributes: MovingAttributes,
    #[serde(default)]
    targets: Vec<MorphTarget>,
}

#[derive(Deserialize)]
struct MorphTarget {
    #[serde(rename = "POSITION")]
    position: Option<u32>,
}

#[derive(Deserialize)]
struct MovingAttributes {
    #[serde(rename = "JOINTS_0")]
    joints: Option<u32>,
    #[serde(rename = "WEIGHTS_0")]
    weights: Option<u32>,
}

/// Values of one property of a node over time.
struct Track {
    node: usize,
    path: Path,
    times: Vec<f64>,
    /// As many for each key: `size`, three times so many for a spline.
    values: Vec<f64>,
    size: usize,
    step: bool,
    spline: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// The parts of a mesh at a node that share their vertices.
struct Part {
    node: Option<usize>,
    points: Vec<DVec3>,
    /// How far each morph target moves each point.
    targets: Vec<Vec<DVec3>>,
    /// Joints of a skin with their weights, for each point.
    joints: Vec<([usize; 4], [f64; 4])>,
    /// Weights of the morph targets if no node has others.
    weights: Vec<f64>,
}

/// Reads all points at times with `per_second` between them.
fn read(source: &Source, per_second: f64) -> Result<Animation, ReadError> {
    let (json, embedded) = super::parts(source)?;
    let document = parse(json)?;
    let tables = Tables::new(&document)?;
    check_document(&document, &tables)?;
    let mut plan = Plan::new(&document, &tables, source, embedded)?;
    let nodes = (0..tables.nodes.len())
        .map(|index| tables.nodes.get::<Node>(index, &mut plan.work))
        .collect::<Result<Vec<_>, _>>()?;
    let tracks = tracks(&tables, &mut plan)?;
    let end = tracks.iter().filter_map(|t| t.times.last().copied()).fold(0.0, f64::max);
    let times = sample_times(end, per_second)?;
    let parts = parts_of(&tables, &nodes, &mut plan)?;
    let count: usize = parts.iter().map(|part| part.points.len()).sum();
    check_size(times.len(), count)?;
    let skins = skins(&tables, &mut plan)?;
    let order = order(&nodes)?;
    let frames = times
        .iter()
        .map(|&t| {
            let pose = Pose::at(&nodes, &tracks, &order, t);
            let mut points = Vec::with_capacity(count);
            parts.iter().for_each(|part| part.add_points(&nodes, &skins, &pose, &mut points));
            points
        })
        .collect();
    Ok(Animation { times, frames, triangles: Vec::new() })
}

/// The animation, and the triangles of the file.
pub(crate) fn read_animation(source: &Source, per_second: f64) -> Result<Animation, ReadError> {
    let animation = read(source, per_second)?;
    let mesh = source.read()?.mesh;
    Ok(Animation { triangles: mesh.surface_triangles().to_vec(), ..animation })
}

fn tracks(tables: &Tables, plan: &mut Plan) -> Result<Vec<Track>, ReadError> {
    if tables.animations.len() == 0 {
        return Err(ReadError::Unsupported {
            what: "glTF without an animation".into(),
            remedy: "export the animation with the mesh",
        });
    }
    let animated: Animated = tables.animations.get(0, &mut plan.work)?;
    let mut tracks = Vec::new();
    for channel in animated.channels {
        let bad = |cause: String| tables.animations.error(0, cause);
        let path = match channel.target.path.as_str() {
            "translation" => Path::Translation,
            "rotation" => Path::Rotation,
            "scale" => Path::Scale,
            "weights" => Path::Weights,
            _ => continue,
        };
        let Some(node) = channel.target.node.filter(|&n| n < tables.nodes.len()) else { continue };
        let Some(sampler) = animated.samplers.get(channel.sampler) else {
            return Err(bad(format!("sampler {} is used but does not exist", channel.sampler)));
        };
        let times = numbers::<1>(plan, sampler.input, Kind::Scalar)?;
        let values = match path {
            Path::Translation | Path::Scale => numbers::<3>(plan, sampler.output, Kind::Vec3)?,
            Path::Rotation => numbers::<4>(plan, sampler.output, Kind::Vec4)?,
            Path::Weights => numbers::<1>(plan, sampler.output, Kind::Scalar)?,
        };
        let spline = sampler.interpolation == "CUBICSPLINE";
        let keys = times.len() * if spline { 3 } else { 1 };
        let ascends = times.windows(2).all(|w| w[0] < w[1]);
        let finite = times.iter().chain(&values).all(|x| x.is_finite());
        if times.is_empty() || values.len() % keys != 0 || values.is_empty() || !ascends || !finite {
            return Err(bad("a sampler has keys that do not ascend, or values that do not fit them".into()));
        }
        let size = values.len() / keys;
        tracks.push(Track { node, path, times, values, size, step: sampler.interpolation == "STEP", spline });
    }
    Ok(tracks)
}

fn numbers<const N: usize>(plan: &mut Plan, index: u32, kind: Kind) -> Result<Vec<f64>, ReadError> {
    let accessor = plan.check(index, Use::Numbers(kind))?;
    plan.memory.take(accessor.count.saturating_mul(8 * N))?;
    Ok(plan.accessors.values::<N>(&accessor).into_iter().flatten().collect())
}

fn positions(plan: &mut Plan, index: u32) -> Result<Vec<DVec3>, ReadError> {
    let accessor = plan.check(index, Use::Positions)?;
    let mut points = Vec::new();
    plan.memory.reserve(&mut points, accessor.count)?;
    plan.accessors.positions(&accessor, index, &mut points)?;
    Ok(points)
}

/// What is drawn, in the order in which the vertices of the mesh are.
fn parts_of(tables: &Tables, nodes: &[Node], plan: &mut Plan) -> Result<Vec<Part>, ReadError> {
    let mut seen = std::collections::BTreeSet::new();
    let mut parts = Vec::new();
    let draws = std::mem::take(&mut plan.draws);
    for draw in &draws {
        if !seen.insert((draw.node, draw.positions)) {
            continue;
        }
        let placed = &plan.placed[draw.node as usize];
        let (node, mesh) = (placed.index.map(|i| i as usize), placed.mesh);
        let plain: Mesh = tables.meshes.get(mesh, &mut plan.work)?;
        let moving: Moving = tables.meshes.get(mesh, &mut plan.work)?;
        let primitive = plain.primitives.iter().position(|p| p.attributes.position == Some(draw.positions));
        let primitive = primitive.and_then(|k| moving.primitives.into_iter().nth(k));
        let points = positions(plan, draw.positions)?;
        let mut part =
            Part { node, targets: Vec::new(), joints: Vec::new(), weights: moving.weights, points };
        if let Some(primitive) = primitive {
            for target in primitive.targets {
                let moved = target.position.map_or(Ok(Vec::new()), |index| positions(plan, index))?;
                part.targets.push(moved);
            }
            let is_skinned = node.is_some_and(|n| nodes[n].skin.is_some());
            if let (true, Some(joints), Some(weights)) =
                (is_skinned, primitive.attributes.joints, primitive.attributes.weights)
            {
                let joints = numbers::<4>(plan, joints, Kind::Vec4)?;
                let weights = numbers::<4>(plan, weights, Kind::Vec4)?;
                let four = |x: &[f64]| std::array::from_fn(|k| x[k]);
                let pairs = joints.chunks_exact(4).zip(weights.chunks_exact(4));
                part.joints = pairs.map(|(j, w)| (four(j).map(|x: f64| x as usize), four(w))).collect();
            }
        }
        parts.push(part);
    }
    Ok(parts)
}

/// The joints of each skin, and the maps from the mesh at rest to each of them.
fn skins(tables: &Tables, plan: &mut Plan) -> Result<Vec<Vec<(usize, Affine)>>, ReadError> {
    (0..tables.skins.len())
        .map(|index| {
            let skin: Skin = tables.skins.get(index, &mut plan.work)?;
            let maps = match skin.inverse_bind_matrices {
                Some(accessor) => numbers::<16>(plan, accessor, Kind::Mat4)?,
                None => Vec::new(),
            };
            let mut maps = maps.chunks_exact(16).map(|m| Affine::of_columns(&std::array::from_fn(|k| m[k])));
            Ok(skin.joints.into_iter().map(|j| (j, maps.next().unwrap_or(Affine::IDENTITY))).collect())
        })
        .collect()
}

/// Nodes with their parents, parents first.
fn order(nodes: &[Node]) -> Result<Vec<(usize, Option<usize>)>, ReadError> {
    let mut parent = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            if let Some(slot) = parent.get_mut(child as usize) {
                *slot = Some(index);
            }
        }
    }
    let mut order: Vec<(usize, Option<usize>)> =
        (0..nodes.len()).filter(|&n| parent[n].is_none()).map(|n| (n, None)).collect();
    let mut next = 0;
    while let Some(&(index, _)) = order.get(next) {
        let children = nodes[index].children.iter().map(|&c| c as usize).filter(|&c| c < nodes.len());
        order.extend(children.map(|child| (child, Some(index))));
        next += 1;
        // A node with two parents was refused when the scene was read; those outside of it may still turn in circles.
        if order.len() > nodes.len() {
            return Err(ReadError::OutOfProportion);
        }
    }
    Ok(order)
}

/// Where all nodes are at some time.
struct Pose {
    globals: Vec<Affine>,
    weights: Vec<Option<Vec<f64>>>,
}

impl Pose {
    fn at(nodes: &[Node], tracks: &[Track], order: &[(usize, Option<usize>)], t: f64) -> Pose {
        let mut weights: Vec<Option<Vec<f64>>> = nodes.iter().map(|n| n.weights.clone()).collect();
        let mut moved: Vec<Option<[Vec<f64>; 3]>> = vec![None; nodes.len()];
        for track in tracks {
            let value = track.at(t);
            match track.path {
                Path::Weights => weights[track.node] = Some(value),
                path => {
                    let slot = match path {
                        Path::Translation => 0,
                        Path::Rotation => 1,
                        _ => 2,
                    };
                    moved[track.node].get_or_insert_default()[slot] = value;
                }
            }
        }
        let local = |index: usize| {
            let node = &nodes[index];
            let Some([translation, rotation, scale]) = &moved[index] else { return Affine::of(node) };
            let vector = |value: &[f64], usual: Option<[f64; 3]>, none: DVec3| match value {
                [x, y, z] => DVec3::new(*x, *y, *z),
                _ => usual.map_or(none, DVec3::from_array),
            };
            let rotation = match rotation[..] {
                [x, y, z, w] => [x, y, z, w],
                _ => node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            };
            let translation = vector(translation, node.translation, DVec3::ZERO);
            Affine::of_parts(translation, rotation, vector(scale, node.scale, DVec3::ONE))
        };
        let mut globals = vec![Affine::IDENTITY; nodes.len()];
        for &(index, parent) in order {
            let above = parent.map_or(Affine::IDENTITY, |p| globals[p]);
            globals[index] = above.after(&local(index));
        }
        Pose { globals, weights }
    }
}

impl Track {
    /// The value at time `t`, between keys as the file says; before the first and after the last that of the key.
    fn at(&self, t: f64) -> Vec<f64> {
        let (n, step) = (self.size, if self.spline { 3 * self.size } else { self.size });
        let middle = if self.spline { n } else { 0 };
        let key = |k: usize| &self.values[k * step + middle..][..n];
        let after = self.times.partition_point(|&x| x <= t);
        if after == 0 {
            return key(0).to_vec();
        }
        if after == self.times.len() || self.step {
            return key(after - 1).to_vec();
        }
        let (a, b) = (after - 1, after);
        let h = self.times[b] - self.times[a];
        let s = (t - self.times[a]) / h;
        let mut value: Vec<f64> = if self.spline {
            let out = &self.values[a * step + 2 * n..][..n];
            let into = &self.values[b * step..][..n];
            let (s2, s3) = (s * s, s * s * s);
            let [p, m, q, o] = [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
            (0..n).map(|i| p * key(a)[i] + h * m * out[i] + q * key(b)[i] + h * o * into[i]).collect()
        } else if self.path == Path::Rotation && n == 4 {
            slerp(key(a), key(b), s)
        } else {
            key(a).iter().zip(key(b)).map(|(x, y)| x + s * (y - x)).collect()
        };
        if self.path == Path::Rotation {
            let length = value.iter().map(|x| x * x).sum::<f64>().sqrt();
            value.iter_mut().for_each(|x| *x /= length.max(f64::MIN_POSITIVE));
        }
        value
    }
}

/// Between two unit quaternions, the short way around.
fn slerp(a: &[f64], b: &[f64], s: f64) -> Vec<f64> {
    let dot: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let (dot, sign) = (dot.abs().min(1.0), dot.signum());
    let angle = dot.acos();
    let [p, q] = match angle.sin() {
        small if small < 1e-9 => [1.0 - s, s],
        sine => [((1.0 - s) * angle).sin() / sine, (s * angle).sin() / sine],
    };
    a.iter().zip(b).map(|(x, y)| p * x + sign * q * y).collect()
}

impl Part {
    fn add_points(&self, nodes: &[Node], skins: &[Vec<(usize, Affine)>], pose: &Pose, out: &mut Vec<DVec3>) {
        let weights = self.node.and_then(|n| pose.weights[n].as_ref()).unwrap_or(&self.weights);
        let skin = self.node.and_then(|n| nodes[n].skin).and_then(|s| skins.get(s));
        let own = self.node.map_or(Affine::IDENTITY, |n| pose.globals[n]);
        for (i, &rest) in self.points.iter().enumerate() {
            let moved = self.targets.iter().zip(weights).filter_map(|(t, w)| Some(*w * *t.get(i)?));
            let p = rest + moved.sum::<DVec3>();
            let by_joints = skin.zip(self.joints.get(i)).map(|(skin, (joints, weights))| {
                let each = joints.iter().zip(weights).filter_map(|(&joint, &w)| {
                    let (node, map) = skin.get(joint)?;
                    Some((w, w * pose.globals.get(*node)?.apply(map.apply(p))))
                });
                each.fold((0.0, DVec3::ZERO), |(total, sum), (w, q)| (total + w, sum + q))
            });
            out.push(match by_joints {
                Some((total, sum)) if total > 0.0 => sum / total,
                _ => own.apply(p),
            });
        }
    }
}
