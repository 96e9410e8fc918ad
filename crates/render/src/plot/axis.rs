//! The range of an axis and its ticks.

use super::Scale;
use super::svg::Label;

/// A tick: its value, and its label unless it is a minor one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: Option<Label>,
}

/// What an axis shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub scale: Scale,
    low: f64,
    high: f64,
}

impl Range {
    /// The range of the usable values, a little wider.
    pub fn around(values: impl Iterator<Item = f64>, scale: Scale) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|v| usable(*v, scale)) {
            (low, high) = (low.min(v), high.max(v));
        }
        if low > high {
            (low, high) = if scale == Scale::Log { (0.1, 10.0) } else { (0.0, 1.0) };
        }
        match scale {
            Scale::Linear => Self::linear(low, high),
            Scale::Log => Self::log(low, high),
        }
    }

    fn linear(low: f64, high: f64) -> Self {
        let scale = Scale::Linear;
        // Differences must be numbers of f64 too.
        let (low, high) = (low.clamp(-1e307, 1e307), high.clamp(-1e307, 1e307));
        if high - low <= 1e-12 * low.abs().max(high.abs()) {
            let half = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
            return Self { scale, low: low - half, high: high + half };
        }
        let pad = 0.05 * (high - low);
        // Axes of positive data start at zero when that costs little room.
        let start = if low >= 0.0 && low < 0.35 * high { 0.0 } else { low - pad };
        Self { scale, low: start, high: if high <= 0.0 && high > 0.35 * low { 0.0 } else { high + pad } }
    }

    fn log(low: f64, high: f64) -> Self {
        let (a, b) = (low.log10(), high.log10());
        let pad = if b - a < 1e-9 { 0.3 } else { 0.04 * (b - a) };
        // The smallest and largest decades of f64 leave no room for padding.
        let (low, high) =
            (10f64.powf((a - pad).clamp(-306.0, 305.0)), 10f64.powf((b + pad).clamp(-305.0, 306.0)));
        Self { scale: Scale::Log, low, high }
    }

    /// Where a value lies, 0 at the start and 1 at the end of the axis; `None` if it cannot be shown.
    pub fn place(&self, v: f64) -> Option<f64> {
        if !usable(v, self.scale) {
            return None;
        }
        let t = match self.scale {
            // Halved first: the width of the whole range of f64 is not a number of f64.
            Scale::Linear => (0.5 * v - 0.5 * self.low) / (0.5 * self.high - 0.5 * self.low),
            Scale::Log => (v.log10() - self.low.log10()) / (self.high.log10() - self.low.log10()),
        };
        t.is_finite().then_some(t)
    }

    /// Ticks for an axis with room for about `room` labels.
    pub fn ticks(&self, room: usize) -> Vec<Tick> {
        let room = room.max(2);
        match self.scale {
            Scale::Linear => self.linear_ticks(room),
            Scale::Log => self.log_ticks(room),
        }
    }

    fn linear_ticks(&self, room: usize) -> Vec<Tick> {
        let rough = (self.high / room as f64) - (self.low / room as f64);
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().find(|s| *s >= rough * 0.999);
        let step = step.unwrap_or(rough);
        if !(step.is_normal() && decade.is_normal()) {
            return Vec::new();
        }
        let (first, last) = ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor());
        let count = (last - first).clamp(0.0, 1000.0) as usize;
        let largest = self.low.abs().max(self.high.abs());
        (0..=count)
            .map(|k| (first + k as f64) * step)
            .map(|at| Tick { at, label: Some(decimal(at, step, largest)) })
            .collect()
    }

    /// Powers of ten when at least two are shown; else 1, 2, 5 in each decade; else as if linear.
    fn log_ticks(&self, room: usize) -> Vec<Tick> {
        let (a, b) = (self.low.log10(), self.high.log10());
        let (first, last) = ((a - 1e-9).ceil() as i32, (b + 1e-9).floor() as i32);
        if last > first {
            return self.decade_ticks(first, last, room);
        }
        let mut ticks = Vec::new();
        for decade in first - 1..=last + 1 {
            for m in 1..10 {
                let at = f64::from(m) * 10f64.powi(decade);
                if at >= self.low && at <= self.high {
                    let label = matches!(m, 1 | 2 | 5).then(|| decimal(at, 10f64.powi(decade), at));
                    ticks.push(Tick { at, label });
                }
            }
        }
        if ticks.iter().filter(|t| t.label.is_some()).count() < 2 {
            return self.linear_ticks(room.min(4));
        }
        ticks
    }

    fn decade_ticks(&self, first: i32, last: i32, room: usize) -> Vec<Tick> {
        let stride = (last - first) / room as i32 + 1;
        let mut ticks = Vec::new();
        for decade in first - 1..=last {
            let labelled = decade.rem_euclid(stride) == 0;
            for m in 1..10 {
                let at = f64::from(m) * 10f64.powi(decade);
                // Minor ticks only where every decade has its label; else they mean nothing.
                let shown = if m == 1 { decade >= first } else { stride == 1 && last - first < 9 };
                if shown && at >= self.low && at <= self.high {
                    let power = Label { base: "10".into(), exponent: Some(decade) };
                    ticks.push(Tick { at, label: (m == 1 && labelled).then_some(power) });
                }
            }
        }
        ticks
    }
}

