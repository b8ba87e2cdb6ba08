//! The tools that clients may call: a row each, with its schema and who answers.

use super::bounds::ClientGate;
use super::cast::{PANELS, Wanted};
use super::jobs::{Convened, Jobs};
use super::report;
use crate::analysis::{self, Analysis};
use crate::catalogue::{Query, search};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::session_file::fold;
use crate::cli::session_file::unreadable;
use crate::cli::source;
use crate::export::figures;
use crate::model::{Command, Limit, Seq, SteerLine};
use crate::scenario::{self, about, bundled, bundled_names, protocol_names};
use crate::steer;
use crate::text;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Seconds that one call waits where nobody says otherwise: clients give up after 60.
const WAIT_SECONDS: u64 = 45;
/// Seconds that one call waits at most.
const WAIT_MAX: u64 = 3_600;
/// Commands that a client may give: none that raises a limit, changes a model or lets something run.
const COMMANDS: [&str; 17] = [
    "say",
    "note",
    "lift_note",
    "whisper",
    "pause",
    "resume",
    "step",
    "skip",
    "cut_in",
    "mute",
    "unmute",
    "floor",
    "vote",
    "verdict",
    "mark",
    "speak",
    "end",
];
/// Characters of a text of a client.
const TEXT_MAX: usize = 64 << 10;
/// Characters of a name or a role.
const NAME_MAX: usize = 200;
/// Sessions that a search names.
const HITS_MAX: usize = 100;

/// What a call is made with.
pub struct ToolCall<'a> {
    /// The conversations that were started here.
    pub jobs: &'a Jobs,
    /// Folders and settings.
    pub context: &'a Context,
    /// The arguments as the client sent them, not checked yet.
    pub arguments: &'a Map<String, Value>,
    /// Tells how many turns there are; returns whether the call is still wanted.
    pub tell: &'a dyn Fn(u32) -> bool,
}

/// A tool that other programs can call.
pub struct ServedTool {
    /// The name that a client calls it by.
    pub name: &'static str,
    /// What it does, for models.
    pub description: &'static str,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Its arguments as JSON Schema: properties, and which are needed.
    schema: fn() -> (Value, &'static [&'static str]),
    /// The function that answers a call.
    pub answer: fn(&ToolCall<'_>) -> Result<Value, Failure>,
}

/// The tools in the order in which a client sees them.
pub const TOOLS: &[ServedTool] = &[
    ServedTool {
        name: "list_scenarios",
        description: "List the scenarios and panels that a conversation can be started with.",
        read_only: true,
        schema: || (json!({}), &[]),
        answer: list_scenarios,
    },
    ServedTool {
        name: "convene",
        description: "Let several models talk about a topic and wait for the result: answer, dissent, verdict, cost and \
            the end of the transcript. If it is not over within deadline_seconds, the result is partial (complete: \
            false) and the conversation goes on: call `wait` with its session.",
        read_only: false,
        schema: || {
            let mut properties = wanted();
            properties["deadline_seconds"] = seconds("how long to wait (default 45)");
            (properties, &[])
        },
        answer: convene,
    },
    ServedTool {
        name: "start",
        description: "Start a conversation and return at once with its session. The same key never starts two.",
        read_only: false,
        schema: || (wanted(), &[]),
        answer: |call| Ok(json!({"session": started(call)?.id, "state": "running"})),
    },
    ServedTool {
        name: "wait",
        description: "Wait for the end of a conversation, at most `seconds`; returns the result, which is partial if it \
            goes on. A conversation that was interrupted by a restart goes on.",
        read_only: false,
        schema: || {
            (
                json!({"session": session(), "seconds": seconds("how long to wait (default 45)")}),
                &["session"],
            )
        },
        answer: wait,
    },
    ServedTool {
        name: "tail",
        description: "Return what was said after a cursor: pass `next` of the last call as `after`.",
        read_only: true,
        schema: || {
            let after = json!({"type": "integer", "minimum": 0, "description": "cursor (default 0: the beginning)"});
            (json!({"session": session(), "after": after}), &["session"])
        },
        answer: |call| {
            let log = report::read(call.text("session")?, call.context)?;
            report::tail(&log, call.number("after").unwrap_or(0))
        },
    },
    ServedTool {
        name: "result",
        description: "Return where a conversation stands: the result if it has ended, else a partial one.",
        read_only: true,
        schema: || (json!({"session": session()}), &["session"]),
        answer: |call| report::of(call.text("session")?, call.context),
    },
    ServedTool {
        name: "say",
        description: "Say something to everyone in a running conversation, as its operator, or as the participant of \
            your own cast that you speak for.",
        read_only: false,
        schema: || {
            let who = json!({"type": "string", "description": "the id of the participant you speak for, such as p1"});
            (
                json!({"session": session(), "text": {"type": "string"}, "as": who}),
                &["session", "text"],
            )
        },
        answer: say,
    },
    ServedTool {
        name: "steer",
        description: "Give a running conversation a command, such as {\"do\": \"skip\"}, {\"do\": \"note\", \"text\": \
            \"be brief\"} or {\"do\": \"end\"}.",
        read_only: false,
        schema: || {
            (
                json!({"session": session(), "command": {"type": "object", "required": ["do"],
            "properties": {"do": {"enum": COMMANDS}}}}),
                &["session", "command"],
            )
        },
        answer: steer,
    },
    ServedTool {
        name: "status",
        description: "List the running conversations and the dollars that are left.",
        read_only: true,
        schema: || (json!({}), &[]),
        answer: status,
    },
    ServedTool {
        name: "read_session",
        description: "Read the transcript of a session, a page at a time: pass `next` of the last call as `from`.",
        read_only: true,
        schema: || {
            let from = json!({"type": "integer", "minimum": 0, "description": "first character (default 0)"});
            (json!({"session": session(), "from": from}), &["session"])
        },
        answer: |call| {
            let log = report::read(call.text("session")?, call.context)?;
            let from = usize::try_from(call.number("from").unwrap_or(0)).unwrap_or(usize::MAX);
            report::page(&log, from)
        },
    },
    ServedTool {
        name: "search_sessions",
        description: "Find where words were said in the saved sessions.",
        read_only: true,
        schema: || {
            (json!({"words": {"type": "string", "minLength": 1, "maxLength": 500}}), &["words"])
        },
        answer: search_sessions,
    },
    ServedTool {
        name: "analyze",
        description: "Return the figures of a session: shares, speed, cost, votes, mentions and more.",
        read_only: true,
        schema: || (json!({"session": session()}), &["session"]),
        answer: analyze,
    },
];

