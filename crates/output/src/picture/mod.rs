//! Pictures of worlds and recordings.

mod bounds;
mod overlay;
mod solids;

pub use overlay::{Field, Mark, Overlays};

use bounds::Bounds;
use overlay::OverlayPainter;
use pliant::{DVec3, Model, ObstacleId, Pose, Shape, World};
use pliant_render::{Camera, Image, Light, Settings, Surface, Vec3, palette, render};
use pliant_scene::Setup;
use pliant_scene::exporting::Colors;
use pliant_scene::view::{Frame, Geometry, Layout, tessellate};
use solids::Solid;
use std::ops::Range;

/// Normals this close to the vertical make a plane a floor.
const LEVEL: f64 = 0.9999;

/// Radius of the tubes that lines are drawn as, as a fraction of the size of the bodies.
const LINE_RADIUS: f32 = 0.003;
/// How far obstacles are drawn behind where they are, as a part of the size of the bodies: what rests on them is a little inside.
const BEHIND: f32 = 0.003;
/// Room below the bodies for a legend, as a part of their height.
const LEGEND_ROOM: f32 = 0.22;
/// A dark red, which neither bodies nor obstacles have.
const LINE_COLOR: [f32; 3] = [0.62, 0.12, 0.1];

/// An obstacle in its own coordinates.
#[derive(Clone, Debug)]
struct Prop {
    is_plane: bool,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Prop {
    fn all(layout: &Layout, geometry: &Geometry) -> Vec<Prop> {
        let each = layout.obstacles.iter().zip(&geometry.obstacles);
        each.map(|(o, surface)| Prop {
            is_plane: o.plane,
            positions: vectors(&surface.points),
            triangles: surface.triangles.clone(),
        })
        .collect()
    }

    fn placed(&self, pose: &Pose) -> Vec<Vec3> {
        self.positions.iter().map(|p| pose.place(p.as_dvec3()).as_vec3()).collect()
    }
}

/// An obstacle that is seen: which one, and its surface where it is in a frame.
type PlacedProp = (ObstacleId, Vec<Vec3>, Vec<[u32; 3]>);

/// Points of frames and geometries, which have them as they are stored.
fn vectors(points: &[[f32; 3]]) -> Vec<Vec3> {
    points.iter().copied().map(Vec3::from_array).collect()
}

/// The colours of pictures, for exports.
pub fn colors(model: &Model) -> Colors {
    Colors {
        bodies: (0..model.bodies.len()).map(palette).collect(),
        obstacles: (0..model.obstacles.len()).map(|i| prop_color(ObstacleId::new(i))).collect(),
        lines: vec![LINE_COLOR],
    }
}

/// Calm greys, so that bodies stand out.
fn prop_color(obstacle: ObstacleId) -> [f32; 3] {
    const GREYS: [[u8; 3]; 4] = [[176, 184, 194], [198, 190, 178], [164, 176, 172], [188, 180, 194]];
    GREYS[obstacle.index() % GREYS.len()].map(|c| f32::from(c) / 255.0)
}

/// How a picture is taken.
#[derive(Clone, Debug)]
pub struct PictureOptions {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// What is shown besides shapes.
    pub overlays: Overlays,
    /// Where the eye is and what is in the middle, m; as the scene says if absent.
    pub eye_and_target: Option<[[f64; 3]; 2]>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        let usual = Settings::default();
        PictureOptions {
            size: (usual.width, usual.height),
            overlays: Overlays::default(),
            eye_and_target: None,
        }
    }
}

impl PictureOptions {
    /// A layout that is seen from where the options say.
    pub(crate) fn seen(&self, layout: &Layout) -> Layout {
        let mut layout = layout.clone();
        if let Some([eye, target]) = self.eye_and_target.map(|places| places.map(DVec3::from_array)) {
            layout.camera.direction = (eye - target).to_array();
            layout.camera.target = Some(target.to_array());
            layout.camera.distance = Some(eye.distance(target));
        }
        layout
    }

