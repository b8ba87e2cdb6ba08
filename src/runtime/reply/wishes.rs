//! Wishes and errands of the host, as far as the beginnings of clauses show them.

use super::letters::{Letters, sentences};
use super::mention::clauses;
use super::names::Spellings;
use super::questions::has_question;
use super::words::{WordRow, words};
use crate::model::Participant;

/// Returns whether a message of the host wishes another way of speaking.
pub fn is_wish(said: &str, roster: &[&Participant]) -> bool {
    let wishes = |clause: &str| {
        let letters = Letters::new(clause);
        let begin = begins(&letters, &words().wish);
        begin.is_some_and(|(at, _)| letters.one_of(at, &words().no_wish).is_none())
    };
    let is_polite = || Letters::new(said).find(&words().please).is_some();
    !has_question(said)
        && !is_errand(said, roster)
        && (is_polite() || sentences(said).into_iter().flat_map(clauses).any(wishes))
}

/// Returns whether a message of the host is one sentence that one turn can carry out, as in "Ask him what it costs."
pub fn is_errand(said: &str, roster: &[&Participant]) -> bool {
    let [sentence] = sentences(said)[..] else { return false };
    let letters = Letters::new(sentence);
    let names = Spellings::from_roster(roster);
    let is_name = |(_, end)| names.at(&letters, letters.skip(end, |c| c == ' ')).is_some();
    begins(&letters, &words().errand).is_some()
        || begins(&letters, &words().asks).is_some_and(is_name)
}

/// Returns the range of a word of a row that begins a clause, apart from words such as "and" and "please".
fn begins(letters: &Letters, row: &WordRow) -> Option<(usize, usize)> {
    let next = |at| letters.skip(at, |c| !c.is_alphanumeric());
    let mut at = next(0);
    loop {
        if let Some(end) = letters.one_of(at, row) {
            return Some((at, end));
        }
        let lead = letters.one_of(at, &words().please);
        let joint = || [&words().or, &words().so].iter().find_map(|row| letters.one_of(at, row));
        at = next(lead.or_else(joint)?);
    }
}
