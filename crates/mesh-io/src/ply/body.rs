//! Numbers of a PLY body, as text or as bytes.

use super::header::{Element, Kind, Property};
use crate::ReadError;
use crate::numbers::NumberType;
use crate::scan::{DAMAGED, shown};
use crate::words::{Words, parse, parse_real};
use pliant_mesh::DVec3;

/// A cursor over the body.
pub(super) trait Body {
    /// The next number.
    fn real(&mut self, number: NumberType, what: &str) -> Result<f64, ReadError>;
    /// The next number, which must be whole.
    fn whole(&mut self, number: NumberType, what: &str) -> Result<i64, ReadError>;
    /// Passes over numbers.
    fn skip(&mut self, number: NumberType, count: usize) -> Result<(), ReadError>;
    /// An error at the last number.
    fn error(&self, cause: String) -> ReadError;
    /// Line or byte of the last number.
    fn place(&self) -> usize;
    /// Bytes still to read.
    fn remaining(&self) -> usize;
    /// No less than the number of triangles of `left` faces with lists of corners.
    fn bound_triangles(&self, faces: &Element, corners: &Property, left: usize) -> usize;
    /// No less than the length of a list of numbers.
    fn bound(&self, number: NumberType) -> usize;

    /// Three numbers of the same kind at once, where that is quicker.
    fn quick_point(&mut self, _: NumberType) -> Option<DVec3> {
        None
    }

    /// A list of the three indices of a triangle, with a length of one byte and indices of four, where that is
    /// quicker. Everything else, and everything wrong, is left to the slow way.
    fn quick_triangle(&mut self) -> Option<[u32; 3]> {
        None
    }

    /// The length of a list.
    fn length(&mut self, number: NumberType) -> Result<usize, ReadError> {
        let length = self.whole(number, "the length of a list")?;
        usize::try_from(length).map_err(|_| self.error(format!("a list has {length} numbers")))
    }

    /// Passes over a property.
    fn skip_property(&mut self, property: &Property) -> Result<(), ReadError> {
        match property.kind {
            Kind::One(number) => self.skip(number, 1),
            Kind::List { count, item } => {
                let length = self.length(count)?;
                self.skip(item, length)
            }
        }
    }
}

pub(super) struct Text<'a>(pub Words<'a>);

impl Body for Text<'_> {
    fn real(&mut self, _: NumberType, what: &str) -> Result<f64, ReadError> {
        let word = self.0.expected(what)?;
        parse_real(word).ok_or_else(|| self.0.error(format!("expected {what}, found `{}`", shown(word))))
    }

    fn whole(&mut self, _: NumberType, what: &str) -> Result<i64, ReadError> {
        let word = self.0.expected(what)?;
        parse(word)
            .or_else(|| parse_real(word).and_then(to_whole))
            .ok_or_else(|| self.0.error(format!("expected {what}, found `{}`", shown(word))))
    }

    fn skip(&mut self, _: NumberType, count: usize) -> Result<(), ReadError> {
        (0..count).try_for_each(|_| self.0.expected("a number").map(|_| ()))
    }

    fn error(&self, cause: String) -> ReadError {
        self.0.error(cause)
    }

    fn place(&self) -> usize {
        self.0.line()
    }

    fn remaining(&self) -> usize {
        self.0.remaining()
    }

    fn bound_triangles(&self, _: &Element, _: &Property, left: usize) -> usize {
        // Each face has a count and two corners more than it has triangles.
        self.0.count_rest().saturating_sub(left.saturating_mul(3))
    }

    fn bound(&self, _: NumberType) -> usize {
        self.0.count_rest()
    }
}

#[derive(Clone)]
pub(super) struct Binary<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub big: bool,
}

impl Binary<'_> {
    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ReadError> {
        let Some(found) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.ends(what));
        };
        self.at += N;
        let mut bytes = *found;
        if self.big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    fn ends(&self, what: &str) -> ReadError {
        let cause = format!("the file ends where {what} is expected");
        ReadError::AtByte { offset: self.bytes.len(), cause, remedy: DAMAGED }
    }
}

