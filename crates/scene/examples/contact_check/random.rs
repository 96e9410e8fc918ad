//! Random numbers that are the same everywhere: SplitMix64.

use pliant::{DMat3, DVec3};
use std::f64::consts::TAU;

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // Mixed once: seeds that follow each other would else give the same numbers, shifted by one.
        Random(Random(seed).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two positive numbers, each power of ten as often as any other.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// A whole number from `low` to `high`.
    pub fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.count(0, of.len() - 1)]
    }

    /// A vector of length 1.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from(std::array::from_fn(|_| self.between(-1.0, 1.0)));
            let length = v.length();
            if length > 0.1 && length < 1.0 {
                return v / length;
            }
        }
    }

    pub fn rotation(&mut self) -> DMat3 {
        DMat3::from_axis_angle(self.direction(), self.between(0.0, TAU))
    }
}
