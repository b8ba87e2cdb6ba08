//! What is wrong with a scenario: where, under which key, and the fix.
//!
//! A fault quotes the file it was found in, which nobody trusts: whoever prints one passes it through `text` first.

use super::tree::Span;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// Columns of a rendered report; long lines of the file are trimmed to it.
const REPORT_COLUMNS: usize = 100;

/// Whether a fault keeps the scenario from being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gravity {
    /// The scenario cannot be played.
    Error,
    /// It does not, but the author may not have meant it.
    Warning,
}

/// The place of a fault in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The bytes of the source that it is about.
    pub span: Range<usize>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether it can be played all the same.
    pub gravity: Gravity,
    /// Where; none for a value that came from a command or from `--set`.
    pub place: Option<Place>,
    /// The dotted path, seats and phases counted from 1: `participant[2].lines`; empty for the text as a whole.
    pub key: String,
    /// What is wrong, a clause without a full stop.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Fault {
    /// Writes one line, as for the receipt of a command.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.title(), self.fix)
    }
}

impl Fault {
    fn title(&self) -> String {
        match self.key.as_str() {
            "" => self.message.clone(),
            key => format!("{key}: {}", self.message),
        }
    }

    /// Returns the fault as the compiler of a language would show it: place, line, hint.
    fn render(&self, name: &str, text: &str) -> String {
        let (title, fix) = (self.title(), format!("hint: {}", self.fix));
        let level = match self.gravity {
            Gravity::Error => Level::ERROR,
            Gravity::Warning => Level::WARNING,
        };
        let report = Group::with_title(level.primary_title(&title));
        let hint = Level::HELP.no_name().message(&fix);
        let Some(place) = &self.place else {
            return Renderer::plain().render(&[report.element(hint)]);
        };
        let line = Snippet::source(text)
            .path(name)
            .annotation(AnnotationKind::Primary.span(place.span.clone()));
        Renderer::plain().term_width(REPORT_COLUMNS).render(&[report.element(line).element(hint)])
    }
}

/// Everything that is wrong with one scenario, in the order of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The faults in the order of the file.
    pub list: Vec<Fault>,
    name: String,
    text: String,
}

impl Faults {
    /// Puts faults in the order of the text they were found in; those without a place come first.
    pub(crate) fn new(mut list: Vec<Fault>, name: &str, text: &str) -> Faults {
        list.sort_by_key(|f| f.place.as_ref().map(|p| p.span.start));
        Faults { list, name: name.into(), text: text.into() }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.list.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{}", fault.render(&self.name, &self.text))?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Finds the line and column of a span; one that ends inside a character takes all of it.
pub(super) fn place(span: &Span, text: &str) -> Option<Place> {
    let span = span.clone()?;
    let (start, end) = (text.floor_char_boundary(span.start), text.ceil_char_boundary(span.end));
    let (span, before) = (start..end.max(start), &text[..start]);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    Some(Place {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        span,
    })
}
