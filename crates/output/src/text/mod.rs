//! Numbers, tables and meshes as text for people.

mod mesh;
mod table;

pub use mesh::{count, elements_of, kind, mesh_line};
pub use table::Table;

/// A number with about four digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        a if a == 0.0 || !a.is_finite() => format!("{value}"),
        a if !(1e-3..1e6).contains(&a) => format!("{value:.2e}"),
        a if a >= 100.0 => format!("{value:.1}"),
        a if a >= 1.0 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// A number or a vector of numbers.
pub fn short_list(values: &[f64]) -> String {
    match values {
        [one] => short(*one),
        many => format!("({})", many.iter().map(|v| short(*v)).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1234.56), "1234.6");
        assert_eq!(short(1.5e-7), "1.50e-7");
        assert_eq!(short(f64::NAN), "NaN");
        assert_eq!(short_list(&[1.0, -0.25]), "(1.000, -0.2500)");
    }
}
