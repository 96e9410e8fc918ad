//! Hyperelastic materials, as functions of the principal stretches.

/// The constitutive laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// As rigid as possible.
    Arap,
    /// Linear co-rotational.
    Corotational,
    /// Neo-Hookean, logarithmic form.
    NeoHookean,
    /// Stable Neo-Hookean.
    StableNeoHookean,
    /// Fixed co-rotated.
    FixedCorotated,
    /// St. Venant-Kirchhoff.
    StVenantKirchhoff,
}

/// A law with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// The law.
    pub law: Law,
    /// Young's modulus in Pa.
    pub youngs: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

/// A material parameter out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// Young's modulus must be positive and finite.
    #[error("Young's modulus {0} Pa must be positive and finite: rubber is about 1e6, soft tissue 1e4")]
    Youngs(f64),
    /// Poisson's ratio must be in (-1, 0.5).
    #[error("Poisson's ratio {0} must be above -1 and below 0.5: use 0.49 for nearly incompressible")]
    Poisson(f64),
}
