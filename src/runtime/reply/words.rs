//! Marks of chat formats, and spellings by language of labels and of the words that give a vote or a name its meaning.

use super::letters::{order, word};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Folded spellings, in the order that a comparison needs.
#[derive(Debug, Default)]
pub(super) struct WordRow(Vec<Vec<char>>);

impl std::ops::Deref for WordRow {
    type Target = [Vec<char>];

    fn deref(&self) -> &[Vec<char>] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for WordRow {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<WordRow, D::Error> {
        let languages = BTreeMap::<String, Vec<String>>::deserialize(from)?;
        let mut all: Vec<Vec<char>> = languages.values().flatten().map(|text| word(text)).collect();
        all.sort_by_key(|word| order(word));
        Ok(WordRow(all))
    }
}

/// The rows of `words.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WordTables {
    pub(super) vote_label: WordRow,
    pub(super) answer_label: WordRow,
    pub(super) question_label: WordRow,
    pub(super) progress_label: WordRow,
    pub(super) complete_label: WordRow,
    pub(super) error_label: WordRow,
    /// Nouns before the letter of an answer.
    pub(super) noun: WordRow,
    /// The voter's own answer.
    pub(super) own: WordRow,
    /// Words that make a sentence with an answer's label a vote.
    pub(super) approve: WordRow,
    /// Words that keep a clause from being a vote.
    pub(super) deny: WordRow,
    /// Phrases with a word of denial or of doubt that leave the choice as it is.
    pub(super) harmless: WordRow,
    /// Words that leave a whole reply open.
    pub(super) undecided: WordRow,
    /// Words that make a sentence a condition or a guess.
    pub(super) doubt: WordRow,
    /// Words that begin a clause about the choice of somebody else.
    pub(super) others: WordRow,
    /// Verbs that make a sentence a condition if it begins with them.
    pub(super) supposed: WordRow,
    /// Words of a first thought, which a later clause replaces.
    pub(super) earlier: WordRow,
    /// Clauses about somebody who had the floor.
    pub(super) already: WordRow,
    /// Words for the first, the second, the third and the last of several things.
    pub(super) first: WordRow,
    pub(super) second: WordRow,
    pub(super) third: WordRow,
    pub(super) last: WordRow,
    /// Words of languages that write a comma in decimal numbers.
    pub(super) comma: WordRow,
    /// Words right before a name that rule it out.
    pub(super) except: WordRow,
    /// Words before a number in its clause that deny it.
    pub(super) negation: WordRow,
    /// Words right before a number that only bound it, or change it.
    pub(super) bound: WordRow,
    /// Words right before a number that are its sign.
    pub(super) minus: WordRow,
    /// Words right behind a number that change it, bound it or deny it.
    pub(super) power: WordRow,
    /// Words between a chosen name and one that is ruled out.
    pub(super) over: WordRow,
    /// Words that rule out all names behind them in a clause.
    pub(super) than: WordRow,
    /// Words right behind a name that rule it out.
    pub(super) outranked: WordRow,
    /// Words of a sentence that gives the floor, a vote or an answer.
    pub(super) turn: WordRow,
    /// Words before the name of a choice at the end of a sentence.
    pub(super) is: WordRow,
    /// Words before the name of somebody who gets something.
    pub(super) to: WordRow,
    /// Words before the number of a bid.
    pub(super) bid: WordRow,
    /// Words of a clause whose choice replaces those before it.
    pub(super) now: WordRow,
    /// Phrases before an answer, which a sign or a word of `equals` follows.
    pub(super) lead: WordRow,
    pub(super) equals: WordRow,
    /// Words before such a phrase that only lead to it.
    pub(super) so: WordRow,
    /// Phrases before a confidence.
    pub(super) sure: WordRow,
    /// Phrases before a ranking, or before its first entry.
    pub(super) ranked: WordRow,
    /// Options that are common words.
    pub(super) common: WordRow,
    /// Words that begin a reason or a concession.
    pub(super) because: WordRow,
    /// Words that begin an objection.
    pub(super) but: WordRow,
    /// Words between two labels that are both meant.
    pub(super) or: WordRow,
    /// Verbs between a speaker's name and the speech.
    pub(super) says: WordRow,
    /// Forms of address behind a name, or courtesies around it.
    pub(super) courtesy: WordRow,
    /// Words that put a question to each of several people.
    pub(super) each: WordRow,
    /// Words before the name of somebody who is addressed.
    pub(super) before_name: WordRow,
    /// Words for those who are addressed.
    pub(super) you: WordRow,
    /// Words for the own vote.
    pub(super) my_vote: WordRow,
    /// Words of thanks, which ask for nothing.
    pub(super) thanks: WordRow,
    /// Words by which a message of the host is a wish.
    pub(super) please: WordRow,
    /// Beginnings of a clause that wishes another way of speaking.
    pub(super) wish: WordRow,
    /// Beginnings of a statement that has the same word.
    pub(super) no_wish: WordRow,
    /// Beginnings of a message that one turn can carry out.
    pub(super) errand: WordRow,
    /// Beginnings of such a message before a name.
    pub(super) asks: WordRow,
}

/// The rows of `marks.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    pub(super) reasoning: Vec<(String, String)>,
    pub(super) headers: Vec<String>,
    pub(super) first_headers: Vec<String>,
    pub(super) ends: Vec<String>,
    pub(super) speakers: Vec<String>,
    pub(super) opening: Vec<String>,
    pub(super) closing: Vec<String>,
    pub(super) talk: Vec<String>,
    pub(super) boxes: Vec<String>,
    pub(super) placeholders: Vec<String>,
    pub(super) fractions: Vec<String>,
    pub(super) fonts: Vec<String>,
    pub(super) endings: Vec<(String, Vec<String>)>,
    pub(super) numbers: Vec<(String, u32)>,
    pub(super) scales: Vec<(String, u32)>,
    pub(super) units: Vec<String>,
}

/// Returns whether a text is in a row.
pub(super) fn is_in(row: &[String], text: &str) -> bool {
    row.iter().any(|mark| mark == text)
}

/// Returns the row of one label.
pub(super) fn closing_row(name: &str) -> WordRow {
    WordRow(vec![word(name)])
}

static WORDS: LazyLock<WordTables> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).unwrap_or_default());

static MARKS: LazyLock<Marks> =
    LazyLock::new(|| toml::from_str(include_str!("marks.toml")).unwrap_or_default());

/// Returns the marks.
pub(super) fn marks() -> &'static Marks {
    &MARKS
}

/// Returns the tables.
pub(super) fn words() -> &'static WordTables {
    &WORDS
}
