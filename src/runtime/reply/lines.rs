//! Lines of a reply and the labels at their beginnings.

use super::letters::{Letters, QUESTION_MARKS};
use super::read::ReadBy;
use super::words::{WordRow, words};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// Signs behind a label.
const SIGNS: [char; 8] = [':', '=', '.', '!', '–', '—', '→', '。'];
/// Quotation marks, opening and closing.
pub(super) const QUOTES: [(char, char); 5] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];
/// Maximum number of words of a name or a label in quotation marks.
const NAME_WORDS: usize = 3;
/// Marks that may close a label.
const CLOSING: [char; 11] = ['*', '_', '`', '"', '”', '»', ')', ']', '】', '’', '\''];
/// Minimum number of characters of a fence.
const FENCE_LENGTH: usize = 3;
/// Bytes of a line that are needed to recognise a fence.
const FENCE_MAX_BYTES: usize = 12;
/// Maximum number of characters before a label on its line.
const LEAD_MAX: usize = 200;

/// A line of a reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplyLine<'a> {
    /// Byte offset in the reply.
    pub(super) at: usize,
    /// The line without its end.
    pub(super) text: &'a str,
    /// True for code and quoted lines, which have no labels, names or data.
    pub(super) foreign: bool,
}

/// Returns the lines of a reply.
pub(super) fn lines(reply: &str) -> Vec<ReplyLine<'_>> {
    let mut at = 0;
    let mut fence: Option<(char, usize)> = None;
    let mut all = vec![];
    for line in reply.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        let bare = text.trim_start();
        let foreign = match (fence, fence_mark(bare)) {
            (Some((open, least)), Some((c, length, false))) if c == open && length >= least => {
                fence = None;
                true
            }
            (None, Some((c, length, _))) => {
                fence = Some((c, length));
                true
            }
            (open, _) => open.is_some() || bare.starts_with('>'),
        };
        all.push(ReplyLine { at, text, foreign });
        at += line.len();
    }
    all
}

/// Returns the character and length of a fence, and whether text follows it on its line.
fn fence_mark(line: &str) -> Option<(char, usize, bool)> {
    let c = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(c);
    let length = line.len() - rest.len();
    // a line with backticks at both ends is inline code
    let fences = length >= FENCE_LENGTH && !(c == '`' && rest.contains('`'));
    fences.then_some((c, length, !rest.trim().is_empty()))
}

/// Returns the lines of a reply without code and quoted lines, each with its number.
pub(super) fn own_lines(reply: &str) -> impl Iterator<Item = (usize, &str)> {
    let own = lines(reply).into_iter().enumerate().filter(|(_, line)| !line.foreign);
    own.map(|(n, line)| (n, line.text))
}

/// Returns the text of a reply without code and quoted lines.
pub(super) fn own_text(reply: &str) -> String {
    own_lines(reply).map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Returns a text without sentences in quotation marks; a name or a label in such marks stays.
pub(super) fn without_quotations(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(QUOTES.map(|(open, _)| open)) {
        let (before, quoted) = rest.split_at(at);
        let open = quoted.chars().next().unwrap_or_default();
        let close = QUOTES.iter().find(|(mark, _)| *mark == open).map_or(open, |(_, close)| *close);
        let inside = quoted.get(open.len_utf8()..).unwrap_or_default();
        let end = inside.find([close, '\n']);
        let end = end.filter(|at| inside.get(*at..).is_some_and(|rest| rest.starts_with(close)));
        let length = open.len_utf8() + end.map_or(0, |end| end + close.len_utf8());
        let (quotation, behind) = quoted.split_at_checked(length).unwrap_or((quoted, ""));
        out.push_str(before);
        let is_name = quotation.unicode_words().count() <= NAME_WORDS;
        let votes = [&words().vote_label, &words().approve];
        let letters = Letters::new(quotation);
        if is_name && votes.iter().all(|row| letters.find(row).is_none()) {
            out.push_str(quotation);
        }
        rest = behind;
    }
    out + rest
}

/// Returns a text without tags such as `<b>` and `</b>`.
pub(super) fn without_tags(text: &str) -> String {
    let mut parts = text.split('<');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| match part.split_once('>') {
        Some((_, behind)) if part.starts_with(|c: char| c.is_alphabetic() || "/|".contains(c)) => {
            out + behind
        }
        Some(_) | None => out + "<" + part,
    })
}

/// Returns the text of a reply before one of its lines, and the text below that line.
pub(super) fn around(reply: &str, line: usize) -> (&str, &str) {
    let all = lines(reply);
    let at = |n: usize| all.get(n).map_or(reply.len(), |line| line.at);
    let before = reply.get(..at(line)).unwrap_or_default();
    (before.trim(), reply.get(at(line + 1)..).unwrap_or_default().trim())
}

