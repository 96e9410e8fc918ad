//! The settings of a solver by name: what scene files, their schema, the command line and the viewer know of them.

use std::fmt;
use std::ops::Bound;

/// A value of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(usize),
    /// A number.
    Number(f64),
    /// One of the words of the setting.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Count(n) => write!(f, "{n}"),
            Value::Number(x) if *x != 0.0 && x.abs() < 1e-3 => write!(f, "{x:e}"),
            Value::Number(x) => write!(f, "{x}"),
            Value::Word(word) => write!(f, "\"{word}\""),
        }
    }
}

/// What a setting can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// A whole number between two others, which belong to it.
    Count(usize, usize),
    /// A whole number between two others, which belong to it, or one of these words. The last number is like what the
    /// words choose.
    CountOrWord([usize; 2], &'static [Word], usize),
    /// A finite number.
    Number(Range),
    /// One of these words.
    Word(&'static [Word]),
}

/// A word that a setting can be, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means, in a line.
    pub about: &'static str,
}

/// Finite numbers between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lower bound.
    pub low: Bound<f64>,
    /// The upper bound.
    pub high: Bound<f64>,
}

impl Range {
    /// Above 0.
    pub const POSITIVE: Range = Range { low: Bound::Excluded(0.0), high: Bound::Unbounded };
    /// 0 or more.
    pub const NOT_NEGATIVE: Range = Range { low: Bound::Included(0.0), high: Bound::Unbounded };

    fn contains(&self, x: f64) -> bool {
        use std::ops::RangeBounds;
        x.is_finite() && (self.low, self.high).contains(&x)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Domain::Count(0, most) => write!(f, "at most {most}"),
            Domain::Count(least, most) => write!(f, "{least} or more and at most {most}"),
            Domain::Number(Range::POSITIVE) => write!(f, "positive and finite"),
            Domain::Number(Range { low, high }) => {
                match low {
                    Bound::Included(x) => write!(f, "{x} or more and ")?,
                    Bound::Excluded(x) => write!(f, "above {x} and ")?,
                    Bound::Unbounded => {}
                }
                match high {
                    Bound::Included(x) => write!(f, "at most {x}"),
                    Bound::Excluded(x) => write!(f, "below {x}"),
                    Bound::Unbounded => write!(f, "finite"),
                }
            }
            Domain::CountOrWord([least, most], words, _) => {
                write!(f, "{}, or {}", Domain::Count(*least, *most), Domain::Word(words))
            }
            Domain::Word(words) => {
                let names: Vec<&str> = words.iter().map(|w| w.name).collect();
                write!(f, "one of {}", names.join(", "))
            }
        }
    }
}

impl Domain {
    /// Whether a value is of the right type and within the bounds.
    pub fn contains(&self, value: Value) -> bool {
        match (self, value) {
            (Domain::Count(least, most) | Domain::CountOrWord([least, most], ..), Value::Count(n)) => {
                (*least..=*most).contains(&n)
            }
            (Domain::Number(range), Value::Number(x)) => range.contains(x),
            (Domain::Word(words) | Domain::CountOrWord(_, words, _), Value::Word(name)) => {
                words.iter().any(|w| w.name == name)
            }
            _ => false,
        }
    }

    /// A number as a value of this type; none if it is not whole and should be, or a word is wanted.
    pub fn number(&self, x: f64) -> Option<Value> {
        match self {
            // Larger ones are not exact as f64; no setting comes near.
            Domain::Count(..) | Domain::CountOrWord(..) => {
                (x.fract() == 0.0 && (0.0..1e15).contains(&x)).then_some(Value::Count(x as usize))
            }
            Domain::Number(_) => Some(Value::Number(x)),
            Domain::Word(_) => None,
        }
    }
}

/// A setting of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Knob {
    /// Its key in scene files.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it can be.
    pub domain: Domain,
    /// What a slider for it reaches, if a running solver takes a change over; otherwise the solver is built anew.
    pub live: Option<[f64; 2]>,
    /// The setting, and its word, without which this one means nothing.
    pub only_with: Option<(&'static str, &'static str)>,
}
