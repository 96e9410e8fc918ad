//! The trials.

use super::Case;
use super::watch::{Random, Watched, want};
use std::fmt::Write;

/// Those that are right.
pub(crate) const HOLD: &[Case] = &[
    Case { name: "cloth_shelf", scene: cloth_shelf, verdict: on_the_shelf },
    Case { name: "ball_box", scene: ball_box, verdict: above_the_shelf },
    Case { name: "ball_sphere", scene: ball_sphere, verdict: went_around },
    Case { name: "cloth_spike", scene: cloth_spike, verdict: keeps_energy },
    Case { name: "cloth_corner", scene: cloth_corner, verdict: keeps_energy },
    Case { name: "seam_box", scene: seam_box, verdict: slides_on },
    Case { name: "seam_mesh", scene: seam_mesh, verdict: slides_on },
    Case { name: "cubes", scene: cubes, verdict: rests },
    Case { name: "fast_ball_cloth", scene: fast_ball_cloth, verdict: keeps_its_volume },
    Case { name: "open_bowl", scene: open_bowl, verdict: in_the_bowl },
    Case { name: "single_sheet", scene: single_sheet, verdict: above_the_shelf },
    Case { name: "cloth_pole", scene: cloth_pole, verdict: hangs },
    Case { name: "cloth_rod", scene: cloth_rod, verdict: hangs },
    Case { name: "table_cloth", scene: table_cloth, verdict: hangs },
];

/// Those that are not: stacks of cloth tremble.
pub(crate) const TO_COME: &[Case] = &[Case { name: "cloth_stack", scene: cloth_stack, verdict: lies_still }];

fn head(duration: f64, dt: f64, gravity: f64) -> String {
    format!(
        "format = \"pliant-scene\"\nversion = 1\n\n[scene]\nname = \"trial\"\nduration = {duration}\ndt = {dt}\n\
         gravity = [0, 0, {gravity}]\n\n"
    )
}

/// A body: its mesh, where it is, what else there is to say.
fn body(name: &str, mesh: &str, [x, y, z]: [f64; 3], rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmesh = {{ {mesh} }}\ntransform = {{ translate = [{x}, {y}, {z}] }}\n{rest}\n\n"
    )
}

/// A square cloth around a place, turned about the vertical.
fn cloth(name: &str, (size, cells): (f64, usize), [x, y, z]: [f64; 3], degrees: f64) -> String {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let half = 0.5 * size;
    let (x, y) = (x - half * (cos - sin), y - half * (sin + cos));
    format!(
        "[[body]]\nname = \"{name}\"\nmesh = {{ kind = \"cloth\", size = [{size}, {size}], cells = {cells} }}\n\
         transform = {{ rotate = {{ axis = [0, 0, 1], degrees = {degrees} }}, translate = [{x}, {y}, {z}] }}\n\
         density = 300\nthickness = 0.002\nmaterial = {{ kind = \"corotational\", youngs = 1e6, poisson = 0.3 }}\n\
         bending = {{ kind = \"isometric\", stiffness = 1e-5 }}\n\n"
    )
}

fn obstacle(name: &str, shape: &str, transform: &str) -> String {
    format!("[[obstacle]]\nname = \"{name}\"\nshape = {{ {shape} }}\ntransform = {{ {transform} }}\n\n")
}

fn ground() -> String {
    obstacle("ground", "kind = \"plane\"", "translate = [0, 0, 0]")
}

fn solid(law: &str, youngs: f64) -> String {
    format!("material = {{ kind = \"{law}\", youngs = {youngs:e}, poisson = 0.3 }}")
}

/// A cloth falls on a shelf whose upper side is at z = 0.
fn cloth_shelf(r: &mut Random) -> String {
    let (thick, height, turn) = (r.scale(0.003, 0.03), r.between(0.1, 0.6), r.between(0.0, 90.0));
    let shelf = format!("kind = \"box\", size = [1, 1, {thick}]");
    head(0.8, 0.01, -9.81)
        + &cloth("cloth", (0.4, 10), [0.0, 0.0, height], turn)
        + &obstacle("shelf", &shelf, &format!("translate = [0, 0, {}]", -0.5 * thick))
}

