//! Ids of saved sessions as clients name them.

use serde::Deserialize;
use std::fmt;

/// Maximum bytes of an id.
const ID_MAX: usize = 128;

/// The id of a saved session: a file name without its ending, never a path. Over HTTP, MCP clients of the later era
/// repeat it in the header `Mcp-Param-Session`, so that a proxy can choose the server of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "mcp", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "mcp", schemars(description = "", extend("minLength" = 1, "maxLength" = ID_MAX, "x-mcp-header" = "Session")))]
#[serde(try_from = "String")]
pub struct SavedId(String);

impl TryFrom<String> for SavedId {
    type Error = String;

    fn try_from(id: String) -> Result<SavedId, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        let fits = !id.is_empty() && id.len() <= ID_MAX && id.chars().all(plain);
        // an id that begins with a dot or ends like a file could be taken for a path
        if !fits || id.starts_with(['.', '-', '~']) || id.ends_with(".jsonl") {
            return Err("that is not the id of a session".into());
        }
        Ok(SavedId(id))
    }
}

impl SavedId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SavedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_session_is_never_a_path() {
        for id in ["", "-", ".", "..", "../a", "a/b", "/a", "~", "~a", "a.jsonl", "a b", "a\0", "ä"]
        {
            SavedId::try_from(id.to_owned()).unwrap_err();
        }
        SavedId::try_from("a".repeat(200)).unwrap_err();
        for id in ["20260101-000000-abcdef", "a.fork_1~2"] {
            assert_eq!(SavedId::try_from(id.to_owned()).unwrap().as_str(), id);
        }
    }
}
