//! The name that a reply chooses among known ones.

use super::json::{JsonPlace, cut_value, objects};
use super::letters::{Letters, asks, sentences, word};
use super::lines::{behind_marks, own_text, unwrapped, without_tags};
use super::mention::{Candidates, Mention, agreed, behind_word, clauses, is_refusal};
use super::read::ReadBy;
use super::words::{marks, words};
use crate::model::{Participant, SeatId, Text};
use serde_json::Value;

/// Keys of a chosen name in JSON; otherwise it must be the only name among the values.
const KEYS: [&str; 7] = ["choice", "answer", "next", "next_speaker", "speaker", "vote", "winner"];
/// Maximum nesting of a name in JSON.
const DEPTH_MAX: usize = 8;

/// Spellings of names, each with the thing that it means, longest first.
pub(super) struct Spellings<T>(pub(super) Vec<(Vec<char>, T)>);

impl<T> Spellings<T> {
    pub(super) fn new<'n>(all: impl IntoIterator<Item = (&'n str, T)>) -> Spellings<T> {
        let mut all: Vec<(Vec<char>, T)> =
            all.into_iter().map(|(name, of)| (word(name), of)).collect();
        all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Spellings(all)
    }

    /// Returns the meaning of the longest name at an index, and the index behind the name.
    pub(super) fn at(&self, letters: &Letters, at: usize) -> Option<(&T, usize)> {
        self.0.iter().find_map(|(name, of)| Some((of, letters.word(at, name)?)))
    }

    /// Returns the meaning of a text that is a name alone, apart from signs around it.
    pub(super) fn whole(&self, text: &str) -> Option<&T> {
        let letters = Letters::new(text);
        let (of, end) = self.at(&letters, letters.skip(0, |c| !c.is_alphanumeric()))?;
        (letters.skip(end, |c| !c.is_alphanumeric()) == letters.len()).then_some(of)
    }
}

impl<'a> Spellings<&'a SeatId> {
    /// Returns the ids, names and aliases of participants.
    pub(super) fn from_roster(roster: &[&'a Participant]) -> Spellings<&'a SeatId> {
        Spellings::new(roster.iter().flat_map(|p| p.names().map(|name| (name, &p.id))))
    }
}

/// Names to choose from, and other names for them.
pub(super) struct NameChoice<'a> {
    options: &'a [Text],
    spellings: Spellings<&'a Text>,
    person: bool,
}

/// A chosen name.
pub(super) struct ChosenName<'a> {
    pub(super) name: &'a Text,
    pub(super) by: ReadBy,
    /// The object with the name, if it was read from JSON.
    pub(super) object: Option<Value>,
}

