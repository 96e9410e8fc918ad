//! Many numbers at once, converted by all threads in blocks that stay in the cache.

use super::region::Region;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::io::{self, Write};

/// Entries converted at a time. Large enough to keep the threads busy, small enough to stay in the cache.
const BLOCK: usize = 1 << 16;

/// Writes `make(0)`, `make(1)`, ... as they lie in memory. Bytes must already be in the order of the file.
pub(super) fn write_rows<P: Pod + Send>(
    out: &mut dyn Write,
    count: usize,
    make: impl Fn(usize) -> P + Sync,
) -> io::Result<()> {
    let mut block: Vec<P> = Vec::new();
    for start in (0..count).step_by(BLOCK) {
        let range = start..count.min(start + BLOCK);
        range.into_par_iter().with_min_len(BLOCK / 8).map(&make).collect_into_vec(&mut block);
        out.write_all(bytemuck::cast_slice(&block))?;
    }
    Ok(())
}

/// Rows read at a time: they should stay in the cache of a core.
const READ_BLOCK: usize = 1 << 14;

/// Appends the rows of a file, each made from `size` bytes.
pub(super) fn read_rows<T: Zeroable + Copy + Send>(
    rows: &mut Vec<T>,
    region: &Region<'_>,
    size: usize,
    make: impl Fn(&[u8]) -> T + Sync,
) -> io::Result<()> {
    let start = rows.len();
    let count = region.len() / size;
    // Zeroed memory costs nothing until it is used, and plain loops over blocks are fast.
    if start == 0 {
        *rows = bytemuck::zeroed_vec(count);
    } else {
        rows.resize(start + count, T::zeroed());
    }
    rows[start..].par_chunks_mut(READ_BLOCK).enumerate().try_for_each(|(block, rows)| {
        let from = block * READ_BLOCK * size;
        region.with(from..from + rows.len() * size, |bytes| {
            for (row, bytes) in rows.iter_mut().zip(bytes.chunks_exact(size)) {
                *row = make(bytes);
            }
        })
    })
}

/// The first row of `size` bytes for which `is_bad`, given its number and bytes, holds.
pub(super) fn find_row(
    region: &Region<'_>,
    size: usize,
    is_bad: impl Fn(usize, &[u8]) -> bool + Sync,
) -> io::Result<Option<usize>> {
    let count = region.len() / size;
    let in_block = |block: usize| {
        let rows = block * READ_BLOCK..count.min((block + 1) * READ_BLOCK);
        let first = rows.start;
        region.with(rows.start * size..rows.end * size, |bytes| {
            bytes
                .chunks_exact(size)
                .enumerate()
                .position(|(row, bytes)| is_bad(first + row, bytes))
                .map(|row| first + row)
        })
    };
    let blocks = 0..count.div_ceil(READ_BLOCK);
    let found = blocks.into_par_iter().map(in_block).find_first(|found| !matches!(found, Ok(None)));
    found.unwrap_or(Ok(None))
}

/// The numbers of the rows of `size` bytes for which `is_member` holds.
pub(super) fn filter_rows(
    region: &Region<'_>,
    size: usize,
    is_member: impl Fn(&[u8]) -> bool + Sync,
) -> io::Result<Vec<u32>> {
    let count = region.len() / size;
    let in_block = |block: usize| {
        let rows = block * READ_BLOCK..count.min((block + 1) * READ_BLOCK);
        let numbers = rows.start as u32..;
        region.with(rows.start * size..rows.end * size, |bytes| {
            let rows = numbers.zip(bytes.chunks_exact(size));
            rows.filter(|(_, bytes)| is_member(bytes)).map(|(row, _)| row).collect::<Vec<u32>>()
        })
    };
    let blocks: io::Result<Vec<Vec<u32>>> =
        (0..count.div_ceil(READ_BLOCK)).into_par_iter().map(in_block).collect();
    Ok(blocks?.concat())
}

/// Writes the text that `print` appends for 0, 1, ... `count - 1`.
pub(super) fn write_text(
    out: &mut dyn Write,
    count: usize,
    print: impl Fn(usize, &mut String) + Sync,
) -> io::Result<()> {
    let parts = 4 * rayon::current_num_threads();
    let mut texts = vec![String::new(); parts];
    const PART: usize = BLOCK / 8;
    for start in (0..count).step_by(parts * PART) {
        texts.par_iter_mut().enumerate().for_each(|(part, text)| {
            text.clear();
            let first = start + part * PART;
            (first..count.min(first + PART)).for_each(|i| print(i, text));
        });
        for text in &texts {
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

/// Prints numbers with blanks between and a line end behind them.
pub(super) fn print_line<T: std::fmt::Display>(text: &mut String, numbers: impl IntoIterator<Item = T>) {
    use std::fmt::Write;
    let mut separator = "";
    for number in numbers {
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{number}");
        separator = " ";
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_faults() {
        let numbers: Vec<u32> = (0..3 * BLOCK as u32 + 5).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&numbers);
        let number = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let mut rows = Vec::new();
        read_rows(&mut rows, &bytes.into(), 4, number).unwrap();
        assert_eq!(rows, numbers);
        for first in [0, 7, READ_BLOCK, 2 * READ_BLOCK + 1, numbers.len() - 1] {
            let is_bad = |row, bytes: &[u8]| row == number(bytes) as usize && row >= first;
            assert_eq!(find_row(&bytes.into(), 4, is_bad).unwrap(), Some(first));
        }
        assert_eq!(find_row(&bytes.into(), 4, |_, _| false).unwrap(), None);
        let odd = filter_rows(&bytes.into(), 4, |bytes| number(bytes) % 2 == 1).unwrap();
        assert!(odd.iter().zip((1..).step_by(2)).all(|(found, odd)| *found == odd));
        assert_eq!(odd.len(), numbers.len() / 2);
        read_rows(&mut rows, &bytes[..80].into(), 4, number).unwrap();
        assert_eq!((rows.len(), &rows[numbers.len()..]), (numbers.len() + 20, &numbers[..20]));
    }

    #[test]
    fn order_is_kept() {
        let count = 3 * BLOCK + 17;
        let mut bytes = Vec::new();
        write_rows(&mut bytes, count, |i| [i as u32, 7]).unwrap();
        let rows: &[[u32; 2]] = bytemuck::cast_slice(&bytes);
        assert_eq!(rows.len(), count);
        assert!(rows.iter().zip(0..).all(|(row, i)| *row == [i, 7]));
        let mut text = Vec::new();
        write_text(&mut text, count, |i, text| print_line(text, [i, 1])).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.lines().zip(0..).all(|(line, i)| line == format!("{i} 1")));
        assert_eq!(text.lines().count(), count);
    }
}
