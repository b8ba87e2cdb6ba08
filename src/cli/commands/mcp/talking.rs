//! Tools that start conversations, wait for them and steer them.

use super::attended::Attended;
use super::bounds::ClientGate;
use super::cast::{AskPanel, Convene, Start, Wanted};
use super::elsewhere::{self, OtherConversation};
use super::jobs::{ToolCall, read};
use super::open::Interest;
use super::reading::{self, ConversationReport};
use super::values::{ClientText, GivenName, WAIT_MAX};
use crate::cli::commands::run;
use crate::cli::error::Failure;
use crate::cli::saved_id::SavedId;
use crate::export::Seen;
use crate::host::Leave;
use crate::model::{Command, Limit, SeatId, SteerLine, Text};
use crate::session::holder;
use crate::state::State;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use crate::{steer, text};
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Seconds that one call waits by default: clients give up after 60.
const WAIT_SECONDS: u64 = 45;
/// Naps while a call waits for the floor.
const FLOOR_NAPS: u64 = WAIT_SECONDS * 5;
/// Commands that a client may give: none that raises a limit, changes a model or lets something run.
pub const COMMANDS: &str = "say note lift_note whisper pause resume step skip cut_in mute unmute floor vote verdict mark \
    speak end";

/// Starts a conversation, or finds the conversation that has the same key.
fn started(wanted: Wanted, call: &ToolCall<'_>) -> Result<Arc<Attended>, Failure> {
    let mut arguments = call.arguments.clone();
    // in this order: earlier versions kept the digest of it
    if let Some(question) = arguments.remove("question") {
        arguments.insert("topic".into(), question);
    }
    ["key", "deadline_seconds"].iter().for_each(|key| _ = arguments.remove(*key));
    let found = wanted.found(call.context)?;
    let lines = wanted.lines(&found)?;
    let asked = wanted.limits()?;
    let bounds = call.jobs.bounds.clone();
    let models = call.jobs.models.clone();
    let key = wanted.panel.key.clone();
    call.jobs.start(key.as_ref(), &Value::Object(arguments), call.context, |places| {
        let gate = ClientGate { bounds, places, asked, rehearsed: wanted.panel.rehearsed };
        run::start_found(&wanted.options(&models), found, lines, &gate, call.context)
    })
}

#[derive(Serialize, JsonSchema)]
pub struct Started {
    session: String,
    state: &'static str,
    cast: Vec<CastSeat>,
}

#[derive(Serialize, JsonSchema)]
struct CastSeat {
    id: SeatId,
    name: Text,
    /// You speak for it, with `say`.
    caller: bool,
}

pub fn start(asked: Start, call: &ToolCall<'_>) -> Result<Started, Failure> {
    let job = started(asked.wanted, call)?;
    let state = read(&job.id, call.context)?.state;
    let seat = |seat: &crate::state::Seat| CastSeat {
        id: seat.spec.id.clone(),
        name: seat.spec.name.clone(),
        caller: seat.spec.voice.is_human(),
    };
    let cast = state.seats.iter().map(seat).collect();
    Ok(Started { session: job.id.clone(), state: "running", cast })
}

pub fn ask(asked: AskPanel, call: &ToolCall<'_>) -> Result<ConversationReport, Failure> {
    convene(asked.into(), call)
}

pub fn convene(asked: Convene, call: &ToolCall<'_>) -> Result<ConversationReport, Failure> {
    let job = started(asked.wanted, call)?;
    let within = if call.as_task { Duration::ZERO } else { within(asked.deadline_seconds) };
    if job.wait(within, call.tell) == Interest::Cancelled {
        // a client that cancels does not want the conversation any more
        job.leave(Leave::End);
    }
    reading::state(&job.id, call.context)
}

fn within(seconds: Option<u64>) -> Duration {
    Duration::from_secs(seconds.unwrap_or(WAIT_SECONDS))
}

