//! The scene of a glTF file: nodes, meshes, materials and the animation.

use super::bin::Bin;
use crate::exporting::color::linear;
use crate::exporting::film::{Film, Surface, obstacle};
use pliant::{ObstacleId, Pose, Shape};
use pliant_mesh::{DMat3, DVec3};
use serde_json::{Map, Value, json};
use std::io;

/// glTF has y up, we have z up: a quarter turn about x.
const Z_UP_TO_Y_UP: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// A glTF document that grows.
#[derive(Debug)]
pub(super) struct Document {
    pub bin: Bin,
    name: String,
    nodes: Vec<Value>,
    /// Nodes directly in the scene.
    top: Vec<usize>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

/// How a surface looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// sRGB, 0 to 1.
    pub color: [f32; 3],
    /// Whether it is seen from both sides.
    pub two_sided: bool,
}

/// Times of keys, and how to go from one to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    /// The accessor of the times.
    pub times: usize,
    /// As glTF calls it.
    pub interpolation: &'static str,
}

impl Document {
    pub fn new(bin: Bin, name: &str) -> Document {
        Document {
            bin,
            name: name.to_string(),
            nodes: Vec::new(),
            top: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
        }
    }

    /// All obstacles, with their motion in the kept frames.
    pub fn obstacles(&mut self, film: &mut Film, kept: &[usize]) -> io::Result<()> {
        let around = film.bounds()?;
        let obstacles = &film.run().world().model().obstacles;
        let poses = |id: ObstacleId| -> Vec<Pose> {
            let all = film.poses(id);
            kept.iter().map(|&frame| all[frame]).collect()
        };
        // What nothing refers to must not be in a file.
        let moves = |id: ObstacleId| poses(id).windows(2).any(|pair| pair[0] != pair[1]);
        let any_moves = (0..obstacles.len()).map(ObstacleId::new).any(moves);
        let keys = if any_moves { Some(self.keys(&film.times, kept)?) } else { None };
        for (i, o) in obstacles.iter().enumerate() {
            let id = ObstacleId::new(i);
            let poses = poses(id);
            let (points, triangles) = obstacle(&o.shape, &poses, around);
            let surface = Surface::creased(&points, &triangles);
            let places = surface.pick(&points);
            self.bin.open();
            let attributes = json!({
                "POSITION": self.bin.positions(&single(&places))?,
                "NORMAL": self.bin.vectors(&single(&surface.normals(&places)))?,
            });
            self.bin.close();
            let indices = self.bin.indices(surface.triangles.as_flattened())?;
            let two_sided = matches!(o.shape, Shape::Plane) || !o.shape.is_solid();
            let material = self.material(&o.name, Look { color: film.obstacle_color(id), two_sided });
            let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
            let mesh = self.mesh(&film.obstacle_names()[i], primitive, 0);
            let node = self.node(json!({ "name": o.name, "mesh": mesh }));
            self.top.push(node);
            self.pose_keys(node, &poses, keys)?;
        }
        Ok(())
    }

    /// Where a node is, and how it moves if it does.
    fn pose_keys(&mut self, node: usize, poses: &[Pose], keys: Option<Keys>) -> io::Result<()> {
        let Some(first) = poses.first() else { return Ok(()) };
        let turns = quaternions(poses);
        self.nodes[node]["translation"] = json!(first.translation.to_array());
        self.nodes[node]["rotation"] = json!(turns[0]);
        let Some(keys) = keys else { return Ok(()) };
        if poses.iter().any(|p| p.translation != first.translation) {
            let values: Vec<f32> = poses.iter().flat_map(|p| p.translation.as_vec3().to_array()).collect();
            self.animate(node, "translation", keys, &values, 3)?;
        }
        if poses.iter().any(|p| p.rotation != first.rotation) {
            let values: Vec<f32> = turns.iter().flat_map(|q| q.map(|c| c as f32)).collect();
            self.animate(node, "rotation", keys, &values, 4)?;
        }
        Ok(())
    }

    /// Times of some frames, as keys of an animation.
    pub fn keys(&mut self, times: &[f64], frames: &[usize]) -> io::Result<Keys> {
        let times: Vec<f32> = frames.iter().map(|&f| times[f] as f32).collect();
        Ok(Keys { times: self.bin.times(&times)?, interpolation: "LINEAR" })
    }

    /// Animates a property of a node, with `width` numbers per key.
    pub fn animate(
        &mut self,
        node: usize,
        path: &str,
        keys: Keys,
        values: &[f32],
        width: usize,
    ) -> io::Result<()> {
        let output = self.bin.keys(values, width)?;
        let sampler = self.sampler(keys, output);
        self.channel(node, path, sampler);
        Ok(())
    }

    /// A curve that several channels may share.
    pub fn sampler(&mut self, keys: Keys, output: usize) -> usize {
        let Keys { times, interpolation } = keys;
        self.samplers.push(json!({ "input": times, "output": output, "interpolation": interpolation }));
        self.samplers.len() - 1
    }

