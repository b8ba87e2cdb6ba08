//! Resolves `http`, the voice of an HTTP service, in scenarios and in tests.

use super::check::{Walk, join};
use super::fault::Gravity;
use super::tree::{Node, Span, Value, quote};
use crate::expr::Template;
use crate::model::facts::OF_REQUEST;
use crate::model::http::KEY;
use crate::model::{HttpSpec, ReplyAt, SessionFrom, Text};
use std::collections::BTreeMap;

/// Headers that the connection sets.
const RESERVED: [&str; 5] = ["host", "content-length", "transfer-encoding", "connection", "cookie"];
/// Parts of the names of headers that carry secrets.
const SECRET: [&str; 5] = ["authorization", "api-key", "apikey", "token", "secret"];
/// Maximum nesting of a body.
const DEPTH_MAX: usize = 16;
/// Word for the whole answer as the reply.
const TEXT: &str = "text";

/// Returns the service of a checked `http`.
pub fn service(node: &Node) -> HttpSpec {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let json = |node: &Node, key: &str| node.get(key).map(Node::to_json).unwrap_or_default();
    let sends = node.get("body").is_some() || node.get("form").is_some();
    let session = node.get("session").map(|session| SessionFrom {
        from: text(session, "from").unwrap_or_default(),
        url: text(session, "url"),
        body: json(session, "body"),
    });
    HttpSpec {
        url: text(node, "url").unwrap_or_default(),
        method: text(node, "method").unwrap_or_else(|| if sends { "POST" } else { "GET" }.into()),
        headers: texts(node, "headers"),
        body: json(node, "body"),
        form: texts(node, "form"),
        api_key_env: text(node, "api_key_env"),
        reply: node.get("reply").map(reply).unwrap_or_default(),
        session,
        tools: text(node, "tools"),
    }
}

fn texts(node: &Node, key: &str) -> BTreeMap<Text, Text> {
    let entries = node.get(key).map_or(&[][..], Node::entries).iter();
    entries.filter_map(|e| Some((e.key.as_str().into(), e.node.text()?.into()))).collect()
}

fn reply(node: &Node) -> ReplyAt {
    let path = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
    match (node.text(), path("sse"), path("lines")) {
        (Some(TEXT), ..) => ReplyAt::Text,
        (Some(path), ..) => ReplyAt::Path(path.into()),
        (None, Some(path), _) => ReplyAt::Sse(path),
        (None, None, Some(path)) => ReplyAt::Lines(path),
        (None, None, None) => ReplyAt::Text,
    }
}

/// Reports addresses, headers, bodies and keys that cannot be used or would leak.
pub fn check(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let url = node.get("url");
    let session = node.get("session");
    let opening = session.and_then(|session| session.get("url"));
    for (at, node) in [("url", url), ("session.url", opening)] {
        let Some(source) = node.and_then(Node::text) else { continue };
        if HttpSpec::origin(source).is_none() {
            let span = node.map_or(&None, |node| &node.span);
            let message = format!("{} has no fixed host", quote(source));
            let fix = "begin with http://HOST/ or https://HOST/, without a template, user or password in it";
            walk.fault(span, &join(path, at), message, fix);
        }
    }
    if let (Some(one), Some(other), Some(node)) = (origin(url), origin(opening), opening)
        && one != other
    {
        let fix = format!("use an address that begins with {one}");
        walk.fault(&node.span, &join(path, "session.url"), "is on another host", fix);
    }
    let bodies =
        [("body", node.get("body")), ("session.body", session.and_then(|s| s.get("body")))];
    for (at, body) in bodies {
        if let Some(body) = body {
            templates(walk, body, &join(path, at), 0);
        }
    }
    if let (Some(form), Some(_)) = (node.get("form"), node.get("body")) {
        let message = "is a second body beside `body`";
        walk.fault(&form.span, &join(path, "form"), message, "keep one of them");
    }
    let sends = node.get("body").or(node.get("form"));
    if let (Some("GET"), Some(body)) = (node.get("method").and_then(Node::text), sends) {
        let fix = "use POST, or put the message into the url";
        walk.fault(&body.span, path, "GET sends no body", fix);
    }
    if let Some(reply) = node.get("reply").filter(|reply| reply.text().is_none())
        && reply.entries().len() != 1
    {
        let fix = r#"as in reply = { sse = "delta.text" }"#;
        walk.fault(&reply.span, &join(path, "reply"), "takes one of `sse` and `lines`", fix);
    }
    if let (Some(session), Some(reply)) =
        (session, node.get("reply").map(reply).or(Some(ReplyAt::Text)))
        && reply == ReplyAt::Text
        && opening.is_none()
    {
        let fix = "set reply to a path, or add the url that opens a conversation";
        walk.fault(&session.span, &join(path, "session"), "a text has no id", fix);
    }
    key(walk, node, path);
}

