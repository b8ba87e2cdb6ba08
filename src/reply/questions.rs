//! Questions that are put to a participant by name. They count until the participant has spoken again.

use super::mentions::{length_of, mentions, own_paragraphs, without_inline_code};
use crate::model::{Participant, SeatId};

/// A question to one participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectedQuestion {
    /// The participant who is asked.
    pub to: SeatId,
    /// The whole sentence.
    pub text: String,
}

/// Returns the questions in a text that are put to a seat by name, in order; `by` is the author, who cannot ask itself.
///
/// A question is a sentence that ends with `?`. It is put to the seats that it mentions with `@`, or else to the seat
/// whose name begins it, before a comma or colon, or ends it, after a comma. Code and quotes do not count.
pub fn questions(
    text: &str,
    by: Option<&SeatId>,
    roster: &[&Participant],
) -> Vec<DirectedQuestion> {
    let mut found = vec![];
    for paragraph in own_paragraphs(text) {
        let words = without_inline_code(&paragraph);
        for sentence in words.split_inclusive(['.', '!', '?', '\n']).map(str::trim) {
            let Some(body) = sentence.strip_suffix('?') else { continue };
            let mut to = mentions(body, by, roster);
            if to.is_empty() {
                to.extend(called(body, roster).or_else(|| named_last(body, roster)));
            }
            to.retain(|seat| Some(seat) != by);
            let text = || sentence.trim_start_matches(['"', '“', '(']).to_owned();
            found.extend(to.into_iter().map(|to| DirectedQuestion { to, text: text() }));
        }
    }
    found
}

/// Returns the seat that a text addresses at its beginning: its name, followed by a comma or a colon.
pub fn called(text: &str, roster: &[&Participant]) -> Option<SeatId> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "\"“'(".contains(c));
    let end = text.find([',', ':'])?;
    is_name(&text[..end], roster)
}

fn named_last(body: &str, roster: &[&Participant]) -> Option<SeatId> {
    let (_, last) = body.rsplit_once(',')?;
    is_name(last, roster)
}

/// Returns the seat of a text that is a name and nothing else.
fn is_name(text: &str, roster: &[&Participant]) -> Option<SeatId> {
    let text = text.trim();
    let is_whole = |name: &str| length_of(text, name) == Some(text.len());
    let named = |p: &&&Participant| {
        is_whole(&p.id) || is_whole(&p.name) || p.aliases.iter().any(|alias| is_whole(alias))
    };
    roster.iter().find(named).map(|p| p.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VoiceSpec;

    fn seat(id: &str, name: &str) -> Participant {
        Participant {
            name: name.into(),
            ..Participant::new(id, VoiceSpec::Lines { lines: Vec::new(), pace: 0 })
        }
    }

    #[test]
    fn questions_are_put_to_a_seat_by_name() {
        let seats = [seat("ann", "Ann"), seat("cy", "Cy"), seat("bob", "Bob Lee")];
        let roster: Vec<_> = seats.iter().collect();
        for (text, expected) in [
            (
                "Trams pay. Cy, who drives your mother? I do not.",
                &["cy: Cy, who drives your mother?"][..],
            ),
            ("Who counted, Bob Lee?", &["bob: Who counted, Bob Lee?"]),
            ("Bob Lee: who counted?", &["bob: Bob Lee: who counted?"]),
            (
                "Is that so, @cy and @bob?",
                &["cy: Is that so, @cy and @bob?", "bob: Is that so, @cy and @bob?"],
            ),
            ("“Ann, is it?” he asked.", &["ann: Ann, is it?"]),
            ("Is Bob Lee right? Cy said so. Cy, no.", &[]),
            ("Cyril, is it? Well, Ann thinks, is it?", &[]),
            ("> Cy, is it?\n`Cy, is it?`", &[]),
            ("", &[]),
        ] {
            let found = questions(text, Some(&"me".into()), &roster);
            let found: Vec<String> =
                found.iter().map(|q| format!("{}: {}", q.to, q.text)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
        let own = questions("Ann, am I right?", Some(&"ann".into()), &roster);
        assert_eq!(own, [], "a question to oneself");
    }

    #[test]
    fn a_text_addresses_a_seat_at_its_beginning() {
        let seats = [seat("ann", "Ann"), seat("bob", "Bob Lee")];
        let roster: Vec<_> = seats.iter().collect();
        for (text, expected) in [
            ("Ann, go on", Some("ann")),
            (" bob lee: why?", Some("bob")),
            ("Ann is wrong, I think", None),
            ("Annabel, go on", None),
            ("Well, Ann, go on", None),
            ("Ann", None),
        ] {
            assert_eq!(called(text, &roster).as_ref().map(|s| &*s.0), expected, "{text:?}");
        }
    }
}
