//! Failures of a call: an error class for decisions and one sentence for the operator.
//!
//! Server messages are quoted because they often name the fix. The quote is short, has no key, and is dropped if it
//! repeats the request, as answers to a wrong key or a bad request often do.

use super::Endpoint;
use super::adaptation::Cure;
use super::cure::{self, RefusedRequest, Sent, error_of};
use super::known::{ClassRow, FieldRow, KNOWN, SCHEMA, says};
use super::wire::code;
use crate::model::{ErrorClass, Message, Secret, Usage, Wall, Wire};
use crate::net::{self, NetError};
use crate::text;
use crate::voice::CallFailure;
use jiff::SignedDuration;
use jiff::fmt::rfc2822;
use serde_json::Value;

/// HTTP status of an answer to a key without the right, and of proxies that keep clients out.
const FORBIDDEN: u16 = 403;
/// Statuses with one meaning, whatever words a proxy puts in the body.
const CLEAR: [u16; 4] = [401, 402, FORBIDDEN, 429];
/// Words before a delay in messages, in lower case.
const TRY_AGAIN: [&str; 4] = ["try again in ", "try again after ", "retry after ", "retry in "];
/// Maximum number of words of a delay.
const DELAY_WORDS: usize = 4;
/// Maximum characters quoted from a server message.
const QUOTE_MAX: usize = 200;
/// Minimum number of characters shared with the request at which a server message counts as an echo.
const ECHO_MIN: usize = 20;

/// Failure of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFault {
    /// Error class; decides whether the call is retried.
    pub class: ErrorClass,
    /// Predicate of a sentence about the server, as in "rejected the key".
    pub what: String,
    /// The refusal of this request in particular, if another one may succeed.
    pub(super) refusal: Option<Box<RefusedRequest>>,
    /// The server's own message, if it is safe to show.
    quote: Option<String>,
    /// Delay requested by the server, in milliseconds.
    pub(super) retry_after_ms: Option<u64>,
    /// Tokens billed despite the failure.
    pub(super) usage: Option<Usage>,
}

impl ServerFault {
    pub(in crate::voice) fn new(class: ErrorClass, what: impl Into<String>) -> ServerFault {
        let quote = None;
        let retry_after_ms = None;
        let usage = None;
        ServerFault { class, what: what.into(), refusal: None, quote, retry_after_ms, usage }
    }

    /// Describes the failure in one sentence: the server, the failure, and the next step.
    pub(super) fn describe(self, to: &Endpoint, model: &str, sent: &[Message]) -> CallFailure {
        // an invalid address may contain anything
        let host = net::host(&to.base_url)
            .map_or_else(|_| format!("of `{}`", to.name), |host| format!("at {host}"));
        let is_lost = self.has_nothing_here();
        // only markup is quoted at this class: a proxy may know no keys of models
        let is_proxy = self.class == ErrorClass::Credentials && self.quote.is_some();
        let quote = self.quote_to(to, sent);
        let what = self.what;
        let next = match self.class {
            ErrorClass::BadRequest | ErrorClass::UnknownModel => {
                cure::advice(&quote, &to.name, model)
            }
            _ => None,
        };
        let next = next.unwrap_or_else(|| next_step(self.class, to, model));
        let version = code(to.wire).version;
        let ends = if version.is_empty() { "" } else { ", which usually ends with " };
        let base = format!("check base_url of provider `{}`{ends}{version}", to.name);
        // a list of models is asked for without a model
        let is_bare = model.is_empty() && is_lost;
        let asked = if is_bare { String::new() } else { format!("{next}; or ") };
        let next = if is_lost || is_proxy { asked + &base } else { next };
        let text = format!("the server {host} {what}{quote}; {next}").into();
        let ServerFault { class, retry_after_ms, usage, .. } = self;
        CallFailure { class, text, retry_after_ms, usage }
    }

