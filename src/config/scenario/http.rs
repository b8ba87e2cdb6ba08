//! Resolves `http`, the voice of an HTTP service, in scenarios and in tests.

use super::check::Walk;
use super::fault::Gravity;
use super::keys::RawHttp;
use super::tree::{At, Or, Value, quote};
use crate::expr::Template;
use crate::model::facts::OF_REQUEST;
use crate::model::http::KEY;
use crate::model::{HttpSpec, ReplyAt};

/// Headers that the connection sets.
const RESERVED: [&str; 5] = ["host", "content-length", "transfer-encoding", "connection", "cookie"];
/// Parts of the names of headers that carry secrets.
const SECRET: [&str; 5] = ["authorization", "api-key", "apikey", "token", "secret"];
/// Maximum nesting of a body.
const DEPTH_MAX: usize = 16;
/// Word for the whole answer as the reply.
const TEXT: &str = "text";

impl From<RawHttp> for HttpSpec {
    fn from(raw: RawHttp) -> HttpSpec {
        let sends = !raw.body.is_null() || raw.form.is_some();
        let method = raw.method.unwrap_or_else(|| if sends { "POST" } else { "GET" }.into());
        HttpSpec {
            url: raw.url,
            method,
            headers: raw.headers,
            body: raw.body,
            form: raw.form.unwrap_or_default(),
            api_key_env: raw.api_key_env,
            reply: match raw.reply {
                Some(Or::Short(word)) if &*word == TEXT => ReplyAt::Text,
                Some(Or::Short(path)) => ReplyAt::Path(path),
                Some(Or::Long(reply)) => reply,
                None => ReplyAt::Text,
            },
            session: raw.session,
            tools: raw.tools,
        }
    }
}

/// Returns the service of a checked `http`.
pub fn service(at: &At<'_>) -> HttpSpec {
    at.node.read::<RawHttp>().into()
}

/// Reports addresses, headers, bodies and keys that cannot be used or would leak.
pub fn check(walk: &mut Walk<'_>, at: &At<'_>) {
    let url = at.get("url");
    let session = at.get("session");
    let opening = at.place("session").get("url");
    for url in [&url, &opening].into_iter().flatten() {
        if url.node.text().is_some() && HttpSpec::origin(url.text()).is_none() {
            let message = format!("{} has no fixed host", quote(url.text()));
            let fix = "begin with http://HOST/ or https://HOST/, without a template, user or password in it";
            walk.fault(url, message, fix);
        }
    }
    if let (Some(url), Some(opening)) = (&url, &opening)
        && let (Some(one), Some(other)) =
            (HttpSpec::origin(url.text()), HttpSpec::origin(opening.text()))
        && one != other
    {
        let fix = format!("use an address that begins with {one}");
        walk.fault(opening, "is on another host", fix);
    }
    for body in [at.get("body"), at.place("session").get("body")].into_iter().flatten() {
        templates(walk, &body, 0);
    }
    if let (Some(form), Some(_)) = (at.get("form"), at.get("body")) {
        walk.fault(&form, "is a second body beside `body`", "keep one of them");
    }
    if let (Some("GET"), Some(body)) = (at.word("method"), at.get("body").or(at.get("form"))) {
        let body = At { path: at.path.clone(), ..body };
        walk.fault(&body, "GET sends no body", "use POST, or put the message into the url");
    }
    let reply = at.get("reply");
    if let Some(reply) = &reply
        && reply.node.text().is_none()
        && reply.node.entries().len() != 1
    {
        walk.fault(
            reply,
            "takes one of `sse` and `lines`",
            r#"as in reply = { sse = "delta.text" }"#,
        );
    }
    let is_text = reply.is_none_or(|reply| reply.text() == TEXT);
    if let (Some(session), None, true) = (session, &opening, is_text) {
        let fix = "set reply to a path, or add the url that opens a conversation";
        walk.fault(&session, "a text has no id", fix);
    }
    key(walk, at);
}

/// Checks the name of the key's variable, and the places that use the key.
fn key(walk: &mut Walk<'_>, at: &At<'_>) {
    let variable = at.get("api_key_env");
    if let Some(name) = &variable
        && !is_variable(name.text())
    {
        walk.fault(name, "takes the name of a variable", r#"as in api_key_env = "MY_KEY""#);
    }
    let mut used = false;
    for (header, at) in at.get("headers").iter().flat_map(At::entries) {
        let name = header.to_ascii_lowercase();
        let token = |c: char| c.is_ascii_alphanumeric() || "-_.!#$%&'*+^`|~".contains(c);
        if name.is_empty() || !name.chars().all(token) {
            walk.fault(&at, "is no name of a header", "as in X-Tenant");
        } else if RESERVED.contains(&&*name) {
            walk.fault(&at, "is set by the program", "remove it");
        } else if SECRET.iter().any(|part| name.contains(part)) && !at.text().contains("{{") {
            let message = "has a key that would be saved with each conversation";
            let fix = format!("set api_key_env = \"MY_KEY\" and {header} = \"{{{{ key }}}}\"");
            walk.fault(&at.clone().value(), message, fix);
        }
        used |= uses_key(at.text());
    }
    match (variable, used) {
        (None, true) => {
            let fix = r#"add api_key_env = "MY_KEY", the name of the variable with the key"#;
            let headers = At { span: at.span, ..at.place("headers") };
            walk.fault(&headers, "uses `key` and names none", fix);
        }
        (Some(name), false) => {
            let fix = r#"as in headers = { Authorization = "Bearer {{ key }}" }"#;
            walk.fault(&name, "is used by no header", fix);
        }
        (None, false) | (Some(_), true) => {}
    }
    let form = at.get("form").into_iter().flat_map(|form| form.values());
    let urls = at.get("url").into_iter().chain(at.place("session").get("url"));
    for text in form.map(|(_, text)| text).chain(urls) {
        no_key(walk, &At { path: at.path.clone(), ..text });
    }
}

fn no_key(walk: &mut Walk<'_>, at: &At<'_>) {
    if uses_key(at.text()) {
        let fix = r#"as in headers = { Authorization = "Bearer {{ key }}" }"#;
        walk.fault(at, "`key` is for headers only", fix);
    }
}

fn uses_key(text: &str) -> bool {
    Template::compile(text).is_ok_and(|template| template.names().any(|(name, _)| name == KEY))
}

fn is_variable(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.chars().all(allowed) && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
}

/// Checks the templates in a body.
fn templates(walk: &mut Walk<'_>, at: &At<'_>, depth: usize) {
    if depth > DEPTH_MAX {
        let message = format!("is nested deeper than {DEPTH_MAX} levels");
        return walk.fault(at, message, "use a text instead");
    }
    match &at.node.value {
        Value::Text(_) => {
            walk.template(at, OF_REQUEST, Gravity::Error);
            no_key(walk, at);
        }
        Value::List(_) => at.items().for_each(|item| templates(walk, &item, depth + 1)),
        Value::Table(_) => {
            at.values().for_each(|(_, value)| templates(walk, &value, depth + 1));
        }
        Value::Other(what) => {
            walk.fault(at, format!("{what} cannot be sent"), "write it as text");
        }
        Value::Whole(_) | Value::Number(_) | Value::Flag(_) => {}
    }
}