/// Returns the rest of the first line that begins with a word, apart from code and quotations, also those of several
/// lines.
pub fn line_with<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut quoted = false;
    lines(text).into_iter().find_map(|line| {
        let inside = quoted;
        let own = if line.foreign { "" } else { line.text };
        for c in own.chars() {
            match c {
                '\u{201c}' | '\u{201e}' => quoted = !(c == '\u{201c}' && quoted),
                '\u{201d}' => quoted = false,
                '"' => quoted = !quoted,
                _ => {}
            }
        }
        // an empty line ends an unclosed quotation
        quoted &= !line.text.trim().is_empty();
        let rest = own.trim_start().strip_prefix(word)?;
        (!inside && !rest.starts_with(char::is_alphanumeric)).then_some(rest)
    })
}

/// Returns a reply without a fence, quotation marks or the marks of a quotation around all of it.
pub(super) fn unwrapped(reply: &str) -> Cow<'_, str> {
    let text = reply.trim();
    if let Some(inside) = fence_around(text) {
        return inside.trim().into();
    }
    for (open, close) in QUOTES {
        let inside = text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        if let Some(inside) = inside.filter(|inside| !inside.contains([open, close])) {
            return inside.trim().into();
        }
    }
    let mut filled = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    if filled.peek().is_some() && filled.all(|line| line.trim_start().starts_with('>')) {
        let bare = text.lines().map(|line| line.trim_start().trim_start_matches('>').trim());
        return bare.collect::<Vec<_>>().join("\n").into();
    }
    text.into()
}

/// Returns the content of a fence around a whole text.
pub(super) fn fence_around(text: &str) -> Option<&str> {
    let (_, body) = text.strip_prefix("```")?.split_once('\n')?;
    let body = body.strip_suffix("```")?;
    (!body.contains("```")).then_some(body)
}

/// Code in a text that arrives character by character.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeState {
    /// Beginning of the current line, as far as it is needed to recognise a fence.
    line: String,
    /// Number of backticks on the line so far; code is open if it is odd.
    ticks: usize,
    /// True inside a fence.
    pub(super) fenced: bool,
}

impl CodeState {
    pub(super) fn push(&mut self, c: char) {
        if c == '\n' {
            *self = CodeState { fenced: self.fenced, ..CodeState::default() };
            return;
        }
        self.ticks += usize::from(c == '`');
        if self.line.len() < FENCE_MAX_BYTES {
            self.line.push(c);
            if matches!(self.line.trim_start(), "```" | "~~~") {
                self.fenced = !self.fenced;
                self.ticks = 0;
            }
        }
    }

    /// Returns whether the next character is code.
    pub(super) fn is_open(&self) -> bool {
        self.fenced || self.ticks % 2 == 1
    }
}

/// Text that may precede a label on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelLead {
    /// One word and a colon.
    Word,
    /// One word and a colon, or whole sentences, the last of which is no question.
    Sentences,
    /// Any words up to a comma or a colon.
    Words,
}

/// A label at the beginning of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineLabel<'a> {
    /// The line after the label.
    pub(super) rest: &'a str,
    /// True if only marks precede it.
    pub(super) first: bool,
    /// Number of its line in the reply.
    pub(super) line: usize,
}

impl LineLabel<'_> {
    /// Returns the way in which a reply with this label is read.
    pub(super) fn by(self) -> ReadBy {
        if self.first && self.line == 0 { ReadBy::Plain } else { ReadBy::Label }
    }
}

/// Returns the labels of a reply outside of code and quoted lines.
pub(super) fn labels<'a>(
    reply: &'a str,
    spellings: &WordRow,
    lead: LabelLead,
) -> impl Iterator<Item = LineLabel<'a>> {
    own_lines(reply).filter_map(move |(n, line)| {
        label(line, spellings, lead).map(|label| LineLabel { line: n, ..label })
    })
}

