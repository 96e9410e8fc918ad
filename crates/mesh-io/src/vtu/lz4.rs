//! Unpacking blocks of LZ4, which newer versions of VTK write. The format is short enough to do without a crate.

/// Appends at most `size` bytes that a block unpacks to; tells if there are exactly so many.
pub(super) fn unpack(packed: &[u8], size: usize, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    sequences(packed, start.saturating_add(size), out).is_some() && out.len() - start == size
}

/// Each sequence is some literal bytes, then a copy of bytes already written; the last has no copy.
fn sequences(mut packed: &[u8], limit: usize, out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    loop {
        let token = next(&mut packed)?;
        let literals = length(&mut packed, token >> 4)?;
        let (from, rest) = packed.split_at_checked(literals)?;
        if limit - out.len() < literals {
            return None;
        }
        out.extend_from_slice(from);
        packed = rest;
        if packed.is_empty() {
            return Some(());
        }
        let distance = usize::from(u16::from_le_bytes([next(&mut packed)?, next(&mut packed)?]));
        let count = length(&mut packed, token & 15)?.checked_add(4)?;
        if distance == 0 || distance > out.len() - start || limit - out.len() < count {
            return None;
        }
        // The copy may overlap what it writes: then it repeats.
        let mut left = count;
        while left > 0 {
            let from = out.len() - distance;
            let part = left.min(distance);
            out.extend_from_within(from..from + part);
            left -= part;
        }
    }
}

fn next(packed: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = packed.split_first()?;
    *packed = rest;
    Some(first)
}

/// A length of four bits that goes on in further bytes if they are all set.
fn length(packed: &mut &[u8], short: u8) -> Option<usize> {
    let mut length = usize::from(short);
    if short == 15 {
        loop {
            let more = next(packed)?;
            length = length.checked_add(usize::from(more))?;
            if more < 255 {
                break;
            }
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        unpack(packed, size, &mut out).then_some(out)
    }

    #[test]
    fn literals_and_repeats() {
        // "ab" and six more bytes from two back, then "xyz".
        let packed = [0x22, b'a', b'b', 2, 0, 0x30, b'x', b'y', b'z'];
        assert_eq!(unpacked(&packed, 11).unwrap(), b"ababababxyz");
        for cut in 0..packed.len() {
            assert!(unpacked(&packed[..cut], 11).is_none(), "{cut}");
        }
        assert!(unpacked(&packed, 10).is_none() && unpacked(&packed, 12).is_none());
        // Nothing lies three bytes back, and a distance of zero means nothing.
        assert!(unpacked(&[0x22, b'a', b'b', 3, 0, 0x00], 8).is_none());
        assert!(unpacked(&[0x22, b'a', b'b', 0, 0, 0x00], 8).is_none());
    }

    #[test]
    fn long_lengths() {
        let mut packed = vec![0xf0, 255, 30];
        packed.extend([7; 300]);
        assert_eq!(unpacked(&packed, 300).unwrap(), [7; 300]);
        assert!(unpacked(&[0xf0, 255, 255], 300).is_none());
    }
}
