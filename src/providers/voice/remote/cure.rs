//! Cures of refused requests: the change to a request that its server asks for.

use super::adaptation::{Adaptations, Cure, FIELDS, Field, FieldRow, has};
use crate::model::Wire;
use serde_json::Value;

/// HTTP status of a successful answer.
pub(super) const SUCCESS: u16 = 200;
/// HTTP status of a failure.
const FAILED: u16 = 500;
/// Maximum number of changes to the request of one call.
pub(super) const CURES_MAX: usize = 4;
/// Maximum bytes of a message that are searched for names.
const SEARCHED_MAX: usize = 4_096;
/// Maximum words of a message in which a common word names a field without quotes.
const SHORT_WORDS: usize = 40;
/// Smallest limit that is taken from a message: smaller numbers are other counts.
const LIMIT_MIN: u32 = 16;

/// A refusal of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedRequest {
    /// HTTP status; 200 for an error in the place of an answer.
    pub status: u16,
    /// Body, or null if it is not JSON.
    pub body: Value,
    /// Body as text, as far as it is searched.
    pub text: String,
}

impl RefusedRequest {
    pub(super) fn new(status: u16, body: &[u8]) -> RefusedRequest {
        let text = String::from_utf8_lossy(body);
        let body = serde_json::from_str(text.trim()).unwrap_or_default();
        let end = text.floor_char_boundary(SEARCHED_MAX.min(text.len()));
        RefusedRequest { status, body, text: text[..end].to_owned() }
    }

    /// Creates the refusal of a request by an error in the place of an answer.
    pub(super) fn in_answer(error: &Value) -> RefusedRequest {
        RefusedRequest::new(SUCCESS, error.to_string().as_bytes())
    }

    /// Returns whether the words are about a model, so that the path is right.
    pub(super) fn speaks_of_models(&self) -> bool {
        let text = self.text.to_lowercase();
        ["model", "endpoint", "deployment", "not_found_error"]
            .iter()
            .any(|word| text.contains(word))
    }

    /// Returns whether the words send the call to the Responses API.
    pub(super) fn names_responses(&self) -> bool {
        let text = self.text.to_lowercase();
        let names = ["v1/responses", "/responses", "responses api"];
        self.may_be_cured() && names.iter().any(|name| text.contains(name))
    }

    /// Returns whether a changed request may succeed at this status.
    fn may_be_cured(&self) -> bool {
        matches!(self.status, SUCCESS | 400 | 404 | 405 | 415 | 422 | 501)
    }
}

/// The request that a server refused.
pub(super) struct Sent<'a> {
    /// Wire format of the request.
    pub wire: Wire,
    /// Usual wire format of the server.
    pub usual: Wire,
    /// The request without its messages.
    pub body: &'a Value,
    /// True if a message has the role of the system, or the request has instructions.
    pub instructs: bool,
    /// Changes of this request.
    pub adapted: &'a Adaptations,
}

impl Sent<'_> {
    /// Returns whether the request has a field.
    pub(super) fn has(&self, field: Field) -> bool {
        field.row().paths.iter().any(|path| has(self.body, path))
    }
}

/// Returns the change that a server asks for; `None` if it names nothing of the request.
pub(super) fn cure(refusal: &RefusedRequest, sent: &Sent) -> Option<Cure> {
    if !refusal.may_be_cured() {
        return None;
    }
    let error = error_of(&refusal.body);
    let message = message_of(error, refusal);
    let words = Words::new(&message);
    let new = |cure: Cure| (!sent.adapted.contains(cure)).then_some(cure);
    for named in named_parts(&refusal.body, error) {
        let parts = Words::new(&named);
        if parts.names_schema(sent) {
            return new(Cure::SimpleSchemas);
        }
        if sent.instructs && named.starts_with("messages") && named.contains("role") {
            return new(Cure::SystemIntoUser);
        }
        if let Some(row) = sent_row(sent, |name| parts.has(name)) {
            return of_field(row, &words, sent, true);
        }
    }
    if sent.instructs && words.refuses_instructions() {
        return new(Cure::SystemIntoUser);
    }
    if !words.refuses() {
        return None;
    }
    let row = sent_row(sent, |name| words.has(name));
    if row.is_none_or(|row| row.field == Field::Schema) && words.names_schema(sent) {
        return new(Cure::SimpleSchemas);
    }
    let row = row?;
    of_field(row, &words, sent, false)
}

