//! Questions that are put to a participant by name. They count until the participant has spoken again.

use super::letters::{Letters, QUESTION_MARKS, asks, sentences, word};
use super::lines::behind_marks;
use super::mentions::{mentions, own_paragraphs, without_inline_code};
use super::names::{Spellings, behind_courtesy};
use super::words::words;
use crate::model::{Participant, SeatId};

/// A question to one participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectedQuestion {
    /// The participant who is asked.
    pub to: SeatId,
    /// The whole sentence.
    pub text: String,
}

/// Maximum length of a quoted question with the sentence before it, in bytes.
const QUOTE_MAX: usize = 240;

/// Marks that set off the name of somebody who is addressed.
const SETS_OFF: [char; 9] = [',', ';', ':', '，', '、', '；', '：', '،', '؛'];

/// Minimum length of a word by which an answer refers to its question, in characters.
const LONG_WORD: usize = 5;

/// Returns the questions in a text that are put to a seat by name, in order; `by` is the author, who cannot ask itself,
/// `None` for the host.
///
/// A question is a sentence that ends with `?`. It is put to the seats that it mentions with `@`, or else to those whose
/// names it sets off together by commas or a colon. Without a name it goes to the seats that the sentences before it in the
/// paragraph addressed last, if it follows at once, says "you", draws a conclusion or ends the text; in the first case its
/// text includes the sentence before, and if somebody else is addressed at once it is put to nobody. At the end of the
/// host's words and behind thanks it is for all. A name within a clause addresses nobody. Code and quotes do not count.
pub fn questions(
    text: &str,
    by: Option<&SeatId>,
    roster: &[&Participant],
) -> Vec<DirectedQuestion> {
    let mut found = vec![];
    if !has_question(text) {
        return found;
    }
    let names = Spellings::from_roster(roster);
    let end = text.trim_end();
    for own in own_words(text, &names) {
        // the seats that were addressed last, and whether the sentence before addressed them
        let mut last: Option<(Vec<SeatId>, bool)> = None;
        let mut thanked = false;
        let mut before = "";
        // the number of questions before one without a name in the last sentence
        let mut unnamed: Option<usize> = None;
        for sentence in sentences(&own).into_iter().map(str::trim) {
            let body = sentence.trim_end_matches(['.', '!']).trim_end_matches(QUESTION_MARKS);
            let mut to = mentions(body, by, roster);
            let here = if to.len() == 1 { to.clone() } else { addressed(body, &names) };
            // "Who pays? Cy, tell me." asks nobody for certain
            if let (Some(at), false) = (unnamed.take(), here.is_empty()) {
                let is_other =
                    found.get(at).is_some_and(|q: &DirectedQuestion| !here.contains(&q.to));
                found.truncate(if is_other { at } else { found.len() });
            }
            let thanks = !here.is_empty() && gives_thanks(body);
            let is_named = !here.is_empty() || !to.is_empty();
            let follows = here.is_empty() && last.as_ref().is_some_and(|(_, just)| *just);
            if to.is_empty() && here.is_empty() && !is_to_each(body) {
                let ends = by.is_some() && !thanked && end.ends_with(sentence);
                let implied = last.as_ref().filter(|(_, just)| *just || ends || goes_on(body));
                to = implied.map(|(seats, _)| seats.clone()).unwrap_or_default();
            } else if to.is_empty() && !(thanks && by.is_none()) {
                to.clone_from(&here);
            }
            last = if here.is_empty() {
                last.map(|(seats, _)| (seats, false))
            } else {
                thanked = thanks;
                (!thanked || by.is_some()).then_some((here, !thanked))
            };
            if asks(sentence) && !is_reported(sentence) {
                to.retain(|seat| Some(seat) != by);
                unnamed = (!is_named).then_some(found.len());
                let whole = format!("{before} {sentence}");
                let whole = if follows && whole.len() <= QUOTE_MAX { &whole } else { sentence };
                let text = whole.trim_start_matches(['"', '“', '(']);
                found.extend(to.into_iter().map(|to| DirectedQuestion { to, text: text.into() }));
            }
            before = sentence;
        }
    }
    found
}

/// Returns the paragraphs of a text without quotes and code; a name in code stays.
fn own_words(text: &str, names: &Spellings<&SeatId>) -> Vec<String> {
    let is_name = |code: &str| names.whole(code).is_some();
    let paragraphs = own_paragraphs(text).into_iter();
    paragraphs.map(|paragraph| without_inline_code(&paragraph, is_name)).collect()
}

/// Returns the first seat to which a text puts its last question by name, if at most one sentence follows: an earlier
/// question, such as "Hanna, may I?", does not hand over the floor.
pub fn asked_at_end(text: &str, by: Option<&SeatId>, roster: &[&Participant]) -> Option<SeatId> {
    let mut asked = questions(text, by, roster);
    let quote = asked.last()?.text.clone();
    let last = sentences(&quote).pop()?.trim();
    let own = own_words(text, &Spellings::from_roster(roster)).join("\n");
    let (_, rest) = own.rsplit_once(last)?;
    asked.retain(|question| question.text == quote);
    let first = asked.into_iter().next()?;
    (sentences(rest).len() <= 1).then_some(first.to)
}