/// Returns the label of a line, if one of the spellings begins it.
pub(super) fn label<'a>(
    line: &'a str,
    spellings: &WordRow,
    lead: LabelLead,
) -> Option<LineLabel<'a>> {
    let letters = Letters::new(line);
    let begin = behind_marks(&letters, 0);
    if let Some(rest) = label_at(line, &letters, begin, spellings) {
        return Some(LineLabel { rest, first: true, line: 0 });
    }
    let leads = (begin..letters.len().min(begin + LEAD_MAX)).filter(|at| {
        let colon = letters.char(*at) == Some(':');
        let word = || colon && !(begin..*at).any(|i| letters.char(i) == Some(' '));
        match lead {
            LabelLead::Word => word(),
            LabelLead::Sentences => {
                let is_question = letters.char(*at).is_some_and(|c| QUESTION_MARKS.contains(&c));
                word() || letters.stops(*at) && !is_question
            }
            LabelLead::Words => {
                colon || letters.stops(*at) || matches!(letters.char(*at), Some(',' | '、' | '،'))
            }
        }
    });
    leads.take(8).find_map(|at| {
        let begin = behind_marks(&letters, at + 1);
        let rest = label_at(line, &letters, begin, spellings)?;
        // a word that ends a sentence, or begins one without a colon, is no label
        let end = letters.one_of(begin, spellings)?;
        let sign = letters.skip(end, |c| c == ' ' || CLOSING.contains(&c));
        let clear = !letters.stops(at)
            || letters.char(sign).is_none_or(|c| c == ':')
            || is_loud(line, &letters, begin, end);
        clear.then_some(LineLabel { rest, first: false, line: 0 })
    })
}

/// Returns the index behind the marks, list marks and signs at the beginning of a line.
pub(super) fn behind_marks(letters: &Letters, from: usize) -> usize {
    let begin = letters.skip(from, |c| !c.is_alphanumeric());
    let number = letters.skip(begin, |c| c.is_ascii_digit());
    let closed =
        matches!(letters.char(number), Some('.' | ')')) && letters.char(number + 1) == Some(' ');
    if number > begin && closed { letters.skip(number, |c| !c.is_alphanumeric()) } else { begin }
}

fn label_at<'a>(
    line: &'a str,
    letters: &Letters,
    begin: usize,
    spellings: &WordRow,
) -> Option<&'a str> {
    let end = letters.one_of(begin, spellings)?;
    let is_open = || (0..begin).any(|at| matches!(letters.char(at), Some('[' | '【' | '(')));
    let is_closed = || matches!(letters.char(end), Some(']' | '】' | ')'));
    let loud = is_loud(line, letters, begin, end) || is_open() && is_closed();
    behind_sign(line, letters, end, loud)
}

/// Returns whether a range of letters is in capitals.
fn is_loud(line: &str, letters: &Letters, begin: usize, end: usize) -> bool {
    let spelled = line.get(letters.byte(begin)..letters.byte(end)).unwrap_or_default();
    spelled.contains(char::is_uppercase) && !spelled.contains(char::is_lowercase)
}

/// Returns whether a character is an emoji or another picture.
fn is_picture(c: char) -> bool {
    let wide = matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}');
    c >= '\u{2190}' && !wide && !c.is_alphanumeric() && !SIGNS.contains(&c)
}

/// Returns the rest of a line behind the sign of a label that ends at an index; a `loud` label needs no sign.
pub(super) fn behind_sign<'a>(
    line: &'a str,
    letters: &Letters,
    end: usize,
    loud: bool,
) -> Option<&'a str> {
    let sign = letters.skip(end, |c| c == ' ' || CLOSING.contains(&c) || is_picture(c));
    let next = letters.char(sign + 1);
    let behind = match letters.char(sign) {
        None => sign,
        Some('.') if next.is_some_and(char::is_alphanumeric) => return None,
        Some(c) if SIGNS.contains(&c) => sign + 1,
        // a hyphen without a blank belongs to a word
        Some('-') if next.is_none_or(|c| matches!(c, ' ' | '-' | '>')) => sign + 1,
        Some(_) if loud => sign,
        Some(_) => return None,
    };
    let behind = letters.skip(behind, |c| matches!(c, ' ' | '*' | '_' | '`' | ':' | '>' | '-'));
    // a minus is part of a number
    let minus = behind > 0 && letters.char(behind - 1) == Some('-');
    let number = letters.char(behind).is_some_and(|c| c.is_ascii_digit());
    let behind = if minus && number { behind - 1 } else { behind };
    Some(line.get(letters.byte(behind)..).unwrap_or_default().trim_end())
}

#[cfg(test)]
mod tests {
    use super::line_with;

    #[test]
    fn code_and_quotations_are_nobodys_own_lines() {
        for (text, rest) in [
            ("a\n```\nDEAL 1\n```\nDEAL 2", Some(" 2")),
            ("> DEAL 1\nc", None),
            ("He said \"let it be\nDEAL 1\nand done\".\nDEAL 2", Some(" 2")),
            ("an inch: 5\"\n\nDEAL 1", Some(" 1")),
            ("DEALS", None),
        ] {
            assert_eq!(line_with(text, "DEAL"), rest, "{text}");
        }
    }
}
