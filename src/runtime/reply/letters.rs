//! Comparison of letters in all scripts: one folding, one end of a word, one end of a sentence.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Stops of sentences, apart from `.`, which must be followed by a blank.
const STOPS: [char; 9] = ['!', '?', '。', '！', '？', '؟', '۔', '।', '…'];
/// Question marks of all scripts.
pub(super) const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];
/// Number of characters of a clause that are read before a name, so that a long reply is read in linear time.
const CLAUSE_MAX: usize = 200;
/// Maximum number of letters for a `*` of a spelling.
const STEM_MAX: usize = 24;
/// Titles whose full stop does not end a sentence.
pub(super) const TITLES: [&str; 6] = ["Mr", "Mrs", "Ms", "Dr", "St", "Prof"];
/// Marks between the clauses of a sentence.
const COMMAS: [char; 15] =
    ['(', '（', ',', ';', ':', '，', '、', '；', '：', '،', '؛', '–', '—', '→', '\n'];

/// A text folded for comparison: compatibility forms, case, accents and invisible characters do not matter.
pub(super) struct Letters {
    /// Folded characters, each with the byte range of its original.
    all: Vec<(char, usize, usize)>,
}

impl Letters {
    /// Folds a text.
    pub(super) fn new(text: &str) -> Letters {
        let mut all = vec![];
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            fold(c, |folded| all.push((folded, at, end)));
        }
        Letters { all }
    }

    /// Returns the number of folded characters.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns a folded character.
    pub(super) fn char(&self, at: usize) -> Option<char> {
        self.all.get(at).map(|(c, ..)| *c)
    }

    /// Returns the byte offset of a folded character in the original; its length at the end.
    pub(super) fn byte(&self, at: usize) -> usize {
        match self.all.get(at) {
            Some((_, start, _)) => *start,
            None => self.all.last().map_or(0, |(_, _, end)| *end),
        }
    }

    /// Returns the index of the first character from `at` on that does not match.
    pub(super) fn skip(&self, at: usize, skipped: impl Fn(char) -> bool) -> usize {
        (at..self.len()).find(|i| self.char(*i).is_some_and(|c| !skipped(c))).unwrap_or(self.len())
    }

    /// Returns whether a character ends a sentence.
    pub(super) fn stops(&self, at: usize) -> bool {
        let blank = |c: char| !c.is_alphanumeric() && c != '.';
        self.char(at)
            .is_some_and(|c| STOPS.contains(&c) || c == '.' && self.char(at + 1).is_none_or(blank))
    }

    /// Returns whether a character ends a clause.
    pub(super) fn pauses(&self, at: usize) -> bool {
        let dash = || at > 0 && [at - 1, at + 1].iter().all(|at| self.char(*at) == Some(' '));
        self.char(at).is_some_and(|c| COMMAS.contains(&c) || c == '-' && dash())
    }

    /// Returns whether a word may begin or end before a character.
    pub(super) fn breaks(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.char(at));
        match (before, self.char(at)) {
            (Some(before), Some(after)) => {
                let joined = before.is_alphanumeric() && after.is_alphanumeric();
                // "and" and "so" in Arabic are part of the next word
                let first = || at < 2 || self.char(at - 2).is_some_and(|c| !c.is_alphanumeric());
                let is_and = || matches!(before, 'و' | 'ف') && first();
                !joined || is_unspaced(before) || is_unspaced(after) || is_and()
            }
            _ => true,
        }
    }

    /// Returns the index behind a word that is at an index as a whole. A blank in the word also matches `_`, `-` and
    /// marks of emphasis, and `*` any letters.
    pub(super) fn word(&self, at: usize, word: &[char]) -> Option<usize> {
        if !self.breaks(at) {
            return None;
        }
        self.spelled(at, word).filter(|end| *end > at && self.breaks(*end))
    }

    /// Returns the index behind a spelling; `*` in it is any letters up to the next of the spelling.
    fn spelled(&self, at: usize, word: &[char]) -> Option<usize> {
        let mut here = at;
        for (n, c) in word.iter().enumerate() {
            match c {
                ' ' => {
                    let behind = self.skip(here, |c| matches!(c, ' ' | '_' | '-' | '*' | '`'));
                    if behind == here {
                        return None;
                    }
                    here = behind;
                }
                '*' => {
                    let rest = word.get(n + 1..)?;
                    let most = self.skip(here, char::is_alphanumeric).min(here + STEM_MAX);
                    let ends = |at: &usize| !rest.is_empty() || self.breaks(*at);
                    return (here..=most).filter(ends).find_map(|at| self.spelled(at, rest));
                }
                _ if self.char(here) != Some(*c) => return None,
                _ => here += 1,
            }
        }
        Some(here)
    }

    /// Returns the index behind the longest of some words at an index; `words` are sorted by [`order`].
    pub(super) fn one_of(&self, at: usize, words: &[Vec<char>]) -> Option<usize> {
        if !self.breaks(at) {
            return None;
        }
        let first = self.char(at)?;
        let begin_with = |c: char| {
            let from = words.partition_point(|word| word.first() < Some(&c));
            let rest = words.get(from..).unwrap_or_default().iter();
            rest.take_while(move |word| word.first() == Some(&c))
        };
        begin_with(first).chain(begin_with('*')).find_map(|word| self.word(at, word))
    }

    /// Returns the first of some words in the text, as a range.
    pub(super) fn find(&self, words: &[Vec<char>]) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|at| Some((at, self.one_of(at, words)?)))
    }

    /// Returns whether one of some words is shortly before an index in the same clause.
    pub(super) fn is_behind(&self, at: usize, words: &[Vec<char>]) -> bool {
        let least = at.saturating_sub(CLAUSE_MAX);
        let begin = (least..at).rev().find(|i| self.pauses(*i)).unwrap_or(least);
        (begin..at).any(|i| self.one_of(i, words).is_some())
    }

    /// Returns whether one of some words ends before an index, not counting blanks and marks between them.
    pub(super) fn follows(&self, at: usize, words: &[Vec<char>]) -> bool {
        let mark = |c: char| !c.is_alphanumeric() && !COMMAS.contains(&c);
        let end = (0..at).rev().find(|i| self.char(*i).is_some_and(|c| !mark(c)));
        let Some(end) = end.map(|end| end + 1) else { return false };
        let begins = |word: &Vec<char>| {
            let start = end.checked_sub(word.len());
            start.is_some_and(|start| self.word(start, word) == Some(end))
        };
        words.iter().any(begins)
    }
}