impl ServedTool {
    /// Returns the schema of its arguments.
    pub fn schema(&self) -> Value {
        let (properties, required) = (self.schema)();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

fn session() -> Value {
    json!({"type": "string", "description": "the id of a session"})
}

fn seconds(description: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": WAIT_MAX, "description": description})
}

/// The properties of what is to be talked about.
fn wanted() -> Value {
    let count =
        |description: &str| json!({"type": "integer", "minimum": 1, "description": description});
    let text = |description: &str| json!({"type": "string", "maxLength": TEXT_MAX, "description": description});
    json!({
        "scenario": text("a name from list_scenarios (default: the panel `council`)"),
        "cast": {"type": "array", "maxItems": 12, "description": "participants of your own, in place of a scenario",
            "items": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
                "name": {"type": "string", "maxLength": NAME_MAX},
                "persona": text("who this is"),
                "role": {"type": "string", "maxLength": NAME_MAX},
                "model": text("provider:name (default: the user's default model)"),
                "caller": {"type": "boolean", "description": "you speak for it yourself, with `say`"}}}},
        "topic": text("the topic or question"),
        "material": {"type": "array", "maxItems": 100, "items": {"type": "string"}, "description": "texts that everybody reads first"},
        "opinion": text("your own opinion, given to the panel as one of the opinions"),
        "model": text("provider:name for participants without a model"),
        "rehearsed": {"type": "boolean", "description": "play the rehearsed lines of the scenario; no model is called"},
        "max_turns": count("turns"),
        "max_seconds": count("running time"),
        "max_tokens": count("tokens"),
        "max_usd": {"type": "number", "exclusiveMinimum": 0, "description": "dollars"},
        "key": text("the same key never starts two conversations"),
    })
}

impl ToolCall<'_> {
    fn text(&self, key: &str) -> Result<&str, Failure> {
        let text = self.arguments.get(key).and_then(Value::as_str);
        text.ok_or_else(|| Failure::usage(format!("`{key}` is missing"), "see the tool's schema"))
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.arguments.get(key).and_then(Value::as_u64)
    }

    fn within(&self, key: &str) -> Duration {
        Duration::from_secs(self.number(key).unwrap_or(WAIT_SECONDS).clamp(1, WAIT_MAX))
    }

    fn running(&self) -> Result<Arc<Convened>, Failure> {
        let id = self.text("session")?;
        self.jobs.get(id).filter(|job| job.runs()).ok_or_else(|| {
            let message = format!("no conversation `{id}` is running here");
            Failure::usage(message, "`status` lists those that run; `wait` lets one go on")
        })
    }
}

fn list_scenarios(call: &ToolCall<'_>) -> Result<Value, Failure> {
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
    let mut arguments = call.arguments.clone();
    let key = arguments.remove("key");
    arguments.remove("deadline_seconds");
    let arguments = Value::Object(arguments);
    let wrong = |e: serde_json::Error| Failure::usage(e.to_string(), "see the tool's schema");
    let wanted: Wanted = serde_json::from_value(arguments.clone()).map_err(wrong)?;
    let found = wanted.found(call.context)?;
    let (lines, asked) = (wanted.lines()?, wanted.limits()?);
    let bounds = call.jobs.bounds.clone();
    let key = key.as_ref().and_then(Value::as_str);
    call.jobs.start(key, &arguments, call.context, move |context, purse| {
        let gate = ClientGate { bounds, purse, asked, rehearsed: wanted.rehearsed };
        run::start_found(&wanted.options(), found, lines, &gate, context)
    })
}

