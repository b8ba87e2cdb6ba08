//! Checks of a condition or template before it is parsed.
//!
//! The parsers and compilers of expressions recurse, and two operators multiply text. So length, depth and operators
//! are checked here on the plain characters. The guard knows string literals and brackets, and no other syntax.

use super::tokens::tokens;
use super::{EXPRESSION_LIMIT, ExprError, TEMPLATE_LIMIT, products};
use std::ops::Range;

/// Maximum nesting of brackets.
const DEPTH_LIMIT: usize = 30;
/// Maximum number of `not` and `-` in one expression: each may be one level of the parser.
const UNARY_LIMIT: usize = 30;
/// Maximum number of tags in a template: each `elif` of a chain is one level of the compiler.
const TAG_LIMIT: usize = 200;
/// Maximum nesting of loops.
const LOOP_LIMIT: usize = 2;
/// Allowed tags of a template; all others can keep, multiply or load text.
const STATEMENTS: [&str; 6] = ["if", "elif", "else", "endif", "for", "endfor"];

/// Checks an expression that starts at byte `start` of its source.
pub(super) fn expression(source: &str, start: usize) -> Result<(), ExprError> {
    if source.len() > EXPRESSION_LIMIT {
        return Err(ExprError::new(
            format!("the expression is longer than {EXPRESSION_LIMIT} bytes"),
            start + source.floor_char_boundary(EXPRESSION_LIMIT),
        ));
    }
    let mut depth = 0_usize;
    let mut unary = 0_usize;
    for (at, token) in tokens(source) {
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "-" | "not" => unary += 1,
            "~" => {
                let message =
                    format!("`{token}` is not allowed here: its result can be of any size");
                return Err(ExprError::new(message, start + at));
            }
            _ => {}
        }
        if depth > DEPTH_LIMIT {
            let message = format!("brackets are nested deeper than {DEPTH_LIMIT} levels");
            return Err(ExprError::new(message, start + at));
        }
        if unary > UNARY_LIMIT {
            let message = format!("more than {UNARY_LIMIT} `not` and `-`");
            return Err(ExprError::new(message, start + at));
        }
    }
    let within = |fault: ExprError| ExprError { column: fault.column + start, ..fault };
    products::operands(source).map(|_| ()).map_err(within)
}

/// Checks a template and returns the byte ranges of its expressions: the insides of its tags.
pub(super) fn template(source: &str) -> Result<Vec<Range<usize>>, ExprError> {
    if source.len() > TEMPLATE_LIMIT {
        return Err(ExprError::new(
            format!("the template is longer than {TEMPLATE_LIMIT} bytes"),
            0,
        ));
    }
    let mut bodies = Vec::new();
    let mut at = 0;
    let mut loops = 0_usize;
    while let Some(open) = next_tag(source, at) {
        let inner = open + 2;
        let is_statement = source[open..].starts_with("{%");
        if source[open..].starts_with("{#") {
            let end = source[inner..].find("#}");
            at = inner
                + 2
                + end
                    .ok_or_else(|| ExprError::new("this comment is not closed with `#}`", open))?;
            continue;
        }
        let end = end_of_tag(source, inner, if is_statement { "%}" } else { "}}" })?;
        let body = &source[inner..end];
        expression(body, inner)?;
        if is_statement {
            statement(body, inner, &mut loops)?;
        }
        bodies.push(inner..end);
        if bodies.len() > TAG_LIMIT {
            return Err(ExprError::new(
                format!("a template can have at most {TAG_LIMIT} tags"),
                open,
            ));
        }
        at = end + 2;
    }
    Ok(bodies)
}

fn statement(body: &str, start: usize, loops: &mut usize) -> Result<(), ExprError> {
    // a `-` at either end of a tag strips the white space next to it
    let body = body.trim_start_matches(['-', '+']).trim_end_matches(['-', '+']);
    let words: Vec<_> = tokens(body).map(|(_, t)| t).collect();
    let name = words.first().copied().unwrap_or_default();
    match name {
        "for" => *loops += 1,
        "endfor" => *loops = loops.saturating_sub(1),
        _ if STATEMENTS.contains(&name) => {}
        _ => {
            let known = STATEMENTS.join(", ");
            let message = format!("unknown template tag `{name}`; one of: {known}");
            return Err(ExprError::new(message, start));
        }
    }
    if *loops > LOOP_LIMIT {
        return Err(ExprError::new(
            format!("loops are nested deeper than {LOOP_LIMIT} levels"),
            start,
        ));
    }
    if name == "for" && words.contains(&"+") {
        return Err(ExprError::new("`+` is not allowed in the head of a loop", start));
    }
    if name == "for" && words.contains(&"recursive") {
        return Err(ExprError::new("recursive loops are not allowed", start));
    }
    Ok(())
}

fn next_tag(source: &str, from: usize) -> Option<usize> {
    let opens = |at: &usize| ["{{", "{%", "{#"].iter().any(|o| source[*at..].starts_with(o));
    source[from..].match_indices('{').map(|(i, _)| from + i).find(opens)
}

/// Returns the end of a tag. Braces inside a tag are rejected, so that its end is unambiguous.
fn end_of_tag(source: &str, inner: usize, close: &str) -> Result<usize, ExprError> {
    for (at, token) in tokens(&source[inner..]) {
        let here = &source[inner + at..];
        if here.starts_with(close) {
            return Ok(inner + at);
        }
        if matches!(token, "{" | "}") {
            return Err(ExprError::new("braces are not allowed inside a tag", inner + at));
        }
    }
    Err(ExprError::new(format!("this tag is not closed with `{close}`"), inner - 2))
}

/// Returns the insides of tags without the `-` or `+` at their ends, which control white space.
pub(super) fn insides(source: &str, bodies: &[Range<usize>]) -> Vec<Range<usize>> {
    let signs = ['-', '+'];
    let inside = |body: &Range<usize>| {
        let text = source.get(body.clone()).unwrap_or_default();
        let start = body.start + text.len() - text.trim_start_matches(signs).len();
        start..(body.start + text.trim_end_matches(signs).len()).max(start)
    };
    bodies.iter().map(inside).collect()
}

/// Returns the byte offset of the first use of a name in a source's expressions, outside of string literals.
pub(super) fn find_word(source: &str, bodies: &[Range<usize>], name: &str) -> Option<usize> {
    bodies.iter().find_map(|body| {
        let (at, _) = tokens(&source[body.clone()]).find(|(_, token)| *token == name)?;
        Some(body.start + at)
    })
}

/// Returns the number of additions in an expression: each can concatenate another text.
pub(super) fn sums(source: &str) -> usize {
    tokens(source).filter(|(_, token)| *token == "+").count()
}