/// Returns the change for a server that does not take tool calls, or not the schemas of these tools. Some answer with the
/// status of a missing model or of a failure.
pub(super) fn of_tools(refusal: &RefusedRequest, sent: &Sent) -> Option<Cure> {
    let is_status = refusal.may_be_cured() || refusal.status == FAILED;
    if !is_status || sent.body["tools"].is_null() || sent.adapted.contains(Cure::ToolsInText) {
        return None;
    }
    let error = error_of(&refusal.body);
    let words = Words::new(&message_of(error, refusal));
    let is_named = |part: &String| part.starts_with("tools") || part.starts_with("tool_choice");
    let is_named = named_parts(&refusal.body, error).iter().any(is_named);
    (words.refuses_tools() || is_named && words.refuses()).then_some(Cure::ToolsInText)
}

/// Returns the advice for a refusal without a cure; `None` if its words name nothing that a person can change.
pub(super) fn advice(quote: &str, provider: &str, model: &str) -> Option<String> {
    let words = Words::new(quote);
    let is_named = |row: &&FieldRow| {
        let last = |path: &&str| words.has(path.rsplit('.').next().unwrap_or(path));
        row.is_set && (words.has(row.name) || row.paths.iter().any(last))
    };
    let named: Vec<&str> = FIELDS.iter().filter(is_named).map(|row| row.name).collect();
    let says = |texts: &[&str]| texts.iter().any(|text| words.lower.contains(text));
    if !named.is_empty() {
        Some(format!("check {} of the participant", named.join(", ")))
    } else if says(&["tool use", "tools", "tool call", "function call", "functions"]) {
        Some(format!("set [models.\"{provider}:{model}\"] tools = \"text\" in the settings"))
    } else if says(&["roles must", "role", "chat template", "jinja"]) {
        Some("set layout = \"small\" for the participant".into())
    } else {
        None
    }
}

/// Returns the context window that a refusal states for a prompt that is too long.
pub(super) fn stated_window(refusal: &RefusedRequest) -> Option<Cure> {
    let message = message_of(error_of(&refusal.body), refusal).to_lowercase();
    let starts = [
        "maximum context length is ",
        "context length is only ",
        "maximum context length of ",
        "context window of ",
        "context size (",
        "maximum prompt length is ",
    ];
    let found = starts.iter().find_map(|start| number_after(&message, start))?;
    (found >= LIMIT_MIN).then_some(Cure::Window(found))
}

/// Returns the row of a field of the request with a matching name, in any wire format.
fn sent_row(sent: &Sent, is_named: impl Fn(&str) -> bool) -> Option<&'static FieldRow> {
    FIELDS.iter().find(|row| {
        let is_sent = row.paths.iter().any(|path| has(sent.body, path));
        let last = |path: &&str| is_named(path.rsplit('.').next().unwrap_or(path));
        is_sent && (is_named(row.name) || row.paths.iter().any(last))
    })
}

