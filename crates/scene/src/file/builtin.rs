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
    "raptor_on_plane",
    "rolling_cylinder",
    "rich_contact",
    "multi_torus",
    "hetero_stacking",
    "fast_grasp_rotation",
    "erleben",
    "rollers",
    "stack_in_bowl",
    "staircase",
    "spikes",
    "noodles",
    "bunnies_in_balls",
    "beam_dt_sweep",
    "cloth_on_sphere",
    "slope_box",
    "slope_cloth",
    "multilayered",
    "ball_on_layers",
    "ball_on_torus",
    "twisting_rods",
    "donuts",
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
    "liver_indentation",
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

/// Vertices and elements of the scenes as they are written: `pliant scenes` lists them without building anything.
const SIZES: &[(&str, usize, usize)] = &[
    ("twisting_bar", 5292, 26364),
    ("cloth_extension", 10225, 20164),
    ("sharp_corner", 5101, 10000),
    ("cloth_on_knives", 5101, 10000),
    ("squeezing_ball", 6859, 34992),
    ("pulling_wooper", 5323, 24179),
    ("gingerbread_man", 11334, 53895),
    ("grabbing_raptor", 10330, 42705),
    ("stick_slide", 75, 192),
    ("stacking", 625, 1920),
    ("raptor_on_plane", 1575, 5609),
    ("rolling_cylinder", 729, 3072),
    ("rich_contact", 450, 1176),
    ("multi_torus", 864, 2304),
    ("hetero_stacking", 375, 960),
    ("fast_grasp_rotation", 160, 378),
    ("erleben", 96, 144),
    ("rollers", 729, 3072),
    ("stack_in_bowl", 1377, 3285),
    ("staircase", 1314, 3147),
    ("spikes", 915, 2302),
    ("noodles", 2700, 6720),
    ("bunnies_in_balls", 2598, 8006),
    ("beam_dt_sweep", 496, 1620),
    ("cloth_on_sphere", 841, 1600),
    ("slope_box", 150, 384),
    ("slope_cloth", 442, 800),
    ("multilayered", 2900, 5120),
    ("ball_on_layers", 2939, 7072),
    ("ball_on_torus", 1992, 5424),
    ("twisting_rods", 1116, 2880),
    ("donuts", 4000, 15360),
    ("soft_on_soft", 927, 3188),
    ("folding_cloth", 825, 1536),
    ("squeezed_torus", 2352, 10368),
    ("grasp_hold", 343, 1296),
    ("rolling_ball", 2197, 10368),
    ("seams", 804, 3264),
    ("capstan", 725, 1280),
    ("hertz", 5030, 24372),
    ("bouncing_block", 343, 1296),
    ("drop", 343, 1296),
    ("needle", 3211, 15552),
    ("liver_indentation", 1485, 6374),
    ("cantilever", 525, 1920),
    ("cook_membrane", 867, 3072),
    ("hinged_bar", 117, 288),
    ("pressed_bar", 150, 480),
    ("free_fall", 125, 384),
    ("inflated_sphere", 2562, 5120),
    ("patch_test", 112, 324),
    ("spinning_body", 105, 288),
    ("bodies", 13791, 52501),
    ("twisted_armadillo", 3942, 16176),
    ("fine_skin", 769, 2243),
    ("flag", 1018, 1944),
    ("falling_sheet", 221, 400),
    ("released_cloth", 1201, 2304),
];

/// Vertices and elements of a built-in scene as it is written, if they are known.
pub fn size(name: &str) -> Option<(usize, usize)> {
    SIZES.iter().find(|(n, ..)| *n == name).map(|&(_, vertices, elements)| (vertices, elements))
}

/// Names of the built-in scenes.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// The file of a built-in scene.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
