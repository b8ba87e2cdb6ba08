//! The only code that starts processes: a command in, limited output and one exit status out, and no process left
//! behind.
//!
//! A child gets its own session (so neither our terminal nor our signals reach it), an environment with only
//! allow-listed variables, its own folder, and its whole input followed by end of input. It ends with the leader's exit
//! plus a short drain, never with the end of the pipe, because a grandchild may hold that for ever. Dropping the
//! [`Child`] ends everything it started, including hidden processes.
//!
//! If this program itself is killed (`kill -9`, out of memory), a watchdog ends its children; only a child that removed
//! the marker from its environment and left the group of its leader keeps running.
//!
//! Protocols, call timeouts and retries are up to the caller.

mod background;
mod descent;
mod foreground;
mod memory;
mod opener;
mod tree;
mod watchdog;

pub use background::{Copied, start_copy};
pub use background::{input_file, leave_terminal, redirect_outputs};
pub use descent::{is_descendant, is_started_here, mark_descendants};
pub use foreground::foreground;
pub use memory::hide_memory;
pub use opener::{open_with_system, start_aside};
pub use tree::{MARKER, reap_all};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::{future::pending, io, time::Duration};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{Sleep, sleep, timeout};
use tree::Tree;

/// Maximum bytes of standard output; then the child is stopped.
pub const STDOUT_MAX: usize = 8 << 20;
/// Maximum bytes of standard output in one exchange of a dialogue.
pub const EXCHANGE_MAX: usize = 64 << 20;
/// Maximum bytes queued for a child that does not read.
const UNREAD_MAX: usize = 16 << 20;
/// Bytes kept of the end of standard error.
pub const STDERR_KEPT: usize = 8 << 10;
/// Bytes per read of a pipe.
const READ_AT_ONCE: usize = 64 << 10;
/// Time for reading the pipes after the leader's exit if another process holds them.
const DRAIN: Duration = Duration::from_millis(200);
/// Time for a child to end after it was asked to, or after its last output.
const GRACE: Duration = Duration::from_millis(500);

/// The variables that a child inherits.
const ALLOWED: [&str; 8] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR"];
const ALLOWED_PREFIX: &str = "LC_";

/// Environment of a child: only allow-listed variables.
#[derive(Clone, Debug, Default)]
pub struct ChildEnvironment(Vec<(OsString, OsString)>);

impl ChildEnvironment {
    /// Returns the allowed variables: paths, language, time zone and user; never a key.
    pub fn allowed(variables: impl IntoIterator<Item = (OsString, OsString)>) -> ChildEnvironment {
        let may_pass = |name: &OsStr| {
            name.to_str().is_some_and(|n| ALLOWED.contains(&n) || n.starts_with(ALLOWED_PREFIX))
        };
        ChildEnvironment(variables.into_iter().filter(|(name, _)| may_pass(name)).collect())
    }

    /// Returns the value of a variable; the last one of a name counts.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.iter().rfind(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Returns the environment with further variables that the operator named.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = (OsString, OsString)>) -> ChildEnvironment {
        ChildEnvironment(self.0.iter().cloned().chain(more).collect())
    }
}

/// A command with its input and environment.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program and its arguments. A program with a `/` is relative to `folder`, any other is found in `PATH`.
    pub command: Vec<String>,
    /// The working directory; it must exist.
    pub folder: PathBuf,
    /// All variables of the child; it inherits no others.
    pub environment: ChildEnvironment,
    /// All of standard input.
    pub input: Vec<u8>,
}

/// The next output of a running child.
#[derive(Debug)]
pub enum Output {
    /// Bytes from standard output.
    Bytes(Vec<u8>),
    /// The end; no output follows.
    Ended(ChildExit),
}

#[derive(Clone, Debug)]
pub struct ChildExit {
    /// The exit status of the leader.
    pub status: ExitStatus,
    /// The end of standard error, untrusted.
    pub stderr: String,
}

/// Error of starting or following a child; the caller names the program.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The command has no program.
    #[error("the command is empty")]
    NoCommand,
    /// The working directory is missing.
    #[error("cannot be started: no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    /// The system could not start it.
    #[error("cannot be started: {0}")]
    Refused(io::Error),
    /// It wrote more than this many bytes.
    #[error("wrote more than {} MiB", .0 >> 20)]
    TooLarge(usize),
    /// It does not read its input.
    #[error("does not read what it is told")]
    Deaf,
    /// Its exit status could not be read.
    #[error("was lost: {0}")]
    Lost(io::Error),
}

/// A running child; dropping it ends it and everything it started.
pub struct Child {
    // first, so that all are dead before the runtime forgets the leader
    tree: Tree,
    leader: Box<dyn ChildWrapper>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    input: Vec<u8>,
    fed: usize,
    written: usize,
    /// True for a dialogue: the input stays open, and the output limit starts over with each exchange.
    open: bool,
    last_words: VecDeque<u8>,
    exit: Option<ExitStatus>,
    drained: Option<Pin<Box<Sleep>>>,
}

