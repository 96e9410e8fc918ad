//! Whether a factor fits into the memory of the machine, before it is made.

use crate::solver::SetupError;
use std::fs::read_to_string;

/// Refuses what needs more bytes than there are.
pub(super) fn check(needed: usize, available: Option<usize>) -> Result<(), SetupError> {
    match available {
        Some(available) if needed > available => Err(SetupError::NoMemory { needed, available }),
        _ => Ok(()),
    }
}

/// Bytes that this process may still take: what the system has, within the limit of its group. None where the system does not say.
pub(super) fn available() -> Option<usize> {
    let of_system = read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemAvailable:"));
    let number = |path: &str| read_to_string(path).ok()?.trim().parse::<usize>().ok();
    let of_group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, used)| most.saturating_sub(used));
    of_system.into_iter().chain(of_group).min()
}

/// The value of a line such as `MemAvailable:   1024 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(1024 * line.split_whitespace().next()?.parse::<usize>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_that_is_left_is_read() {
        let text = "MemTotal:       2048 kB\nMemAvailable:     12 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable:"), Some(12288));
        assert_eq!(kibibytes("", "MemAvailable:"), None);
    }

    #[test]
    fn what_is_too_large_is_refused_with_a_remedy() {
        assert!(check(10, Some(10)).is_ok() && check(10, None).is_ok());
        let refused = check(3 << 30, Some(1 << 30)).expect_err("too large").to_string();
        assert!(refused.contains("3.00 GiB") && refused.contains("1.00 GiB"), "{refused}");
        assert!(refused.contains("constant matrix"), "{refused}");
    }
}
