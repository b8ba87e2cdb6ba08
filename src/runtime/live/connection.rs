//! One connection: the lines of the session go out, commands come in.

use super::protocol::{
    Attach, Attached, Bye, CLIENT_LINE_MAX, ClientMessage, Code, ErrorMessage, May, SentPiece,
    ServerMessage, line,
};
use super::relay::Relay;
use crate::engine::{Input, Owner};
use crate::model::{Command, Key, Kind, Seq};
use crate::net::{LineFault, LineReader, LineWriter, LocalStream};
use crate::session::{Follower, Item, Record, SessionError};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Time limit for `attach`.
const ATTACH_WITHIN: Duration = Duration::from_secs(10);
/// Time limit for a client to read a batch of lines.
const READ_WITHIN: Duration = Duration::from_secs(20);
/// Time limit for the last line to a client.
const LAST_WITHIN: Duration = Duration::from_millis(200);
/// Maximum commands of a client that are in no event yet.
const COMMANDS_WAITING: usize = 64;
/// Bytes of lines that are sent at once.
const BATCH_BYTES: usize = 64 * 1024;

/// Reason for closing a connection.
enum Closing {
    /// The client is gone.
    Gone,
    /// The client is at fault or refused.
    Error(ErrorMessage),
    /// A farewell.
    Bye(Bye),
}

/// Keys of commands that are in no event yet.
#[derive(Default)]
struct Waiting(Mutex<BTreeSet<Key>>);

impl Waiting {
    /// Adds a key; false if too many wait.
    fn add(&self, key: Key) -> bool {
        let mut keys = self.0.lock();
        keys.len() < COMMANDS_WAITING && keys.insert(key)
    }

    /// Removes the command of an event.
    fn remove(&self, kind: &Kind) {
        let key = match kind {
            Kind::CommandGiven(given) => &given.key,
            Kind::CommandRefused(refused) => &refused.key,
            Kind::Receipt(receipt) => &receipt.of,
            _ => return,
        };
        // a breakpoint acts under its key with a number
        let first = key.split('/').next().unwrap_or_default();
        self.0.lock().remove(first);
    }
}

/// Refuses a connection with a reason.
pub(super) async fn refuse(stream: LocalStream, code: Code, text: &str) {
    let (_, mut writer) = stream.into_lines(CLIENT_LINE_MAX);
    send_last(&mut writer, ServerMessage::Error(error(code, text))).await;
}

/// Serves a client until it or the conversation is gone.
pub(super) async fn serve(stream: LocalStream, relay: Arc<Relay>) {
    let (lines, mut writer) = stream.into_lines(CLIENT_LINE_MAX);
    match attend(lines, &mut writer, &relay).await {
        Closing::Gone => {}
        Closing::Error(fault) => send_last(&mut writer, ServerMessage::Error(fault)).await,
        Closing::Bye(bye) => send_last(&mut writer, ServerMessage::Bye(bye)).await,
    }
}

async fn send_last(writer: &mut LineWriter, message: ServerMessage) {
    // the client may be gone, or not read
    let _ = timeout(LAST_WITHIN, writer.send(&line(&message))).await;
}

fn error(code: Code, text: impl Into<String>) -> ErrorMessage {
    ErrorMessage { code, text: text.into() }
}

async fn attend(mut lines: LineReader, writer: &mut LineWriter, relay: &Arc<Relay>) -> Closing {
    if let Err(closing) = send(writer, &line(&ServerMessage::Hello(relay.hello()))).await {
        return closing;
    }
    let attach = match timeout(ATTACH_WITHIN, lines.next()).await {
        Err(_) => return Closing::Error(error(Code::Late, "no `attach` within 10 s")),
        Ok(None) => return Closing::Gone,
        Ok(Some(Err(fault))) => return closing(fault),
        Ok(Some(Ok(first))) => match serde_json::from_str(&first) {
            Ok(ClientMessage::Attach(attach)) => attach,
            Ok(ClientMessage::Stop {}) | Err(_) => {
                let text = "the first line must be {\"attach\":{\"from\":SEQ,\"name\":NAME}}";
                return Closing::Error(error(Code::Line, text));
            }
        },
    };
    let Attach { from, name, watch } = attach;
    let may = if watch { May::Watch } else { May::Steer };
    let client = match relay.add(name.as_deref(), may) {
        Ok(client) => client,
        Err(fault) => return Closing::Error(error(Code::Name, fault.to_string())),
    };
    let keys = Key::client_prefix(&client.name, client.number);
    let attached = Attached { name: client.name.clone(), keys: keys.clone() };
    if let Err(closing) = send(writer, &line(&ServerMessage::Attached(attached))).await {
        return closing;
    }
    let waiting = Waiting::default();
    tokio::select! { biased;
        closing = obey(&mut lines, relay, &keys, may, &waiting) => closing,
        closing = report(writer, relay, from, &waiting) => closing,
    }
}

fn closing(fault: LineFault) -> Closing {
    match fault {
        LineFault::TooLong(_) => Closing::Error(error(Code::TooLong, fault.to_string())),
        LineFault::Broken(_) => Closing::Gone,
    }
}

