//! Boards: the progress of a policy as data, which screens draw without knowing the policy.

use crate::model::SeatId;

/// Progress of a policy: a row for each of its seats or steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// Title above the rows, in capitals.
    pub title: &'static str,
    /// Title of the page with the details.
    pub page: &'static str,
    /// Short facts: the number of steps per state, the round, the outcome.
    pub facts: Vec<String>,
    /// The rows, in order.
    pub rows: Vec<BoardRow>,
    /// Cells of the longest word for a state.
    pub word_cells: usize,
    /// Words under which rows without space are counted, in order.
    pub counted: &'static [&'static str],
    /// Dependencies between rows, as pairs of indices; `None` for a page without a graph.
    pub edges: Option<Vec<(usize, usize)>>,
    /// True if the rows belong to the outcome and stay visible at the end.
    pub is_outcome: bool,
}

/// A row of a board. All texts are on one line and safe for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardRow {
    /// Beginning of the row.
    pub label: RowLabel,
    /// State as a symbol.
    pub progress: RowProgress,
    /// State as a word.
    pub word: String,
    /// True if nothing more will happen in the row; such rows are hidden first.
    pub is_over: bool,
    /// Words under which the row is counted without space, from [`Board::counted`].
    pub counts: Vec<&'static str>,
    /// Text that fills the free width; `None` if no row of the board has one.
    pub text: Option<String>,
    /// Seat that works on the row, if it is not the label.
    pub seat: Option<SeatId>,
    /// Votes; `None` without voting.
    pub tally: Option<Tally>,
    /// Seat that the row's seat chose.
    pub choice: Option<SeatId>,
    /// Last event, reason or answer, at the end of the row.
    pub note: String,
    /// Addition to the note if the screen is wide enough.
    pub more: String,
}

impl BoardRow {
    /// Returns a row with a state and nothing else.
    pub(super) fn new(label: RowLabel, progress: RowProgress, word: impl Into<String>) -> BoardRow {
        BoardRow {
            label,
            progress,
            word: word.into(),
            is_over: false,
            counts: vec![],
            text: None,
            seat: None,
            tally: None,
            choice: None,
            note: String::new(),
            more: String::new(),
        }
    }
}

/// Beginning of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowLabel {
    /// Number of a step.
    Number(u32),
    /// A seat, by place and name.
    Seat(SeatId),
}

/// State of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowProgress {
    /// Not started.
    Waiting,
    /// At work.
    Running,
    /// Completed.
    Done,
    /// Has a current answer, which may still change.
    Answered,
    /// Left the round without an answer.
    Left,
    /// Failed, or blocked by a failure.
    Failed,
    Cancelled,
}

/// Votes for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Number of votes.
    pub votes: usize,
    /// True if the row won.
    pub won: bool,
}

/// A section of the page with all details.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// Heading on one line.
    pub head: Vec<DetailPart>,
    /// Text below it.
    pub body: Vec<DetailPart>,
    /// Seat that gives the heading its colour.
    pub seat: Option<SeatId>,
    /// True if the text is a warning.
    pub warns: bool,
}

/// Part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum DetailPart {
    /// Plain text, safe for a terminal.
    Text(String),
    /// A seat, by place and name.
    Seat(SeatId),
    /// The symbol of a state.
    Sign(RowProgress),
    /// An arrow to the right.
    Arrow,
}

impl From<String> for DetailPart {
    fn from(text: String) -> DetailPart {
        DetailPart::Text(text)
    }
}

impl From<&str> for DetailPart {
    fn from(text: &str) -> DetailPart {
        DetailPart::Text(text.to_owned())
    }
}
