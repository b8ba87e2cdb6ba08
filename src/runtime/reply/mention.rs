//! Grammar of a choice in prose, for names and for votes: the only known thing that a sentence names and approves of.

use super::letters::{Letters, asks, sentences};
use super::lines::behind_marks;
use super::words::{WordRow, words};
use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of words around a name in a list.
const LISTED_WORDS: usize = 2;

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

    /// Returns the thing that a text consists of, also in small letters.
    fn whole(&self, text: &str) -> Option<usize>;

    /// Returns the name of each thing, in the order in which they were listed.
    fn names(&self) -> Vec<&str>;

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
        let mut out: Option<Mention> = None;
        for mention in self.mentions(letters, text) {
            let behind_over = |last: &Mention| {
                let over = letters.one_of(letters.skip(last.end, |c| c == ' '), &words().over);
                over.is_some_and(|end| letters.skip(end, |c| !c.is_alphanumeric()) == mention.start)
            };
            let joined = |other: &Mention| {
                other.end < mention.start
                    && letters
                        .one_of(letters.skip(other.end, |c| c == ' '), &words().or)
                        .is_some_and(|end| letters.skip(end, |c| c == ' ') == mention.start)
            };
            let is_out = out.is_some_and(|last: Mention| joined(&last))
                || letters.follows(mention.start, &words().except)
                || letters.is_behind(mention.start, &words().than)
                || letters.one_of(mention.end, &words().outranked).is_some()
                || left.last().is_some_and(behind_over);
            if is_out {
                out = Some(mention);
            } else {
                left.push(mention);
            }
        }
        left
    }

    /// Returns whether a text has a mention.
    fn is_in(&self, text: &str) -> bool {
        !self.mentions(&Letters::new(text), text).is_empty()
    }

    /// Returns a text as it was meant in the end: without a first thought, with the names of things that are only counted,
    /// and with the best one of a ranking: "At first A, but of B and C the latter" is "but of Answer C".
    fn settled(&self, text: &str) -> String {
        let text = without_earlier(text, |part| self.is_in(part));
        let letters = Letters::new(&text);
        let named = self.mentions(&letters, &text);
        let names = self.names();
        let part = |from, to| text.get(letters.byte(from)..letters.byte(to)).unwrap_or_default();
        let ranked = named.iter().zip(named.iter().skip(1));
        let worse = ranked.filter(|(a, b)| part(a.end, b.start).trim() == ">");
        let mut cuts: Vec<(usize, usize, &str)> = worse.map(|(a, b)| (a.end, b.end, "")).collect();
        for (at, end, place) in ordinals(&letters) {
            let mut listed: Vec<Mention> = vec![];
            for mention in named.iter().filter(|mention| mention.end <= at) {
                if listed.iter().all(|other| other.of != mention.of) {
                    listed.push(*mention);
                }
            }
            let mut of: Vec<usize> = (0..names.len()).collect();
            if let [first, .., last] = listed[..] {
                of = listed.iter().map(|mention| mention.of).collect();
                cuts.push((first.start, last.end, ""));
            }
            let of = place.map_or(of.last(), |place| of.get(place));
            cuts.extend(of.and_then(|of| Some((at, end, *names.get(*of)?))));
        }
        cuts.sort_unstable();
        let (mut out, mut from) = (String::new(), 0);
        for (start, end, name) in cuts {
            if start >= from {
                out.extend([part(from, start), name]);
                from = end;
            }
        }
        out + part(from, letters.len())
    }

    /// Returns the only thing in a text that is not ruled out.
    fn only(&self, text: &str) -> Option<usize> {
        agreed(self.left(&Letters::new(text), text).into_iter().map(|mention| mention.of))
    }

    /// Returns whether a text has one of some words outside its mentions.
    fn has(&self, text: &str, row: &WordRow) -> bool {
        let letters = Letters::new(text);
        outside(&letters, &self.mentions(&letters, text))
            .any(|at| letters.one_of(at, row).is_some())
    }

    /// Returns whether a text denies something, apart from the words that only rule out a mention.
    fn denies(&self, text: &str) -> bool {
        self.spoils(text, &words().deny)
    }

    /// Returns whether a text is a condition or a guess.
    fn doubts(&self, text: &str) -> bool {
        self.spoils(text, &words().doubt)
            || behind_word(text, &words().supposed).is_some()
                && behind_word(text, &words().harmless).is_none()
    }

    /// Returns whether a text has a word of a row outside harmless phrases, apart from the words that only rule out a mention.
    fn spoils(&self, text: &str, row: &WordRow) -> bool {
        let letters = Letters::new(text);
        let mentions = self.mentions(&letters, text);
        let left = self.left(&letters, text);
        let is_out =
            |at| mentions.iter().any(|m| m.start == at) && left.iter().all(|m| m.start != at);
        let next = |end| letters.skip(end, |c| !c.is_alphanumeric());
        let mut until = 0;
        outside(&letters, &mentions).any(|at| {
            let ruled_out = letters.one_of(at, &words().except).filter(|end| is_out(next(*end)));
            until = ruled_out.or_else(|| letters.one_of(at, &words().harmless)).unwrap_or(until);
            at >= until && letters.one_of(at, row).is_some_and(|end| !is_out(next(end)))
        })
    }

    /// Returns the thing that a text consists of, apart from words that lead to it or close it, and whether there are any.
    fn alone(&self, text: &str) -> Option<(usize, bool)> {
        let letters = Letters::new(text);
        let mark = |c: char| !c.is_alphanumeric();
        let begin = behind_marks(&letters, 0);
        let mut at = begin;
        while let Some(end) =
            [&words().so, &words().but].iter().find_map(|row| letters.one_of(at, row))
        {
            at = letters.skip(end, mark);
        }
        let mention = self.mention_at(&letters, text, at)?;
        let end = letters.skip(mention.end, mark);
        let mut close = end;
        while let Some(behind) = letters.one_of(close, &words().courtesy) {
            close = letters.skip(behind, mark);
        }
        (close == letters.len()).then_some((mention.of, at > begin || close > end))
    }

    /// Returns the thing that the last clause of a sentence consists of, as in "So: A."; a list has none. A longer reply
    /// needs a word that leads to it or approves of it.
    fn conclusion(&self, sentence: &str, row: &WordRow, short: bool) -> Option<usize> {
        let led = behind_word(sentence, &words().so).is_some();
        let parts = clauses(sentence);
        let (last, before) = match self.alone(sentence) {
            Some(_) => (sentence, &[][..]),
            None => parts.split_last().map(|(last, before)| (*last, before))?,
        };
        let (of, closed) = self.alone(last).or_else(|| Some((self.whole(last)?, false)))?;
        let pointed =
            sentence.trim_end().strip_suffix(last.trim()).is_some_and(|s| s.ends_with("→ "));
        let strict = self.minds_faults();
        let is_other = |part: &&str| self.only(part).is_some_and(|other| other != of);
        let is_listed = before.iter().any(|part| {
            let counts =
                strict || part.unicode_words().count() <= LISTED_WORDS && !self.has(part, row);
            counts && is_other(part) && !self.denies(part)
        });
        let spoilt = before.last().is_some_and(|part| {
            self.doubts(part) || strict && self.denies(part) && !is_other(part)
        });
        let approved = before.iter().any(|part| self.has(part, row));
        let decides = led || closed || approved || short && !before.is_empty();
        (decides && (pointed || !is_listed) && !spoilt).then_some(of)
    }

    /// Returns the thing that a sentence chooses: the one in its clauses with a word of the row, else the only one in a
    /// sentence with such a word. A condition chooses nothing, and no clause may take the choice back.
    fn chosen(&self, sentence: &str, row: &WordRow) -> Option<usize> {
        let earlier = |part: &&str| self.has(part, &words().earlier) && self.only(part).is_some();
        let parts = clauses(sentence);
        if asks(sentence) || self.doubts(sentence) || parts.iter().any(earlier) {
            return None;
        }
        let strict = self.minds_faults();
        let gives = |part: &&str| self.has(part, row) || self.is_last(part);
        let is_others = |part: &str| strict && behind_word(part, &words().others).is_some();
        let is_own = |part: &&str| !self.denies(part) && !is_others(part);
        let gives_own = parts.iter().any(|part| gives(part) && is_own(part));
        let yes = parts.into_iter().filter(gives).filter(is_own);
        let chosen: Vec<_> = yes.filter_map(|part| Some((part, self.only(part)?))).collect();
        let first = match chosen.last() {
            Some((part, of)) => {
                let is_now = chosen.iter().all(|(_, other)| other == of);
                (is_now || self.has(part, &words().now)).then_some(*of)?
            }
            None if gives_own || gives(&sentence) && !is_others(sentence) => self.only(sentence)?,
            None => return None,
        };
        let is_open = self.is_listed(sentence, first) || self.is_compared(sentence, first);
        (!self.takes_back(sentence, first, row) && !is_open).then_some(first)
    }

    /// Returns whether a thing is part of a list, as in "A, C and E".
    fn is_listed(&self, sentence: &str, of: usize) -> bool {
        let letters = Letters::new(sentence);
        let named = self.mentions(&letters, sentence);
        let next = |at| letters.skip(at, |c| matches!(c, ' ' | ',' | '、' | '，' | '*'));
        let first = named.iter().position(|mention| mention.of == of).unwrap_or(named.len());
        for (n, one) in named.iter().enumerate().skip(first) {
            let joint = letters.one_of(next(one.end), &words().or);
            let other =
                named.get(n + 1).filter(|other| other.start == next(joint.unwrap_or(one.end)));
            if joint.is_some() || other.is_none() {
                return joint.is_some() && other.map_or(n > first, |other| other.of != of);
            }
        }
        false
    }

    /// Returns whether another clause begins with another thing and denies nothing: a later one, as in "A wins on cost, B on
    /// longevity", or any one if an "and" begins the clause of the choice.
    fn is_compared(&self, sentence: &str, of: usize) -> bool {
        let parts = clauses(sentence);
        let begins = |part: &&str| {
            let letters = Letters::new(part);
            let begin = behind_marks(&letters, 0);
            let objects = letters.one_of(begin, &words().but).is_some();
            let joint = letters.one_of(begin, &words().or);
            let at = joint.map_or(begin, |end| letters.skip(end, |c| c == ' '));
            let first = self.mention_at(&letters, part, at).map(|mention| mention.of);
            let of = first.or_else(|| joint.and_then(|_| self.only(part)))?;
            (!objects).then_some((of, joint.is_some()))
        };
        let Some(at) = parts.iter().rposition(|part| self.only(part) == Some(of)) else {
            return false;
        };
        let first = parts.get(at).and_then(begins);
        let is_joined = first.is_some_and(|(_, joined)| joined);
        let others = parts.iter().skip(if is_joined { 0 } else { at + 1 });
        let ends = |part: &&str| {
            let letters = Letters::new(part);
            let last = self.mentions(&letters, part).pop();
            last.is_some_and(|m| letters.skip(m.end, |c| !c.is_alphanumeric()) == letters.len())
        };
        let mut others = others.filter(|part| first.is_some() || ends(part));
        let is_other = |part: &&str| begins(part).is_some_and(|(other, _)| other != of);
        self.minds_faults() && others.any(|part| !self.denies(part) && is_other(part))
    }

    /// Returns whether a clause ends with its choice, as in "the one to keep is Answer A".
    fn is_last(&self, clause: &str) -> bool {
        let letters = Letters::new(clause);
        let last = self.left(&letters, clause).pop();
        last.is_some_and(|last| {
            let is_given = || letters.follows(last.start, &words().to) && !self.minds_faults();
            (letters.follows(last.start, &words().is) || is_given())
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
            if of.is_none() && behind_word(part, &words().because).is_some() {
                return false;
            }
            let objects = || behind_word(part, &words().but).is_some();
            let here = of.is_none() && objects() || of == Some(choice);
            here && self.minds_faults() || of.is_none_or(|of| of == choice) && self.has(part, row)
        })
    }
}

