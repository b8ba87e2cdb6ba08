//! The request to a service: templates, their values, and the finished parts.

use crate::expr::{Condition, ExprError, Facts, Template};
use crate::model::http::{KEY, SESSION};
use crate::model::{Block, HttpSpec, Purpose, Text};
use crate::voice::CallRequest;
use crate::voice::script::request as scripted;
use crate::{net, text};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Placeholder of the key until a header is sent.
pub(super) const KEY_MARK: &str = "\u{1}key\u{1}";
/// Placeholder of identifiers in the text by which a recorded reply is found.
const ANY: &str = "…";
/// Name of the operator in messages.
const OPERATOR: &str = "operator";
/// Name of a summary of earlier messages.
const SUMMARY: &str = "summary";

/// A request without its key.
#[derive(Clone, Debug)]
pub(super) struct RenderedRequest {
    pub(super) url: String,
    pub(super) method: String,
    pub(super) headers: Vec<(String, String)>,
    /// Headers with [`KEY_MARK`] in place of the key.
    pub(super) secrets: Vec<(String, String)>,
    pub(super) body: Option<String>,
}

/// The compiled templates of a service.
#[derive(Clone)]
pub(super) struct Templates {
    url: Template,
    headers: BTreeMap<Text, Template>,
    form: BTreeMap<Text, Template>,
    body: Body,
    opening: Option<(Template, Body)>,
}

/// Template of a body.
#[derive(Clone)]
enum Body {
    None,
    Text(Template),
    Json(Part),
}

/// Template of a JSON value.
#[derive(Clone)]
enum Part {
    Fixed(Value),
    Text(Template),
    /// A text that is one expression; its value keeps its type.
    Value(Condition),
    List(Vec<Part>),
    Table(Vec<(String, Part)>),
}

impl Templates {
    /// Compiles all templates of a service.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub(super) fn compile(spec: &HttpSpec) -> Result<Templates, String> {
        let opening = match &spec.session {
            Some(from) => match &from.url {
                Some(url) => Some((
                    compiled("session.url", url)?,
                    Body::compile("session.body", &from.body)?,
                )),
                None => None,
            },
            None => None,
        };
        Ok(Templates {
            url: compiled("url", &spec.url)?,
            headers: all("headers", &spec.headers)?,
            form: all("form", &spec.form)?,
            body: Body::compile("body", &spec.body)?,
            opening,
        })
    }

    /// Returns the request for a reply.
    ///
    /// # Errors
    /// The first template that fails.
    pub(super) fn request(
        &self,
        spec: &HttpSpec,
        facts: &Value,
    ) -> Result<RenderedRequest, String> {
        let fields = render_all("form", &self.form, &Facts::new(facts))?;
        let form = (!fields.is_empty())
            .then(|| net::form(fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
        let body = match form {
            Some(form) => Some((form, "application/x-www-form-urlencoded")),
            None => self.body.render("body", facts)?,
        };
        self.finish("url", &self.url, &spec.method, body, facts)
    }

    /// Returns the request that opens a conversation.
    ///
    /// # Errors
    /// The first template that fails.
    pub(super) fn opening(
        &self,
        spec: &HttpSpec,
        facts: &Value,
    ) -> Result<RenderedRequest, String> {
        let Some((url, body)) = &self.opening else { return self.request(spec, facts) };
        let body = body.render("session.body", facts)?;
        self.finish("session.url", url, "POST", body, facts)
    }

    fn finish(
        &self,
        place: &str,
        url: &Template,
        method: &str,
        body: Option<(String, &str)>,
        facts: &Value,
    ) -> Result<RenderedRequest, String> {
        let url = url.render(&Facts::new(escaped(facts))).map_err(|e| fault(place, &e))?;
        let mut with_key = facts.clone();
        with_key[KEY] = KEY_MARK.into();
        let mut headers = render_all("headers", &self.headers, &Facts::new(&with_key))?;
        let has_kind = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if let (Some((_, kind)), false) = (&body, has_kind) {
            headers.push(("content-type".to_owned(), (*kind).to_owned()));
        }
        let (secrets, headers) =
            headers.into_iter().partition(|(_, value)| value.contains(KEY_MARK));
        let body = body.map(|(body, _)| body);
        Ok(RenderedRequest { url, method: method.to_owned(), headers, secrets, body })
    }
}

impl Body {
    fn compile(place: &str, body: &Value) -> Result<Body, String> {
        Ok(match body {
            Value::Null => Body::None,
            Value::String(text) => Body::Text(compiled(place, text)?),
            value => Body::Json(Part::compile(place, value)?),
        })
    }

    /// Returns the body with its content type.
    fn render(&self, place: &str, facts: &Value) -> Result<Option<(String, &'static str)>, String> {
        Ok(match self {
            Body::None => None,
            Body::Text(template) => {
                let text = template.render(&Facts::new(facts)).map_err(|e| fault(place, &e))?;
                let is_json = text.trim_start().starts_with(['{', '['])
                    && serde_json::from_str::<Value>(&text).is_ok();
                Some((text, if is_json { "application/json" } else { "text/plain; charset=utf-8" }))
            }
            Body::Json(part) => {
                Some((part.render(place, &Facts::new(facts))?.to_string(), "application/json"))
            }
        })
    }
}

impl Part {
    fn compile(place: &str, value: &Value) -> Result<Part, String> {
        Ok(match value {
            Value::String(text) => match expression(text) {
                Some(inside) => {
                    Part::Value(Condition::compile(inside).map_err(|e| fault(place, &e))?)
                }
                None => Part::Text(compiled(place, text)?),
            },
            Value::Array(items) => {
                let items = items.iter().map(|item| Part::compile(place, item));
                Part::List(items.collect::<Result<_, _>>()?)
            }
            Value::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), Part::compile(place, value)?)));
                Part::Table(entries.collect::<Result<_, String>>()?)
            }
            fixed => Part::Fixed(fixed.clone()),
        })
    }

    fn render(&self, place: &str, facts: &Facts) -> Result<Value, String> {
        let fault = |e: ExprError| fault(place, &e);
        Ok(match self {
            Part::Fixed(value) => value.clone(),
            Part::Text(template) => template.render(facts).map_err(fault)?.into(),
            Part::Value(expression) => expression.value(facts).map_err(fault)?,
            Part::List(items) => {
                let items = items.iter().map(|item| item.render(place, facts));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Part::Table(entries) => {
                let entries =
                    entries.iter().map(|(key, part)| Ok((key.clone(), part.render(place, facts)?)));
                Value::Object(entries.collect::<Result<Map<_, _>, String>>()?)
            }
        })
    }
}

