//! From millions of colours to a few hundred: median cut by variance, polished by k-means, with a
//! faint ordered dither that does not move from frame to frame.

use crate::Image;
use glam::Vec3;

/// Bits kept per channel when colours are counted and looked up.
const BITS: u32 = 6;
const CELLS: usize = 1 << (3 * BITS);
/// Rounds of k-means after the cuts.
const POLISH: usize = 3;
/// Cells whose colour has not been asked for yet.
const UNASKED: u16 = u16::MAX;
/// 4 x 4 ordered dither, as offsets in 8-bit steps; about one step of a 6-bit channel wide.
const DITHER: [[i32; 4]; 4] = [[-2, 1, -1, 2], [1, -1, 2, -2], [-1, 2, -2, 1], [2, -2, 1, -1]];

/// A palette and the nearest entry for every colour asked so far.
#[derive(Debug)]
pub(super) struct Quantiser {
    pub palette: Vec<[u8; 3]>,
    nearest: Vec<u16>,
}

/// All pixels of one cell: their mean colour and number.
#[derive(Clone, Copy)]
struct Bin {
    mean: Vec3,
    count: f32,
}

impl Quantiser {
    /// At most `size` colours (1..=256) for the images.
    pub fn new(images: &[Image], size: usize) -> Self {
        let mut bins = histogram(images);
        let boxes = cut(&mut bins, size.clamp(1, 256));
        let mut centers: Vec<Vec3> = boxes.iter().map(|r| mean(&bins[r.clone()])).collect();
        for _ in 0..POLISH {
            polish(&bins, &mut centers);
        }
        let round = |c: &Vec3| c.to_array().map(|x| (x + 0.5).clamp(0.0, 255.0) as u8);
        let palette = centers.iter().map(round).collect();
        Self { palette, nearest: vec![UNASKED; CELLS] }
    }

    /// Index of the palette for the pixel at `(x, y)`.
    pub fn index(&mut self, color: [u8; 3], x: usize, y: usize) -> u8 {
        let shift = DITHER[y % 4][x % 4];
        let dithered = color.map(|c| (i32::from(c) + shift).clamp(0, 255) as u8);
        let cell = cell_of(dithered);
        if self.nearest[cell] == UNASKED {
            let center = center_of(cell);
            let distance = |p: &[u8; 3]| -> i32 {
                (0..3).map(|i| (i32::from(p[i]) - i32::from(center[i])).pow(2) * WEIGHTS[i] as i32).sum()
            };
            let best = (0..self.palette.len()).min_by_key(|&i| distance(&self.palette[i]));
            self.nearest[cell] = best.unwrap_or(0) as u16;
        }
        self.nearest[cell] as u8
    }
}

/// The eye is keenest on green and least on blue.
const WEIGHTS: Vec3 = Vec3::new(2.0, 4.0, 1.0);

fn cell_of(color: [u8; 3]) -> usize {
    color.iter().fold(0, |acc, c| acc << BITS | usize::from(c >> (8 - BITS)))
}

/// The middle of a cell.
fn center_of(cell: usize) -> [u8; 3] {
    let mask = (1 << BITS) - 1;
    let channel = |k: u32| ((cell >> (BITS * k) & mask) << (8 - BITS) | 1 << (7 - BITS)) as u8;
    [channel(2), channel(1), channel(0)]
}

fn histogram(images: &[Image]) -> Vec<Bin> {
    let mut sums = vec![([0u64; 3], 0u64); CELLS];
    for pixel in images.iter().flat_map(|image| image.pixels.chunks_exact(3)) {
        let (sum, count) = &mut sums[cell_of([pixel[0], pixel[1], pixel[2]])];
        for i in 0..3 {
            sum[i] += u64::from(pixel[i]);
        }
        *count += 1;
    }
    let to_bin = |(sum, count): ([u64; 3], u64)| Bin {
        mean: Vec3::from_array(sum.map(|s| s as f32)) / count as f32,
        // The root keeps a large background from taking the colours of small bodies.
        count: (count as f32).sqrt(),
    };
    sums.into_iter().filter(|s| s.1 > 0).map(to_bin).collect()
}

