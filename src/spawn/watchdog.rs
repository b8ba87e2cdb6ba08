//! Ends what this program has started when it is itself killed outright, by `kill -9` or by a system out of memory.
//!
//! A shell waits at a pipe that only this program holds. A line in it means that everything was ended in order; its end
//! without a line means that this program died first, and the shell kills every process with the marker of this run.
//! The shell is in our session, so that no sweep takes it for a lost child, and ignores what the terminal sends to all.
//! Only Linux lists processes in the way it needs; elsewhere there is no watchdog.

use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// What the shell does; its first argument is the marker. It looks twice, for who is just being started.
const LINES: &str = r#"trap '' HUP INT QUIT TERM TSTP TTIN TTOU
if read -r _; then exit 0; fi
for _ in 1 2; do
  for file in $(grep -ls "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    pid=${pid%/environ}
    kill -s KILL -- "-$pid" "$pid" 2>/dev/null
  done
done"#;

/// The pipe by which this program reports its end; none where no watchdog could be started.
static PIPE: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// Starts the watchdog, once; without one the children are ended all the same wherever this program ends in order.
pub(super) fn begin(marker: &str) {
    PIPE.get_or_init(|| {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", LINES, "colloquium-watchdog", marker]);
        shell.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.spawn().ok()?.stdin.take().map(Mutex::new)
    });
}

/// Sends the watchdog away: everything was ended.
pub(super) fn dismiss() {
    if let Some(Some(pipe)) = PIPE.get()
        && let Ok(mut pipe) = pipe.lock()
    {
        // one that is gone already needs no word
        let _ = pipe.write_all(b"\n");
    }
}
