//! Checks quotations in a reply against their source text and marks them, so that a reader without the source can see
//! which are correct.

/// Opening and closing marks of a quotation.
const FRAMES: [(&str, &str); 3] = [("<quote>", "</quote>"), ("“", "”"), ("\"", "\"")];
/// Minimum number of words between quotation marks that count as a quotation.
const WORDS_MIN: usize = 3;
/// Mark after a quotation that the source contains.
pub const FOUND: &str = " [quoted correctly]";
/// Maximum number of bytes between the brackets of a mark in a reply, so that a reply of brackets is read in linear time.
const MARK_MAX: usize = 200;
/// Mark after a quotation that the source does not contain.
pub const MISSING: &str = " [not in the text]";

/// Returns a reply with each of its quotations marked. Marks in the reply itself are removed first: only the program
/// checks.
pub fn checked(said: &str, text: &str) -> String {
    let said = without_marks(said);
    let text = plain(text);
    let mut out = String::with_capacity(said.len());
    let mut rest = said.as_str();
    while let Some((at, open, close)) = first(rest) {
        let inside = at + open.len();
        let Some(end) = rest.get(inside..).and_then(|tail| tail.find(close)).map(|n| inside + n)
        else {
            break;
        };
        let (Some(before), Some(quoted), Some(after)) =
            (rest.get(..at), rest.get(inside..end), rest.get(end + close.len()..))
        else {
            break;
        };
        out.push_str(before);
        out.push_str(&format!("“{quoted}”"));
        let tagged = open.starts_with('<');
        if tagged || quoted.split_whitespace().count() >= WORDS_MIN {
            let marked = if text.contains(&plain(quoted)) { FOUND } else { MISSING };
            out.push_str(marked);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Removes the marks of checked quotations, in any case and spacing, also a mark that only the removal of another one
/// completes.
fn without_marks(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut open = vec![];
    for c in said.chars() {
        let begin = if c == ']' { open.pop() } else { None };
        let inside =
            begin.and_then(|at| out.get(at..)).filter(|mark| mark.len() <= MARK_MAX).map(plain);
        match begin {
            Some(at) if [FOUND, MISSING].iter().any(|mark| Some(plain(mark)) == inside) => {
                out.truncate(at);
                out.truncate(out.trim_end().len());
            }
            _ => {
                if c == '[' {
                    open.push(out.len());
                }
                out.push(c);
            }
        }
    }
    out
}

/// Finds the next quotation; returns its byte offset and its opening and closing marks.
fn first(text: &str) -> Option<(usize, &'static str, &'static str)> {
    FRAMES.iter().filter_map(|(open, close)| Some((text.find(open)?, *open, *close))).min()
}

/// Returns only the words of a text, in lower case: spacing, punctuation and case do not matter in a quotation.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_marked_as_found_or_not() {
        let text = "The ship left at dawn.\nNobody  saw it, but the keeper.";
        for (said, expected) in [
            (
                "He says <quote>nobody saw it</quote>.",
                "He says “nobody saw it” [quoted correctly].",
            ),
            ("<quote>dawn</quote>", "“dawn” [quoted correctly]"),
            ("<quote>the ship sank</quote>", "“the ship sank” [not in the text]"),
            (
                "“Saw it but the keeper” and \"a ship\"",
                "“Saw it but the keeper” [quoted correctly] and “a ship”",
            ),
            ("<quote>no end", "<quote>no end"),
            ("<quote>ship left at da</quote>", "“ship left at da” [not in the text]"),
            ("plain", "plain"),
            ("“It sank” [quoted correctly].", "“It sank”."),
            ("“the ship sank” [ Quoted  correctly! ]", "“the ship sank” [not in the text]"),
            ("a [quoted [quoted correctly] correctly] b", "a b"),
            ("[1] and [not in the text", "[1] and [not in the text"),
        ] {
            assert_eq!(checked(said, text), expected);
        }
    }
}
