//! `steer`: sends steering lines to a running conversation and prints their receipts.

use crate::cli::args::SessionName;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::await_stdin;
use crate::cli::play::signals::Signals;
use crate::cli::running::RunningSession;
use crate::cli::runtime::{block_on, refused, reported};
use crate::cli::{output, session_file};
use crate::live::chosen_name;
use crate::live::client::{FirstReceipt, Received, Receiver, Sender};
use crate::live::protocol::{Bye, Doing};
use crate::model::{Key, Kind, SteerLine};
use crate::session::{Record, SessionFiles};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::pending;
use std::io::{self, BufRead, stdin};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Time without a receipt after which the command says what it waits for.
const TOLD_AFTER: Duration = Duration::from_secs(1);

/// Default name of a sender in the log.
const SCRIPT: &str = "script";

/// Maximum commands without a receipt; the server accepts twice as many.
const OPEN_MAX: usize = 32;

/// Steer a running conversation from a script or another terminal
#[derive(Debug, Args)]
#[command(override_usage = "colloquium steer [OPTIONS] <SESSION|--last> <LINE>")]
pub struct SteerArgs {
    /// Session id, id prefix or path; left out with --last
    #[arg(value_name = "SESSION")]
    first: String,
    /// Command as a JSON line, as in '{"do":"pause"}'; `-` reads lines from standard input
    #[arg(value_name = "LINE", allow_hyphen_values = true)]
    second: Option<String>,
    #[command(flatten)]
    sending: Sending,
}

/// Say something to the participants of a running conversation
#[derive(Debug, Args)]
#[command(override_usage = "colloquium say [OPTIONS] <SESSION|--last> <TEXT>")]
pub struct SayArgs {
    /// Session id, id prefix or path; left out with --last
    #[arg(value_name = "SESSION")]
    first: String,
    /// The message; `@@NAME TEXT` is for one participant alone, `/x` is a command
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    second: Option<String>,
    #[command(flatten)]
    sending: Sending,
}

/// End a running conversation, as Ctrl-C would
#[derive(Debug, Args)]
pub struct StopArgs {
    #[command(flatten)]
    which: SessionName,
}

/// Options of commands that are sent to a running conversation.
#[derive(Debug, Args)]
struct Sending {
    /// Most recent session, of those that run if any does
    #[arg(long)]
    last: bool,
    /// Your name in the log of the conversation
    #[arg(long = "as", value_name = "WORD", default_value = SCRIPT,
        value_parser = |name: &str| chosen_name(name, SCRIPT))]
    name: String,
    /// Return once each command is queued or done
    #[arg(long)]
    no_wait: bool,
    /// Maximum time to wait for receipts, in seconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

impl Sending {
    /// Returns the session of a command and its last word, which has a name in messages.
    fn session_and_line(
        &self,
        first: String,
        second: Option<String>,
        name: &str,
    ) -> Result<(SessionName, String), Failure> {
        match (self.last, second) {
            (true, None) => Ok((SessionName { session: None, last: true }, first)),
            (false, Some(line)) => Ok((SessionName { session: Some(first), last: false }, line)),
            (true, Some(_)) => Err(Failure::usage(
                "--last selects the most recent session",
                format!(
                    "leave out SESSION or --last; a {name} of several words needs quotation marks"
                ),
            )),
            (false, None) => Err(Failure::usage(
                format!("{name} is missing"),
                "name the session first, or use --last",
            )),
        }
    }
}

/// Lines to send.
type Lines = mpsc::Receiver<io::Result<String>>;

impl SteerArgs {
    /// Sends the lines and prints a receipt for each.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let (which, line) = self.sending.session_and_line(self.first, self.second, "LINE")?;
        let running = RunningSession::find(&which, context)?;
        let lines = if line == "-" { typed() } else { one(line) };
        send(&running, lines, &self.sending, true, context)
    }
}

impl SayArgs {
    /// Sends the message.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let (which, text) = self.sending.session_and_line(self.first, self.second, "TEXT")?;
        let running = RunningSession::find(&which, context)?;
        let line = SteerLine::from(session_file::read_typed(&text, &running.path)?);
        let line = Value::Object(line.to_map()).to_string();
        send(&running, one(line), &self.sending, false, context)
    }
}

impl StopArgs {
    /// Ends the conversation and waits for its end.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let running = RunningSession::find(&self.which, context)?;
        let name = context.name_of(&SessionFiles::at(&running.path));
        let resume = context.command(&["resume", &name]);
        let stopped = || {
            context.say(&format!("stopped: {name}; resume: {resume}"));
            Ok(Exit::Done)
        };
        block_on(async {
            let greeted = running.greet(context).await?;
            let (mut receiver, mut sender) = running.enter(greeted, "stop", context).await?;
            sender.stop().await.map_err(|fault| running.failure(&fault, context))?;
            let over = async {
                loop {
                    match receiver.next().await {
                        Received::Event(r) if matches!(r.event.kind, Kind::Ended(_)) => {
                            return stopped();
                        }
                        Received::Event(_) | Received::Piece(_) => {}
                        Received::Error(error) => {
                            return Err(Failure::new(Exit::Failed, error.text));
                        }
                        Received::Bye(Bye::Ended) => return stopped(),
                        Received::Bye(_) | Received::Lost => return Err(gone()),
                    }
                }
            };
            reported(&format!("the end of {name}"), context, over).await
        })
    }
}

