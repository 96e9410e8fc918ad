//! Damage without end: runs of a target for a given time.

use std::time::{Duration, Instant};

/// Numbers that look random and are the same for the same seed: SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers of their own for each seed, also for seeds that follow each other.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed);
        random.0 = random.bits();
        random
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`; 0 if there is none.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % (count.max(1) as u64)) as usize
    }

    /// One of them.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

/// Eight bytes that often break what counts or computes with them.
const NUMBERS: &[[u8; 8]] = &[
    [0; 8],
    [0xff; 8],
    1u64.to_le_bytes(),
    (u32::MAX as u64).to_le_bytes(),
    (i64::MAX as u64).to_le_bytes(),
    (1u64 << 40).to_le_bytes(),
    f64::NAN.to_le_bytes(),
    f64::INFINITY.to_le_bytes(),
    f64::MAX.to_le_bytes(),
    f64::MIN_POSITIVE.to_le_bytes(),
    (-1.0f64).to_le_bytes(),
];

/// Changes some bytes, cuts some out, puts some in, or ends early.
pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(7) {
            _ if bytes.is_empty() => bytes.push(random.bits() as u8),
            0 => bytes[at] = random.bits() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => {
                let end = bytes.len().min(at + 1 + random.below(32));
                bytes.drain(at..end);
            }
            3 => {
                let end = bytes.len().min(at + 1 + random.below(64));
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            // A number, where numbers tend to be.
            4 | 5 => {
                let at = at - at % 4;
                let number = random.pick(NUMBERS);
                bytes[at..].iter_mut().zip(number).for_each(|(byte, new)| *byte = *new);
            }
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => bytes[at] = bytes[random.below(at + 1)],
        }
    }
}

/// What a target went through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Rounds.
    pub rounds: u64,
    /// The longest one.
    pub slowest: Duration,
    /// Seed of that round.
    pub slowest_seed: u64,
    /// Resident memory after a tenth of the time and at the end, MB, where the system tells.
    pub resident_mb: [u64; 2],
}

/// Says which seed it was when a round panics.
struct Seed<'a>(&'a str, u64);

impl Drop for Seed<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: it was the round with FUZZ_SEED={}", self.0, self.1);
        }
    }
}

/// Runs rounds with seed after seed for `FUZZ_SECONDS`, starting with `FUZZ_SEED`. Without `FUZZ_SECONDS` it is `few`
/// rounds, so that the target itself stays alive. A panic names its seed.
pub fn for_a_while(target: &str, few: u64, mut round: impl FnMut(&mut Random)) -> Tally {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seconds = number("FUZZ_SECONDS").map(Duration::from_secs);
    let mut seed = number("FUZZ_SEED").unwrap_or(0);
    let (start, mut tally) = (Instant::now(), Tally::default());
    while seconds.map_or(tally.rounds < few, |seconds| start.elapsed() < seconds) {
        let began = Instant::now();
        let guard = Seed(target, seed);
        round(&mut Random::new(seed));
        drop(guard);
        if began.elapsed() > tally.slowest {
            (tally.slowest, tally.slowest_seed) = (began.elapsed(), seed);
        }
        seed += 1;
        tally.rounds += 1;
        if tally.resident_mb[0] == 0 && seconds.is_some_and(|seconds| start.elapsed() > seconds / 10) {
            tally.resident_mb[0] = resident_mb();
        }
    }
    tally.resident_mb[1] = resident_mb();
    if seconds.is_some() {
        println!("{target}: {tally:?} in {:.0} s", start.elapsed().as_secs_f64());
    }
    tally
}

/// Memory that the process has in use now; 0 where the system does not tell.
fn resident_mb() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    (pages.unwrap_or(0) * 4096) >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_the_same_for_the_same_seed_and_hardly_ever_nothing() {
        let whole: Vec<u8> = (0..=255).collect();
        let damaged = |seed| {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut Random::new(seed));
            bytes
        };
        let changed = (0..200).filter(|&seed| damaged(seed) != whole).count();
        assert!(changed > 180, "{changed}");
        assert_eq!(damaged(7), damaged(7));
        let mut nothing = Vec::new();
        damage(&mut nothing, &mut Random::new(1));
        assert!(!nothing.is_empty());
    }

    #[test]
    fn few_rounds_are_few() {
        if std::env::var("FUZZ_SECONDS").is_err() {
            assert_eq!(for_a_while("nothing", 3, |_| ()).rounds, 3);
        }
    }
}
