//! A child process as a voice: one call, one process.
//!
//! **In.** One JSON object on standard input, then its end:
//! `participant` (`id`, `name`, `aliases`, `role`), `purpose`, `number`, `attempt`, `prompt` (everything as plain text),
//! and the same in parts: `system`, `brief`, `notes`, `history` (a list of `who`, `name`, `text`, with `cut` or
//! `whisper` where that applies), `task` (what is asked for, where that is not any words at all) and `rejected` (the
//! last reply of this turn that could not be used: `said`, `why`); then `topic`, `context`, `limits` and the other facts
//! of the call: `question` and `options` among them.
//!
//! **Out.** If the first line is a JSON object with one of the keys below, every line is one:
//!
//! | line | meaning |
//! |---|---|
//! | `{"delta": "..."}` | the next words |
//! | `{"think": "..."}` | the next bit of reasoning: for the log and the operator |
//! | `{"text": "...", "structured": {...}, "finish": "...", "usage": {"input": 1, "output": 2}}` | the last line; each key may be left out; `text` takes the place of the deltas |
//! | `{"pass": true}` | the last line: the seat lets its turn go |
//! | `{"error": "..."}` | the last line: the call failed; never becomes speech |
//!
//! Without a last line the deltas are the reply. Any other key is a fault, so that no data is lost silently. If the
//! first line is anything else, all of the output is the reply, as plain text without the white space around it; a
//! reply that is one JSON object is kept as data too. What is not UTF-8 becomes U+FFFD.
//!
//! **The end** is the exit of the process, whatever still holds its pipes; after its last line it has half a second for
//! that. An exit status other than 0 is a failure, reported with the last line of standard error. The limits: a line of
//! 1 MiB, 8 MiB in all, and the time-outs of the seat, in real time, because virtual time stops while a process works.
//! Everything that the process started is ended with it.

mod answer;
mod request;

use super::{CallFailure, CallRequest, Chunk, Out, Pieces, Speaking, Voice};
use crate::model::{ErrorClass, Text, Timeouts};
use crate::spawn::{self, Child, ChildEnvironment, ChildExit, Job, Output, SpawnError};
use crate::text;
use answer::{AnswerFault, ScriptAnswer};
use std::{path::PathBuf, time::Duration};
use tokio::time::timeout;

/// A command that speaks for a seat.
#[derive(Clone, Debug)]
pub struct Script {
    command: Vec<Text>,
    folder: PathBuf,
    environment: ChildEnvironment,
}

impl Script {
    /// Returns the voice of a command, its program and arguments, that runs in `folder`.
    pub fn new(command: Vec<Text>, folder: PathBuf, environment: ChildEnvironment) -> Script {
        Script { command, folder, environment }
    }
}

impl Voice for Script {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let job = Job {
            command: self.command.iter().map(|part| part.to_string()).collect(),
            folder: self.folder.clone(),
            environment: self.environment.clone(),
            input: text::forwarded(&request::request(&ask).to_string()).into_owned().into_bytes(),
        };
        Box::pin(async move {
            let name = job.command.first().cloned().unwrap_or_default();
            let last = run(job, &ask.seat.timeouts, &out).await;
            let last = last.unwrap_or_else(|AnswerFault(class, why)| {
                Chunk::Failed(CallFailure::new(class, format!("script `{name}` {why}")))
            });
            out.send(last).await;
        })
    }
}

/// Runs a script to its end and returns the last chunk; the process is gone or dying by then.
async fn run(job: Job, timeouts: &Timeouts, out: &Out) -> Result<Chunk, AnswerFault> {
    let mut child = spawn::start(job).map_err(fault)?;
    let within = Duration::from_millis(timeouts.total);
    let heard = timeout(within, listen(&mut child, timeouts, out)).await.unwrap_or_else(|_| {
        Err(AnswerFault(
            ErrorClass::Silence,
            format!("did not finish within {} ms", timeouts.total),
        ))
    });
    if let Err(AnswerFault(ErrorClass::Silence, _)) = heard {
        child.stop().await;
    }
    heard
}

/// Hands on the words as they come.
async fn listen(child: &mut Child, timeouts: &Timeouts, out: &Out) -> Result<Chunk, AnswerFault> {
    let mut answer = ScriptAnswer::default();
    let mut patience = timeouts.first;
    let exit = loop {
        let next = timeout(Duration::from_millis(patience), child.next()).await.map_err(|_| {
            AnswerFault(ErrorClass::Silence, format!("wrote nothing for {patience} ms"))
        })?;
        match next.map_err(fault)? {
            Output::Ended(exit) => break Some(exit),
            Output::Bytes(bytes) => {
                patience = timeouts.silence;
                let mut pieces = Pieces::new();
                let taken = answer.push(&bytes, &mut pieces);
                send(pieces, out).await;
                taken?;
            }
        }
        if answer.is_over() {
            // Its status still counts, but a script that stays is complete all the same.
            break child.finish().await;
        }
    };
    let broken = exit.filter(|exit| !exit.status.success());
    let mut pieces = Pieces::new();
    let broken = broken.map(|exit| AnswerFault(ErrorClass::Failed, told(&exit)));
    let last = answer.end(broken, &mut pieces);
    send(pieces, out).await;
    last
}

async fn send(pieces: Pieces, out: &Out) {
    for (channel, text) in pieces {
        out.send(Chunk::Piece(channel, text.into())).await;
    }
}

fn fault(e: SpawnError) -> AnswerFault {
    let class = match e {
        SpawnError::TooLarge(_) => ErrorClass::TooLarge,
        SpawnError::Deaf | SpawnError::Lost(_) => ErrorClass::Failed,
        SpawnError::NoCommand | SpawnError::NoFolder(_) | SpawnError::Refused(_) => {
            ErrorClass::NotFound
        }
    };
    AnswerFault(class, e.to_string())
}

/// Returns the end of a script in words, with its last line of standard error.
fn told(exit: &ChildExit) -> String {
    let last = exit.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last {
        Some(last) => format!("failed ({}): {}", exit.status, answer::reason(last)),
        None => format!("failed ({}) and wrote nothing to standard error", exit.status),
    }
}
