//! Descent of a process: whether a conversation started it, directly or through others.
//!
//! Each process of this program passes two things on that its descendants cannot take off. Its name, which they cannot
//! change, is found among their ancestors, also if they detach themselves, since this program adopts orphans (see
//! `tree`). A hard limit, which is inherited and can only be lowered, stays with them also after they ended the process
//! that adopts them; only an administrator can raise it. Only Linux lists processes as needed.

#[cfg(target_os = "linux")]
use super::background::starter;
use super::tree::MARKER;
use std::fs;
use std::sync::OnceLock;

/// Name of the main thread of this program, at most 15 bytes. The executable of a process whose memory is hidden cannot
/// be read, its name can.
const NAME: &str = "colloquium-main";

/// Longest chain of ancestors that is followed.
const ANCESTORS: usize = 1_000;

/// Row of `/proc/PID/limits` with the limit that marks descendants; Linux has enforced it for no process since 2.4.25.
const LIMIT: &str = "Max file locks";

/// Bits of a process id, by the largest `pid_max` of Linux.
const PID_BITS: u32 = 22;

/// Whether this process had inherited the limit when it began.
static INHERITED: OnceLock<bool> = OnceLock::new();

/// Marks this process and all that it will start. Call it before [`super::hide_memory`], after which the name is
/// read-only.
pub fn mark_descendants() {
    // without a mounted `/proc` every descent is unknown, and every client is rejected
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let _ = fs::write("/proc/self/comm", NAME);
        let inherited = getrlimit(Resource::Locks).maximum;
        INHERITED.get_or_init(|| inherited.is_some_and(|mark| !is_copy(mark)));
        if inherited.is_none()
            && let Some(own) = i32::try_from(std::process::id()).ok().and_then(own_mark)
        {
            let _ = setrlimit(Resource::Locks, Rlimit { current: Some(own), maximum: Some(own) });
        }
    }
}

/// Returns whether the process that set a mark started this one as a copy of itself: it made the socket at standard
/// output, which no other process can.
#[cfg(target_os = "linux")]
fn is_copy(mark: u64) -> bool {
    let own = i32::try_from(std::process::id()).ok();
    starter().is_some_and(|starter| Some(starter) != own && own_mark(starter) == Some(mark))
}

/// Returns whether a conversation started this process, by the limit that [`mark_descendants`] found; a copy that plays
/// on for its starter does not count.
pub fn is_descendant() -> bool {
    INHERITED.get().is_some_and(|inherited| *inherited)
}

/// Returns the limit that a process of this program sets. It grows with the time of the start, so a process cannot lower
/// an inherited limit to its own.
fn own_mark(pid: i32) -> Option<u64> {
    Some(Process::read(pid)?.started << PID_BITS | u64::try_from(pid).ok()?)
}

/// Returns whether a process inherited the limit that marks descendants; a limit that cannot be read counts.
fn is_limited(pid: i32) -> bool {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let Some(row) = limits.lines().find_map(|line| line.strip_prefix(LIMIT)) else { return true };
    let hard = row.split_whitespace().nth(1).unwrap_or_default();
    hard != "unlimited" && hard.parse().ok() != own_mark(pid)
}

/// Returns whether a process was started by this process or by any other of this program. A process that cannot be
/// looked up counts as started.
pub fn is_started_here(pid: i32) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    if is_limited(pid) {
        return true;
    }
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
    /// Time of the start since boot, in clock ticks.
    started: u64,
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
        let field = |number: usize| after.split(' ').nth(number - 3);
        Some(Process {
            name: name.to_owned(),
            parent: field(4)?.parse().ok()?,
            started: field(22)?.parse().ok()?,
        })
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
        let stat = "7 (a) b (c) S 12 0 0 34816 7 4194560 0 0 0 0 0 0 0 0 20 0 1 0 8431 9 1";
        let process = Process::parse(stat).unwrap();
        let read = (process.name.as_str(), process.parent, process.started);
        assert_eq!(read, ("a) b (c", 12, 8_431));
        assert!(NAME.len() <= 15 && Process::parse("7 (cat").is_none());
    }
}
