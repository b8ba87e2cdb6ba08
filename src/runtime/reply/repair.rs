//! Limits a reply to its speaker's own text: its own name in front is removed, and text in another's name is cut.
//!
//! Models tend to continue a conversation in other participants' names. Those participants never wrote that text, so it
//! must not get into the transcript. Text *about* others stays: quotes, lists, code, a name within a sentence. This
//! module deliberately judges only the form, line by line, and adds no text of its own.

use super::letters::Letters;
use super::lines::fence_around;
use super::names::Spellings;
use super::words::{is_in, marks, words};
use crate::model::event::OPERATOR;
use crate::model::{Participant, SeatId, Text};
use unicode_segmentation::UnicodeSegmentation;

/// Name of the model itself in chat formats.
const OWN: &str = "assistant";
/// Maximum number of own names in front of a reply.
const OWN_MAX: usize = 5;
/// Number of bytes of a line that are compared with names.
const NAME_MAX: usize = 256;
/// Maximum length of a role in parentheses after a name, in characters.
const ROLE_MAX_CHARS: usize = 40;
/// Marks of emphasis and headings around a name.
const MARKS: [char; 3] = ['*', '_', '#'];
/// Brackets around a name.
const BRACKETS: [char; 4] = ['[', '(', '【', '（'];

/// A reply without text in the names of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairedReply {
    /// The remaining text.
    pub text: String,
    /// The original text, if it was changed.
    pub raw: Option<Text>,
    /// The line of data that the reply ended with.
    pub line: Option<Text>,
    /// Reasoning within the reply.
    pub think: Option<Text>,
    /// True if the reply was cut because it began to repeat itself.
    pub repeats: bool,
    /// True if the reply was cut because it continued in another's name.
    pub impersonates: bool,
}

/// Repairs a reply of a seat.
pub fn repair(reply: &str, seat: &SeatId, roster: &[&Participant]) -> RepairedReply {
    repaired(reply, seat, roster, |_| 0)
}

/// Repairs a retry of a reply that began in another's name: a label in front of the retry counts as text. Text after a
/// further label is still cut.
pub fn repair_again(reply: &str, seat: &SeatId, roster: &[&Participant]) -> RepairedReply {
    repaired(reply, seat, roster, lead_of)
}

fn repaired(
    said: &str,
    seat: &SeatId,
    roster: &[&Participant],
    begin: fn(&str) -> usize,
) -> RepairedReply {
    let names = Names::new(seat, roster);
    let own = |text: &String| names.without_own_label(text);
    let unwrapped = std::iter::successors(own(&said.to_owned()), own).take(OWN_MAX).last();
    let whole = unwrapped.as_deref().unwrap_or(said);
    let begin = begin(whole);
    let rest = &whole[begin..];
    let ended = marks().closing.iter().filter_map(|tag| {
        let mut found = rest.match_indices(tag.as_str());
        let whole_tag = |at: usize| !rest[at + tag.len()..].starts_with(char::is_alphanumeric);
        found.find(|(at, _)| whole_tag(*at)).map(|(at, _)| at)
    });
    let tag = marks().opening.iter().filter_map(|tag| rest.find(tag)).chain(ended).min();
    let cut = names.goes_on_at(whole, begin).into_iter().chain(tag.map(|at| begin + at)).min();
    let text = match cut {
        Some(at) => without_open_fence(whole[..at].trim_end()).to_owned(),
        None => whole.to_owned(),
    };
    let changed = unwrapped.is_some() || cut.is_some();
    // a closing tag at the very end is only a slip
    let goes_on =
        cut.is_some_and(|at| !is_in(&marks().closing, whole[at..].trim().trim_end_matches('>')));
    RepairedReply {
        raw: changed.then(|| said.into()),
        text,
        impersonates: goes_on,
        ..RepairedReply::default()
    }
}

/// Returns the byte offset behind the first non-empty line, or behind the tag at its beginning.
fn lead_of(text: &str) -> usize {
    let begin = text.len() - text.trim_start().len();
    let tagged = marks().opening.iter().any(|tag| text[begin..].starts_with(tag));
    let end = text[begin..].find(if tagged { '>' } else { '\n' });
    end.map_or(text.len(), |end| begin + end + 1)
}

/// Owner of the name in a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Own,
    Others,
}

/// Typography of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `Bo:`
    Colon,
    /// `Bo -`
    Dash,
    /// `[Bo]`, or `**Bo**` alone on its line
    Frame,
}

/// A name at the beginning of a line that labels the text after it.
struct Label<'a> {
    whose: Whose,
    form: Form,
    /// The line after the label.
    rest: &'a str,
}

