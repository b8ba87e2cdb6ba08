//! Filters, tests and methods of an expression, checked before it is compiled.
//!
//! The engine would only detect unknown ones during evaluation: a misspelt filter in a stop rule was a warning in the
//! middle of a debate, which then never ended.

use super::ExprError;
use super::engine::{FILTERS, METHODS, TESTS};
use super::parts::{KEYWORDS, closed};
use super::tokens::tokens;
use std::ops::Range;

/// Tests by operator, which `selectattr` accepts in addition to [`TESTS`].
const SIGNS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
/// Tests as Python spells their constants.
const CONSTANTS: [&str; 3] = ["True", "False", "None"];
/// Keywords of templates.
const TAGS: [&str; 5] = ["for", "endfor", "elif", "endif", "loop"];
/// Methods of a template's `loop`.
const OF_LOOPS: [&str; 2] = ["changed", "cycle"];

/// Checks the filters, tests and methods in a source's expressions.
pub(super) fn check(source: &str, bodies: &[Range<usize>]) -> Result<(), ExprError> {
    bodies.iter().try_for_each(|body| {
        let inside = source.get(body.clone()).unwrap_or_default();
        check_names(inside)
            .map_err(|fault| ExprError { column: fault.column + body.start, ..fault })
    })
}

fn check_names(source: &str) -> Result<(), ExprError> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let token = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |(_, token)| *token);
    for (at, (column, word)) in all.iter().enumerate() {
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        let before = token(at.checked_sub(1));
        let twice = token(at.checked_sub(2));
        let is_test = (before == "is" && *word != "not") || (before == "not" && twice == "is");
        let (what, known): (_, &'static [&'static str]) = match before {
            "|" => ("filter", FILTERS),
            _ if is_test => ("test", TESTS),
            "." if token(Some(at + 1)) == "(" => ("method", METHODS),
            _ => continue,
        };
        let more: &[&str] = match what {
            "method" => &OF_LOOPS,
            "test" => &CONSTANTS,
            _ => &[],
        };
        if !known.contains(word) && !more.contains(word) {
            let message = format!("no {what} `{word}`");
            return Err(ExprError { message, column: *column, known });
        }
        if what == "filter" && matches!(*word, "selectattr" | "rejectattr") {
            let comma = (at + 1..closed(&all, at + 1)).find(|i| token(Some(*i)) == ",");
            let test = comma.and_then(|i| literal(source, &all, i + 1));
            if let Some((test, column)) =
                test.filter(|(t, _)| !TESTS.contains(t) && !SIGNS.contains(t))
            {
                let mut message = format!("no test `{test}`");
                if test == "contains" {
                    message.push_str("; `'x' in utterances[0].text` asks one text");
                }
                return Err(ExprError { message, column, known: TESTS });
            }
        }
    }
    Ok(())
}

/// Returns the text of the string literal at a token, and its byte offset.
fn literal<'s>(source: &'s str, all: &[(usize, &'s str)], at: usize) -> Option<(&'s str, usize)> {
    let (column, quote) = all.get(at).filter(|(_, token)| matches!(*token, "'" | "\""))?;
    let (inside, _) = source.get(column + 1..)?.split_once(*quote)?;
    Some((inside, column + 1))
}

/// Returns the names in a source's expressions, without loop variables.
pub(super) fn names<'s>(source: &'s str, bodies: &[Range<usize>]) -> Vec<&'s str> {
    let mut names = vec![];
    let mut locals = vec![];
    for body in bodies {
        let inside = source.get(body.clone()).unwrap_or_default();
        let all: Vec<&str> = tokens(inside).map(|(_, token)| token).collect();
        let is_head = all.iter().find(|t| !matches!(**t, "-" | "+")) == Some(&"for");
        let head = if is_head { all.iter().position(|t| *t == "in").unwrap_or(0) } else { 0 };
        for (at, word) in all.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|i| all.get(i)).copied().unwrap_or_default();
            let twice = at.checked_sub(2).and_then(|i| all.get(i)).copied().unwrap_or_default();
            let next = |n: usize| all.get(at + n).copied().unwrap_or_default();
            let is_word = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let is_tested = before == "is" || (before == "not" && twice == "is");
            let is_argument = next(1) == "=" && next(2) != "=" && matches!(before, "(" | ",");
            if !is_word || KEYWORDS.contains(word) || TAGS.contains(word) {
                continue;
            }
            if at < head {
                locals.push(*word);
            } else if !matches!(before, "." | "|") && !is_tested && !is_argument {
                names.push(*word);
            }
        }
    }
    names.retain(|name| !locals.contains(name));
    names
}

