//! Private messages in a reply: the rest of a paragraph behind `WHISPER NAME:` is for that participant alone. The marker
//! begins a line, or follows a sentence in capitals.
//!
//! Private text must never become public, so a paragraph with an unknown name is removed as well.

use super::letters::{Letters, word};
use super::names::Spellings;
use crate::model::contract::WHISPER;
use crate::model::name::ends_name;
use crate::model::payload::Whisper;
use crate::model::{Participant, SeatId};

/// Maximum length of the names between `WHISPER` and the colon, in bytes.
const NAMES_MAX: usize = 80;

/// Characters before the marker that are skipped.
const MARKS: &str = "*_#>-[(";
/// Signs between the names and the message.
const SIGNS: &str = ":：–—])";
/// Characters at the end of a sentence.
const SENTENCE_ENDS: &str = ".!?…。！？\"”»)";

/// A reply and its whispers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parted {
    /// The public part of the reply.
    pub text: String,
    /// The private messages, in order.
    pub whispers: Vec<Whisper>,
    /// Names that match no participant; the messages to them are dropped.
    pub unknown: Vec<String>,
}

/// Separates the private messages from a reply; `roster` contains the possible receivers.
pub fn parted(reply: &str, roster: &[&Participant]) -> Parted {
    let mut parted = Parted::default();
    // the number of the last whispers that a private paragraph belongs to
    let mut private = None;
    let mut code = false;
    for line in reply.split_inclusive('\n') {
        code ^= line.trim_start().starts_with("```");
        let begun = if code { None } else { Beginning::find(line, roster) };
        if let Some(Beginning { before, to, rest }) = begun {
            if !before.is_empty() {
                give(&mut parted, private, before);
            }
            match to {
                Ok(found) => {
                    private = Some(found.len());
                    let whisper = |to: SeatId| Whisper { to, text: rest.into(), left: false };
                    parted.whispers.extend(found.into_iter().map(whisper));
                }
                Err(name) => {
                    private = Some(0);
                    parted.unknown.push(name.to_owned());
                }
            }
            continue;
        }
        if line.trim().is_empty() {
            private = None;
        }
        give(&mut parted, private, line);
    }
    // a reply that was cut in the marker
    let cut = reply.lines().next_back().unwrap_or_default();
    if cut.trim_matches(|c: char| c.is_whitespace() || MARKS.contains(c)) == WHISPER
        && let Some(before) = parted.text.strip_suffix(cut)
    {
        parted.text = before.trim_end().to_owned();
    }
    for whisper in &mut parted.whispers {
        whisper.text = whisper.text.trim().into();
    }
    parted.whispers.retain(|whisper| !whisper.text.is_empty());
    if !parted.whispers.is_empty() || !parted.unknown.is_empty() {
        parted.text = parted.text.trim().to_owned();
    }
    parted
}

/// Adds a line to the public text, or to a number of the last whispers.
fn give(parted: &mut Parted, private: Option<usize>, line: &str) {
    match private {
        None => parted.text.push_str(line),
        Some(n) => parted.whispers.iter_mut().rev().take(n).for_each(|whisper| {
            whisper.text = format!("{}{line}", whisper.text).into();
        }),
    }
}

/// A line in which a private message begins.
struct Beginning<'a> {
    /// Text before the marker.
    before: &'a str,
    /// The receivers, or names that nobody has.
    to: Result<Vec<SeatId>, &'a str>,
    /// The message.
    rest: &'a str,
}

