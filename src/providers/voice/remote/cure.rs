//! Cures of refused requests: the change to a request that its server asks for.

use super::adaptation::{Adaptations, Cure, at};
use super::known::{Field, FieldRow, KNOWN, LIMIT, SCHEMA, says};
use crate::model::Wire;
use serde_json::{Value, json};

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
        says(&self.text.to_lowercase(), &KNOWN.phrases.model)
    }

    /// Returns whether the words send the call to the Responses API.
    pub(super) fn names_responses(&self) -> bool {
        self.may_be_cured() && says(&self.text.to_lowercase(), &KNOWN.phrases.responses)
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
    pub(super) fn has(&self, field: &FieldRow) -> bool {
        field.paths().any(|path| at(self.body, path).is_some())
    }
}

/// Returns the change that a server asks for; `None` if it names nothing of the request.
pub(super) fn cure(refusal: &RefusedRequest, sent: &Sent) -> Option<Cure> {
    let words = Words::from_refusal(refusal);
    let new = |cure: Cure| (!sent.adapted.contains(cure)).then_some(cure);
    if !refusal.may_be_cured() {
        // the template of a model fails inside its server
        let is_template = refusal.status == FAILED && words.refuses_instructions();
        return if is_template && sent.instructs { new(Cure::SystemIntoUser) } else { None };
    }
    for named in named_parts(&refusal.body) {
        let parts = Words::new(&named);
        if parts.names_schema(sent) {
            return new(Cure::SimpleSchemas);
        }
        if sent.instructs && named.starts_with("messages") && named.contains("role") {
            return new(Cure::SystemIntoUser);
        }
        if let Some(field) = named_field(sent, &parts) {
            return of_field(field, &words, sent, true);
        }
    }
    if sent.instructs && words.refuses_instructions() {
        return new(Cure::SystemIntoUser);
    }
    if !words.refuses() {
        return None;
    }
    let field = named_field(sent, &words);
    if field.is_none_or(|field| field.name == SCHEMA) && words.names_schema(sent) {
        return new(Cure::SimpleSchemas);
    }
    of_field(field?, &words, sent, false)
}

/// Returns the change for a server that does not take tool calls, or not the schemas of these tools. Some answer with the
/// status of a missing model or of a failure.
pub(super) fn of_tools(refusal: &RefusedRequest, sent: &Sent) -> Option<Cure> {
    let is_status = refusal.may_be_cured() || refusal.status == FAILED;
    if !is_status || sent.body["tools"].is_null() || sent.adapted.contains(Cure::ToolsInText) {
        return None;
    }
    let words = Words::from_refusal(refusal);
    let is_named = |part: &String| part.starts_with("tools") || part.starts_with("tool_choice");
    let is_named = named_parts(&refusal.body).iter().any(is_named);
    (words.refuses_tools() || is_named && words.refuses()).then_some(Cure::ToolsInText)
}

/// Returns the advice for a refusal without a cure; `None` if its words name nothing that a person can change.
pub(super) fn advice(quote: &str, provider: &str, model: &str) -> Option<String> {
    let words = Words::new(quote);
    let fields = KNOWN.field.iter().filter(|field| field.is_set);
    let named = fields.filter(|field| field.is_named(|name| words.has(name)));
    let named: Vec<&str> = named.map(|field| &*field.name).collect();
    if !named.is_empty() {
        Some(format!("check {} of the participant", named.join(", ")))
    } else if says(&words.lower, &KNOWN.phrases.tools) {
        Some(format!("set [models.\"{provider}:{model}\"] tools = \"text\" in the settings"))
    } else if ["role", "chat template", "jinja"].iter().any(|text| words.lower.contains(text)) {
        Some("set layout = \"small\" for the participant".into())
    } else {
        None
    }
}

/// Returns the context window that a refusal states for a prompt that is too long.
pub(super) fn stated_window(refusal: &RefusedRequest) -> Option<Cure> {
    let words = Words::from_refusal(refusal);
    words.number_after(&KNOWN.phrases.window).map(Cure::Window)
}

/// Returns the first field of the request that the words name, in any wire format.
fn named_field(sent: &Sent, words: &Words) -> Option<Field> {
    let mut fields = KNOWN.field.iter().filter(|field| sent.has(field));
    fields.find(|field| field.is_named(|name| words.has(name)))
}

/// Returns the change of a refused field.
fn of_field(field: Field, words: &Words, sent: &Sent, structured: bool) -> Option<Cure> {
    let new = |cure: Cure| (!sent.adapted.contains(cure)).then_some(cure);
    let sent_as = field.renames.iter().find(|name| at(sent.body, name).is_some());
    let is_renamed =
        sent.adapted.iter().any(|cure| matches!(cure, Cure::Rename(of, _) if of == field));
    if let (Some(sent_as), false) = (sent_as, is_renamed) {
        let other = |name: &&String| *name != sent_as && words.has(name);
        if let Some(to) = field.renames.iter().find(other) {
            return new(Cure::Rename(field, to));
        }
    }
    if field.name != LIMIT {
        return new(Cure::LeaveOut(field));
    }
    if let Some(most) = words.number_after(&KNOWN.phrases.limit) {
        let mut values = field.paths().filter_map(|path| at(sent.body, path)?.as_u64());
        let is_less = values.any(|sent| sent > u64::from(most));
        return if is_less { new(Cure::MostTokens(most)) } else { None };
    }
    // the other name of the API that has two; a limit is never left out
    let swapped = match &**sent_as? {
        "max_tokens" => "max_completion_tokens",
        "max_completion_tokens" => "max_tokens",
        _ => return None,
    };
    let is_refused = structured || words.refuses();
    (is_refused && !is_renamed).then_some(Cure::Rename(field, swapped))
}