/// Returns the inside of a text that is exactly one expression tag.
fn expression(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!inside.contains(['{', '}'])).then(|| inside.trim_matches('-').trim())
}

fn compiled(place: &str, source: &str) -> Result<Template, String> {
    Template::compile(source).map_err(|e| fault(place, &e))
}

fn all(place: &str, texts: &BTreeMap<Text, Text>) -> Result<BTreeMap<Text, Template>, String> {
    let compile = |(name, text): (&Text, &Text)| {
        Ok((name.clone(), compiled(&format!("{place}.{name}"), text)?))
    };
    texts.iter().map(compile).collect()
}

fn render_all(
    place: &str,
    templates: &BTreeMap<Text, Template>,
    facts: &Facts,
) -> Result<Vec<(String, String)>, String> {
    let render = |(name, template): (&Text, &Template)| {
        let text = template.render(facts);
        Ok((name.to_string(), text.map_err(|e| fault(&format!("{place}.{name}"), &e))?))
    };
    templates.iter().map(render).collect()
}

fn fault(place: &str, error: &ExprError) -> String {
    format!("http.{place}: {error}")
}

/// Returns the values for templates: those of a script, and the messages. Hidden characters of others are removed.
/// `is_known` tells whether the service has the conversation so far.
pub(super) fn facts(ask: &CallRequest, session: Option<&str>, is_known: bool) -> Value {
    let mut facts = scripted::request(ask);
    facts["messages"] = messages(ask).into();
    facts["message"] = message(ask, is_known).into();
    // neither can the words of others contain the mark of the key
    facts = text::forwarded_value(&facts);
    facts[SESSION] = session.into();
    facts
}

/// Returns the messages that the participant sees, with `name`, `role` and `text`.
fn messages(ask: &CallRequest) -> Vec<Value> {
    let message = |block: &Block| match block {
        Block::Own { text, .. } => {
            json!({"name": ask.seat.name, "role": "assistant", "text": text})
        }
        Block::Other { name, text, .. } => json!({"name": name, "role": "user", "text": text}),
        Block::Summary { text } => json!({"name": SUMMARY, "role": "user", "text": text}),
        Block::Operator { text, .. } => json!({"name": OPERATOR, "role": "user", "text": text}),
    };
    ask.prompt.blocks.iter().map(message).collect()
}

/// Returns the newest words for a participant: one message as it is, several with their names. A vote or judgement gets
/// its task instead, and the first speaker the topic.
fn message(ask: &CallRequest, is_known: bool) -> String {
    if ask.purpose != Purpose::Speak
        && let Some(task) = &ask.prompt.task
    {
        return task.to_string();
    }
    let all = messages(ask);
    let own = all.iter().rposition(|m| m["role"] == "assistant").map_or(0, |at| at + 1);
    let new = all.get(if is_known { own } else { 0 }..).unwrap_or_default();
    let part = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    match new {
        [] => {
            let topic = ask.facts.get("topic").and_then(Value::as_str);
            let task = ask.prompt.task.as_deref();
            topic.or(task).unwrap_or_default().to_owned()
        }
        [one] => part(one, "text"),
        several => {
            let lines = several.iter().map(|m| format!("{}: {}", part(m, "name"), part(m, "text")));
            lines.collect::<Vec<_>>().join("\n\n")
        }
    }
}

/// Returns values with all their texts escaped for a URL.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => net::escape(text).into(),
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), escaped(value))).collect()
        }
        other => other.clone(),
    }
}

/// Returns the request as text, without its host and key and with `…` in place of the conversation's identifier: the identity of
/// a recorded reply.
pub fn preview(spec: &HttpSpec, ask: &CallRequest) -> String {
    let facts = facts(ask, Some(ANY), true);
    let rendered = Templates::compile(spec).and_then(|t| t.request(spec, &facts));
    match rendered {
        Ok(rendered) => {
            let headers = rendered.headers.iter().chain(&rendered.secrets);
            let headers = headers.map(|(name, value)| format!("{name}: {value}\n"));
            let headers = headers.collect::<String>().replace(KEY_MARK, "***");
            let url = rendered.url.strip_prefix(spec.place()).unwrap_or(&rendered.url);
            let url = url.replace(&net::escape(ANY), ANY);
            let body = rendered.body.unwrap_or_default();
            format!("{} {url}\n{headers}\n{body}", rendered.method)
        }
        // the call reports the fault
        Err(why) => why,
    }
}
