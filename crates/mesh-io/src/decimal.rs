//! Numbers as text: the shortest decimals that read back to the same f64.

use std::fmt;

/// An f64 for a text file. Very large and very small ones get an exponent.
pub(super) struct Decimal(pub f64);

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self(value) = self;
        if *value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
            write!(out, "{value}")
        } else {
            write!(out, "{value:e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_read_back_to_the_bit() {
        for value in [0.0, -0.0, 0.1, 1.0 / 3.0, 1e300, -1e-300, 5e-324, f64::MAX, 1e16, 123456.75, 1e-5] {
            let text = Decimal(value).to_string();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(text.len() < 25, "{text}");
        }
        assert_eq!(Decimal(0.5).to_string(), "0.5");
        assert_eq!(Decimal(1e300).to_string(), "1e300");
    }
}
