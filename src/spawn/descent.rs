//! Descent of a process: whether a conversation started it, directly or through others.
//!
//! This program adopts orphans (see `tree`), so a process that detaches itself is still a descendant. Each process of
//! this program has a name that its children cannot change, so the descendants of every conversation are found, also
//! without the marker in their environment. Only Linux lists processes as needed.

use super::tree::MARKER;
use std::fs;

/// Name of the main thread of this program, at most 15 bytes. The executable of a process whose memory is hidden cannot
/// be read, its name can.
const NAME: &str = "colloquium-main";

/// Longest chain of ancestors that is followed.
const ANCESTORS: usize = 1_000;

/// Names the main thread of this program. Call it before [`super::hide_memory`], after which the name is read-only.
pub fn name_main_thread() {
    // without a mounted `/proc` every descent is unknown, and every client is rejected
    #[cfg(target_os = "linux")]
    let _ = fs::write("/proc/self/comm", NAME);
}

/// Returns whether a process was started by this process or by any other of this program. A process that cannot be
/// looked up counts as started.
pub fn is_started_here(pid: i32) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let mut pid = pid;
    for generation in 0..ANCESTORS {
        let Some(process) = Process::read(pid) else { return true };
        // the client itself is this program, too
        if pid == own || is_marked(pid) || (generation > 0 && process.name == NAME) {
            return true;
        }
        if matches!(process.parent, 0 | 1) {
            return false;
        }
        pid = process.parent;
    }
    true
}

/// Returns whether the environment of a process has the marker; another user's environment cannot be read.
fn is_marked(pid: i32) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let begins = format!("{MARKER}=");
    environment.split(|byte| *byte == 0).any(|pair| pair.starts_with(begins.as_bytes()))
}

/// Fields of `/proc/PID/stat`.
struct Process {
    /// Name of the main thread.
    name: String,
    parent: i32,
}

impl Process {
    /// Reads the fields of a process; `None` if it is gone or hidden.
    fn read(pid: i32) -> Option<Process> {
        Process::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(stat: &str) -> Option<Process> {
        // the name is in brackets and may contain anything, brackets too
        let (before, after) = stat.rsplit_once(") ")?;
        let (_, name) = before.split_once(" (")?;
        Some(Process { name: name.to_owned(), parent: after.split(' ').nth(1)?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn own_processes_descend_and_the_first_one_does_not() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(is_started_here(own));
        let parent = Process::read(own).unwrap().parent;
        assert!(!is_marked(parent) && Process::read(parent).unwrap().name != NAME);
        assert!(is_started_here(i32::MAX), "a process that does not exist");
    }

    #[test]
    fn a_name_with_brackets_hides_no_parent() {
        let process = Process::parse("7 (a) b (c) S 12 0 0 34816 7 4194560 0").unwrap();
        assert_eq!((process.name.as_str(), process.parent), ("a) b (c", 12));
        assert!(NAME.len() <= 15 && Process::parse("7 (cat").is_none());
    }
}
