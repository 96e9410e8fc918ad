//! How the settings of a solver are read and changed by name.

use super::error::SettingError;
use super::knob::{Domain, Knob, Range, Value, Word};

/// What is said of iterations, how many there can be, and what a slider reaches.
const MOST_ITERATIONS: &str = "Most iterations in a step.";
const ITERATIONS: [usize; 2] = [1, 1_000_000];
const SLIDER: [f64; 2] = [1.0, 200.0];

/// A knob of the settings `C`, and how it is read and changed.
#[derive(Debug)]
pub(super) struct Field<C> {
    pub(super) knob: Knob,
    access: Access<C>,
}

#[derive(Debug)]
enum Access<C> {
    Count(fn(&C) -> usize, fn(&mut C, usize)),
    /// As the value itself.
    Either(fn(&C) -> Value, fn(&mut C, Value)),
    Number(fn(&C) -> f64, fn(&mut C, f64)),
    /// By the place of the word in the list.
    Word(&'static [Word], fn(&C) -> usize, fn(&mut C, usize)),
}

impl<C> Field<C> {
    const fn new(name: &'static str, about: &'static str, domain: Domain, access: Access<C>) -> Field<C> {
        Field { knob: Knob { name, about, domain, live: None, only_with: None }, access }
    }

    /// A whole number from the first to the second of `limits`.
    pub(super) const fn count(
        name: &'static str,
        about: &'static str,
        limits: [usize; 2],
        get: fn(&C) -> usize,
        set: fn(&mut C, usize),
    ) -> Field<C> {
        Field::new(name, about, Domain::Count(limits[0], limits[1]), Access::Count(get, set))
    }

    /// A number.
    pub(super) const fn number(
        name: &'static str,
        about: &'static str,
        range: Range,
        get: fn(&C) -> f64,
        set: fn(&mut C, f64),
    ) -> Field<C> {
        Field::new(name, about, Domain::Number(range), Access::Number(get, set))
    }

    /// One of several words, which `get` and `set` know by their place in the list.
    pub(super) const fn word(
        name: &'static str,
        about: &'static str,
        words: &'static [Word],
        get: fn(&C) -> usize,
        set: fn(&mut C, usize),
    ) -> Field<C> {
        Field::new(name, about, Domain::Word(words), Access::Word(words, get, set))
    }

    /// The most iterations in a step, which a running solver takes over.
    pub(super) const fn iterations(get: fn(&C) -> usize, set: fn(&mut C, usize)) -> Field<C> {
        Field::count("iterations", MOST_ITERATIONS, ITERATIONS, get, set).live(SLIDER)
    }

    /// The same, or how the solver finds it.
    pub(super) const fn iterations_or(
        words: &'static [Word],
        usual: usize,
        get: fn(&C) -> Value,
        set: fn(&mut C, Value),
    ) -> Field<C> {
        let domain = Domain::CountOrWord(ITERATIONS, words, usual);
        Field::new("iterations", MOST_ITERATIONS, domain, Access::Either(get, set)).live(SLIDER)
    }

    /// The same, for a running solver to take over; a slider reaches from the first to the second number.
    pub(super) const fn live(mut self, slider: [f64; 2]) -> Field<C> {
        self.knob.live = Some(slider);
        self
    }

    /// The same, with a meaning only where another setting is this word.
    pub(super) const fn only_with(mut self, other: &'static str, word: &'static str) -> Field<C> {
        self.knob.only_with = Some((other, word));
        self
    }

    fn get(&self, settings: &C) -> Value {
        match self.access {
            Access::Count(get, _) => Value::Count(get(settings)),
            Access::Either(get, _) => get(settings),
            Access::Number(get, _) => Value::Number(get(settings)),
            Access::Word(words, get, _) => Value::Word(words[get(settings)].name),
        }
    }

    /// Changes the setting to a value of its domain.
    fn set(&self, settings: &mut C, value: Value) {
        match (&self.access, value) {
            // A value that does not change keeps what depends on it.
            _ if self.get(settings) == value => {}
            (Access::Count(_, set), Value::Count(n)) => set(settings, n),
            (Access::Either(_, set), value) => set(settings, value),
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