    /// Settings with this size.
    pub(crate) fn sized(&self, settings: Settings) -> Settings {
        Settings { width: self.size.0, height: self.size.1, ..settings }
    }
}

/// A picture of a world that was made from `setup`.
pub fn of_world(setup: &Setup, world: &World, options: &PictureOptions) -> Image {
    let frame = Frame::of(setup, world, options.overlays.fields());
    let (layout, geometry) = (options.seen(&Layout::of(setup, world)), Geometry::of(setup, world));
    let settings = options.sized(Settings::default());
    let frames = std::slice::from_ref(&frame);
    Painter::new(&layout, &geometry, frames, settings, options.overlays.clone()).draw(&frame)
}

/// Draws the frames of one world: what does not change from frame to frame.
#[derive(Debug)]
pub struct Painter {
    /// Surface triangles of all bodies.
    triangles: Vec<[u32; 3]>,
    /// The triangles of each body among them.
    bodies: Vec<Range<usize>>,
    props: Vec<Prop>,
    bounds: Bounds,
    camera: Camera,
    overlay: OverlayPainter,
    settings: Settings,
}

impl Painter {
    /// The camera of the scene, or where that leaves it open one that sees what is in `frames`.
    pub fn new(
        layout: &Layout,
        geometry: &Geometry,
        frames: &[Frame],
        settings: Settings,
        overlays: Overlays,
    ) -> Painter {
        let props = Prop::all(layout, geometry);
        let mut bounds = Bounds::default();
        frames.iter().for_each(|frame| bounds.add(frame, &props));
        let overlay = OverlayPainter::new(overlays, frames, bounds.diagonal());
        let settings = Settings { wireframe: overlay.has_wires(), ..lit(settings, layout) };
        Painter {
            camera: camera(layout, &bounds, frames, &settings, overlay.has_legend()),
            overlay: overlay.with_rest(&layout.pins, &geometry.rest, &geometry.triangles),
            triangles: geometry.triangles.clone(),
            bodies: layout.triangle_ranges(),
            props,
            bounds,
            settings,
        }
    }

    /// Draws one frame.
    pub fn draw(&self, frame: &Frame) -> Image {
        let mut props = self.placed_props(frame);
        props.iter_mut().flat_map(|(_, points, _)| points).for_each(|p| *p = self.behind(*p));
        let radius = LINE_RADIUS * self.bounds.diagonal();
        let tubes: Vec<_> = frame.lines.iter().map(|line| Solid::line(&vectors(line), radius)).collect();
        let lines = tubes.iter().map(|tube| tube.surface(LINE_COLOR));
        let colors = self.overlay.colors(frame);
        let positions = vectors(&frame.positions);
        let bodies = self.bodies.iter().enumerate().map(|(i, triangles)| Surface {
            positions: &positions,
            triangles: &self.triangles[triangles.clone()],
            color: palette(i),
            vertex_colors: colors.as_deref(),
        });
        let obstacles = props.iter().map(|(obstacle, positions, triangles)| Surface {
            positions,
            triangles,
            color: prop_color(*obstacle),
            vertex_colors: None,
        });
        let surfaces: Vec<Surface> = bodies.chain(obstacles).chain(lines).collect();
        let (height, collides) = self.floor(frame, &props);
        // What nothing rests on has no chequers: it only shows shadows.
        let settings = Settings { floor: Some(height), checker: collides, ..self.settings.clone() };
        let mut image = render(&surfaces, &self.camera, &settings);
        self.overlay.draw(&mut image, frame, &self.camera, &settings);
        image
    }

    /// A point a little farther on its ray from the eye: at the same place of the picture, but hidden by what lies on it.
    fn behind(&self, point: Vec3) -> Vec3 {
        let way = point - self.camera.eye;
        point + BEHIND * self.bounds.diagonal() * way.normalize_or_zero()
    }