fn on_the_shelf(w: &Watched) -> Result<(), String> {
    w.is_not_below(0.0)?;
    w.is_apart()?;
    w.keeps_energy()
}

/// A ball is thrown down on a shelf whose upper side is at z = 0.
fn ball_box(r: &mut Random) -> String {
    let (thick, speed, dt) = (r.scale(0.005, 0.1), r.scale(2.0, 40.0), r.scale(0.002, 0.015));
    let at = [r.between(-0.03, 0.03), r.between(-0.03, 0.03), 0.3];
    let shelf = format!("kind = \"box\", size = [1, 1, {thick}]");
    let thrown = format!("velocity = [0, 0, {}]\n{}", -speed, solid("neo_hookean", r.scale(3e5, 3e7)));
    head(0.3, dt, -9.81)
        + &body("ball", "kind = \"ball\", radius = 0.05, cells = 5", at, &thrown)
        + &obstacle("shelf", &shelf, &format!("translate = [0, 0, {}]", -0.5 * thick))
}

fn above_the_shelf(w: &Watched) -> Result<(), String> {
    w.is_not_below(-1e-4)?;
    w.is_apart()?;
    w.keeps_energy()
}

/// A ball is thrown at a sphere around the origin.
fn ball_sphere(r: &mut Random) -> String {
    let (speed, beside) = (r.scale(10.0, 150.0), r.between(0.0, 0.08));
    let thrown = format!("velocity = [{speed}, 0, 0]\n{}", solid("neo_hookean", r.scale(1e6, 3e7)));
    head(0.1, 0.005, 0.0)
        + &body("ball", "kind = \"ball\", radius = 0.03, cells = 4", [-0.5, 0.01, beside], &thrown)
        + &obstacle("sphere", "kind = \"sphere\", radius = 0.1", "translate = [0, 0, 0]")
}

