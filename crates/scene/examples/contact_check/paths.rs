//! Points of surfaces, followed from step to step: whether they passed through an obstacle on their way.

use crate::distance::{Checked, Field};
use crate::lowest::on_path;
use crate::scenes::DEEP;
use crate::survey::{Surface, Survey};
use pliant::{DVec3, Model, Motion, Pose};

/// Pieces of the way of a point in a step, seen from an obstacle that turns.
const PIECES: usize = 8;

/// Cosine of the angle from which on two faces look in opposite directions.
const OPPOSITE: f64 = -0.1;

/// A point of a body's surface: three of its vertices and their weights.
type Sample = ([u32; 3], DVec3);

pub struct Paths {
    /// Of each body.
    samples: Vec<Vec<Sample>>,
    /// For each body and obstacle, where each sample was last clear of a sheet, in the obstacle's coordinates.
    clear: Vec<Vec<Vec<DVec3>>>,
}

/// A step: positions and times before and after it.
pub struct Step<'a> {
    pub x: [&'a [DVec3]; 2],
    pub times: [f64; 2],
}

impl Paths {
    /// Each triangle has samples on a grid of `rows` rows.
    pub fn new(model: &Model, survey: &Survey, x: &[DVec3], rows: usize) -> Paths {
        let samples: Vec<Vec<Sample>> = survey.surfaces.iter().map(|s| samples(s, rows)).collect();
        let poses: Vec<Pose> = model.obstacles.iter().map(|o| o.pose(0.0)).collect();
        let seen = |s: &Surface, samples: &[Sample], pose: &Pose| {
            samples.iter().map(|sample| pose.local(point(sample, s.positions(x)))).collect()
        };
        let each = survey.surfaces.iter().zip(&samples);
        let clear = each.map(|(s, samples)| poses.iter().map(|p| seen(s, samples, p)).collect()).collect();
        Paths { samples, clear }
    }

    /// How many points passed through an obstacle in a step.
    pub fn passed(&mut self, model: &Model, survey: &Survey, step: &Step) -> usize {
        let mut passed = 0;
        for (b, surface) in survey.surfaces.iter().enumerate() {
            let [from, to] = step.x.map(|x| surface.positions(x));
            for (o, (_, obstacle)) in survey.obstacles.iter().enumerate() {
                let poses = poses(model, o, step);
                for (sample, clear) in self.samples[b].iter().zip(&mut self.clear[b][o]) {
                    let [from, to] = [point(sample, from), point(sample, to)];
                    if from.is_finite() && to.is_finite() {
                        let part = |k: usize| k as f64 / (poses.len() - 1) as f64;
                        let seen = poses.iter().enumerate().map(|(k, p)| p.local(from.lerp(to, part(k))));
                        let way: Vec<DVec3> = seen.collect();
                        passed += usize::from(is_through(obstacle, &way, clear, surface.size));
                    }
                }
            }
        }
        passed
    }
}

fn samples(surface: &Surface, rows: usize) -> Vec<Sample> {
    let grid = (0..=rows).flat_map(|i| (0..=rows - i).map(move |j| [i, j].map(|k| k as f64 / rows as f64)));
    let weights: Vec<DVec3> = grid.map(|[u, v]| DVec3::new(1.0 - u - v, u, v)).collect();
    surface.triangles.iter().flat_map(|t| weights.iter().map(|w| (*t, *w))).collect()
}

fn point((t, w): &Sample, x: &[DVec3]) -> DVec3 {
    t.iter().zip(w.to_array()).map(|(&v, w)| w * x[v as usize]).sum()
}

/// Where an obstacle is in the course of a step: at its ends if it does not turn.
fn poses(model: &Model, obstacle: usize, step: &Step) -> Vec<Pose> {
    let obstacle = &model.obstacles[obstacle];
    let turns =
        matches!(obstacle.motion, Motion::Rotation { .. } | Motion::Keyframes { .. } | Motion::Poses(_));
    let pieces = if turns { PIECES } else { 1 };
    let [start, end] = step.times;
    (0..=pieces).map(|k| obstacle.pose(start + (end - start) * k as f64 / pieces as f64)).collect()
}

/// Whether a way leads through an obstacle. Points that end inside are a matter of depth.
fn is_through(obstacle: &Checked, way: &[DVec3], clear: &mut DVec3, size: f64) -> bool {
    let ends = [way[0], way[way.len() - 1]];
    match obstacle {
        Checked::Solid(Field::Closed { tree, normals }) => {
            // In on one side and out on another that looks the other way; who clips an edge comes out beside.
            let mut crossed: Vec<(f64, DVec3)> = Vec::new();
            for (k, w) in way.windows(2).enumerate() {
                tree.triangles()
                    .crossings(w[0], w[1], |c| crossed.push((k as f64 + c.t, normals[c.triangle as usize])));
            }
            crossed.sort_by(|a, b| a.0.total_cmp(&b.0));
            let opposite = crossed.first().zip(crossed.last()).is_some_and(|(a, b)| a.1.dot(b.1) < OPPOSITE);
            opposite && ends.iter().all(|&p| tree.winding_number(p).abs() < 0.5)
        }
        Checked::Solid(field) => {
            let half = field.half_thickness();
            let (deep, tolerance) = (-0.5 * half, (0.1 * half).min(1e-2));
            let is_deep =
                |w: &[DVec3]| on_path(field, [w[0], w[1]], tolerance).is_some_and(|l| l.distance < deep);
            half.is_finite()
                && ends.iter().all(|&p| field.at(p).distance > deep)
                && way.windows(2).any(is_deep)
        }
        Checked::Sheet { tree, .. } => {
            // On a sheet the side is not known: what counts is where the point was clear of it.
            if tree.closest_within(ends[1], DEEP * size).is_some() {
                return false;
            }
            let mut crossings = 0;
            tree.crossings(std::mem::replace(clear, ends[1]), ends[1], |_| crossings += 1);
            crossings > 0
        }
    }
}
