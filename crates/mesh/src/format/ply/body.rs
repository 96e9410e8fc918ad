//! Numbers of a PLY body, as text or as bytes.

use super::header::{Element, Kind, Property, Scalar};
use crate::Point;
use crate::format::ReadError;
use crate::format::scan::{DAMAGED, shown};
use crate::format::words::{Words, parse, parse_real};

/// A cursor over the body.
pub(super) trait Body {
    /// The next number.
    fn real(&mut self, scalar: Scalar, what: &str) -> Result<f64, ReadError>;
    /// The next number, which must be whole.
    fn whole(&mut self, scalar: Scalar, what: &str) -> Result<i64, ReadError>;
    /// Passes over numbers.
    fn skip(&mut self, scalar: Scalar, count: usize) -> Result<(), ReadError>;
    /// An error at the last number.
    fn error(&self, cause: String) -> ReadError;
    /// Line or byte of the last number.
    fn place(&self) -> usize;
    /// Bytes still to read.
    fn remaining(&self) -> usize;
    /// No less than the number of triangles of `left` faces with lists of corners.
    fn bound_triangles(&self, faces: &Element, corners: &Property, left: usize) -> usize;
    /// No less than the length of a list of numbers.
    fn bound(&self, scalar: Scalar) -> usize;

    /// Three numbers of the same kind at once, where that is quicker.
    fn quick_point(&mut self, _: Scalar) -> Option<Point> {
        None
    }

    /// A list of the three indices of a triangle, with a length of one byte and indices of four, where that is
    /// quicker. Everything else, and everything wrong, is left to the slow way.
    fn quick_triangle(&mut self) -> Option<[u32; 3]> {
        None
    }

    /// The length of a list.
    fn length(&mut self, scalar: Scalar) -> Result<usize, ReadError> {
        let length = self.whole(scalar, "the length of a list")?;
        usize::try_from(length).map_err(|_| self.error(format!("a list has {length} numbers")))
    }

    /// Passes over a property.
    fn skip_property(&mut self, property: &Property) -> Result<(), ReadError> {
        match property.kind {
            Kind::One(scalar) => self.skip(scalar, 1),
            Kind::List { count, item } => {
                let length = self.length(count)?;
                self.skip(item, length)
            }
        }
    }
}

pub(super) struct Text<'a>(pub Words<'a>);

impl Body for Text<'_> {
    fn real(&mut self, _: Scalar, what: &str) -> Result<f64, ReadError> {
        let word = self.0.expected(what)?;
        parse_real(word).ok_or_else(|| self.0.error(format!("expected {what}, found `{}`", shown(word))))
    }

    fn whole(&mut self, _: Scalar, what: &str) -> Result<i64, ReadError> {
        let word = self.0.expected(what)?;
        parse(word)
            .or_else(|| parse_real(word).and_then(to_whole))
            .ok_or_else(|| self.0.error(format!("expected {what}, found `{}`", shown(word))))
    }

    fn skip(&mut self, _: Scalar, count: usize) -> Result<(), ReadError> {
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

    fn bound(&self, _: Scalar) -> usize {
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
    fn real(&mut self, scalar: Scalar, what: &str) -> Result<f64, ReadError> {
        match scalar {
            Scalar::F32 => Ok(f64::from(f32::from_le_bytes(self.take(what)?))),
            Scalar::F64 => Ok(f64::from_le_bytes(self.take(what)?)),
            _ => Ok(self.whole(scalar, what)? as f64),
        }
    }

    fn whole(&mut self, scalar: Scalar, what: &str) -> Result<i64, ReadError> {
        Ok(match scalar {
            Scalar::I8 => i64::from(i8::from_le_bytes(self.take(what)?)),
            Scalar::U8 => i64::from(u8::from_le_bytes(self.take(what)?)),
            Scalar::I16 => i64::from(i16::from_le_bytes(self.take(what)?)),
            Scalar::U16 => i64::from(u16::from_le_bytes(self.take(what)?)),
            Scalar::I32 => i64::from(i32::from_le_bytes(self.take(what)?)),
            Scalar::U32 => i64::from(u32::from_le_bytes(self.take(what)?)),
            Scalar::I64 => i64::from_le_bytes(self.take(what)?),
            Scalar::U64 => {
                let value = u64::from_le_bytes(self.take(what)?);
                i64::try_from(value).map_err(|_| self.error(format!("expected {what}, found {value}")))?
            }
            Scalar::F32 | Scalar::F64 => {
                let value = self.real(scalar, what)?;
                to_whole(value).ok_or_else(|| self.error(format!("expected {what}, found {value}")))?
            }
        })
    }

    fn skip(&mut self, scalar: Scalar, count: usize) -> Result<(), ReadError> {
        let bytes = scalar.size().saturating_mul(count);
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

    fn bound(&self, scalar: Scalar) -> usize {
        self.remaining() / scalar.size()
    }

    fn quick_point(&mut self, scalar: Scalar) -> Option<Point> {
        let rest = &self.bytes[self.at..];
        let point = match scalar {
            Scalar::F64 => numbers::<24, 8>(rest)?.map(|b| match self.big {
                true => f64::from_be_bytes(b),
                false => f64::from_le_bytes(b),
            }),
            Scalar::F32 => numbers::<12, 4>(rest)?.map(|b| match self.big {
                true => f64::from(f32::from_be_bytes(b)),
                false => f64::from(f32::from_le_bytes(b)),
            }),
            _ => return None,
        };
        let finite = point.iter().all(|c| c.is_finite());
        finite.then(|| self.at += 3 * scalar.size())?;
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
