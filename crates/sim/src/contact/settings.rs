//! How the contact problem is solved, as a user chooses it.

/// How the contact problem of an iteration is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConfig {
    /// The method.
    pub method: ContactMethod,
    /// Most sweeps of block Gauss-Seidel in an iteration.
    pub sweeps: usize,
    /// Up to this many contacts [`ContactMethod::Automatic`] solves directly.
    pub direct_up_to: usize,
}

impl Default for ContactConfig {
    fn default() -> Self {
        ContactConfig { method: ContactMethod::Automatic, sweeps: 30, direct_up_to: 500 }
    }
}

/// The methods for the contact problem.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContactMethod {
    /// Directly where the contacts are few, by block Gauss-Seidel where they are many.
    Automatic,
    /// An active set of open, sticking and sliding contacts with factorised systems.
    Direct,
    /// Block Gauss-Seidel with the exact solution of each contact.
    GaussSeidel,
    /// One non-smooth Newton step in each iteration \[Zeng25\].
    NonSmoothNewton(NonSmoothNewton),
}

/// Settings of the non-smooth Newton method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NonSmoothNewton {
    /// The function whose roots are sought.
    pub ncp: Ncp,
    /// What scales gaps and forces to each other.
    pub preconditioner: Preconditioner,
    /// How the linear system is solved.
    pub linear: LinearSolve,
    /// How its products are formed.
    pub operator: OperatorChoice,
}

impl NonSmoothNewton {
    /// The settings that are used if none are given.
    pub const DEFAULT: NonSmoothNewton = NonSmoothNewton {
        ncp: Ncp::FischerBurmeister,
        preconditioner: Preconditioner::SystemInverse,
        linear: LinearSolve::ConjugateResiduals(10),
        operator: OperatorChoice::Automatic,
    };
}

impl Default for NonSmoothNewton {
    fn default() -> Self {
        NonSmoothNewton::DEFAULT
    }
}

/// Which function turns `0 <= a, b >= 0, a b = 0` into `phi(a, b) = 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ncp {
    /// `a + b - sqrt(a^2 + b^2)`, smooth except at the origin.
    FischerBurmeister,
    /// `min(a, b)`.
    MinimumMap,
}

/// The complementarity preconditioner r of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preconditioner {
    /// `h^2 [H A^-1 H^T]_jj` [Zeng25, eq. (28)].
    SystemInverse,
    /// `h^2 [H M^-1 H^T]_jj` \[Macklin19\], for comparison.
    MassInverse,
}

/// How the linear system of the contacts is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinearSolve {
    /// This many conjugate residual iterations.
    ConjugateResiduals(usize),
    /// A Cholesky factor of the three rows of all contacts.
    Direct,
}

/// How products with the Delassus operator are formed by the iterative linear solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperatorChoice {
    /// By what costs less.
    Automatic,
    /// With its entries, which are computed once.
    Entries,
    /// By a global solve each.
    MatrixFree,
}
