//! What a picture shows besides shapes: stress or strain as colours, contacts, pins, the rest shape.

use super::solids::Solid;
use super::vectors;
use pliant_render::{Camera, Image, Legend, Settings, Surface, Vec3, map_scalars, render_over};
use pliant_scene::view::{Fields, Frame, SeenContact};

/// Radius of a contact point, and length of the longest force, as parts of the size of the bodies.
const POINT: f32 = 0.006;
const LONGEST_FORCE: f32 = 0.3;
/// Distance that pins are drawn at, as a part of the size of the bodies.
const PIN_SPACING: f32 = 0.06;
/// Opacity of the rest shape, and of contacts that are behind something.
const REST: f32 = 0.3;
const BEHIND: f32 = 0.75;

/// Colours of what sticks, slides and is pinned.
const STICKS: [f32; 3] = [0.13, 0.45, 0.85];
const SLIDES: [f32; 3] = [0.93, 0.45, 0.08];
const PINNED: [f32; 3] = [0.12, 0.12, 0.14];
const REST_COLOR: [f32; 3] = [0.35, 0.45, 0.65];

/// Part of the values that the colours distinguish: single corners may be far beyond.
const SHOWN_PART: f64 = 0.995;

/// A field that is shown as colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Von Mises stress.
    Stress,
    /// Equivalent strain.
    Strain,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 2] = [Field::Stress, Field::Strain];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Field::Stress => "stress",
            Field::Strain => "strain",
        }
    }
}

/// Things that are drawn over the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Contact points, blue where they stick and orange where they slide.
    Contacts,
    /// Contact forces as arrows, in the same colours.
    Forces,
    /// Vertices whose motion is prescribed.
    Pins,
    /// The rest shape, translucent.
    Rest,
    /// Edges of the triangles.
    Wireframe,
}

impl Mark {
    /// All marks.
    pub const ALL: [Mark; 5] = [Mark::Contacts, Mark::Forces, Mark::Pins, Mark::Rest, Mark::Wireframe];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Contacts => "contacts",
            Mark::Forces => "forces",
            Mark::Pins => "pins",
            Mark::Rest => "rest",
            Mark::Wireframe => "wireframe",
        }
    }
}

/// What a picture shows besides shapes.
#[derive(Clone, Debug, Default)]
pub struct Overlays {
    /// Colours instead of those of the bodies.
    pub field: Option<Field>,
    /// Values at the ends of the colours; found from the frames if there are none.
    pub range: Option<(f32, f32)>,
    /// What is drawn over the bodies.
    pub marks: Vec<Mark>,
}

impl Overlays {
    /// The fields that frames must have for these overlays.
    pub fn fields(&self) -> Fields {
        Fields {
            stress: self.field == Some(Field::Stress),
            strain: self.field == Some(Field::Strain),
            contacts: self.marks.contains(&Mark::Contacts) || self.marks.contains(&Mark::Forces),
        }
    }
}

