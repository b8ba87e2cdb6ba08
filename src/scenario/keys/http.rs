//! The keys of a participant's `http`.

use super::value::{Key, ValueKind, key, needed};
use crate::model::facts::OF_REQUEST;

const TEMPLATE: ValueKind = ValueKind::TemplateOf(OF_REQUEST);
const TEMPLATES: ValueKind = ValueKind::Named(&TEMPLATE);

/// The key of a participant.
pub(super) const SERVICE: Key = key(
    "http",
    ValueKind::Table(HTTP),
    r#"{ url = "http://127.0.0.1:8000/chat", body = { text = "{{ message }}" }, reply = "answer" }"#,
    "An HTTP service: one request for each reply. `help http` explains its keys.",
);

/// The keys of `http`, for participants and for voices of tests.
pub static HTTP: &[Key] = &[
    needed(
        "url",
        TEMPLATE,
        r#""http://127.0.0.1:8000/chat""#,
        "Address; templates only after the host, where their values are escaped.",
    ),
    key(
        "method",
        ValueKind::OneOf(&["GET", "POST", "PUT", "PATCH"]),
        r#""POST""#,
        "Method (default: POST with a body or form, else GET).",
    ),
    key(
        "headers",
        TEMPLATES,
        r#"{ Authorization = "Bearer {{ key }}" }"#,
        "Headers; only here may {{ key }} be used.",
    ),
    key(
        "body",
        ValueKind::Free,
        r#"{ message = "{{ message }}" }"#,
        "Body: a table or list is sent as JSON, with its texts filled in; a text alone is one template.",
    ),
    key(
        "form",
        TEMPLATES,
        r#"{ text = "{{ message }}" }"#,
        "Fields of a form, in place of a body.",
    ),
    key(
        "api_key_env",
        ValueKind::Line,
        r#""MY_KEY""#,
        "Name of the environment variable with the key.",
    ),
    key(
        "reply",
        ValueKind::AnyOf(&[ValueKind::Line, ValueKind::Table(REPLY_AT)]),
        r#""choices.0.message.content""#,
        "Path of the reply in the JSON answer, with * for all items, or a JSON pointer; \"text\" (default) is the \
         whole answer.",
    ),
    key(
        "session",
        ValueKind::Table(SESSION),
        r#"{ from = "id" }"#,
        "Where {{ session }} comes from (default: an id that the program makes). Cookies are kept in any case.",
    ),
    key(
        "tools",
        ValueKind::Line,
        r#""tool_calls.*.name""#,
        "Path of the names of the tools that the service used.",
    ),
];

static REPLY_AT: &[Key] = &[
    key(
        "sse",
        ValueKind::Line,
        r#""choices.0.delta.content""#,
        "Path in each server-sent event, or \"text\" for events of plain text.",
    ),
    key("lines", ValueKind::Line, r#""response""#, "Path in each line of JSON."),
];

static SESSION: &[Key] = &[
    needed("from", ValueKind::Line, r#""id""#, "Path of the id in the first answer that has it."),
    key(
        "url",
        TEMPLATE,
        r#""http://127.0.0.1:8000/sessions""#,
        "Address on the same host that opens the conversation, by POST, before the first message.",
    ),
    key("body", ValueKind::Free, r#"{ user = "{{ me.name }}" }"#, "Body of that request."),
];
