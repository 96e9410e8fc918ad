//! Arrays of numbers of any type, as text or binary, as the files of the Visualization Toolkit have them.

use super::ReadError;
use super::bulk::{filter_rows, find_row, read_rows};
use super::cursor::{Order, Scalar};
use super::region::Region;
use super::scan::{Scanner, shown};
use pliant_mesh::DVec3;
use std::io;

/// The type of the numbers in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// Runs an expression with `$T` as the type of the numbers.
macro_rules! with_number {
    ($number:expr, $T:ident => $body:expr) => {
        with_number!($number, $T => $body, I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64,
            F32 f32, F64 f64)
    };
    ($number:expr, $T:ident => $body:expr, $($name:ident $type:ty),*) => {
        match $number {
            $(NumberType::$name => {
                type $T = $type;
                $body
            })*
        }
    };
}

impl NumberType {
    /// Bytes of one number.
    pub fn size(self) -> usize {
        with_number!(self, T => T::SIZE)
    }
}

/// A number of a file, whatever its type.
pub(super) trait Number: Scalar {
    fn real(self) -> f64;

    /// The largest index, which no file can have a vertex for, if it is none.
    fn index(self) -> u32;

    /// Zero, which stands for no label, if it is no integer.
    fn label(self) -> i64;
}

macro_rules! number {
    ($index:expr, $label:expr, $($number:ty)*) => {$(
        // They can fail for some of the types.
        #[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion)]
        impl Number for $number {
            #[inline]
            fn real(self) -> f64 {
                self as f64
            }

            #[inline]
            fn index(self) -> u32 {
                $index(self)
            }

            #[inline]
            fn label(self) -> i64 {
                $label(self)
            }
        }
    )*};
}

number!(|n| u32::try_from(n).unwrap_or(u32::MAX), |n| i64::try_from(n).unwrap_or(0),
    i8 u8 i16 u16 i32 u32 i64 u64);
number!(|_| u32::MAX, |_| 0, f32 f64);

/// What the numbers of a file are turned into.
pub(super) trait Value: Copy + bytemuck::Zeroable + Send + Sync + std::str::FromStr {
    fn from_number<T: Number>(number: T) -> Self;
}

impl Value for f64 {
    #[inline]
    fn from_number<T: Number>(number: T) -> Self {
        number.real()
    }
}

/// An index.
impl Value for u32 {
    #[inline]
    fn from_number<T: Number>(number: T) -> Self {
        number.index()
    }
}

/// A label.
impl Value for i64 {
    #[inline]
    fn from_number<T: Number>(number: T) -> Self {
        number.label()
    }
}

/// The numbers of an array as the file has them.
#[derive(Clone, Debug)]
pub(super) enum Array<'a> {
    Text(&'a [u8]),
    Binary { bytes: Region<'a>, number: NumberType, order: Order },
}

impl Array<'_> {
    /// All numbers in rows of `N`; there must be `count` rows. The error says what is wrong.
    pub fn rows<V: Value, const N: usize>(&self, count: usize) -> Result<Vec<[V; N]>, String> {
        match self {
            Self::Text(text) => {
                let mut scan = Scanner::new(text);
                let rows = text_rows(&mut scan, count).map_err(|error| match error {
                    ReadError::At { cause, .. } => cause,
                    other => other.to_string(),
                })?;
                match scan.word() {
                    Some(word) => Err(format!("`{}` follows {} numbers", shown(word), count * N)),
                    None => Ok(rows),
                }
            }
            Self::Binary { bytes, number, order } => {
                let want = count.checked_mul(N * number.size());
                if want != Some(bytes.len()) {
                    let found = bytes.len() / number.size();
                    return Err(format!("it has {found} numbers, not {}", count.saturating_mul(N)));
                }
                with_number!(*number, T => binary_rows::<T, V, N>(bytes, *order))
            }
        }
    }

    /// All numbers as points; there must be `count` of them.
    pub fn points(&self, count: usize) -> Result<Vec<DVec3>, String> {
        Ok(bytemuck::cast_vec(self.rows::<f64, 3>(count)?))
    }

    /// Rows that are each led by their length: all numbers in rows of `M`, of which the first is `N` and the others
    /// are kept. `None` if some first number is another. `M` is one more than `N`; there must be `count` rows.
    pub fn led_rows<const N: usize, const M: usize>(
        &self,
        count: usize,
    ) -> Result<Option<Vec<[u32; N]>>, String> {
        let Self::Binary { bytes, number, order } = self else {
            let rows: Vec<[u32; M]> = self.rows(count)?;
            let led = rows.iter().all(|row| row[0] as usize == N);
            return Ok(led.then(|| rows.iter().map(|row| std::array::from_fn(|k| row[k + 1])).collect()));
        };
        if count.checked_mul(M * number.size()) != Some(bytes.len()) {
            return Ok(None);
        }
        with_number!(*number, T => {
            let at = |bytes: &[u8], k: usize| T::decode(&bytes[k * T::SIZE..], *order).index();
            let other = find_row(bytes, M * T::SIZE, |_, bytes| at(bytes, 0) as usize != N);
            if other.map_err(unreadable)?.is_some() {
                return Ok(None);
            }
            let mut rows = Vec::new();
            let row = |bytes: &[u8]| std::array::from_fn(|k| at(bytes, k + 1));
            read_rows(&mut rows, bytes, M * T::SIZE, row).map_err(unreadable)?;
            Ok(Some(rows))
        })
    }

    /// All numbers; there must be `count`.
    pub fn values<V: Value>(&self, count: usize) -> Result<Vec<V>, String> {
        Ok(self.rows::<V, 1>(count)?.into_flattened())
    }

    /// The places of the numbers, of which there must be `count`, that are labels other than zero.
    pub fn labelled(&self, count: usize) -> Result<Vec<u32>, String> {
        if let Self::Binary { bytes, number, order } = self
            && self.binary_count() == Some(count)
        {
            let labelled = with_number!(*number, T => filter_rows(bytes, T::SIZE, |bytes| {
                T::decode(bytes, *order).label() != 0
            }));
            return labelled.map_err(unreadable);
        }
        let values: Vec<i64> = self.values(count)?;
        Ok((0..).zip(&values).filter(|(_, label)| **label != 0).map(|(place, _)| place).collect())
    }

    /// How many numbers a binary array has.
    pub fn binary_count(&self) -> Option<usize> {
        match self {
            Self::Text(_) => None,
            Self::Binary { bytes, number, .. } => Some(bytes.len() / number.size()),
        }
    }

    /// Whether the array has `count` numbers and each is the one of its place; answered without memory.
    pub fn all_are<V: Value + PartialEq>(&self, count: usize, expected: impl Fn(usize) -> V + Sync) -> bool {
        match self {
            Self::Text(text) => {
                let mut scan = Scanner::new(text);
                let mut same = |i| scan.word().and_then(parse) == Some(expected(i));
                (0..count).all(&mut same) && scan.word().is_none()
            }
            Self::Binary { .. } if self.binary_count() != Some(count) => false,
            Self::Binary { bytes, number, order } => {
                let differs = with_number!(*number, T => find_row(bytes, T::SIZE, |i, bytes| {
                    V::from_number(T::decode(bytes, *order)) != expected(i)
                }));
                matches!(differs, Ok(None))
            }
        }
    }
}

