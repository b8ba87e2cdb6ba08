//! Escapes text in prompts, so that it can neither close the tag around it nor imitate one.

use crate::model::{Text, ToolRound};
use crate::{policy, text};
use memchr::memchr3_iter;
use std::sync::LazyLock;

/// Names of the tags around blocks, without those of policies.
const TAGS: [&str; 16] = [
    "said",
    "host",
    "moderator",
    "guidance",
    "brief",
    "summary",
    "request",
    "lore",
    "profile",
    "ranking",
    "result",
    // without the underscore, because names are compared by letters only
    "toolrequest",
    "toolresult",
    "yournotes",
    "material",
    "phase",
];
/// Names of all tags, compared by letters only.
pub(crate) static ALL_TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let own = policy::tags().map(|tag| tag.replace('_', ""));
    TAGS.iter().map(|tag| (*tag).to_owned()).chain(own).collect()
});
/// Beginnings of the control tokens of chat formats, after their `<`.
const CONTROL: [&str; 9] =
    ["|", "s>", "/s>", "eos>", "bos>", "start_of_turn", "end_of_turn", "sys>", "/sys>"];
/// Characters that can pass for `<`.
pub(crate) const OPENERS: [char; 4] = ['<', '\u{ff1c}', '\u{fe64}', '\u{2039}'];
/// First bytes of these in UTF-8, which occur only at the start of a character.
pub(crate) const FIRST_BYTES: [u8; 3] = [b'<', 0xef, 0xe2];
/// Escaped form of `<`.
pub(crate) const ESCAPED: &str = "&lt;";
/// Returns a name that is safe as an attribute of a tag.
pub(crate) fn attribute(name: &Text) -> String {
    text::line(name).replace('"', "'").replace(OPENERS, "(").replace('>', ")")
}

/// Escapes text so that it can neither end its block nor start another one.
pub fn quoted(words: &str) -> String {
    escaped(words, acts)
}

/// Escapes the control tokens of chat formats, and nothing else, for prompts without tags.
pub(crate) fn without_control(words: &str) -> String {
    escaped(words, is_control)
}

/// Escapes each `<` that begins something that `acts`.
fn escaped(words: &str, acts: fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(words.len());
    let mut done = 0;
    let [ascii, first, second] = FIRST_BYTES;
    for at in memchr3_iter(ascii, first, second, words.as_bytes()) {
        let opener = words[at..].chars().next().filter(|c| OPENERS.contains(c));
        if let Some(behind) = opener.map(|c| at + c.len_utf8())
            && acts(&words[behind..])
        {
            out.push_str(&words[done..at]);
            out.push_str(ESCAPED);
            done = behind;
        }
    }
    out.push_str(&words[done..]);
    out
}

/// Returns true if the text after a `<` makes it one of our tags, however disguised, or a control token.
fn acts(rest: &str) -> bool {
    // skip other characters, such as spaces, a slash or invisible ones, which may hide the name
    let letters = rest.chars().take(HIDING_CHARS).filter(|c| c.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    ALL_TAGS.iter().any(|tag| name.starts_with(tag)) || is_control(rest)
}

/// Returns true if the text after a `<` makes it a control token.
fn is_control(rest: &str) -> bool {
    let token = rest.chars().take(HIDING_CHARS).collect::<String>().to_lowercase();
    CONTROL.iter().any(|control| token.starts_with(control))
}

/// Number of characters after a `<` that are searched for the name of a tag.
const HIDING_CHARS: usize = 40;

/// Escapes the results of tools, which are untrusted: they can neither close their tag nor imitate one.
pub(crate) fn escape_results(round: &ToolRound) -> ToolRound {
    let mut round = round.clone();
    for (_, result) in round.runs.iter_mut().filter_map(|run| run.returned.as_mut()) {
        *result = text::forwarded(&quoted(result)).into_owned().into();
    }
    round
}
