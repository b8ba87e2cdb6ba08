//! The filters, tests and methods that an expression may name, checked before it is compiled.
//!
//! The engine finds out only when it evaluates: a misspelt filter in a stop rule was a warning in the middle of a debate
//! that then never ended.

use super::ExprError;
use super::engine::{FILTERS, METHODS, TESTS};
use super::guard::tokens;
use std::ops::Range;

/// The methods of a template's `loop`.
const OF_LOOPS: [&str; 2] = ["changed", "cycle"];

/// Checks the names of one source's expressions.
pub(super) fn check(source: &str, bodies: &[Range<usize>]) -> Result<(), ExprError> {
    bodies.iter().try_for_each(|body| {
        let inside = source.get(body.clone()).unwrap_or_default();
        named(inside).map_err(|fault| ExprError { column: fault.column + body.start, ..fault })
    })
}

fn named(source: &str) -> Result<(), ExprError> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let token = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |(_, token)| *token);
    for (at, (column, word)) in all.iter().enumerate() {
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        let (before, twice) = (token(at.checked_sub(1)), token(at.checked_sub(2)));
        let is_test = (before == "is" && *word != "not") || (before == "not" && twice == "is");
        let (what, known): (_, &'static [&'static str]) = match before {
            "|" => ("filter", FILTERS),
            _ if is_test => ("test", TESTS),
            "." if token(Some(at + 1)) == "(" => ("method", METHODS),
            _ => continue,
        };
        if !(known.contains(word) || what == "method" && OF_LOOPS.contains(word)) {
            let message = format!("no {what} `{word}`");
            return Err(ExprError { message, column: *column, known });
        }
    }
    Ok(())
}

/// Returns the keys that an expression asks a mapping for by name, each with its byte: `of.key`, `of['key']` and
/// `of.get('key')`.
pub(super) fn keys<'s>(source: &'s str, of: &str) -> Vec<(&'s str, usize)> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let text = |at: usize| {
        let (column, quote) = all.get(at).filter(|(_, t)| matches!(*t, "'" | "\""))?;
        let (inside, _) = source.get(column + 1..)?.split_once(*quote)?;
        Some((inside, column + 1))
    };
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
