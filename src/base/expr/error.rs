//! Faults of expressions, and limits of their length.

/// Maximum bytes of a condition, or of one tag of a template.
pub const EXPRESSION_LIMIT: usize = 1024;
/// Maximum bytes of a template.
pub const TEMPLATE_LIMIT: usize = 64 * 1024;
/// Maximum bytes of a rendered template.
pub const OUTPUT_LIMIT: usize = 64 * 1024;

/// A fault of a condition or a template, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExprError {
    /// Text of the fault with its fix; may quote the source.
    pub message: String,
    /// Byte offset of the fault in the source, from 0.
    pub column: usize,
    /// Known names if the fault is an unknown name; empty otherwise.
    pub known: &'static [&'static str],
}

impl ExprError {
    /// Returns a fault that is unrelated to names.
    pub fn new(message: impl Into<String>, column: usize) -> ExprError {
        ExprError { message: message.into(), column, known: &[] }
    }

    /// Returns the position in the source as text: `character 5`, or `line 2, character 5` if it has several lines.
    pub fn place(&self, source: &str) -> String {
        let before = source.get(..self.column).unwrap_or_default();
        let (line, start) =
            (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |n| n + 1));
        let character = before[start..].chars().count() + 1;
        if source.contains('\n') {
            format!("line {line}, character {character}")
        } else {
            format!("character {character}")
        }
    }
}
