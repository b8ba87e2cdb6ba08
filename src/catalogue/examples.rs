//! Bundled sessions, for trying replay and analysis.

/// Names and logs, in the order of the list.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("example-rehearsed", include_str!("../../assets/sessions/example-rehearsed.jsonl")),
    ("example-small-model", include_str!("../../assets/sessions/example-small-model.jsonl")),
];

/// Returns the log of an example.
pub fn example(name: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(n, _)| *n == name).map(|(_, log)| *log)
}
