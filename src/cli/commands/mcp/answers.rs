//! Results of the tools.

use super::bounds::ClientGate;
use super::call::{COMMANDS, ToolCall, WAIT_MAX, WAIT_SECONDS};
use super::cast::{PANELS, Wanted};
use super::convened::{Convened, Interest};
use super::guest;
use super::report;
use super::values::GivenName;
use crate::analysis::{self, Analysis};
use crate::cli::commands::run;
use crate::cli::error::Failure;
use crate::cli::saved_id::SavedId;
use crate::cli::session_file::fold;
use crate::cli::source;
use crate::export::figures;
use crate::model::{Command, Limit, SeatId, Seq, SteerLine, Text};
use crate::scenario::{self, about, bundled, bundled_names, protocol_names};
use crate::session::holder;
use crate::steer;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use crate::text;
use serde_json::{Value, json};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Time between two looks at a session.
const NAP: Duration = Duration::from_millis(200);
const NAPS_PER_SECOND: u64 = 5;
/// Naps while a call waits for the floor.
const FLOOR_NAPS: u64 = WAIT_SECONDS * NAPS_PER_SECOND;

pub fn list_scenarios(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let row = |kind: &str, name: &str, text: &str| json!({"name": name, "kind": kind, "about": about(text)});
    let panels = PANELS.iter().filter_map(|name| Some(row("panel", name, scenario::panel(name)?)));
    let bundled = bundled_names()
        .map(|name| ("scenario", name))
        .chain(protocol_names().map(|name| ("protocol", name)))
        .filter(|(_, name)| !PANELS.contains(name))
        .filter_map(|(kind, name)| Some(row(kind, name, bundled(name)?)));
    let own = source::own_names(&call.context.paths);
    let own = own.iter().map(|name| json!({"name": text::line(name), "kind": "own"}));
    Ok(json!({"scenarios": panels.chain(bundled).chain(own).collect::<Vec<_>>()}))
}

/// Starts a conversation, or finds the one that was started with the same key.
fn started(call: &ToolCall<'_>) -> Result<Arc<Convened>, Failure> {
    let key: Option<GivenName> = call.name("key")?;
    let mut arguments = call.arguments.clone();
    arguments.remove("key");
    arguments.remove("deadline_seconds");
    let arguments = Value::Object(arguments);
    let wrong = |e: serde_json::Error| Failure::usage(e.to_string(), "see the tool's schema");
    let wanted: Wanted = serde_json::from_value(arguments.clone()).map_err(wrong)?;
    let found = wanted.found(call.context)?;
    let lines = wanted.lines(&found)?;
    let asked = wanted.limits()?;
    let bounds = call.jobs.bounds.clone();
    let models = call.jobs.models.clone();
    call.jobs.start(key.as_ref(), &arguments, call.context, move |context, places| {
        let gate = ClientGate { bounds, places, asked, rehearsed: wanted.rehearsed };
        run::start_found(&wanted.options(&models), found, lines, &gate, context)
    })
}

pub fn start(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let job = started(call)?;
    let state = fold(&report::read_own(&job.id, call.context)?);
    let seat = |seat: &crate::state::Seat| {
        let caller = seat.spec.voice.is_human();
        json!({"id": seat.spec.id, "name": seat.spec.name, "caller": caller})
    };
    let cast: Vec<Value> = state.seats.iter().map(seat).collect();
    Ok(json!({"session": job.id, "state": "running", "cast": cast}))
}

/// Puts a question to the default panel.
pub fn ask(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let mut arguments = call.arguments.clone();
    if let Some(question) = arguments.remove("question") {
        arguments.insert("topic".into(), question);
    }
    convene(&ToolCall { arguments: &arguments, ..*call })
}

pub fn convene(call: &ToolCall<'_>) -> Result<Value, Failure> {
    if call.as_task {
        return start(call);
    }
    let job = started(call)?;
    if job.wait(call.within("deadline_seconds"), call.tell) == Interest::Cancelled {
        // a client that cancels does not want the conversation any more
        job.stop();
    }
    report::own_state(&job.id, call.context)
}

pub fn wait(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let job = call.jobs.going_on(&call.session()?, call.context)?;
    job.wait(call.within("seconds"), call.tell);
    report::own_state(&job.id, call.context)
}

pub fn tail(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let id = call.session()?;
    let after = call.number("after");
    let mut naps = call.number("seconds").min(WAIT_MAX) * NAPS_PER_SECOND;
    let mut length = None;
    loop {
        // a session is parsed again only once it has grown
        let now = report::length(&id, call.context)?;
        if length.replace(now) != Some(now) {
            let log = report::read(&id, call.context)?;
            let slice = report::tail(&log, after)?;
            let is_over = slice["ended"] == true || holder(&log.files).is_none();
            let is_empty = slice["lines"].as_array().is_some_and(Vec::is_empty);
            if !is_empty || is_over || naps == 0 {
                return Ok(slice);
            }
        }
        if naps == 0 || (call.tell)(0) != Interest::Waiting {
            return report::tail(&report::read(&id, call.context)?, after);
        }
        naps -= 1;
        thread::sleep(NAP);
    }
}