/// Starts a child. Needs a runtime with time and I/O.
///
/// # Errors
/// [`SpawnError`] if the command is empty, the folder is missing, or the system refuses.
pub fn start(job: Job) -> Result<Child, SpawnError> {
    let (program, arguments) = job.command.split_first().ok_or(SpawnError::NoCommand)?;
    if !job.folder.is_dir() {
        return Err(SpawnError::NoFolder(job.folder));
    }
    // explicit, because the lookup of a relative program differs between systems
    let path = match Path::new(program).components().count() {
        0 | 1 => PathBuf::from(program),
        _ => job.folder.join(program),
    };
    let command = CommandWrap::with_new(path, |command| {
        command.args(arguments).current_dir(&job.folder).env_clear().envs(job.environment.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    });
    let (mut leader, tree) = Tree::start(command).map_err(SpawnError::Refused)?;
    Ok(Child {
        tree,
        stdin: leader.stdin().take(),
        stdout: leader.stdout().take(),
        stderr: leader.stderr().take(),
        leader,
        input: job.input,
        fed: 0,
        written: 0,
        open: false,
        last_words: VecDeque::new(),
        exit: None,
        drained: None,
    })
}

/// Starts a child for a dialogue: further input is sent by [`Child::send`].
pub fn start_talk(job: Job) -> Result<Child, SpawnError> {
    start(job).map(|child| Child { open: true, ..child })
}

impl Child {
    /// Sends more input to the child.
    ///
    /// # Errors
    /// [`SpawnError::Deaf`] if too much input is queued already.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), SpawnError> {
        self.input.drain(..self.fed);
        self.fed = 0;
        if self.input.len() + bytes.len() > UNREAD_MAX {
            return Err(SpawnError::Deaf);
        }
        self.input.extend_from_slice(bytes);
        Ok(())
    }

    /// Starts another exchange: earlier output no longer counts.
    pub fn renew(&mut self) {
        self.written = 0;
    }

    /// Returns the next output of the child; after its end, the end again. Cancel safe.
    ///
    /// # Errors
    /// [`SpawnError::TooLarge`] if it has written too much, [`SpawnError::Lost`] if its exit status cannot be read.
    pub async fn next(&mut self) -> Result<Output, SpawnError> {
        let mut from_stdout = vec![0; READ_AT_ONCE];
        let mut from_stderr = [0; STDERR_KEPT];
        loop {
            if let Some(status) = self.exit
                && self.stdout.is_none()
                && self.stderr.is_none()
            {
                return Ok(Output::Ended(self.exit(status)));
            }
            tokio::select! {
                fed = feed(&mut self.stdin, &self.input[self.fed..]),
                    if !self.open || self.fed < self.input.len() => match fed {
                    // unread input is not an error: many scripts never read theirs
                    Ok(0) | Err(_) => self.stdin = None,
                    Ok(n) => self.fed += n,
                },
                read = read(&mut self.stdout, &mut from_stdout) => match read {
                    Ok(0) | Err(_) => self.stdout = None,
                    Ok(n) => {
                        self.written += n;
                        let most = if self.open { EXCHANGE_MAX } else { STDOUT_MAX };
                        if self.written > most {
                            return Err(SpawnError::TooLarge(most));
                        }
                        from_stdout.truncate(n);
                        return Ok(Output::Bytes(from_stdout));
                    }
                },
                read = read(&mut self.stderr, &mut from_stderr) => match read {
                    Ok(0) | Err(_) => self.stderr = None,
                    Ok(n) => {
                        self.last_words.extend(&from_stderr[..n]);
                        let beyond = self.last_words.len().saturating_sub(STDERR_KEPT);
                        self.last_words.drain(..beyond);
                    }
                },
                status = self.leader.wait(), if self.exit.is_none() => {
                    self.exit = Some(status.map_err(SpawnError::Lost)?);
                    self.drained = Some(Box::pin(sleep(DRAIN)));
                    self.stdin = None;
                }
                () = elapsed(&mut self.drained) => {
                    self.stdout = None;
                    self.stderr = None;
                }
            }
        }
    }

    /// Waits half a second for the child to end by itself, without reading its output; `None` if it did not.
    pub async fn finish(&mut self) -> Option<ChildExit> {
        if self.exit.is_none() {
            self.stdin = None;
            self.exit = timeout(GRACE, self.leader.wait()).await.ok()?.ok();
        }
        self.exit.map(|status| self.exit(status))
    }

    /// Asks the child to end and waits half a second; dropping it afterwards kills it.
    pub async fn stop(&mut self) {
        self.tree.terminate();
        self.finish().await;
    }

    fn exit(&self, status: ExitStatus) -> ChildExit {
        let (front, back) = self.last_words.as_slices();
        let stderr = String::from_utf8_lossy(&[front, back].concat()).into_owned();
        ChildExit { status, stderr }
    }
}

async fn feed(stdin: &mut Option<ChildStdin>, rest: &[u8]) -> io::Result<usize> {
    match stdin {
        Some(pipe) if !rest.is_empty() => pipe.write(rest).await,
        Some(_) => Ok(0),
        None => pending().await,
    }
}

async fn read(pipe: &mut Option<impl AsyncRead + Unpin>, into: &mut [u8]) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read(into).await,
        None => pending().await,
    }
}

async fn elapsed(timer: &mut Option<Pin<Box<Sleep>>>) {
    match timer {
        Some(timer) => timer.await,
        None => pending().await,
    }
}
