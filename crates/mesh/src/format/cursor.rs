//! Numbers in binary files, in either byte order.

use super::ReadError;
use super::scan::DAMAGED;

/// Which byte of a number comes first in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The lowest.
    Little,
    /// The highest.
    Big,
}

/// A number with a fixed size in a file.
pub(super) trait Scalar: Copy + Send + Sync {
    const SIZE: usize;

    /// The number in the first [`SIZE`](Self::SIZE) bytes. Panics if there are fewer.
    fn decode(bytes: &[u8], order: Order) -> Self;
}

macro_rules! scalar {
    ($($number:ty)*) => {$(
        impl Scalar for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline]
            fn decode(bytes: &[u8], order: Order) -> Self {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(&bytes[..Self::SIZE]);
                match order {
                    Order::Little => <$number>::from_le_bytes(own),
                    Order::Big => <$number>::from_be_bytes(own),
                }
            }
        }
    )*};
}

scalar!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// A place in a binary file.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub order: Order,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], order: Order) -> Self {
        Self { bytes, at: 0, order }
    }

    /// Bytes still to read: no honest count can be larger.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes; `what` says what they are.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ReadError> {
        match self.bytes[self.at..].get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(self.error(format!("the file ends within {what}"))),
        }
    }

    /// The next number; `what` says what it is.
    pub fn number<T: Scalar>(&mut self, what: &str) -> Result<T, ReadError> {
        let order = self.order;
        Ok(T::decode(self.take(T::SIZE, what)?, order))
    }

    /// An error at the cursor, for a damaged file.
    pub fn error(&self, cause: String) -> ReadError {
        ReadError::AtByte { offset: self.at, cause, remedy: DAMAGED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders() {
        let bytes = [1, 2, 3, 4, 5, 6, 7];
        let mut cursor = Cursor::new(&bytes, Order::Little);
        assert_eq!(cursor.number::<u16>("a").unwrap(), 0x0201);
        cursor.order = Order::Big;
        assert_eq!(cursor.number::<i32>("b").unwrap(), 0x0304_0506);
        assert_eq!(cursor.remaining(), 1);
        let error = cursor.number::<f64>("the height").unwrap_err().to_string();
        assert!(error.starts_with("byte 6: the file ends within the height;"), "{error}");
        assert_eq!(cursor.take(1, "c").unwrap(), [7]);
    }

    #[test]
    fn reals() {
        assert_eq!(f64::decode(&(-0.1_f64).to_be_bytes(), Order::Big), -0.1);
        assert_eq!(f32::decode(&(-0.1_f32).to_le_bytes(), Order::Little), -0.1);
    }
}
