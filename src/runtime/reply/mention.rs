//! Grammar of a choice in prose, for names and for votes: the only known thing that a sentence names and approves of.

use super::letters::{Letters, asks};
use super::words::{WordRow, words};

/// A known thing in a text, as a range of its letters and an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mention {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) of: usize,
}

/// The things that a reply can choose.
pub(super) trait Candidates {
    /// Returns the mention that begins at an index.
    fn mention_at(&self, letters: &Letters, text: &str, at: usize) -> Option<Mention>;

    /// Returns the mentions in a text, in order.
    fn mentions(&self, letters: &Letters, text: &str) -> Vec<Mention> {
        let mut all: Vec<Mention> = vec![];
        for at in 0..letters.len() {
            if all.last().is_none_or(|last| at >= last.end) {
                all.extend(self.mention_at(letters, text, at));
            }
        }
        all
    }

    /// Returns the mentions that are not ruled out.
    fn left(&self, letters: &Letters, text: &str) -> Vec<Mention> {
        let mut left: Vec<Mention> = vec![];
        for mention in self.mentions(letters, text) {
            let out = letters.follows(mention.start, &words().except)
                || letters.is_behind(mention.start, &words().than)
                || letters.one_of(mention.end, &words().outranked).is_some()
                || !left.is_empty() && letters.follows(mention.start, &words().over);
            if !out {
                left.push(mention);
            }
        }
        left
    }

    /// Returns the only thing in a text that is not ruled out.
    fn only(&self, text: &str) -> Option<usize> {
        let left = self.left(&Letters::new(text), text);
        let first = left.first()?.of;
        left.iter().all(|mention| mention.of == first).then_some(first)
    }

    /// Returns whether a text has one of some words outside its mentions.
    fn has(&self, text: &str, row: &WordRow) -> bool {
        let letters = Letters::new(text);
        outside(&letters, &self.mentions(&letters, text))
            .any(|at| letters.one_of(at, row).is_some())
    }

    /// Returns whether a text denies something, apart from the words that only rule out a mention.
    fn denies(&self, text: &str) -> bool {
        let letters = Letters::new(text);
        let mentions = self.mentions(&letters, text);
        let left = self.left(&letters, text);
        let is_out =
            |at| mentions.iter().any(|m| m.start == at) && left.iter().all(|m| m.start != at);
        let mut until = 0;
        outside(&letters, &mentions).any(|at| {
            until = letters.one_of(at, &words().undenied).unwrap_or(until);
            let end = if at < until { None } else { letters.one_of(at, &words().deny) };
            let next = |end| letters.skip(end, |c| !c.is_alphanumeric());
            end.is_some_and(|end| !is_out(next(end)))
        })
    }

    /// Returns the thing that a sentence chooses: the one in its clauses with a word of the row, else the only one in a
    /// sentence with such a word. A condition chooses nothing, and no clause may take the choice back.
    fn chosen(&self, sentence: &str, row: &WordRow) -> Option<usize> {
        if asks(sentence) || self.has(sentence, &words().doubt) {
            return None;
        }
        let gives = |part: &&str| self.has(part, row);
        let parts = || clauses(sentence).into_iter();
        let yes = parts().filter(gives).filter(|part| !self.denies(part));
        let chosen: Vec<_> = yes.filter_map(|part| Some((part, self.only(part)?))).collect();
        let first = match chosen.last() {
            Some((part, of)) => {
                let is_now = chosen.iter().all(|(_, other)| other == of);
                (is_now || self.has(part, &words().now)).then_some(*of)?
            }
            None if gives(&sentence) || self.is_last(sentence) => self.only(sentence)?,
            None => return None,
        };
        (!self.takes_back(sentence, first, row)).then_some(first)
    }

    /// Returns whether a sentence ends with its choice, as in "the one to keep is Answer A".
    fn is_last(&self, sentence: &str) -> bool {
        let letters = Letters::new(sentence);
        let last = self.left(&letters, sentence).pop();
        last.is_some_and(|last| {
            letters.follows(last.start, &words().is)
                && letters.skip(last.end, |c| !c.is_alphanumeric()) == letters.len()
        })
    }

    /// Returns whether a fault of a thing takes back that it was chosen.
    fn minds_faults(&self) -> bool;

    /// Returns whether a clause denies a choice.
    fn takes_back(&self, sentence: &str, choice: usize, row: &WordRow) -> bool {
        let parts = clauses(sentence);
        let at = parts.iter().position(|part| self.only(part) == Some(choice)).unwrap_or_default();
        parts.into_iter().enumerate().filter(|(_, part)| self.denies(part)).any(|(n, part)| {
            let of = self.only(part);
            if of.is_none() && n < at {
                return false;
            }
            let letters = Letters::new(part);
            let begins = |row| letters.one_of(letters.skip(0, |c| c == ' '), row).is_some();
            if of.is_none() && begins(&words().because) {
                return false;
            }
            let objects = || begins(&words().but);
            let here = of.is_none() && objects() || of == Some(choice);
            here && self.minds_faults() || of.is_none_or(|of| of == choice) && self.has(part, row)
        })
    }
}

/// Returns the clauses of a sentence: they end at commas, and before a reason or an objection.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    let letters = Letters::new(sentence);
    let mut parts = vec![];
    let (mut from, mut at) = (0, 0);
    while at < letters.len() {
        let comma = letters.pauses(at);
        let excepted = letters.one_of(at, &words().except);
        let begins =
            || [&words().because, &words().but].iter().any(|row| letters.one_of(at, row).is_some());
        if comma || excepted.is_none() && begins() {
            parts.extend(sentence.get(from..letters.byte(at)));
            from = letters.byte(if comma { at + 1 } else { at });
        }
        at = excepted.unwrap_or(at + 1);
    }
    parts.extend(sentence.get(from..));
    parts.retain(|part| part.contains(char::is_alphanumeric));
    parts
}

/// Returns whether a clause is a word of denial alone.
pub(super) fn is_refusal(clause: &str) -> bool {
    let letters = Letters::new(clause);
    let end = letters.one_of(letters.skip(0, |c| !c.is_alphanumeric()), &words().deny);
    end.is_some_and(|end| letters.skip(end, |c| !c.is_alphanumeric()) == letters.len())
}

/// Returns the indices of letters outside of mentions.
fn outside(letters: &Letters, mentions: &[Mention]) -> impl Iterator<Item = usize> {
    let mut rest = mentions.iter().peekable();
    (0..letters.len()).filter(move |at| {
        while rest.next_if(|mention| mention.end <= *at).is_some() {}
        rest.peek().is_none_or(|mention| *at < mention.start)
    })
}
