//! Private messages in a reply: a paragraph that begins with `WHISPER NAME:` is for that participant alone.
//!
//! Private text must never become public, so a paragraph with an unknown name is removed as well.

use crate::model::contract::WHISPER;
use crate::model::payload::Whisper;
use crate::model::{Participant, SeatId};

/// Maximum length of the names between `WHISPER` and the colon, in bytes.
const NAMES_MAX: usize = 80;

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

/// Receivers of a paragraph's lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    Public,
    /// Private: the lines go to this number of the last whispers, one per receiver.
    Private(usize),
    Nobodys,
}

/// Separates the private messages from a reply; `roster` contains the possible receivers.
pub fn parted(reply: &str, roster: &[&Participant]) -> Parted {
    let mut parted = Parted::default();
    let mut paragraph = Paragraph::Public;
    let mut code = false;
    for line in reply.split_inclusive('\n') {
        code ^= line.trim_start().starts_with("```");
        let begun = if code { None } else { beginning(line) };
        if let Some((loud, names, rest)) = begun {
            let found: Option<Vec<&SeatId>> =
                split(names).map(|name| addressee(name, roster)).collect();
            match found.filter(|found| !found.is_empty()) {
                Some(found) => {
                    paragraph = Paragraph::Private(found.len());
                    let whisper = |to: &&SeatId| Whisper {
                        to: (*to).clone(),
                        text: rest.into(),
                        left: false,
                    };
                    parted.whispers.extend(found.iter().map(whisper));
                    continue;
                }
                None if loud => {
                    paragraph = Paragraph::Nobodys;
                    parted.unknown.push(names.trim().to_owned());
                    continue;
                }
                None => {}
            }
        }
        if line.trim().is_empty() {
            paragraph = Paragraph::Public;
        }
        match paragraph {
            Paragraph::Public => parted.text.push_str(line),
            Paragraph::Private(n) => {
                for whisper in parted.whispers.iter_mut().rev().take(n) {
                    whisper.text = format!("{}{line}", whisper.text).into();
                }
            }
            Paragraph::Nobodys => {}
        }
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

/// Parses a line that begins a private message: true if the marker is in capitals, the names, and the text after the
/// colon.
fn beginning(line: &str) -> Option<(bool, &str, &str)> {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*_#>-[(".contains(c));
    let (word, rest) = bare.split_at_checked(WHISPER.len())?;
    let loud = word == WHISPER;
    if !word.eq_ignore_ascii_case(WHISPER) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (names, said) = rest.split_once(':').filter(|(names, _)| names.len() <= NAMES_MAX)?;
    let names = names.trim();
    let names = match names.split_at_checked(3) {
        Some((to, rest)) if to.eq_ignore_ascii_case("to ") => rest,
        Some(_) | None => names,
    };
    // emphasis around the names ends after the colon
    Some((loud, names, said.trim_start_matches(['*', '_', ']', ')'])))
}

fn split(names: &str) -> impl Iterator<Item = &str> {
    names.split([',', '&']).flat_map(|part| part.split(" and ")).filter(|n| !n.trim().is_empty())
}

/// Returns the participant with a name or alias; `None` if none exists.
fn addressee<'a>(name: &str, roster: &[&'a Participant]) -> Option<&'a SeatId> {
    let bare = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let means = |p: &&&Participant| {
        let names = [&p.id.0, &p.name].into_iter().chain(&p.aliases);
        names
            .into_iter()
            .any(|known| known.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase() == bare)
    };
    roster.iter().find(means).map(|p| &p.id)
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
