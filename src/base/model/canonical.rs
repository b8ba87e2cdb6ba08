//! Canonical forms of answers: numbers, letters, texts and JSON that are spelled differently and mean the same.

use super::answer::AnswerKind;
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

/// Characters around an answer.
const DRESS: &[char] = &['*', '_', '`', '"', '\'', '“', '”', '#', '>', ' ', '\t', '-'];
/// Signs between the letters of a list.
const SEPARATORS: [char; 11] = ['/', '|', ',', ';', '-', '–', '—', '&', '+', '(', '['];
/// Maximum length of an answer, in bytes.
const ANSWER_MAX: usize = 1_000;

impl AnswerKind {
    /// Returns an answer in canonical form, so that equal answers are equal strings; `None` if it is not of this kind.
    pub fn canonical(self, text: &str) -> Option<String> {
        let text = text.trim();
        let canonical = match self {
            AnswerKind::Number => number(text),
            AnswerKind::Letter => letter(text),
            AnswerKind::Text => {
                let text: String = text.nfkc().map(apostrophe).collect();
                let bare =
                    text.trim_matches(DRESS).trim_end_matches(['.', '!', '。']).trim_matches(DRESS);
                let words: Vec<&str> = bare.split_whitespace().collect();
                // the way over capitals makes `straße` and `STRASSE` equal
                Some(words.join(" ").to_uppercase().to_lowercase())
            }
            AnswerKind::Json => json_of(text).map(|value| sorted(&value).to_string()),
        };
        canonical.filter(|text| !text.is_empty() && text.len() <= ANSWER_MAX)
    }
}

/// Returns a typographic apostrophe as the one of a typewriter.
fn apostrophe(c: char) -> char {
    if matches!(c, '\u{2018}' | '\u{2019}') { '\'' } else { c }
}

