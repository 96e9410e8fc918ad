//! Ranges and references: what a value may be, beyond its type.

mod shape;

use crate::document::{Document, Problems};
use crate::error::{quoted, suggest};
use crate::spec::{
    BodySpec, ForceKind, GlobalWord, MaterialSpec, MeshSpec, MotionSpec, Op, PinSpec, PrecisionWord,
    ProbeWhat, SOLVER_KINDS, SolverSpec,
};
use pliant::solver::{GlobalSolve, LocalGlobalConfig, NewtonConfig, Precision, SolverConfig};
use std::collections::HashSet;

/// Most steps of a run.
pub(crate) const MAX_STEPS: f64 = 1e8;

/// Checks all entries and reports every problem; returns the names of the bodies.
pub(crate) fn document(d: &Document, problems: &mut Problems) -> Vec<String> {
    scene(d, problems);
    if d.bodies.is_empty() {
        problems.add("", "the scene has no body", "add [[body]] with a mesh and a material");
    }
    for (i, spec) in d.bodies.iter().enumerate() {
        body(&format!("body.{i}"), spec, problems);
    }
    for (i, spec) in d.pins.iter().enumerate() {
        pin(&format!("pin.{i}"), spec, problems);
    }
    forces(d, problems);
    probes(d, problems);
    expectations(d, problems);
    let names: Vec<String> = names(d.bodies.iter().map(|b| b.name.as_deref()), "body");
    unique(&names, "body", problems);
    unique(&self::names(d.pins.iter().map(|p| p.name.as_deref()), "pin"), "pin", problems);
    unique(&self::names(d.forces.iter().map(|f| f.name.as_deref()), "force"), "force", problems);
    let probe_names: Vec<String> = d.probes.iter().map(|p| p.name.clone()).collect();
    unique(&probe_names, "probe", problems);
    names
}

/// Given names, and `kind0`, `kind1`, ... for the others.
pub(crate) fn names<'a>(given: impl Iterator<Item = Option<&'a str>>, kind: &str) -> Vec<String> {
    given.enumerate().map(|(i, name)| name.map_or_else(|| format!("{kind}{i}"), str::to_string)).collect()
}

fn unique(names: &[String], kind: &str, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for (i, name) in names.iter().enumerate() {
        if !seen.insert(name) {
            problems.add(
                &format!("{kind}.{i}.name"),
                format!("two entries [[{kind}]] are named `{name}`"),
                "rename one",
            );
        }
    }
}

fn positive(path: &str, value: f64, problems: &mut Problems) -> bool {
    let good = value > 0.0 && value.is_finite();
    if !good {
        problems.add(path, format!("{path} = {value} must be positive and finite"), "write a number above 0");
    }
    good
}

fn not_negative(path: &str, value: f64, problems: &mut Problems) {
    if !(value >= 0.0 && value.is_finite()) {
        problems.add(
            path,
            format!("{path} = {value} must be 0 or more and finite"),
            "write 0 or a number above 0",
        );
    }
}

fn finite(path: &str, values: &[f64], problems: &mut Problems) {
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        problems.add(path, format!("{path} contains {bad}, it must be finite"), "write finite numbers");
    }
}

fn direction(path: &str, axis: &[f64; 3], problems: &mut Problems) {
    let length = axis.iter().map(|a| a * a).sum::<f64>();
    if !(length > 0.0 && length.is_finite()) {
        problems.add(path, format!("{path} = {axis:?} has no direction"), "write a vector such as [0, 0, 1]");
    }
}

fn scene(d: &Document, problems: &mut Problems) {
    let s = &d.scene;
    let good = positive("scene.dt", s.dt, problems) & positive("scene.duration", s.duration, problems);
    if good && s.duration / s.dt > MAX_STEPS {
        let cause = format!("duration / dt = {:.3e} steps, more than {MAX_STEPS:.0e}", s.duration / s.dt);
        problems.add("scene.duration", cause, "shorten the duration or use a larger dt");
    }
    finite("scene.gravity", &s.gravity, problems);
    direction("scene.camera.direction", &s.camera.direction, problems);
    if s.compare_step.is_some_and(|n| n as f64 > MAX_STEPS) {
        problems.add("scene.compare_step", "compare_step is too large", "use a step inside of the run");
    }
}

