//! Keys of voices and tools: rehearsed lines, people, stand-ins, failure rules, `http`, `[[tool]]` and `[[server]]`.

use super::value::{
    NAMES, PACE_RANGE, SECONDS_RANGE, UTTERANCE_RANGE, ValueKind, key, keys, needed,
};
use crate::model::facts::{OF_CALL, OF_REQUEST};
use crate::model::{ReplyAt, SessionFrom, Text, Then};
use crate::scenario::tree::Or;
use serde_json::Value;
use std::collections::BTreeMap;

/// Rehearsed lines: each is a text or a table.
pub(super) const LINES: ValueKind =
    ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Template, ValueKind::Table(LINE)]));

keys! {
    /// The keys of a rehearsed line that is a table.
    static LINE;
    text = needed(ValueKind::Template, r#""You asked: {{ operator.said }}""#, "The text.");
    when = key(ValueKind::Condition(OF_CALL), r#""'?' in operator.said""#,
        "The line is used when this condition holds, before lines without a condition.");
    instead = key(ValueKind::Flag, "true",
        "The line takes the place of the next line without a condition, which is left out.");
    leads = key(ValueKind::Flag, "true", "The next line without a condition follows in the same turn.");
    spent = key(ValueKind::Flag, "true",
        "The line of every turn after the last line without a condition, in place of a repetition.");
    r#for = key(ValueKind::OneOf(&["speak", "pick", "bid", "vote", "judge", "summarise", "result"]),
        r#""vote""#,
        "The purpose of the line (default speak).");
}