    pub fn channel(&mut self, node: usize, path: &str, sampler: usize) {
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// A mesh of one primitive whose morph targets have no weight yet.
    pub fn mesh(&mut self, name: &str, primitive: Value, targets: usize) -> usize {
        let mut mesh = json!({ "name": name, "primitives": [primitive] });
        if targets > 0 {
            mesh["weights"] = json!(vec![0.0; targets]);
        }
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    pub fn material(&mut self, name: &str, look: Look) -> usize {
        let [r, g, b] = look.color.map(linear);
        self.materials.push(json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.7,
            },
            "doubleSided": look.two_sided,
        }));
        self.materials.len() - 1
    }

    /// A node below another one.
    pub fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Shows a node.
    pub fn show(&mut self, node: usize) {
        self.top.push(node);
    }

    /// The text of the document, and the number of bytes that it refers to.
    pub fn finish(mut self) -> io::Result<(String, u64)> {
        let root = json!({ "name": self.name, "rotation": Z_UP_TO_Y_UP, "children": self.top });
        let root = self.node(root);
        let (accessors, views, length) = self.bin.finish()?;
        let generator = concat!("pliant ", env!("CARGO_PKG_VERSION"), " export");
        let mut document = Map::new();
        document.insert("asset".into(), json!({ "version": "2.0", "generator": generator }));
        document.insert("scene".into(), json!(0));
        document.insert("scenes".into(), json!([{ "name": self.name, "nodes": [root] }]));
        document.insert("buffers".into(), json!([{ "byteLength": length }]));
        if !self.channels.is_empty() {
            let animation =
                json!({ "name": "simulation", "samplers": self.samplers, "channels": self.channels });
            document.insert("animations".into(), json!([animation]));
        }
        for (key, list) in [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", accessors),
            ("bufferViews", views),
        ] {
            document.insert(key.into(), Value::Array(list));
        }
        Ok((Value::Object(document).to_string(), length))
    }
}

/// Points in the precision of the file.
pub(super) fn single(points: &[DVec3]) -> Vec<[f32; 3]> {
    points.iter().map(|p| p.as_vec3().to_array()).collect()
}

/// Rotations as unit quaternions `[x, y, z, w]`, each with the sign that is nearer to the one before.
fn quaternions(poses: &[Pose]) -> Vec<[f64; 4]> {
    let mut list: Vec<[f64; 4]> = Vec::with_capacity(poses.len());
    for pose in poses {
        let q = quaternion(&pose.rotation);
        let opposite = list.last().is_some_and(|p| (0..4).map(|k| p[k] * q[k]).sum::<f64>() < 0.0);
        list.push(if opposite { q.map(|c| -c) } else { q });
    }
    list
}

/// The quaternion of a rotation matrix, from its largest component, which is at least a half.
fn quaternion(rotation: &DMat3) -> [f64; 4] {
    let r = |row: usize, column: usize| rotation.col(column)[row];
    let trace = r(0, 0) + r(1, 1) + r(2, 2);
    // Squares of the components, times four.
    let squares: [f64; 4] =
        std::array::from_fn(|k| if k == 3 { 1.0 + trace } else { 1.0 + 2.0 * r(k, k) - trace });
    let largest = (0..4).fold(3, |best, k| if squares[k] > squares[best] { k } else { best });
    let size = squares[largest].sqrt();
    let mut q = [0.0; 4];
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        // Four times q[k] w, and four times q[i] q[j].
        let (with_w, of_others) = (r(j, i) - r(i, j), r(i, j) + r(j, i));
        if largest == 3 {
            q[k] = with_w / (2.0 * size);
        } else if largest == k {
            q[3] = with_w / (2.0 * size);
        } else {
            // The pair of the largest component and the one that is neither it nor k.
            q[i + j - largest] = of_others / (2.0 * size);
        }
    }
    q[largest] = 0.5 * size;
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns `v` by a quaternion, by the textbook formula.
    fn turned(q: [f64; 4], v: DVec3) -> DVec3 {
        let u = DVec3::new(q[0], q[1], q[2]);
        let t = 2.0 * u.cross(v);
        v + q[3] * t + u.cross(t)
    }

    #[test]
    fn quaternions_turn_like_their_matrices() {
        for degrees in (0..=720).step_by(15) {
            for axis in [DVec3::Z, DVec3::new(0.6, 0.8, 0.0), DVec3::X, DVec3::new(-0.48, 0.6, 0.64)] {
                let rotation = DMat3::from_axis_angle(axis, f64::from(degrees).to_radians());
                let v = DVec3::new(0.3, -1.2, 0.7);
                let (a, b) = (turned(quaternion(&rotation), v), rotation * v);
                assert!(a.abs_diff_eq(b, 1e-12), "{degrees} {axis:?}: {a:?} {b:?}");
            }
        }
        assert!(turned(Z_UP_TO_Y_UP, DVec3::Z).abs_diff_eq(DVec3::Y, 1e-12));
    }

    #[test]
    fn signs_of_quaternions_do_not_jump() {
        let about_z =
            |degrees: f64| Pose { rotation: DMat3::from_rotation_z(degrees.to_radians()), ..Pose::IDENTITY };
        let poses: Vec<Pose> = (0..100).map(|i| about_z(f64::from(10 * i))).collect();
        for pair in quaternions(&poses).windows(2) {
            let cosine: f64 = (0..4).map(|k| pair[0][k] * pair[1][k]).sum();
            assert!(cosine > 0.99, "{pair:?}");
        }
    }
}