/// Returns whether a body reports an error; some servers always have the field.
pub(in crate::voice) fn has_error(body: &Value) -> bool {
    let nothing = [Value::Null, json!({}), json!(""), json!(false)];
    !nothing.contains(&body["error"]) || body["object"] == "error"
}

/// Returns the error object of a body; Google wraps it in a list.
pub(super) fn error_of(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    if body["error"].is_null() { body } else { &body["error"] }
}

/// Returns the message of a refusal, in the places in which servers write it, or the first rejected field with its
/// reason, as in `stop: Extra inputs are not permitted`. The rejected value is left out.
pub(super) fn message_of(body: &Value) -> Option<String> {
    let whole = body.get(0).unwrap_or(body);
    let error = error_of(body);
    let details = [
        &error["detail"],
        &whole["detail"],
        &whole["base_resp"]["status_msg"],
        &whole["errors"][0]["message"],
    ];
    let places = [&error["message"], error, &error["error"], &whole["message"], &error["msg"]];
    let message = places.into_iter().chain(details).find_map(Value::as_str);
    message.map(str::to_owned).or_else(|| {
        let (place, why) = details_of(body).into_iter().find(|(_, why)| !why.is_empty())?;
        Some(if place.is_empty() { why.to_owned() } else { format!("{place}: {why}") })
    })
}

/// Returns the rejected parts of a request that a server validates field by field, with their reasons.
fn details_of(body: &Value) -> Vec<(String, &str)> {
    let error = error_of(body);
    let places = [error, body, &error["message"], &body["message"]];
    let all = places.into_iter().filter_map(|place| place["detail"].as_array()).flatten();
    let read = all.filter_map(|detail| {
        let place = detail["loc"].as_array()?.iter().filter_map(Value::as_str);
        let place: Vec<&str> = place.filter(|part| *part != "body").collect();
        Some((place.join("."), detail["msg"].as_str().unwrap_or_default()))
    });
    read.collect()
}

/// Returns the parts of a request that an error names in its structure.
fn named_parts(body: &Value) -> Vec<String> {
    let error = error_of(body);
    let mut named: Vec<String> = vec![];
    named.extend(error["param"].as_str().map(Into::into));
    named.extend(details_of(body).into_iter().map(|(place, _)| place));
    for detail in error["details"].as_array().into_iter().flatten() {
        for violation in detail["fieldViolations"].as_array().into_iter().flatten() {
            named.extend(violation["field"].as_str().map(Into::into));
        }
    }
    named.retain(|name| !name.is_empty());
    named
}

/// A server's message, in lower case and as a list of its words.
struct Words {
    lower: String,
    /// Words without underscores, so that `top_p` and `topP` are one name.
    list: Vec<String>,
}

impl Words {
    /// Reads the message of a refusal; OpenRouter puts the words of the provider behind its own.
    fn from_refusal(refusal: &RefusedRequest) -> Words {
        let message = message_of(&refusal.body).unwrap_or_else(|| refusal.text.clone());
        let raw = error_of(&refusal.body)["metadata"]["raw"].as_str().unwrap_or_default();
        let message = format!("{message} {raw}");
        Words::new(&message[..message.floor_char_boundary(SEARCHED_MAX.min(message.len()))])
    }

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
        says(&self.lower, &KNOWN.phrases.refused)
    }

    /// Returns whether the message refuses messages with the role of the system.
    fn refuses_instructions(&self) -> bool {
        says(&self.lower, &KNOWN.phrases.templates)
            || self.refuses() && says(&self.lower, &KNOWN.phrases.instructions)
    }

    /// Returns whether the message refuses tool calls as such.
    fn refuses_tools(&self) -> bool {
        let phrases = &KNOWN.phrases;
        says(&self.lower, &phrases.tools) && says(&self.lower, &phrases.tools_refused)
    }

    /// Returns whether the words name a schema of the request, or one of its keywords, that can be made simpler.
    fn names_schema(&self, sent: &Sent) -> bool {
        let mut simpler = sent.body.clone();
        Adaptations::from_iter([Cure::SimpleSchemas]).apply(&mut simpler);
        simpler != *sent.body && KNOWN.phrases.schema.iter().any(|word| self.list.contains(word))
    }

    /// Returns the limit behind one of some phrases; commas between its digits are skipped.
    fn number_after(&self, phrases: &[String]) -> Option<u32> {
        let found = phrases.iter().find_map(|phrase| {
            self.lower.match_indices(&**phrase).find_map(|(at, _)| {
                let rest = &self.lower[at + phrase.len()..];
                let digits = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',');
                digits.filter(|c| *c != ',').collect::<String>().parse().ok()
            })
        });
        found.filter(|limit| *limit >= LIMIT_MIN)
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests;
