//! Matches text to one of several answers.

use crate::model::Text;

/// Characters stripped around an answer.
pub(super) const DRESS: &[char] = &[
    '*', '_', '`', '"', '\'', '“', '”', '#', '>', '(', ')', '[', ']', '.', ',', ';', '!', ' ', '\t',
];
/// Phrases before an answer, longest first.
const LEADS: [&str; 20] = [
    "the next speaker is",
    "the choice is",
    "my pick is",
    "next speaker",
    "next",
    "my choice is",
    "my answer is",
    "i would choose",
    "i vote for",
    "i'd choose",
    "my vote is",
    "i choose",
    "i pick",
    "the answer is",
    "the winner is",
    "i vote",
    "winner",
    "answer",
    "choice",
    "vote",
];

/// Answers of a form, and other names for them.
pub(super) struct Choices<'a> {
    /// The answers to choose from.
    pub(super) options: &'a [Text],
    /// Other names for them, as (name, answer).
    pub(super) also: &'a [(Text, Text)],
}

impl<'a> Choices<'a> {
    /// Returns every spelling with its answer, longest first.
    fn spellings(&self) -> Vec<(String, &'a Text)> {
        let own = self.options.iter().map(|o| (o.to_lowercase(), o));
        let known = |(_, answer): &&(Text, Text)| self.options.contains(answer);
        let also =
            self.also.iter().filter(known).map(|(name, answer)| (name.to_lowercase(), answer));
        let mut all: Vec<(String, &'a Text)> = own.chain(also).collect();
        all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        all
    }

    /// Returns the answer that a text spells exactly, ignoring case and surrounding marks.
    pub(super) fn exactly(&self, words: &str) -> Option<&'a Text> {
        let words = words.trim_matches(DRESS).trim_start_matches('@').to_lowercase();
        self.spellings().into_iter().find(|(name, _)| *name == words).map(|(_, answer)| answer)
    }

    /// Returns the answer at the beginning of a line, also after a phrase such as "I choose".
    pub(super) fn begins(&self, line: &str) -> Option<&'a Text> {
        let mut line = line.trim_start_matches(DRESS).to_lowercase();
        if let Some(rest) = LEADS.iter().find_map(|lead| line.strip_prefix(lead)) {
            line = rest.trim_start_matches([':', '=']).trim_start_matches(DRESS).to_owned();
            line = line.trim_start_matches(':').trim_start_matches(DRESS).to_owned();
        }
        let line = line.trim_start_matches('@');
        let ends = |rest: &str| {
            let mut rest = rest.chars();
            let first = rest.next();
            // "no doubt" is not an answer; "no, because" and "no" are
            first.is_none_or(|c| {
                !c.is_alphanumeric()
                    && (c != ' ' || rest.next().is_none_or(|c| !c.is_alphanumeric()))
            })
        };
        let alone = |rest: &str| rest.trim_matches(DRESS).is_empty() || ends(rest);
        let begun =
            |(name, _): &(String, &Text)| line.strip_prefix(name.as_str()).is_some_and(alone);
        self.spellings().into_iter().find(begun).map(|(_, answer)| answer)
    }

    /// Returns the answer that the first or last line of a reply begins with; `None` if the two lines disagree.
    pub(super) fn find(&self, said: &str) -> Option<&'a Text> {
        let lines = || said.lines().map(str::trim).filter(|l| !l.is_empty());
        match (self.begins(lines().next()?), self.begins(lines().next_back()?)) {
            (Some(first), Some(last)) => (first == last).then_some(first),
            (first, last) => first.or(last),
        }
    }

    /// Returns a reply without the lines that consist only of an answer.
    pub(super) fn why(&self, said: &str) -> String {
        let rest: Vec<&str> = said.lines().filter(|l| self.exactly(l).is_none()).collect();
        rest.join("\n").trim().to_owned()
    }
}
