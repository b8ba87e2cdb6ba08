//! Readable differences of two texts, in lines or in words.

/// Maximum number of parts shown of each side.
const SHOWN: usize = 8;
/// Number of parts shown before the first difference.
const BEFORE: usize = 1;

/// Returns the difference between expected and found, line by line; empty if they are equal.
pub fn lines(expected: &str, found: &str) -> Vec<String> {
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (expected.lines().collect(), found.lines().collect());
    let (start, old, new) = middle(&expected, &found);
    if old.is_empty() && new.is_empty() {
        return vec![];
    }
    let before = expected.iter().enumerate().take(start).skip(start.saturating_sub(BEFORE));
    let mut all = vec![format!("line {}:", start + 1)];
    all.extend(before.map(|(_, line)| format!("  {line}")));
    all.extend(side('-', old));
    all.extend(side('+', new));
    all
}

/// Returns the difference in words: `… of the [-old-] {+new+} words …`; `None` if the texts are equal.
pub fn words(expected: &str, found: &str) -> Option<String> {
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (expected.split_whitespace().collect(), found.split_whitespace().collect());
    let (start, old, new) = middle(&expected, &found);
    if old.is_empty() && new.is_empty() {
        return None;
    }
    const AROUND: usize = 6;
    let before: Vec<&str> =
        expected.iter().take(start).skip(start.saturating_sub(AROUND)).copied().collect();
    let after: Vec<&str> = expected.iter().skip(start + old.len()).take(AROUND).copied().collect();
    let marked = |open: &str, words: &[&str], close: &str| match words.len() {
        0 => String::new(),
        n if n > 4 * SHOWN => {
            let shown: Vec<&str> = words.iter().take(4 * SHOWN).copied().collect();
            format!("{open}{} … {} more{close}", shown.join(" "), n - 4 * SHOWN)
        }
        _ => format!("{open}{}{close}", words.join(" ")),
    };
    let parts = [
        if start > AROUND { "…".to_owned() } else { String::new() },
        before.join(" "),
        marked("[-", old, "-]"),
        marked("{+", new, "+}"),
        after.join(" "),
        if start + old.len() + AROUND < expected.len() { "…".to_owned() } else { String::new() },
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    Some(parts.join(" "))
}

fn side(sign: char, lines: &[&str]) -> Vec<String> {
    let mut shown: Vec<String> = lines.iter().take(SHOWN).map(|l| format!("{sign} {l}")).collect();
    if let Some(more) = lines.len().checked_sub(SHOWN).filter(|n| *n > 0) {
        shown.push(format!("{sign} … {more} more lines"));
    }
    shown
}

/// Returns the index at which two lists diverge, and the parts between their common beginning and end.
fn middle<'l, 't>(old: &'l [&'t str], new: &'l [&'t str]) -> (usize, &'l [&'t str], &'l [&'t str]) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let old = old.get(start..).unwrap_or_default();
    let new = new.get(start..).unwrap_or_default();
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let cut = |all: &'l [&'t str]| all.get(..all.len() - end).unwrap_or_default();
    (start, cut(old), cut(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_where_and_what() {
        assert_eq!(lines("a\nb\nc", "a\nx\ny\nc"), ["line 2:", "  a", "- b", "+ x", "+ y"]);
        assert!(lines("a\nb", "a\nb\n").is_empty());
        assert_eq!(words("a b c", "a x c").unwrap(), "a [-b-] {+x+} c");
        assert_eq!(words("a b", "a  b"), None);
        assert_eq!(words("a", "a b").unwrap(), "a {+b+}");
    }
}
