//! Parts of a condition with a value of their own, which are shown when the condition is false, and keys that it reads and
//! that are not set yet.

use super::Facts;
use super::tokens::tokens;

/// Keywords of expressions.
pub(super) const KEYWORDS: [&str; 13] = [
    "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None",
];
/// Maximum number of parts shown of one condition.
const PARTS_SHOWN: usize = 12;

/// Returns the parts of a condition in order, without duplicates; empty if the condition is a single part.
pub fn parts(source: &str) -> Vec<&str> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let mut parts: Vec<&str> = vec![];
    let mut at = 0;
    while let Some((start, token)) = all.get(at) {
        let named = token.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let keyword = KEYWORDS.contains(token);
        // names of tests and filters have no value
        let tested = at > 0 && {
            let before = all.get(at - 1).map_or("", |(_, t)| *t);
            let twice = at.checked_sub(2).and_then(|i| all.get(i)).map_or("", |(_, t)| *t);
            before == "is" || before == "|" || (before == "not" && twice == "is")
        };
        if !named || keyword || tested {
            at += 1;
            continue;
        }
        let end = end_of_part(&all, at, source);
        let part = source.get(*start..end.1).unwrap_or_default().trim();
        if part != source.trim() && !parts.contains(&part) && parts.len() < PARTS_SHOWN {
            parts.push(part);
        }
        at = end.0;
    }
    parts
}

/// Returns the index of the token after the part that starts at `at`, and the byte offset of the part's end.
fn end_of_part(all: &[(usize, &str)], at: usize, source: &str) -> (usize, usize) {
    let token = |i: usize| all.get(i).map_or("", |(_, t)| *t);
    let next = |i: usize| all.get(i).map_or(source.len(), |(start, _)| *start);
    let mut i = at + 1;
    loop {
        match token(i) {
            "(" | "[" => i = closed(all, i),
            "." => i += 2,
            "|" => i += 2,
            _ => return (i, next(i)),
        }
        if i >= all.len() {
            return (i, source.len());
        }
    }
}

/// Returns the index of the token after the bracket that closes the one at `at`.
pub(super) fn closed(all: &[(usize, &str)], at: usize) -> usize {
    let mut depth = 0_usize;
    for (i, (_, token)) in all.iter().enumerate().skip(at) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    all.len()
}

/// Mappings whose keys appear during a conversation.
const GROWING: [&str; 2] = ["context", "profile"];

/// Describes the keys of `context` and `profile` that a condition reads before they are set; `None` if all are
/// set. `.get(...)` and `is defined` provide for a missing key and do not count.
pub fn unset_keys(source: &str, facts: &Facts) -> Option<String> {
    let all: Vec<&str> = tokens(source).map(|(_, token)| token).collect();
    let mut unset: Vec<String> = vec![];
    for at in 0..all.len() {
        let Some((of, key, next)) = key_at(&all, at) else { continue };
        let name = format!("{of}.{key}");
        if next != Some(&"is") && !facts.has_key(of, key) && !unset.contains(&name) {
            unset.push(name);
        }
    }
    let are = if unset.len() == 1 { "is" } else { "are" };
    (!unset.is_empty()).then(|| format!("{} {are} not set yet", unset.join(", ")))
}

/// Returns the mapping and the key that are read at a token, and the token behind them.
fn key_at<'s, 'a>(
    all: &'a [&'s str],
    at: usize,
) -> Option<(&'s str, &'s str, Option<&'a &'s str>)> {
    let of = *all.get(at)?;
    let is_attribute = at > 0 && all.get(at - 1) == Some(&".");
    if !GROWING.contains(&of) || is_attribute {
        return None;
    }
    let [sign, key, after] = [1, 2, 3].map(|n| all.get(at + n));
    match (*sign?, *key?, after) {
        (".", _, Some(&"(")) => None,
        (".", key, after) => Some((of, key, after)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_name_with_all_that_follows_it() {
        for (source, expected) in [
            (
                "ended.reason == 'goal' and utterances[2].participant == 'bob'",
                &["ended.reason", "utterances[2].participant"][..],
            ),
            ("'x' in prompt('bob', 3) or not paused", &["prompt('bob', 3)", "paused"]),
            ("seats | length > 2 and a is defined", &["seats | length", "a"]),
            ("a is not none and a.b|first == 1", &["a", "a.b|first"]),
            ("context.get('x', False) == True", &["context.get('x', False)"]),
            ("paused", &[]),
            ("1 < 2", &[]),
            ("a[", &[]),
        ] {
            assert_eq!(parts(source), expected, "{source}");
        }
    }
}