fn parse<V: Value>(word: &[u8]) -> Option<V> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The next `count` rows of text.
pub(super) fn text_rows<V: Value, const N: usize>(
    scan: &mut Scanner<'_>,
    count: usize,
) -> Result<Vec<[V; N]>, ReadError> {
    // A number takes two bytes with its blank.
    let mut rows = Vec::with_capacity(count.min(scan.remaining() / (2 * N) + 1));
    for _ in 0..count {
        let mut row = [V::zeroed(); N];
        for value in &mut row {
            *value = scan.number("a number")?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Rows from bytes, whose number must fit.
fn binary_rows<T: Number, V: Value, const N: usize>(
    bytes: &Region<'_>,
    order: Order,
) -> Result<Vec<[V; N]>, String> {
    let mut rows = Vec::new();
    let read = read_rows(&mut rows, bytes, N * T::SIZE, |bytes| {
        std::array::from_fn(|k| V::from_number(T::decode(&bytes[k * T::SIZE..], order)))
    });
    read.map_err(unreadable)?;
    Ok(rows)
}

fn unreadable(error: io::Error) -> String {
    format!("it cannot be read ({error})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type() {
        let big = |bytes: &[u8], number| Array::Binary {
            bytes: Region::Memory(bytes.to_vec().into()),
            number,
            order: Order::Big,
        };
        let array = big(&[0xff, 0xfe, 0, 7], NumberType::I16);
        assert_eq!(array.values::<f64>(2).unwrap(), [-2.0, 7.0]);
        assert_eq!(array.values::<u32>(2).unwrap(), [u32::MAX, 7]);
        assert_eq!(array.values::<i64>(2).unwrap(), [-2, 7]);
        assert_eq!(array.values::<i64>(3).unwrap_err(), "it has 2 numbers, not 3");
        assert_eq!(array.labelled(3).unwrap_err(), "it has 2 numbers, not 3");
        assert_eq!(big(&[0, 0, 7, 0, 1, 1], NumberType::U8).labelled(6).unwrap(), [2, 4, 5]);
        let led = big(&[2, 5, 6, 2, 7, 8], NumberType::U8);
        assert_eq!(led.led_rows::<2, 3>(2).unwrap().unwrap(), [[5, 6], [7, 8]]);
        assert_eq!(led.led_rows::<1, 2>(3).unwrap(), None);
        assert_eq!(led.led_rows::<2, 3>(3).unwrap(), None);
        assert!(
            array.all_are(2, |i| [-2i64, 7][i])
                && !array.all_are(2, |_| 7i64)
                && !array.all_are(1, |_| -2i64)
        );
        let array = big(&1.5f32.to_be_bytes(), NumberType::F32);
        assert_eq!(array.values::<f64>(1).unwrap(), [1.5]);
        assert_eq!(array.values::<u32>(1).unwrap(), [u32::MAX]);
        assert_eq!(array.values::<i64>(1).unwrap(), [0]);
    }

    #[test]
    fn text() {
        let array = Array::Text(b" 1 2\n3 4 ");
        assert_eq!(array.rows::<u32, 2>(2).unwrap(), [[1, 2], [3, 4]]);
        assert_eq!(Array::Text(b"0 -3 0").labelled(3).unwrap(), [1]);
        assert_eq!(Array::Text(b"2 5 6 2 7 8").led_rows::<2, 3>(2).unwrap().unwrap(), [[5, 6], [7, 8]]);
        assert_eq!(Array::Text(b"2 5 6 3 7 8").led_rows::<2, 3>(2).unwrap(), None);
        assert_eq!(array.values::<u32>(3).unwrap_err(), "`4` follows 3 numbers");
        assert_eq!(array.values::<f64>(5).unwrap_err(), "the file ends where a number is expected");
        assert_eq!(Array::Text(b"-1").values::<u32>(1).unwrap_err(), "expected a number, found `-1`");
        assert!(array.all_are(4, |i| i as u32 + 1) && !array.all_are(3, |i| i as u32 + 1));
        // A count that the text cannot hold takes no memory.
        assert!(array.rows::<f64, 3>(usize::MAX / 64).is_err());
    }
}
