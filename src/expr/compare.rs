//! Orders only what has an order: `utterances > 3`, a list and a number, is a fault and no silent yes.
//!
//! The engine orders values of every kind, and this cannot be changed, so an expression is rewritten before it is
//! compiled: the right side of each `<`, `<=`, `>`, `>=` goes through a function that sees both sides and lets the
//! right one pass if they are of one kind. A missing value may be compared with anything, as elsewhere.

use super::guard::tokens;
use super::products::{self, NUMBER};
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};
use std::ops::Range;

/// The function that the right side of a comparison goes through.
pub(super) const ALIKE: &str = "__alike";

/// Words that end what a comparison compares; brackets, commas, colons and other comparisons do as well.
const BOUNDS: [&str; 9] = ["and", "or", "not", "if", "elif", "else", "in", "for", "is"];

/// The two sides of a comparison, as byte ranges of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The byte range of the left side.
    pub left: Range<usize>,
    /// The byte range of the right side.
    pub right: Range<usize>,
}

/// A source in which unlike kinds are a fault.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckedSource {
    pub text: String,
    pub comparisons: Vec<Comparison>,
    /// Where text was inserted into the new source, and how many bytes.
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

    /// Returns the place in the source of a place in the rewritten text.
    pub fn place(&self, at: usize) -> usize {
        let before = self.added.iter().filter(|(start, _)| *start <= at);
        let added: usize = before.map(|(start, length)| (*length).min(at - start)).sum();
        at - added
    }
}

/// Text that is inserted before a byte of a source.
type Insert = (usize, String);

/// Returns the operands of products in one expression.
fn products_in(source: &str, body: &Range<usize>) -> Vec<Range<usize>> {
    let inside = source.get(body.clone()).unwrap_or_default();
    // the guard has refused what is no product
    let operands = products::operands(inside).unwrap_or_default();
    operands.into_iter().map(|o| o.start + body.start..o.end + body.start).collect()
}

/// Returns the text around an operand that must be a number.
fn number(operand: Range<usize>) -> [Insert; 2] {
    [(operand.start, format!("{NUMBER}(")), (operand.end, ")".into())]
}

/// Inserts text into a range of a source; also returns each place in the new text, with the bytes added there.
fn insert(source: &str, range: Range<usize>, parts: &[Insert]) -> (String, Vec<(usize, usize)>) {
    let mut parts: Vec<&Insert> =
        parts.iter().filter(|(at, _)| range.start <= *at && *at <= range.end).collect();
    // where one side ends and another begins, the end comes first
    parts.sort_by_key(|(at, part)| (*at, part != ")"));
    let (mut text, mut added, mut done) = (String::with_capacity(range.len()), vec![], range.start);
    for (at, part) in parts {
        text.push_str(source.get(done..*at).unwrap_or_default());
        added.push((text.len(), part.len()));
        text.push_str(part);
        done = *at;
    }
    text.push_str(source.get(done..range.end).unwrap_or_default());
    (text, added)
}

/// Returns the comparisons of one expression, each side as far as it reaches.
fn comparisons(source: &str, body: &Range<usize>) -> Vec<Comparison> {
    let inside = source.get(body.clone()).unwrap_or_default();
    let mut all = vec![];
    // in each bracket that is open: where the side that is being read begins, and what is compared with it
    let mut open: Vec<(usize, Option<Range<usize>>)> = vec![(body.start, None)];
    let mut last = body.start..body.start;
    for (at, token) in tokens(inside) {
        let at = body.start + at;
        let ordered = matches!(token, "<" | ">");
        // `<=`, and the second sign of `==` and `!=`
        let is_second = token == "=" && last.end == at && is_sign(source, &last);
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
    // unclosed brackets are not an expression anyway
    if let Some((begin, Some(left))) = open.pop() {
        all.push(compared(source, left, begin..body.end));
    }
    all
}

/// Returns a comparison whose sides begin at their first character.
fn compared(source: &str, left: Range<usize>, right: Range<usize>) -> Comparison {
    let begun = |side: Range<usize>| {
        let text = source.get(side.clone()).unwrap_or_default();
        side.start + text.len() - text.trim_start().len()..side.end
    };
    Comparison { left: begun(left), right: begun(right) }
}

fn is_sign(source: &str, place: &Range<usize>) -> bool {
    matches!(source.get(place.clone()), Some("<" | ">" | "=" | "!"))
}

/// Returns the right side of a comparison if it can be compared with the left.
pub(super) fn alike(left: &Value, right: Value) -> Result<Value, Error> {
    let (one, other) = (kind(left), kind(&right));
    if one == other || one.is_none() || other.is_none() {
        return Ok(right);
    }
    let [one, other] = [left, &right].map(|value| kind(value).unwrap_or_default());
    let message = format!("{one} and {other} cannot be compared");
    let lists = [one, other].iter().any(|kind| matches!(*kind, "a list" | "a mapping"));
    let hint = if lists { "; count(...) gives the number of its items" } else { "" };
    Err(Error::new(ErrorKind::InvalidOperation, message + hint))
}

/// Compares for a test, as in `selectattr('number', 'gt', 3)`.
pub(super) fn ordered(
    holds: fn(&Value, &Value) -> bool,
) -> impl Fn(&Value, Value) -> Result<bool, Error> + Send + Sync {
    move |left, right| alike(left, right).map(|right| holds(left, &right))
}

/// Returns the kind of a value in words; none if it is undefined or null.
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
