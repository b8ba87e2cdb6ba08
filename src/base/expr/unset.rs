//! Keys that an expression reads and that are not set yet.

use super::Facts;
use super::tokens::tokens;

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