fn convene(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let job = started(call)?;
    let wanted = std::cell::Cell::new(true);
    let tell = |turns| {
        wanted.set((call.tell)(turns));
        wanted.get()
    };
    job.wait(call.within("deadline_seconds"), &tell);
    if !wanted.get() {
        // who cancels wants no conversation any more
        job.stop();
    }
    report::of(&job.id, call.context)
}

fn wait(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let id = call.text("session")?;
    // one of another program is only looked at
    if let Ok(job) = call.jobs.going_on(id, call.context) {
        job.wait(call.within("seconds"), call.tell);
    }
    report::of(id, call.context)
}

fn say(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let job = call.running()?;
    let text = call.text("text")?.into();
    let command = match call.arguments.get("as").and_then(Value::as_str) {
        Some(who) => {
            await_floor(&job, who, call)?;
            Command::Speak { text, who: who.into() }
        }
        None => Command::Say { text },
    };
    told(&job, command.into())
}

/// Waits until a participant that the caller speaks for has the floor.
fn await_floor(job: &Convened, who: &str, call: &ToolCall<'_>) -> Result<(), Failure> {
    for _ in 0..WAIT_SECONDS {
        let state = fold(&report::read(&job.id, call.context)?);
        let seat = state.seats.iter().find(|s| *s.spec.id == *who && s.spec.voice.is_human());
        if seat.is_none() {
            let message = format!("you do not speak for `{}`", text::line(who));
            return Err(Failure::usage(message, "see the seats in `result`; leave out `as`"));
        }
        if state.turns.values().any(|turn| *turn.seat == *who) || !job.nap() {
            break;
        }
    }
    Ok(())
}

fn steer(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let job = call.running()?;
    let fix = "as in {\"do\": \"note\", \"text\": \"be brief\"}";
    let Some(Value::Object(command)) = call.arguments.get("command") else {
        return Err(Failure::usage("`command` is no object", fix));
    };
    let verb = command.get("do").and_then(Value::as_str).unwrap_or_default();
    if !COMMANDS.contains(&verb) {
        let message = format!("clients cannot give the command `{}`", text::line(verb));
        return Err(Failure::usage(message, format!("the commands are {}", COMMANDS.join(", "))));
    }
    let line = SteerLine::from_map(command.clone()).map_err(|e| Failure::usage(e.0, fix))?;
    steer::compiles(&line).map_err(|e| Failure::usage(e, fix))?;
    // going on at a limit would double it
    let state = fold(&report::read(&job.id, call.context)?);
    let near = |limit: Limit| state.limits.of(limit).is_some();
    if matches!(verb, "resume" | "step") && state.limit.is_some() && near(Limit::Seconds) {
        return Err(Failure::usage("a limit was reached", "start another conversation"));
    }
    told(&job, line)
}

fn told(job: &Convened, line: SteerLine) -> Result<Value, Failure> {
    job.command(line).map_err(|why| Failure::usage(why, "`status` says what runs"))?;
    Ok(json!({"session": job.id, "taken": true}))
}

fn status(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let running = call.jobs.running();
    let one = |job: &Arc<Convened>| {
        let log = report::read(&job.id, call.context).ok()?;
        let state = fold(&log);
        Some(json!({
            "session": job.id, "title": text::line(&state.shown_title()), "turns": state.utterances,
        }))
    };
    let running: Vec<Value> = running.iter().filter_map(one).collect();
    Ok(json!({"running": running, "usd_left": f64::from(call.jobs.left())}))
}

fn search_sessions(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let long = |_| Failure::usage("the query is too long", "search for a few of these words");
    let query = Query::new(call.text("words")?).map_err(long)?;
    let folder = call.context.paths.sessions();
    let mut hits = vec![];
    search(&folder, &query, |more| hits.extend(more)).map_err(unreadable(&folder))?;
    let hit = |hit: &crate::catalogue::Hit| json!({"session": text::line(&hit.id), "who": hit.who, "turn": hit.number, "excerpt": hit.excerpt});
    let all = hits.len();
    let hits: Vec<Value> = hits.iter().take(HITS_MAX).map(hit).collect();
    Ok(json!({"hits": hits, "found": all}))
}

fn analyze(call: &ToolCall<'_>) -> Result<Value, Failure> {
    let log = report::read(call.text("session")?, call.context)?;
    let (state, turn_log) = analysis::fold(log.events());
    let tables = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) }.tables();
    Ok(json!({"session": log.files.id(), "figures": figures::json(&tables)}))
}