impl<'a> Beginning<'a> {
    fn find(line: &'a str, roster: &[&Participant]) -> Option<Beginning<'a>> {
        let is_mark = |c: char| c.is_whitespace() || MARKS.contains(c);
        let first = line.len() - line.trim_start_matches(is_mark).len();
        let behind = line.match_indices(WHISPER).map(|(at, _)| at);
        [first].into_iter().chain(behind).find_map(|at| {
            let (before, marked) = line.split_at_checked(at)?;
            let (word, rest) = marked.split_at_checked(WHISPER.len())?;
            let before = before.trim_end_matches(is_mark);
            let begins = before.is_empty() || before.ends_with(|c| SENTENCE_ENDS.contains(c));
            if !begins || !word.eq_ignore_ascii_case(WHISPER) {
                return None;
            }
            let (to, rest) = receivers(rest, word == WHISPER, roster)?;
            Some(Beginning { before, to, rest })
        })
    }
}

/// Parses the receivers of a private message and its text; `loud` is true if the marker is in capitals.
fn receivers<'a>(
    rest: &'a str,
    loud: bool,
    roster: &[&Participant],
) -> Option<(Result<Vec<SeatId>, &'a str>, &'a str)> {
    if rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let known = Spellings::from_roster(roster);
    let letters = Letters::new(rest);
    let behind_marks = |at: usize| letters.skip(at, |c| !c.is_alphanumeric());
    let behind_word =
        |at: usize, name: &str| letters.word(at, &word(name)).map_or(at, &behind_marks);
    let begin = behind_word(behind_marks(0), "to");
    let (mut to, mut end, mut at) = (vec![], begin, begin);
    while let Some((seat, behind)) = known.at(&letters, at) {
        to.push((*seat).clone());
        end = behind;
        let next = behind_marks(end);
        at = behind_word(next, "and");
        let joined = at > next || (end..next).any(|i| matches!(letters.char(i), Some(',' | '&')));
        if !joined {
            break;
        }
    }
    let bare = rest.get(letters.byte(end)..).unwrap_or_default();
    let skipped = |c: char| ends_name(c) || SIGNS.contains(c) || "*_])".contains(c);
    let text = bare.trim_start_matches(skipped);
    // emphasis around the names ends after the colon
    let signed = bare.trim_start_matches(['*', '_']).starts_with(|c| SIGNS.contains(c));
    if !to.is_empty() && (signed || loud) {
        return Some((Ok(to), text));
    }
    // a name that nobody has is told from prose by its colon
    let bare = if loud { rest.get(letters.byte(begin)..)? } else { return None };
    let (names, text) =
        bare.split_once([':', '：']).filter(|(names, _)| names.len() <= NAMES_MAX)?;
    Some((Err(names.trim()), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VoiceSpec;

    #[test]
    fn private_paragraphs_are_taken_out_of_a_reply() {
        let seat = |id: &str, name: &str| Participant {
            name: name.into(),
            ..Participant::new(id, VoiceSpec::Script(vec![]))
        };
        let seats = [seat("marek", "Marek"), seat("odd", "Mr. Odd")];
        let roster: Vec<_> = seats.iter().collect();
        for (reply, text, whispers, unknown) in [
            ("Fine by me.", "Fine by me.", &[][..], &[][..]),
            (
                "I ask 350.\n\nWHISPER Marek: 330,\nif you are quick.\n\nThat is all.",
                "I ask 350.\n\n\nThat is all.",
                &[("marek", "330,\nif you are quick.")][..],
                &[],
            ),
            ("**WHISPER to @odd:** stay.", "", &[("odd", "stay.")], &[]),
            (
                "WHISPER Marek and Mr. Odd: meet me.",
                "",
                &[("marek", "meet me."), ("odd", "meet me.")],
                &[],
            ),
            ("Yes.\nWhisper marek: no.", "Yes.", &[("marek", "no.")], &[]),
            ("WHISPER Hanna: secret\nsecret\n\nHello.", "Hello.", &[], &["Hanna"]),
            ("Whisper networks: a history.", "Whisper networks: a history.", &[], &[]),
            ("I whisper to Marek: no.", "I whisper to Marek: no.", &[], &[]),
            ("```\nWHISPER Marek: x\n```\n", "```\nWHISPER Marek: x\n```\n", &[], &[]),
            ("Thought Marek: no.", "Thought Marek: no.", &[], &[]),
            ("WHISPERED Marek: no.", "WHISPERED Marek: no.", &[], &[]),
            ("WHISPER Marek:", "", &[], &[]),
            ("Yes.\n\n**WHISPER", "Yes.", &[], &[]),
            ("WHISPER", "", &[], &[]),
            ("I ask 350. WHISPER Marek: 330.", "I ask 350.", &[("marek", "330.")], &[]),
            ("Fine! (WHISPER to Marek — 330.", "Fine!", &[("marek", "330.")], &[]),
            ("Hm. WHISPER Hanna: secret\nsecret", "Hm.", &[], &["Hanna"]),
            ("WHISPER: Marek: 330.", "", &[("marek", "330.")], &[]),
            ("[WHISPER Marek] 330.", "", &[("marek", "330.")], &[]),
            ("WHISPER @Marek：330。", "", &[("marek", "330。")], &[]),
            ("WHISPER Marek, take 330.", "", &[("marek", "take 330.")], &[]),
            ("I asked WHISPER Marek: no.", "I asked WHISPER Marek: no.", &[], &[]),
            ("WHISPER NETWORKS are old.", "WHISPER NETWORKS are old.", &[], &[]),
            ("Old. WHISPERING Marek: no.", "Old. WHISPERING Marek: no.", &[], &[]),
        ] {
            let parted = parted(reply, &roster);
            assert_eq!(parted.text, text, "{reply}");
            let found: Vec<(&str, &str)> =
                parted.whispers.iter().map(|w| (&*w.to.0, &*w.text)).collect();
            assert_eq!(found, whispers, "{reply}");
            assert_eq!(parted.unknown, unknown, "{reply}");
        }
    }
}
