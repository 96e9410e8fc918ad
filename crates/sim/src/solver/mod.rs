//! The solvers of one implicit time step, and their settings.

/// Which solver, with its settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SolverConfig {
    /// Local-global iteration [Zeng25].
    LocalGlobal(LocalGlobalConfig),
    /// Projected Newton to convergence: the reference.
    Newton(NewtonConfig),
}

impl SolverConfig {
    /// The name used in scene files and reports.
    pub fn kind(&self) -> &'static str {
        match self {
            SolverConfig::LocalGlobal(_) => "local_global",
            SolverConfig::Newton(_) => "newton",
        }
    }
}

impl Default for SolverConfig {
    fn default() -> Self {
        SolverConfig::LocalGlobal(LocalGlobalConfig::default())
    }
}

/// Settings of the local-global solver.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalGlobalConfig {
    /// Most local-global iterations in a step.
    pub iterations: usize,
    /// Stop early once the residual, relative to that of the first iteration, is below this; 0 never stops early.
    pub tolerance: f64,
    /// How the global system is solved.
    pub global: GlobalSolve,
    /// Window of Anderson acceleration; 0 switches it off.
    pub anderson: usize,
    /// Arithmetic of the local and the global step.
    pub precision: Precision,
    /// Factor on the weight of the local step that is chosen from Poisson's ratio; 1 is the guarded default.
    pub weight_scale: f64,
}

impl Default for LocalGlobalConfig {
    fn default() -> Self {
        LocalGlobalConfig {
            iterations: 5,
            tolerance: 0.0,
            global: GlobalSolve::Panels,
            anderson: 0,
            precision: Precision::Single,
            weight_scale: 1.0,
        }
    }
}

/// How `A dq = r` is solved in the global step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GlobalSolve {
    /// Supernodal panels of the Cholesky factor (complete; the fastest on a CPU).
    Panels,
    /// The sparse inverse factor `S = L^-1`, two sparse products [Zeng25, sec. 4] (complete).
    SparseInverse,
    /// One Jacobi iteration (incomplete) [Wang15].
    Jacobi,
    /// Jacobi with Chebyshev acceleration over the local-global iterations [Wang15]; the value estimates the
    /// spectral radius.
    Chebyshev(f64),
}

/// Arithmetic of the inner kernels. Positions, velocities and sums are always f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f32 in SIMD batches, in increment form.
    Single,
    /// f64, the slow oracle.
    Double,
}

/// Settings of the Newton reference solver.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonConfig {
    /// Most Newton iterations in a step.
    pub iterations: usize,
    /// Converged when the Newton step is below this fraction of the body size.
    pub tolerance: f64,
}

impl Default for NewtonConfig {
    fn default() -> Self {
        NewtonConfig { iterations: 100, tolerance: 1e-10 }
    }
}
