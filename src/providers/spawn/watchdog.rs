//! Ends all children if this program is killed by `kill -9` or by a system out of memory.
//!
//! A shell waits at a pipe that only this program holds. A line in it means that all children have ended; its end
//! without a line means that this program died first, and the shell kills every process with the marker of this run.
//! The shell is in our session, so that no sweep takes it for a lost child, and ignores signals of the terminal. Only
//! Linux lists processes as needed; there is no watchdog elsewhere.

use parking_lot::Mutex;
use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;

/// Script of the shell; its first argument is the marker. It looks twice, for processes that are just being started.
const LINES: &str = r#"trap '' HUP INT QUIT TERM TSTP TTIN TTOU
if read -r _; then exit 0; fi
for _ in 1 2; do
  for file in $(grep -ls "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    pid=${pid%/environ}
    kill -s KILL -- "-$pid" "$pid" 2>/dev/null
  done
done"#;

/// Pipe to the watchdog; `None` if it could not be started.
static PIPE: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// Starts the watchdog, once; without one the children still end with every normal exit of this program.
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

/// Ends the watchdog after all children have ended.
pub(super) fn dismiss() {
    if let Some(Some(pipe)) = PIPE.get() {
        // fails if it is gone already
        let _ = pipe.lock().write_all(b"\n");
    }
}
