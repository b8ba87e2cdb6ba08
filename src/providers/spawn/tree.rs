//! The processes of one call: started in their own session, found by a sweep, ended together.
//!
//! A group kill reaches only processes that stayed in the group. So this program adopts orphans (on Linux): a process
//! that detaches itself becomes our child when its parent ends, and the kernel lists our children. A sweep kills those
//! that belong to its call, then the children that become orphans, until there are no more. An orphan belongs to the
//! call whose session, group or environment marker it has; an orphan without any of them belongs to no call and is
//! ended by any sweep. Without such a list, only the group is killed.
//!
//! So no other code may start processes with their own sessions: a sweep would take them for lost orphans.

use super::watchdog;
use parking_lot::{Mutex, MutexGuard};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{self, Pid, Signal, WaitId, WaitIdOptions};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::process::Child;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io, thread, time::Duration};

/// Variable that marks the children of this program.
pub const MARKER: &str = "COLLOQUIUM_CHILD";

/// Maximum number of looks of a sweep, 3 s if no process ends; a process stuck in the kernel stays behind.
const LOOKS: u32 = 3_000;
/// Delay after a look at which no process ended.
const PAUSE: Duration = Duration::from_millis(1);
/// Maximum number of children of one look, the newest: a process that forks on is found before all its dead are buried.
const MOST: usize = 2_000;

/// Running calls: number of the call and pid of its leader.
static LIVE: Mutex<BTreeMap<u64, Pid>> = Mutex::new(BTreeMap::new());

/// Number of started calls; it makes their markers unique.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// Children that outlive this program.
static OUTLIVING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Starts a child that no sweep ends.
pub(super) fn outlive(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    // held until the child is on the list; a sweep in between would take it for a lost orphan
    let _live = live();
    let child = start()?;
    OUTLIVING.lock().push(child.id());
    Ok(child)
}

/// Returns whether a child outlives this program.
fn outlives(pid: Pid) -> bool {
    let all = OUTLIVING.lock();
    all.iter().any(|own| i32::try_from(*own) == Ok(pid.as_raw_nonzero().get()))
}

fn live() -> MutexGuard<'static, BTreeMap<u64, Pid>> {
    LIVE.lock()
}

/// The processes of one call; dropping it ends them all.
pub(super) struct Tree {
    call: u64,
    leader: Pid,
}

impl Tree {
    /// Starts a command as the leader of a new session.
    pub(super) fn start(mut command: CommandWrap) -> io::Result<(Box<dyn ChildWrapper>, Tree)> {
        // failing is harmless: without orphans the group kill still works
        #[cfg(target_os = "linux")]
        let _ = process::set_child_subreaper(Some(process::getpid()));
        // held until the leader is on the list; a sweep in between would take it for a lost orphan
        let mut live = live();
        let call = STARTED.fetch_add(1, Ordering::Relaxed);
        command.command_mut().env(MARKER, marker(call));
        watchdog::begin(&format!("{MARKER}={}", run()));
        // the outer wrapper waits for the whole group; the turn ends with the leader
        let child = command.wrap(ProcessSession).spawn()?.into_inner();
        let leader = child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
            .ok_or_else(|| io::Error::other("the process ended before it had an id"))?;
        live.insert(call, leader);
        Ok((child, Tree { call, leader }))
    }

    /// Asks the leader's group to end.
    pub(super) fn terminate(&self) {
        // an error means that the group is empty
        let _ = process::kill_process_group(self.leader, Signal::TERM);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = process::kill_process_group(self.leader, Signal::KILL);
        let call = self.call;
        let rest = move || {
            sweep(Whose::Call(call));
            live().remove(&call);
        };
        if thread::Builder::new().name("sweep".into()).spawn(rest).is_err() {
            rest();
        }
    }
}

/// Ends every process that this program has started and waits until they are gone, at most 3 s.
///
/// Call it on every exit path: background sweeps do not outlive the program.
pub fn reap_all() {
    for leader in live().values() {
        let _ = process::kill_process_group(*leader, Signal::KILL);
    }
    sweep(Whose::Everybody);
    watchdog::dismiss();
}

/// Scope of a sweep, besides lost orphans.
#[derive(Clone, Copy)]
enum Whose {
    Call(u64),
    Everybody,
}