    /// Returns the change that the server asks for, and whether it named the part. `None` if no change is known to help.
    pub(super) fn cure(&self, sent: &Sent) -> Option<(Cure, bool)> {
        let other = Cure::Wire(Wire::Responses);
        let may_move = sent.wire == Wire::OpenAi && !sent.adapted.contains(other);
        if may_move && self.refusal.as_ref().is_some_and(|refusal| refusal.names_responses()) {
            return Some((other, true));
        }
        if self.has_nothing_here() {
            // a format that was not asked for may be missing at this server
            let cure =
                if sent.wire == sent.usual { Cure::OtherPath } else { Cure::Wire(sent.usual) };
            return (!sent.adapted.contains(cure)).then_some((cure, true));
        }
        let refusal = self.refusal.as_deref()?;
        let found = match self.class {
            ErrorClass::BadRequest | ErrorClass::Failed => {
                cure::cure(refusal, sent).or_else(|| cure::of_tools(refusal, sent))
            }
            ErrorClass::UnknownModel => return Some((cure::of_tools(refusal, sent)?, true)),
            // other classes have causes outside the request
            _ => return None,
        };
        if let Some(cure) = found {
            return Some((cure, true));
        }
        // some servers only fail if they cannot constrain a model to the form of a reply
        let form = FieldRow::by_name(SCHEMA).filter(|form| sent.has(form)).map(Cure::LeaveOut)?;
        (!sent.adapted.contains(form)).then_some((form, false))
    }

    /// Marks a fault as one of the address, if the answer does not speak of a model.
    pub(super) fn at_path(mut self, path: &str) -> ServerFault {
        let status = self.refusal.as_ref().map(|refusal| refusal.status);
        if let (Some(status), true) = (status, self.has_nothing_here()) {
            self.what = format!("has nothing at {path} ({status})");
        }
        self
    }

    pub(super) fn has_nothing_here(&self) -> bool {
        let is_path = |refusal: &RefusedRequest| {
            matches!(refusal.status, 404 | 405) && !refusal.speaks_of_models()
        };
        self.class != ErrorClass::Credentials && self.refusal.as_deref().is_some_and(is_path)
    }

    /// Describes the refusal of a request in one clause.
    pub(super) fn reason(&self, to: &Endpoint, sent: &[Message]) -> String {
        format!("the server {}{}", self.what, self.quote_to(to, sent))
    }

    /// Returns the server's own message for the operator; empty if it is not safe to show.
    fn quote_to(&self, to: &Endpoint, sent: &[Message]) -> String {
        let sent: Vec<&str> = sent.iter().map(|message| &*message.text).collect();
        let quote = self.quote.as_ref();
        quote.map(|quote| quoted(quote, to.current_key().as_ref(), &sent)).unwrap_or_default()
    }

    /// Describes the failure of an HTTP service that is no model, in one sentence.
    pub(in crate::voice) fn describe_service(
        mut self,
        place: &str,
        key: Option<&Secret>,
        sent: &str,
    ) -> CallFailure {
        if self.class == ErrorClass::UnknownModel {
            self.class = ErrorClass::BadRequest;
            self.what = "has nothing at this url (404)".into();
        }
        let quote = self.quote.map(|q| quoted(&q, key, &[sent])).unwrap_or_default();
        let next = match row_of(self.class).and_then(|row| row.service.as_deref()) {
            Some(_) if self.class == ErrorClass::Credentials && key.is_none() => {
                "name its key with api_key_env"
            }
            next => next.unwrap_or("retry, or look at the service"),
        };
        let text = format!("the service {place} {}{quote}; {next}", self.what).into();
        let ServerFault { class, retry_after_ms, usage, .. } = self;
        CallFailure { class, text, retry_after_ms, usage }
    }

    /// Adds the server's own message.
    pub(in crate::voice) fn quoting(self, words: &str) -> ServerFault {
        ServerFault { quote: Some(words.to_owned()), ..self }
    }
}

/// Returns a server message in brackets, or an empty text if it repeats the request.
fn quoted(words: &str, key: Option<&Secret>, sent: &[&str]) -> String {
    let words = text::without_keys(words);
    let words = match key {
        // the general filter skips short keys, but this text may quote one
        Some(key) if !key.expose().is_empty() => words.replace(key.expose(), "***"),
        Some(_) | None => words.into_owned(),
    };
    let short: String = words.chars().take(QUOTE_MAX).collect();
    // bytes that are no text, such as those of a compressed body
    let is_text = !short.contains(char::REPLACEMENT_CHARACTER);
    if short.trim().is_empty() || !is_text || repeats(&short, sent) {
        return String::new();
    }
    let dots = if short.len() < words.len() { "..." } else { "" };
    let line: Vec<&str> = short.split_whitespace().collect();
    format!(" ({}{dots})", line.join(" "))
}

/// Returns whether a text contains a part of the request.
fn repeats(text: &str, sent: &[&str]) -> bool {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    starts.windows(ECHO_MIN + 1).any(|part| match *part {
        [from, .., to] => sent.iter().any(|sent| sent.contains(&text[from..to])),
        _ => false,
    })
}

