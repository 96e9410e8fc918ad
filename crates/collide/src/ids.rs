//! Which body and which obstacle is meant: an index that cannot be taken for another one.

macro_rules! id {
    ($name:ident, $what:literal) => {
        #[doc = $what]
        ///
        /// ```
        #[doc = concat!("let second = pliant_collide::", stringify!($name), "::new(1);")]
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
                Self(u32::try_from(index).expect("fewer than 2^32 bodies and obstacles"))
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
    };
}

id!(BodyId, "A body, by its place in the list of bodies.");
id!(ObstacleId, "An obstacle, by its place in the list of obstacles.");
