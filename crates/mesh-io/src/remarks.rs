//! What the comments of our own text files carry: counts, names of groups and their members.
//!
//! The first comment of such a file is `Pliant FORMAT: 8 vertices, 12 elements`. It makes the reader check the
//! counts and the last line, so that a file that was cut or edited is noticed; other programs skip it.
//! Groups follow, with numbers from one; indices are from zero:
//!
//! ```text
//! group 1 = left side
//! vertices of group 1: 0-3 7
//! elements of group 1: 0 2-5
//! vertices with reference 2: 1 3
//! ```
//!
//! The last line is for formats that have one integer per vertex or element: where this integer is 2, the vertex
//! belongs to groups 1 and 3. In names, `%` and two hexadecimal digits stand for a byte.

use super::ReadError;
use super::budget::Budget;
use super::groups::{Part, spread};
use super::names::{decode, encode};
use super::scan::{DAMAGED, shown};
use super::words::parse;
use pliant_mesh::{Group, Groups};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

/// How the first comment of our files starts.
const MARK: &str = "Pliant ";

/// Tabs at the end of a line promise that something follows. They are for formats where a comment in front, or
/// none at all, would keep other programs from reading the file.
pub(super) const PROMISE: &str = "\t\t";

/// Whether a line, given with its blanks, makes the promise.
pub(super) fn promises(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(PROMISE.as_bytes())
}

/// Comments of a file, if it is one of ours.
#[derive(Default)]
pub(super) struct Remarks<'a> {
    seen: bool,
    /// Line of the first comment, and its numbers of vertices and elements.
    counts: Option<(usize, [u64; 2])>,
    lines: Vec<(usize, &'a [u8])>,
}

/// Drafts of groups by their numbers.
type Drafts = BTreeMap<u32, (String, Group)>;

impl<'a> Remarks<'a> {
    /// Takes note of a comment, given without its sign.
    pub fn see(&mut self, comment: &'a [u8], line: usize) {
        let comment = comment.trim_ascii_start();
        if self.counts.is_some() {
            if [&b"group "[..], b"vertices ", b"elements "].iter().any(|word| comment.starts_with(word)) {
                self.lines.push((line, comment));
            }
        } else if !self.seen && comment.starts_with(MARK.as_bytes()) {
            let mut numbers = comment.split(u8::is_ascii_whitespace).filter_map(parse::<u64>);
            if let (Some(vertices), Some(elements)) = (numbers.next(), numbers.next()) {
                self.counts = Some((line, [vertices, elements]));
            }
        }
        self.seen = true;
    }

    /// Whether the file is one of ours.
    pub fn ours(&self) -> bool {
        self.counts.is_some()
    }

    /// Compares the counts of the first comment with those of the mesh.
    pub fn check_counts(&self, vertices: usize, elements: usize) -> Result<(), ReadError> {
        match self.counts {
            Some((line, counts)) if counts != [vertices as u64, elements as u64] => Err(ReadError::At {
                line,
                cause: format!(
                    "{} vertices and {} elements are announced, found {vertices} and {elements}",
                    counts[0], counts[1]
                ),
                remedy: EDITED,
            }),
            _ => Ok(()),
        }
    }

    /// Checks that a file of ours is whole: its last line is a comment `end`.
    pub fn check_end(&self, bytes: &[u8]) -> Result<(), ReadError> {
        if self.ours() { Self::expect_end(bytes) } else { Ok(()) }
    }

    /// Checks that the last line of a file is a comment `end`.
    pub fn expect_end(bytes: &[u8]) -> Result<(), ReadError> {
        let last = bytes.strip_suffix(b"\n").map(|text| text.strip_suffix(b"\r").unwrap_or(text));
        if last.is_some_and(|text| text.ends_with(b"\n# end")) {
            return Ok(());
        }
        let line = bytes.iter().filter(|&&b| b == b'\n').count() + 1;
        Err(ReadError::At { line, cause: "the last line `# end` is missing".to_string(), remedy: EDITED })
    }

    /// Numbers and names of the groups, with empty lists.
    fn names(&self, budget: &mut Budget) -> Result<Drafts, ReadError> {
        budget.take(size_of_val(self.lines.as_slice()))?;
        let mut drafts = Drafts::new();
        for &(line, text) in &self.lines {
            let Some(rest) = text.strip_prefix(b"group ") else { continue };
            let at = rest.iter().position(|&b| b == b'=').ok_or_else(|| bad(line, text))?;
            let number = parse(rest[..at].trim_ascii()).ok_or_else(|| bad(line, text))?;
            let name = decode(rest[at + 1..].trim_ascii());
            budget.group(&name)?;
            if drafts.insert(number, (name, Group::default())).is_some() {
                return Err(bad(line, text));
            }
        }
        Ok(drafts)
    }

