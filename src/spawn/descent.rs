//! Descent of a process: whether a conversation started it, directly or through others.
//!
//! This program adopts orphans (see `tree`), so a process that detaches itself is still a descendant. The marker in the
//! environment also shows the processes that another conversation started. Only Linux lists processes as needed.

use super::tree::MARKER;
use std::fs;

/// Longest chain of ancestors that is followed.
const ANCESTORS: usize = 1_000;

/// Returns whether a process was started by this program, or by another conversation of it. A process that cannot be
/// looked up counts as started.
pub fn is_started_here(pid: i32) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let mut pid = pid;
    for _ in 0..ANCESTORS {
        if pid == own || is_marked(pid) {
            return true;
        }
        match parent(pid) {
            None => return true,
            Some(0 | 1) => return false,
            Some(parent) => pid = parent,
        }
    }
    true
}

/// Returns whether the environment of a process has the marker; another user's environment cannot be read.
fn is_marked(pid: i32) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let begins = format!("{MARKER}=");
    environment.split(|byte| *byte == 0).any(|pair| pair.starts_with(begins.as_bytes()))
}

/// Returns the parent of a process; `None` if the process is gone or hidden.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // the name of the program is in brackets and may contain anything, brackets too
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn own_processes_descend_and_the_first_one_does_not() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(is_started_here(own));
        assert!(parent(own).is_some_and(|parent| !is_marked(parent)));
        assert!(is_started_here(i32::MAX), "a process that does not exist");
    }
}
