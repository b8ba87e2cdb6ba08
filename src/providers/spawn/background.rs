//! A copy of this program in the background: it leaves the terminal and outlives its starter.
//!
//! The starter waits for the first output of the copy, which comes when the copy works on its own; an error comes
//! instead, with an exit code. The copy gets no marker and belongs to no call, so no sweep and no watchdog ends it.

use super::tree;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

/// Maximum bytes of each output that are read.
const OUTPUT_MAX: u64 = 64 * 1024;

/// Outputs of a copy until it left the terminal, or until it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Standard output; empty if the copy failed.
    pub out: String,
    /// Standard error, untrusted.
    pub err: String,
    /// Exit code, if the copy has ended.
    pub code: Option<i32>,
}

/// Starts this program again with other arguments. `input` becomes its standard input, which is empty otherwise; a
/// locked file keeps its lock that way. Its standard output is a socket, which proves who started it.
pub fn start_copy(arguments: &[String], input: Option<File>) -> io::Result<Copied> {
    let (out, told) = UnixStream::pair()?;
    let mut command = Command::new("/proc/self/exe");
    command.args(arguments).stdin(input.map_or_else(Stdio::null, Stdio::from));
    command.stdout(OwnedFd::from(told)).stderr(Stdio::piped());
    let mut child = tree::outlive(|| command.spawn())?;
    // it holds the other end of the socket
    drop(command);
    let errors = child.stderr.take();
    let errors = std::thread::spawn(move || read_all(errors));
    let out = read_all(Some(out));
    let err = errors.join().unwrap_or_default();
    if out.is_empty() {
        let code = child.wait()?.code();
        return Ok(Copied { out, err, code: Some(code.unwrap_or(1)) });
    }
    // this program may go on: the copy must not become a zombie when it ends
    std::thread::spawn(move || child.wait());
    Ok(Copied { out, err, code: None })
}

fn read_all(pipe: Option<impl Read>) -> String {
    let mut bytes = vec![];
    if let Some(pipe) = pipe {
        // what was read before an error is shown
        let _ = pipe.take(OUTPUT_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the process that made the pair of sockets at standard output; `None` for a pipe, a file or a terminal.
#[cfg(target_os = "linux")]
pub(super) fn starter() -> Option<i32> {
    use std::os::fd::AsFd;
    let out = UnixStream::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
    // the other end of a connection to a socket file is the process that listens there
    out.peer_addr().ok().filter(|peer| peer.is_unnamed())?;
    let peer = rustix::net::sockopt::socket_peercred(&out).ok()?;
    Some(peer.pid.as_raw_nonzero().get())
}

/// Leaves the terminal: neither its end nor its signals reach this process.
pub fn leave_terminal() {
    // fails only for the leader of a group, which has left already
    let _ = rustix::process::setsid();
}

/// Sends both outputs to a file, which closes them for the starter.
pub fn redirect_outputs(to: &File) -> io::Result<()> {
    rustix::stdio::dup2_stdout(to)?;
    rustix::stdio::dup2_stderr(to)?;
    Ok(())
}

/// Returns standard input as a file, if it is one.
pub fn input_file() -> Option<File> {
    use std::os::fd::AsFd;
    let input = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    input.metadata().is_ok_and(|found| found.is_file()).then_some(input)
}
