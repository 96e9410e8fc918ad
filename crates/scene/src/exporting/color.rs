//! Colours of what is in a scene.

/// The colours that formats with colours give to what is in a scene: sRGB, 0 to 1. Lists that are too short start again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colors {
    /// Of the bodies.
    pub bodies: Vec<[f32; 3]>,
    /// Of the obstacles.
    pub obstacles: Vec<[f32; 3]>,
    /// Of cables and needles.
    pub lines: Vec<[f32; 3]>,
}

/// sRGB to linear light, in which glTF and USD give colours.
pub(super) fn linear(c: f32) -> f32 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
