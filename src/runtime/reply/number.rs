//! Numbers that answers state: a single number, with a unit at most.

use super::letters::{Letters, is_unspaced, word};
use super::mention::clauses;
use super::words::{marks, words};
use serde_json::Value;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Signs of comparisons, functions, constants and questions: a text with one of them is no number.
const SIGNS: [char; 20] = [
    '<', '>', '≤', '≥', '≠', '√', '±', 'π', '∞', '\\', '?', '？', '¹', '⁰', '⁴', '⁵', '⁶', '⁷',
    '⁸', '⁹',
];
/// Signs right behind a number that change it.
const CHANGES: [char; 5] = ['!', '+', '^', '²', '³'];
/// Letters right behind a number with different scales in different languages.
const MILLIONS: [char; 3] = ['M', 'B', 'T'];
/// Signs before a number that belong to a term.
const TERMS: [char; 4] = ['/', '^', '÷', '×'];
/// Maximum number of words of a unit behind a spelled number.
const UNIT_WORDS: usize = 2;
/// Words between the parts of a spelled number.
const JOINTS: [&str; 5] = ["und", "and ", "et ", "y ", "e "];
/// Bar of fractions such as `½` in compatibility form.
const BAR: char = '\u{2044}';

/// Returns the text of the number that an answer states, with words of scale as an exponent and without powers of
/// units; `None` if it is compared, denied or changed, as in "more than 42", "not 42" and "42 squared".
pub(super) fn quantity(text: &str) -> Option<String> {
    let text: String = text.chars().flat_map(with_bar).collect();
    // the right side of an equation counts
    let (left, right) = match text.rfind(['=', '≈']) {
        Some(at) => text.split_at(at),
        None => ("", &*text),
    };
    let right = right.trim_start_matches(['=', '≈']);
    let right = right.strip_prefix('>').unwrap_or(right);
    // parentheses contain an explanation
    let right = right
        .split_once('(')
        .map_or(right, |(before, _)| if before.trim().is_empty() { right } else { before });
    let letters = Letters::new(right);
    let reason = letters.find(&words().because).map(|(at, _)| letters.byte(at));
    let right = reason.and_then(|at| right.get(..at)).unwrap_or(right);
    if right.contains(SIGNS) || left.ends_with(['<', '>', '!']) {
        return None;
    }
    let digit = |c: char| c.is_numeric() && !CHANGES.contains(&c);
    let right = &*in_digits(right, digit);
    let (before, rest) = right.split_at(right.find(digit)?);
    let end = rest.find(|c| !(digit(c) || matches!(c, '.' | ',' | '/'))).unwrap_or(rest.len());
    let digits = rest.get(..end)?.trim_end_matches(['.', ',', '/']);
    let behind = rest.get(digits.len()..)?;
    let letters = Letters::new(before);
    let negated = |clause: &str| {
        let letters = Letters::new(clause);
        [&words().negation, &words().except].iter().any(|row| letters.find(row).is_some())
    };
    let denied = [left, before].iter().any(|part| clauses(part).pop().is_some_and(negated));
    let bound = letters.follows(letters.len(), &words().bound);
    let changed = behind.trim_start().starts_with(CHANGES)
        || behind
            .strip_prefix(MILLIONS)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if denied || bound || changed || before.trim_end().ends_with(TERMS) {
        return None;
    }
    let is_negative = letters.follows(letters.len(), &words().minus);
    let before = if is_negative { "-" } else { before };
    let (exponent, unit) = scaled(behind);
    let letters = Letters::new(unit);
    if letters.one_of(letters.skip(0, |c| matches!(c, ' ' | '-')), &words().power).is_some() {
        return None;
    }
    // the rest of a spelled number
    if exponent > 0 && spelled(&letters, 0).is_some() {
        return None;
    }
    let unit = without_powers(unit)?;
    match exponent {
        0 => Some(format!("{before}{digits}{unit}")),
        _ if digits.contains('/') => None,
        _ => Some(format!("{before}{}e{exponent}{unit}", digits.replace(',', ""))),
    }
}

/// Returns a text that begins with a spelled number with its digits; other texts stay.
fn in_digits(text: &str, digit: impl Fn(char) -> bool) -> Cow<'_, str> {
    let letters = Letters::new(text);
    let begin = letters.skip(0, |c| !c.is_alphanumeric());
    let number = if text.contains(digit) { None } else { spelled(&letters, begin) };
    let Some((number, end)) = number else { return text.into() };
    let (before, rest) = (text.get(..letters.byte(begin)), text.get(letters.byte(end)..));
    let rest = rest.unwrap_or_default();
    // at most a unit follows, and no other number, as in "two or three"
    let units: Vec<&str> = rest.split_whitespace().collect();
    let is_number = |word: &&str| spelled(&Letters::new(word), 0).is_some();
    if units.len() <= UNIT_WORDS && !units.iter().any(is_number) {
        format!("{}{number}{rest}", before.unwrap_or_default()).into()
    } else {
        text.into()
    }
}