/// A key of a fact that an expression uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'s> {
    /// Name of the key.
    pub key: &'s str,
    /// Byte offset in the source.
    pub column: usize,
    /// True if the key belongs to an item of the fact instead of the fact itself.
    pub of_item: bool,
}

/// Returns the keys of a fact that an expression uses: `of.key`, `of[0].key`, `of | selectattr('key', ...)`.
pub fn attributes<'s>(source: &'s str, of: &str) -> Vec<Attribute<'s>> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let own = |at: &usize| token(*at) == of && (*at == 0 || token(at - 1) != ".");
    (0..all.len()).filter(own).flat_map(|at| chain(source, &all, at + 1)).collect()
}

/// Returns the keys in the accesses and filters that follow from a token on.
fn chain<'s>(source: &'s str, all: &[(usize, &'s str)], start: usize) -> Vec<Attribute<'s>> {
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let mut found = vec![];
    let mut of_item = false;
    let mut at = start;
    loop {
        match token(at) {
            "[" => {
                let end = closed(all, at);
                if let Some((key, column)) = literal(source, all, at + 1) {
                    found.push(Attribute { key, column, of_item });
                    return found;
                }
                let is_slice = (at..end).any(|i| token(i) == ":");
                if of_item && !is_slice {
                    return found;
                }
                of_item |= !is_slice;
                at = end;
            }
            "." => {
                let key = if token(at + 2) == "(" { None } else { all.get(at + 1) };
                found.extend(key.map(|(column, key)| Attribute { key, column: *column, of_item }));
                return found;
            }
            "|" if !of_item => {
                let argument = match (token(at + 1), token(at + 2), token(at + 3)) {
                    ("selectattr" | "rejectattr" | "groupby", "(", _) => {
                        literal(source, all, at + 3)
                    }
                    ("map" | "sort", "(", "attribute") => literal(source, all, at + 5),
                    _ => None,
                };
                found.extend(argument.map(|(path, column)| {
                    let key = path.split('.').next().unwrap_or_default();
                    Attribute { key, column, of_item: true }
                }));
                if !matches!(token(at + 1), "selectattr" | "rejectattr" | "sort" | "reverse") {
                    return found;
                }
                at = if token(at + 2) == "(" { closed(all, at + 2) } else { at + 2 };
            }
            _ => return found,
        }
    }
}

/// Returns the keys of a mapping that an expression uses by name, each with its byte offset: `of.key`, `of['key']` and
/// `of.get('key')`.
pub(super) fn keys<'s>(source: &'s str, of: &str) -> Vec<(&'s str, usize)> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let text = |at: usize| literal(source, &all, at);
    let own = |at: usize| token(at) == of && (at == 0 || token(at - 1) != ".");
    let asked = |at: usize| match (token(at + 1), token(at + 2), token(at + 3)) {
        ("[", ..) => text(at + 2),
        (".", "get", "(") => text(at + 4),
        (".", _, "(") => None,
        (".", ..) => all.get(at + 2).map(|(column, word)| (*word, *column)),
        _ => None,
    };
    (0..all.len()).filter(|at| own(*at)).filter_map(asked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_they_are_asked_for() {
        let asked =
            |source| keys(source, "context").into_iter().map(|(k, _)| k).collect::<Vec<_>>();
        assert_eq!(
            asked("context.a and context['b'] or context.get(\"c\", 1) and x.context.d"),
            ["a", "b", "c"]
        );
        assert_eq!(asked("count(context) and context.keys() and 'context.z'"), [""; 0]);
        assert_eq!(keys("not context.get('go')", "context"), [("go", 17)]);
    }
}
