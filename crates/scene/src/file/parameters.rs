//! Puts the values of `[parameters]` where entries say `"$name"`, `"-$name"` or calculate with them as in `"2 * $name"`.

use super::expression::{Amount, evaluate, is_expression};
use super::tree::{Data, Node, Origin};
use crate::error::{Fault, quoted, suggest};

/// Longest list and text that a parameter may be: it is copied to every place that uses it.
const MAX_LIST: usize = 64;
const MAX_TEXT: usize = 4096;

/// A fault and where it is.
type Found = (Origin, Fault);

/// Replaces all references; what is wrong is returned, and left as it is in the tree.
pub(crate) fn substitute(tree: &mut Node) -> Vec<Found> {
    let parameters = tree.get("parameters").cloned();
    let mut found = Vec::new();
    let Data::Table(entries) = &mut tree.data else { return found };
    for entry in entries.iter_mut().filter(|e| e.key != "parameters" && e.key != "variants") {
        replace(&mut entry.value, parameters.as_ref(), &mut found);
    }
    found
}

/// What is wrong with the parameters themselves. They are plain values, so that no chain of references can loop or grow.
pub(crate) fn check(tree: &Node) -> Vec<Found> {
    let Some(parameters) = tree.get("parameters") else { return Vec::new() };
    let mut found = Vec::new();
    let Data::Table(entries) = &parameters.data else {
        let remedy = "write [parameters] and name = value below it";
        return vec![(parameters.origin.clone(), Fault::new("parameters: expected a table", remedy))];
    };
    for entry in entries {
        let wrong = match &entry.value.data {
            Data::Table(_) => Some("is a table"),
            Data::Array(items) if items.len() > MAX_LIST => Some("is a list that is too long"),
            Data::Array(items) if items.iter().any(|i| matches!(i.data, Data::Array(_) | Data::Table(_))) => {
                Some("is a list of lists")
            }
            Data::String(s) if s.len() > MAX_TEXT => Some("is a text that is too long"),
            Data::String(s) if reference(s).is_some() || is_expression(s) => {
                Some("refers to another parameter")
            }
            _ => None,
        };
        if let Some(what) = wrong {
            let cause = format!("parameter `{}` {what}", entry.key);
            let fault = Fault::new(cause, "use a number, a text, true/false or a short list");
            found.push((entry.value.origin.clone(), fault));
        }
    }
    found
}

/// Name and sign of a reference.
fn reference(text: &str) -> Option<(&str, bool)> {
    let (body, negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    body.strip_prefix('$').map(|name| (name, negative))
}

fn replace(node: &mut Node, parameters: Option<&Node>, found: &mut Vec<Found>) {
    match &mut node.data {
        Data::Array(items) => items.iter_mut().for_each(|n| replace(n, parameters, found)),
        Data::Table(entries) => entries.iter_mut().for_each(|e| replace(&mut e.value, parameters, found)),
        Data::String(text) => {
            let is_name = |name: &str| parameters.is_some_and(|p| p.get(name).is_some());
            let resolved = match reference(text) {
                Some((name, negative)) if is_name(name) => resolve(name, negative, parameters),
                _ if is_expression(text) && !is_plain(text) => calculate(text, parameters),
                Some((name, negative)) => resolve(name, negative, parameters),
                None => return,
            };
            match resolved {
                // Values set by hand keep saying so; values of the file point at the place of use.
                Ok(value) if matches!(value.origin, Origin::Override(_)) => *node = value,
                Ok(value) => *node = value.with_origin(&node.origin),
                Err(fault) => found.push((node.origin.clone(), fault)),
            }
        }
        _ => {}
    }
}

/// Whether a text is a parameter and nothing else.
fn is_plain(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    reference(text).is_some_and(|(name, _)| name.chars().all(is_word))
}

/// The value of an expression.
fn calculate(text: &str, parameters: Option<&Node>) -> Result<Node, Fault> {
    let mut unknown = None;
    let amount = evaluate(text, &mut |name| {
        let node = resolve(name, false, parameters).map_err(|fault| {
            let cause = fault.cause.clone();
            unknown = Some(fault);
            cause
        })?;
        amount(&node).ok_or_else(|| format!("`${name}` is no number and no list of numbers"))
    });
    // It gets the place of the expression.
    let node = |data: Data| Node { data, origin: Origin::File(0..0) };
    match amount {
        Ok(Amount::Number(x, is_integer)) => Ok(node(number(x, is_integer))),
        Ok(Amount::List(items)) => {
            Ok(node(Data::Array(items.into_iter().map(|(x, i)| node(number(x, i))).collect())))
        }
        Err(cause) => Err(unknown.unwrap_or_else(|| {
            let remedy = "write for example \"2 * $radius + 0.1\"; functions are sqrt, sin, cos, tan (degrees), abs, floor, ceil, round";
            Fault::new(format!("\"{text}\" cannot be calculated: {cause}"), remedy)
        })),
    }
}

fn number(x: f64, is_integer: bool) -> Data {
    if is_integer { Data::Integer(x as i64) } else { Data::Float(x) }
}

/// A number or a list of numbers.
fn amount(node: &Node) -> Option<Amount> {
    let number = |node: &Node| match node.data {
        Data::Integer(i) => Some((i as f64, true)),
        Data::Float(x) => Some((x, false)),
        _ => None,
    };
    match &node.data {
        Data::Array(items) => items.iter().map(number).collect::<Option<_>>().map(Amount::List),
        _ => number(node).map(|(x, is_integer)| Amount::Number(x, is_integer)),
    }
}

fn resolve(name: &str, negative: bool, parameters: Option<&Node>) -> Result<Node, Fault> {
    let names = parameters.map(Node::keys).unwrap_or_default();
    let Some(value) = parameters.and_then(|p| p.get(name)) else {
        let known = parameter_list(&names);
        let cause = format!("unknown parameter `${name}` ({known})");
        return Err(Fault::new(cause, suggest(name, &names, "parameters")));
    };
    let small = match &value.data {
        Data::Array(items) => items.len() <= MAX_LIST,
        Data::String(s) => s.len() <= MAX_TEXT,
        Data::Table(_) => false,
        _ => true,
    };
    if !small {
        return Err(Fault::new(
            format!("parameter `{name}` cannot be used here"),
            "see the problem with its value",
        ));
    }
    let mut value = value.clone();
    if negative && !negate(&mut value) {
        let remedy = format!("write \"${name}\" without the minus");
        return Err(Fault::new(format!("`-${name}` needs a number, `{name}` is none"), remedy));
    }
    Ok(value)
}

/// Changes the sign of a number or of all numbers of a list; false if there is something else.
fn negate(node: &mut Node) -> bool {
    match &mut node.data {
        Data::Integer(i) => i.checked_neg().map(|n| *i = n).is_some(),
        Data::Float(x) => {
            *x = -*x;
            true
        }
        Data::Array(items) => items.iter_mut().all(negate),
        _ => false,
    }
}

/// The parameters in backquotes, for messages.
fn parameter_list(names: &[&str]) -> String {
    if names.is_empty() { "it has no [parameters]".into() } else { format!("it has {}", quoted(names)) }
}
