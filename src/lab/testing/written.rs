//! Generates a test file from a session: its events become expectations.
//!
//! The messages of every participant become the lines of its voice, the operator's commands become `[[steer]]`, and the
//! order of speakers, the end and the number of turns are expected. The result is a draft: delete the parts that do not
//! matter.

use super::tools;
use crate::model::payload::{TurnEnded, Warning, WarningAbout};
use crate::model::tool::ToolCalled;
use crate::model::{Event, Kind, Outcome, Purpose, SeatId, Text, ToolOutcome, ToolRequest, TurnId};
use crate::state::State;
use crate::text::map_strings;
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write;

/// Source of the lines in a generated test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Messages of the session.
    OfSession,
    /// The scenario's rehearsed lines, which the test need not repeat.
    OfCast,
}

/// Generates a test file for a scenario from the events of one of its sessions.
pub fn from_session(scenario: &str, events: &[Event], words: Words) -> String {
    let state = State::fold(events);
    let mut text = String::new();
    let title = state.title.as_deref().unwrap_or("A conversation");
    // writing to a string cannot fail
    let _ = writeln!(
        text,
        "# Generated from a session: everything that happened is expected. Delete what you do not want to check.\n\n\
         title = {}\nscenario = {}\nseed = {}",
        quoted(title),
        quoted(scenario),
        state.seed
    );
    if let Some(topic) = &state.scenario.topic {
        let _ = writeln!(text, "topic = {}", quoted(topic));
    }
    let lines = if words == Words::OfSession { lines(events) } else { BTreeMap::new() };
    for (seat, lines) in lines {
        let _ = writeln!(text, "\n[[voice]]\nseat = {}\nlines = [", quoted(&seat));
        for line in lines {
            let _ = writeln!(text, "  {line},");
        }
        text.push_str("]\n");
    }
    for (tool, results) in results(events) {
        let _ = writeln!(text, "\n[[tool]]\nname = {}\nresults = [", quoted(&tool));
        for result in results {
            let _ = writeln!(text, "  {result},");
        }
        text.push_str("]\n");
    }
    let mut ended = 0;
    for event in events {
        match &event.kind {
            Kind::TurnEnded(e) if e.number.is_some() => ended = e.number.unwrap_or(ended),
            Kind::CommandGiven(given) => {
                text.push_str(&steer(given.line.to_map(), ended));
            }
            _ => {}
        }
    }
    let spoke = state.entries.iter().filter(|e| e.number.is_some());
    let speakers: Vec<String> = spoke.filter_map(|e| e.seat()).map(|s| quoted(s)).collect();
    let _ = writeln!(text, "\n[[expect]]\nspeakers = [{}]", speakers.join(", "));
    let calls: Vec<String> = tools::called(events).iter().map(expected).collect();
    if !calls.is_empty() {
        let _ = writeln!(text, "\n[[expect]]\ntool_calls = [\n  {},\n]", calls.join(",\n  "));
    }
    if let Some(end) = &state.ended {
        let _ =
            writeln!(text, "\n[[expect]]\nthat = \"ended.reason == '{}'\"", end.reason.as_str());
    }
    if state.failed == 0 {
        // a test has no result that could be missing
        let of_result = |w: &&Warning| matches!(w.about, Some(WarningAbout::Result(_)));
        let warnings = state.warnings.iter().filter(|w| !of_result(w));
        let _ =
            writeln!(text, "\n[[expect]]\nthat = \"warnings | length == {}\"", warnings.count());
    }
    text
}

/// Returns the lines of every participant, one for each turn.
fn lines(events: &[Event]) -> BTreeMap<SeatId, Vec<String>> {
    let mut seats: BTreeMap<TurnId, SeatId> = BTreeMap::new();
    let mut lines: BTreeMap<SeatId, Vec<String>> = BTreeMap::new();
    for event in events {
        match &event.kind {
            Kind::FloorGranted(granted) => {
                seats.insert(TurnId(event.seq.0), granted.participant.clone());
            }
            Kind::ToolAsked(asked) => {
                let Some(seat) = seats.get(&asked.turn) else { continue };
                let calls: Vec<String> = asked.requests.iter().map(request).collect();
                let line = format!("{{ tool_calls = [{}] }}", calls.join(", "));
                lines.entry(seat.clone()).or_default().push(line);
            }
            Kind::TurnEnded(ended) => {
                let (Some(seat), Some(line)) = (seats.get(&ended.turn), line(ended)) else {
                    continue;
                };
                lines.entry(seat.clone()).or_default().push(line);
            }
            _ => {}
        }
    }
    lines
}

