//! The keys of prompts without a frame.

use super::value::{ValueKind, key, keys};

keys! {
    /// The keys of `[prompt]`.
    pub(super) static PROMPT;
    system = key(ValueKind::Prompt, r#""You solve problems.""#,
        "The system message (default: the persona; without one, there is no system message).");
    first = key(ValueKind::Prompt, r#""{{ question }} {{ task }}""#,
        "The first request to a participant (default: the task of the phase, else the topic).");
    next = key(ValueKind::Prompt, r#""{% for other in others %}{{ other.text }} {% endfor %}{{ task }}""#,
        "Each later request, and one that shows messages of others (default: as for `first`).");
}
