//! Damage to files.

use super::corpus::corpus;
use proptest::prelude::*;

/// A change to a file. Places are fractions, so that a change fits any file.
#[derive(Clone, Debug)]
pub enum Change {
    Set(prop::sample::Index, u8),
    Flip(prop::sample::Index, u8),
    Delete(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, usize),
    Cut(prop::sample::Index),
    /// Replaces a word of digits, if there is one near, by a number.
    Number(prop::sample::Index, i128),
    /// The rest of another file.
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

pub fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    let number = prop_oneof![
        Just(0i128),
        Just(-1),
        Just(1),
        Just(i128::from(u32::MAX)),
        Just(i128::from(i32::MAX)),
        Just(i128::from(u64::MAX)),
        Just(i128::from(i64::MAX) / 3),
        Just(1 << 70),
        (0i128..1000),
    ];
    prop_oneof![
        (index(), any::<u8>()).prop_map(|(at, value)| Change::Set(at, value)),
        (index(), 0u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (index(), 1usize..40).prop_map(|(at, count)| Change::Delete(at, count)),
        (index(), prop::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (index(), 1usize..200).prop_map(|(at, count)| Change::Repeat(at, count)),
        index().prop_map(Change::Cut),
        (index(), number).prop_map(|(at, number)| Change::Number(at, number)),
        (index(), index(), index()).prop_map(|(at, file, from)| Change::Splice(at, file, from)),
    ]
}

pub fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match change {
        Change::Set(at, value) => bytes[at.index(length)] = *value,
        Change::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
        Change::Delete(at, count) => {
            let at = at.index(length);
            bytes.drain(at..length.min(at + count));
        }
        Change::Insert(at, more) => {
            let at = at.index(length);
            bytes.splice(at..at, more.iter().copied());
        }
        Change::Repeat(at, count) => {
            let at = at.index(length);
            let part = bytes[at..length.min(at + count)].to_vec();
            bytes.splice(at..at, part);
        }
        Change::Cut(at) => bytes.truncate(at.index(length)),
        Change::Number(at, number) => {
            let at = at.index(length);
            let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
            let start = at + start;
            let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
            bytes.splice(start..start + digits, number.to_string().into_bytes());
        }
        Change::Splice(at, file, from) => {
            bytes.truncate(at.index(length));
            let other = &corpus()[file.index(corpus().len())].bytes;
            bytes.extend(&other[from.index(other.len())..]);
        }
    }
}