/// Looks until nothing of this scope is left. The sweep of a call goes on for as long as processes end; before this
/// program ends, the number of looks is limited.
fn sweep(whose: Whose) {
    let mut looks = 0;
    while looks < LOOKS {
        looks += 1;
        match look(whose) {
            Look::Nothing => return,
            // no pause: more processes could be forked meanwhile than are collected
            Look::Ended if matches!(whose, Whose::Call(_)) => looks = 0,
            Look::Ended => {}
            Look::Running => thread::sleep(PAUSE),
        }
    }
}

/// Result of one look of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Nothing,
    /// Killed, but not ended yet.
    Running,
    /// At least one process was collected; its children may not be listed yet.
    Ended,
}

/// Kills and collects matching processes among our children.
fn look(whose: Whose) -> Look {
    // held to the end, so that no child is started in between
    let live = live();
    let here = place("self").map(|place| place.session);
    let mut found = Look::Nothing;
    for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        // newest first: a process that keeps forking is gone in less than a millisecond
        let raw = children.split_ascii_whitespace().rev().filter_map(|pid| pid.parse().ok());
        for pid in raw.filter_map(Pid::from_raw).take(MOST) {
            let place = place(pid.as_raw_nonzero());
            // a process that left our session cannot come back, so those in it were started by others
            if place.map(|place| place.session) == here || outlives(pid) {
                continue;
            }
            let leads = live.values().any(|leader| *leader == pid);
            let dead = place.is_some_and(|place| place.dead);
            // the dead of all calls are collected alike: a script may make them faster than its own sweep runs
            let ours = dead
                || match (owner(pid, place, &live), whose) {
                    (Some(call), Whose::Call(wanted)) => call == wanted,
                    (Some(_) | None, Whose::Call(_) | Whose::Everybody) => true,
                };
            if ours {
                found = found.max(kill(pid, leads, dead));
            }
        }
    }
    found
}

/// Kills a child and collects it if it has ended.
fn kill(pid: Pid, leads: bool, dead: bool) -> Look {
    if !dead {
        let _ = process::kill_process(pid, Signal::KILL);
    }
    // leaders are collected by the runtime
    let keep = if leads { WaitIdOptions::NOWAIT } else { WaitIdOptions::empty() };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | keep;
    match process::waitid(WaitId::Pid(pid), options) {
        Ok(None) => Look::Running,
        _ if leads => Look::Nothing,
        _ => Look::Ended,
    }
}

/// Part of `/proc/PID/stat`. Group and session are 0 if they are outside this container, as our own may be.
///
/// Read from `/proc`, because `rustix` panics on 0.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    dead: bool,
    group: i32,
    session: i32,
}

fn place(pid: impl Display) -> Option<Place> {
    stat_place(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn stat_place(stat: &str) -> Option<Place> {
    // the name of the program is in brackets and may contain anything, brackets too
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let dead = matches!(fields.next()?, "Z" | "X");
    let mut fields = fields.skip(1);
    Some(Place { dead, group: fields.next()?.parse().ok()?, session: fields.next()?.parse().ok()? })
}

/// Returns the call that a child belongs to, by its group, session or marker.
fn owner(pid: Pid, place: Option<Place>, live: &BTreeMap<u64, Pid>) -> Option<u64> {
    let leads =
        |leader: i32| place.is_some_and(|place| leader == place.group || leader == place.session);
    let found = live.iter().rev().find(|(_, leader)| leads(leader.as_raw_nonzero().get()));
    found.map(|(call, _)| *call).or_else(|| {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let mut pairs = environment.split(|byte| *byte == 0);
        let found = pairs.find_map(|pair| pair.strip_prefix(format!("{MARKER}=").as_bytes()))?;
        live.keys().copied().find(|call| marker(*call).as_bytes() == found)
    })
}

fn marker(call: u64) -> String {
    format!("{}.{call}", run())
}

/// Returns the common prefix of the markers of all calls of this program.
fn run() -> String {
    static RUN: OnceLock<u64> = OnceLock::new();
    let run = RUN.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{run:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_and_a_session_outside_the_container_are_nought() {
        let place = |dead, group, session| Some(Place { dead, group, session });
        assert_eq!(stat_place("7 (a) b (c) S 1 0 0 34816 7 4194560 0"), place(false, 0, 0));
        assert_eq!(stat_place("7 (cat) Z 1 12 34 0 -1"), place(true, 12, 34));
        assert_eq!(stat_place("7 (cat"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn own_addresses_match_the_kernel() {
        assert!(
            place("self").is_some(),
            "without them a sweep would take our session for a lost one"
        );
    }
}
