//! Joins an interrupted text with its continuation.

/// Minimum overlap, in bytes, that counts as a repetition of the end.
const OVERLAP_MIN: usize = 8;
/// Maximum number of bytes at the end that are compared.
const OVERLAP_MAX: usize = 400;

/// Joins a part with its continuation, without repeating the end of the part, and with a space between words.
pub fn joined(part: &str, more: &str) -> String {
    let said = more.trim_start();
    let fresh = match overlap(part, said) {
        0 => more,
        length => said.get(length..).unwrap_or_default(),
    };
    let apart = part.ends_with(char::is_whitespace)
        || fresh
            .starts_with(|c: char| c.is_whitespace() || ".,;:!?)]}\u{2019}\u{201d}".contains(c))
        || part.is_empty();
    if apart { format!("{part}{fresh}") } else { format!("{part} {fresh}") }
}

/// Returns the number of bytes at the beginning of `more` that repeat the end of `part`.
fn overlap(part: &str, more: &str) -> usize {
    let most = part.len().min(more.len()).min(OVERLAP_MAX);
    let ends = |n: &usize| more.is_char_boundary(*n) && part.ends_with(&more[..*n]);
    (OVERLAP_MIN..=most).rev().find(ends).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_message_and_continuation_form_one_text() {
        for (part, more, whole) in [
            ("The old bridge is", "too narrow.", "The old bridge is too narrow."),
            ("The old bridge is ", "too narrow.", "The old bridge is too narrow."),
            ("The old bridge", ", I said.", "The old bridge, I said."),
            ("The old bridge is", "bridge is too narrow.", "The old bridge is too narrow."),
            ("The old bridge is", " old bridge is too narrow.", "The old bridge is too narrow."),
            ("It is", "is it?", "It is is it?"),
            ("", "All.", "All."),
        ] {
            assert_eq!(joined(part, more), whole, "{part:?} {more:?}");
        }
    }
}
