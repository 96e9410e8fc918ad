//! Numbers in binary files, in either byte order.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders() {
        assert_eq!(u16::decode(&[1, 2, 3], Order::Little), 0x0201);
        assert_eq!(i32::decode(&[3, 4, 5, 6], Order::Big), 0x0304_0506);
    }

    #[test]
    fn reals() {
        assert_eq!(f64::decode(&(-0.1_f64).to_be_bytes(), Order::Big), -0.1);
        assert_eq!(f32::decode(&(-0.1_f32).to_le_bytes(), Order::Little), -0.1);
    }
}
