//! The processes of one call: started in a session of their own, found wherever they hid, ended together.
//!
//! A group kill reaches only those who stayed in the group. So this program adopts orphans (on Linux): whatever a
//! script started stays its descendant, however it detached itself, and is found in `/proc`. To which call an orphan
//! belongs is told by its session, its group, its ancestors or the marker in its environment; one that shook off all
//! of them belongs to nobody and is ended by the next sweep. Where there is no `/proc`, the group kill is all.
//!
//! Nothing else may start processes that lead a session of their own: a sweep would take them for lost orphans.

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{self, Pid, Signal, WaitOptions};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::{fs, io, thread, time::Duration};

/// The variable that tells whose child a process is.
pub const MARKER: &str = "COLLOQUIUM_CHILD";

/// How often a sweep looks again while somebody is left: 3 s in all, and what is stuck in the kernel stays behind.
const PASSES: u32 = 600;
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// The calls whose processes may still run: number of the call to its leader.
static LIVE: Mutex<BTreeMap<u64, i32>> = Mutex::new(BTreeMap::new());

/// How many calls there were: what makes their markers differ.
static STARTED: AtomicU64 = AtomicU64::new(0);

fn live() -> MutexGuard<'static, BTreeMap<u64, i32>> {
    LIVE.lock().unwrap_or_else(|e| e.into_inner())
}

/// The processes of one call; dropping it ends them all.
pub(super) struct Tree {
    call: u64,
    leader: Pid,
}

impl Tree {
    /// Starts a command as the leader of its own session.
    pub(super) fn start(mut command: CommandWrap) -> io::Result<(Box<dyn ChildWrapper>, Tree)> {
        // Failing is harmless: without orphans the group kill still works.
        #[cfg(target_os = "linux")]
        let _ = process::set_child_subreaper(Some(process::getpid()));
        // Held until the leader is on the list; a sweep in between would take it for a lost orphan.
        let mut live = live();
        let call = STARTED.fetch_add(1, Ordering::Relaxed);
        command.command_mut().env(MARKER, marker(call));
        // The outer wrapper waits for the whole group; the turn ends with the leader.
        let child = command.wrap(ProcessSession).spawn()?.into_inner();
        let leader = child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
            .ok_or_else(|| io::Error::other("it ended before it had a number"))?;
        live.insert(call, raw(leader));
        Ok((child, Tree { call, leader }))
    }

    /// Asks the leader's group to end.
    pub(super) fn terminate(&self) {
        // An error says that nobody is left in the group.
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
/// To be called on every way out of the program: sweeps in the background do not outlive it.
pub fn reap_all() {
    for leader in live().values().filter_map(|raw| Pid::from_raw(*raw)) {
        let _ = process::kill_process_group(leader, Signal::KILL);
    }
    sweep(Whose::Everybody);
}

fn raw(pid: Pid) -> i32 {
    Pid::as_raw(Some(pid))
}

fn marker(call: u64) -> String {
    static RUN: OnceLock<u64> = OnceLock::new();
    let run = RUN.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{run:016x}.{call}")
}

/// Whom a sweep ends, besides the lost.
#[derive(Clone, Copy)]
enum Whose {
    Call(u64),
    Everybody,
}

/// To whom a process belongs.
enum Owner {
    /// Not started here.
    Outside,
    /// An ancestor vanished while the table was read; the next look will tell.
    Unsettled,
    /// Started here, but nothing says by which call.
    Lost,
    Call(u64),
}

fn sweep(whose: Whose) {
    for _ in 0..PASSES {
        if !kill_found(whose) {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Kills whom it finds and returns whether another look is needed.
fn kill_found(whose: Whose) -> bool {
    // Held to the end, so that nobody is started while the table is read.
    let live = live();
    let table = Table::read();
    let mut again = false;
    for (&pid, row) in &table.rows {
        match (table.owner(pid, &live), whose) {
            (Owner::Outside, _) => continue,
            (Owner::Call(call), Whose::Call(wanted)) if call != wanted => continue,
            (Owner::Unsettled, _) => again = true,
            (Owner::Lost | Owner::Call(_), _) => {
                again |= !kill(pid, row, table.me, live.values().any(|leader| *leader == pid));
            }
        }
    }
    again
}

/// Kills a process and returns whether it is gone for good.
fn kill(pid: i32, row: &Row, me: i32, leads: bool) -> bool {
    let Some(target) = Pid::from_raw(pid) else { return true };
    let _ = process::kill_process(target, Signal::KILL);
    // Leaders are reaped by the runtime, and what is not our child by its own parent or, once that is gone, by us.
    let reaped = || !matches!(process::waitpid(Some(target), WaitOptions::NOHANG), Ok(None));
    row.ended && (leads || row.parent != me || reaped())
}

/// One process, as `/proc/PID/stat` has it.
#[derive(Debug, PartialEq)]
struct Row {
    ended: bool,
    parent: i32,
    group: i32,
    session: i32,
}

impl Row {
    fn parse(stat: &str) -> Option<Row> {
        // The name in parentheses may itself hold spaces and parentheses.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let ended = matches!(fields.next()?, "Z" | "X");
        let mut number = || fields.next()?.parse().ok();
        Some(Row { ended, parent: number()?, group: number()?, session: number()? })
    }
}

/// All processes at one moment, more or less: the kernel lets them come and go while it is read.
struct Table {
    me: i32,
    session: i32,
    rows: BTreeMap<i32, Row>,
}

impl Table {
    fn read() -> Table {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let rows = entries.filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read(entry.path().join("stat")).ok()?;
            Some((pid, Row::parse(&String::from_utf8_lossy(&stat))?))
        });
        let session = process::getsid(None).map_or(0, raw);
        Table { me: raw(process::getpid()), session, rows: rows.collect() }
    }

    fn owner(&self, pid: i32, live: &BTreeMap<u64, i32>) -> Owner {
        let mut at = pid;
        let mut call = None;
        for _ in 0..=self.rows.len() {
            let Some(row) = self.rows.get(&at) else { return Owner::Unsettled };
            // Nobody who left our session can come back, so whoever is in it was started by others.
            if row.session == self.session || row.parent == 0 {
                return Owner::Outside;
            }
            let by_row = || live.iter().rev().find(|(_, l)| [row.session, row.group].contains(l));
            call = call.or_else(|| by_row().map(|(call, _)| *call));
            if row.parent == self.me {
                let call = call.or_else(|| marked(pid, live)).or_else(|| marked(at, live));
                return call.map_or(Owner::Lost, Owner::Call);
            }
            at = row.parent;
        }
        Owner::Unsettled
    }
}

/// Returns the live call whose marker a process carries.
fn marked(pid: i32, live: &BTreeMap<u64, i32>) -> Option<u64> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let prefix = format!("{MARKER}=");
    let mut pairs = environment.split(|byte| *byte == 0);
    let found = pairs.find_map(|pair| pair.strip_prefix(prefix.as_bytes()))?;
    live.keys().copied().find(|call| marker(*call).as_bytes() == found)
}