/// All names of the conversation that can be labels.
struct Names(Spellings<Whose>);

impl Names {
    fn new(seat: &SeatId, roster: &[&Participant]) -> Names {
        let of = |p: &&&Participant| if p.id == *seat { Whose::Own } else { Whose::Others };
        let seats = roster.iter().flat_map(|p| {
            let ids = [&*p.id, &*p.name].into_iter();
            ids.chain(p.aliases.iter().map(|a| &**a)).map(move |name| (name, of(&p)))
        });
        let nobodys = marks().speakers.iter().map(String::as_str).chain([OPERATOR]);
        let mut names: Vec<(&str, Whose)> = vec![(OWN, Whose::Own)];
        names.extend(seats.chain(nobodys.map(|name| (name, Whose::Others))));
        // a name that the speaker shares proves nothing, so its own names go first
        names.sort_by_key(|(_, whose)| *whose == Whose::Others);
        Names(Spellings::new(names))
    }

    /// Returns the text without the speaker's own name in front, and without the quotes or the fence around both;
    /// `None` without such a name.
    fn without_own_label(&self, said: &str) -> Option<String> {
        let text = said.trim();
        if let Some((tag, words)) = text.strip_prefix("<said").and_then(|t| t.split_once('>')) {
            let name = tag.trim_start().trim_start_matches("by=").trim_matches('"');
            let own =
                name.is_empty() || self.name(name).is_some_and(|(whose, _)| whose == Whose::Own);
            return own.then(|| words.trim().to_owned());
        }
        let info = text.lines().next().unwrap_or_default().trim_start_matches('`').trim();
        if let Some(inside) = fence_around(text)
            && is_in(&marks().talk, &info.to_lowercase())
        {
            let own = self.label(inside.trim_start()).filter(|l| l.whose == Whose::Own);
            return own.map(|label| label.rest.trim().to_owned());
        }
        if let Some((Whose::Own, rest)) = self.name(text)
            && let Some(words) = rest.strip_prefix('「').and_then(|rest| rest.strip_suffix('」'))
        {
            return Some(words.trim().to_owned());
        }
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '“'));
        let inside = quote.map_or(text, |quote| &text[quote.len_utf8()..]);
        let label = self.label(inside).filter(|l| l.whose == Whose::Own)?;
        let mut words = label.rest.trim();
        if quote.is_some() {
            words = words.strip_suffix(['"', '”']).unwrap_or(words);
        }
        // the reply is only a name
        (!words.is_empty()).then(|| words.to_owned())
    }

    /// Returns the byte offset at which the text first continues in another participant's name, from `begin` on.
    fn goes_on_at(&self, text: &str, begin: usize) -> Option<usize> {
        let mut at = 0;
        let mut fence: Option<bool> = None;
        // names below a line that ends in a colon begin the entries of a list, as in "Who does what:"
        let mut is_listed = false;
        for line in text.split_inclusive('\n') {
            let bare = line.trim();
            let label = self.label(line);
            if label.is_none() && !bare.is_empty() {
                is_listed = bare.trim_end_matches(MARKS).ends_with([':', '：']);
            }
            if let Some(info) = bare.strip_prefix("```").or_else(|| bare.strip_prefix("~~~")) {
                fence = match fence {
                    Some(_) => None,
                    None => Some(is_in(&marks().talk, &info.trim().to_lowercase())),
                };
            } else if at >= begin
                && fence != Some(false)
                && !is_listed
                && let Some(label) = label.filter(|label| label.whose == Whose::Others)
            {
                let next = text[at + line.len()..].trim_start();
                let speaks = match label.form {
                    Form::Frame => !label.rest.trim().is_empty() || !next.is_empty(),
                    Form::Colon => is_speech(label.rest, next, fence.is_some()),
                    Form::Dash => false,
                };
                if speaks {
                    return Some(at);
                }
            }
            at += line.len();
        }
        None
    }

    /// Parses the label at the beginning of a text.
    fn label<'a>(&self, text: &'a str) -> Option<Label<'a>> {
        let text = text.trim_start();
        let opened = text.trim_start_matches(MARKS);
        let emphasis = text.len() - opened.len();
        // `* Bo: …` is a list about others, `**Bo:**` is their name
        if opened.starts_with(' ') && !text.starts_with('#') {
            return None;
        }
        let opened = opened.trim_start();
        let bracket = opened.chars().next().filter(|c| BRACKETS.contains(c));
        let inside = bracket.map_or(opened, |bracket| &opened[bracket.len_utf8()..]);
        let (whose, mut rest) = self.name(inside)?;
        if bracket.is_none() {
            rest = after_role(rest);
            // with a verb another participant is quoted: "Bo says: be brief."
            if whose == Whose::Own {
                rest = after_verb(rest);
            }
        }
        if bracket.is_some() {
            let behind = after_role(rest).trim_start_matches(MARKS);
            rest = behind.strip_prefix([']', ')', '】', '）'])?;
        }
        let closed = rest.trim_start_matches(MARKS);
        // a heading may be about somebody else
        let is_heading = text.starts_with('#') && whose == Whose::Own;
        let marked = emphasis > 0 && (closed.len() < rest.len() || is_heading);
        let bare = closed.trim_start_matches([' ', '\t']);
        if let Some(rest) = bare.strip_prefix([':', '：']) {
            let rest = rest.trim_start_matches(MARKS);
            return Some(Label { whose, form: Form::Colon, rest });
        }
        let dashed = bare.len() < closed.len()
            && ["- ", "– ", "— "].iter().any(|dash| bare.starts_with(dash));
        if dashed {
            let rest = bare.trim_start_matches(['-', '–', '—']);
            return Some(Label { whose, form: Form::Dash, rest });
        }
        let alone = bare.is_empty() || bare.starts_with(['\n', '\r']);
        // brackets followed by a parenthesis are a link
        let framed =
            matches!(bracket, Some('[' | '【')) && !rest.starts_with('(') || alone && marked;
        framed.then_some(Label { whose, form: Form::Frame, rest: bare })
    }

    /// Parses a whole-word name at the beginning of a text; returns its owner and the rest.
    fn name<'a>(&self, text: &'a str) -> Option<(Whose, &'a str)> {
        let line = text.lines().next().unwrap_or_default();
        let letters = Letters::new(&line[..line.floor_char_boundary(NAME_MAX)]);
        self.0.0.iter().find_map(|(name, whose)| {
            let rest = text.get(letters.byte(letters.word(0, name)?)..)?;
            let goes_on = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
            let ends = !rest.starts_with(goes_on) || after_verb(rest).len() < rest.len();
            ends.then_some((*whose, rest))
        })
    }
}

