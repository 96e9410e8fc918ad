//! The numbers of a Gmsh file, as text or binary.

use crate::cursor::{Order, Scalar};
use crate::region::Region;
use crate::scan::{DAMAGED, Scanner, shown};
use crate::{ReadError, Source, without_mark};
use pliant_mesh::DVec3;

/// How binary numbers are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub order: Order,
    /// Counts and tags of version 4 take eight bytes, else four.
    pub wide: bool,
}

/// A cursor over a file of either encoding.
pub(super) struct Data<'a> {
    source: &'a Source,
    pub scan: Scanner<'a>,
    /// `None` for text.
    pub binary: Option<Layout>,
    /// How many arrays on the disk were taken.
    regions: usize,
}

impl<'a> Data<'a> {
    /// A file, of which nothing is known yet.
    pub fn new(source: &'a Source) -> Self {
        Self { source, scan: Scanner::new(without_mark(source.bytes())), binary: None, regions: 0 }
    }

    /// An integer of 32 bits, such as a dimension.
    pub fn int(&mut self, what: &str) -> Result<i64, ReadError> {
        match self.binary {
            None => self.scan.number(what),
            Some(layout) => self.binary::<i32>(layout, what).map(i64::from),
        }
    }

    /// A count, or a tag of a node or element.
    pub fn size(&mut self, what: &str) -> Result<u64, ReadError> {
        match self.binary {
            None => self.scan.number(what),
            Some(layout) if layout.wide => self.binary(layout, what),
            Some(layout) => self.binary::<u32>(layout, what).map(u64::from),
        }
    }

    /// The tag of an entity or a physical group. Its sign is an orientation, which does not matter here.
    pub fn label(&mut self, what: &str) -> Result<u32, ReadError> {
        let value = self.int(what)?;
        u32::try_from(value.unsigned_abs()).map_err(|_| self.error(format!("{what} is {value}")))
    }

    pub fn real(&mut self, what: &str) -> Result<f64, ReadError> {
        match self.binary {
            None => self.scan.number(what),
            Some(layout) => self.binary(layout, what),
        }
    }

    /// The position of a vertex.
    pub fn position(&mut self) -> Result<DVec3, ReadError> {
        Ok(DVec3::new(self.coordinate("x")?, self.coordinate("y")?, self.coordinate("z")?))
    }

    /// A coordinate of a vertex: a finite number.
    fn coordinate(&mut self, what: &str) -> Result<f64, ReadError> {
        let value = self.real(what)?;
        if value.is_finite() { Ok(value) } else { Err(self.error(format!("{what} is {value}"))) }
    }

    /// The next `count` bytes of a binary file.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ReadError> {
        match self.scan.take(count) {
            Some(bytes) => Ok(bytes),
            None => Err(self.error(format!("the file ends within {what}"))),
        }
    }

    /// The next `count` bytes of a binary file, which may still be on the disk.
    pub fn region(&mut self, count: usize, what: &str) -> Result<Region<'a>, ReadError> {
        match self.source.left_out(self.regions) {
            Some((place, region)) if place == self.place() && region.len() == count => {
                self.regions += 1;
                Ok(region)
            }
            _ => self.take(count, what).map(Region::from),
        }
    }

    /// Offset of the next byte, counted with a byte order mark.
    fn place(&self) -> usize {
        self.source.bytes().len() - self.scan.remaining()
    }

    fn binary<T: Scalar>(&mut self, layout: Layout, what: &str) -> Result<T, ReadError> {
        Ok(T::decode(self.take(T::SIZE, what)?, layout.order))
    }

    pub fn dimension(&mut self) -> Result<u8, ReadError> {
        let value = self.int("a dimension from 0 to 3")?;
        match u8::try_from(value) {
            Ok(dimension @ 0..=3) => Ok(dimension),
            _ => Err(self.error(format!("dimension {value} is not 0 to 3"))),
        }
    }

    /// A capacity for `count` entries that take `text` or `binary` bytes at least: never more than the rest of
    /// the file can hold.
    pub fn capacity(&self, count: u64, text: usize, binary: usize) -> usize {
        let smallest = if self.binary.is_some() { binary } else { text };
        usize::try_from(count).unwrap_or(usize::MAX).min(self.scan.remaining() / smallest)
    }

    /// Moves from the line of a section's name, or of a count, to binary data.
    pub fn start_binary(&mut self) {
        if self.binary.is_some() {
            self.scan.skip_line();
        }
    }

    /// The section must end here: fewer or more entries than announced show up as another word.
    pub fn end(&mut self, section: &[u8]) -> Result<(), ReadError> {
        let name = shown(section);
        match self.scan.word() {
            Some(word) if is_end(word, section) => Ok(()),
            Some(word) => Err(self.error(format!("expected the end of ${name}, found `{}`", shown(word)))),
            None => Err(self.error(format!("the file ends before the end of ${name}"))),
        }
    }

    /// An error at the cursor, for a damaged file.
    pub fn error(&self, cause: String) -> ReadError {
        self.error_with(cause, DAMAGED)
    }

    pub fn error_with(&self, cause: String, remedy: &'static str) -> ReadError {
        if self.binary.is_some() {
            ReadError::AtByte { offset: self.source.offset(self.place()), cause, remedy }
        } else {
            ReadError::At { line: self.scan.line(), cause, remedy }
        }
    }
}

/// `$EndNodes` for `Nodes`; version 1 of the format writes `$ENDNOD` for `NOD`.
pub(super) fn is_end(word: &[u8], section: &[u8]) -> bool {
    let end = if matches!(section, b"NOD" | b"ELM") { b"$END" } else { b"$End" };
    word.strip_prefix(end) == Some(section)
}
