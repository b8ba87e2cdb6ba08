//! The 58 faults of the safety page: 27 of HTTP and 31 of streams, each with its class and the part of the reply that
//! reached the reader.
//!
//! Two tests share this table: `remote` checks that the real client reports these faults for a misbehaving server, and
//! `core` checks that the engine records the right events for them under every failure rule.

use colloquium::model::ErrorClass::{self, *};

/// A fault, as the engine receives it.
pub struct Row {
    /// Name of the fault in the tests of the client.
    pub name: &'static str,
    /// Class of the error; `None` if the reply only looks faulty.
    pub class: Option<ErrorClass>,
    /// True if text was already shown.
    pub shown: bool,
    /// Retry delay requested by the server, in milliseconds.
    pub wait: Option<u64>,
}

const fn row(name: &'static str, class: ErrorClass) -> Row {
    Row { name, class: Some(class), shown: false, wait: None }
}

const fn asks(name: &'static str, class: ErrorClass, wait: u64) -> Row {
    Row { name, class: Some(class), shown: false, wait: Some(wait) }
}

const fn shown(name: &'static str, class: ErrorClass) -> Row {
    Row { name, class: Some(class), shown: true, wait: None }
}

const fn good(name: &'static str) -> Row {
    Row { name, class: None, shown: true, wait: None }
}

/// Failed connections.
pub const CONNECTIONS: [Row; 4] = [
    row("nobody listens", Refused),
    row("a name without an address", Dns),
    row("no TLS", Tls),
    row("connecting takes too long", Silence),
];

/// HTTP responses without a stream.
pub const HTTP: [Row; 23] = [
    row("400", BadRequest),
    row("400, window", Context),
    row("400, content", Filter),
    row("400, key", Credentials),
    row("400, credit", Credit),
    row("401 that repeats the key", Credentials),
    row("402", Credit),
    row("403", Credentials),
    row("404", UnknownModel),
    row("413", Context),
    asks("429, seconds", Rate, 7_000),
    row("429, a word", Rate),
    asks("429 whose body never ends", Rate, 2_000),
    asks("503", Overload, 1_500),
    row("529", Overload),
    row("500", Failed),
    row("502, a page", Failed),
    row("302", NoProtocol),
    row("200 without a body", NoProtocol),
    row("200, a page", NoProtocol),
    row("too many head lines", NoProtocol),
    row("closed after the request", Broken),
    row("no head at all", Silence),
];

/// Faulty streams.
pub const STREAM: [Row; 31] = [
    shown("reset in the middle", Broken),
    shown("cut inside the chunks", Broken),
    shown("ended without a mark", Broken),
    shown("ended inside a frame", Broken),
    row("ended before a word", NoProtocol),
    shown("shorter than it said", Broken),
    shown("longer than it said", Broken),
    shown("an error in the middle", Overload),
    row("an error at once", Rate),
    shown("an error as a text", Failed),
    shown("an error in a field of its own", Failed),
    shown("an error, then words", Overload),
    shown("garbage in a frame", Broken),
    shown("a frame that is no object", Broken),
    shown("a frame nested too deep", Broken),
    shown("a line without an end", TooLarge),
    shown("an event without an end", TooLarge),
    row("silence before a byte", Silence),
    shown("silence after words", Silence),
    row("comments for ever", Silence),
    row("roles for ever", Silence),
    row("finished without words", Empty),
    row("all tokens spent on nothing", Length),
    row("held back", Filter),
    shown("words for ever", Silence),
    shown("a reply too large", TooLarge),
    good("characters cut in the middle"),
    good("a tool call far away"),
    good("no usage"),
    good("no tokens left"),
    shown("words, then held back", Filter),
];
