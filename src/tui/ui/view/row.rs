//! Rows of the transcript: their ids, their content, and the kinds of notes.

use crate::model::payload::WarningAbout;
use crate::model::*;
use crate::shared::SharedList;
use crate::state::policies::plan::is_step;
use crate::text::plural;

/// Id of a row; a turn keeps it from its first piece to its last version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    Turn(TurnId),
    /// An event without a turn.
    Event(Seq),
    /// A note before the row of an event.
    Before(Seq),
    /// A note after the row of an event.
    After(Seq),
}

impl Id {
    /// Returns a unique number, roughly in the order of the log.
    pub(super) fn key(self) -> u64 {
        match self {
            Id::Turn(turn) => turn.0.wrapping_mul(4),
            Id::Before(seq) => seq.0.wrapping_mul(4) + 1,
            Id::Event(seq) => seq.0.wrapping_mul(4) + 2,
            Id::After(seq) => seq.0.wrapping_mul(4) + 3,
        }
    }
}

/// Content of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowKind {
    /// A message: index of its entry in the state.
    Words(usize),
    /// A note of the program.
    Aside(Box<AsideText>),
}

/// Text of a note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsideText {
    /// Head, a single line.
    pub head: String,
    /// Body; usually empty.
    pub body: String,
}

impl RowKind {
    /// Creates a note.
    pub(super) fn aside(head: String, body: String) -> RowKind {
        RowKind::Aside(Box::new(AsideText { head, body }))
    }

    /// Creates the row of a message that is not in the state. An attempt whose participant starts over is folded into
    /// its head; exports have its text.
    pub(super) fn unkept(event: &Event, head: String, body: String) -> RowKind {
        let restarts =
            matches!(&event.kind, Kind::TurnEnded(end) if end.why == Some(CutWhy::Superseded));
        match body.split_whitespace().count() {
            words @ 1.. if restarts => {
                let words = plural(words, "word");
                RowKind::aside(format!("{head} ({words} dropped)"), String::new())
            }
            _ => RowKind::aside(head, body),
        }
    }
}

/// Kind of a note, which determines its appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Aside {
    /// A plain note.
    #[default]
    Note,
    /// A limit was reached, or is near.
    Limit,
    /// A call, turn, command or conversation failed, or there is a warning.
    Failure,
    /// A participant changed its position in a turn; the row is below that turn.
    Moved {
        turn: TurnId,
        /// Index of the participant's seat.
        place: usize,
    },
    /// Result of the conversation.
    Result(Box<ResultGiven>),
    /// Result of a vote.
    Vote(Box<VoteClosed>),
    /// Verdict of the judges.
    Verdict(Box<VerdictGiven>),
    /// Start of the thread of a plan step; its rows are folded under this one.
    Step(ThreadId),
}

impl Aside {
    /// Returns the kind of note for an event.
    pub(super) fn from_event(event: &Event) -> Aside {
        match &event.kind {
            Kind::ThreadOpened(t) if is_step(t) => Aside::Step(ThreadId(event.seq.0)),
            Kind::ResultGiven(result) => Aside::Result(Box::new(result.clone())),
            Kind::VoteClosed(vote) => Aside::Vote(Box::new(vote.clone())),
            Kind::VerdictGiven(verdict) => Aside::Verdict(Box::new(verdict.clone())),
            Kind::LimitNear(_) | Kind::LimitReached(_) => Aside::Limit,
            Kind::TurnEnded(end) if end.outcome == Outcome::Failed => Aside::Failure,
            Kind::Ended(e) if e.reason.is_failure() => Aside::Failure,
            // they may go on; it is not a failure
            Kind::Warning(w) if matches!(w.about, Some(WarningAbout::Loop(_))) => Aside::Note,
            Kind::CommandRefused(_) | Kind::Warning(_) => Aside::Failure,
            Kind::ModelAdapted(adapted) if adapted.loses => Aside::Failure,
            _ => Aside::Note,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptRow {
    /// Id of the row, which stays the same when the row grows.
    pub id: Id,
    /// Time on the session's clock.
    pub at: Ms,
    /// Content of the row.
    pub item: RowKind,
    /// Kind of the note, if the row is one.
    pub aside: Aside,
    /// Thread of the plan step that the row belongs to or starts.
    pub step: Option<ThreadId>,
}

/// Moves the last `count` messages, whose entries are at `at` and behind, one entry further.
pub(super) fn shift_entries(rows: &mut SharedList<TranscriptRow>, at: usize, count: usize) {
    let mut left = count;
    for place in (0..rows.len()).rev() {
        if left == 0 {
            return;
        }
        if let Some(RowKind::Words(entry)) = rows.get_mut(place).map(|row| &mut row.item)
            && *entry >= at
        {
            *entry += 1;
            left -= 1;
        }
    }
}

/// Returns the place of the message that follows a new one in the transcript; `None` if it is the last one.
pub(super) fn place_of_next(
    rows: &SharedList<TranscriptRow>,
    item: &RowKind,
    entries: usize,
) -> Option<usize> {
    let RowKind::Words(entry) = item else { return None };
    let next = RowKind::Words(entry + 1);
    if entry + 1 < entries { rows.iter().rposition(|row| row.item == next) } else { None }
}
