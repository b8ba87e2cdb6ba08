//! Finds the known name nearest to an unknown one.
//!
//! All messages use the same measure, so that "the nearest is" appears only for near names.

/// Maximum edit distance of a long name.
const EDITS_MAX: usize = 3;
/// Minimum letters of a prefix that counts as the name.
const PREFIX_MIN: usize = 3;

/// Returns the known name within a likely typing error; `None` if all are too different.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let length = word.chars().count();
    let most = (length / 3).clamp(1, EDITS_MAX);
    let distance = |name: &str| {
        if name.starts_with(word) && length >= PREFIX_MIN {
            0
        } else {
            strsim::damerau_levenshtein(name, word)
        }
    };
    let near = known.into_iter().map(|name| (distance(name), name)).min_by_key(|(edits, _)| *edits);
    near.filter(|(edits, _)| *edits <= most).map(|(_, name)| name)
}

/// Returns a replacement for a name: the nearest one, or all names.
pub fn instead(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("the nearest is `{near}`"),
        None => format!("there are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_name_is_proposed() {
        let names = ["round-table", "debate", "demo", "doctor"];
        for (meant, near) in [
            ("debat", Some("debate")),
            ("round_table", Some("round-table")),
            ("dmeo", Some("demo")),
            ("doc", Some("doctor")),
            ("frobnicate", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(meant, names), near, "{meant}");
        }
        assert_eq!(instead("debat", &names), "the nearest is `debate`");
        assert_eq!(instead("frobnicate", &["a", "b"]), "there are a, b");
    }
}