fn usable(v: f64, scale: Scale) -> bool {
    v.is_finite() && (scale == Scale::Linear || v > 0.0)
}

/// A number with as many digits as its step needs; powers of ten when it would be long.
fn decimal(at: f64, step: f64, largest: f64) -> Label {
    let minus = |s: String| s.replace('-', "\u{2212}");
    if at == 0.0 || (1e-4..1e5).contains(&largest) {
        let digits = (-(step * 1.0001).log10().floor()).clamp(0.0, 12.0) as usize;
        // Ticks are multiples of the step, so -0.0 is the only way to a lone minus.
        let at = if at.abs() < 0.5 * step { 0.0 } else { at };
        return Label::plain(minus(format!("{at:.digits$}")));
    }
    let exponent = largest.log10().floor() as i32;
    let unit = 10f64.powi(exponent);
    let digits = (-(step / unit * 1.0001).log10().floor()).clamp(0.0, 12.0) as usize;
    let mantissa = minus(format!("{:.digits$}", at / unit));
    Label { base: format!("{mantissa}\u{b7}10"), exponent: Some(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, high: f64, scale: Scale) -> Range {
        Range { scale, low, high }
    }

    fn labels(ticks: &[Tick]) -> Vec<String> {
        let join = |l: &Label| l.base.clone() + &l.exponent.map_or(String::new(), |e| format!("^{e}"));
        ticks.iter().filter_map(|t| t.label.as_ref()).map(join).collect()
    }

    #[test]
    fn linear_ticks_are_one_two_five() {
        let ticks = range(0.0, 10.3, Scale::Linear).ticks(6);
        assert_eq!(labels(&ticks), ["0", "2", "4", "6", "8", "10"]);
        let ticks = range(-0.11, 0.12, Scale::Linear).ticks(6);
        assert_eq!(labels(&ticks), ["\u{2212}0.10", "\u{2212}0.05", "0.00", "0.05", "0.10"]);
        let ticks = range(0.0, 3.1e6, Scale::Linear).ticks(4);
        assert_eq!(labels(&ticks), ["0", "1\u{b7}10^6", "2\u{b7}10^6", "3\u{b7}10^6"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        let ticks = range(0.5, 2000.0, Scale::Log).ticks(7);
        assert_eq!(labels(&ticks), ["10^0", "10^1", "10^2", "10^3"]);
        assert!(ticks.iter().any(|t| t.at == 20.0 && t.label.is_none()));
        let ticks = range(1e-16, 1.0, Scale::Log).ticks(6);
        assert_eq!(labels(&ticks), ["10^-15", "10^-12", "10^-9", "10^-6", "10^-3", "10^0"]);
        assert_eq!(labels(&range(1.5, 8.0, Scale::Log).ticks(6)), ["2", "5"]);
        assert_eq!(labels(&range(21.0, 29.0, Scale::Log).ticks(6)), ["22", "24", "26", "28"]);
    }

    #[test]
    fn places_run_from_zero_to_one() {
        let log = range(1.0, 100.0, Scale::Log);
        assert!((log.place(10.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(log.place(0.0), None);
        assert_eq!(log.place(-1.0), None);
        assert_eq!(range(0.0, 4.0, Scale::Linear).place(1.0), Some(0.25));
        assert_eq!(range(0.0, 4.0, Scale::Linear).place(f64::NAN), None);
    }

    #[test]
    fn odd_ranges_are_survived() {
        for scale in [Scale::Linear, Scale::Log] {
            let sets: [&[f64]; 6] =
                [&[], &[5.0], &[0.0], &[f64::NAN, -1.0], &[f64::MAX, -f64::MAX], &[5e-324, 1e308]];
            for values in sets {
                let range = Range::around(values.iter().copied(), scale);
                assert!(range.low < range.high, "{values:?} {range:?}");
                assert!(range.ticks(6).len() < 1200);
            }
        }
    }
}