impl<'a> NameChoice<'a> {
    pub(super) fn new(
        options: &'a [Text],
        also: &'a [(Text, Text)],
        person: bool,
    ) -> NameChoice<'a> {
        let known = |name: &Text| options.iter().find(|option| *option == name);
        let own = options.iter().map(|option| (&**option, option));
        let also = also.iter().filter_map(|(name, option)| Some((&**name, known(option)?)));
        let known: Vec<(&str, &Text)> = own.chain(also).collect();
        let cases: Vec<(String, &Text)> = known
            .iter()
            .flat_map(|(name, of)| cases(name).into_iter().map(move |n| (n, *of)))
            .collect();
        let spellings = Spellings::new(
            known.into_iter().chain(cases.iter().map(|(name, of)| (name.as_str(), *of))),
        );
        NameChoice { options, spellings, person }
    }

    fn name(&self, of: usize) -> Option<&'a Text> {
        self.options.get(of)
    }

    /// Returns the name that a text consists of, in any dress.
    pub(super) fn exactly(&self, text: &str) -> Option<&'a Text> {
        let letters = Letters::new(&without_tags(text));
        let begin = letters.skip(0, |c| !c.is_alphanumeric());
        let at = |begin| self.spellings.at(&letters, begin);
        let Some((option, end)) = at(begin).or_else(|| at(behind_marks(&letters, 0))) else {
            // a name of signs alone
            return self.options.iter().find(|option| &***option == text.trim());
        };
        (behind_courtesy(&letters, end) == letters.len()).then_some(*option)
    }

    /// Returns the name that a reply chooses; `None` if it is unclear.
    pub(super) fn find(&self, said: &str, data: &Value) -> Option<ChosenName<'a>> {
        let objects = objects(said, data, JsonPlace::Anywhere);
        if !objects.is_empty() {
            return objects.into_iter().find_map(|object| {
                let name = self.in_json(&object)?;
                Some(ChosenName { name, by: ReadBy::Json, object: Some(object) })
            });
        }
        if let Some(value) = cut_value(said, &KEYS) {
            let name = self.exactly(&value)?;
            return Some(ChosenName { name, by: ReadBy::LooseJson, object: None });
        }
        let said = unwrapped(said);
        let text = own_text(&said);
        let mut filled = text.lines().filter(|line| !line.trim().is_empty());
        let first = filled.next();
        let last = filled.next_back();
        let is_item = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let ends = [first, last.filter(|line| !is_item(line)).or(first)];
        let alone: Vec<_> =
            ends.into_iter().flatten().filter_map(|line| self.exactly(line)).collect();
        if !alone.is_empty() {
            let name = agreed(alone).filter(|name| !self.objects(&text, name))?;
            return Some(ChosenName { name, by: ReadBy::Plain, object: None });
        }
        let name = self.in_text(&text)?;
        Some(ChosenName { name, by: ReadBy::Name, object: None })
    }

    fn in_text(&self, text: &str) -> Option<&'a Text> {
        let text = &*self.without_speakers(&self.settled(text));
        let (asked, stated): (Vec<&str>, Vec<&str>) =
            sentences(text).into_iter().partition(|s| asks(s));
        let chosen = stated.iter().filter_map(|s| self.chosen_name(s));
        let mut to = asked.iter().filter_map(|s| self.put_to(s));
        match to.next() {
            Some(first) if to.chain(chosen).all(|name| name == first) => Some(first),
            _ => self.in_sentences(text, &stated).or_else(|| self.only_name(text)),
        }
    }

    /// Returns the only name of a person's reply, or in contrast to those that its sentence rules out.
    fn only_name(&self, text: &str) -> Option<&'a Text> {
        let of = self.only(text)?;
        let rules_out = |s: &&str| {
            let named = self.mentions(&Letters::new(s), s);
            named.iter().any(|m| m.of == of) && named.iter().any(|m| m.of != of)
        };
        let is_chosen = self.person || sentences(text).iter().any(rules_out);
        let is_clear = !asks(text) && !self.denies(text) && !self.doubts(text);
        self.name(of).filter(|name| is_chosen && is_clear && !is_common(name))
    }

    /// Returns a text without reasons and the clauses about names that had the floor, or would have had it, if others are left.
    fn without_speakers(&self, text: &str) -> String {
        let parts: Vec<&str> = sentences(text).into_iter().flat_map(clauses).collect();
        let rows = [&words().already, &words().earlier];
        let spoke = |part: &&&str| {
            self.is_in(part)
                && (rows.iter().any(|row| self.has(part, row))
                    || behind_word(part, &words().because).is_some())
        };
        let is_left = parts.iter().any(|part| !spoke(&part) && self.is_in(part));
        if !is_left {
            return text.to_owned();
        }
        parts.iter().filter(spoke).fold(text.to_owned(), |text, part| text.replacen(part, "", 1))
    }

    /// Returns the name that a question is put to: its first clause is the name, begins with it and a form of address, or
    /// has a word of the row `turn` and the question names nobody else.
    fn put_to(&self, question: &str) -> Option<&'a Text> {
        let parts = clauses(question);
        let first = parts.first()?;
        let letters = Letters::new(first);
        let named = self.spellings.at(&letters, behind_marks(&letters, 0));
        let is_polite =
            || named.is_some_and(|(_, end)| letters.one_of(end, &words().courtesy).is_some());
        let turns = || self.has(first, &words().turn) && self.only(question).is_some();
        let gives = || self.exactly(first).is_some() || turns();
        let is_put = is_polite() || parts.len() > 1 && gives();
        let is_listed = parts.iter().any(|part| behind_word(part, &words().or).is_some());
        if is_put && !is_listed { self.name(self.only(first)?) } else { None }
    }

    /// Returns the name that a sentence chooses; a common word must end one of its clauses.
    fn chosen_name(&self, sentence: &str) -> Option<&'a Text> {
        let name = self.name(self.chosen(sentence, &words().turn)?)?;
        let ends =
            || clauses(sentence).iter().any(|clause| self.before_end(clause, name).is_some());
        (!is_common(name) || ends()).then_some(name)
    }

    fn in_sentences(&self, text: &str, sentences: &[&str]) -> Option<&'a Text> {
        let left = sentences.iter().flat_map(|s| self.left(&Letters::new(s), s));
        let left: Vec<usize> = left.map(|mention| mention.of).collect();
        let first = self.name(*left.first()?)?;
        let only = agreed(left).is_some();
        if self.objects(text, first) {
            return None;
        }
        let parts: Vec<&str> = sentences.iter().flat_map(|s| clauses(s)).collect();
        let is_clear = |part: &str| !self.denies(part) && !self.doubts(part);
        let last = sentences.last()?;
        let before = || if is_common(first) { self.before_end(last, first) } else { None };
        if only
            && (parts.iter().any(|clause| self.is_alone(clause, first))
                || before().is_some_and(is_clear))
        {
            return Some(first);
        }
        if let Some(name) = self.conclusion(last, &words().turn, true).and_then(|of| self.name(of))
            && !is_common(name)
        {
            return Some(name);
        }
        let chosen: Vec<_> = sentences.iter().filter_map(|s| self.chosen_name(s)).collect();
        agreed(chosen)
    }

    /// Returns whether a text takes back a name, as in "Anna: no", makes a common word such as "yes" depend on a condition
    /// before it, or objects to it.
    fn objects(&self, text: &str, name: &Text) -> bool {
        let parts: Vec<&str> = sentences(text).into_iter().flat_map(clauses).collect();
        let at = parts.iter().position(|part| self.exactly(part) == Some(name));
        let doubted = |part: &&str| self.doubts(part);
        let is_but = |part: &&str| behind_word(part, &words().but).is_some();
        let objection = parts.iter().skip_while(|part| !is_but(part)).any(|part| self.denies(part));
        let condition = parts.iter().take(at.unwrap_or_default()).any(doubted);
        let refused = || at.and_then(|at| parts.get(at + 1)).is_some_and(|part| is_refusal(part));
        if is_common(name) { condition || objection } else { refused() }
    }

    /// Returns the text of a clause before a name that ends it.
    fn before_end<'t>(&self, clause: &'t str, name: &Text) -> Option<&'t str> {
        let letters = Letters::new(clause);
        let last = self.mentions(&letters, clause).pop()?;
        let ends = letters.skip(last.end, |c| !c.is_alphanumeric()) == letters.len();
        let is_name = self.name(last.of) == Some(name);
        if ends && is_name { clause.get(..letters.byte(last.start)) } else { None }
    }

    /// Returns whether a clause is a name, apart from a "but".
    fn is_alone(&self, clause: &str, name: &Text) -> bool {
        self.exactly(behind_word(clause, &words().but).unwrap_or(clause)) == Some(name)
    }

    /// Returns the name in a JSON value: under a known key, or else the only one among all values.
    fn in_json(&self, object: &Value) -> Option<&'a Text> {
        let keyed = KEYS.iter().find_map(|key| object.get(*key)).filter(|value| value.is_string());
        if let Some(value) = keyed {
            return self.exactly(value.as_str()?);
        }
        let mut found = vec![];
        strings(object, 0, &mut found);
        agreed(found.into_iter().filter_map(|text| self.exactly(text)))
    }
}

