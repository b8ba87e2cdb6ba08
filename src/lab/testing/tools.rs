//! Tools of a test: their results, and the calls before the start.

use super::fault::TestFault;
use crate::expr::{Facts, Template};
use crate::model::{
    Event, Kind, Line, Purpose, SeatId, Seq, Text, ToolOutcome, ToolRequest, TurnId,
};
use crate::text::map_strings;
use crate::tool::{ToolJob, ToolResult};
use crate::voice::rehearsed;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Status of an agent's tool that succeeded.
const COMPLETED: &str = "completed";

/// A tool that a test plays.
#[derive(Clone, Debug)]
pub enum PlayedTool {
    /// Played results, one for each call.
    Results(Vec<PlayedResult>),
    /// The tool's own script, which is really run.
    Script,
}

#[derive(Clone, Debug, Default)]
pub struct PlayedResult {
    /// Text, and the condition under which it is returned.
    pub line: Line,
    /// True if a result with a condition is returned every time the condition is true, instead of once.
    pub every: bool,
    /// True if the tool fails, with the text as its reason.
    pub fails: bool,
}

/// Turn of a participant with tool calls before the start.
#[derive(Clone, Debug)]
pub struct GivenTurn {
    /// Calls with their results.
    pub calls: Vec<ReturnedCall>,
    /// Message after the calls; `None` if its first turn in the test continues from here.
    pub text: Option<Text>,
}

/// A tool call with a known result.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnedCall {
    pub request: ToolRequest,
    pub is: ToolOutcome,
    /// Result as shown to the participant.
    pub result: Text,
}

/// An expected tool call; keys that it omits match any value.
#[derive(Clone, Debug)]
pub struct ExpectedCall(pub Map<String, Value>);

impl PlayedResult {
    /// Returns the result of a call.
    pub fn result(&self, facts: &Facts) -> Result<ToolResult, TestFault> {
        let text = filled(&self.line.text, facts)?;
        Ok(if self.fails { ToolResult::failed(text) } else { ToolResult::done(text) })
    }
}

impl ReturnedCall {
    /// Returns the result as a tool would return it.
    pub fn result(&self) -> ToolResult {
        ToolResult { is: self.is, result: self.result.clone(), ..ToolResult::default() }
    }
}

/// Returns the facts of a tool call, for conditions and templates.
pub fn facts_of(job: &ToolJob, case: &Map<String, Value>) -> Facts {
    Facts::new(json!({
        "arguments": job.arguments, "case": case, "participant": job.participant,
        "tool": job.tool.name,
    }))
}

/// Chooses among the results of a tool as among the lines of a voice; `used` are the indices of returned results.
pub fn choose(results: &[PlayedResult], used: &[usize], facts: &Facts) -> Option<usize> {
    let lines: Vec<Line> = results.iter().map(|result| result.line.clone()).collect();
    rehearsed::choose(&lines, Purpose::Speak, used, || facts.clone()).line
}

/// Fills a template.
pub fn filled(text: &str, facts: &Facts) -> Result<String, TestFault> {
    if !text.contains('{') {
        return Ok(text.to_owned());
    }
    let filled = Template::compile(text).and_then(|template| template.render(facts));
    filled.map_err(|fault| fault.message.into())
}

/// Fills the templates in the arguments of a call.
pub fn filled_value(value: &Value, facts: &Facts) -> Result<Value, TestFault> {
    map_strings(value, &str::to_owned, &|text| filled(text, facts))
}

/// Returns every tool call of a run, in order, as facts for expectations.
pub fn called(events: &[Event]) -> Vec<Value> {
    let mut seats: BTreeMap<TurnId, &SeatId> = BTreeMap::new();
    let mut all: Vec<(TurnId, Map<String, Value>)> = vec![];
    let mut places: BTreeMap<(Seq, u32), usize> = BTreeMap::new();
    for event in events {
        match &event.kind {
            Kind::FloorGranted(granted) => {
                seats.insert(TurnId(event.seq.0), &granted.participant);
            }
            Kind::ToolAsked(asked) => {
                for (at, request) in (0..).zip(&asked.requests) {
                    let call = json!({
                        "participant": seats.get(&asked.turn), "tool": request.tool,
                        "arguments": request.arguments, "is": null, "result": null,
                        "took": null, "utterance": null,
                    });
                    places.insert((event.seq, at), all.len());
                    all.extend(call.as_object().map(|call| (asked.turn, call.clone())));
                }
            }
            Kind::ToolReturned(back) => {
                let place = places.get(&(back.asked, back.at)).and_then(|at| all.get_mut(*at));
                if let Some((_, call)) = place {
                    call["is"] = json!(back.is);
                    call["result"] = json!(back.result);
                    call["took"] = json!(back.took_ms as f64 / 1000.0);
                }
            }
            Kind::AgentTool(used) => {
                let arguments = used.input.as_deref().map(|input| {
                    serde_json::from_str(input).unwrap_or_else(|_| Value::from(input))
                });
                let is = if &*used.status == COMPLETED { "done" } else { "failed" };
                let call = json!({
                    "participant": seats.get(&used.turn), "tool": used.title,
                    "arguments": arguments, "is": is, "result": used.result,
                    "took": null, "utterance": null,
                });
                all.extend(call.as_object().map(|call| (used.turn, call.clone())));
            }
            Kind::TurnEnded(ended) => {
                let of_turn = all.iter_mut().filter(|(of, _)| *of == ended.turn);
                of_turn.for_each(|(_, call)| call["utterance"] = json!(ended.number));
            }
            _ => {}
        }
    }
    all.into_iter().map(|(_, call)| Value::Object(call)).collect()
}

/// Returns the first difference between expected and actual calls with all actual calls, or `None` if they match.
pub fn unlike(expected: &[ExpectedCall], events: &[Event]) -> Option<Vec<String>> {
    let calls = called(events);
    let unlike = |(expected, call): (&ExpectedCall, &Value)| {
        expected.0.iter().find_map(|(key, value)| {
            let of = if key == "who" { "participant" } else { key };
            (call[of] != *value).then(|| format!("{key} = {}, not {value}", call[of]))
        })
    };
    let differs = expected
        .iter()
        .zip(&calls)
        .enumerate()
        .find_map(|(at, pair)| unlike(pair).map(|why| format!("call {}: {why}", at + 1)));
    let count = || {
        let differs = expected.len() != calls.len();
        differs.then(|| format!("tool calls: {} made, {} expected", calls.len(), expected.len()))
    };
    let why = differs.or_else(count)?;
    let told =
        calls.iter().enumerate().map(|(at, call)| format!("call {}: {}", at + 1, describe(call)));
    Some([why].into_iter().chain(told).collect())
}

/// Describes a tool call and its result in one line.
pub fn describe(call: &Value) -> String {
    let text = |key: &str| call[key].as_str().unwrap_or_default();
    let who = text("participant");
    let tool = text("tool");
    let is = text("is");
    format!("{who} called {tool} with {}; {is}: {}", call["arguments"], text("result"))
}
