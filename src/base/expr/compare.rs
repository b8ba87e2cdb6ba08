//! Comparisons of values of the same kind only: `utterances > 3`, which compares a list with a number, is a fault
//! instead of silently true.
//!
//! The engine orders values of all kinds and cannot be configured otherwise, so expressions are rewritten before they
//! are compiled: the right side of each `<`, `<=`, `>`, `>=` is wrapped in a function that gets both sides and returns
//! the right one if they are of the same kind. A missing value may be compared with anything, as elsewhere.

use super::products::{self, NUMBER};
use super::tokens::tokens;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};
use std::ops::Range;

/// Name of the function around the right side of a comparison.
pub(super) const ALIKE: &str = "__alike";

/// Keywords that end a side of a comparison, in addition to brackets, commas, colons and other comparisons.
const BOUNDS: [&str; 9] = ["and", "or", "not", "if", "elif", "else", "in", "for", "is"];

/// The two sides of a comparison, as byte ranges of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Byte range of the left side.
    pub left: Range<usize>,
    /// Byte range of the right side.
    pub right: Range<usize>,
}

/// A rewritten source with checks of the kinds of values.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckedSource {
    pub text: String,
    pub comparisons: Vec<Comparison>,
    /// Insertions into the rewritten text, as (byte offset, length).
    added: Vec<(usize, usize)>,
}

impl CheckedSource {
    /// Rewrites the expressions of a source.
    pub fn new(source: &str, bodies: &[Range<usize>]) -> CheckedSource {
        let comparisons: Vec<Comparison> =
            bodies.iter().flat_map(|body| comparisons(source, body)).collect();
        let products = bodies.iter().flat_map(|body| products_in(source, body));
        let products: Vec<Insert> = products.flat_map(number).collect();
        let mut parts: Vec<Insert> = vec![];
        for Comparison { left, right } in &comparisons {
            let (left, _) = insert(source, left.clone(), &products);
            parts.push((right.start, format!("{ALIKE}({left}, ")));
            parts.push((right.end, ")".into()));
        }
        parts.extend(products);
        let (text, added) = insert(source, 0..source.len(), &parts);
        CheckedSource { text, comparisons, added }
    }

    /// Maps a byte offset in the rewritten text to the source.
    pub fn place(&self, at: usize) -> usize {
        let before = self.added.iter().filter(|(start, _)| *start <= at);
        let added: usize = before.map(|(start, length)| (*length).min(at - start)).sum();
        at - added
    }
}

/// Text to insert before a byte of the source.
type Insert = (usize, String);

/// Returns the operands of products in one expression.
fn products_in(source: &str, body: &Range<usize>) -> Vec<Range<usize>> {
    let inside = source.get(body.clone()).unwrap_or_default();
    // the guard has rejected sources with invalid operands
    let operands = products::operands(inside).unwrap_or_default();
    operands.into_iter().map(|o| o.start + body.start..o.end + body.start).collect()
}

/// Returns the insertions around an operand that must be a number.
fn number(operand: Range<usize>) -> [Insert; 2] {
    [(operand.start, format!("{NUMBER}(")), (operand.end, ")".into())]
}

/// Inserts text into a range of a source; returns the new text, and the (offset, length) of each insertion.
fn insert(source: &str, range: Range<usize>, parts: &[Insert]) -> (String, Vec<(usize, usize)>) {
    let mut parts: Vec<&Insert> =
        parts.iter().filter(|(at, _)| range.start <= *at && *at <= range.end).collect();
    // at equal offsets, the end of one side comes before the start of another
    parts.sort_by_key(|(at, part)| (*at, part != ")"));
    let mut text = String::with_capacity(range.len());
    let mut added = vec![];
    let mut done = range.start;
    for (at, part) in parts {
        text.push_str(source.get(done..*at).unwrap_or_default());
        added.push((text.len(), part.len()));
        text.push_str(part);
        done = *at;
    }
    text.push_str(source.get(done..range.end).unwrap_or_default());
    (text, added)
}

/// Returns the comparisons of one expression, with both sides in full extent.
fn comparisons(source: &str, body: &Range<usize>) -> Vec<Comparison> {
    let inside = source.get(body.clone()).unwrap_or_default();
    let mut all = vec![];
    // per open bracket: start of the current side, and the left side of a pending comparison
    let mut open: Vec<(usize, Option<Range<usize>>)> = vec![(body.start, None)];
    let mut last = body.start..body.start;
    for (at, token) in tokens(inside) {
        let at = body.start + at;
        let ordered = matches!(token, "<" | ">");
        // the `=` of `<=`, or the second character of `==` and `!=`
        let is_second = token == "="
            && last.end == at
            && matches!(source.get(last.clone()), Some("<" | ">" | "=" | "!"));
        let Some((begin, left)) = open.last_mut() else { return all };
        let here = *begin..at;
        if is_second {
            *begin = at + 1;
        } else if ordered
            || matches!(token, "=" | "!")
            || BOUNDS.contains(&token)
            || token == ","
            || token == ":"
        {
            all.extend(left.take().map(|left| compared(source, left, here.clone())));
            *left = ordered.then_some(here);
            *begin = at + token.len();
        } else if matches!(token, "(" | "[" | "{") {
            open.push((at + 1, None));
        } else if matches!(token, ")" | "]" | "}") {
            all.extend(left.take().map(|left| compared(source, left, here)));
            if open.len() > 1 {
                open.pop();
            }
        }
        last = at..at + token.len();
    }
    // an expression with unclosed brackets is rejected anyway
    if let Some((begin, Some(left))) = open.pop() {
        all.push(compared(source, left, begin..body.end));
    }
    all
}

/// Returns a comparison without the white space before its sides.
fn compared(source: &str, left: Range<usize>, right: Range<usize>) -> Comparison {
    let begun = |side: Range<usize>| {
        let text = source.get(side.clone()).unwrap_or_default();
        side.start + text.len() - text.trim_start().len()..side.end
    };
    Comparison { left: begun(left), right: begun(right) }
}

/// Returns the right side of a comparison if it is comparable with the left.
pub(super) fn alike(left: &Value, right: Value) -> Result<Value, Error> {
    let one = kind(left);
    let other = kind(&right);
    if one == other || one.is_none() || other.is_none() {
        return Ok(right);
    }
    let [one, other] = [left, &right].map(|value| kind(value).unwrap_or_default());
    let message = format!("{one} and {other} cannot be compared");
    let lists = [one, other].iter().any(|kind| matches!(*kind, "a list" | "a mapping"));
    let hint = if lists { "; count(...) gives the number of its items" } else { "" };
    Err(Error::new(ErrorKind::InvalidOperation, message + hint))
}

/// Wraps an ordering test, as in `selectattr('number', 'gt', 3)`, in the same check.
pub(super) fn ordered(
    holds: fn(&Value, &Value) -> bool,
) -> impl Fn(&Value, Value) -> Result<bool, Error> + Send + Sync {
    move |left, right| alike(left, right).map(|right| holds(left, &right))
}

/// Returns the name of a value's kind; `None` if it is undefined or null.
fn kind(value: &Value) -> Option<&'static str> {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => None,
        ValueKind::Bool => Some("true or false"),
        ValueKind::Number => Some("a number"),
        ValueKind::String => Some("a text"),
        ValueKind::Seq | ValueKind::Iterable => Some("a list"),
        ValueKind::Map => Some("a mapping"),
        _ => Some("something else"),
    }
}
