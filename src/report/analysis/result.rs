//! Parts of a result as lines, the same on every surface.

use crate::model::{ResultGiven, Text};
use crate::text;

/// A part of a result: its label, and its lines.
pub struct ResultPart {
    /// Label in lower case, such as `do`.
    pub label: &'static str,
    /// Lines without control characters.
    pub lines: Vec<String>,
}

/// Returns the parts of a result that are not empty, without its sentence and its moves.
pub fn result_parts(result: &ResultGiven) -> Vec<ResultPart> {
    let label = |text: &Text| text::label(text).into_owned();
    let actions = result.actions.iter().map(|action| {
        let by = action.by.as_ref().map_or(String::new(), |by| format!(" ({})", label(by)));
        format!("{}: {}{by}", label(&action.who), label(&action.what))
    });
    let against = result.against.iter().map(|objection| {
        let why = label(&objection.why);
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        format!("{}{why}", label(&objection.who))
    });
    let all = [
        ("do", actions.collect()),
        ("against", against.collect()),
        ("undo", result.undo.iter().map(label).collect()),
        ("open", result.open.iter().map(label).collect()),
        ("check", result.check.iter().map(label).collect()),
    ];
    let parts = all.into_iter().map(|(label, lines)| ResultPart { label, lines });
    parts.filter(|part| !part.lines.is_empty()).collect()
}

/// Returns the number of turns that the scribe read; `None` if it read all.
pub fn turns_read(result: &ResultGiven) -> Option<String> {
    let read = result.read?;
    Some(format!("the scribe read {} of {} turns", read.turns, read.of))
}
