//! Hyperelastic materials, as functions of the principal stretches.
//!
//! One file per law gives the energy density and its derivatives in the stretches; [`isotropic`] turns them into
//! stresses, Hessians and proximal maps of deformation gradients. The cards of the materials are in
//! `docs/theory/materials.md`.

mod arap;
mod corotational;
mod fixed_corotated;
pub(crate) mod isotropic;
mod neo_hookean;
mod st_venant_kirchhoff;
mod stable_neo_hookean;
mod stretch;

#[cfg(test)]
mod tests;

/// A material with the Lamé constants that fit the element kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementMaterial {
    /// The law.
    pub law: Law,
    /// Shear modulus in Pa.
    pub mu: f64,
    /// First Lamé constant in Pa (3D for tets, plane stress for triangles).
    pub lambda: f64,
    /// Stiffness-proportional damping time in s.
    pub damping: f64,
    /// The same with the true stiffness at the start of a step.
    pub tangent_damping: f64,
}

/// The constitutive laws.
///
/// ```
/// use pliant::Law;
///
/// assert_eq!(Law::NeoHookean.name(), "neo_hookean");
/// assert!(Law::ALL.into_iter().filter(|law| law.allows_auxetic()).count() > 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

impl Law {
    /// Every law.
    pub const ALL: [Law; 6] = [
        Law::Arap,
        Law::Corotational,
        Law::NeoHookean,
        Law::StableNeoHookean,
        Law::FixedCorotated,
        Law::StVenantKirchhoff,
    ];

    /// The name used in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Law::Arap => "arap",
            Law::Corotational => "corotational",
            Law::NeoHookean => "neo_hookean",
            Law::StableNeoHookean => "stable_neo_hookean",
            Law::FixedCorotated => "fixed_corotated",
            Law::StVenantKirchhoff => "st_venant_kirchhoff",
        }
    }

    /// The law of that [`name`](Law::name).
    pub fn from_name(name: &str) -> Option<Law> {
        Law::ALL.into_iter().find(|law| law.name() == name)
    }

    /// Whether the rest shape has the least energy also for a negative Poisson's ratio.
    ///
    /// With `lambda < 0` the energy of the Neo-Hookean law has no lower bound as `J -> 0`, that of the fixed
    /// co-rotated law none as `J -> infinity`, and the stable Neo-Hookean solid prefers to collapse to a point.
    pub const fn allows_auxetic(self) -> bool {
        matches!(self, Law::Arap | Law::Corotational | Law::StVenantKirchhoff)
    }
}

/// A law with its parameters.
///
/// ```
/// use pliant::{Law, Material};
///
/// let rubber = Material::new(Law::StableNeoHookean, 1e6, 0.45)?; // Pa
/// let softer = Material { youngs: 1e5, ..rubber };
/// # let _ = softer;
/// # Ok::<(), pliant::MaterialError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// The law.
    pub law: Law,
    /// Young's modulus in Pa.
    pub youngs: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

impl Material {
    /// A material with checked parameters.
    ///
    /// # Errors
    /// See [`Material::validate`].
    pub fn new(law: Law, youngs: f64, poisson: f64) -> Result<Material, MaterialError> {
        let material = Material { law, youngs, poisson };
        material.validate()?;
        Ok(material)
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// If Young's modulus is not positive and finite, if Poisson's ratio is outside (-1, 0.5), or if it is
    /// negative for a law that has no stable rest shape then ([`Law::allows_auxetic`]).
    pub fn validate(&self) -> Result<(), MaterialError> {
        if !(self.youngs > 0.0 && self.youngs.is_finite()) {
            return Err(MaterialError::Youngs(self.youngs));
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return Err(MaterialError::Poisson(self.poisson));
        }
        if self.poisson < 0.0 && !self.law.allows_auxetic() {
            return Err(MaterialError::Auxetic { law: self.law.name(), poisson: self.poisson });
        }
        Ok(())
    }

    /// Shear modulus and first Lamé constant in Pa of a solid:
    /// `mu = E / (2 (1 + nu))`, `lambda = E nu / ((1 + nu) (1 - 2 nu))`.
    pub fn lame_solid(&self) -> (f64, f64) {
        let nu = self.poisson;
        (self.shear_modulus(), self.youngs * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)))
    }

    /// Shear modulus and first Lamé constant in Pa of a membrane in plane stress:
    /// `mu = E / (2 (1 + nu))`, `lambda = E nu / (1 - nu^2)`.
    pub fn lame_membrane(&self) -> (f64, f64) {
        let nu = self.poisson;
        (self.shear_modulus(), self.youngs * nu / (1.0 - nu * nu))
    }

    fn shear_modulus(&self) -> f64 {
        self.youngs / (2.0 * (1.0 + self.poisson))
    }
}

/// A material parameter out of range.
///
/// ```
/// use pliant::{Law, Material, MaterialError};
///
/// let refused = Material::new(Law::NeoHookean, 1e6, 0.5).unwrap_err();
/// assert_eq!(refused, MaterialError::Poisson(0.5));
/// assert!(refused.to_string().contains("use 0.49 for nearly incompressible"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// Young's modulus must be positive and finite.
    #[error("Young's modulus {0} Pa must be positive and finite: rubber is about 1e6, soft tissue 1e4")]
    Youngs(f64),
    /// Poisson's ratio must be in (-1, 0.5).
    #[error("Poisson's ratio {0} must be above -1 and below 0.5: use 0.49 for nearly incompressible")]
    Poisson(f64),
    /// The law has no stable rest shape for a negative Poisson's ratio.
    #[error(
        "Poisson's ratio {poisson} must not be negative for the law {law}: \
         use arap, corotational or st_venant_kirchhoff"
    )]
    Auxetic {
        /// Name of the law.
        law: &'static str,
        /// Given value.
        poisson: f64,
    },
}