/// Returns the number that words spell at an index, as in "twenty-five" and "fünfundzwanzig", and the index behind them.
pub(super) fn spelled(letters: &Letters, at: usize) -> Option<(u32, usize)> {
    let begins = |at: usize, name: &str| {
        let name = word(name);
        let same = |(n, c): (usize, &char)| letters.char(at + n) == Some(*c);
        name.iter().enumerate().all(same).then_some(at + name.len())
    };
    let longest = |at: usize| {
        let known = marks().numbers.iter();
        known.filter_map(|(name, of)| Some((begins(at, name)?, *of))).max_by_key(|(end, _)| *end)
    };
    let scale = |at: usize| {
        let mut small = marks().scales.iter().filter(|(_, power)| *power < 4);
        small.find_map(|(name, power)| Some((begins(at, name)?, 10_u32.pow(*power))))
    };
    let begun = if letters.breaks(at) { longest(at) } else { None };
    let (mut end, mut sum) = begun?;
    let (mut scaled, mut short) = (false, false);
    loop {
        let next = letters.skip(end, |c| matches!(c, ' ' | '-'));
        let joint = JOINTS.iter().find_map(|joint| begins(next, joint)).unwrap_or(next);
        let next = letters.skip(joint, |c| c == ' ');
        let number = longest(next);
        let Some((behind, of)) = number.or_else(|| scale(next)) else { break };
        let digit = sum % 100;
        let is_joined = next == end;
        // "一百五" is 150
        let is_digit = is_joined && (1..10).contains(&of);
        short = scaled && is_digit && letters.char(next).is_some_and(is_unspaced);
        scaled = number.is_none();
        sum = match of {
            10 | 100 | 1000 if (1..10).contains(&digit) && (is_joined || scaled) => {
                sum - digit + digit * of
            }
            _ if of < 10 && sum >= 20 && sum % 10 == 0 || of < 20 && sum >= 60 && sum % 20 == 0 => {
                sum + of
            }
            _ if of < 100 && sum >= 100 && sum % 100 == 0 => sum + of,
            _ if (20..100).contains(&of) && sum < 10 && joint > end => sum + of,
            _ if of < 10 && sum == 10 && is_joined => sum + of,
            _ => break,
        };
        end = behind;
    }
    (!short && letters.breaks(end)).then_some((sum, end))
}

/// Returns a whole number from 1 on, also in forms such as `"2"`, `"#2"` and `"step 2"`.
pub(super) fn whole_number(value: &Value) -> Option<u32> {
    let whole = match value {
        Value::String(text) => text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()?,
        other => u32::try_from(other.as_u64()?).ok()?,
    };
    (whole > 0).then_some(whole)
}

/// Returns a character, or the numbers of a fraction such as `½` behind a blank.
fn with_bar(c: char) -> Vec<char> {
    let parts: Vec<char> = std::iter::once(c).nfkc().collect();
    if c != BAR && !parts.contains(&BAR) {
        return vec![c];
    }
    let blank = (c != BAR).then_some(' ');
    blank.into_iter().chain(parts.into_iter().map(|c| if c == BAR { '/' } else { c })).collect()
}

/// Returns the power of ten of the words of scale that a text begins with, and the text behind them.
fn scaled(text: &str) -> (u32, &str) {
    let letters = Letters::new(text);
    let (mut power, mut at) = (0, 0);
    loop {
        let begin = letters.skip(at, |c| matches!(c, ' ' | '-'));
        if begin == letters.len() {
            break;
        }
        // a single letter directly follows the number
        let scale = marks().scales.iter().find_map(|(name, of)| {
            let end = letters.word(begin, &word(name))?;
            (name.len() > 1 || begin == 0).then_some((end, of))
        });
        let Some((end, of)) = scale else { break };
        power += of;
        at = end;
    }
    (power, text.get(letters.byte(at)..).unwrap_or_default())
}

/// Returns a text without the exponents of units, as in `cm^2`; `None` if it has another power.
fn without_powers(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    for unit in &marks().units {
        for power in ["^2", "^3", "²", "³"] {
            out = out.replace(&format!("{unit}{power}"), unit);
        }
    }
    (!out.contains(['^', '²', '³'])).then_some(out)
}
