//! Interchange formats of agent tools: trajectories (ATIF) and OpenTelemetry spans (OTLP as JSON).
//!
//! Both have no notion of several agents in one conversation, so the speaker of a message is in a field of its own:
//! `extra.participant` in ATIF, `gen_ai.agent.id` in OpenTelemetry.

use super::document::Document;
use crate::analysis::{self, TimedTurn};
use crate::model::{Kind, Ms, Outcome, ToolOutcome, TurnId};
use crate::state::Entry;
use crate::text;
use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, Write};

/// Version of the Agent Trajectory Interchange Format.
/// Source: <https://www.harborframework.com/docs/agents/trajectory-format>
const ATIF: &str = "ATIF-v1.7";
/// Name of the agent of a whole conversation.
const PROGRAM: &str = "colloquium";
/// Status of an agent's tool that failed.
const FAILED: &str = "failed";
/// OTLP's number of the status "error".
const STATUS_ERROR: u8 = 2;
/// OTLP's number of the span kind "internal".
const INTERNAL: u8 = 1;
/// OTLP's number of the span kind "client".
const CLIENT: u8 = 3;

/// Writes the conversation as one ATIF trajectory: a step for each message.
pub(super) fn atif(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let state = &document.state;
    let participants: Vec<Value> = (state.seats.iter())
        .map(|s| {
            json!({
                "id": text::line(&s.spec.id), "name": text::line(&s.spec.name),
                "voice": text::line(&s.spec.voice.label()),
            })
        })
        .collect();
    let total = state.spent();
    let mut pretty = serde_json::Serializer::pretty(&mut *out);
    let mut whole = pretty.serialize_map(None)?;
    whole.serialize_entry("schema_version", ATIF)?;
    whole.serialize_entry("session_id", &document.id)?;
    let agent = json!({
        "name": PROGRAM, "version": env!("CARGO_PKG_VERSION"),
        "extra": {"participants": participants},
    });
    whole.serialize_entry("agent", &agent)?;
    let used = used_tools(document)?;
    whole.serialize_entry("steps", &Steps(document, &used))?;
    let metrics = json!({
        "total_prompt_tokens": total.usage.input,
        "total_completion_tokens": total.usage.output,
        "total_cached_tokens": total.usage.cache_read,
        "total_cost_usd": total.cost(),
    });
    whole.serialize_entry("final_metrics", &metrics)?;
    let extra = json!({
        "title": document.title(),
        "ended": state.ended.as_ref().map(|ended| json!(ended.reason)),
        "result": state.result.as_ref().map(|(result, _)| result),
    });
    whole.serialize_entry("extra", &extra)?;
    whole.end()?;
    out.write_all(b"\n")
}

/// The steps of a trajectory, one value at a time: the topic, then each message.
struct Steps<'a>(&'a Document, &'a UsedTools);

/// The uses of tools in each turn.
type UsedTools = HashMap<TurnId, Vec<UsedTool>>;

/// A use of a tool, by a model or by an agent.
struct UsedTool {
    name: String,
    arguments: Value,
    result: Option<String>,
    failed: bool,
    /// Kind of an agent's tool.
    kind: Option<String>,
}

/// Reads the uses of tools from the events: the state keeps only the recent ones.
fn used_tools(document: &Document) -> io::Result<UsedTools> {
    let mut used = UsedTools::new();
    let mut asked = HashMap::new();
    for record in document.records() {
        match &record.map_err(io::Error::other)?.event.kind {
            Kind::AgentTool(tool) => used.entry(tool.turn).or_default().push(UsedTool {
                name: text::line(&tool.title).into_owned(),
                arguments: tool.input.as_ref().map_or(Value::Null, |input| {
                    serde_json::from_str(input).unwrap_or_else(|_| json!(text::block(input)))
                }),
                result: tool.result.as_ref().map(|result| text::block(result).into_owned()),
                failed: &*tool.status == FAILED,
                kind: Some(text::line(&tool.sort).into_owned()),
            }),
            Kind::ToolAsked(round) => {
                asked.extend(
                    round
                        .requests
                        .iter()
                        .enumerate()
                        .map(|(at, request)| ((round.turn, at), request.arguments.clone())),
                );
            }
            Kind::ToolReturned(back) => {
                let at = usize::try_from(back.at).unwrap_or(usize::MAX);
                used.entry(back.turn).or_default().push(UsedTool {
                    name: text::line(&back.tool).into_owned(),
                    arguments: asked.remove(&(back.turn, at)).unwrap_or_default(),
                    result: Some(text::block(&back.result).into_owned()),
                    failed: back.is != ToolOutcome::Done,
                    kind: None,
                });
            }
            _ => {}
        }
    }
    Ok(used)
}