/// Returns the only number in a text: `$1,234.50` is 1234.5.
fn number(text: &str) -> Option<String> {
    let text = &with_ascii_digits(text);
    let begin = text.find(|c: char| c.is_ascii_digit())?;
    let before = text.get(..begin)?;
    let point = before.ends_with('.');
    let signed = before.trim_end_matches(['$', '€', '£', '.', ' ']);
    // a sign right before the number belongs to it, also behind a word
    let blanks = if before.ends_with(' ') { &[' ', '-', '−'][..] } else { &['-', '−'] };
    let minus = signed.ends_with(['-', '−'])
        && !signed.trim_end_matches(blanks).ends_with(char::is_alphanumeric);
    let rest = text.get(begin..)?;
    let mut end =
        rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    let mut digits = rest.get(..end)?;
    // a trailing point or comma ends the sentence and is not part of the number
    digits = digits.trim_end_matches(['.', ',']);
    end = digits.len();
    let behind = rest.get(end..)?;
    if let Some(value) = scientific(digits, behind) {
        return number(&format!("{}{value}", if minus { "-" } else { "" }));
    }
    if behind.contains(|c: char| c.is_ascii_digit()) {
        return fraction(digits, behind, minus);
    }
    let groups = digits.split('.').next()?.split(',').skip(1).all(|group| group.len() == 3);
    let plain: String = digits.chars().filter(|c| *c != ',').collect();
    if !groups || plain.matches('.').count() > usize::from(!point) {
        return None;
    }
    let (whole, part) = match (point, plain.split_once('.')) {
        (true, _) => (String::new(), plain),
        (false, Some((whole, part))) => (whole.to_owned(), part.to_owned()),
        (false, None) => (plain, String::new()),
    };
    let whole = whole.trim_start_matches('0');
    let part = part.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if minus && (whole != "0" || !part.is_empty()) { "-" } else { "" };
    Some(if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") })
}

/// Returns a text with the digits of other scripts as ASCII digits.
fn with_ascii_digits(text: &str) -> String {
    let zeros = ['\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'].map(u32::from);
    let digit = |c: char| {
        let place =
            zeros.iter().find_map(|zero| u32::from(c).checked_sub(*zero).filter(|n| *n < 10));
        place.and_then(|n| char::from_digit(n, 10)).unwrap_or(c)
    };
    text.chars().map(digit).collect()
}

/// Parses a number with an exponent, such as `1e3`; `None` if the text has any other number.
fn scientific(digits: &str, behind: &str) -> Option<f64> {
    let exponent = behind.strip_prefix(['e', 'E'])?;
    let bare = exponent.trim_start_matches(['+', '-']);
    let end = bare.find(|c: char| !c.is_ascii_digit()).unwrap_or(bare.len());
    let rest = bare.get(end..)?;
    if end == 0 || rest.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.get(..exponent.len() - rest.len())?;
    format!("{digits}e{exponent}").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Parses a fraction such as `3/4`; `None` if the text has any other second number.
fn fraction(above: &str, behind: &str, minus: bool) -> Option<String> {
    let below = behind.trim_start().strip_prefix('/')?.trim_start();
    let end = below.find(|c: char| !c.is_ascii_digit()).unwrap_or(below.len());
    let (below, unit) = below.split_at(end);
    let below: u64 = below.parse().ok().filter(|n| *n > 0)?;
    if unit.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let above: u64 = above.parse().ok()?;
    let value = above as f64 / below as f64;
    number(&format!("{}{value}", if minus { "-" } else { "" }))
}

fn letter(text: &str) -> Option<String> {
    let text = text.trim_start_matches(DRESS);
    let lower = text.to_lowercase();
    let skipped = ["option", "choice"].iter().find(|word| lower.starts_with(**word));
    let text = text.get(skipped.map_or(0, |word| word.len())..)?;
    let mut chars = text.trim_start_matches(DRESS).trim_start_matches(['(', '[']).chars();
    let first = chars.next().filter(char::is_ascii_alphabetic)?;
    let listed = is_list(chars.as_str(), first);
    let second = chars.next();
    let alone = second.is_none_or(|c| !c.is_alphanumeric() && c != '\'');
    // "A dog" begins with an article
    let words =
        second.is_some_and(char::is_whitespace) && chars.next().is_some_and(char::is_alphanumeric);
    (alone && !words && !listed).then(|| first.to_ascii_uppercase().to_string())
}

/// Returns whether another letter follows the first one of a list, as in `A/B`, `A, B` and `A [or B]`; the text of a
/// choice follows a sign of its own, as in `B. A dog`. A question also names no single letter.
fn is_list(rest: &str, first: char) -> bool {
    let rest = rest.trim_start_matches([')', ']', '*', '`']);
    if rest.starts_with('?') {
        return true;
    }
    let (gap, behind) = rest.split_at(rest.find(char::is_alphanumeric).unwrap_or(rest.len()));
    let bare = |text: &str| text.starts_with(|c: char| !c.is_alphanumeric());
    let joined = |text| ["or", "and", "to"].into_iter().find_map(|word| after_word(text, word));
    let conjunction = joined(behind).filter(|rest| bare(rest));
    let behind = conjunction.map_or(behind, |rest| rest.trim_start_matches([' ', '(', '[']));
    let mut chars = behind.chars();
    let other = chars.next().filter(|c| c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&first));
    let next = chars.as_str().trim_start();
    let ends = chars.as_str().is_empty()
        || bare(chars.as_str())
            && (!next.starts_with(char::is_alphanumeric) || joined(next).is_some_and(bare));
    let between = conjunction.is_some() || gap.contains(SEPARATORS);
    other.is_some() && ends && between && !gap.contains(['.', ':'])
}

/// Returns the text behind a word at its beginning.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns the JSON value of a text, or else of its first part that ends at its last bracket.
fn json_of(text: &str) -> Option<Value> {
    let bare = text.trim().trim_matches('`').trim();
    let bare = bare.strip_prefix("json").unwrap_or(bare).trim();
    let whole = serde_json::from_str(bare).ok();
    whole.or_else(|| {
        let ends = text.rfind(['}', ']'])? + 1;
        let begins = text.char_indices().filter(|(_, c)| ['{', '['].contains(c)).map(|(at, _)| at);
        begins.take(64).find_map(|at| serde_json::from_str(text.get(at..ends)?).ok())
    })
}

/// Returns a value with sorted keys, so that equal values are equal strings.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            keys.into_iter().map(|k| (k.clone(), sorted(&map[k]))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
