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

/// Replaces a name as whole words, in any case of ASCII letters.
pub fn replace_name(text: &str, name: &str, with: &str) -> String {
    let name = name.trim();
    let mut out = String::with_capacity(text.len());
    let mut skip = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let end = at + name.len();
        let is_here = !name.is_empty()
            && text.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(name));
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        if at >= skip && is_here && apart(before) && apart(text[end..].chars().next()) {
            out.push_str(with);
            skip = end;
        }
        if at >= skip {
            out.push(c);
        }
        before = Some(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_replaced_as_whole_words() {
        let replaced = replace_name("Ada, ADA's Adam and ada", "Ada", "Side 1");
        assert_eq!(replaced, "Side 1, Side 1's Adam and Side 1");
        assert_eq!(replace_name("Ünal Ü", "Ü", "x"), "Ünal x");
        assert_eq!(replace_name("abc", "", "x"), "abc");
    }

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
