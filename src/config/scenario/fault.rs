//! Faults of a scenario: position, key, message and fix.
//!
//! A fault quotes an untrusted file: print it through `text`.

use super::tree::Span;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// Columns of a rendered report; long lines of the file are trimmed.
const REPORT_COLUMNS: usize = 100;

/// Severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gravity {
    /// The scenario cannot be played.
    Error,
    /// The scenario can be played, but the author may not have meant it.
    Warning,
    /// A template uses an unknown name and would be sent as it is: an error in `check` and `batch`, else a warning.
    UnknownName,
}

/// Position of a fault in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte range in the source.
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Severity.
    pub gravity: Gravity,
    /// Position; `None` for a value from a command or from `--set`.
    pub place: Option<Place>,
    /// Dotted path, with participants and phases counted from 1: `participant[2].lines`; empty for the text as a whole.
    pub key: String,
    /// The fault, a clause without a full stop.
    pub message: String,
    pub fix: String,
}

/// A word for a model in the text of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedModel {
    pub word: String,
    /// Its position; `None` for a value from a command or from `--set`.
    pub place: Option<Place>,
    /// Its key, as in a fault.
    pub key: String,
}

impl fmt::Display for Fault {
    /// Formats one line, as for the receipt of a command.
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

    /// Renders the fault as a compiler would: position, line, hint.
    fn render(&self, name: &str, text: &str) -> String {
        let title = self.title();
        let fix = format!("hint: {}", self.fix);
        let level = match self.gravity {
            Gravity::Error => Level::ERROR,
            Gravity::Warning | Gravity::UnknownName => Level::WARNING,
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

/// All faults of one scenario, in the order of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The faults in the order of the file.
    pub list: Vec<Fault>,
    name: String,
    text: String,
}

impl Faults {
    /// Sorts faults by their position in the text; those without a position come first.
    pub fn new(mut list: Vec<Fault>, name: &str, text: &str) -> Faults {
        list.sort_by_key(|f| f.place.as_ref().map(|p| p.span.start));
        Faults { list, name: name.into(), text: text.into() }
    }

    /// Returns the unknown names in templates, as errors.
    pub(super) fn unknown_names(&self) -> Option<Faults> {
        let unknown = self.list.iter().filter(|fault| fault.gravity == Gravity::UnknownName);
        let list: Vec<Fault> =
            unknown.map(|fault| Fault { gravity: Gravity::Error, ..fault.clone() }).collect();
        (!list.is_empty()).then(|| Faults { list, ..self.clone() })
    }

    /// Returns the file's name, as given on the command line.
    pub fn file(&self) -> &str {
        &self.name
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

/// Returns the line and column of a span; a span that ends inside a character includes all of it.
pub(super) fn place(span: &Span, text: &str) -> Option<Place> {
    let span = span.clone()?;
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end);
    let span = start..end.max(start);
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    Some(Place {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        span,
    })
}
