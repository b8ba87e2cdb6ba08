//! The bundled sessions, for trying replay and analysis at once.

/// Their names in the order of the list, each with its log.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("example-rehearsed", include_str!("../../assets/sessions/example-rehearsed.jsonl")),
    ("example-small-model", include_str!("../../assets/sessions/example-small-model.jsonl")),
];

/// Returns the log of an example.
pub fn example(name: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(n, _)| *n == name).map(|(_, log)| *log)
}