/// Draws overlays with the scales of a whole film.
#[derive(Debug, Default)]
pub(super) struct OverlayPainter {
    wanted: Overlays,
    /// Values at the ends of the colours.
    range: (f32, f32),
    /// Length of an arrow per force, m/N.
    per_force: f32,
    /// Size of the bodies, m.
    size: f32,
    pins: Vec<u32>,
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl OverlayPainter {
    /// Scales that suit all `frames` of bodies of this `size`.
    pub fn new(wanted: Overlays, frames: &[Frame], size: f32) -> OverlayPainter {
        let values =
            wanted.field.map(|field| frames.iter().filter_map(move |f| values(f, field)).flatten().copied());
        let largest_value = values.map_or(0.0, |values| quantile(values.collect()));
        let forces = frames.iter().flat_map(|f| &f.contacts).map(|c| Vec3::from_array(c.force).length());
        let largest_force = quantile(forces.collect()).max(f32::MIN_POSITIVE);
        OverlayPainter {
            range: wanted.range.unwrap_or((0.0, largest_value)),
            per_force: LONGEST_FORCE * size / largest_force,
            wanted,
            size,
            ..OverlayPainter::default()
        }
    }

    /// Takes over which vertices are pinned, and the rest shape.
    pub fn with_rest(mut self, pins: &[u32], rest: &[[f32; 3]], triangles: &[[u32; 3]]) -> OverlayPainter {
        (self.pins, self.rest, self.triangles) = (pins.to_vec(), vectors(rest), triangles.to_vec());
        self
    }

    fn shows(&self, mark: Mark) -> bool {
        self.wanted.marks.contains(&mark)
    }

    /// Whether edges are drawn.
    pub fn has_wires(&self) -> bool {
        self.shows(Mark::Wireframe)
    }

    /// Whether there is a legend.
    pub fn has_legend(&self) -> bool {
        self.wanted.field.is_some()
    }

    /// Colours of the vertices, if a field is shown and recorded.
    pub fn colors(&self, frame: &Frame) -> Option<Vec<[f32; 3]>> {
        let values = values(frame, self.wanted.field?)?;
        Some(map_scalars(values, self.range.0, self.range.1))
    }

    /// Draws over the picture of a frame.
    pub fn draw(&self, image: &mut Image, frame: &Frame, camera: &Camera, settings: &Settings) {
        if self.shows(Mark::Rest) {
            let rest = Surface {
                positions: &self.rest,
                triangles: &self.triangles,
                color: REST_COLOR,
                vertex_colors: None,
            };
            render_over(image, &[rest], camera, settings, REST);
        }
        let marks = self.marks(frame);
        let surfaces: Vec<Surface> = marks.iter().map(|(solid, color)| solid.surface(*color)).collect();
        render_over(image, &surfaces, camera, &Settings { wireframe: false, ..settings.clone() }, BEHIND);
        if let Some(field) = self.wanted.field {
            let (low, high) = self.range;
            let (label, unit) = match field {
                Field::Stress => in_prefixed_pascals(low.abs().max(high.abs())),
                Field::Strain => ("equivalent strain".to_string(), 1.0),
            };
            Legend { label, low: low / unit, high: high / unit }.draw(image);
        }
    }

    fn marks(&self, frame: &Frame) -> Vec<(Solid, [f32; 3])> {
        let [mut sticks, mut slides, mut pins] = [Solid::default(), Solid::default(), Solid::default()];
        for contact in &frame.contacts {
            let solid = if contact.slides { &mut slides } else { &mut sticks };
            self.add_contact(solid, contact);
        }
        if self.shows(Mark::Pins) {
            let held = self.spaced_pins();
            let held = held.iter().filter_map(|&v| frame.positions.get(v as usize));
            held.for_each(|p| pins.ball(Vec3::from_array(*p), POINT * self.size));
        }
        vec![(sticks, STICKS), (slides, SLIDES), (pins, PINNED)]
    }

    /// One pin in each cube of a size that keeps dots apart.
    fn spaced_pins(&self) -> Vec<u32> {
        let mut seen = std::collections::BTreeSet::new();
        let cube = |p: Vec3| (p / (PIN_SPACING * self.size)).to_array().map(|x| x.floor() as i64);
        let is_first = |v: &u32| self.rest.get(*v as usize).is_some_and(|p| seen.insert(cube(*p)));
        self.pins.iter().copied().filter(is_first).collect()
    }

    fn add_contact(&self, solid: &mut Solid, contact: &SeenContact) {
        let (place, force) = (Vec3::from_array(contact.place), Vec3::from_array(contact.force));
        if self.shows(Mark::Contacts) {
            solid.ball(place, POINT * self.size);
        }
        if self.shows(Mark::Forces) {
            let reach = (self.per_force * force.length()).min(LONGEST_FORCE * self.size);
            let scale = reach / force.length().max(f32::MIN_POSITIVE);
            solid.arrow(place, place + scale * force, 0.5 * POINT * self.size);
        }
    }
}

/// The label of stresses up to this one, with the pascals of its unit.
fn in_prefixed_pascals(largest: f32) -> (String, f32) {
    let (prefix, unit) = match largest {
        x if x >= 2e9 => ("G", 1e9),
        x if x >= 2e6 => ("M", 1e6),
        x if x >= 2e3 => ("k", 1e3),
        _ => ("", 1.0),
    };
    (format!("von Mises stress ({prefix}Pa)"), unit)
}

fn values(frame: &Frame, field: Field) -> Option<&[f32]> {
    match field {
        Field::Stress => frame.stress.as_deref(),
        Field::Strain => frame.strain.as_deref(),
    }
}

/// The value that all but a few stay below.
fn quantile(mut values: Vec<f32>) -> f32 {
    values.retain(|v| v.is_finite());
    values.sort_unstable_by(f32::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((SHOWN_PART * last as f64).round() as usize).copied().unwrap_or(0.0)
}
