//! Bodies that are there many times: each instance becomes a body of its own, called `NAME_0`, `NAME_1`, ...

use super::document::Problems;
use super::spec::{BodySpec, InstancesSpec, RotateSpec};
use super::tree::{Data, Node};

/// Most instances of a scene.
const MOST: usize = 10_000;

/// How often a place is drawn anew that is too close to another.
const TRIES: usize = 1000;

/// Where an instance is, relative to its body.
struct Place {
    shift: [f64; 3],
    turn: Option<RotateSpec>,
}

/// Puts the instances in the place of their bodies, in the list and in the tree, so that paths into both stay the same.
pub(super) fn expand(bodies: Vec<BodySpec>, seed: u64, problems: &mut Problems) -> Vec<BodySpec> {
    if bodies.iter().all(|b| b.instances.is_none()) || !problems.is_empty() {
        return bodies;
    }
    let nodes = match problems.tree.get("body").map(|node| &node.data) {
        Some(Data::Array(nodes)) if nodes.len() == bodies.len() => nodes.clone(),
        _ => return bodies,
    };
    let (mut all, mut all_nodes): (Vec<BodySpec>, Vec<Node>) = (Vec::new(), Vec::new());
    for (i, (body, node)) in bodies.into_iter().zip(nodes).enumerate() {
        let Some(instances) = body.instances.clone() else {
            all.push(body);
            all_nodes.push(node);
            continue;
        };
        let path = format!("body.{i}.instances");
        let places = places(&path, &instances, seed, problems);
        if all.len() + places.len() > MOST {
            let cause = format!("{path}: more than {MOST} bodies");
            problems.add(&path, cause, "use fewer");
            break;
        }
        for (k, Place { shift, turn }) in places.into_iter().enumerate() {
            let mut one = body.clone();
            one.name = body.name.as_ref().map(|name| format!("{name}_{k}"));
            (0..3).for_each(|c| one.transform.translate[c] += shift[c]);
            one.transform.rotate.0.extend(turn);
            all.push(one);
            all_nodes.push(node.clone());
        }
    }
    if problems.is_empty()
        && let Data::Table(entries) = &mut problems.tree.data
        && let Some(entry) = entries.iter_mut().find(|e| e.key == "body")
    {
        entry.value.data = Data::Array(all_nodes);
        problems.has_instances = true;
    }
    all
}

fn places(path: &str, spec: &InstancesSpec, seed: u64, problems: &mut Problems) -> Vec<Place> {
    match (&spec.grid, &spec.spacing, &spec.count, &spec.within) {
        (Some(grid), Some(spacing), None, None) => on_grid(path, *grid, *spacing, problems),
        (None, None, Some(count), Some(_)) => at_random(path, spec, *count as usize, seed, problems),
        _ => {
            let cause = format!("{path} must be a grid or at random");
            let remedy = "write { grid = [3, 3, 1], spacing = [0.2, 0.2, 0] }, or \
                          { count = 10, within = { min = [0, 0, 0], max = [1, 1, 1] }, distance = 0.2 }";
            problems.add(path, cause, remedy);
            Vec::new()
        }
    }
}

fn on_grid(path: &str, grid: [u32; 3], spacing: [f64; 3], problems: &mut Problems) -> Vec<Place> {
    let count = grid.iter().fold(1u64, |n, &k| n.saturating_mul(u64::from(k)));
    if !(1..=MOST as u64).contains(&count) || spacing.iter().any(|s| !s.is_finite()) {
        let cause = format!("{path} must have from 1 to {MOST} places at finite distances");
        problems.add(&format!("{path}.grid"), cause, "write for example grid = [3, 3, 1]");
        return Vec::new();
    }
    let [nx, ny, nz] = grid;
    let cells = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    let place = |cell: [u32; 3]| std::array::from_fn(|c| f64::from(cell[c]) * spacing[c]);
    cells.map(|cell| Place { shift: place(cell), turn: None }).collect()
}

fn at_random(
    path: &str,
    spec: &InstancesSpec,
    count: usize,
    seed: u64,
    problems: &mut Problems,
) -> Vec<Place> {
    let Some(within) = &spec.within else { return Vec::new() };
    let is_box = (0..3)
        .all(|c| within.min[c].is_finite() && within.max[c].is_finite() && within.min[c] <= within.max[c]);
    let is_distance = spec.distance >= 0.0 && spec.distance.is_finite();
    if !(is_box && is_distance && (1..=MOST).contains(&count)) {
        let cause =
            format!("{path} must have from 1 to {MOST} places in a box, a distance of 0 or more apart");
        problems.add(path, cause, "write min below max, for example { min = [0, 0, 0], max = [1, 1, 1] }");
        return Vec::new();
    }
    let mut random = spec.seed.unwrap_or(seed);
    let mut places: Vec<Place> = Vec::new();
    for _ in 0..count {
        let far = |shift: &[f64; 3]| {
            let apart = |p: &Place| (0..3).map(|c| (p.shift[c] - shift[c]).powi(2)).sum::<f64>().sqrt();
            places.iter().all(|p| apart(p) >= spec.distance)
        };
        let mut draw =
            || std::array::from_fn(|c| within.min[c] + unit(&mut random) * (within.max[c] - within.min[c]));
        let Some(shift) = (0..TRIES).map(|_| draw()).find(far) else {
            let cause = format!("{path}: only {} of {count} fit with this distance", places.len());
            problems.add(path, cause, "enlarge the box, or use fewer bodies or a smaller distance");
            return Vec::new();
        };
        let turn = spec.turned.then(|| random_turn(&mut random));
        places.push(Place { shift, turn });
    }
    places
}

/// A rotation about a random axis by a random angle.
fn random_turn(random: &mut u64) -> RotateSpec {
    let height = 2.0 * unit(random) - 1.0;
    let (sin, cos) = (std::f64::consts::TAU * unit(random)).sin_cos();
    let width = (1.0 - height * height).sqrt();
    RotateSpec { axis: [width * cos, width * sin, height], degrees: 360.0 * unit(random) }
}

/// A number from 0 to 1 by splitmix64 [Steele, Lea and Flood 2014].
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as f64 / u64::MAX as f64
}