fn body(path: &str, b: &BodySpec, problems: &mut Problems) {
    positive(&format!("{path}.density"), b.density, problems);
    positive(&format!("{path}.thickness"), b.thickness, problems);
    shape::transform(&format!("{path}.transform"), &b.transform, problems);
    if let MeshSpec::Generator(generator) = &b.mesh {
        shape::generator(&format!("{path}.mesh"), generator, problems);
    }
    finite(&format!("{path}.velocity"), &b.velocity, problems);
    finite(&format!("{path}.angular_velocity"), &b.angular_velocity, problems);
    not_negative(&format!("{path}.damping.mass"), b.damping.mass, problems);
    not_negative(&format!("{path}.damping.stiffness"), b.damping.stiffness, problems);
    not_negative(&format!("{path}.friction"), b.friction, problems);
    if let Some(bending) = &b.bending {
        not_negative(&format!("{path}.bending.stiffness"), bending.stiffness, problems);
    }
    material(&format!("{path}.material"), &b.material, problems);
    for (i, region) in b.regions.iter().enumerate() {
        let path = format!("{path}.regions.{i}");
        material(&format!("{path}.material"), &region.material, problems);
        if region.select.is_some() == region.group.is_some() {
            problems.add(
                &path,
                format!("{path} needs either `select` or `group`"),
                "write exactly one of the two",
            );
        }
    }
}

fn material(path: &str, m: &MaterialSpec, problems: &mut Problems) {
    if !(m.youngs > 0.0 && m.youngs.is_finite()) {
        let cause = format!("{path}.youngs = {} must be positive and finite", m.youngs);
        problems.add(&format!("{path}.youngs"), cause, "rubber is about 1e6 Pa, soft tissue 1e4 Pa");
    }
    if !(m.poisson > -1.0 && m.poisson < 0.5) {
        let cause = format!("{path}.poisson = {} must be above -1 and below 0.5", m.poisson);
        problems.add(&format!("{path}.poisson"), cause, "use 0.49 for nearly incompressible");
    }
}

fn pin(path: &str, p: &PinSpec, problems: &mut Problems) {
    if let Some(stiffness) = p.stiffness {
        positive(&format!("{path}.stiffness"), stiffness, problems);
    }
    if let Some(compliance) = p.compliance {
        let key = format!("{path}.compliance");
        not_negative(&key, compliance, problems);
        if p.stiffness.is_some() {
            problems.add(&key, format!("{key} is given beside a stiffness"), "leave one of them out");
        }
    }
    let at = |key: &str| format!("{path}.motion.{key}");
    match &p.motion {
        MotionSpec::Fixed => {}
        MotionSpec::Velocity { velocity, start, stop } => {
            finite(&at("velocity"), velocity, problems);
            interval(&at("stop"), *start, *stop, problems);
        }
        MotionSpec::Rotation { axis, point, turns_per_second, degrees_per_second, start, stop } => {
            direction(&at("axis"), axis, problems);
            finite(&at("point"), point.as_ref().map_or(&[], |p| p), problems);
            let rates: Vec<f64> = turns_per_second.iter().chain(degrees_per_second).copied().collect();
            if rates.len() != 1 {
                let cause = format!("{path}.motion needs exactly one rate");
                problems.add(&at("kind"), cause, "write turns_per_second or degrees_per_second");
            }
            let key = if turns_per_second.is_some() { "turns_per_second" } else { "degrees_per_second" };
            finite(&at(key), &rates, problems);
            interval(&at("stop"), *start, *stop, problems);
        }
        MotionSpec::Keyframes { frames, axis, point } => {
            direction(&at("axis"), axis, problems);
            finite(&at("point"), point.as_ref().map_or(&[], |p| p), problems);
            for (i, f) in frames.iter().enumerate() {
                let numbers = [f.time, f.degrees, f.turns, f.translate[0], f.translate[1], f.translate[2]];
                finite(&at(&format!("frames.{i}")), &numbers, problems);
            }
            if frames.is_empty() || frames.windows(2).any(|w| w[0].time >= w[1].time) {
                let cause =
                    format!("{path}.motion.frames must be at least one keyframe with ascending times");
                problems.add(&at("frames"), cause, "sort the keyframes by time");
            }
        }
    }
}