/// Adds the uses of tools to a step.
fn add_tools(step: &mut Value, used: &[UsedTool]) {
    if used.is_empty() {
        return;
    }
    let id = |at: usize| format!("call_{}", at + 1);
    let call = |(at, used): (usize, &UsedTool)| {
        // the format takes nothing but an object
        let arguments = match &used.arguments {
            Value::Null => json!({}),
            Value::Object(_) => used.arguments.clone(),
            other => json!({"arguments": other}),
        };
        let mut call = json!({
            "tool_call_id": id(at), "function_name": used.name, "arguments": arguments,
        });
        if let Some(kind) = &used.kind {
            call["extra"] = json!({"kind": kind});
        }
        call
    };
    let result = |(at, used): (usize, &UsedTool)| {
        let mut result = json!({"source_call_id": id(at), "content": used.result.as_ref()?});
        if used.failed {
            result["extra"] = json!({"failed": true});
        }
        Some(result)
    };
    step["tool_calls"] = used.iter().enumerate().map(call).collect();
    let results: Vec<Value> = used.iter().enumerate().filter_map(result).collect();
    if !results.is_empty() {
        step["observation"] = json!({"results": results});
    }
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Steps(document, used) = self;
        let topic = document.state.scenario.topic.as_ref();
        let topic = topic.map(|topic| json!({"source": "user", "message": text::block(topic)}));
        let said = document.entries().map(|(entry, spent)| {
            let mut step = step(document, entry, spent);
            let turn = entry.version().turn;
            let used = turn.and_then(|turn| used.get(&turn)).map_or(&[][..], Vec::as_slice);
            add_tools(&mut step, used);
            step
        });
        to.collect_seq(topic.into_iter().chain(said).enumerate().map(|(i, mut step)| {
            step["step_id"] = json!(i + 1);
            step
        }))
    }
}

fn step(document: &Document, entry: &Entry, spent: Option<&TimedTurn>) -> Value {
    let message = text::block(entry.text());
    let to = (!entry.to.is_empty()).then_some(&entry.to);
    let Some(seat) = entry.seat() else {
        return json!({"source": "user", "message": message, "extra": {"to": to}});
    };
    let mut step = json!({
        "source": "agent",
        "message": message,
        "extra": {
            "participant": seat, "name": document.speaker(entry), "number": entry.number, "to": to,
            "whispers": entry.version().whispers,
        },
    });
    let model = &entry.version().model;
    if !model.is_empty() {
        step["model_name"] = json!(text::line(model));
    }
    let Some(spent) = spent else { return step };
    if let Some(began) = document.survey.began {
        let at = Timestamp::from_millisecond(began.0.saturating_add(signed(spent.granted)));
        step["timestamp"] = json!(at.ok().map(|at| at.to_string()));
    }
    if let Some(think) = &spent.think {
        step["reasoning_content"] = json!(text::block(think));
    }
    if let Some(usage) = &spent.usage {
        step["metrics"] = json!({
            "prompt_tokens": usage.input, "completion_tokens": usage.output,
            "cached_tokens": usage.cache_read, "cost_usd": spent.cost,
        });
    }
    step
}

/// Writes the conversation as OTLP spans: one for the whole, and below it one for each turn.
/// Source: <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/>
pub(super) fn otlp(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let service = attributes(&[
        ("service.name", json!(PROGRAM)),
        ("service.version", json!(env!("CARGO_PKG_VERSION"))),
    ]);
    let scope = ScopeSpans { scope: json!({"name": PROGRAM}), spans: Spans(document) };
    let resource = ResourceSpans { resource: json!({"attributes": service}), scope_spans: [scope] };
    serde_json::to_writer_pretty(&mut *out, &TraceFile { resource_spans: [resource] })?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TraceFile<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Value,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Value,
    spans: Spans<'a>,
}

/// The spans, one value at a time: the conversation, then each turn.
struct Spans<'a>(&'a Document);

impl Serialize for Spans<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Spans(document) = self;
        let turns = document
            .entries()
            .filter_map(|(entry, spent)| spent.map(|spent| span(document, spent, entry)));
        to.collect_seq(std::iter::once(root(document)).chain(turns))
    }
}

