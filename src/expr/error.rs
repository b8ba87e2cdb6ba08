//! Faults of an expression, and how long one may be.

/// Bytes that a condition, or one tag of a template, may have.
pub const EXPRESSION_LIMIT: usize = 1024;
/// Bytes that a template may have.
pub const TEMPLATE_LIMIT: usize = 64 * 1024;
/// Bytes that a rendered template may have.
pub const OUTPUT_LIMIT: usize = 64 * 1024;

/// A fault of a condition or a template, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExprError {
    /// The fault and the fix; may quote the source.
    pub message: String,
    /// Where the fault is: a byte offset into the source, from 0.
    pub column: usize,
    /// The known names, where a name is wrong; empty otherwise.
    pub known: &'static [&'static str],
}

impl ExprError {
    /// Returns one that is no matter of a name.
    pub fn new(message: impl Into<String>, column: usize) -> ExprError {
        ExprError { message: message.into(), column, known: &[] }
    }

    /// Returns where it is in its source, in words: `character 5`, or `line 2, character 5` of several lines.
    pub fn place(&self, source: &str) -> String {
        let before = source.get(..self.column).unwrap_or_default();
        let (line, start) =
            (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |n| n + 1));
        let character = before[start..].chars().count() + 1;
        match source.contains('\n') {
            true => format!("line {line}, character {character}"),
            false => format!("character {character}"),
        }
    }
}