fn one(line: String) -> Lines {
    let (tx, lines) = mpsc::channel(1);
    // the channel has room for one line
    let _ = tx.try_send(Ok(line));
    lines
}

/// Reads standard input on its own thread, which is never joined: a read of a terminal cannot be cancelled.
fn typed() -> Lines {
    let (tx, lines) = mpsc::channel(OPEN_MAX);
    std::thread::spawn(move || {
        await_stdin("commands");
        for line in stdin().lock().lines() {
            let skipped = |line: &String| line.trim().is_empty() || line.starts_with('#');
            if !line.as_ref().is_ok_and(skipped) && tx.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn gone() -> Failure {
    Failure::new(Exit::Session, "the conversation's process is gone")
        .hint("`colloquium sessions list` shows its state; resume it, then attach again")
}

fn send(
    running: &RunningSession,
    lines: Lines,
    sending: &Sending,
    prints: bool,
    context: &Context,
) -> Result<Exit, Failure> {
    block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let work = async {
            let greeted = running.greet(context).await?;
            let state = greeted.hello.state;
            let (receiver, sender) = running.enter(greeted, &sending.name, context).await?;
            let no_wait = sending.no_wait;
            let sent = Sent { open: BTreeMap::new(), number: 0, no_wait, prints, failed: None };
            sent.run(state, lines, receiver, sender, context).await
        };
        let limit = async {
            match sending.timeout {
                Some(limit) => sleep(Duration::from_secs(limit)).await,
                None => pending().await,
            }
        };
        tokio::select! { biased;
            code = signals.next() => Ok(code),
            done = work => done,
            () = limit => {
                let message = "no receipt within the time limit; the command may still be carried out";
                Err(Failure::new(Exit::Failed, message))
            }
        }
    })
}

/// Commands that were sent, until all have their receipts.
struct Sent {
    /// Number of the line, by the key of its command.
    open: BTreeMap<Key, u64>,
    number: u64,
    no_wait: bool,
    prints: bool,
    /// The first reason for which a line was not done.
    failed: Option<String>,
}

impl Sent {
    async fn run(
        mut self,
        state: Doing,
        mut lines: Lines,
        mut receiver: Receiver,
        mut sender: Sender,
        context: &Context,
    ) -> Result<Exit, Failure> {
        let mut reads = true;
        let mut told = false;
        // other events do not put off the word
        let mut due = Box::pin(sleep(TOLD_AFTER));
        while reads || !self.open.is_empty() {
            tokio::select! { biased;
                received = receiver.next() => match received {
                    Received::Event(record) => self.take(&record)?,
                    Received::Piece(_) => {}
                    Received::Error(error) => return Err(Failure::new(Exit::Failed, error.text)),
                    Received::Bye(Bye::Ended) => {
                        return Err(Failure::new(Exit::Failed, "the conversation has ended"));
                    }
                    Received::Bye(_) | Received::Lost => return Err(gone()),
                },
                () = &mut due, if !told && !self.open.is_empty() => {
                    told = true;
                    let why = match state {
                        Doing::Paused => "the conversation is paused",
                        Doing::Waiting => "the conversation waits for a person",
                        Doing::Running | Doing::Ended => "no receipt yet",
                    };
                    context.say(&format!(
                        "waits: {why}; ctrl-c stops waiting, --no-wait returns at once"
                    ));
                }
                line = lines.recv(), if reads && self.open.len() < OPEN_MAX => match line {
                    None => reads = false,
                    Some(line) => {
                        let line = line.map_err(|e| {
                            Failure::usage(format!("standard input: {e}"), "send lines of UTF-8")
                        })?;
                        self.number += 1;
                        let sent = sender.steer(line.trim()).await;
                        let key = sent.map_err(|e| Failure::new(Exit::Failed, e.to_string()))?;
                        self.open.insert(key, self.number);
                        due.set(sleep(TOLD_AFTER));
                    }
                },
            }
        }
        match self.failed {
            None => Ok(Exit::Done),
            Some(why) if self.prints => {
                context.say(&why);
                Ok(Exit::Failed)
            }
            Some(why) => Err(Failure::new(Exit::Failed, why)),
        }
    }

    /// Prints the outcome of a command that an event reports.
    fn take(&mut self, record: &Record) -> Result<(), Failure> {
        let Some((key, receipt)) = FirstReceipt::from_event(&record.event) else { return Ok(()) };
        let first = Key::from(key.split('/').next().unwrap_or_default());
        let Some(line) = self.open.get(&first).copied() else { return Ok(()) };
        let FirstReceipt { is, seq, why } = &receipt;
        if self.prints {
            let mut row = json!({"line": line, "seq": seq, "is": is});
            if let Some(why) = why {
                row["why"] = json!(why);
            }
            output::data(format!("{row}\n").as_bytes())?;
        }
        if receipt.is_refusal() {
            let why = why.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let is = is.replace('_', " ");
            self.failed.get_or_insert(format!("line {line} {is}{why}"));
        }
        if *is != "queued" || self.no_wait {
            self.open.remove(&first);
        }
        Ok(())
    }
}
