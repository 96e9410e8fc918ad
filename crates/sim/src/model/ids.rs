//! Which pin, load, cable, attachment or needle is meant: an index that cannot be taken for another one.

use super::Model;
use pliant_collide::{BodyId, ObstacleId};

macro_rules! ids {
    ($($name:ident, $what:literal;)*) => { $(
        #[doc = $what]
        ///
        /// ```
        #[doc = concat!("let second = pliant::", stringify!($name), "::new(1);")]
        /// assert_eq!((second.index(), second.to_string().as_str()), (1, "1"));
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the entry at `index`.
            ///
            /// # Panics
            /// If there are more than 2^32 entries, which no memory holds.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }

            /// The place in the list.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )* };
}

ids! {
    PinId, "A pin, by its place in the list of pins.";
    LoadId, "A force or a pressure, by its place in the list of loads.";
    CableId, "A cable, by its place in the list of cables.";
    AttachmentId, "An attachment, by its place in the list of attachments.";
    NeedleId, "A needle, by its place in the list of needles.";
}

macro_rules! by_name {
    ($($find:ident: $list:ident, $id:ident, $what:literal;)*) => {
        /// # Entries by their names
        ///
        /// ```
        /// use pliant::{BodyId, Model, Pin, PinId};
        ///
        /// let wall = Pin::new("wall", BodyId::new(0), vec![0, 1, 2]);
        /// let model = Model { pins: vec![wall], ..Model::default() };
        /// assert_eq!(model.pin("wall"), Some(PinId::new(0)));
        /// assert_eq!(model.pin("floor"), None);
        /// ```
        impl Model {
            $(
                #[doc = $what]
                pub fn $find(&self, name: &str) -> Option<$id> {
                    self.$list.iter().position(|entry| entry.name == name).map($id::new)
                }
            )*
        }
    };
}

by_name! {
    body: bodies, BodyId, "The body of this name.";
    obstacle: obstacles, ObstacleId, "The obstacle of this name.";
    pin: pins, PinId, "The pin of this name.";
    load: loads, LoadId, "The force or pressure of this name.";
    cable: cables, CableId, "The cable of this name.";
    attachment: attachments, AttachmentId, "The attachment of this name.";
    needle: needles, NeedleId, "The needle of this name.";
}