/// Wait for the end of a conversation that this server started, at most `seconds`; returns the result, which is partial
/// if it has not ended. A conversation that was interrupted by a restart continues.
#[derive(Deserialize, JsonSchema)]
pub struct WaitFor {
    session: SavedId,
    /// How long to wait (default 45).
    #[schemars(range(min = 1, max = WAIT_MAX))]
    seconds: Option<u64>,
}

pub fn wait(asked: WaitFor, call: &ToolCall<'_>) -> Result<ConversationReport, Failure> {
    let job = call.jobs.going_on(&asked.session, call.context)?;
    job.wait(within(asked.seconds), call.tell);
    reading::state(&job.id, call.context)
}

/// The conversation that a command is for.
struct Target {
    id: SavedId,
    /// The conversation, if this server runs it.
    own: Option<Arc<Attended>>,
}

impl Target {
    fn new(id: SavedId, call: &ToolCall<'_>) -> Target {
        let own = call.jobs.get(&id).filter(|job| job.runs());
        Target { id, own }
    }

    fn state(&self, call: &ToolCall<'_>) -> Result<State, Failure> {
        Ok(read(self.id.as_str(), call.context)?.state)
    }
}

/// Say something to everyone in any running conversation, as its operator, or as the participant of your own cast that
/// you speak for. `@@NAME TEXT` is for that participant alone.
#[derive(Deserialize, JsonSchema)]
pub struct Say {
    session: SavedId,
    text: ClientText,
    /// Id or name of the participant you speak for, such as p1.
    #[serde(rename = "as")]
    who: Option<GivenName>,
}

#[derive(Serialize, JsonSchema)]
pub struct Taken {
    session: String,
    taken: bool,
    /// Receipt of a conversation that another program runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    is: Option<&'static str>,
}

pub fn say(asked: Say, call: &ToolCall<'_>) -> Result<Taken, Failure> {
    let target = Target::new(asked.session, call);
    let manner = match (asked.who, &target.own) {
        (Some(who), Some(job)) => Manner::Speak(await_floor(job, &who, call)?),
        (Some(who), None) => {
            let (who, id) = (text::line(who.as_str()), &target.id);
            let message = format!("you do not speak for `{who}` in `{id}`");
            return Err(Failure::usage(message, "leave out `as`"));
        }
        (None, _) => Manner::Say,
    };
    let typing = Typing::new(EntryPoint::Mcp, manner);
    match read_line(&Text::from(asked.text), &typing, &target.state(call)?) {
        Ok(Intent::Give(
            command @ (Command::Say { .. }
            | Command::Speak { .. }
            | Command::Pass { .. }
            | Command::Whisper(_)),
        )) => give(&target, command.into(), call),
        Ok(_) => {
            let message = "`text` is a command, and `say` only says something";
            Err(Failure::usage(message, "use `steer`, as in {\"do\": \"pause\"}"))
        }
        Err(why) => Err(Failure::usage(why.to_string(), "as in `@@NAME TEXT` for one participant")),
    }
}

/// Waits until a participant that the caller speaks for has the floor; returns its id.
fn await_floor(job: &Attended, who: &GivenName, call: &ToolCall<'_>) -> Result<SeatId, Failure> {
    let mut naps = FLOOR_NAPS;
    loop {
        let state = read(&job.id, call.context)?.state;
        let mut seats = state.seats.iter().map(|seat| &seat.spec);
        let named = |id: &str, name: &str| id == who.as_str() || name == who.as_str();
        let seat =
            seats.find(|s| s.voice.is_human() && named(&s.id, &s.name)).ok_or_else(|| {
                let message = format!("you do not speak for `{}`", text::line(who.as_str()));
                Failure::usage(message, "`start` returns the ids of the cast; leave out `as`")
            })?;
        let waits = || naps > 0 && (call.tell)(state.utterances) == Interest::Waiting;
        if state.turns.values().any(|turn| turn.seat == seat.id) || !waits() || !job.nap() {
            return Ok(seat.id.clone());
        }
        naps -= 1;
    }
}

