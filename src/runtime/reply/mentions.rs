//! Mentions: every `@name` in a seat's own text.
//!
//! Names in code, quotes and e-mail addresses do not count. Muted seats and the option that enables mentions are
//! handled elsewhere.

use super::letters::Letters;
use super::lines::lines;
use super::names::Spellings;
use crate::model::{Participant, SeatId};

/// Returns the seats that `text` mentions by `@id`, `@name` or `@alias`, in order and without repeats; `by` is the
/// author, who cannot mention itself.
///
/// Case is ignored, names may contain spaces, and the longest matching name wins. Mentions in fenced code, inline code
/// and quoted lines (`>`) do not count.
pub fn mentions(text: &str, by: Option<&SeatId>, roster: &[&Participant]) -> Vec<SeatId> {
    // most texts mention nobody
    if !text.contains(['@', '＠', '﹫']) {
        return vec![];
    }
    let names = Spellings::from_roster(roster);
    let paragraphs = own_paragraphs(text).into_iter();
    let words = paragraphs.map(|paragraph| without_inline_code(&paragraph, |_| false));
    let found = words.flat_map(|words| find_names(&words, by, &names));
    distinct(found)
}

fn distinct(found: impl IntoIterator<Item = SeatId>) -> Vec<SeatId> {
    let mut all = vec![];
    for seat in found {
        if !all.contains(&seat) {
            all.push(seat);
        }
    }
    all
}

/// Returns the seats whose names are in a text, behind an `@`.
fn find_names(words: &str, by: Option<&SeatId>, names: &Spellings<&SeatId>) -> Vec<SeatId> {
    let letters = Letters::new(words);
    let is = |at: usize, of: fn(char) -> bool| letters.char(at).is_some_and(of);
    let seats = (0..letters.len()).filter_map(|at| {
        if !is(at, |c| c == '@') || at > 0 && is(at - 1, is_inside_address) {
            return None;
        }
        let (seat, end) = names.at(&letters, at + 1)?;
        // "@ann." ends a sentence, "@ann.example" is something else
        let goes_on =
            is(end, |c| matches!(c, '-' | '_' | '.' | '@')) && is(end + 1, char::is_alphanumeric);
        (!goes_on && Some(*seat) != by).then(|| (*seat).clone())
    });
    seats.collect()
}

/// Returns whether a character before a name makes it part of an address or a path.
fn is_inside_address(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/' | '\\' | '@')
}

/// Returns the paragraphs that are neither fenced code nor quotes; a fence without an end reaches to the end.
pub(super) fn own_paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in lines(text) {
        match paragraphs.last_mut() {
            Some(last) if !line.foreign && !line.text.trim().is_empty() => {
                last.push_str(line.text);
                last.push('\n');
            }
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs
}

/// Returns a paragraph without its code spans, apart from those to keep; unpaired backticks stay as they are.
pub(super) fn without_inline_code(paragraph: &str, keeps: impl Fn(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut rest = paragraph;
    while let Some(at) = rest.find('`') {
        let (before, ticks) = rest.split_at(at);
        let after = ticks.trim_start_matches('`');
        let length = ticks.len() - after.len();
        kept.push_str(before);
        // replaces the code, so that the words around it stay apart
        kept.push('`');
        let end = end_of_code(after, length);
        let code = end.map_or("", |end| &after[..end]);
        kept.push_str(if keeps(code) { code } else { "" });
        rest = end.map_or(after, |end| &after[end..]);
    }
    kept + rest
}

/// Returns the byte offset behind a code span that was opened by `length` backticks.
fn end_of_code(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == length {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VoiceSpec;

    fn seat(id: &str, name: &str, aliases: &[&str]) -> Participant {
        Participant {
            name: name.into(),
            aliases: aliases.iter().map(|a| (*a).into()).collect(),
            ..Participant::new(id, VoiceSpec::Lines { lines: Vec::new(), pace: 0 })
        }
    }

    fn check(text: &str, expected: &[&str]) {
        let seats = [
            seat("ann", "Ann", &[]),
            seat("ann-lee", "Ann Lee", &["the judge"]),
            seat("bob", "Bob", &["Robert", "Bobby Tables"]),
            seat("zoe", "Zoë Müller", &["左衛門"]),
            seat("executor-2", "executor-2", &[]),
        ];
        let roster: Vec<_> = seats.iter().collect();
        let found = mentions(text, Some(&"bob".into()), &roster);
        assert_eq!(
            found,
            expected.iter().map(|id| SeatId::from(*id)).collect::<Vec<_>>(),
            "{text:?}"
        );
    }

    #[test]
    fn names_ids_and_aliases_are_found() {
        check("", &[]);
        check("nobody here, @nobody either, @ and @@ann", &[]);
        check("@ann", &["ann"]);
        check("Well, @ANN: what do you say?", &["ann"]);
        check("(@ann), *@ann-lee*, \"@executor-2\".", &["ann", "ann-lee", "executor-2"]);
        check("@Ann Lee and @Ann leaves", &["ann-lee", "ann"]);
        check("@the judge, please", &["ann-lee"]);
        check("@Zoë müller! @左衛門、", &["zoe"]);
        check("@executor-2 first, then @ann, then @executor-2", &["executor-2", "ann"]);
        check("@ann's point, @ann’s point", &["ann"]);
        check("＠ann, \u{fe6b}ann-lee", &["ann", "ann-lee"]);
        check("@Zoe\u{308} Mu\u{308}ller", &["zoe"]);
        check("one line\n@ann\n\n@ann-lee", &["ann", "ann-lee"]);
    }

    #[test]
    fn words_have_ends() {
        check("@anna @ann2 @ann_x @ann-x @annä", &[]);
        check("@ann. @ann- @ann_", &["ann"]);
        check("@ann.example @ann@host", &[]);
        check("@executor-22 @Bobs", &[]);
        check("@Zoë Müllers", &["zoe"]);
    }

    #[test]
    fn nobody_addresses_itself() {
        check("@bob @Robert @Bobby Tables", &[]);
        let bob = seat("bob", "Bob", &[]);
        assert_eq!(mentions("@bob", None, &[&bob]), ["bob"]);
    }

    #[test]
    fn addresses_and_paths_are_not_mentions() {
        check("mail me@ann.org, x.y@ann, first_last@ann, a+b@ann, a-@ann", &[]);
        check("https://example.org/@ann \\@ann", &[]);
    }

    #[test]
    fn code_addresses_nobody() {
        check("`@ann` and ``a ` @ann`` and @ann-lee", &["ann-lee"]);
        check("`unclosed @ann", &["ann"]);
        check("`over\ntwo @ann lines`", &[]);
        check("`one paragraph\n\n@ann another`", &["ann"]);
        check("```\n@ann\n```\n@ann-lee", &["ann-lee"]);
        check("~~~rust\n@ann\n```\n@ann\n~~~\n@ann-lee", &["ann-lee"]);
        check("````\n```\n@ann\n```\n````\n@ann-lee", &["ann-lee"]);
        check("```\n@ann\n``` not an end\n@ann", &[]);
        check("   ```\n@ann", &[]);
        check("```inline``` @ann", &["ann"]);
    }

    #[test]
    fn quotes_address_nobody() {
        check("> @ann said\n>> @ann\n   > @ann\n@ann-lee", &["ann-lee"]);
        check("> ```\n@ann", &["ann"]);
        check("a > b, @ann", &["ann"]);
    }
}
