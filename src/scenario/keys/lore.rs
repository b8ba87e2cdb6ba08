//! Keys of `[[lore]]`.

use super::value::{Key, NAMES, ONE_OR_MORE_NAMES, ValueKind, key, needed};

/// The keys of `[[lore]]`: a text that is shown after one of its keys was used.
pub(super) static LORE: &[Key] = &[
    needed("keys", NAMES, r#"["organ", "pipe organ"]"#, "Words or phrases, in any case."),
    needed("text", ValueKind::Text, r#""The organ is from 1927.""#, "The text."),
    key(
        "who",
        ONE_OR_MORE_NAMES,
        r#"["hanna"]"#,
        "The participants or roles that see it (default: everybody).",
    ),
    key(
        "last",
        ValueKind::Count { least: 1, most: 1_000 },
        "4",
        "How many of the last messages are searched for the keys. Default: 4.",
    ),
];
