//! Tokens of an expression or template, for checks before it is compiled.

/// Splits a source into words, single characters and string literals (as `"` or `'`), with their byte offsets; white
/// space is skipped.
pub(super) fn tokens(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += source[at..].find(|c: char| !c.is_whitespace())?;
        let start = at;
        let rest = &source[at..];
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (token, length) = if matches!(first, '"' | '\'') {
            (1, literal(rest, first))
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (length, length)
        } else {
            (first.len_utf8(), first.len_utf8())
        };
        at += length;
        Some((start, &rest[..token]))
    })
}

/// Returns the length of the string literal at the start of `rest`; an unterminated one extends to the end.
fn literal(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