    /// Obstacles where they are, with their ids; tilted planes as slabs, level ones are the floor.
    fn placed_props(&self, frame: &Frame) -> Vec<PlacedProp> {
        let mut placed = Vec::new();
        for (i, (prop, pose)) in self.props.iter().zip(&frame.poses).enumerate() {
            let obstacle = ObstacleId::new(i);
            if !prop.is_plane {
                placed.push((obstacle, prop.placed(pose), prop.triangles.clone()));
            } else if !is_level(pose) {
                let slab = self.slab(pose);
                placed.push((obstacle, slab.placed(pose), slab.triangles));
            }
        }
        placed
    }

    /// Height of the floor, and whether it is an obstacle: the highest level plane, or else a little below everything, where it
    /// only shows shadows.
    fn floor(&self, frame: &Frame, props: &[PlacedProp]) -> (f32, bool) {
        let level = self.props.iter().zip(&frame.poses).filter(|(p, pose)| p.is_plane && is_level(pose));
        if let Some(height) = level.map(|(_, pose)| pose.translation.z as f32).reduce(f32::max) {
            return (height, true);
        }
        let (low, high) = self.bounds.seen();
        let below = low.z - 0.05 * (high.z - low.z).max(1e-3);
        let lowest = props
            .iter()
            .flat_map(|(_, points, _)| points)
            .fold(below, |z, p| z.min(p.z - 1e-3 * self.bounds.diagonal()));
        (lowest, false)
    }

    /// The part of a plane below the bodies, in the plane's own coordinates.
    fn slab(&self, pose: &Pose) -> Prop {
        let (low, high) = self.bounds.of_bodies();
        let margin = 0.25 * f64::from(self.bounds.diagonal());
        let (mut from, mut to) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for x in [low.x, high.x] {
            for y in [low.y, high.y] {
                for z in [low.z, high.z] {
                    let local = pose.local(Vec3::new(x, y, z).as_dvec3());
                    (from, to) = (from.min(local - margin), to.max(local + margin));
                }
            }
        }
        let half = (0.5 * (to - from)).with_z(0.05 * margin);
        let (points, triangles) = tessellate(&Shape::Box { half });
        let middle = (0.5 * (to + from)).with_z(-half.z);
        let positions = points.iter().map(|p| (p + middle).as_vec3()).collect();
        Prop { is_plane: false, positions, triangles }
    }
}

/// Settings with the lights of a layout, if it has any.
fn lit(mut settings: Settings, layout: &Layout) -> Settings {
    let mut lights = layout.lights.iter().map(|l| Light {
        direction: DVec3::from_array(l.direction).as_vec3(),
        color: l.color.map(|c| c as f32),
        intensity: l.intensity as f32,
    });
    if let Some(key) = lights.next() {
        settings.key_light = key;
    }
    settings.fill_lights.extend(lights);
    settings
}

/// The camera of a layout; what it leaves open is fitted to all that is seen in the frames, which is in the middle then: a body on its
/// way rarely reaches the corners of the box around it.
fn camera(
    layout: &Layout,
    bounds: &Bounds,
    frames: &[Frame],
    settings: &Settings,
    has_legend: bool,
) -> Camera {
    let wanted = &layout.camera;
    let direction = DVec3::from_array(wanted.direction).as_vec3();
    let (low, high) = bounds.seen();
    let middle = 0.5 * (low + high);
    let room = if has_legend { LEGEND_ROOM * (high.z - low.z) } else { 0.0 };
    let shown = frames.iter().flat_map(|frame| frame.positions.iter().map(|p| Vec3::from_array(*p)));
    let around = [middle, middle.with_z(low.z - room)];
    let all = shown.chain(bounds.seen_props()).chain(around);
    let aspect = settings.width as f32 / settings.height as f32;
    let camera = match low.is_finite() && low != high {
        true => Camera::fit_all(middle, all, direction, aspect),
        false => Camera::fit(low, high, direction, aspect),
    };
    let mut camera = camera.through_lens(wanted.field_of_view as f32);
    if let Some(target) = wanted.target {
        camera = camera.of_target(DVec3::from_array(target).as_vec3());
    }
    match wanted.distance {
        Some(distance) => camera.from_distance(distance as f32),
        None => camera,
    }
}

fn is_level(pose: &Pose) -> bool {
    pose.rotation.z_axis.z > LEVEL
}
