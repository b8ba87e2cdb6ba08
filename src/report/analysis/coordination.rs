//! Answers and votes of the consensus policy: who answered, and who voted for which answer and why.

use super::{Analysis, Cell, Table, name};
use crate::model::Seq;
use crate::state::{AnswerMove, MoveKind};

/// Returns the table of answers and votes; empty for other policies.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "coordination",
        "Answers and votes",
        "answers and votes in order; only a participant's last vote counts",
        0,
        "at_ms: at | round | participant | did | for | why",
    );
    let mut all: Vec<(Seq, &AnswerMove)> = analysis
        .state
        .threads
        .values()
        .flat_map(|thread| thread.state.moves())
        .filter(|m| m.seq >= analysis.from)
        .map(|m| (m.seq, m))
        .collect();
    all.sort_by_key(|(seq, _)| *seq);
    let hidden = |m: &AnswerMove| {
        let of = |e: &&crate::state::Entry| e.version().turn == Some(m.turn);
        analysis.state.entries.iter().rev().find(of).is_some_and(|e| e.hidden.is_some())
    };
    for (_, m) in all {
        let (did, whose, why) = match &m.did {
            MoveKind::Answered => ("answered", None, None),
            MoveKind::Voted { whose, why } => ("voted", Some(whose), Some(why)),
            MoveKind::Left => ("left the round", None, None),
            MoveKind::Refused => ("was refused", None, None),
            MoveKind::Remarked => ("was unclear", None, None),
            MoveKind::Restarted => ("restarted", None, None),
            MoveKind::Presented => ("presented", None, None),
        };
        let why = why.filter(|why| !why.trim().is_empty() && !hidden(m));
        table.rows.push(vec![
            Cell::At(m.ms.0),
            Cell::Count(u64::from(m.round)),
            Cell::Text(name(analysis.state, &m.seat)),
            Cell::text(did),
            whose.map_or(Cell::None, |whose| Cell::Text(name(analysis.state, whose))),
            why.map_or(Cell::None, |why| Cell::text(why)),
        ]);
    }
    table
}