/// Returns whether a text asks something.
pub fn has_question(text: &str) -> bool {
    text.contains(QUESTION_MARKS)
}

/// Returns whether a text is put to each of several participants, as in "Who pays? One sentence each."
pub fn asks_each(text: &str) -> bool {
    own_paragraphs(text).iter().any(|text| is_to_each(text))
}

fn gives_thanks(text: &str) -> bool {
    Letters::new(text).find(&words().thanks).is_some()
}

fn is_to_each(text: &str) -> bool {
    Letters::new(text).find(&words().each).is_some()
}

/// Returns whether a text answers a question of a seat: a sentence addresses that seat, or the text uses half of the long
/// words of the question and at least two, or one of them and the name of that seat.
pub fn answers(text: &str, question: &str, asker: &SeatId, roster: &[&Participant]) -> bool {
    let paragraphs = own_paragraphs(text);
    let names = Spellings::from_roster(roster);
    let own = roster.iter().filter(|seat| seat.id == *asker);
    let own: Vec<_> = own.flat_map(|seat| seat.names()).map(word).collect();
    let long_words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        let long = words.filter(|word| word.chars().nth(LONG_WORD - 1).is_some());
        long.filter(|word| names.whole(word).is_none()).collect()
    };
    let mut asked = long_words(question);
    asked.sort();
    asked.dedup();
    let used: Vec<String> = paragraphs.iter().flat_map(|text| long_words(text)).collect();
    let taken_up = asked.iter().filter(|word| used.contains(word)).count();
    let addresses = |sentence: &str| addressed(sentence.trim(), &names).contains(asker);
    let is_named = |text: &String| Letters::new(text).find(&own).is_some();
    paragraphs.iter().any(|text| sentences(text).into_iter().any(addresses))
        || taken_up > 1 && 2 * taken_up >= asked.len()
        || taken_up > 0 && paragraphs.iter().any(is_named)
}

/// Returns the last question in a text, to whomever it is put; code and quotes do not count.
pub fn last_question(text: &str) -> Option<String> {
    let paragraphs = own_paragraphs(text).into_iter().rev();
    paragraphs.map(|paragraph| without_inline_code(&paragraph, |_| false)).find_map(|words| {
        let question = sentences(&words).into_iter().rfind(|s| asks(s))?;
        Some(question.trim().to_owned())
    })
}

/// Returns whether a question is somebody else's, as in `He could ask, "Have you done it?"`: it ends in a quotation that
/// begins within the sentence.
fn is_reported(question: &str) -> bool {
    let open = question.rfind(['“', '„', '«']).filter(|at| !question[*at..].contains(['”', '»']));
    let straight = question.matches('"').count() % 2 == 1;
    let at = if straight { question.rfind('"') } else { open };
    at.is_some_and(|at| at > 0)
}

/// Returns whether a question says "you" or draws a conclusion, as in "So how would I count it?"
fn goes_on(question: &str) -> bool {
    let letters = Letters::new(question);
    letters.one_of(behind_marks(&letters, 0), &words().so).is_some()
        || letters.find(&words().you).is_some()
}

/// Returns the seats whose names a sentence sets off together by commas or a colon, or the one by whose name and a "you" it
/// begins; empty if it sets off several, as in a list.
fn addressed(sentence: &str, names: &Spellings<&SeatId>) -> Vec<SeatId> {
    let parts: Vec<&str> = sentence.split(SETS_OFF).collect();
    let mut called: Vec<Vec<SeatId>> = parts.iter().map(|part| called_in(part, names)).collect();
    called.retain(|seats| !seats.is_empty() && parts.len() > 1);
    called.dedup();
    if called.is_empty() {
        let letters = Letters::new(sentence);
        let (seats, end) = named_first(&letters, names);
        called.extend(letters.one_of(end, &words().you).map(|_| seats));
    }
    let first = called.pop();
    if called.is_empty() { first.unwrap_or_default() } else { vec![] }
}

/// Returns the seats of which a part of a sentence has nothing but the names.
fn called_in(part: &str, names: &Spellings<&SeatId>) -> Vec<SeatId> {
    let letters = Letters::new(part);
    let (seats, end) = named_first(&letters, names);
    if end == letters.len() { seats } else { vec![] }
}

/// Returns the seats whose names begin a text, apart from words such as "and" and courtesies, and the index behind them.
fn named_first(letters: &Letters, names: &Spellings<&SeatId>) -> (Vec<SeatId>, usize) {
    let next = |at| letters.skip(at, |c| !c.is_alphanumeric());
    let (mut seats, mut at) = (vec![], next(0));
    loop {
        if let Some((seat, end)) = names.at(letters, at) {
            seats.push((*seat).clone());
            at = behind_courtesy(letters, end);
        } else if let Some(end) = letters.one_of(at, &words().before_name)
            && (seats.is_empty() || names.at(letters, next(end)).is_some())
        {
            at = next(end);
        } else {
            return (seats, at);
        }
    }
}

