//! Numbers as bytes, little endian: writing, and reading that believes no length beyond what is there.

use super::SnapshotError;
use pliant_mesh::DVec3;

/// Collects bytes.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Writes from the start into memory that is no longer needed.
    pub(crate) fn reusing(mut memory: Vec<u8>) -> Writer {
        memory.clear();
        Writer { bytes: memory }
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    /// A number.
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// A number.
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// A number, bit by bit.
    pub fn f64(&mut self, value: f64) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// A point, without a length before it.
    pub fn point(&mut self, value: DVec3) {
        value.to_array().into_iter().for_each(|x| self.f64(x));
    }

    /// Any bytes, after their number.
    pub fn bytes(&mut self, values: &[u8]) {
        self.u64(values.len() as u64);
        self.bytes.extend_from_slice(values);
    }

    /// What another writer has written.
    pub(crate) fn raw(&mut self, written: &[u8]) {
        self.bytes.extend_from_slice(written);
    }

    /// A text, after the number of its bytes.
    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    /// A list, after its length, of items that `write` writes.
    pub fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Writer, &T)) {
        self.u64(values.len() as u64);
        values.iter().for_each(|value| write(self, value));
    }

    /// Numbers, after their number.
    pub(crate) fn u32s(&mut self, values: &[u32]) {
        self.list(values, |out, x| out.u32(*x));
    }

    /// Numbers, after their number.
    pub(crate) fn f32s(&mut self, values: &[f32]) {
        self.list(values, |out, x| out.u32(x.to_bits()));
    }

    /// Numbers, after their number.
    pub fn f64s(&mut self, values: &[f64]) {
        self.list(values, |out, x| out.f64(*x));
    }

    /// Points, after their number.
    pub fn points(&mut self, values: &[DVec3]) {
        self.list(values, |out, p| out.point(*p));
    }
}