/// Formats a tool call for a line of a voice.
fn request(request: &ToolRequest) -> String {
    let arguments = toml(&as_said(&request.arguments));
    format!("{{ tool = {}, arguments = {arguments} }}", quoted(&request.tool))
}

/// Formats a tool call for an expectation.
fn expected(call: &Value) -> String {
    let text = |key: &str| quoted(call[key].as_str().unwrap_or_default());
    let who = text("participant");
    let tool = text("tool");
    let is = text("is");
    format!("{{ who = {who}, tool = {tool}, arguments = {}, is = {is} }}", toml(&call["arguments"]))
}

/// Returns the results of each tool, in the order of its calls.
fn results(events: &[Event]) -> BTreeMap<Text, Vec<String>> {
    let mut results: BTreeMap<Text, Vec<String>> = BTreeMap::new();
    let returned = |called: &ToolCalled| {
        events.iter().find_map(|event| match &event.kind {
            Kind::ToolReturned(r) if (r.asked, r.at) == (called.asked, called.at) => Some(r),
            _ => None,
        })
    };
    for event in events {
        if let Kind::ToolCalled(called) = &event.kind
            && let Some(back) = returned(called)
        {
            let text = quoted(&plain(&back.result));
            let result = match back.is {
                ToolOutcome::Done => text,
                ToolOutcome::Failed | ToolOutcome::Refused | ToolOutcome::Interrupted => {
                    format!("{{ fail = {text} }}")
                }
            };
            results.entry(called.tool.clone()).or_default().push(result);
        }
    }
    results
}

/// Escapes all texts of a value, so that they are not read as templates.
fn as_said(value: &Value) -> Value {
    let string = |text: &str| Ok(plain(text));
    let Ok(value) = map_strings::<Infallible>(value, &str::to_owned, &string);
    value
}

fn line(ended: &TurnEnded) -> Option<String> {
    let words = match (&*ended.text, &ended.raw, &ended.structured) {
        (_, Some(raw), _) => raw.to_string(),
        ("", None, data) if !data.is_null() => data.to_string(),
        (text, None, _) => text.to_owned(),
    };
    // a message of a person in a seat is a command, and is converted as such
    ended.call?;
    let thought =
        ended.think.as_ref().map_or(String::new(), |think| format!("<think>{think}</think>"));
    let text = quoted(&plain(&format!("{thought}{words}")));
    let purpose = match ended.purpose {
        Purpose::Speak => String::new(),
        other => match serde_json::to_value(other) {
            Ok(Value::String(word)) => format!(", for = {}", quoted(&word)),
            Ok(_) | Err(_) => String::new(),
        },
    };
    Some(match (ended.outcome, purpose.is_empty()) {
        (Outcome::Passed, _) => format!("{{ pass = true{purpose} }}"),
        (Outcome::Failed, _) => format!("{{ fail = \"500\"{purpose} }}"),
        (Outcome::Said | Outcome::Cut, true) => text,
        (Outcome::Said | Outcome::Cut, false) => format!("{{ text = {text}{purpose} }}"),
    })
}

/// Escapes template syntax in a text.
fn plain(text: &str) -> String {
    text.replace("{{", "{{ '{{' }}").replace("{%", "{{ '{%' }}").replace("{#", "{{ '{#' }}")
}

/// Formats a command, at the turn after which it was given.
fn steer(mut map: serde_json::Map<String, Value>, ended: u32) -> String {
    let named = ["after", "during", "at", "when"].iter().any(|key| map.contains_key(*key));
    map.shift_remove("in");
    let mut text = "\n[[steer]]\n".to_owned();
    if !named && ended > 0 {
        let _ = writeln!(text, "after = {{ utterance = {ended} }}");
    }
    for (key, value) in map {
        let _ = writeln!(text, "{key} = {}", toml(&value));
    }
    text
}

/// Formats a JSON value as TOML on one line.
fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let is_bare = |key: &str| {
                !key.is_empty()
                    && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
            };
            let key = |key: &String| if is_bare(key) { key.clone() } else { quoted(key) };
            let all = map.iter().map(|(k, v)| format!("{} = {}", key(k), toml(v)));
            format!("{{ {} }}", all.collect::<Vec<_>>().join(", "))
        }
        Value::Null => "\"\"".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Quotes a text for TOML: the escapes of JSON are valid, except that TOML also requires one for DEL.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007f")
}
