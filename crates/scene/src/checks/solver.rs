//! `[solver]`: knobs and their ranges.

use super::{not_negative, positive};
use crate::error::{quoted, suggest};
use crate::file::document::Problems;
use crate::file::spec::{
    ContactWord, GlobalWord, NcpWord, OperatorWord, PrecisionWord, PreconditionerWord, SOLVER_KINDS,
    SolverSpec,
};
use pliant::solver::{
    ContactConfig, ContactMethod, GlobalSolve, LinearSolve, LocalGlobalConfig, Ncp, NewtonConfig,
    NonSmoothNewton, OperatorChoice, Precision, Preconditioner, SolverConfig,
};

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
        contact: contact(s, &d.contact, problems),
    }))
}

fn contact(s: &SolverSpec, default: &ContactConfig, problems: &mut Problems) -> ContactConfig {
    if s.sweeps == Some(0) || s.sweeps.is_some_and(|n| n > 100_000) {
        problems.add("solver.sweeps", "solver.sweeps must be 1 or more, at most 1e5", "write for example 30");
    }
    let newton = [
        ("ncp", s.ncp.is_some()),
        ("preconditioner", s.preconditioner.is_some()),
        ("residual_iterations", s.residual_iterations.is_some()),
        ("operator", s.operator.is_some()),
    ];
    if s.contact != Some(ContactWord::NonSmoothNewton) {
        for (key, _) in newton.iter().filter(|(_, is_given)| *is_given) {
            let cause = format!("solver.{key} is for contact = \"non_smooth_newton\"");
            problems.add(&format!("solver.{key}"), cause, "remove it, or set `contact`");
        }
    }
    ContactConfig {
        method: match s.contact {
            None => default.method,
            Some(ContactWord::Automatic) => ContactMethod::Automatic,
            Some(ContactWord::Direct) => ContactMethod::Direct,
            Some(ContactWord::GaussSeidel) => ContactMethod::GaussSeidel,
            Some(ContactWord::NonSmoothNewton) => ContactMethod::NonSmoothNewton(non_smooth_newton(s)),
        },
        sweeps: s.sweeps.unwrap_or(default.sweeps),
        ..*default
    }
}

fn non_smooth_newton(s: &SolverSpec) -> NonSmoothNewton {
    let d = NonSmoothNewton::default();
    NonSmoothNewton {
        ncp: match s.ncp {
            None => d.ncp,
            Some(NcpWord::FischerBurmeister) => Ncp::FischerBurmeister,
            Some(NcpWord::MinimumMap) => Ncp::MinimumMap,
        },
        preconditioner: match s.preconditioner {
            None => d.preconditioner,
            Some(PreconditionerWord::SystemInverse) => Preconditioner::SystemInverse,
            Some(PreconditionerWord::MassInverse) => Preconditioner::MassInverse,
        },
        linear: match s.residual_iterations {
            None => d.linear,
            Some(0) => LinearSolve::Direct,
            Some(n) => LinearSolve::ConjugateResiduals(n),
        },
        operator: match s.operator {
            None => d.operator,
            Some(OperatorWord::Automatic) => OperatorChoice::Automatic,
            Some(OperatorWord::Entries) => OperatorChoice::Entries,
            Some(OperatorWord::MatrixFree) => OperatorChoice::MatrixFree,
        },
    }
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
        ("contact", s.contact.is_some()),
        ("sweeps", s.sweeps.is_some()),
        ("ncp", s.ncp.is_some()),
        ("preconditioner", s.preconditioner.is_some()),
        ("residual_iterations", s.residual_iterations.is_some()),
        ("operator", s.operator.is_some()),
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
