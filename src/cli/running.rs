//! Conversations that run in other processes, and the connections to them.

use crate::catalogue::{SessionStatus, SessionSummary};
use crate::cli::args::{OptionalSession, SessionName};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::runtime::reported;
use crate::cli::session_file;
use crate::live::client::{ClientError, Greeted, Receiver, Sender, greet};
use crate::live::protocol::{Attach, Code, Doing, Hello};
use crate::live::server;
use crate::session::SessionFiles;
use crate::text;
use futures::future::join_all;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// A running conversation that takes clients.
pub struct RunningSession {
    /// File of its session.
    pub path: PathBuf,
    /// Its socket.
    pub socket: PathBuf,
}

impl RunningSession {
    /// Finds the conversation of a session; it need not run. The last one is the last that runs, if any does.
    pub fn find(which: &SessionName, context: &Context) -> Result<RunningSession, Failure> {
        let last = if which.last { running(context)?.into_iter().next() } else { None };
        let path = match last {
            Some(last) => last.path,
            None => session_file::find(which, context)?,
        };
        RunningSession::at(path, context)
    }

    /// Returns the conversation of a session file; it need not run.
    pub fn at(path: PathBuf, context: &Context) -> Result<RunningSession, Failure> {
        let socket = server::socket(&context.paths.sockets, &path).map_err(|e| {
            Failure::new(Exit::Session, format!("cannot open {}: {e}", path.display()))
        })?;
        Ok(RunningSession { path, socket })
    }

    /// Finds the conversation that a command names, or else the only one that is running.
    pub fn chosen(
        which: &OptionalSession,
        command: &str,
        context: &Context,
    ) -> Result<RunningSession, Failure> {
        if which.is_unnamed() {
            return RunningSession::only(command, context);
        }
        RunningSession::find(&which.name(), context)
    }

    /// Finds the only running conversation that takes clients, for a command without a name.
    fn only(command: &str, context: &Context) -> Result<RunningSession, Failure> {
        let running = running(context)?;
        match &running[..] {
            [] => Err(Failure::usage(
                "no conversation is running that takes clients",
                "start one: colloquium run SCENARIO --detach",
            )),
            [one] => RunningSession::at(one.path.clone(), context),
            several => {
                let named =
                    several.iter().map(|s| format!("\n  {}  {}", s.id, text::label(&s.title)));
                let message =
                    format!("several conversations are running:{}", named.collect::<String>());
                let hint = format!("name one: colloquium {command} SESSION");
                Err(Failure::usage(message, hint))
            }
        }
    }

    /// Connects to the conversation.
    pub async fn greet(&self, context: &Context) -> Result<Greeted, Failure> {
        let greeted = self.await_process(context, greet(&self.socket)).await;
        greeted.map_err(|fault| self.failure(&fault, context))
    }

    /// Connects to the conversation as a client that gives commands; returns both ends of the connection.
    pub async fn enter(
        &self,
        greeted: Greeted,
        name: &str,
        context: &Context,
    ) -> Result<(Receiver, Sender), Failure> {
        let attach = Attach { from: None, name: Some(name.to_owned()), watch: false };
        let attached = self.await_process(context, greeted.attach(attach)).await;
        let (_, receiver, sender) = attached.map_err(|fault| self.failure(&fault, context))?;
        Ok((receiver, sender))
    }

    /// Awaits a response of the conversation's process; a wait is reported.
    pub async fn await_process<T>(&self, context: &Context, work: impl Future<Output = T>) -> T {
        let name = context.name_of(&SessionFiles::at(&self.path));
        reported(&format!("the process of {name}"), context, work).await
    }

    /// Returns the failure of a connection.
    pub fn failure(&self, fault: &ClientError, context: &Context) -> Failure {
        let name = context.name_of(&SessionFiles::at(&self.path));
        let refused_name = matches!(fault, ClientError::Refused(error) if error.code == Code::Name);
        let code = if refused_name { Exit::Usage } else { Exit::Session };
        let failure = Failure::new(code, format!("cannot attach to {name}: {fault}"));
        match fault {
            ClientError::NotRunning => {
                failure.hint(format!("resume it: {}", context.command(&["resume", &name])))
            }
            ClientError::Version(_) => failure.hint("use the program that runs the conversation"),
            ClientError::Refused(_) if refused_name => {
                failure.hint("--as WORD chooses another name")
            }
            ClientError::Io(_) | ClientError::Silent | ClientError::Closed => {
                failure.hint(format!("follow its file: {}", context.command(&["watch", &name])))
            }
            ClientError::Refused(_) | ClientError::TooLong => failure,
        }
    }
}

/// Returns the running conversations that take clients, the last one first.
pub fn running(context: &Context) -> Result<Vec<SessionSummary>, Failure> {
    let mut all = session_file::list(context)?;
    all.retain(|s| matches!(s.standing, SessionStatus::Running(_)) && has_socket(&s.path, context));
    Ok(all)
}

/// Time for all conversations of a list to introduce themselves; a stopped process never does.
const LIST_WITHIN: Duration = Duration::from_secs(1);

/// Returns whether there is a socket for a session file.
pub fn has_socket(path: &Path, context: &Context) -> bool {
    server::socket(&context.paths.sockets, path).is_ok_and(|socket| socket.exists())
}

/// Adds the current activity of running conversations to a list, and lists them first.
pub async fn describe(sessions: &mut [SessionSummary], context: &Context) {
    let ask = async |session: &mut SessionSummary| {
        let SessionStatus::Running(holder) = session.standing else { return };
        let Ok(socket) = server::socket(&context.paths.sockets, &session.path) else { return };
        match (timeout(LIST_WITHIN, greet(&socket)).await, holder) {
            (Ok(Ok(Greeted { hello, .. })), _) => {
                session.standing = SessionStatus::Live { pid: hello.pid, doing: doing(&hello) };
            }
            // its process is stopped, or too busy
            (Err(_), Some(pid)) => {
                session.standing = SessionStatus::Live { pid, doing: "not answering".into() };
            }
            (Ok(Err(_)) | Err(_), _) => {}
        }
    };
    join_all(sessions.iter_mut().map(ask)).await;
    sessions.sort_by_key(|session| {
        !matches!(session.standing, SessionStatus::Running(_) | SessionStatus::Live { .. })
    });
}

/// Describes the activity of a conversation: its speakers and the number of clients.
pub fn doing(hello: &Hello) -> String {
    let state = match hello.state {
        Doing::Running if hello.speaking.is_empty() => "running".to_owned(),
        Doing::Running => format!("{} speaks", hello.speaking.join(", ")),
        Doing::Paused => "paused".into(),
        Doing::Waiting => "waits for you".into(),
        Doing::Ended => "ending".into(),
    };
    match hello.attached {
        0 => state,
        n => format!("{state}, {n} attached"),
    }
}