/// Takes bytes apart that a [`Writer`] wrote.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { left: bytes }
    }

    /// Refuses what is left over.
    ///
    /// # Errors
    /// If not all was read.
    pub fn end(&self) -> Result<(), SnapshotError> {
        match self.left.len() {
            0 => Ok(()),
            bytes => Err(SnapshotError::TooLong { bytes }),
        }
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.left
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let (first, rest) = self.left.split_first_chunk::<N>().ok_or(SnapshotError::Cut)?;
        self.left = rest;
        Ok(*first)
    }

    /// A truth value.
    ///
    /// # Errors
    /// If the bytes end here, or it is none.
    pub fn bool(&mut self) -> Result<bool, SnapshotError> {
        match self.take::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(SnapshotError::Impossible { what: "truth value" }),
        }
    }

    /// A number.
    ///
    /// # Errors
    /// If the bytes end here.
    pub fn u32(&mut self) -> Result<u32, SnapshotError> {
        self.take().map(u32::from_le_bytes)
    }

    /// A number.
    ///
    /// # Errors
    /// If the bytes end here.
    pub fn u64(&mut self) -> Result<u64, SnapshotError> {
        self.take().map(u64::from_le_bytes)
    }

    /// A number that counts or indexes something.
    ///
    /// # Errors
    /// If the bytes end here, or this machine cannot count so far.
    pub fn usize(&mut self) -> Result<usize, SnapshotError> {
        usize::try_from(self.u64()?).map_err(|_| SnapshotError::Impossible { what: "count" })
    }

    /// A number, bit by bit.
    ///
    /// # Errors
    /// If the bytes end here.
    pub fn f64(&mut self) -> Result<f64, SnapshotError> {
        self.take().map(f64::from_le_bytes)
    }

    /// A point.
    ///
    /// # Errors
    /// If the bytes end here.
    pub fn point(&mut self) -> Result<DVec3, SnapshotError> {
        Ok(DVec3::new(self.f64()?, self.f64()?, self.f64()?))
    }

    /// Any bytes.
    ///
    /// # Errors
    /// If there are fewer than their number says.
    pub fn bytes(&mut self) -> Result<&'a [u8], SnapshotError> {
        let count = self.usize()?;
        let (own, rest) = self.left.split_at_checked(count).ok_or(SnapshotError::Cut)?;
        self.left = rest;
        Ok(own)
    }

    /// A text.
    ///
    /// # Errors
    /// If it is cut off or not UTF-8.
    pub fn text(&mut self) -> Result<&'a str, SnapshotError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| SnapshotError::Impossible { what: "text" })
    }

    /// A list of items that `read` reads.
    ///
    /// # Errors
    /// If there are fewer items than their number says, or one cannot be read.
    pub fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, SnapshotError>,
    ) -> Result<Vec<T>, SnapshotError> {
        let count = self.usize()?;
        // Every item has a byte at least: no list is longer than what is left.
        if count > self.left.len() {
            return Err(SnapshotError::Cut);
        }
        (0..count).map(|_| read(self)).collect()
    }

    /// Numbers.
    ///
    /// # Errors
    /// If they are cut off.
    pub(crate) fn u32s(&mut self) -> Result<Vec<u32>, SnapshotError> {
        self.list(Reader::u32)
    }

    /// Numbers.
    ///
    /// # Errors
    /// If they are cut off.
    pub fn f64s(&mut self) -> Result<Vec<f64>, SnapshotError> {
        self.list(Reader::f64)
    }

    /// So many points as the world has of `what`.
    ///
    /// # Errors
    /// If there is another number of them, or they are cut off.
    pub fn points(&mut self, what: &'static str, here: usize) -> Result<Vec<DVec3>, SnapshotError> {
        let points = self.list(Reader::point)?;
        same_count(what, points.len(), here).map(|()| points)
    }

    /// Fills all of `out` with numbers.
    ///
    /// # Errors
    /// If there is another number of them, or they are cut off.
    pub(crate) fn f32s_into(&mut self, what: &'static str, out: &mut [f32]) -> Result<(), SnapshotError> {
        same_count(what, self.usize()?, out.len())?;
        out.iter_mut().try_for_each(|x| self.u32().map(|bits| *x = f32::from_bits(bits)))
    }

    /// Reads a number that must be `here`.
    ///
    /// # Errors
    /// If it is another one.
    pub fn same(
        &mut self,
        what: &'static str,
        here: u64,
        read: impl FnOnce(&mut Self) -> Result<u64, SnapshotError>,
    ) -> Result<(), SnapshotError> {
        match read(self)? {
            found if found == here => Ok(()),
            found => Err(SnapshotError::Mismatch { what, found, here }),
        }
    }
}

/// Refuses another number of `what` than there is here.
fn same_count(what: &'static str, found: usize, here: usize) -> Result<(), SnapshotError> {
    if found == here {
        return Ok(());
    }
    Err(SnapshotError::Mismatch { what, found: found as u64, here: here as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut out = Writer::default();
        out.bool(true);
        out.text("größe");
        let point = DVec3::new(1.0, -0.0, f64::INFINITY);
        out.points(&[point]);
        out.f32s(&[1.5, f32::MIN_POSITIVE]);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        assert_eq!(from.bool(), Ok(true));
        assert_eq!(from.text(), Ok("größe"));
        let points = from.points("points", 1).expect("one point");
        assert_eq!(points[0].to_array().map(f64::to_bits), point.to_array().map(f64::to_bits));
        let mut numbers = [0.0; 2];
        from.f32s_into("numbers", &mut numbers).expect("two numbers");
        assert_eq!((numbers, from.end()), ([1.5, f32::MIN_POSITIVE], Ok(())));
    }

    #[test]
    fn lengths_beyond_the_end_are_refused() {
        for length in [9, u64::from(u32::MAX), u64::MAX] {
            let mut out = Writer::default();
            out.u64(length);
            out.f64(1.0);
            let bytes = out.into_bytes();
            assert_eq!(Reader::new(&bytes).f64s(), Err(SnapshotError::Cut));
            assert_eq!(Reader::new(&bytes).bytes(), Err(SnapshotError::Cut));
            assert!(Reader::new(&bytes).f32s_into("x", &mut [0.0; 2]).is_err());
        }
        assert_eq!(Reader::new(&[2]).bool(), Err(SnapshotError::Impossible { what: "truth value" }));
    }
}
