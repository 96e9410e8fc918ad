//! How much a thread has worked, whatever else the machine does.

/// Processor time of the calling thread in seconds; `None` where the system does not say. Unlike the time of a clock it does not
/// grow while other programs have the core.
pub fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_counts_and_sleep_does_not() {
        let Some(start) = thread_seconds() else { return };
        std::thread::sleep(std::time::Duration::from_millis(200));
        let slept = thread_seconds().unwrap() - start;
        let mut sum = 0u64;
        while thread_seconds().unwrap() - start - slept < 0.02 {
            (0..100_000u64).for_each(|k| sum = std::hint::black_box(sum ^ k));
        }
        assert!(slept < 0.1, "{slept}");
    }
}