/// Returns the row of a class; `None` for classes that no server causes.
fn row_of(class: ErrorClass) -> Option<&'static ClassRow> {
    KNOWN.class.iter().find(|row| row.is == class)
}

/// Returns the suggested fix for a failure.
fn next_step(class: ErrorClass, to: &Endpoint, model: &str) -> String {
    let next = match row_of(class) {
        Some(_) if class == ErrorClass::Credentials && to.key.is_none() => {
            "set the key of provider `{provider}` in the settings, with api_key_env, api_key_file or api_key_command"
        }
        row => row.map_or("retry, or choose another model", |row| &row.next),
    };
    let fetch = match code(to.wire).fetch {
        "" => format!("`{model}` was asked for;"),
        command => format!("`{command} {model}` fetches it,"),
    };
    let next = next.replace("{provider}", &to.name).replace("{key}", &to.key_from);
    next.replace("{fetch}", &fetch)
}

/// Progress of an answer at the time of its failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::voice) enum ReplyStart {
    Nothing,
    Something,
}

/// Converts a connection failure to a server fault.
pub(in crate::voice) fn of_net(error: &NetError, heard: ReplyStart) -> ServerFault {
    let (class, what) = match error {
        NetError::Address(why) => (ErrorClass::NoProtocol, format!("has no address: {why}")),
        NetError::KeySigns => (ErrorClass::Credentials, "cannot be sent this key".into()),
        NetError::Header(_) => (ErrorClass::BadRequest, format!("was not called: {error}")),
        NetError::Setup(why) => (ErrorClass::Tls, format!("was not called: {why}")),
        NetError::Dns => (ErrorClass::Dns, "was not found: its host name has no address".into()),
        NetError::Refused => (ErrorClass::Refused, "refused the connection".into()),
        NetError::Unreachable(why) => (ErrorClass::Refused, format!("is unreachable: {why}")),
        NetError::ConnectTimeout => (ErrorClass::Silence, "connection timed out".into()),
        NetError::Tls(why) => (ErrorClass::Tls, format!("failed the TLS handshake: {why}")),
        NetError::NotHttp => (ErrorClass::NoProtocol, "does not speak HTTP".into()),
        NetError::Broken(_) if heard == ReplyStart::Nothing => {
            (ErrorClass::Broken, "closed the connection before it answered".into())
        }
        NetError::Broken(_) => (ErrorClass::Broken, "lost the connection".into()),
    };
    ServerFault::new(class, what)
}

/// Returns the fault of an answer with an unsuccessful status.
pub(super) fn of_status(status: u16, body: &str) -> ServerFault {
    if let Ok(value) = serde_json::from_str::<Value>(body.trim()) {
        return of_error(Some(status), &value);
    }
    let words = words_of(body);
    let is_clear = CLEAR.contains(&status);
    let fault = of_words(status, [""; 3], if is_clear { String::new() } else { words.clone() });
    if status == FORBIDDEN && body.trim_start().starts_with('<') {
        let what = format!("refused the request (HTTP {status})");
        return ServerFault { what, ..fault }.quoting(&words);
    }
    let retry_after_ms = if fault.class.asks_to_wait() { stated_delay_ms(&words) } else { None };
    let quote = fault.quote.is_some().then_some(words);
    ServerFault { quote, retry_after_ms, ..fault }
}

/// Returns the words of a body that is not JSON: of markup its message or title, or else its text.
pub(super) fn words_of(body: &str) -> String {
    let body = body.trim();
    if !body.starts_with('<') {
        return body.to_owned();
    }
    if let Some((_, words, _)) = element(body, "message").or_else(|| element(body, "title")) {
        return words.trim().to_owned();
    }
    let mut text = body.to_owned();
    for name in ["style", "script"] {
        while let Some((before, _, after)) = element(&text, name) {
            text = format!("{before} {after}");
        }
    }
    let texts = text.split('<').map(|part| part.rsplit('>').next().unwrap_or_default().trim());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the text before the first element of a name in lower case, in the element and behind it.
fn element<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let lower = text.to_ascii_lowercase();
    let (start, end) = (format!("<{name}"), format!("</{name}>"));
    let is_start = |at: &usize| lower[at + start.len()..].starts_with(['>', ' ']);
    let from = lower.match_indices(&start).map(|(at, _)| at).find(is_start)?;
    let inner = from + lower[from..].find('>')? + 1;
    let to = inner + lower[inner..].find(&end)?;
    Some((&text[..from], &text[inner..to], &text[to + end.len()..]))
}