impl Body for Binary<'_> {
    fn real(&mut self, number: NumberType, what: &str) -> Result<f64, ReadError> {
        match number {
            NumberType::F32 => Ok(f64::from(f32::from_le_bytes(self.take(what)?))),
            NumberType::F64 => Ok(f64::from_le_bytes(self.take(what)?)),
            _ => Ok(self.whole(number, what)? as f64),
        }
    }

    fn whole(&mut self, number: NumberType, what: &str) -> Result<i64, ReadError> {
        Ok(match number {
            NumberType::I8 => i64::from(i8::from_le_bytes(self.take(what)?)),
            NumberType::U8 => i64::from(u8::from_le_bytes(self.take(what)?)),
            NumberType::I16 => i64::from(i16::from_le_bytes(self.take(what)?)),
            NumberType::U16 => i64::from(u16::from_le_bytes(self.take(what)?)),
            NumberType::I32 => i64::from(i32::from_le_bytes(self.take(what)?)),
            NumberType::U32 => i64::from(u32::from_le_bytes(self.take(what)?)),
            NumberType::I64 => i64::from_le_bytes(self.take(what)?),
            NumberType::U64 => {
                let value = u64::from_le_bytes(self.take(what)?);
                i64::try_from(value).map_err(|_| self.error(format!("expected {what}, found {value}")))?
            }
            NumberType::F32 | NumberType::F64 => {
                let value = self.real(number, what)?;
                to_whole(value).ok_or_else(|| self.error(format!("expected {what}, found {value}")))?
            }
        })
    }

    fn skip(&mut self, number: NumberType, count: usize) -> Result<(), ReadError> {
        let bytes = number.size().saturating_mul(count);
        if bytes > self.remaining() {
            return Err(self.ends("a property"));
        }
        self.at += bytes;
        Ok(())
    }

    fn error(&self, cause: String) -> ReadError {
        ReadError::AtByte { offset: self.at, cause, remedy: DAMAGED }
    }

    fn place(&self) -> usize {
        self.at
    }

    fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn bound_triangles(&self, faces: &Element, corners: &Property, left: usize) -> usize {
        let mut ahead = self.clone();
        let mut triangles = 0;
        for _ in 0..left {
            for property in &faces.properties {
                let start = ahead.at;
                if ahead.skip_property(property).is_err() {
                    // The error will be met again.
                    return triangles;
                }
                if let Kind::List { count, item } = property.kind
                    && std::ptr::eq(property, corners)
                {
                    triangles += ((ahead.at - start - count.size()) / item.size()).saturating_sub(2);
                }
            }
        }
        triangles
    }

    fn bound(&self, number: NumberType) -> usize {
        self.remaining() / number.size()
    }

    fn quick_point(&mut self, number: NumberType) -> Option<DVec3> {
        let rest = &self.bytes[self.at..];
        let point = match number {
            NumberType::F64 => numbers::<24, 8>(rest)?.map(|b| match self.big {
                true => f64::from_be_bytes(b),
                false => f64::from_le_bytes(b),
            }),
            NumberType::F32 => numbers::<12, 4>(rest)?.map(|b| match self.big {
                true => f64::from(f32::from_be_bytes(b)),
                false => f64::from(f32::from_le_bytes(b)),
            }),
            _ => return None,
        };
        let point = DVec3::from_array(point);
        point.is_finite().then(|| self.at += 3 * number.size())?;
        Some(point)
    }

    fn quick_triangle(&mut self) -> Option<[u32; 3]> {
        let (3, rest) = self.bytes[self.at..].split_first()? else { return None };
        let corners = numbers::<12, 4>(rest)?.map(|b| match self.big {
            true => u32::from_be_bytes(b),
            false => u32::from_le_bytes(b),
        });
        let small = corners.iter().all(|&i| i <= i32::MAX as u32);
        small.then(|| self.at += 13)?;
        Some(corners)
    }
}

/// The first three numbers of `SIZE` bytes, `ALL` bytes in total.
fn numbers<const ALL: usize, const SIZE: usize>(bytes: &[u8]) -> Option<[[u8; SIZE]; 3]> {
    let (numbers, _) = bytes.first_chunk::<ALL>()?.as_chunks::<SIZE>();
    numbers.try_into().ok()
}

/// A number without a fraction as an integer.
fn to_whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}
