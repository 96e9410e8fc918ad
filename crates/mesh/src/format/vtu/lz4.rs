//! Unpacking blocks of LZ4, which newer versions of VTK write. The format is short enough to do without a crate.

/// Unpacks a block; tells if it fills `out` exactly.
pub(super) fn unpack(packed: &[u8], out: &mut [u8]) -> bool {
    sequences(packed, out) == Some(out.len())
}

/// Each sequence is some literal bytes, then a copy of bytes already written; the last has no copy. Returns the
/// number of bytes written.
fn sequences(mut packed: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        let token = next(&mut packed)?;
        let literals = length(&mut packed, token >> 4)?;
        let (from, rest) = packed.split_at_checked(literals)?;
        out.get_mut(end..end + literals)?.copy_from_slice(from);
        end += literals;
        packed = rest;
        if packed.is_empty() {
            return Some(end);
        }
        let distance = usize::from(u16::from_le_bytes([next(&mut packed)?, next(&mut packed)?]));
        let count = length(&mut packed, token & 15)?.checked_add(4)?;
        let start = end.checked_sub(distance).filter(|_| distance > 0)?;
        if out.len() - end < count {
            return None;
        }
        // The copy may overlap what it writes: then it repeats.
        for k in 0..count {
            out[end + k] = out[start + k];
        }
        end += count;
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

    #[test]
    fn literals_and_repeats() {
        // "ab" and six more bytes from two back, then "xyz".
        let packed = [0x22, b'a', b'b', 2, 0, 0x30, b'x', b'y', b'z'];
        let mut out = [0; 11];
        assert!(unpack(&packed, &mut out));
        assert_eq!(&out, b"ababababxyz");
        for cut in 0..packed.len() {
            assert!(!unpack(&packed[..cut], &mut out), "{cut}");
        }
        assert!(!unpack(&packed, &mut [0; 10]) && !unpack(&packed, &mut [0; 12]));
        // Nothing lies three bytes back, and a distance of zero means nothing.
        assert!(!unpack(&[0x22, b'a', b'b', 3, 0, 0x00], &mut [0; 8]));
        assert!(!unpack(&[0x22, b'a', b'b', 0, 0, 0x00], &mut [0; 8]));
    }

    #[test]
    fn long_lengths() {
        let mut packed = vec![0xf0, 255, 30];
        packed.extend([7; 300]);
        let mut out = vec![0; 300];
        assert!(unpack(&packed, &mut out));
        assert!(out.iter().all(|&b| b == 7));
        assert!(!unpack(&[0xf0, 255, 255], &mut out));
    }
}