/// Passes the client's commands on to the engine.
async fn obey(
    lines: &mut LineReader,
    relay: &Relay,
    keys: &str,
    may: May,
    waiting: &Waiting,
) -> Closing {
    let mut sent = 0_u64;
    loop {
        let raw = match lines.next().await {
            None => return Closing::Gone,
            Some(Err(fault)) => return closing(fault),
            Some(Ok(raw)) => raw,
        };
        let raw = raw.trim();
        if raw.is_empty() {
            continue;
        }
        if !raw.starts_with('{') {
            let text = "a line is a JSON object like {\"do\":\"pause\"}";
            return Closing::Error(error(Code::Line, text));
        }
        if may == May::Watch {
            let text = "this client attached to watch and gives no commands";
            return Closing::Error(error(Code::WatchOnly, text));
        }
        let input = match serde_json::from_str(raw) {
            Ok(ClientMessage::Stop {}) if relay.owner == Owner::Program => {
                let text = "a batch or a server runs it: stop that program, or end it with {\"do\":\"end\"}";
                return Closing::Error(error(Code::Owned, text));
            }
            Ok(ClientMessage::Stop {}) => Input::Signal,
            Ok(ClientMessage::Attach(_)) => {
                return Closing::Error(error(Code::Line, "already attached"));
            }
            Err(_) => {
                sent += 1;
                let key = Key::from(format!("{keys}{sent}"));
                if !waiting.add(key.clone()) {
                    let text = format!("more than {COMMANDS_WAITING} commands wait");
                    return Closing::Error(error(Code::TooMany, text));
                }
                match Input::from_line(key, raw) {
                    Input::Command { key, line } => match refusal(relay.owner, &line.command) {
                        Some(why) => {
                            let line = Value::Object(line.to_map());
                            Input::BadLine { key, line, why: why.into() }
                        }
                        None => Input::Command { key, line },
                    },
                    input => input,
                }
            }
        };
        if relay.inputs.send(input).await.is_err() {
            // the conversation is over; the reporting side says so
            pending::<()>().await;
        }
    }
}

/// Returns the reason why no client may give a command: it changes the costs or the participants of another program's
/// conversation, or it adds a program.
fn refusal(owner: Owner, command: &Command) -> Option<&'static str> {
    let is_owners =
        matches!(command, Command::Limit { .. } | Command::Join { .. } | Command::Change { .. });
    if owner == Owner::Program && is_owners {
        return Some(
            "a batch or a server runs this conversation, and keeps its limits, participants and \
             models",
        );
    }
    command.adds_program().then_some(
        "a script, an agent or a service can be added only at the screen that runs the conversation",
    )
}

/// Sends the lines of the session from a `seq` on until the conversation is over.
async fn report(
    writer: &mut LineWriter,
    relay: &Relay,
    from: Option<Seq>,
    waiting: &Waiting,
) -> Closing {
    // before the file is read, so that no event is missed in between
    let mut tail = relay.feed.tail();
    let next = relay.next_seq();
    let sent = past(writer, relay, from.unwrap_or(next), next).await;
    if let Err(closing) = sent {
        return closing;
    }
    let next = from.unwrap_or(next).max(next);
    loop {
        let mut batch = String::new();
        while batch.len() < BATCH_BYTES
            && let Some(item) = tail.try_next()
        {
            add(&mut batch, &item, next, waiting);
        }
        if batch.is_empty() {
            match tail.next().await {
                Some(item) => add(&mut batch, &item, next, waiting),
                None => return Closing::Bye(relay.bye()),
            }
        }
        if let Err(closing) = send(writer, &batch).await {
            return closing;
        }
    }
}

async fn send(writer: &mut LineWriter, lines: &str) -> Result<(), Closing> {
    match timeout(READ_WITHIN, writer.send(lines)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(Closing::Gone),
        Err(_) => Err(Closing::Bye(Bye::Slow)),
    }
}

/// Sends the events `from..next`, which are in the file.
async fn past(writer: &mut LineWriter, relay: &Relay, from: Seq, next: Seq) -> Result<(), Closing> {
    if from >= next {
        return Ok(());
    }
    let path = relay.files.log().to_owned();
    let mut reading = spawn_blocking(move || Follower::open(&path)).await;
    while let Ok(Ok(mut follower)) = reading {
        let read = spawn_blocking(move || {
            let fresh = follower.fresh()?;
            Ok::<_, SessionError>((follower, fresh))
        });
        let Ok(Ok((again, fresh))) = read.await else { break };
        let last = fresh.last().map(|record| record.event.seq);
        let mut batch = String::new();
        for record in fresh.iter().filter(|record| (from..next).contains(&record.event.seq)) {
            push_line(&mut batch, record);
            if batch.len() >= BATCH_BYTES {
                send(writer, &batch).await?;
                batch.clear();
            }
        }
        send(writer, &batch).await?;
        if last.is_none_or(|last| last.next() >= next) {
            return Ok(());
        }
        reading = Ok(Ok(again));
    }
    Err(Closing::Error(error(Code::Line, "the session file cannot be read")))
}

fn add(batch: &mut String, item: &Item, next: Seq, waiting: &Waiting) {
    match item {
        Item::Event(record) if record.event.seq < next => {}
        Item::Event(record) => {
            waiting.remove(&record.event.kind);
            push_line(batch, record);
        }
        Item::Piece(piece) => {
            batch.push_str(&line(&ServerMessage::Piece(SentPiece::from(piece))));
        }
        // only replays jump
        Item::Past(_) => {}
    }
}

fn push_line(batch: &mut String, record: &Record) {
    // the record was written, so it can be spelled
    batch.push_str(&record.whole_line().unwrap_or_default());
}
