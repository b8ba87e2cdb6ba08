//! Restricts `*` to numbers: the engine would repeat a text as often as a number says.
//!
//! Both operands are wrapped in a function that rejects all values but numbers. An operand whose extent is unclear in
//! the plain tokens is a fault; brackets resolve it.

use super::ExprError;
use super::parts::{KEYWORDS, closed};
use super::tokens::tokens;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};
use std::ops::Range;

/// Name of the function around operands of `*`.
pub(super) const NUMBER: &str = "__number";

/// Returns the operands of every `*` in one expression, as byte ranges.
///
/// # Errors
/// If an operand cannot be a number, or its extent is unclear.
pub(super) fn operands(source: &str) -> Result<Vec<Range<usize>>, ExprError> {
    let all: Vec<(usize, &str)> = tokens(source).collect();
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let mut found = vec![];
    for at in (0..all.len()).filter(|at| token(*at) == "*") {
        let column = all.get(at).map_or(0, |(column, _)| *column);
        let left = before(&all, at);
        let right = after(&all, at + 1);
        let (Some(left), Some(right)) = (left, right) else {
            let message = "`*` is not allowed here: it multiplies two numbers, as in `turn_count * 2`; brackets help";
            return Err(ExprError::new(message, column));
        };
        for operand in [left, right] {
            let start = all.get(operand.start).map_or(0, |(start, _)| *start);
            let end = all.get(operand.end - 1).map_or(0, |(start, token)| start + token.len());
            found.push(start..end);
        }
    }
    Ok(found)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !KEYWORDS.contains(&token)
}

/// Returns the token range of the operand that ends before a token.
fn before(all: &[(usize, &str)], end: usize) -> Option<Range<usize>> {
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let mut start = end;
    loop {
        let last = start.checked_sub(1)?;
        if matches!(token(last), ")" | "]") {
            let open = (0..last)
                .rev()
                .find(|at| closed(all, *at) == last + 1 && matches!(token(*at), "(" | "["))?;
            start = open;
            let called = open.checked_sub(1).map_or("", token);
            if is_name(called) || matches!(called, ")" | "]") {
                continue;
            }
            if token(open) == "[" {
                return None;
            }
        } else if is_name(token(last)) {
            start = last;
        } else {
            return None;
        }
        match start.checked_sub(1).map_or("", token) {
            "." => start -= 1,
            "|" | "is" | "'" | "\"" => return None,
            _ => return Some(start..end),
        }
    }
}

/// Returns the token range of the operand that starts at a token.
fn after(all: &[(usize, &str)], start: usize) -> Option<Range<usize>> {
    let token = |at: usize| all.get(at).map_or("", |(_, token)| *token);
    let mut end = match token(start) {
        "(" => closed(all, start),
        first if is_name(first) => start + 1,
        _ => return None,
    };
    loop {
        match token(end) {
            "." => end += 2,
            "[" | "(" => end = closed(all, end),
            "|" => return None,
            _ => return (end <= all.len()).then_some(start..end),
        }
    }
}

/// Returns an operand of `*` if it is a number.
pub(super) fn number(value: Value) -> Result<Value, Error> {
    if value.kind() == ValueKind::Number {
        return Ok(value);
    }
    let message = format!("`*` multiplies numbers only, not a value of type {}", value.kind());
    Err(Error::new(ErrorKind::InvalidOperation, message))
}