/// Returns the text after a role in parentheses, as in `Bo (joiner):`.
fn after_role(rest: &str) -> &str {
    let inside = rest.trim_start_matches(' ').strip_prefix('(');
    let closed = inside.and_then(|inside| inside.split_once(')'));
    match closed {
        Some((role, after)) if role.chars().count() <= ROLE_MAX_CHARS && !role.contains('\n') => {
            after
        }
        Some(_) | None => rest,
    }
}

/// Returns the text after a verb of saying, as in `Bo says:`, if a colon follows it.
fn after_verb(rest: &str) -> &str {
    let letters =
        Letters::new(rest.get(..rest.floor_char_boundary(ROLE_MAX_CHARS)).unwrap_or(rest));
    let begin = letters.skip(0, |c| c == ' ');
    let behind = letters.one_of(begin, &words().says).map(|end| &rest[letters.byte(end)..]);
    behind.filter(|behind| behind.trim_start().starts_with([':', '：'])).unwrap_or(rest)
}

/// Returns whether the text after a name and a colon is speech, as opposed to the value of a key.
fn is_speech(rest: &str, next: &str, fenced: bool) -> bool {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let begins = |c: fn(char) -> bool| words.first().is_some_and(|w| w.starts_with(c));
    let ends = rest.trim_end().ends_with(['.', '!', '?', '…', '。', '！', '？', '؟']);
    let ends = ends || !fenced && rest.trim_end().ends_with(['"', '”']);
    // scripts without blanks have words all the same
    let count = if words.len() == 1 && !rest.is_ascii() {
        rest.unicode_words().count()
    } else {
        words.len()
    };
    match count {
        // the text is below the name
        0 => !next.is_empty() && !fenced,
        _ if begins(|c| c.is_ascii_digit()) => ends && words.len() > 2,
        1 => ends,
        2 => ends || !fenced,
        _ => true,
    }
}

/// Returns a text without a fence that opens on its last line.
fn without_open_fence(text: &str) -> &str {
    let line = text.rfind('\n').unwrap_or(0);
    let opens = text[line..].trim_start().starts_with("```");
    if opens && text.matches("```").count() % 2 == 1 { text[..line].trim_end() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_needs_its_marks_on_both_sides_and_a_lead_ends_with_its_line() {
        let names = Names(Spellings::new([("bo", Whose::Others)]));
        assert!(names.label("**Bo**\nHello").is_some());
        assert!(names.label("Bo**\nHello").is_none());
        assert!(names.label("* Bo: hello").is_none());
        assert_eq!(lead_of("\n\nfirst\nsecond"), "\n\nfirst\n".len());
        assert_eq!(lead_of("first"), "first".len());
    }
}
