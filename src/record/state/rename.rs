//! Replaces names of participants in text: names by labels, and labels by names.
//!
//! A name matches as a whole word, and case matters; names of a single letter are ignored, since a letter usually is
//! just a letter. All pairs are replaced in one pass, so that two labels can be swapped. Inflections and nicknames are
//! not recognised.

use std::borrow::Cow;

/// Minimum number of characters of a name.
const NAME_MIN: usize = 2;

/// Returns a text with every name replaced by its partner; the longest matching name wins.
pub(super) fn rename<'a>(text: &'a str, pairs: &[(&str, &str)]) -> Cow<'a, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let begins = !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let found = if begins { longest(&text[at..], pairs) } else { None };
        match found {
            Some((from, to)) => {
                out.push_str(&text[kept..at]);
                out.push_str(to);
                at += from.len();
                kept = at;
            }
            None => at += c.len_utf8(),
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

fn longest<'p>(rest: &str, pairs: &[(&'p str, &'p str)]) -> Option<(&'p str, &'p str)> {
    let fits = |(from, _): &&(&str, &str)| {
        let ends = |after: &str| !after.chars().next().is_some_and(char::is_alphanumeric);
        from.chars().count() >= NAME_MIN && rest.strip_prefix(from).is_some_and(ends)
    };
    pairs.iter().filter(fits).max_by_key(|(from, _)| from.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_exchanged_all_at_once() {
        let pairs = [
            ("Bo", "Speaker A"),
            ("@bo", "@Speaker A"),
            ("Bo Li", "Speaker C"),
            ("I", "Speaker D"),
        ];
        let swap = [("Speaker A", "Speaker B"), ("Speaker B", "Speaker A")];
        for (text, pairs, expected) in [
            (
                "Bo, Bob and bo: Bo's @bo.",
                &pairs[..],
                "Speaker A, Bob and bo: Speaker A's @Speaker A.",
            ),
            ("Bo Li (Bo)", &pairs, "Speaker C (Speaker A)"),
            ("I am here", &pairs, "I am here"),
            ("Speaker A to Speaker B", &swap, "Speaker B to Speaker A"),
            ("ÄBo Boé", &pairs, "ÄBo Boé"),
            ("", &pairs, ""),
        ] {
            assert_eq!(rename(text, pairs), expected);
        }
    }
}
