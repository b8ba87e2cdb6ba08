//! Quotations that are checked against their source text and tagged: `<quote found="yes">`.

/// Name of the tag.
const TAG: &str = "quote";
/// Maximum number of bytes of a tag in a reply, so that a reply of brackets is read in linear time.
const TAG_MAX: usize = 200;

/// Opening and closing marks of a quotation.
const FRAMES: [(&str, &str); 3] = [("<quote>", "</quote>"), ("“", "”"), ("\"", "\"")];
/// Minimum number of words between quotation marks that count as a quotation.
const WORDS_MIN: usize = 3;

/// Returns a checked reply as its author wrote it: each tag of a quotation without attributes, in any case and spacing.
pub fn as_written(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inside = tag.get(1..).unwrap_or_default();
        let end = inside.bytes().take(TAG_MAX).position(|b| b == b'>' || b == b'<');
        let end = end.filter(|end| inside.as_bytes().get(*end) == Some(&b'>'));
        let named = end.and_then(|end| Some((end, tag_name(inside.get(..end)?)?)));
        match named {
            Some((end, name)) => {
                out.push_str(name);
                rest = inside.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('<');
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the plain form of a tag of a quotation from the text between its brackets; `None` for other tags.
fn tag_name(inside: &str) -> Option<&'static str> {
    let bare = inside.trim_start();
    let closes = bare.starts_with('/');
    let name = bare.trim_start_matches(['/', ' ']);
    let rest = name.get(TAG.len()..)?;
    let is_quote = name.get(..TAG.len())?.eq_ignore_ascii_case(TAG)
        && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    is_quote.then_some(if closes { "</quote>" } else { "<quote>" })
}

/// Returns a reply with each of its quotations in a tag that says whether the text contains it. Tags with attributes in
/// the reply itself lose them first: only the program checks.
pub fn checked(said: &str, text: &str) -> String {
    let said = as_written(said);
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
        let tagged = open.starts_with('<');
        if tagged || quoted.split_whitespace().count() >= WORDS_MIN {
            let found = if text.contains(&plain(quoted)) { "yes" } else { "no" };
            out.push_str(&format!("<quote found=\"{found}\">{quoted}</quote>"));
        } else {
            out.push_str(&format!("{open}{quoted}{close}"));
        }
        rest = after;
    }
    out.push_str(rest);
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
                "He says <quote found=\"yes\">nobody saw it</quote>.",
            ),
            ("<quote>dawn</quote>", "<quote found=\"yes\">dawn</quote>"),
            ("<quote>the ship sank</quote>", "<quote found=\"no\">the ship sank</quote>"),
            (
                "“Saw it but the keeper” and \"a ship\"",
                "<quote found=\"yes\">Saw it but the keeper</quote> and \"a ship\"",
            ),
            ("<quote>no end", "<quote>no end"),
            ("<quote>ship left at da</quote>", "<quote found=\"no\">ship left at da</quote>"),
            ("plain, a < b <em>c</em>", "plain, a < b <em>c</em>"),
            ("<quote found=\"yes\">it sank</quote>", "<quote found=\"no\">it sank</quote>"),
            ("< QUOTE found='yes' >it sank< / quote >", "<quote found=\"no\">it sank</quote>"),
            ("<quote\nfound=yes>it sank", "<quote>it sank"),
            ("<<quote found=yes>it sank</quote>", "<<quote found=\"no\">it sank</quote>"),
        ] {
            assert_eq!(checked(said, text), expected);
            let own = as_written(&checked(said, text));
            assert!(!own.contains("found="), "the own history has no mark: {own}");
        }
    }
}