/// Returns the change of a refused field.
fn of_field(row: &'static FieldRow, words: &Words, sent: &Sent, structured: bool) -> Option<Cure> {
    let new = |cure: Cure| (!sent.adapted.contains(cure)).then_some(cure);
    let sent_as = row.renames.iter().find(|name| has(sent.body, name));
    let is_renamed =
        sent.adapted.iter().any(|cure| matches!(cure, Cure::Rename(of, _) if of == row.field));
    if let (Some(sent_as), false) = (sent_as, is_renamed) {
        let other = |name: &&&'static str| *name != sent_as && words.has(name);
        if let Some(to) = row.renames.iter().find(other) {
            return new(Cure::Rename(row.field, to));
        }
    }
    if row.field == Field::MostTokens {
        if let Some(most) = words.limit() {
            let is_less = row.paths.iter().any(|path| {
                let value = path.split('.').try_fold(sent.body, |inside, name| inside.get(name));
                value.and_then(Value::as_u64).is_some_and(|sent| sent > u64::from(most))
            });
            return if is_less { new(Cure::MostTokens(most)) } else { None };
        }
        // the other name of the API that has two; a limit is never left out
        let swapped = match sent_as.copied() {
            Some("max_tokens") => "max_completion_tokens",
            Some("max_completion_tokens") => "max_tokens",
            Some(_) | None => return None,
        };
        let is_refused = structured || words.refuses();
        return (is_refused && !is_renamed).then_some(Cure::Rename(row.field, swapped));
    }
    new(Cure::LeaveOut(row.field))
}

/// Returns the error object of a body; Google wraps it in a list.
fn error_of(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    if body["error"].is_null() { body } else { &body["error"] }
}

/// Returns the message of a refusal, in the places in which servers write it.
fn message_of(error: &Value, refusal: &RefusedRequest) -> String {
    let places = [&error["message"], error, &error["error"], &error["detail"], &error["msg"]];
    let mut message = match places.into_iter().find_map(Value::as_str) {
        Some(message) => message.to_owned(),
        None => refusal.text.clone(),
    };
    // OpenRouter puts the words of the provider behind its own
    if let Some(raw) = error["metadata"]["raw"].as_str() {
        message.push(' ');
        message.push_str(raw);
    }
    message.truncate(message.floor_char_boundary(SEARCHED_MAX.min(message.len())));
    message
}

/// Returns the parts of a request that an error names in its structure.
fn named_parts(body: &Value, error: &Value) -> Vec<String> {
    let mut named: Vec<String> = vec![];
    named.extend(error["param"].as_str().map(Into::into));
    for details in
        [&body["detail"], &error["detail"], &error["message"]["detail"], &body["message"]["detail"]]
    {
        for detail in details.as_array().into_iter().flatten() {
            let place = detail["loc"].as_array().into_iter().flatten();
            let place = place.filter_map(Value::as_str).filter(|part| *part != "body");
            let place: Vec<&str> = place.collect();
            named.push(place.join("."));
        }
    }
    for detail in error["details"].as_array().into_iter().flatten() {
        for violation in detail["fieldViolations"].as_array().into_iter().flatten() {
            named.extend(violation["field"].as_str().map(Into::into));
        }
    }
    named.retain(|name| !name.is_empty());
    named
}

/// Words about schemas, with the keywords that a simple one lacks.
const SCHEMA_WORDS: [&str; 20] = [
    "schema",
    "parameters",
    "parametersJsonSchema",
    "additionalProperties",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "uniqueItems",
    "const",
    "default",
    "oneOf",
    "anyOf",
    "allOf",
    "$ref",
    "$schema",
    "examples",
];

/// A server's message, in lower case and as a list of its words.
struct Words {
    lower: String,
    /// Words without underscores, so that `top_p` and `topP` are one name.
    list: Vec<String>,
}

impl Words {
    fn new(message: &str) -> Words {
        let lower = message.to_lowercase().replace('\u{2019}', "'");
        let parts = lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let list = parts.filter(|word| !word.is_empty()).map(plain).collect();
        Words { lower, list }
    }

