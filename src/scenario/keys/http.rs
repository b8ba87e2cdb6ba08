//! The keys of a participant's `http`.

use super::value::{ValueKind, key, keys, needed};
use crate::model::facts::OF_REQUEST;
use crate::model::{ReplyAt, SessionFrom, Text};
use crate::scenario::tree::Or;
use serde_json::Value;
use std::collections::BTreeMap;

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
