//! Failures of a call: an error class for decisions and one sentence for the operator.
//!
//! Server messages are quoted because they often name the fix. The quote is short, has no key, and is dropped if it
//! repeats the request, as answers to a wrong key or a bad request often do.

use super::Endpoint;
use super::adaptation::{Cure, Field};
use super::address;
use super::cure::{self, RefusedRequest, Sent};
use super::wire::WireFormat;
use crate::model::{ErrorClass, Message, Secret, Usage, Wall, Wire};
use crate::net::{self, NetError};
use crate::text;
use crate::voice::CallFailure;
use jiff::fmt::rfc2822;
use serde_json::Value;

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
        let what = self.what;
        let sent: Vec<&str> = sent.iter().map(|message| &*message.text).collect();
        let quote = self.quote.map(|q| quoted(&q, to.key.as_ref(), &sent)).unwrap_or_default();
        let next = match self.class {
            ErrorClass::BadRequest | ErrorClass::UnknownModel => {
                cure::advice(&quote, &to.name, model)
            }
            _ => None,
        };
        let next = next.unwrap_or_else(|| next_step(self.class, to, model));
        let usual = match address::version(to.wire) {
            _ if !is_lost => String::new(),
            "" => format!("; or check base_url of provider `{}`", to.name),
            end => format!(
                "; or check base_url of provider `{}`, which usually ends with {end}",
                to.name
            ),
        };
        let text = format!("the server {host} {what}{quote}; {next}{usual}").into();
        let class = self.class;
        let retry_after_ms = self.retry_after_ms;
        let usage = self.usage;
        CallFailure { class, text, retry_after_ms, usage }
    }

    /// Returns the change that the server asks for, and whether it named the part. `None` if no change is known to help.
    pub(super) fn cure(&self, sent: &Sent) -> Option<(Cure, bool)> {
        let other = Cure::Wire(Wire::Responses);
        let names_other = || self.refusal.as_ref().is_some_and(|refusal| refusal.names_responses());
        if sent.wire == Wire::OpenAi && !sent.adapted.contains(other) && names_other() {
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
        let form = Cure::LeaveOut(Field::Schema);
        (sent.has(Field::Schema) && !sent.adapted.contains(form)).then_some((form, false))
    }

    /// Marks a fault as one of the address, if the answer does not speak of a model.
    pub(super) fn at_path(mut self, path: &str) -> ServerFault {
        let Some(refusal) = &self.refusal else { return self };
        let is_here = !matches!(refusal.status, 404 | 405) || refusal.speaks_of_models();
        if !is_here && self.class != ErrorClass::Credentials {
            self.what = format!("has nothing at {path} ({})", refusal.status);
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
        let sent: Vec<&str> = sent.iter().map(|message| &*message.text).collect();
        let quote = self.quote.as_ref().map(|q| quoted(q, to.key.as_ref(), &sent));
        format!("the server {}{}", self.what, quote.unwrap_or_default())
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
        let next = match self.class {
            ErrorClass::Refused => "is it running?",
            ErrorClass::Dns | ErrorClass::Tls => "check the url of the participant's http",
            ErrorClass::Credentials if key.is_none() => "name its key with api_key_env",
            ErrorClass::Credentials => "check the variable named by api_key_env",
            ErrorClass::NoProtocol => "check `url` and `reply` of the participant's http",
            ErrorClass::BadRequest => {
                "check `url`, `method`, `headers` and `body` of the participant's http"
            }
            ErrorClass::Silence => "raise the participant's timeout if it is slow",
            ErrorClass::Rate | ErrorClass::Overload => "wait, or reduce parallel speakers",
            _ => "retry, or look at the service",
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
    if short.trim().is_empty() || repeats(&short, sent) {
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

/// Returns the suggested fix for a failure.
fn next_step(class: ErrorClass, to: &Endpoint, model: &str) -> String {
    let provider = &to.name;
    match class {
        ErrorClass::Refused => "is it running?".into(),
        ErrorClass::Dns => format!("check the network and the base_url of provider `{provider}`"),
        ErrorClass::Tls => format!(
            "check whether the base_url of provider `{provider}` should begin with http:// or https://; to trust \
                 your own certificate, set SSL_CERT_FILE to its path"
        ),
        ErrorClass::Credentials if to.key.is_none() => {
            format!(
                "set the key of provider `{provider}` in the settings, with api_key_env, \
                 api_key_file or api_key_command"
            )
        }
        ErrorClass::Credentials => {
            format!("check the key of provider `{provider}` ({})", to.key_from)
        }
        ErrorClass::Credit => "add credit to the account or choose another model".into(),
        ErrorClass::UnknownModel => {
            let fetch = to.wire.fetch(model).map(|command| format!("`{command}` fetches it, "));
            let asked = fetch.unwrap_or_else(|| format!("`{model}` was asked for; "));
            format!("{asked}`colloquium models` lists those it has")
        }
        ErrorClass::NoProtocol | ErrorClass::NotFound | ErrorClass::NoVoice => {
            format!("check base_url and wire of provider `{provider}`")
        }
        ErrorClass::BadRequest => "change what it names, or choose another model".into(),
        ErrorClass::Rate => "wait, or reduce parallel speakers".into(),
        ErrorClass::Overload => "wait, or choose another model".into(),
        ErrorClass::Context => "choose a model with a larger window or a shorter prompt".into(),
        ErrorClass::Filter => "rephrase the topic or the persona".into(),
        ErrorClass::Silence => "it may be loading the model: raise the timeout if so".into(),
        ErrorClass::Empty | ErrorClass::Budget => "retry, or raise max_tokens".into(),
        ErrorClass::TooLarge => "lower max_tokens, or choose another server".into(),
        ErrorClass::Length => "raise max_tokens, or lower effort".into(),
        ErrorClass::Failed | ErrorClass::Broken | ErrorClass::Form | ErrorClass::Echo => {
            "retry, or choose another model".into()
        }
    }
}

/// Progress of an answer at the time of its failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::voice) enum ReplyStart {
    Nothing,
    Something,
}

/// Converts a connection failure to a server fault.
pub(in crate::voice) fn of_net(error: &NetError, heard: ReplyStart) -> ServerFault {
    let new = |class, what: &str| ServerFault::new(class, what);
    match error {
        NetError::Address(why) => {
            ServerFault::new(ErrorClass::NoProtocol, format!("has no address: {why}"))
        }
        NetError::KeySigns => new(ErrorClass::Credentials, "cannot be sent this key"),
        NetError::Header(_) => {
            ServerFault::new(ErrorClass::BadRequest, format!("was not called: {error}"))
        }
        NetError::Setup(why) => ServerFault::new(ErrorClass::Tls, format!("was not called: {why}")),
        NetError::Dns => new(ErrorClass::Dns, "host name was not found"),
        NetError::Refused => new(ErrorClass::Refused, "refused the connection"),
        NetError::Unreachable(why) => {
            ServerFault::new(ErrorClass::Refused, format!("is unreachable: {why}"))
        }
        NetError::ConnectTimeout => new(ErrorClass::Silence, "connection timed out"),
        NetError::Tls(why) => {
            ServerFault::new(ErrorClass::Tls, format!("failed the TLS handshake: {why}"))
        }
        NetError::NotHttp => new(ErrorClass::NoProtocol, "does not speak HTTP"),
        NetError::Broken(_) => match heard {
            ReplyStart::Nothing => {
                new(ErrorClass::Broken, "closed the connection before it answered")
            }
            ReplyStart::Something => new(ErrorClass::Broken, "lost the connection"),
        },
    }
}

/// Returns the fault of an answer with an unsuccessful status.
pub(super) fn of_status(status: u16, body: &str) -> ServerFault {
    match serde_json::from_str::<Value>(body.trim()) {
        Ok(value) => of_error(Some(status), &value),
        Err(_) => of_words(status, &Words::default()),
    }
}

/// Returns the fault of a server error, from the body or from the middle of a stream.
pub(in crate::voice) fn of_error(status: Option<u16>, value: &Value) -> ServerFault {
    // Google wraps it in a list
    let value = value.get(0).unwrap_or(value);
    let error = if value["error"].is_null() { value } else { &value["error"] };
    let number = |n: &Value| n.as_u64().and_then(|n| u16::try_from(n).ok());
    let code = number(&error["code"]).filter(|n| (400..600).contains(n));
    let message = [&error["message"], error, &value["message"], &value["detail"]];
    let message = message.into_iter().find_map(Value::as_str).map(str::to_owned);
    let message = message.or_else(|| refused_part(&value["detail"]));
    let message = message.or_else(|| refused_part(&value["message"]["detail"]));
    let message = message.unwrap_or_default();
    let kinds = ["code", "type", "status"].map(|key| error[key].as_str().unwrap_or_default());
    let words = Words { kinds, lower: message.to_lowercase(), message };
    let fault = of_words(status.or(code).unwrap_or(0), &words);
    let asked = error["details"].as_array().into_iter().flatten().find_map(retry_delay_ms);
    let retry_after_ms = if fault.class.asks_to_wait() { asked } else { None };
    ServerFault { retry_after_ms, ..fault }
}

/// Returns the rejected field of a request that a server validates field by field, as in `stop: Extra inputs are not
/// permitted`. The rejected value is left out.
fn refused_part(detail: &Value) -> Option<String> {
    let first = &detail[0];
    let place: Vec<&str> = first["loc"].as_array()?.iter().filter_map(Value::as_str).collect();
    let place = place.strip_prefix(&["body"]).unwrap_or(&place).join(".");
    let why = first["msg"].as_str()?;
    Some(if place.is_empty() { why.to_owned() } else { format!("{place}: {why}") })
}

/// Parses Google's retry delay, as in `"retryDelay": "34.5s"`, into milliseconds.
fn retry_delay_ms(detail: &Value) -> Option<u64> {
    let seconds: f64 = detail["retryDelay"].as_str()?.strip_suffix('s')?.parse().ok()?;
    milliseconds(seconds)
}

/// Converts seconds to milliseconds, saturating; `None` if they are negative or NaN.
fn milliseconds(seconds: f64) -> Option<u64> {
    (seconds >= 0.0).then_some((seconds * 1000.0) as u64)
}

/// A server's error message.
#[derive(Default)]
struct Words<'a> {
    kinds: [&'a str; 3],
    message: String,
    lower: String,
}

impl Words<'_> {
    fn is(&self, kinds: &[&str]) -> bool {
        self.kinds.iter().any(|kind| kinds.contains(kind))
    }

    fn says(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.lower.contains(phrase))
    }

    /// Returns the class implied by the message alone, most reliable phrases first. All phrases were observed at real
    /// servers.
    fn class(&self) -> Option<ErrorClass> {
        let model = self.says(&["model"]);
        let missing = self.says(&[
            "not found",
            "does not exist",
            "not a valid model",
            "unknown model",
            "invalid model",
        ]);
        if self.is(&["insufficient_quota", "billing_error", "insufficient_balance"])
            || self.says(&[
                "credit balance",
                "insufficient balance",
                "any credits",
                "all available credits",
            ])
        {
            Some(ErrorClass::Credit)
        } else if self.is(&[
            "context_length_exceeded",
            "exceed_context_size_error",
            "request_too_large",
        ]) || self.says(&[
            "context length",
            "context window",
            "context size",
            "prompt is too long",
        ]) || self.says(&["maximum number of tokens allowed", "maximum prompt length"])
        {
            Some(ErrorClass::Context)
        } else if self.is(&["content_filter", "content_policy_violation"])
            || self.says(&["content policy", "content management policy", "was flagged"])
        {
            Some(ErrorClass::Filter)
        } else if self.is(&["invalid_api_key", "authentication_error", "UNAUTHENTICATED"])
            || self.says(&[
                "api key not valid",
                "api key expired",
                "incorrect api key",
                "invalid api key",
            ])
        {
            Some(ErrorClass::Credentials)
        } else if self.is(&["model_not_found", "model_decommissioned"]) || (model && missing) {
            Some(ErrorClass::UnknownModel)
        } else {
            None
        }
    }

    /// Returns the class of an error without a status, by its kind.
    fn kind(&self) -> ErrorClass {
        if self.is(&["permission_error", "PERMISSION_DENIED"]) {
            ErrorClass::Credentials
        } else if self.is(&["not_found_error", "NOT_FOUND"]) {
            ErrorClass::UnknownModel
        } else if self.is(&["rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"]) {
            ErrorClass::Rate
        } else if self.is(&["overloaded_error", "UNAVAILABLE"]) {
            ErrorClass::Overload
        } else if self.is(&["invalid_request_error", "INVALID_ARGUMENT"]) {
            ErrorClass::BadRequest
        } else {
            ErrorClass::Failed
        }
    }
}

fn of_words(status: u16, words: &Words) -> ServerFault {
    let class = words.class().unwrap_or_else(|| match status {
        401 | 403 => ErrorClass::Credentials,
        402 => ErrorClass::Credit,
        404 => ErrorClass::UnknownModel,
        408 => ErrorClass::Failed,
        413 => ErrorClass::Context,
        429 => ErrorClass::Rate,
        503 | 529 => ErrorClass::Overload,
        500..=599 => ErrorClass::Failed,
        400..=499 => ErrorClass::BadRequest,
        100..=399 => ErrorClass::NoProtocol,
        _ => words.kind(),
    });
    let what = match class {
        ErrorClass::Credentials => "rejected the key".into(),
        ErrorClass::Credit => "reports that the account has no credit".into(),
        ErrorClass::UnknownModel => "has no such model".into(),
        ErrorClass::Context => "reports that the prompt is too long for the model's window".into(),
        ErrorClass::Filter => "refused the content".into(),
        ErrorClass::Rate => "rate limited the request (429)".into(),
        ErrorClass::Overload => "is overloaded".into(),
        ErrorClass::NoProtocol if (300..400).contains(&status) => {
            "redirects to another address; redirects are not followed, to protect the key".into()
        }
        ErrorClass::BadRequest => "rejected the request".into(),
        _ if status == 0 => "failed".into(),
        _ => format!("answered with HTTP {status}"),
    };
    // a message about a key often contains it
    let quote = (class != ErrorClass::Credentials).then(|| words.message.clone());
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
mod tests {
    use super::*;

    #[test]
    fn a_time_to_wait_is_read_in_all_its_forms() {
        let now = Wall(1_767_225_600_000);
        let check = |header: &str, ms: Option<u64>| {
            assert_eq!(retry_after_ms(header, now), ms, "{header}");
        };
        check("7", Some(7_000));
        check(" 0.25 ", Some(250));
        check("Thu, 01 Jan 2026 00:00:30 GMT", Some(30_000));
        check("Wed, 31 Dec 2025 23:59:59 GMT", Some(0));
        check("1e300", Some(u64::MAX));
        check("NaN", None);
        check("-1", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn google_asks_in_its_error_to_be_left_alone() {
        let check = |delay: &str, ms: Option<u64>| {
            let error = serde_json::json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
                "message": "You exceeded your current quota", "details": [
                    {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]}}]);
            let fault = of_status(429, &error.to_string());
            assert_eq!((fault.class, fault.retry_after_ms), (ErrorClass::Rate, ms), "{delay}");
        };
        check("34s", Some(34_000));
        check("34.074824224s", Some(34_074));
        check("-1s", None);
        check("soon", None);
    }

    #[test]
    fn rejected_field_is_named_without_its_content() {
        let detail = r#"{"detail":[{"loc":["body","stop",0],"msg":"too long","input":"private"}]}"#;
        for body in [detail.to_owned(), format!(r#"{{"object":"error","message":{detail}}}"#)] {
            assert_eq!(of_status(422, &body).quote.as_deref(), Some("stop: too long"));
        }
    }

    #[test]
    fn error_text_refines_the_http_status() {
        let check = |status: u16, body: &str, class: ErrorClass| {
            assert_eq!(of_status(status, body).class, class, "{body}");
        };
        check(
            404,
            r#"{"error":"model \"x\" not found, try pulling it first"}"#,
            ErrorClass::UnknownModel,
        );
        check(
            400,
            r#"{"error":{"message":"x is not a valid model ID"}}"#,
            ErrorClass::UnknownModel,
        );
        check(
            400,
            r#"{"error":{"message":"Unknown parameter for this model"}}"#,
            ErrorClass::BadRequest,
        );
        check(400, r#"{"error":{"type":"exceed_context_size_error"}}"#, ErrorClass::Context);
        check(
            429,
            r#"[{"error":{"message":"You exceeded your current quota"}}]"#,
            ErrorClass::Rate,
        );
        check(422, r#"{"detail":[{"loc":["body"],"input":"private"}]}"#, ErrorClass::BadRequest);
        check(
            400,
            r#"{"type":"invalid_model","message":"Invalid model: x"}"#,
            ErrorClass::UnknownModel,
        );
        check(403, r#"{"error":"Your team doesn't have any credits yet."}"#, ErrorClass::Credit);
        check(400, r#"{"error":"This model's maximum prompt length is 9"}"#, ErrorClass::Context);
        check(503, r#"{"error":{"message":"Loading model"}}"#, ErrorClass::Overload);
    }

    #[test]
    fn a_server_is_quoted_in_short_unless_it_repeats_the_request() {
        let told = |words: &str| quoted(words, None, &["the quick brown fox jumps"]);
        assert_eq!(told("out of\nmemory"), " (out of memory)");
        assert_eq!(told(&"x".repeat(QUOTE_MAX + 1)), format!(" ({}...)", "x".repeat(QUOTE_MAX)));
        assert_eq!(told("what is: the quick brown fox?"), " (what is: the quick brown fox?)");
        assert_eq!(told("what is: the quick brown fox jumps?"), "");
        assert_eq!(told("what is: the quick brown fo x?"), " (what is: the quick brown fo x?)");
        let key = Secret::new("abc".into());
        assert_eq!(quoted("wrong key abc", Some(&key), &[]), " (wrong key ***)");
    }
}
