//! Bundled sessions, for trying replay and analysis: a rehearsed debate, and two whose replies were written by hand to the
//! prompts of a model (`endpoint:by-hand`).

/// Names and logs, in the order of the list.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("example-rehearsed", include_str!("../assets/sessions/example-rehearsed.jsonl")),
    ("example-crux", include_str!("../assets/sessions/example-crux.jsonl")),
    ("example-oxford", include_str!("../assets/sessions/example-oxford.jsonl")),
];

/// Returns the log of an example.
pub fn example(name: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(n, _)| *n == name).map(|(_, log)| *log)
}
