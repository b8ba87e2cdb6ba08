//! Positions over time, as stated in readable replies; nothing is interpreted.

use super::{Analysis, Cell, Table, name};
use crate::model::{PositionRecorded, TurnId};

/// Returns every position in structured data in turn order, with the previous one of the participant. Positions between
/// poles have their own figure.
pub(super) fn stated<'a>(
    analysis: &Analysis<'a>,
) -> Vec<(&'a PositionRecorded, Option<&'a PositionRecorded>)> {
    let mut all: Vec<_> = (analysis.state.seats.iter())
        .flat_map(|seat| {
            let own = || seat.positions.iter().filter(|position| position.at.is_none());
            let before = [None].into_iter().chain(own().map(Some));
            own().zip(before)
        })
        .filter(|(now, _)| now.turn >= TurnId(analysis.from.0))
        .collect();
    all.sort_by_key(|(now, _)| (now.number, now.turn));
    all
}

/// Returns the table: one row for each change.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "stances",
        "Positions over time",
        "one row per turn whose structured answer, or confidence, differs from the speaker's previous one; never \
             inferred from prose",
        2,
        &[
            ("utterance", "no."),
            ("participant", "participant"),
            ("stance", "position"),
            ("confidence", "sure"),
            ("before", "before"),
        ],
    );
    for (now, before) in stated(analysis) {
        table.rows.push(vec![
            now.number.map_or(Cell::None, |n| Cell::Count(u64::from(n))),
            Cell::Text(name(analysis.state, &now.participant)),
            Cell::text(&now.words),
            now.confidence.map_or(Cell::None, |sure| Cell::text(&sure.to_string())),
            before.map_or(Cell::None, |b| Cell::text(&b.words)),
        ]);
    }
    table
}
