//! Analysis of a conversation: who spoke when, costs, voting blocs, mentions, repetition.
//!
//! A [`TurnLog`] receives the events next to the fold and keeps details that the state drops; an [`Analysis`] reads
//! both, live or from a file. Every figure is a [`Table`] with a description of its counts, so that screen, page and
//! file show the same numbers. Text is never interpreted: an uncounted value has no number.

mod answers;
mod calls;
mod coordination;
mod cost;
mod events;
mod mentions;
mod outcome;
mod positions;
mod repetition;
mod result;
mod shares;
mod sides;
mod standing;
mod stated;
mod subject;
mod table;
mod totals;
mod turn_log;

pub use answers::{AnswerRound, answer_rounds};
pub use mentions::mention_counts;
pub use outcome::{headline, outcome, undecided, without_result};
pub use positions::last_vote;
pub use repetition::{Repetition, repetitions};
pub use result::{ResultPart, result_parts, turns_read};
pub use shares::{Share, shares};
pub use sides::{deciding_turns, name_of_side, seat_of_side, with_names};
pub use standing::{
    Axis, Move, Mover, PoleMoveKind, Standing, Standpoint, Track, list, move_of, place_words,
    spoken_numbers, steps_apart, who_moved,
};
pub use subject::{Analysis, name};
pub use table::{Cell, Column, FigurePage, Table};
pub use totals::Totals;
pub use turn_log::{Moment, MomentKind, TimedTurn, ToolUses, TurnLog};

use crate::logged::Logged;
use crate::model::{Event, Seq};
use crate::state::State;

/// Builds one table of a conversation.
pub type Figure = fn(&Analysis<'_>) -> Table;

/// Every table with its page, in display order.
pub const FIGURES: &[(FigurePage, Figure)] = &[
    (FigurePage::Floor, shares::table),
    (FigurePage::Floor, calls::floor),
    (FigurePage::Cost, cost::table),
    (FigurePage::Cost, calls::table),
    (FigurePage::Positions, positions::decisions),
    (FigurePage::Positions, answers::table),
    (FigurePage::Positions, positions::positions),
    (FigurePage::Positions, coordination::table),
    (FigurePage::Positions, stated::changes),
    (FigurePage::Positions, stated::poles),
    (FigurePage::Positions, positions::alike),
    (FigurePage::Positions, mentions::table),
    (FigurePage::Positions, repetition::table),
    (FigurePage::Events, events::table),
    (FigurePage::Cost, calls::tools),
];

/// Names of tables that are empty in most conversations.
const SOMETIMES: &[&str] = &["coordination", "answers", "poles", "tools"];

impl Analysis<'_> {
    /// Returns every table, in the order of [`FIGURES`]; tables of `SOMETIMES` only if they have rows.
    pub fn tables(&self) -> Vec<Table> {
        self.each().collect()
    }

    /// Returns every table, one by one: two tables of a long conversation take more memory than its text.
    pub fn each(&self) -> impl Iterator<Item = Table> {
        self.some(|_| true)
    }

    /// Returns the tables of a page.
    pub fn page(&self, page: FigurePage) -> Vec<Table> {
        self.some(move |of| of == page).collect()
    }

    /// Returns every table with the values of two conversations, one by one.
    pub fn each_beside(&self, other: &Analysis<'_>) -> impl Iterator<Item = Table> {
        FIGURES.iter().map(|(_, figure)| figure(self).beside(&figure(other))).filter(is_shown)
    }

    fn some(&self, wanted: impl Fn(FigurePage) -> bool) -> impl Iterator<Item = Table> {
        let figures = FIGURES.iter().filter(move |(page, _)| wanted(*page));
        figures.map(|(_, figure)| figure(self)).filter(is_shown)
    }
}

fn is_shown(table: &Table) -> bool {
    !SOMETIMES.contains(&table.name) || !table.rows.is_empty()
}

/// Folds a log into the data of an analysis.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> (State, TurnLog) {
    let mut state = State::default();
    let mut turn_log = TurnLog::default();
    for event in events {
        state.apply(event);
        turn_log.take(event);
    }
    (state, turn_log)
}

/// Returns the point of divergence of a branch and its parent, or of two runs of one scenario: the index of the first
/// event that differs between two logs; wall-clock times do not count.
pub fn divergence(a: impl IntoIterator<Item: Logged>, b: impl IntoIterator<Item: Logged>) -> Seq {
    let mut from = Seq(0);
    for (a, b) in a.into_iter().zip(b) {
        let a: &Event = a.event();
        let b: &Event = b.event();
        if a.seq != b.seq || a.by != b.by || a.kind != b.kind {
            break;
        }
        from = a.seq.next();
    }
    from
}
