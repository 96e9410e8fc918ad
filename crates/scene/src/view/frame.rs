//! A world at one moment, as it is seen.

use super::{Bytes, Layout, put, seen_lines, single};
use crate::building::Setup;
use pliant::{BodyId, Pose, Sticking, Touch, World};
use pliant_mesh::{DMat3, DVec3};

/// Bytes before the poses: time, steps, flags, contacts, zero.
const HEAD: usize = 24;
/// Bytes of a pose.
const POSE: usize = 48;
/// Bytes of a contact.
const CONTACT: usize = 32;

const STRESS: u32 = 1;
const STRAIN: u32 = 2;

/// What a frame shows besides places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Von Mises stress.
    pub stress: bool,
    /// Equivalent strain.
    pub strain: bool,
    /// Contact points and forces.
    pub contacts: bool,
}

impl Fields {
    /// Everything.
    pub const ALL: Fields = Fields { stress: true, strain: true, contacts: true };
}

/// The world at some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time in s.
    pub time: f64,
    /// Steps taken.
    pub steps: u32,
    /// Where the obstacles are.
    pub poses: Vec<Pose>,
    /// Positions of the shown vertices of all bodies in m.
    pub positions: Vec<[f32; 3]>,
    /// Positions of the points of each line in m.
    pub lines: Vec<Vec<[f32; 3]>>,
    /// Von Mises stress at the shown vertices in Pa, if it was asked for.
    pub stress: Option<Vec<f32>>,
    /// Equivalent strain at the shown vertices, if it was asked for.
    pub strain: Option<Vec<f32>>,
    /// Contacts that carry a force.
    pub contacts: Vec<SeenContact>,
}

/// A contact that carries a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenContact {
    /// Where, on the first side, m.
    pub place: [f32; 3],
    /// Force on the first side, N.
    pub force: [f32; 3],
    /// Whether it slides.
    pub slides: bool,
    /// Distance that is left, m.
    pub gap: f32,
}

impl From<&Touch> for SeenContact {
    fn from(touch: &Touch) -> SeenContact {
        SeenContact {
            place: single(&touch.place),
            force: single(&touch.force),
            slides: touch.sticking == Sticking::Slides,
            gap: touch.gap as f32,
        }
    }
}

impl Frame {
    /// The present state of a world that was made from `setup`.
    pub fn of(setup: &Setup, world: &World, fields: Fields) -> Frame {
        let (model, state) = (world.model(), world.state());
        let each_skin = || setup.skins.iter().enumerate().map(|(i, skin)| (BodyId::new(i), skin));
        let at_skins = |value: &dyn Fn(BodyId) -> Vec<f64>| -> Vec<f32> {
            each_skin()
                .flat_map(|(body, skin)| {
                    let at_vertices = world.at_vertices(body, &value(body));
                    skin.values(&at_vertices).into_iter().map(|v| v as f32).collect::<Vec<f32>>()
                })
                .collect()
        };
        Frame {
            time: state.time,
            steps: state.steps.try_into().unwrap_or(u32::MAX),
            poses: model.obstacles.iter().map(|o| o.pose(state.time)).collect(),
            positions: each_skin()
                .flat_map(|(body, skin)| skin.positions(world.positions(body)))
                .map(|p| single(&p))
                .collect(),
            lines: seen_lines(world).iter().map(|(_, points)| points.iter().map(single).collect()).collect(),
            stress: fields.stress.then(|| at_skins(&|body| world.von_mises(body))),
            strain: fields.strain.then(|| at_skins(&|body| world.strain(body))),
            contacts: if fields.contacts {
                world.touches().iter().map(SeenContact::from).collect()
            } else {
                Vec::new()
            },
        }
    }

    /// Appends its bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let flag = |is_there: bool, flag: u32| if is_there { flag } else { 0 };
        let flags = flag(self.stress.is_some(), STRESS) | flag(self.strain.is_some(), STRAIN);
        out.extend_from_slice(&self.time.to_le_bytes());
        for head in [self.steps, flags, self.contacts.len() as u32, 0] {
            out.extend_from_slice(&head.to_le_bytes());
        }
        for pose in &self.poses {
            let rows = pose.rotation.to_rows_array();
            put(out, rows.into_iter().chain(pose.translation.to_array()).map(|x| x as f32));
        }
        put(out, self.positions.iter().flatten().copied());
        put(out, self.lines.iter().flatten().flatten().copied());
        put(out, self.stress.iter().chain(&self.strain).flatten().copied());
        for contact in &self.contacts {
            put(out, contact.place.into_iter().chain(contact.force));
            put(out, [if contact.slides { 2.0 } else { 1.0 }, contact.gap]);
        }
    }

    /// Bytes of a frame of a layout, given those at its start; nothing if these are too few or make no sense.
    pub(crate) fn size(layout: &Layout, head: &[u8]) -> Option<u64> {
        let mut head = Bytes(head.get(..HEAD)?);
        let (_time, _steps, flags) = (head.f64(), head.u32(), head.u32());
        let contacts = u64::from(head.u32());
        if flags & !(STRESS | STRAIN) != 0 || head.u32() != 0 {
            return None;
        }
        let vertices = layout.vertices() as u64;
        let points: u64 = layout.lines.iter().map(|l| l.points as u64).sum();
        let fixed = (HEAD + POSE * layout.obstacles.len()) as u64 + 12 * (vertices + points);
        Some(fixed + 4 * vertices * u64::from(flags.count_ones()) + CONTACT as u64 * contacts)
    }

    /// Time in s of the frame with these bytes at its start.
    pub(crate) fn time_of(head: &[u8]) -> f64 {
        Bytes(head).f64()
    }

    /// Reads what [`encode`](Self::encode) wrote; nothing if the bytes do not fit the layout.
    pub fn decode(layout: &Layout, bytes: &[u8]) -> Option<Frame> {
        if Frame::size(layout, bytes)? != bytes.len() as u64 {
            return None;
        }
        let mut bytes = Bytes(bytes);
        let (time, steps, flags) = (bytes.f64(), bytes.u32(), bytes.u32());
        let (contacts, _zero) = (bytes.u32(), bytes.u32());
        let vertices = layout.vertices();
        let poses = layout.obstacles.iter().map(|_| pose(&mut bytes)).collect();
        let positions = bytes.points(vertices);
        let lines = layout.lines.iter().map(|l| bytes.points(l.points)).collect();
        let mut field = |flag| (flags & flag != 0).then(|| bytes.numbers(vertices));
        let (stress, strain) = (field(STRESS), field(STRAIN));
        let contacts = (0..contacts).map(|_| contact(&mut bytes)).collect();
        Some(Frame { time, steps, poses, positions, lines, stress, strain, contacts })
    }
}

fn pose(bytes: &mut Bytes) -> Pose {
    let mut number = || f64::from(bytes.f32());
    let mut row = || DVec3::new(number(), number(), number());
    Pose { rotation: DMat3::from_rows(row(), row(), row()), translation: row() }
}

fn contact(bytes: &mut Bytes) -> SeenContact {
    let mut point = || -> [f32; 3] { std::array::from_fn(|_| bytes.f32()) };
    let (place, force) = (point(), point());
    SeenContact { place, force, slides: bytes.f32() == 2.0, gap: bytes.f32() }
}
