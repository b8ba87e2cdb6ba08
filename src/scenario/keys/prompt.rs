//! The keys of prompts without a frame.

use super::value::{Key, ValueKind, key};

/// `frame`: the text around the scenario's own words in prompts.
pub(super) const FRAME: Key = key(
    "frame",
    ValueKind::OneOf(&["guided", "plain", "none"]),
    r#""none""#,
    "What prompts add to the scenario's own words: guided (default) or plain, as with `debate`; none, nothing: the system \
     message is the persona, and the request is the task.",
);
/// `[prompt]`: templates of prompts without a frame.
pub(super) const PROMPT_TABLE: Key = key(
    "prompt",
    ValueKind::Table(PROMPT),
    r#"{ first = "{{ question }}" }"#,
    "The messages of a prompt, with frame = \"none\".",
);

static PROMPT: &[Key] = &[
    key(
        "system",
        ValueKind::Prompt,
        r#""You solve problems.""#,
        "The system message (default: the persona; without one, there is no system message).",
    ),
    key(
        "first",
        ValueKind::Prompt,
        r#""{{ question }} {{ task }}""#,
        "The first request to a participant (default: the task of the phase, else the topic).",
    ),
    key(
        "next",
        ValueKind::Prompt,
        r#""{% for other in others %}{{ other.text }} {% endfor %}{{ task }}""#,
        "Each later request, and one that shows messages of others (default: as for `first`).",
    ),
];
