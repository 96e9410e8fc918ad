//! Many numbers at once, converted by all threads in blocks that stay in the cache.

use super::region::Region;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries converted at a time. Large enough to keep the threads busy, small enough to stay in the cache.
const BLOCK: usize = 1 << 16;

/// Visits the blocks 0, 1, ... `count - 1` on all threads.
///
/// Every format reads and writes many kinds of rows. That the threads see a function behind a pointer, called once per
/// block, costs nothing there and keeps rayon's machinery from being compiled anew for each kind.
fn for_each_block(count: usize, visit: &(dyn Fn(usize) -> io::Result<()> + Sync)) -> io::Result<()> {
    (0..count).into_par_iter().try_for_each(visit)
}

/// The first block in which something is found, or the error met before it.
fn find_in_blocks(
    count: usize,
    find: &(dyn Fn(usize) -> io::Result<Option<usize>> + Sync),
) -> io::Result<Option<usize>> {
    let found = (0..count).into_par_iter().map(find).find_first(|found| !matches!(found, Ok(None)));
    found.unwrap_or(Ok(None))
}

/// What is made of each block, in their order.
fn collect_blocks(
    count: usize,
    make: &(dyn Fn(usize) -> io::Result<Vec<u32>> + Sync),
) -> io::Result<Vec<Vec<u32>>> {
    (0..count).into_par_iter().map(make).collect()
}

/// Blocks of rows, each to be locked by the one thread that fills it.
fn lockable<T>(rows: &mut [T], block: usize) -> Vec<Mutex<&mut [T]>> {
    rows.chunks_mut(block).map(Mutex::new).collect()
}

/// The rows of a block. A thread that panicked ends the whole operation, so that a poisoned lock is never met.
fn lock<'a, 'b, T>(blocks: &'a [Mutex<&'b mut [T]>], block: usize) -> MutexGuard<'a, &'b mut [T]> {
    blocks[block].lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes `make(0)`, `make(1)`, ... as they lie in memory. Bytes must already be in the order of the file.
pub(super) fn write_rows<P: Pod + Send>(
    out: &mut dyn Write,
    count: usize,
    make: impl Fn(usize) -> P + Sync,
) -> io::Result<()> {
    const PART: usize = BLOCK / 8;
    let mut rows: Vec<P> = bytemuck::zeroed_vec(count.min(BLOCK));
    for start in (0..count).step_by(BLOCK) {
        let rows = &mut rows[..BLOCK.min(count - start)];
        let parts = lockable(rows, PART);
        for_each_block(parts.len(), &|part| {
            for (row, i) in lock(&parts, part).iter_mut().zip(start + part * PART..) {
                *row = make(i);
            }
            Ok(())
        })?;
        drop(parts);
        out.write_all(bytemuck::cast_slice(rows))?;
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
    let blocks = lockable(&mut rows[start..], READ_BLOCK);
    for_each_block(blocks.len(), &|block| {
        let mut rows = lock(&blocks, block);
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
    find_in_blocks(count.div_ceil(READ_BLOCK), &|block| {
        let rows = block * READ_BLOCK..count.min((block + 1) * READ_BLOCK);
        let first = rows.start;
        region.with(rows.start * size..rows.end * size, |bytes| {
            bytes
                .chunks_exact(size)
                .enumerate()
                .position(|(row, bytes)| is_bad(first + row, bytes))
                .map(|row| first + row)
        })
    })
}

/// The numbers of the rows of `size` bytes for which `is_member` holds.
pub(super) fn filter_rows(
    region: &Region<'_>,
    size: usize,
    is_member: impl Fn(&[u8]) -> bool + Sync,
) -> io::Result<Vec<u32>> {
    let count = region.len() / size;
    let blocks = collect_blocks(count.div_ceil(READ_BLOCK), &|block| {
        let rows = block * READ_BLOCK..count.min((block + 1) * READ_BLOCK);
        let numbers = rows.start as u32..;
        region.with(rows.start * size..rows.end * size, |bytes| {
            let rows = numbers.zip(bytes.chunks_exact(size));
            rows.filter(|(_, bytes)| is_member(bytes)).map(|(row, _)| row).collect()
        })
    })?;
    Ok(blocks.concat())
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
        let blocks = lockable(&mut texts, 1);
        for_each_block(parts, &|part| {
            let text = &mut lock(&blocks, part)[0];
            text.clear();
            let first = start + part * PART;
            (first..count.min(first + PART)).for_each(|i| print(i, text));
            Ok(())
        })?;
        drop(blocks);
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