/// Order of words for [`Letters::one_of`]: by their first letters, the longest first.
pub(super) fn order(word: &[char]) -> (Option<char>, std::cmp::Reverse<usize>) {
    (word.first().copied(), std::cmp::Reverse(word.len()))
}

/// Folds a word for [`Letters::word`].
pub(super) fn word(text: &str) -> Vec<char> {
    let mut word = vec![];
    text.chars().for_each(|c| fold(c, |folded| word.push(folded)));
    word
}

/// Passes the folded letters of a character to `each`.
fn fold(c: char, mut each: impl FnMut(char)) {
    let spaced = |c: char| if c.is_whitespace() && c != '\n' { ' ' } else { c };
    if c.is_ascii() {
        each(spaced(c.to_ascii_lowercase()));
        return;
    }
    let all = std::iter::once(c).nfkd().flat_map(char::to_lowercase);
    for c in all.filter(|c| !is_invisible(*c) && !is_accent(*c)) {
        each(if matches!(c, '\u{2019}' | '\u{2018}') { '\'' } else { spaced(c) });
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{640}')
}

/// Accents and vowel signs that many writers leave out.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// Returns whether a script has no blanks between words: Han, Kana, Thai, Lao, Khmer, Burmese.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{1000}'..='\u{109f}')
}

/// Returns the number of words of a text; two letters of a script without blanks count as a word.
pub(super) fn word_count(text: &str) -> usize {
    let (signs, words): (Vec<&str>, Vec<&str>) =
        text.unicode_words().partition(|word| word.starts_with(is_unspaced));
    words.len() + signs.len().div_ceil(2)
}

/// Returns the Latin letter with the shape of a letter; a letter without such a shape counts by its place in its
/// alphabet.
pub(super) fn shape(c: char) -> Option<char> {
    let c = c.to_lowercase().next()?;
    match c {
        'a'..='z' => Some(c),
        'а' | 'α' | 'ا' => Some('a'),
        'в' | 'б' | 'β' | 'ب' => Some('b'),
        'с' | 'ج' => Some('c'),
        'е' => Some('e'),
        _ => None,
    }
}

/// Returns the sentences of a text, with their stops.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let ends = |at: usize, c: char| {
        let next = text[at + c.len_utf8()..].chars().next();
        // for stops alone: a filler without a blank has thousands of letters
        let word = || text[..at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        c == '\n'
            || STOPS.contains(&c)
            || c == '.'
                && next.is_none_or(|n| !n.is_alphanumeric() && n != '.')
                && !TITLES.contains(&word())
    };
    let mut parts = vec![];
    let mut from = 0;
    for (at, c) in text.char_indices().filter(|(at, c)| ends(*at, *c)) {
        parts.push(&text[from..at + c.len_utf8()]);
        from = at + c.len_utf8();
    }
    parts.push(&text[from..]);
    parts.retain(|part| part.contains(char::is_alphanumeric));
    parts
}

/// Returns whether a sentence is a question.
pub(super) fn asks(sentence: &str) -> bool {
    let end = sentence.trim_end().trim_end_matches(['"', '”', '»', ')', '*', '_', '`', '\'', '’']);
    end.ends_with(QUESTION_MARKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_their_script_ends_them() {
        for (text, wanted, found) in [
            ("José spoke", "jose", true),
            ("JOSE\u{301}!", "josé", true),
            ("Annabel", "anna", false),
            ("小明发言", "小明", true),
            ("ＡＮＮＡ", "anna", true),
            ("TASK_COMPLETE", "task complete", true),
            ("TASK COMPLETENESS", "task complete", false),
            ("An\u{200b}na", "anna", true),
        ] {
            let found_here = Letters::new(text).find(&[word(wanted)]).is_some();
            assert_eq!(found_here, found, "{text} {wanted}");
        }
    }

    #[test]
    fn sentences_end_at_the_stops_of_all_scripts() {
        assert_eq!(sentences("It costs 3.5. Yes!\nNo"), ["It costs 3.5.", " Yes!", "No"]);
        assert_eq!(sentences("好。我同意"), ["好。", "我同意"]);
        assert!(asks("which one？") && asks("\"Really?\"") && !asks("Yes."));
    }
}
