//! A row of the transcript: its id, what it shows, and what kind of note it is.

use crate::model::*;
use crate::scenario::STEP_POLICY;

/// The id of something in the transcript: an utterance keeps it from its first word to its last version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// The id of a turn.
    Turn(TurnId),
    /// That of an event without a turn.
    Event(Seq),
    /// The id of a note before the row of an event.
    Before(Seq),
    /// The id of a note after it.
    After(Seq),
}

impl Id {
    /// Returns a number of its own, in about the order of the log.
    pub(super) fn key(self) -> u64 {
        match self {
            Id::Turn(turn) => turn.0.wrapping_mul(4),
            Id::Before(seq) => seq.0.wrapping_mul(4) + 1,
            Id::Event(seq) => seq.0.wrapping_mul(4) + 2,
            Id::After(seq) => seq.0.wrapping_mul(4) + 3,
        }
    }
}

/// The content of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowKind {
    /// Words: the place of the entry in the state.
    Words(usize),
    /// A note of the program.
    Aside(Box<AsideText>),
}

/// What a note of the program says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsideText {
    /// The head, a single line.
    pub head: String,
    /// Words; mostly none.
    pub body: String,
}

impl RowKind {
    /// Returns a note.
    pub(super) fn aside(head: String, body: String) -> RowKind {
        RowKind::Aside(Box::new(AsideText { head, body }))
    }
}

/// The kind of a note, which decides how the row looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Aside {
    /// A plain note.
    #[default]
    Note,
    /// A limit was reached, or is near.
    Limit,
    /// A failed call or turn.
    Failure,
    /// The result of a vote.
    Vote(Box<VoteClosed>),
    /// The verdict of the judges.
    Verdict(Box<VerdictGiven>),
    /// The talk in a step of a plan begins; its rows are folded under this one.
    Step(ThreadId),
}

impl Aside {
    /// Returns what an event is.
    pub(super) fn of(event: &Event) -> Aside {
        match &event.kind {
            Kind::ThreadOpened(t) if &*t.policy == STEP_POLICY => {
                Aside::Step(ThreadId(event.seq.0))
            }
            Kind::VoteClosed(vote) => Aside::Vote(Box::new(vote.clone())),
            Kind::VerdictGiven(verdict) => Aside::Verdict(Box::new(verdict.clone())),
            Kind::LimitNear(_) | Kind::LimitReached(_) => Aside::Limit,
            Kind::TurnEnded(end) if end.outcome == Outcome::Failed => Aside::Failure,
            Kind::Ended(e) if matches!(e.reason, StopReason::Failure | StopReason::Starved) => {
                Aside::Failure
            }
            Kind::CommandRefused(_) | Kind::Warning(_) => Aside::Failure,
            _ => Aside::Note,
        }
    }
}

/// A row of the transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptRow {
    /// The row's id, which stays when the row grows.
    pub id: Id,
    /// When, on the session's clock.
    pub at: Ms,
    /// What the row shows.
    pub item: RowKind,
    /// What the program tells of, where it does.
    pub aside: Aside,
    /// The talk in a step that the row belongs to, or is the head of.
    pub step: Option<ThreadId>,
}
