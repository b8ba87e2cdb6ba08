//! Search for names in texts.

/// Returns whether a text contains a name as whole words, in any case.
pub fn contains_name(text: &str, name: &str) -> bool {
    let text = text.to_lowercase();
    let name = name.trim().to_lowercase();
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !name.is_empty()
        && text.match_indices(&name).any(|(at, found)| {
            let before = &text[..at];
            let after = &text[at + found.len()..];
            apart(before.chars().next_back()) && apart(after.chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_as_whole_words() {
        for (text, name, expected) in [
            ("The Palace burnt.", "palace", true),
            ("The palaces burnt.", "palace", false),
            ("An old pipe organ, they say", "pipe organ", true),
            ("Nothing", "", false),
            ("Über alles", "über", true),
        ] {
            assert_eq!(contains_name(text, name), expected, "{text} {name}");
        }
    }
}
