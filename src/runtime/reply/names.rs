//! The name that a reply chooses among known ones.

use super::json::{JsonPlace, objects};
use super::letters::{Letters, asks, clauses, sentences, word};
use super::lines::{own_text, unwrapped};
use super::read::ReadBy;
use super::words::words;
use crate::model::Text;
use serde_json::Value;

/// Keys of a chosen name in JSON; otherwise it must be the only name among the values.
const KEYS: [&str; 7] = ["choice", "answer", "next", "next_speaker", "speaker", "vote", "winner"];
/// Maximum nesting of a name in JSON.
const DEPTH_MAX: usize = 8;

/// Names to choose from, and other names for them.
pub(super) struct NameChoice<'a> {
    /// Every spelling with its name, longest first.
    spellings: Vec<(Vec<char>, &'a Text)>,
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
        let own = options.iter().map(|option| (word(option), option));
        let also = also.iter().filter_map(|(name, option)| Some((word(name), known(option)?)));
        let mut spellings: Vec<(Vec<char>, &Text)> = own.chain(also).collect();
        spellings.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        NameChoice { spellings, person }
    }

    /// Returns the name that a text consists of, in any dress.
    pub(super) fn exactly(&self, text: &str) -> Option<&'a Text> {
        let letters = Letters::new(text);
        let begin = letters.skip(0, |c| !c.is_alphanumeric());
        self.spellings.iter().find_map(|(name, option)| {
            let end = letters.word(begin, name).or_else(|| {
                // a name of signs alone
                (text.trim() == &***option).then_some(letters.len())
            })?;
            let mut end = letters.skip(end, |c| !c.is_alphanumeric());
            while let Some(behind) = letters.one_of(end, &words().courtesy) {
                end = letters.skip(behind, |c| !c.is_alphanumeric());
            }
            (end == letters.len()).then_some(*option)
        })
    }

    /// Returns the names in a clause that are not ruled out, each once.
    fn mentioned(&self, clause: &str) -> Vec<&'a Text> {
        let letters = Letters::new(clause);
        let mut found: Vec<&Text> = vec![];
        let mut at = 0;
        while at < letters.len() {
            let here = self.spellings.iter().find_map(|(n, o)| Some((letters.word(at, n)?, *o)));
            let Some((end, name)) = here else {
                at += 1;
                continue;
            };
            // a longer name, such as "Anna-Sophia"
            let goes_on = letters.char(end) == Some('-')
                && letters.char(end + 1).is_some_and(char::is_alphanumeric);
            if goes_on {
                at = end;
                continue;
            }
            let out = letters.follows(at, &words().except)
                || letters.is_behind(at, &words().than)
                || !found.is_empty() && letters.follows(at, &words().over);
            if !out && !found.contains(&name) {
                found.push(name);
            }
            at = end;
        }
        found
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
        let said = unwrapped(said);
        let text = own_text(&said);
        let mut filled = text.lines().filter(|line| !line.trim().is_empty());
        let first = filled.next();
        let ends = [first, filled.next_back().or(first)];
        let alone: Vec<&Text> =
            ends.into_iter().flatten().filter_map(|l| self.exactly(l)).collect();
        let plain = |name| Some(ChosenName { name, by: ReadBy::Plain, object: None });
        if let [first, rest @ ..] = &alone[..] {
            return if rest.iter().all(|other| other == first) { plain(*first) } else { None };
        }
        self.in_text(&text)
    }

    fn in_text(&self, text: &str) -> Option<ChosenName<'a>> {
        let by_name = |name| Some(ChosenName { name, by: ReadBy::Name, object: None });
        let sentences: Vec<&str> = sentences(text).into_iter().filter(|s| !asks(s)).collect();
        let mentioned: Vec<&Text> = sentences.iter().flat_map(|s| self.mentioned(s)).collect();
        let first = mentioned.first().copied()?;
        let only = mentioned.iter().all(|name| *name == first);
        let parts = || sentences.iter().flat_map(|s| clauses(s));
        if only && parts().any(|clause| self.is_alone(clause, first)) {
            return by_name(first);
        }
        if only
            && let Some(before) = sentences.last().and_then(|last| self.before_end(last, first))
            && Letters::new(before).find(&words().deny).is_none()
        {
            return by_name(first);
        }
        let is_common = |name: &Text| Letters::new(name).one_of(0, &words().common).is_some();
        let gives = |part: &str| Letters::new(part).find(&words().turn).is_some();
        let mut chosen: Vec<&Text> = vec![];
        for sentence in &sentences {
            let clauses = || clauses(sentence).filter(|clause| gives(clause));
            let mut one: Vec<&Text> = clauses()
                .map(|clause| self.mentioned(clause))
                .filter_map(|names| if let [name] = names[..] { Some(name) } else { None })
                .filter(|name| !is_common(name) || clauses().any(|c| self.ends_with(c, name)))
                .collect();
            if one.is_empty() && gives(sentence) && self.mentioned(sentence).len() == 1 {
                one =
                    self.mentioned(sentence).into_iter().filter(|name| !is_common(name)).collect();
            }
            chosen.extend(one);
        }
        match chosen.first() {
            Some(first) if chosen.iter().all(|name| name == first) => by_name(first),
            Some(_) => None,
            None if only && self.person && !is_common(first) => by_name(first),
            None => None,
        }
    }

    /// Returns the text of a sentence before a common word that ends it, if that word is a name.
    fn before_end<'t>(&self, sentence: &'t str, name: &Text) -> Option<&'t str> {
        let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
        let before = bare.get(..bare.len().checked_sub(name.len())?)?;
        let common = Letters::new(name).one_of(0, &words().common).is_some();
        (common && self.ends_with(bare, name)).then_some(before)
    }

    /// Returns whether a clause is a name, except for names that it rules out.
    fn is_alone(&self, clause: &str, name: &Text) -> bool {
        if self.exactly(clause) == Some(name) {
            return true;
        }
        let letters = Letters::new(clause);
        let over = letters.find(&words().over).and_then(|(at, _)| clause.get(..letters.byte(at)));
        over.is_some_and(|before| self.exactly(before) == Some(name))
    }

    fn ends_with(&self, clause: &str, name: &Text) -> bool {
        let letters = Letters::new(clause);
        let spelled = self.spellings.iter().filter(|(_, option)| *option == name);
        let ends: Vec<Vec<char>> = spelled.map(|(spelling, _)| spelling.clone()).collect();
        letters.follows(letters.len(), &ends)
    }

    /// Returns the name in a JSON value: under a known key, or else the only one among all values.
    fn in_json(&self, object: &Value) -> Option<&'a Text> {
        let keyed = KEYS.iter().find_map(|key| object.get(*key)).filter(|value| value.is_string());
        if let Some(value) = keyed {
            return self.exactly(value.as_str()?);
        }
        let mut found = vec![];
        strings(object, 0, &mut found);
        let mut names = found.into_iter().filter_map(|text| self.exactly(text));
        let first = names.next()?;
        names.all(|name| name == first).then_some(first)
    }
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