fn mean(bins: &[Bin]) -> Vec3 {
    let total: f32 = bins.iter().map(|b| b.count).sum();
    bins.iter().map(|b| b.count * b.mean).sum::<Vec3>() / total.max(1e-9)
}

/// Axis of the largest weighted spread, and the spread.
fn spread(bins: &[Bin]) -> (usize, f32) {
    let m = mean(bins);
    let squares = |b: &Bin| {
        let d = b.mean - m;
        d * d * b.count * WEIGHTS
    };
    let spreads: Vec3 = bins.iter().map(squares).sum();
    (spreads.max_position(), spreads.max_element())
}

/// Sorts the bins into at most `size` ranges: the widest box is cut at its mean, again and again.
fn cut(bins: &mut [Bin], size: usize) -> Vec<std::ops::Range<usize>> {
    let mut boxes = vec![(0..bins.len(), spread(bins))];
    while boxes.len() < size {
        let widest = (0..boxes.len()).max_by(|&a, &b| boxes[a].1.1.total_cmp(&boxes[b].1.1));
        let Some(widest) = widest.filter(|&w| boxes[w].1.1 > 0.0) else { break };
        let (range, (axis, _)) = boxes[widest].clone();
        let part = &mut bins[range.clone()];
        let middle = mean(part)[axis];
        part.sort_by(|a, b| a.mean[axis].total_cmp(&b.mean[axis]));
        let at = part.iter().position(|b| b.mean[axis] > middle).unwrap_or(0);
        // Rounding can leave one side empty; such a box is as good as it gets.
        if at == 0 {
            boxes[widest].1.1 = 0.0;
            continue;
        }
        let (left, right) = (range.start..range.start + at, range.start + at..range.end);
        boxes[widest] = (left.clone(), spread(&bins[left]));
        boxes.push((right.clone(), spread(&bins[right])));
    }
    boxes.into_iter().map(|b| b.0).collect()
}

/// One round of k-means.
fn polish(bins: &[Bin], centers: &mut [Vec3]) {
    let mut sums = vec![(Vec3::ZERO, 0.0f32); centers.len()];
    for bin in bins {
        let distance = |c: Vec3| {
            let d = c - bin.mean;
            (d * d).dot(WEIGHTS)
        };
        let nearest = (0..centers.len())
            .map(|k| (k, distance(centers[k])))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(0, |k| k.0);
        sums[nearest].0 += bin.count * bin.mean;
        sums[nearest].1 += bin.count;
    }
    for (center, (sum, count)) in centers.iter_mut().zip(sums) {
        if count > 0.0 {
            *center = sum / count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept() {
        let mut image = Image::new(8, 8, [250, 250, 250]);
        image.fill(0, 0, 4, 4, [200, 40, 30]);
        image.fill(4, 4, 4, 4, [20, 60, 190]);
        let mut q = Quantiser::new(std::slice::from_ref(&image), 255);
        assert_eq!(q.palette.len(), 3);
        for (color, x) in [([250u8; 3], 0), ([200, 40, 30], 1), ([20, 60, 190], 2)] {
            let index = q.index(color, x, 0);
            assert_eq!(q.palette[usize::from(index)], color);
        }
    }

    #[test]
    fn a_gradient_is_close_everywhere() {
        let mut image = Image::new(256, 16, [0; 3]);
        for x in 0..256 {
            image.fill(x, 0, 1, 16, [x as u8, 255 - x as u8, 128]);
        }
        let mut q = Quantiser::new(std::slice::from_ref(&image), 64);
        for x in 0..256usize {
            let color = image.pixel(x as u32, 0).unwrap();
            let index = q.index(color, x, 0);
            let found = q.palette[usize::from(index)];
            assert!((0..3).all(|i| color[i].abs_diff(found[i]) <= 8), "{color:?} {found:?}");
        }
    }
}