    fn has(&self, name: &str) -> bool {
        if !self.list.contains(&plain(name)) {
            return false;
        }
        // a common word in a long text is probably not the field
        let is_quoted =
            |mark: char| self.lower.contains(&format!("{mark}{}{mark}", name.to_lowercase()));
        let is_a_name = name.contains('_') || self.list.len() <= SHORT_WORDS;
        is_a_name || ['\'', '"', '`'].into_iter().any(is_quoted)
    }

    /// Returns whether the message refuses a part of the request.
    fn refuses(&self) -> bool {
        [
            "unsupported",
            "not supported",
            "not support",
            "n't support",
            "unrecognized",
            "unrecognised",
            "unknown",
            "unexpected",
            "not permitted",
            "not allowed",
            "extra inputs",
            "extra fields",
            "extra_forbidden",
            "invalid",
            "not accept",
            "n't accept",
            "not available",
            "not enabled",
            "not implemented",
            "cannot be used",
            "can't be used",
            "cannot be set",
            "cannot both",
            "cannot be specified",
            "can't be specified",
            "not recognized",
            "not valid",
            "no such field",
            "cannot find field",
            "deprecated",
            "only the default",
            "is too large",
            "is the maximum",
            "cannot exceed",
            "must not exceed",
            "exceeds",
            "must be",
            "should be",
            "not compatible",
            "incompatible",
            "unable to",
            "failed to",
        ]
        .iter()
        .any(|phrase| self.lower.contains(phrase))
    }

    /// Returns whether the message refuses messages with the role of the system.
    fn refuses_instructions(&self) -> bool {
        let named = [
            "system role",
            "role system",
            "role 'system'",
            "role \"system\"",
            "role `system`",
            "'system' role",
            "system message",
            "system prompt",
            "system instruction",
            "system_instruction",
            "systeminstruction",
            "developer instruction",
            "role: system",
            "role 'developer'",
        ];
        // templates of models without instructions
        let alone = ["roles must alternate", "only user and assistant roles"];
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| self.lower.contains(phrase));
        says(&alone) || self.refuses() && says(&named)
    }

    /// Returns whether the message refuses tool calls as such.
    fn refuses_tools(&self) -> bool {
        let named = [
            "tools",
            "tool use",
            "tool_use",
            "tool call",
            "tool choice",
            "tool_choice",
            "function call",
            "functions",
        ];
        let refused = [
            "unsupported",
            "not support",
            "n't support",
            "unrecognized",
            "not permitted",
            "not allowed",
            "not available",
            "not enabled",
            "not implemented",
            "not accept",
            "cannot be used",
            "unknown field",
            "unknown parameter",
            "no endpoints found",
            "requires --",
        ];
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| self.lower.contains(phrase));
        says(&named) && says(&refused)
    }

    /// Returns whether the words name a schema of the request, or one of its keywords, that can be made simpler.
    fn names_schema(&self, sent: &Sent) -> bool {
        let mut simpler = sent.body.clone();
        Adaptations::from_iter([Cure::SimpleSchemas]).apply(&mut simpler);
        let names = |name: &str| self.list.contains(&plain(name));
        simpler != *sent.body && SCHEMA_WORDS.iter().any(|word| names(word))
    }

    /// Returns the limit that the message states.
    fn limit(&self) -> Option<u32> {
        let starts = [
            "at most ",
            "less than or equal to ",
            "maximum of ",
            "maximum is ",
            "maximum value is ",
            "up to ",
            "cannot exceed ",
            "must not exceed ",
            "<= ",
            "\u{2264} ",
            "maximum allowed number of output tokens for this model is ",
            "> ",
        ];
        let found = starts.iter().find_map(|start| number_after(&self.lower, start))?;
        (found >= LIMIT_MIN).then_some(found)
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the number after a phrase; commas between digits are skipped.
fn number_after(text: &str, phrase: &str) -> Option<u32> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let rest = &text[at + phrase.len()..];
        let digits = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',');
        digits.filter(|c| *c != ',').collect::<String>().parse().ok()
    })
}

#[cfg(test)]
mod tests;