fn interval(path: &str, start: f64, stop: Option<f64>, problems: &mut Problems) {
    if !start.is_finite() || stop.is_some_and(|s| s.is_nan() || s < start) {
        problems.add(path, format!("{path}: the motion must start before it stops"), "set start < stop");
    }
}

fn forces(d: &Document, problems: &mut Problems) {
    for (i, force) in d.forces.iter().enumerate() {
        let path = format!("force.{i}");
        not_negative(&format!("{path}.ramp"), force.ramp, problems);
        finite(&format!("{path}.total"), force.total.as_ref().map_or(&[], |t| t), problems);
        finite(&format!("{path}.value"), force.value.as_slice(), problems);
        let (needs, refuses, remedy) = match force.kind {
            ForceKind::Force => {
                (force.total.is_some(), force.value.is_some(), "give `total = [x, y, z]` in N")
            }
            ForceKind::Pressure => (
                force.value.is_some(),
                force.total.is_some() || force.select.is_some(),
                "a pressure has `value` in Pa and acts on the whole surface",
            ),
        };
        if !needs || refuses {
            problems.add(&path, format!("{path}: the keys do not fit the kind of load"), remedy);
        }
    }
}

fn probes(d: &Document, problems: &mut Problems) {
    for (i, probe) in d.probes.iter().enumerate() {
        let path = format!("probe.{i}");
        if let Some(axis) = &probe.axis {
            direction(&format!("{path}.axis"), &axis.0, problems);
        } else if probe.what == ProbeWhat::Extent {
            problems.add(&path, format!("{path}: an extent needs an axis"), "add for example axis = \"y\"");
        }
        let selects = matches!(
            probe.what,
            ProbeWhat::Position | ProbeWhat::Extent | ProbeWhat::Speed | ProbeWhat::Radius
        );
        if probe.select.is_some() && !selects {
            let cause = format!("{path}: this probe is about the whole body");
            problems.add(&format!("{path}.select"), cause, "remove `select`, or use what = \"position\"");
        }
        if probe.name.is_empty() || probe.name.contains('.') {
            let cause = format!("{path}.name = \"{}\" must not be empty nor have dots", probe.name);
            problems.add(&format!("{path}.name"), cause, "use letters, digits and underscores");
        }
    }
}

fn expectations(d: &Document, problems: &mut Problems) {
    for (i, e) in d.expectations.iter().enumerate() {
        let path = format!("expect.{i}");
        finite(&format!("{path}.value"), &[e.value], problems);
        not_negative(&format!("{path}.tolerance"), e.tolerance, problems);
        if e.op == Op::Within && e.tolerance == 0.0 {
            let cause = format!("{path}: `within` needs a tolerance");
            problems.add(&path, cause, "add for example tolerance = 0.01 (and relative = true)");
        }
        let probes: Vec<&str> = d.probes.iter().map(|p| p.name.as_str()).collect();
        if let Err(remedy) = crate::expect::known(&e.what, &probes, d.bodies.len()) {
            let cause = format!("{path}.what: there is no `{}` in the report", e.what);
            problems.add(&format!("{path}.what"), cause, remedy);
        }
    }
}