pub fn result(call: &ToolCall<'_>) -> Result<Value, Failure> {
    report::state(&call.session()?, call.context)
}

pub fn read_session(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let log = report::read(&call.session()?, call.context)?;
    report::page(&log, usize::try_from(call.number("from")).unwrap_or(usize::MAX))
}

/// The conversation that a command is for.
enum Target {
    /// A conversation of this server.
    Own(Arc<Convened>),
    /// A conversation of another process, or an ended conversation.
    Other(SavedId),
}

fn target(call: &ToolCall<'_>) -> Result<Target, Failure> {
    let id = call.session()?;
    let own = call.jobs.get(&id).filter(|job| job.runs());
    Ok(own.map_or(Target::Other(id), Target::Own))
}

pub fn say(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let target = target(call)?;
    let text = Text::from(call.text("text")?);
    let manner = match (call.name("as")?, &target) {
        (Some(who), Target::Own(job)) => Manner::Speak(await_floor(job, &who, call)?),
        (Some(who), Target::Other(id)) => {
            let message = format!("you do not speak for `{}` in `{id}`", text::line(who.as_str()));
            return Err(Failure::usage(message, "leave out `as`"));
        }
        (None, _) => Manner::Say,
    };
    let state = match &target {
        Target::Own(job) => fold(&report::read_own(&job.id, call.context)?),
        Target::Other(id) => fold(&report::read(id, call.context)?),
    };
    match read_line(&text, &Typing::new(EntryPoint::Mcp, manner), &state) {
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
fn await_floor(job: &Convened, who: &GivenName, call: &ToolCall<'_>) -> Result<SeatId, Failure> {
    let mut naps = FLOOR_NAPS;
    loop {
        let state = fold(&report::read_own(&job.id, call.context)?);
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

pub fn steer(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let target = target(call)?;
    let fix = "as in {\"do\": \"note\", \"text\": \"be brief\"}";
    let Some(Value::Object(command)) = call.arguments.get("command") else {
        return Err(Failure::usage("`command` is not an object", fix));
    };
    let verb = command.get("do").and_then(Value::as_str).unwrap_or_default();
    if !COMMANDS.contains(&verb) {
        let message = format!("clients cannot give the command `{}`", text::line(verb));
        return Err(Failure::usage(message, format!("the commands are {}", COMMANDS.join(", "))));
    }
    let line = SteerLine::from_map(command.clone()).map_err(|e| Failure::usage(e.0, fix))?;
    steer::compiles(&line).map_err(|e| Failure::usage(e, fix))?;
    if let Target::Own(job) = &target {
        // going on at a limit would double it
        let state = fold(&report::read_own(&job.id, call.context)?);
        let near = |limit: Limit| state.limits.get(limit).is_some();
        if matches!(verb, "resume" | "step") && state.limit.is_some() && near(Limit::Seconds) {
            return Err(Failure::usage("a limit was reached", "start another conversation"));
        }
    }
    give(&target, line, call)
}

fn give(target: &Target, line: SteerLine, call: &ToolCall<'_>) -> Result<Value, Failure> {
    let fix = "`status` lists the running conversations; `wait` continues one of this server";
    match target {
        Target::Own(job) => {
            job.command(line).map_err(|why| Failure::usage(why, fix))?;
            Ok(json!({"session": job.id, "taken": true}))
        }
        Target::Other(id) => {
            let log = report::read(id, call.context)?;
            if holder(&log.files).is_none() {
                let message = format!("no conversation `{id}` is running here or elsewhere");
                return Err(Failure::usage(message, fix));
            }
            guest::give(id, &line, &fold(&log), call.context)
        }
    }
}

pub fn status(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let running = call.jobs.running();
    let one = |job: &Arc<Convened>| {
        let log = report::read_own(&job.id, call.context).ok()?;
        let state = fold(&log);
        Some(json!({
            "session": job.id, "title": text::line(&state.shown_title()), "turns": state.utterances,
        }))
    };
    let running: Vec<Value> = running.iter().filter_map(one).collect();
    let others = guest::list(call.context)?;
    Ok(
        json!({"running": running, "others": others, "usd_left": f64::from(call.jobs.bounds.ledger.left())}),
    )
}

pub fn search_sessions(call: &ToolCall<'_>) -> Result<Value, Failure> {
    report::search(&call.text("words")?.to_string(), call.context)
}

pub fn analyze(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let log = report::read(&call.session()?, call.context)?;
    let records = report::shown(&log)?;
    let (state, turn_log) = analysis::fold(records.iter().map(|record| &*record.event));
    let tables = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) }.tables();
    Ok(json!({"session": log.files.id(), "figures": figures::json(&tables)}))
}