/// Returns the first seat that a text addresses at its beginning: its name, followed by a comma or a colon.
pub fn called(text: &str, roster: &[&Participant]) -> Option<SeatId> {
    let (first, _) = text.split_once(SETS_OFF)?;
    if gives_thanks(first) {
        return None;
    }
    called_in(first, &Spellings::from_roster(roster)).into_iter().next()
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
        let seats =
            [seat("ann", "Ann"), seat("cy", "Cy"), seat("bob", "Bob Lee"), seat("eve", "Dr. Eve")];
        let roster: Vec<_> = seats.iter().collect();
        for (text, expected) in [
            (
                "Trams pay. Cy, who drives your mother? I do not.",
                &["cy: Cy, who drives your mother?"][..],
            ),
            ("Who counted, Bob Lee?", &["bob: Who counted, Bob Lee?"]),
            ("Is it 4.5 million, Cy?", &["cy: Is it 4.5 million, Cy?"]),
            ("Bob Lee: who counted?", &["bob: Bob Lee: who counted?"]),
            (
                "Is that so, @cy and @bob?",
                &["cy: Is that so, @cy and @bob?", "bob: Is that so, @cy and @bob?"],
            ),
            ("“Ann, is it?” he asked.", &["ann: Ann, is it?"]),
            ("So, Cy: who drives?", &["cy: So, Cy: who drives?"]),
            ("Mr Cy, who drives?", &["cy: Mr Cy, who drives?"]),
            (
                "But Cy, it costs. And what do you pay?",
                &["cy: But Cy, it costs. And what do you pay?"],
            ),
            (
                "@Cy, one for you. If it pays for six, who buys the stones?",
                &["cy: @Cy, one for you. If it pays for six, who buys the stones?"],
            ),
            (
                "So, @Dr. Eve, to you. That night it came over. Would you still move them?",
                &["eve: Would you still move them?"],
            ),
            (
                "Dr. Eve, that's your Mrs. Lie as well, does she own?",
                &["eve: Dr. Eve, that's your Mrs. Lie as well, does she own?"],
            ),
            (
                "And Ann, it is dark there. Who stood there?",
                &["ann: And Ann, it is dark there. Who stood there?"],
            ),
            (
                "Look, Ann, it costs. It always has. Who pays you? Who pays?",
                &["ann: Who pays you?", "ann: Who pays?"],
            ),
            ("Cy, no. Is it true?\n\nWho are you?", &["cy: Cy, no. Is it true?"]),
            ("Is Bob Lee right? Cy said so. Cy, no.", &[]),
            (
                "It pays, Cy; who hired them, the port?",
                &["cy: It pays, Cy; who hired them, the port?"],
            ),
            (
                "Ann, I have the list. It has 40 names. So how would I count it?",
                &["ann: So how would I count it?"],
            ),
            ("Cyril, is it? Well, Ann thinks, is it?", &[]),
            (
                "Cy, no. I counted. What stands there on Monday?",
                &["cy: What stands there on Monday?"],
            ),
            ("Cy, no. I counted. Who pays? The boy does.", &[]),
            (
                "Ann, you sat there. If Cy's letter comes back with Bob Lee on it, does it wait?",
                &[
                    "ann: Ann, you sat there. If Cy's letter comes back with Bob Lee on it, does it wait?",
                ],
            ),
            ("Ann, it costs. So what is cheaper? Cy, you saw it, so tell me.", &[]),
            ("What does Cy think? Is Ann or Cy right?", &[]),
            ("Bob Lee，谁付？", &["bob: Bob Lee，谁付？"]),
            ("Ann, Cy, all of you know it. Who pays you?", &[]),
            ("Who are you? Cy, no.", &[]),
            ("> Cy, is it?\n`Cy, is it?`", &[]),
            ("Ann, I paid. He could ask, \"Have you done it?\", and no more.", &[]),
            ("Ann, I paid. He asked: “Have you done it?” I had not.", &[]),
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
    fn a_text_answers_a_question_by_address_or_by_name_and_a_word_of_it() {
        let seats = [seat("ann", "Ann"), seat("bob", "Bob Lee")];
        let roster: Vec<_> = seats.iter().collect();
        let question = "Cy, could the depot open in March?";
        for (text, expected) in [
            ("Not in March, Ann, the rails are late.", true),
            ("It pays. Ann: no.", true),
            ("I told Ann that the depot waits.", true),
            ("Ann is wrong about the bus.", false),
            ("The depot waits.", false),
            ("The depot waits until March.", true),
            ("The depot opens in March.", true),
            ("Bob Lee, the depot waits.", false),
            ("> Ann, the depot waits.", false),
        ] {
            assert_eq!(answers(text, question, &"ann".into(), &roster), expected, "{text:?}");
        }
        let short = "Cy, is the depot yours?";
        assert!(!answers("The depot waits.", short, &"ann".into(), &roster), "one of two words");
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
            ("And Ann, go on", Some("ann")),
            ("Thanks Ann, who pays?", None),
            ("Ann", None),
        ] {
            assert_eq!(called(text, &roster).as_ref().map(|s| &*s.0), expected, "{text:?}");
        }
    }
}