/// Returns the span of the whole conversation, with the operator's messages as events.
fn root(document: &Document) -> Value {
    let state = &document.state;
    let entries = state.entries.iter().filter(|entry| entry.seat().is_none());
    let shown = entries.filter(|entry| document.reveal.hidden || entry.hidden.is_none());
    let messages = shown.map(|entry| {
        json!({
            "name": "operator.message",
            "attributes": attributes(&[("message", json!(text::block(entry.text())))]),
        })
    });
    json!({
        "traceId": trace_id(document),
        "spanId": root_id(document),
        "name": format!("invoke_workflow {PROGRAM}"),
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(document, Ms(0)),
        "endTimeUnixNano": nanos(document, Ms(document.turn_log.lasted())),
        "attributes": attributes(&[
            ("gen_ai.operation.name", json!("invoke_workflow")),
            ("gen_ai.agent.name", json!(PROGRAM)),
            ("gen_ai.conversation.id", json!(document.id)),
            ("colloquium.title", json!(document.title())),
            ("colloquium.end_reason", json!(state.ended.as_ref().map(|ended| json!(ended.reason)))),
        ]),
        "events": messages.collect::<Value>(),
    })
}

fn trace_id(document: &Document) -> String {
    hex(&document.id, 16)
}

fn root_id(document: &Document) -> String {
    hex(&format!("{}/root", document.id), 8)
}

fn span(document: &Document, spent: &TimedTurn, entry: &Entry) -> Value {
    let name = text::line(&analysis::name(&document.state, &spent.seat)).into_owned();
    let model = spent.models.last().map(|model| text::line(model).into_owned());
    let finish = if entry.version().capped { "length" } else { "stop" };
    let said = json!([{
        "role": "assistant", "name": name, "finish_reason": finish,
        "parts": [{"type": "text", "content": text::block(entry.text())}],
    }]);
    let usage = spent.usage.as_deref();
    let whispers = &entry.version().whispers;
    let whispers = if whispers.is_empty() { Value::Null } else { json!(whispers) };
    let mut span = json!({
        "traceId": trace_id(document),
        "parentSpanId": root_id(document),
        "spanId": hex(&format!("{}/{}", document.id, spent.seq), 8),
        "name": format!("invoke_agent {name}"),
        "kind": CLIENT,
        "startTimeUnixNano": nanos(document, spent.granted),
        "endTimeUnixNano": nanos(document, spent.ended),
        "attributes": attributes(&[
            ("gen_ai.operation.name", json!("invoke_agent")),
            ("gen_ai.conversation.id", json!(document.id)),
            ("gen_ai.agent.id", json!(spent.seat)),
            ("gen_ai.agent.name", json!(name)),
            ("gen_ai.request.model", json!(model)),
            ("gen_ai.usage.input_tokens", json!(usage.map(|u| u.input))),
            ("gen_ai.usage.output_tokens", json!(usage.map(|u| u.output))),
            // structured values are JSON text in a span's attributes
            ("gen_ai.output.messages", json!(said.to_string())),
            ("colloquium.whispers", whispers),
            ("colloquium.turn", json!(entry.number)),
            ("colloquium.cost_usd", json!(spent.cost.map(|cost| cost.to_string()))),
        ]),
    });
    if spent.outcome == Outcome::Failed {
        let why = spent.error.as_deref().unwrap_or_default();
        span["status"] = json!({"code": STATUS_ERROR, "message": text::line(why)});
    }
    span
}

/// Returns attributes in the form of OTLP; those without a value are left out. Whole numbers are text, as in the JSON
/// form of protobuf.
fn attributes(all: &[(&str, Value)]) -> Value {
    let typed = |(key, value): &(&str, Value)| {
        let value = match value {
            Value::Null => return None,
            Value::Number(n) => json!({"intValue": n.to_string()}),
            Value::String(text) => json!({"stringValue": text}),
            other => json!({"stringValue": other.to_string()}),
        };
        Some(json!({"key": key, "value": value}))
    };
    all.iter().filter_map(typed).collect()
}

/// Returns a moment of the conversation in nanoseconds since the Unix epoch, as text.
fn nanos(document: &Document, at: Ms) -> String {
    let began = document.survey.began.map_or(0, |began| began.0);
    let ms = i128::from(began) + i128::from(signed(at));
    (ms * 1_000_000).to_string()
}

fn signed(at: Ms) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

/// Returns the first bytes of a digest in hexadecimal: the same session has the same ids in every export.
fn hex(text: &str, bytes: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}
