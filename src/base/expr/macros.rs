//! Macros of character cards in the templates of prompts: the names of the character and of the person are replaced,
//! comments and everything else is left out. No macro runs.

use std::borrow::Cow;
use std::ops::Range;

/// Beginnings of macros that contain a colon or nothing else, beside `{{char}}` and `{{user}}`.
const KNOWN: [&str; 16] = crate::strings![
    "random" "pick" "roll" "time" "date" "weekday" "isotime" "isodate" "newline" "trim" "noop"
    "input" "lastmessage" "idle_duration" "setvar" "getvar"
];

/// A macro in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Macro {
    /// The name of the character.
    Character,
    /// The name of the person.
    Person,
    /// A comment, or the text that a card replaces.
    Nothing,
    /// Any other; it is left out.
    Unknown,
}

/// Returns a text as a template, with its macros replaced.
pub fn translate_macros(text: &str) -> Cow<'_, str> {
    replaced(text, |found, _| match found {
        Macro::Character => "{{ me.name }}".into(),
        Macro::Person => "the host".into(),
        Macro::Nothing | Macro::Unknown => String::new(),
    })
}

/// Returns a text of a card with its macros replaced: with a name as plain text, else as a template in which nothing
/// else runs.
pub fn card_text(text: &str, name: Option<&str>) -> String {
    let literal = |part: &str| match name {
        Some(_) => part.to_owned(),
        None => ["{{", "{%", "{#"]
            .iter()
            .fold(part.to_owned(), |text, sign| text.replace(sign, &format!("{{{{ '{sign}' }}}}"))),
    };
    let mut whole = String::new();
    let mut at = 0;
    for (range, found) in macros_of_card(text) {
        whole.push_str(&literal(text.get(at..range.start).unwrap_or_default()));
        whole.push_str(match found {
            Macro::Character => name.unwrap_or("{{ me.name }}"),
            Macro::Person => "the host",
            Macro::Nothing | Macro::Unknown => "",
        });
        at = range.end;
    }
    whole + &literal(text.get(at..).unwrap_or_default())
}

/// Returns a text with blanks for its macros, so that the places of everything else stay.
pub fn blank_macros(text: &str) -> Cow<'_, str> {
    replaced(text, |_, length| " ".repeat(length))
}

/// Returns the byte ranges of macros without a meaning here.
pub fn unknown_macros(text: &str) -> Vec<Range<usize>> {
    let all = macros(text).into_iter();
    all.filter(|(_, found)| *found == Macro::Unknown).map(|(range, _)| range).collect()
}

fn replaced(text: &str, with: impl Fn(Macro, usize) -> String) -> Cow<'_, str> {
    let found = macros(text);
    if found.is_empty() {
        return text.into();
    }
    let mut whole = text.to_owned();
    for (range, found) in found.into_iter().rev() {
        let length = range.len();
        whole.replace_range(range, &with(found, length));
    }
    whole.into()
}

/// Returns the macros of a template in their order. One with statements has variables of its own.
fn macros(text: &str) -> Vec<(Range<usize>, Macro)> {
    if text.contains("{%") { vec![] } else { macros_of_card(text) }
}

/// Returns the macros of a text in their order.
fn macros_of_card(text: &str) -> Vec<(Range<usize>, Macro)> {
    let mut found: Vec<(Range<usize>, Macro)> = vec![];
    let mut at = 0;
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find("{{")).map(|n| at + n) {
        let inside = text.get(begin + 2..).unwrap_or_default();
        let Some(length) = inside.find("}}") else { break };
        let end = begin + length + 4;
        match kind(inside.get(..length).unwrap_or_default()) {
            Some(kind) => {
                found.push((begin..end, kind));
                at = end;
            }
            None => at = begin + 2,
        }
    }
    for (sign, kind) in [("<BOT>", Macro::Character), ("<USER>", Macro::Person)] {
        found.extend(text.match_indices(sign).map(|(at, sign)| (at..at + sign.len(), kind)));
    }
    found.sort_by_key(|(range, _)| range.start);
    // a sign within another macro goes with it
    let mut last = 0;
    found.retain(|(range, _)| {
        let is_after = range.start >= last;
        last = last.max(range.end);
        is_after
    });
    found
}

/// Returns the kind of a macro by the text between its braces; `None` if it is an expression.
fn kind(inside: &str) -> Option<Macro> {
    let plain = inside.trim().to_ascii_lowercase();
    match &*plain {
        "char" | "bot" => return Some(Macro::Character),
        "user" => return Some(Macro::Person),
        "original" => return Some(Macro::Nothing),
        text if text.starts_with("//") => return Some(Macro::Nothing),
        _ => {}
    }
    let word = plain.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
    let rest = plain.get(word.len()..)?;
    let is_macro = !word.is_empty() && rest.starts_with(':')
        || KNOWN.contains(&word) && (rest.is_empty() || rest.starts_with(' '));
    is_macro.then_some(Macro::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_cards_are_replaced_and_expressions_stay() {
        for (text, expected) in [
            ("You are {{char}}, friend of {{user}}.", "You are {{ me.name }}, friend of the host."),
            ("<BOT> and <USER>, {{ Char }}", "{{ me.name }} and the host, {{ me.name }}"),
            ("{{original}}Be brief.{{// kept {short} }}", "Be brief."),
            ("Say {{random::a::b}}{{roll:d6}}{{time}}now.", "Say now."),
            ("{{random::<BOT>::b}}x", "x"),
            ("{{ topic }} of {{ me.name }}", "{{ topic }} of {{ me.name }}"),
            ("{{ items[1:2] }}{{ random_thing }}", "{{ items[1:2] }}{{ random_thing }}"),
            (
                "{% for user in seats %}{{ user }}{% endfor %}",
                "{% for user in seats %}{{ user }}{% endfor %}",
            ),
            ("a {{ b", "a {{ b"),
            ("plain <B>", "plain <B>"),
        ] {
            assert_eq!(translate_macros(text), expected, "{text}");
            assert_eq!(blank_macros(text).len(), text.len(), "{text}");
        }
        assert_eq!(unknown_macros("a {{char}} {{pick::x}}"), vec![(11..22)]);
        assert_eq!(blank_macros("a {{char}} {{ b }}"), "a          {{ b }}");
    }
}
