//! A child process as a voice: one process per call.
//!
//! **Input.** One JSON object on standard input, then end of file: `participant` (`id`, `name`, `aliases`, `role`),
//! `purpose`, `number`, `attempt`, `prompt` (everything as plain text), and the same in parts: `system`, `brief`,
//! `notes`, `history` (a list of `who`, `name`, `text`, with `cut` or `whisper` if that applies), `task` (the requested
//! form, unless free text is requested) and `rejected` (the last unusable reply of this turn: `said`, `why`); then
//! `topic`, `context`, `limits` and the other facts of the call, such as `question` and `options`.
//!
//! **Output.** If the first line is a JSON object with one of the keys below, every line is one:
//!
//! | line | meaning |
//! |---|---|
//! | `{"delta": "..."}` | the next piece of text |
//! | `{"think": "..."}` | the next piece of reasoning, for the log and the operator |
//! | `{"text": "...", "structured": {...}, "finish": "...", "usage": {"input": 1, "output": 2}}` | the last line; each key may be left out; `text` takes the place of the deltas |
//! | `{"pass": true}` | the last line: the seat passes its turn |
//! | `{"error": "..."}` | the last line: the call failed; never becomes speech |
//!
//! Without a last line the deltas are the reply. Any other key is an error, so that no data is lost silently. If the
//! first line is anything else, the whole output is the reply, as plain text without leading and trailing white space;
//! a reply that is one JSON object is also kept as data. Invalid UTF-8 becomes U+FFFD.
//!
//! **End.** The exit of the process ends the reply, even if other processes still hold its pipes. After its last line
//! the process has half a second to exit. An exit status other than 0 is a failure, reported with the last line of
//! standard error. Limits: 1 MiB per line, 8 MiB in all, and the timeouts of the seat, in real time, because virtual
//! time stops while a process works. All descendants of the process are killed with it.

mod answer;
pub(super) mod request;

pub use answer::schema;

use super::{CallFailure, CallRequest, Chunk, Out, Pieces, Speaking, Voice, spawn_class};
use crate::model::{ErrorClass, Text, Timeouts};
use crate::spawn::{self, Child, ChildEnvironment, ChildExit, Job, Output, SpawnError};
use crate::text;
use answer::{AnswerFault, ScriptAnswer};
use std::{path::PathBuf, time::Duration};
use tokio::time::timeout;

/// Command that speaks for a seat.
#[derive(Clone, Debug)]
pub struct Script {
    command: Vec<Text>,
    folder: PathBuf,
    environment: ChildEnvironment,
}

impl Script {
    /// Creates the voice of a command (program and arguments) that runs in `folder`.
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

/// Runs a script to its end and returns the last chunk. The process has exited or been killed by then.
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

/// Forwards the output as it arrives.
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
            // the exit status still counts, but a script that does not exit is complete all the same
            break child.finish().await;
        }
    };
    let broken = exit.filter(|exit| !exit.status.success());
    let mut pieces = Pieces::new();
    let broken = broken.map(|exit| AnswerFault(ErrorClass::Failed, describe(&exit)));
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
    AnswerFault(spawn_class(&e), e.to_string())
}

/// Describes the exit of a script, with its last line of standard error.
fn describe(exit: &ChildExit) -> String {
    let last = exit.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last {
        Some(last) => format!("failed ({}): {}", exit.status, answer::reason(last)),
        None => format!("failed ({}) and wrote nothing to standard error", exit.status),
    }
}