/// Returns the fault of a server error, from the body or from the middle of a stream.
pub(in crate::voice) fn of_error(status: Option<u16>, value: &Value) -> ServerFault {
    let error = error_of(value);
    let number = |n: &Value| {
        let n = n.as_u64().or_else(|| n.as_str()?.parse().ok());
        n.and_then(|n| u16::try_from(n).ok()).filter(|n| (400..600).contains(n))
    };
    let keys = ["code", "status", "status_code"];
    let code =
        [error, value].into_iter().find_map(|at| keys.iter().find_map(|key| number(&at[key])));
    let kinds = ["code", "type", "status"].map(|key| error[key].as_str().unwrap_or_default());
    let message = cure::message_of(value).unwrap_or_default();
    let fault = of_words(status.or(code).unwrap_or(0), kinds, message);
    let details = error["details"].as_array().into_iter().flatten();
    let asked = { details }.find_map(|detail| delay_ms(detail["retryDelay"].as_str()?));
    let asked = asked.or_else(|| stated_delay_ms(fault.quote.as_deref()?));
    let retry_after_ms = if fault.class.asks_to_wait() { asked } else { None };
    ServerFault { retry_after_ms, ..fault }
}

/// Parses a delay such as `34.5s` or `6m0s` into milliseconds.
fn delay_ms(text: &str) -> Option<u64> {
    u64::try_from(text.parse::<SignedDuration>().ok()?.as_millis()).ok()
}

/// Parses a delay in words, as in `try again in 6m0.5s` or `retry after 2 minutes 5 seconds`, into milliseconds.
fn stated_delay_ms(words: &str) -> Option<u64> {
    let lower = words.to_lowercase();
    let (_, rest) = TRY_AGAIN.iter().find_map(|phrase| lower.split_once(phrase))?;
    let parts = rest.split_whitespace().map(|part| part.trim_end_matches(['.', ',']));
    let parts: Vec<&str> = parts.take(DELAY_WORDS).collect();
    (1..=parts.len()).rev().find_map(|count| delay_ms(&parts[..count].join(" ")))
}

/// Converts seconds to milliseconds, saturating; `None` if they are negative or NaN.
fn milliseconds(seconds: f64) -> Option<u64> {
    (seconds >= 0.0).then_some((seconds * 1000.0) as u64)
}

/// Returns the fault of an error by its words, its HTTP status, or without a status by its kinds.
fn of_words(status: u16, kinds: [&str; 3], message: String) -> ServerFault {
    let lower = message.to_lowercase();
    let is = |known: &[String]| known.iter().any(|kind| kinds.contains(&&**kind));
    let find = |test: &dyn Fn(&ClassRow) -> bool| KNOWN.class.iter().find(|row| test(row));
    let row = find(&|row| is(&row.kinds) || says(&lower, &row.says) && lower.contains(&row.with));
    let row = row.or_else(|| find(&|row| row.status.contains(&status)));
    let class = row.map(|row| row.is).unwrap_or_else(|| match status {
        500..=599 => ErrorClass::Failed,
        400..=499 => ErrorClass::BadRequest,
        100..=399 => ErrorClass::NoProtocol,
        _ => find(&|row| is(&row.alone)).map_or(ErrorClass::Failed, |row| row.is),
    });
    let what = match row_of(class).and_then(|row| row.what.clone()) {
        Some(what) => what,
        None if (300..400).contains(&status) => {
            "redirects to another address; redirects are not followed, to protect the key".into()
        }
        None if status == 0 => "failed".into(),
        None => format!("answered with HTTP {status}"),
    };
    // a message about a key often contains it
    let quote = (class != ErrorClass::Credentials).then_some(message);
    ServerFault { quote, ..ServerFault::new(class, what) }
}

/// Parses the delay of a `Retry-After` header, in seconds or as a date, into milliseconds.
pub(super) fn retry_after_ms(header: &str, now: Wall) -> Option<u64> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return milliseconds(seconds);
    }
    let at = rfc2822::parse(header).ok()?.timestamp().as_millisecond();
    Some(u64::try_from(at.saturating_sub(now.0)).unwrap_or(0))
}

#[cfg(test)]
mod tests;