/// Checks the name of the key's variable, and the places that use the key.
fn key(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let variable = node.get("api_key_env");
    if let Some(name) = variable
        && !name.text().is_some_and(is_variable)
    {
        let fix = r#"as in api_key_env = "MY_KEY""#;
        walk.fault(&name.span, &join(path, "api_key_env"), "takes the name of a variable", fix);
    }
    let mut used = false;
    for entry in node.get("headers").map_or(&[][..], Node::entries) {
        let path = join(path, &format!("headers.{}", entry.key));
        let name = entry.key.to_ascii_lowercase();
        let token = |c: char| c.is_ascii_alphanumeric() || "-_.!#$%&'*+^`|~".contains(c);
        let value = entry.node.text().unwrap_or_default();
        if name.is_empty() || !name.chars().all(token) {
            walk.fault(&entry.key_span, &path, "is no name of a header", "as in X-Tenant");
        } else if RESERVED.contains(&&*name) {
            walk.fault(&entry.key_span, &path, "is set by the program", "remove it");
        } else if SECRET.iter().any(|part| name.contains(part)) && !value.contains("{{") {
            let message = "has a key that would be saved with each conversation";
            let fix = format!("set api_key_env = \"MY_KEY\" and {} = \"{{{{ key }}}}\"", entry.key);
            walk.fault(&entry.node.span, &path, message, fix);
        }
        used |= uses_key(value);
    }
    match (variable, used) {
        (None, true) => {
            let fix = r#"add api_key_env = "MY_KEY", the name of the variable with the key"#;
            walk.fault(&node.span, &join(path, "headers"), "uses `key` and names none", fix);
        }
        (Some(name), false) => {
            let fix = r#"as in headers = { Authorization = "Bearer {{ key }}" }"#;
            walk.fault(&name.span, &join(path, "api_key_env"), "is used by no header", fix);
        }
        (None, false) | (Some(_), true) => {}
    }
    let form = node.get("form").map_or(&[][..], Node::entries).iter();
    let url = node.get("url").into_iter().chain(node.get("session").and_then(|s| s.get("url")));
    for (text, span) in form.map(|e| &e.node).chain(url).filter_map(|n| Some((n.text()?, &n.span)))
    {
        no_key(walk, text, span, path);
    }
}

fn origin(node: Option<&Node>) -> Option<&str> {
    HttpSpec::origin(node?.text()?)
}

fn no_key(walk: &mut Walk<'_>, text: &str, span: &Span, path: &str) {
    if uses_key(text) {
        let fix = r#"as in headers = { Authorization = "Bearer {{ key }}" }"#;
        walk.fault(span, path, "`key` is for headers only", fix);
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
fn templates(walk: &mut Walk<'_>, node: &Node, path: &str, depth: usize) {
    if depth > DEPTH_MAX {
        let message = format!("is nested deeper than {DEPTH_MAX} levels");
        return walk.fault(&node.span, path, message, "use a text instead");
    }
    match &node.value {
        Value::Text(text) => {
            walk.template(node, OF_REQUEST, Gravity::Error, path);
            no_key(walk, text, &node.span, path);
        }
        Value::List(items) => {
            for (i, item) in items.iter().enumerate() {
                templates(walk, item, &format!("{path}[{}]", i + 1), depth + 1);
            }
        }
        Value::Table(entries) => {
            for entry in entries {
                templates(walk, &entry.node, &join(path, &entry.key), depth + 1);
            }
        }
        Value::Other(what) => {
            let message = format!("{what} cannot be sent");
            walk.fault(&node.span, path, message, "write it as text");
        }
        Value::Whole(_) | Value::Number(_) | Value::Flag(_) => {}
    }
}
