//! The scenes that come with the program.

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../scenes/", $name, ".toml")))),*]
    };
}

/// Name and text of every built-in scene, the papers' first.
const SCENES: &[(&str, &str)] = scenes![
    "twisting_bar",
    "cloth_extension",
    "sharp_corner",
    "cloth_on_knives",
    "squeezing_ball",
    "pulling_wooper",
    "gingerbread_man",
    "grabbing_raptor",
    "stick_slide",
    "stacking",
    "slope_box",
    "slope_cloth",
    "soft_on_soft",
    "folding_cloth",
    "squeezed_torus",
    "grasp_hold",
    "rolling_ball",
    "seams",
    "capstan",
    "hertz",
    "bouncing_block",
    "drop",
    "needle",
    "flag",
    "falling_sheet",
    "released_cloth",
    "cantilever",
    "cook_membrane",
    "hinged_bar",
    "pressed_bar",
    "free_fall",
    "inflated_sphere",
    "patch_test",
    "spinning_body",
    "bodies",
    "twisted_armadillo",
    "fine_skin",
];

/// Names of the built-in scenes.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// The file of a built-in scene.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