fn went_around(w: &Watched) -> Result<(), String> {
    for pair in w.way.windows(2) {
        let along = pair[1] - pair[0];
        let at = (-pair[0].dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let nearest = (pair[0] + at * along).length();
        want(nearest > 0.1, || format!("its centre passes the sphere at {nearest:.4}"))?;
    }
    w.is_apart()?;
    w.keeps_energy()
}

/// A cloth falls on something that holds it at a height of 0.3 m.
fn falls_on(obstacle: &str, cells: usize, r: &mut Random) -> String {
    let at = [r.between(-0.03, 0.03), r.between(-0.03, 0.03), 0.33];
    let turn = r.between(0.0, 90.0);
    head(0.6, 0.01, -9.81) + &cloth("cloth", (0.6, cells), at, turn) + obstacle + &ground()
}

fn cloth_pole(r: &mut Random) -> String {
    let shape = format!("kind = \"cylinder\", radius = {}, length = 0.3", r.scale(0.004, 0.03));
    falls_on(&obstacle("pole", &shape, "translate = [0, 0, 0.15]"), 12, r)
}

fn cloth_rod(r: &mut Random) -> String {
    let radius = r.scale(0.004, 0.03);
    let shape = format!("kind = \"capsule\", radius = {radius}, length = 2.0");
    let place =
        format!("rotate = {{ axis = [1, 0, 0], degrees = 90 }}, translate = [0, 0, {}]", 0.3 - radius);
    falls_on(&obstacle("rod", &shape, &place), 12, r)
}

fn table_cloth(r: &mut Random) -> String {
    let (radius, thick) = (r.between(0.12, 0.2), r.scale(0.01, 0.04));
    let shape = format!("kind = \"cylinder\", radius = {radius}, length = {thick}");
    falls_on(&obstacle("table", &shape, &format!("translate = [0, 0, {}]", 0.3 - 0.5 * thick)), 16, r)
}

fn hangs(w: &Watched) -> Result<(), String> {
    w.is_higher_than(0.3)?;
    w.is_apart()?;
    w.keeps_energy()
}

fn cloth_spike(r: &mut Random) -> String {
    let wide = r.between(0.01, 0.05);
    let shape = format!(
        "kind = \"triangles\", points = [[0, 0, 0.3], [{wide}, 0, 0], [{a}, {b}, 0], [{a}, {c}, 0]], \
         triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]",
        a = -0.5 * wide,
        b = 0.866 * wide,
        c = -0.866 * wide
    );
    falls_on(&obstacle("spike", &shape, "translate = [0, 0, 0]"), 12, r)
}

/// On the corner of a cube that stands on another one.
fn cloth_corner(r: &mut Random) -> String {
    let tilt = format!(
        "rotate = {{ axis = [1, -1, 0], degrees = {} }}, translate = [0, 0, 0.17]",
        r.between(50.0, 58.0)
    );
    falls_on(&obstacle("cube", "kind = \"box\", size = [0.15, 0.15, 0.15]", &tilt), 12, r)
}

fn keeps_energy(w: &Watched) -> Result<(), String> {
    w.is_apart()?;
    w.keeps_energy()
}

/// A block slides without friction over the seam of two floors.
fn slider(floors: &str, r: &mut Random) -> String {
    let block = format!("velocity = [1, 0, 0]\nfriction = 0\n{}", solid("neo_hookean", r.scale(3e5, 3e7)));
    let at = [-0.35, -0.1 + r.between(-0.02, 0.02), 0.0];
    head(1.0, 0.01, -9.81)
        + &body("block", "kind = \"block\", size = [0.2, 0.2, 0.1], cells = [4, 4, 2]", at, &block)
        + floors
}

fn seam_box(r: &mut Random) -> String {
    let seam = r.between(-0.1, 0.1);
    let floor = |name: &str, side: f64| {
        let place = format!("translate = [{}, 0, -0.1]", seam + side);
        obstacle(name, "kind = \"box\", size = [2, 1, 0.2]", &place)
    };
    slider(&(floor("a", -1.0) + &floor("b", 1.0)), r)
}

fn seam_mesh(r: &mut Random) -> String {
    let floor = |name: &str, cells: usize, x: f64| {
        let mesh = format!(
            "kind = \"mesh\", mesh = {{ kind = \"block\", size = [1.5, 1, 0.2], cells = [{cells}, {cells}, 1] }}"
        );
        obstacle(name, &mesh, &format!("translate = [{x}, -0.5, -0.2]"))
    };
    slider(&(floor("a", 3 + r.between(0.0, 5.0) as usize, -1.5) + &floor("b", 5, 0.0)), r)
}

fn slides_on(w: &Watched) -> Result<(), String> {
    let (Some(first), Some(last)) = (w.way.first(), w.way.last()) else { return Err("no step".into()) };
    let moved = last.x - first.x;
    let right = 0.01 * (w.way.len() - 1) as f64;
    want((moved - right).abs() < 1e-3 * right, || format!("slides {moved:.4} m instead of {right:.4}"))?;
    w.is_apart()
}

fn cloth_stack(r: &mut Random) -> String {
    let mut text = head(0.6, 0.01, -9.81) + &ground();
    for k in 0..4 {
        let z = 0.0012 + 0.004 * f64::from(k);
        text += &cloth(&format!("c{k}"), (0.2, 6), [0.0, 0.0, z], r.between(0.0, 90.0));
    }
    text
}

fn cubes(r: &mut Random) -> String {
    let mut text = head(2.0, 0.01, -9.81) + &ground();
    let stiff = solid("neo_hookean", r.scale(3e5, 3e7));
    for k in 0..8 {
        let at = [k & 1, k >> 1 & 1, k >> 2].map(|c| 0.1 * f64::from(c));
        let mesh = "kind = \"block\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2]";
        text += &body(&format!("cube{k}"), mesh, at, &stiff);
    }
    text
}

/// Coarse faces of soft cubes bulge into each other a little; cloths must not.
fn lies_still(w: &Watched) -> Result<(), String> {
    want(w.report["intersections"] == 0, || format!("{}", w.report["intersection_pairs"]))?;
    rests(w)
}

fn rests(w: &Watched) -> Result<(), String> {
    let fastest = w.run.world().state().velocities.iter().fold(0.0_f64, |most, v| most.max(v.length()));
    want(fastest < 0.02, || format!("moves at {fastest:.3} m/s"))?;
    w.is_apart()?;
    w.keeps_energy()
}

/// A ball is thrown at a cloth that is held at two sides.
fn fast_ball_cloth(r: &mut Random) -> String {
    let speed = r.scale(20.0, 120.0);
    let thrown = format!("velocity = [0, 0, {}]\n{}", -speed, solid("neo_hookean", 1e7));
    let pin = |group: &str| {
        format!("[[pin]]\nname = \"{group}\"\nbody = \"cloth\"\nselect = {{ group = \"{group}\" }}\n\n")
    };
    let beside = r.between(-0.1, 0.1);
    head(0.15, 0.005, -9.81)
        + &body("ball", "kind = \"ball\", radius = 0.05, cells = 5", [beside, 0.0, 0.3], &thrown)
        + &cloth("cloth", (0.8, 14), [0.0, 0.0, 0.0], 0.0)
        + &pin("x_min")
        + &pin("x_max")
}

fn keeps_its_volume(w: &Watched) -> Result<(), String> {
    let volume = w.report["bodies"][0]["volume_ratio"].as_f64().unwrap_or(0.0);
    want((0.8..1.2).contains(&volume), || format!("its volume is {volume:.2}"))?;
    want(w.report["inverted_elements"] == 0, || format!("{} inverted", w.report["inverted_elements"]))?;
    w.keeps_energy()
}

/// A ball falls into half of a sphere without thickness, whose lowest point is at z = 0.
fn open_bowl(r: &mut Random) -> String {
    let (radius, rings, around) = (0.25, 4_u32, 12_u32);
    let (mut points, mut triangles) = (String::from("[0, 0, 0]"), String::new());
    for i in 1..=rings {
        let (down, out) = (f64::from(i) / f64::from(rings) * std::f64::consts::FRAC_PI_2).sin_cos();
        for j in 0..around {
            let (sin, cos) = (f64::from(j) / f64::from(around) * std::f64::consts::TAU).sin_cos();
            let [x, y, z] = [radius * down * cos, radius * down * sin, radius * (1.0 - out)];
            let _ = write!(points, ", [{x}, {y}, {z}]");
            let (a, b) = (1 + (i - 1) * around + j, 1 + (i - 1) * around + (j + 1) % around);
            let _ = match i {
                1 => write!(triangles, "[0, {a}, {b}], "),
                _ => write!(triangles, "[{c}, {a}, {b}], [{c}, {b}, {d}], ", c = a - around, d = b - around),
            };
        }
    }
    let shape = format!(
        "kind = \"triangles\", points = [{points}], triangles = [{}]",
        triangles.trim_end_matches(", ")
    );
    let at = [r.between(-0.1, 0.1), r.between(-0.1, 0.1), r.between(0.3, 0.5)];
    let ball = "kind = \"ball\", radius = 0.05, cells = 5";
    head(0.8, 0.01, -9.81)
        + &body("ball", ball, at, &solid("neo_hookean", r.scale(3e4, 3e6)))
        + &obstacle("bowl", &shape, "translate = [0, 0, 0]")
}

fn in_the_bowl(w: &Watched) -> Result<(), String> {
    w.is_not_below(-1e-4)?;
    w.is_apart()?;
    w.keeps_energy()
}

/// A cube falls on a single layer of triangles at z = 0.
fn single_sheet(r: &mut Random) -> String {
    let cells = 1 + r.between(0.0, 6.0) as usize;
    let sheet = format!("kind = \"mesh\", mesh = {{ kind = \"cloth\", size = [1, 1], cells = {cells} }}");
    let cube = "kind = \"block\", size = [0.1, 0.1, 0.1], cells = [3, 3, 3]";
    let at = [r.between(-0.2, 0.1), r.between(-0.2, 0.1), r.between(0.05, 0.5)];
    head(0.6, 0.01, -9.81)
        + &body("cube", cube, at, &solid("neo_hookean", r.scale(1e5, 1e7)))
        + &obstacle("sheet", &sheet, "translate = [-0.5, -0.5, 0]")
}
