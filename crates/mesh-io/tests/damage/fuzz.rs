//! Damage without end: one reader for a given time.

use super::change::{apply, change};
use super::common::hostile::hostile;
use super::corpus::corpus;
use super::{Check, TURN};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::time::{Duration, Instant};

/// Does nothing unless `FUZZ_SECONDS` says for how long.
#[test]
fn fuzz() {
    let Some(seconds) = std::env::var("FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()) else { return };
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut tally = Tally::default();
    while Instant::now() < end {
        round(&mut tally);
    }
    println!("{} files, {tally:?}", corpus().len());
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    reads: u64,
    accepted: u64,
    /// Memory beyond what is free of charge, in sizes of the file.
    most_memory: f64,
    slowest: Duration,
}

impl Tally {
    fn add(&mut self, bytes: &[u8], name: &str, beside: usize) {
        let start = Instant::now();
        let check = Check { name, beside };
        let (result, memory) = check.run(bytes);
        self.reads += 1;
        self.accepted += u64::from(result.is_ok());
        self.most_memory = self.most_memory.max(memory);
        self.slowest = self.slowest.max(start.elapsed());
    }
}

/// Some cases of each kind. A failure is shrunk and told by proptest.
fn round(tally: &mut Tally) {
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let seen = std::cell::Cell::new(*tally);
    let read = |bytes: &[u8], name: &str, beside: usize| {
        let mut now = seen.get();
        now.add(bytes, name, beside);
        seen.set(now);
    };
    let damage = prop::collection::vec(change(), 1..9);
    TestRunner::new(config.clone())
        .run(&damage, |changes| {
            for sample in corpus() {
                let mut bytes = sample.bytes.clone();
                changes.iter().for_each(|change| apply(&mut bytes, change));
                read(&bytes, sample.name(), sample.beside);
            }
            Ok(())
        })
        .unwrap();
    let noise = (prop::collection::vec(any::<u8>(), 0..600), any::<prop::sample::Index>());
    TestRunner::new(config)
        .run(&noise, |(noise, kept)| {
            for sample in corpus() {
                let kept = kept.index(sample.bytes.len() + 1);
                read(&[&sample.bytes[..kept], &noise].concat(), sample.name(), sample.beside);
            }
            Ok(())
        })
        .unwrap();
    if tally.reads == 0 {
        hostile().iter().for_each(|(name, bytes)| read(bytes, name, 0));
    }
    *tally = seen.get();
}
