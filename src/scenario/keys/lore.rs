//! Keys of `[[lore]]`.

use super::value::{NAMES, ONE_OR_MORE_NAMES, ValueKind, key, keys, needed};
use crate::model::Text;

keys! {
    /// The keys of `[[lore]]`: a text that is shown after one of its keys was used.
    pub(super) static LORE as RawLore;
    keys: Vec<Text> = needed(NAMES, r#"["organ", "pipe organ"]"#, "Words or phrases, in any case.");
    text: Text = needed(ValueKind::Text, r#""The organ is from 1927.""#, "The text.");
    who = key(ONE_OR_MORE_NAMES, r#"["hanna"]"#,
        "The participants or roles that see it (default: everybody).");
    last: Option<u32> = key(ValueKind::Count { least: 1, most: 1_000 }, "4",
        "How many of the last messages are searched for the keys. Default: 4.");
}