/// Settings of the solver that `[solver]` asks for.
pub(crate) fn solver(s: &SolverSpec, problems: &mut Problems) -> Option<SolverConfig> {
    let kind = s.kind.as_deref().unwrap_or("local_global");
    if let Some(tolerance) = s.tolerance {
        not_negative("solver.tolerance", tolerance, problems);
    }
    if s.iterations == Some(0) || s.iterations.is_some_and(|n| n > 1_000_000) {
        problems.add(
            "solver.iterations",
            "solver.iterations must be 1 or more, at most 1e6",
            "write for example 5",
        );
    }
    match kind {
        "local_global" => local_global(s, problems),
        "newton" => {
            refuse_knobs(s, problems);
            let d = NewtonConfig::default();
            Some(SolverConfig::Newton(NewtonConfig {
                iterations: s.iterations.unwrap_or(d.iterations),
                tolerance: s.tolerance.unwrap_or(d.tolerance),
            }))
        }
        known if SOLVER_KINDS.contains(&known) => {
            let cause = format!("solver `{known}` is not available in this version");
            problems.add("solver.kind", cause, "use `local_global` or `newton`");
            None
        }
        unknown => {
            let shown: String = unknown.chars().take(60).collect();
            problems.add(
                "solver.kind",
                format!("unknown solver `{shown}`"),
                suggest(unknown, &SOLVER_KINDS, "solvers"),
            );
            None
        }
    }
}

fn local_global(s: &SolverSpec, problems: &mut Problems) -> Option<SolverConfig> {
    let d = LocalGlobalConfig::default();
    if let Some(scale) = s.weight_scale {
        positive("solver.weight_scale", scale, problems);
    }
    let radius = s.spectral_radius.unwrap_or(DEFAULT_SPECTRAL_RADIUS);
    if !(radius > 0.0 && radius < 1.0) {
        let cause = format!("solver.spectral_radius = {radius} must be above 0 and below 1");
        problems.add("solver.spectral_radius", cause, "write for example 0.999");
    }
    if s.spectral_radius.is_some() && s.global != Some(GlobalWord::Chebyshev) {
        problems.add("solver.spectral_radius", "spectral_radius is for global = \"chebyshev\"", "remove it");
    }
    if s.anderson.is_some_and(|n| n > 100) {
        problems.add(
            "solver.anderson",
            "solver.anderson must be at most 100",
            "windows of 3 to 10 are useful",
        );
    }
    Some(SolverConfig::LocalGlobal(LocalGlobalConfig {
        iterations: s.iterations.unwrap_or(d.iterations),
        tolerance: s.tolerance.unwrap_or(d.tolerance),
        global: match s.global {
            None => d.global,
            Some(GlobalWord::Panels) => GlobalSolve::Panels,
            Some(GlobalWord::SparseInverse) => GlobalSolve::SparseInverse,
            Some(GlobalWord::Jacobi) => GlobalSolve::Jacobi,
            Some(GlobalWord::Chebyshev) => GlobalSolve::Chebyshev(radius),
        },
        anderson: s.anderson.unwrap_or(d.anderson),
        precision: match s.precision {
            None => d.precision,
            Some(PrecisionWord::Single) => Precision::Single,
            Some(PrecisionWord::Double) => Precision::Double,
        },
        weight_scale: s.weight_scale.unwrap_or(d.weight_scale),
    }))
}

/// Spectral radius that Chebyshev acceleration assumes when none is given.
pub const DEFAULT_SPECTRAL_RADIUS: f64 = 0.9992;

/// Knobs of local_global in a table for newton.
fn refuse_knobs(s: &SolverSpec, problems: &mut Problems) {
    let given = [
        ("global", s.global.is_some()),
        ("spectral_radius", s.spectral_radius.is_some()),
        ("anderson", s.anderson.is_some()),
        ("precision", s.precision.is_some()),
        ("weight_scale", s.weight_scale.is_some()),
    ];
    for (key, _) in given.iter().filter(|(_, is_given)| *is_given) {
        let cause = format!("solver.{key} does not belong to solver `newton`");
        problems.add(
            &format!("solver.{key}"),
            cause,
            format!("its knobs are {}", quoted(&["iterations", "tolerance"])),
        );
    }
}
