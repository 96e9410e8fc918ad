//! The settings of a solver by name: what scene files, their schema, the command line and the viewer know of them.

use super::error::SettingError;
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
            (Domain::Count(least, most), Value::Count(n)) => (*least..=*most).contains(&n),
            (Domain::Number(range), Value::Number(x)) => range.contains(x),
            (Domain::Word(words), Value::Word(name)) => words.iter().any(|w| w.name == name),
            _ => false,
        }
    }

    /// A number as a value of this type; none if it is not whole and should be, or a word is wanted.
    pub fn number(&self, x: f64) -> Option<Value> {
        match self {
            // Larger ones are not exact as f64; no setting comes near.
            Domain::Count(..) => {
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

/// A knob of the settings `C`, and how it is read and changed.
#[derive(Debug)]
pub(crate) struct Field<C> {
    pub(super) knob: Knob,
    access: Access<C>,
}

#[derive(Debug)]
enum Access<C> {
    Count(fn(&C) -> usize, fn(&mut C, usize)),
    Number(fn(&C) -> f64, fn(&mut C, f64)),
    /// By the place of the word in the list.
    Word(&'static [Word], fn(&C) -> usize, fn(&mut C, usize)),
}

impl<C> Field<C> {
    const fn new(name: &'static str, about: &'static str, domain: Domain, access: Access<C>) -> Field<C> {
        Field { knob: Knob { name, about, domain, live: None, only_with: None }, access }
    }

    /// A whole number from the first to the second of `limits`.
    pub(crate) const fn count(
        name: &'static str,
        about: &'static str,
        limits: [usize; 2],
        get: fn(&C) -> usize,
        set: fn(&mut C, usize),
    ) -> Field<C> {
        Field::new(name, about, Domain::Count(limits[0], limits[1]), Access::Count(get, set))
    }

    /// A number.
    pub(crate) const fn number(
        name: &'static str,
        about: &'static str,
        range: Range,
        get: fn(&C) -> f64,
        set: fn(&mut C, f64),
    ) -> Field<C> {
        Field::new(name, about, Domain::Number(range), Access::Number(get, set))
    }

    /// One of several words, which `get` and `set` know by their place in the list.
    pub(crate) const fn word(
        name: &'static str,
        about: &'static str,
        words: &'static [Word],
        get: fn(&C) -> usize,
        set: fn(&mut C, usize),
    ) -> Field<C> {
        Field::new(name, about, Domain::Word(words), Access::Word(words, get, set))
    }

    /// The same, for a running solver to take over; a slider reaches from the first to the second number.
    pub(crate) const fn live(mut self, slider: [f64; 2]) -> Field<C> {
        self.knob.live = Some(slider);
        self
    }

    /// The same, with a meaning only where another setting is this word.
    pub(crate) const fn only_with(mut self, other: &'static str, word: &'static str) -> Field<C> {
        self.knob.only_with = Some((other, word));
        self
    }

    fn get(&self, settings: &C) -> Value {
        match self.access {
            Access::Count(get, _) => Value::Count(get(settings)),
            Access::Number(get, _) => Value::Number(get(settings)),
            Access::Word(words, get, _) => Value::Word(words[get(settings)].name),
        }
    }

    /// Changes the setting to a value of its domain.
    fn set(&self, settings: &mut C, value: Value) {
        match (&self.access, value) {
            // What it is already keeps what belongs to it.
            _ if self.get(settings) == value => {}
            (Access::Count(_, set), Value::Count(n)) => set(settings, n),
            (Access::Number(_, set), Value::Number(x)) => set(settings, x),
            (Access::Word(words, _, set), Value::Word(name)) => {
                words.iter().position(|w| w.name == name).into_iter().for_each(|i| set(settings, i));
            }
            // A value of the domain has its type.
            _ => {}
        }
    }
}

/// Lists words beside the values that they stand for.
macro_rules! words {
    ($words:ident, $values:ident: $type:ty { $($name:literal => $value:expr, $about:literal;)+ }) => {
        const $words: &[$crate::solver::Word] =
            &[$($crate::solver::Word { name: $name, about: $about }),+];
        const $values: &[$type] = &[$($value),+];
    };
}
pub(super) use words;

/// Place in a list of the value that is of the same variant.
pub(super) fn place<T>(values: &[T], value: &T) -> usize {
    let same = |listed: &T| std::mem::discriminant(listed) == std::mem::discriminant(value);
    values.iter().position(same).unwrap_or(0)
}

/// The value of the setting `name`, if there is such a setting.
pub(super) fn get<C>(fields: &[Field<C>], settings: &C, name: &str) -> Option<Value> {
    fields.iter().find(|f| f.knob.name == name).map(|f| f.get(settings))
}

/// Changes the setting `name`.
pub(super) fn set<C: Default>(
    fields: &'static [Field<C>],
    settings: &mut C,
    name: &str,
    value: Value,
) -> Result<(), SettingError> {
    let Some(field) = fields.iter().find(|f| f.knob.name == name) else {
        let known = fields.iter().map(|f| f.knob.name).collect();
        return Err(SettingError::Unknown { name: name.to_string(), known });
    };
    check(fields, settings, field, value)?;
    field.set(settings, value);
    Ok(())
}

/// Checks all settings that mean something.
pub(super) fn check_all<C: Default>(fields: &'static [Field<C>], settings: &C) -> Result<(), SettingError> {
    let mut used = fields.iter().filter(|f| is_used(fields, settings, f));
    used.try_for_each(|f| check(fields, settings, f, f.get(settings)))
}

fn check<C: Default>(
    fields: &'static [Field<C>],
    settings: &C,
    field: &'static Field<C>,
    value: Value,
) -> Result<(), SettingError> {
    let knob = &field.knob;
    if !knob.domain.contains(value) {
        let example = field.get(&C::default());
        return Err(SettingError::OutOfRange { knob, value, example });
    }
    if !is_used(fields, settings, field) {
        return Err(SettingError::Unused { knob });
    }
    Ok(())
}

fn is_used<C>(fields: &[Field<C>], settings: &C, field: &Field<C>) -> bool {
    field.knob.only_with.is_none_or(|(other, word)| get(fields, settings, other) == Some(Value::Word(word)))
}