keys! {
    /// The keys of a participant's `any_topic`.
    pub(super) static ANY_TOPIC;
    role = key(ValueKind::Line, r#""would lose by a yes""#, "The role.");
    side = key(ValueKind::Line, r#""no""#, "The answer that it argues for.");
    persona = key(ValueKind::Template, r#""You are Ada.""#, "The persona.");
}

keys! {
    pub(super) static HUMAN as RawHuman;
    seconds: Option<u64> = needed(SECONDS_RANGE, "60", "How long to wait for the person.");
    then: Option<Text> = key(ValueKind::OneOf(&["pass", "wait"]), r#""pass""#,
        "What to do when that time is up (default pass).");
}

keys! {
    pub(super) static STAND_IN;
    lines = key(LINES, r#"["I pass."]"#, "Rehearsed lines.");
    model = key(ValueKind::Model, r#""ollama:llama3""#, "A language model.");
    script = key(NAMES, r#"["./reply.sh"]"#, "A program and its arguments.");
}

keys! {
    pub(super) static ON_FAILURE as RawFailureRule;
    retry: Option<u32> = key(ValueKind::Count { least: 0, most: 10 }, "1",
        "Further calls within the same turn, up to `retries` in the settings.");
    then: Option<Then> = key(ValueKind::OneOf(&["skip", "pause", "replace", "stop"]), r#""skip""#,
        "What to do after the last retry (default skip, or replace if there are fallbacks).");
}

keys! {
    /// The keys of `[rehearsed]` besides the lines.
    pub(in crate::scenario) static CAST as RawCast;
    pace: Option<u64> = key(PACE_RANGE, "70", "Milliseconds per word.");
    utterances: Option<u32> = key(UTTERANCE_RANGE, "9",
        "Maximum turns with these lines, if that is below the limit of the scenario.");
}

pub(in crate::scenario) const CAST_LINES: ValueKind = LINES;

const TEMPLATE: ValueKind = ValueKind::TemplateOf(OF_REQUEST);
const TEMPLATES: ValueKind = ValueKind::Named(&TEMPLATE);

keys! {
    /// The keys of `http`, for participants and for voices of tests.
    pub static HTTP as RawHttp;
    url: Text = needed(TEMPLATE, r#""http://127.0.0.1:8000/chat""#,
        "Address; templates only after the host, where their values are escaped.");
    method: Option<Text> = key(ValueKind::OneOf(&["GET", "POST", "PUT", "PATCH"]), r#""POST""#,
        "Method (default: POST with a body or form, else GET).");
    headers: BTreeMap<Text, Text> = key(TEMPLATES, r#"{ Authorization = "Bearer {{ key }}" }"#,
        "Headers; only here may {{ key }} be used.");
    body: Value = key(ValueKind::Free, r#"{ message = "{{ message }}" }"#,
        "Body: a table or list is sent as JSON, with its texts filled in; a text alone is one template.");
    form: Option<BTreeMap<Text, Text>> = key(TEMPLATES, r#"{ text = "{{ message }}" }"#,
        "Fields of a form, in place of a body.");
    api_key_env: Option<Text> = key(ValueKind::Line, r#""MY_KEY""#,
        "Name of the environment variable with the key.");
    reply: Option<Or<Text, ReplyAt>> = key(ValueKind::AnyOf(&[ValueKind::Line, ValueKind::Table(REPLY_AT)]),
        r#""choices.0.message.content""#,
        "Path of the reply in the JSON answer, with * for all items, or a JSON pointer; \"text\" (default) is \
         the whole answer.");
    session: Option<SessionFrom> = key(ValueKind::Table(SESSION), r#"{ from = "id" }"#,
        "Where {{ session }} comes from (default: an id that the program makes). Cookies are kept in any case.");
    tools: Option<Text> = key(ValueKind::Line, r#""tool_calls.*.name""#,
        "Path of the names of the tools that the service used.");
}

keys! {
    static REPLY_AT;
    sse = key(ValueKind::Line, r#""choices.0.delta.content""#,
        "Path in each server-sent event, or \"text\" for events of plain text.");
    lines = key(ValueKind::Line, r#""response""#, "Path in each line of JSON.");
}

keys! {
    static SESSION;
    from = needed(ValueKind::Line, r#""id""#, "Path of the id in the first answer that has it.");
    url = key(TEMPLATE, r#""http://127.0.0.1:8000/sessions""#,
        "Address on the same host that opens the conversation, by POST, before the first message.");
    body = key(ValueKind::Free, r#"{ user = "{{ me.name }}" }"#, "Body of that request.");
}

keys! {
    /// The keys of `[[tool]]`.
    pub(super) static TOOL as RawTool;
    name: Option<Text> = needed(ValueKind::Line, r#""weather""#,
        "Name of letters, digits, hyphens and underscores.");
    about: Option<Text> = needed(ValueKind::Text, r#""The weather of a town.""#, "Description for models.");
    script: Vec<Text> = needed(ValueKind::List(&ValueKind::Line), r#"["./weather.py"]"#,
        "A program and its arguments: one JSON request in, the result out.");
    parameters = key(ValueKind::Schema, r#"{ type = "object", properties = { town = { type = "string" } } }"#,
        "JSON Schema of its arguments (default: no arguments).");
    read_only: bool = key(ValueKind::Flag, "true",
        "Whether the tool only reads; if not, you are asked before it runs.");
    timeout = key(ValueKind::Duration, r#""30s""#, "Timeout (default 30 s).");
}

keys! {
    /// The keys of `[[server]]`.
    pub(super) static SERVER as RawServer;
    name: Option<Text> = needed(ValueKind::Line, r#""files""#,
        "Name of letters, digits and hyphens; the names of its tools begin with it.");
    command: Option<Vec<Text>> = key(ValueKind::List(&ValueKind::Line),
        r#"["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]"#,
        "A program that speaks the Model Context Protocol on stdin and stdout, with its arguments.");
    url: Option<Text> = key(ValueKind::Line, r#""http://127.0.0.1:8000/mcp""#,
        "Or the address of one over HTTP.");
    read_only: Vec<Text> = key(ValueKind::List(&ValueKind::Line), r#"["read_text_file", "list_directory"]"#,
        "Its tools that only read; you are asked before any other runs.");
    timeout = key(ValueKind::Duration, r#""30s""#, "Timeout of a tool (default 30 s).");
}