/// Returns a text without the clauses of a first thought that a later clause replaces; `counts` finds what is chosen.
pub(super) fn without_earlier(text: &str, counts: impl Fn(&str) -> bool) -> String {
    let parts: Vec<&str> = sentences(text).into_iter().flat_map(clauses).collect();
    let is_earlier = |part: &str| Letters::new(part).find(&words().earlier).is_some();
    let Some(last) = parts.iter().rposition(|part| counts(part) && !is_earlier(part)) else {
        return text.to_owned();
    };
    let earlier = parts.iter().take(last).filter(|part| is_earlier(part) && counts(part));
    earlier.fold(text.to_owned(), |text, part| text.replacen(part, "", 1))
}

/// Returns the ranges of words such as "the second one", each with its place in a list; `None` is the last one.
fn ordinals(letters: &Letters) -> Vec<(usize, usize, Option<usize>)> {
    let rows = [
        (&words().first, Some(0)),
        (&words().second, Some(1)),
        (&words().third, Some(2)),
        (&words().last, None),
    ];
    let follows = |at: usize| {
        let next = letters.skip(at, |c| c == ' ');
        let noun = letters.one_of(next, &words().noun);
        let is_alone = letters.char(next).is_none_or(|c| !c.is_alphanumeric());
        let is = || letters.one_of(next, &words().is).is_some();
        noun.or_else(|| (is_alone || letters.breaks(at) && next == at || is()).then_some(at))
    };
    let found = (0..letters.len()).filter_map(|at| {
        rows.iter().find_map(|(row, place)| Some((at, follows(letters.one_of(at, row)?)?, *place)))
    });
    found.collect()
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
    behind_word(clause, &words().deny).is_some_and(|rest| !rest.contains(char::is_alphanumeric))
}

/// Returns the text behind a word of a row that begins a text.
pub(super) fn behind_word<'t>(text: &'t str, row: &WordRow) -> Option<&'t str> {
    let letters = Letters::new(text);
    let end = letters.one_of(letters.skip(0, |c| !c.is_alphanumeric()), row)?;
    text.get(letters.byte(end)..)
}

/// Returns the value that all values are; `None` if there is no value, or another one.
pub(super) fn agreed<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = all.into_iter();
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Returns the indices of letters outside of mentions.
fn outside(letters: &Letters, mentions: &[Mention]) -> impl Iterator<Item = usize> {
    let mut rest = mentions.iter().peekable();
    (0..letters.len()).filter(move |at| {
        while rest.next_if(|mention| mention.end <= *at).is_some() {}
        rest.peek().is_none_or(|mention| *at < mention.start)
    })
}
