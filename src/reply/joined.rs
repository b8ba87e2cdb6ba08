//! Joins words that were cut with their continuation.

/// Bytes that must be said twice before they are taken for a repetition of the end.
const OVERLAP_MIN: usize = 8;
/// How much of the end is compared, in bytes.
const OVERLAP_MAX: usize = 400;

/// Joins a part with its continuation: what repeats the end of the part is left out, and words stay apart.
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

/// Returns how many bytes at the beginning of a text repeat the end of another.
fn overlap(part: &str, more: &str) -> usize {
    let most = part.len().min(more.len()).min(OVERLAP_MAX);
    let ends = |n: &usize| more.is_char_boundary(*n) && part.ends_with(&more[..*n]);
    (OVERLAP_MIN..=most).rev().find(ends).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_what_goes_on_from_it_are_one_text() {
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