impl Candidates for NameChoice<'_> {
    fn minds_faults(&self) -> bool {
        false
    }

    fn whole(&self, text: &str) -> Option<usize> {
        let name = self.exactly(text)?;
        self.options.iter().position(|option| option == name)
    }

    fn names(&self) -> Vec<&str> {
        self.options.iter().map(|option| &**option).collect()
    }

    fn mention_at(&self, letters: &Letters, _: &str, at: usize) -> Option<Mention> {
        let (name, end) = self.spellings.at(letters, at)?;
        // a longer name, such as "Anna-Sophia"
        let goes_on = letters.char(end) == Some('-')
            && letters.char(end + 1).is_some_and(char::is_alphanumeric)
            && letters.one_of(end + 1, &words().courtesy).is_none();
        let of = self.options.iter().position(|option| option == *name)?;
        (!goes_on).then_some(Mention { start: at, end, of })
    }
}

/// Returns the index behind the forms of address that follow a name.
pub(super) fn behind_courtesy(letters: &Letters, name_end: usize) -> usize {
    let next = |at| letters.skip(at, |c| !c.is_alphanumeric());
    let mut end = next(name_end);
    while let Some(behind) = letters.one_of(end, &words().courtesy) {
        end = next(behind);
    }
    end
}

/// Returns the other cases of a Russian name.
fn cases(name: &str) -> Vec<String> {
    let is_cyrillic = |c: char| matches!(c, 'а'..='я' | 'ё');
    let Some(last) = name.chars().last().filter(|c| is_cyrillic(*c)) else { return vec![] };
    let row = marks().endings.iter().find(|(ending, _)| ending.is_empty() || ending.contains(last));
    let stem = |ending: &str| if ending.is_empty() { name } else { name.trim_end_matches(last) };
    let all = row.into_iter().flat_map(|(ending, all)| all.iter().map(|end| (stem(ending), end)));
    all.map(|(stem, end)| format!("{stem}{end}")).collect()
}

/// Returns whether a name is a common word.
fn is_common(name: &Text) -> bool {
    Letters::new(name).one_of(0, &words().common).is_some()
}

/// Collects the texts of a JSON value.
pub(super) fn strings<'v>(value: &'v Value, depth: usize, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) if depth < DEPTH_MAX => {
            items.iter().for_each(|item| strings(item, depth + 1, found));
        }
        Value::Object(map) if depth < DEPTH_MAX => {
            map.values().for_each(|item| strings(item, depth + 1, found));
        }
        _ => {}
    }
}

/// Returns the reason for a choice: a reply without the lines that consist only of the name.
pub(super) fn reason(names: &NameChoice<'_>, said: &str) -> String {
    let rest: Vec<&str> = said.lines().filter(|line| names.exactly(line).is_none()).collect();
    rest.join("\n").trim().to_owned()
}