    /// Groups with members listed as ranges, in a mesh with these numbers of vertices and elements. Also tells
    /// which groups list their vertices.
    pub fn listed(&self, counts: [usize; 2], budget: &mut Budget) -> Result<Vec<Listed>, ReadError> {
        let mut drafts = self.names(budget)?;
        let mut sizes: BTreeMap<(u32, usize), usize> = BTreeMap::new();
        self.each_list(counts, &drafts, |key, range| *sizes.entry(key).or_default() += range.len())?;
        for (&(number, part), &size) in &sizes {
            if let Some((_, group)) = drafts.get_mut(&number) {
                budget.reserve(Part::ALL[part].of(group), size)?;
            }
        }
        let known: BTreeMap<u32, ()> = drafts.keys().map(|&number| (number, ())).collect();
        self.each_list(counts, &known, |(number, part), range| {
            if let Some((_, group)) = drafts.get_mut(&number) {
                Part::ALL[part].of(group).extend(range);
            }
        })?;
        let sorted = |list: &Vec<u32>| list.is_sorted_by(|a, b| a < b);
        drafts
            .into_iter()
            .map(|(number, (name, group))| {
                if !sorted(&group.vertices) || !sorted(&group.elements) {
                    let cause = format!("the members of group {number} are not in ascending order");
                    return Err(ReadError::At {
                        line: self.counts.map_or(1, |c| c.0),
                        cause,
                        remedy: DAMAGED,
                    });
                }
                Ok(Listed { name, group, lists_vertices: sizes.contains_key(&(number, 0)) })
            })
            .collect()
    }

    /// Calls `each` with group number, part and range for all ranges of the lists.
    fn each_list<T>(
        &self,
        counts: [usize; 2],
        known: &BTreeMap<u32, T>,
        mut each: impl FnMut((u32, usize), Range<u32>),
    ) -> Result<(), ReadError> {
        for &(line, text) in &self.lines {
            let Some((part, rest)) = after_part(text, b" of group ") else { continue };
            let (number, ranges) = split_colon(rest).ok_or_else(|| bad(line, text))?;
            if !known.contains_key(&number) {
                return Err(bad(line, text));
            }
            // An empty list is a list, too.
            each((number, part), 0..0);
            for word in ranges.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
                let range = parse_range(word).filter(|r| r.end as usize <= counts[part]);
                each((number, part), range.ok_or_else(|| bad(line, word))?);
            }
        }
        Ok(())
    }

    /// Groups by references: the integers of all vertices or elements, zero for no group.
    pub fn referenced(
        &self,
        references: &[(Part, &[i64])],
        budget: &mut Budget,
    ) -> Result<Groups, ReadError> {
        let mut drafts = self.names(budget)?;
        for &(part, references) in references {
            let sets = self.sets(part, &drafts, budget)?;
            let lists = spread(drafts.len(), references, &sets, budget)?;
            for ((_, group), list) in drafts.values_mut().zip(lists) {
                *part.of(group) = list;
            }
        }
        Ok(drafts.into_values().collect())
    }

    /// The groups that each reference stands for, by their places among the drafts.
    fn sets(
        &self,
        part: Part,
        drafts: &Drafts,
        budget: &mut Budget,
    ) -> Result<BTreeMap<i64, Vec<u32>>, ReadError> {
        let places: BTreeMap<u32, u32> = drafts.keys().copied().zip(0..).collect();
        let mut sets: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for &(line, text) in &self.lines {
            let Some((index, rest)) = after_part(text, b" with reference ") else { continue };
            if Part::ALL[index] != part {
                continue;
            }
            let (reference, numbers) = split_colon(rest).ok_or_else(|| bad(line, text))?;
            let set = sets.entry(i64::from(reference)).or_default();
            for word in numbers.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
                let place = parse(word).and_then(|n| places.get(&n)).ok_or_else(|| bad(line, text))?;
                budget.take(2 * size_of::<u32>())?;
                set.push(*place);
            }
            set.sort_unstable();
            set.dedup();
        }
        Ok(sets)
    }
}

/// A group that a file of ours lists.
pub(super) struct Listed {
    pub name: String,
    pub group: Group,
    /// Whether vertices were listed, maybe none: otherwise they follow from the elements.
    pub lists_vertices: bool,
}

const EDITED: &str = "the file is damaged or cut, write it again; if it was edited, remove its first comment";

fn bad(line: usize, text: &[u8]) -> ReadError {
    ReadError::At {
        line,
        cause: format!("cannot make sense of the comment `{}`", shown(text)),
        remedy: EDITED,
    }
}

/// Index of the part that a comment is about, and what follows `words`.
fn after_part<'a>(text: &'a [u8], words: &[u8]) -> Option<(usize, &'a [u8])> {
    let (part, rest) = match text.strip_prefix(b"vertices") {
        Some(rest) => (0, rest),
        None => (1, text.strip_prefix(b"elements")?),
    };
    Some((part, rest.strip_prefix(words)?))
}

