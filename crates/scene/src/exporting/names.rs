//! Names of bodies and obstacles as other programs accept them.

use pliant::BodyId;
use std::collections::BTreeSet;

/// Longest part of a name that is kept.
const LONGEST: usize = 40;

/// The start of the name of a file about a body, which no name of a body can turn into a path.
pub(super) fn file_stem(body: BodyId, name: &str) -> String {
    let safe: String = name
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    format!("{body}_{safe}")
}

/// Names of ASCII letters, digits and underscores that start with no digit and are all different, also from `taken`.
pub(super) fn identifiers<'a>(
    names: impl IntoIterator<Item = &'a str>,
    taken: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut unique = |name: &str| {
        let plain = identifier(name);
        let mut candidate = plain.clone();
        let mut number = 2;
        while !taken.insert(candidate.clone()) {
            candidate = format!("{plain}_{number}");
            number += 1;
        }
        candidate
    };
    names.into_iter().map(&mut unique).collect()
}

fn identifier(name: &str) -> String {
    let plain: String =
        name.chars().take(LONGEST).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { plain } else { format!("_{plain}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(file_stem(BodyId(3), "../../etc/passwd"), "3_______etc_passwd");
        assert_eq!(file_stem(BodyId(0), &"ä".repeat(100)).len(), 42);
    }

    #[test]
    fn identifiers_are_plain_and_different() {
        let mut taken = BTreeSet::new();
        assert_eq!(identifiers(["a b", "a_b", "7up", ""], &mut taken), ["a_b", "a_b_2", "_7up", "_"]);
        assert_eq!(identifiers(["a-b"], &mut taken), ["a_b_3"]);
    }
}