/// Give any running conversation a command, such as {"do": "skip"}, {"do": "note", "text": "be brief"} or {"do": "end"}.
#[derive(Deserialize, JsonSchema)]
pub struct Steer {
    session: SavedId,
    #[schemars(schema_with = "command")]
    command: JsonObject,
}

/// The schema of a command. It lacks triggers: a command acts at once.
fn command(_: &mut SchemaGenerator) -> Schema {
    let name = json_schema!({"type": "string", "maxLength": 200});
    let many = |of: &Schema| json_schema!({"type": "array", "maxItems": 20, "items": of});
    json_schema!({"type": "object", "required": ["do"], "properties": {
        "do": {"enum": COMMANDS.split(' ').collect::<Vec<_>>()},
        "text": {"type": "string", "maxLength": 65_536},
        "who": name,
        "to": {"anyOf": [name, many(&name)]},
        "for": {"enum": ["utterance", "round", "standing"]},
        "n": {"type": "integer", "minimum": 1, "maximum": 100, "description": "turns of a step"},
        "note": {"type": "string", "maxLength": 200, "description": "id, key or number of a note"},
        "question": {"type": "string", "maxLength": 65_536},
        "options": many(&name),
        "winner": name,
        "final_round": {"type": "boolean"},
    }})
}

pub fn steer(asked: Steer, call: &ToolCall<'_>) -> Result<Taken, Failure> {
    let target = Target::new(asked.session, call);
    let fix = "as in {\"do\": \"note\", \"text\": \"be brief\"}";
    let verb = asked.command.get("do").and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = SteerLine::from_map(asked.command).map_err(|e| Failure::usage(e.0, fix))?;
    steer::compiles(&line).map_err(|e| Failure::usage(e, fix))?;
    if target.own.is_some() && matches!(&*verb, "resume" | "step") {
        // going on at a limit would double it
        let state = target.state(call)?;
        if state.limit.is_some() && state.limits.get(Limit::Seconds).is_some() {
            return Err(Failure::usage("a limit was reached", "start another conversation"));
        }
    }
    give(&target, line, call)
}

fn give(target: &Target, line: SteerLine, call: &ToolCall<'_>) -> Result<Taken, Failure> {
    let fix = "`status` lists the running conversations; `wait` continues one of this server";
    let Target { id, own } = target;
    let is = match own {
        Some(job) => {
            job.command(line).map_err(|why| Failure::usage(why, fix))?;
            None
        }
        None => {
            let Seen { survey, state, .. } = read(id.as_str(), call.context)?;
            if holder(&survey.files).is_none() {
                let message = format!("no conversation `{id}` is running here or elsewhere");
                return Err(Failure::usage(message, fix));
            }
            Some(elsewhere::give(id, line, &state, call)?)
        }
    };
    Ok(Taken { session: id.to_string(), taken: true, is })
}

/// List the running conversations of this server, those that other programs run (`others`), and the dollars that are left.
#[derive(Deserialize, JsonSchema)]
pub struct StatusOf {}

#[derive(Serialize, JsonSchema)]
pub struct ServerStatus {
    running: Vec<OwnSession>,
    others: Vec<OtherConversation>,
    usd_left: f64,
}

#[derive(Serialize, JsonSchema)]
struct OwnSession {
    session: String,
    title: String,
    turns: u32,
}

pub fn status(_: StatusOf, call: &ToolCall<'_>) -> Result<ServerStatus, Failure> {
    let one = |job: &Arc<Attended>| {
        let state = read(&job.id, call.context).ok()?.state;
        let title = text::line(&state.shown_title()).into_owned();
        Some(OwnSession { session: job.id.clone(), title, turns: state.utterances })
    };
    Ok(ServerStatus {
        running: call.jobs.running().iter().filter_map(one).collect(),
        others: elsewhere::list(call.context)?,
        usd_left: f64::from(call.jobs.bounds.ledger.left()),
    })
}