/// The number before a colon and the text after it.
fn split_colon(text: &[u8]) -> Option<(u32, &[u8])> {
    let at = text.iter().position(|&b| b == b':')?;
    Some((parse(&text[..at])?, &text[at + 1..]))
}

/// `3` or `3-7`, both ends included.
fn parse_range(word: &[u8]) -> Option<Range<u32>> {
    let mut ends = word.splitn(2, |&b| b == b'-').map(parse::<u32>);
    let first = ends.next()??;
    let last = ends.next().unwrap_or(Some(first))?;
    (first <= last && last < u32::MAX).then(|| first..last + 1)
}

/// Writes the first comment. `sign` is what makes a line a comment.
pub(super) fn write_mark(
    out: &mut impl Write,
    sign: &str,
    format: &str,
    vertices: usize,
    elements: usize,
) -> io::Result<()> {
    writeln!(out, "{sign} {MARK}{format}: {vertices} vertices, {elements} elements")
}

/// Writes numbers and names of groups.
pub(super) fn write_names(out: &mut impl Write, sign: &str, groups: &Groups) -> io::Result<()> {
    for (number, name) in (1..).zip(groups.keys()) {
        writeln!(out, "{sign} group {number} = {}", encode(name, |_| false))?;
    }
    Ok(())
}

/// Writes the members of a group as ranges.
pub(super) fn write_list(
    out: &mut impl Write,
    sign: &str,
    part: Part,
    number: usize,
    members: &[u32],
) -> io::Result<()> {
    const RANGES_PER_LINE: usize = 8;
    let ranges: Vec<&[u32]> = members.chunk_by(|a, b| a + 1 == *b).collect();
    // A list without members is written, too.
    for line in ranges.chunks(RANGES_PER_LINE).chain(ranges.is_empty().then_some(&[][..])) {
        write!(out, "{sign} {} of group {number}:", part.name())?;
        for range in line {
            match range {
                [only] => write!(out, " {only}")?,
                [first, .., last] => write!(out, " {first}-{last}")?,
                [] => {}
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes which groups a reference stands for.
pub(super) fn write_references(
    out: &mut impl Write,
    sign: &str,
    part: Part,
    sets: &[Vec<u32>],
) -> io::Result<()> {
    for (reference, set) in (1..).zip(sets) {
        write!(out, "{sign} {} with reference {reference}:", part.name())?;
        for group in set {
            write!(out, " {}", group + 1)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(lines: &[&'static str]) -> Result<Vec<Listed>, ReadError> {
        let mut remarks = Remarks::default();
        remarks.see(b" Pliant TEST: 9 vertices, 4 elements", 1);
        lines.iter().zip(2..).for_each(|(line, number)| remarks.see(line.as_bytes(), number));
        remarks.listed([9, 4], &mut Budget::new(0))
    }

    #[test]
    fn lists_are_read() {
        let groups =
            listed(&["group 3 = a%20", " vertices of group 3: 0-2 5", "vertices of group 3: 7", "other"]);
        let groups = groups.unwrap();
        assert_eq!((groups.len(), groups[0].name.as_str()), (1, "a "));
        assert_eq!(groups[0].group.vertices, [0, 1, 2, 5, 7]);
        assert!(groups[0].lists_vertices && groups[0].group.elements.is_empty());
        let mut foreign = Remarks::default();
        foreign.see(b"made elsewhere", 1);
        foreign.see(b"Pliant TEST: 9 vertices, 4 elements", 2);
        foreign.see(b"group nonsense", 3);
        assert!(!foreign.ours() && foreign.listed([9, 4], &mut Budget::new(0)).unwrap().is_empty());
    }

    #[test]
    fn nonsense_is_an_error_with_its_line() {
        for (lines, expected) in [
            (&["group a"][..], "line 2: cannot make sense of the comment `group a`; the file is damaged"),
            (&["group x = a"], "line 2: cannot make sense"),
            (&["group 1 = a", "group 1 = b"], "line 3: cannot make sense"),
            (&["group 1 = a", "vertices of group 2: 0"], "line 3: cannot make sense"),
            (&["group 1 = a", "vertices of group 1: 9"], "line 3: cannot make sense of the comment `9`"),
            (&["group 1 = a", "elements of group 1: 3-2"], "line 3: cannot make sense of the comment `3-2`"),
            (
                &["group 1 = a", "elements of group 1: 2 2"],
                "line 1: the members of group 1 are not in ascending order",
            ),
        ] {
            let error = listed(lines).err().unwrap().to_string();
            assert!(error.starts_with(expected), "{lines:?}: {error}");
        }
        let mut remarks = Remarks::default();
        remarks.see(b"Pliant TEST: 9 vertices, 4 elements", 1);
        remarks.see(b"vertices with reference 1: 7", 2);
        let error = remarks.referenced(&[(Part::Vertices, &[1])], &mut Budget::new(0)).unwrap_err();
        assert!(error.to_string().starts_with("line 2: cannot make sense"), "{error}");
    }
}
