//! Mentions with `@`: the only replies whose addressee is certain.

use super::subject::YOU;
use super::{Analysis, Cell, Column, Table, name};
use crate::model::SeatId;
use crate::state::Who;

/// Returns how often a participant, or the operator, mentioned each participant.
pub fn mention_counts(analysis: &Analysis<'_>, by: Option<&SeatId>) -> Vec<(SeatId, u64)> {
    let said = analysis.state.entries.iter().filter(|e| e.seq >= analysis.from);
    let own = said.filter(|e| match (&e.who, by) {
        (Who::Seat(seat), Some(by)) => seat == by && e.of.is_none(),
        (Who::Operator, None) => true,
        (Who::Seat(_), None) | (Who::Operator, Some(_)) => false,
    });
    let mentions: Vec<&SeatId> = own.flat_map(|e| &e.mentions).collect();
    let seats = analysis.state.seats.iter().map(|s| &s.spec.id);
    let seats = seats.filter(|id| !analysis.state.is_template(id));
    seats.map(|s| (s.clone(), mentions.iter().filter(|m| **m == s).count() as u64)).collect()
}

/// Returns the table: a row for each source, a column for each target.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "mentions",
        "Mentions",
        "turns in which the row's speaker mentioned the column's with `@`",
        1,
        "participant",
    );
    let seats = analysis.state.seats.iter().map(|s| &s.spec.id);
    let seats: Vec<&SeatId> = seats.filter(|id| !analysis.state.is_template(id)).collect();
    table.columns.extend(seats.iter().map(|id| Column::new(id, &name(analysis.state, id))));
    table.columns.push(Column::new("all", "all"));
    for by in seats.iter().map(|s| Some(*s)).chain([None]) {
        let counts = mention_counts(analysis, by);
        let who = by.map_or_else(|| YOU.to_owned(), |id| name(analysis.state, id));
        let all = counts.iter().map(|(_, n)| n).sum();
        let cells = counts.iter().map(|(to, n)| match *n {
            0 if by == Some(to) => Cell::None,
            n => Cell::Count(n),
        });
        table
            .rows
            .push([Cell::Text(who)].into_iter().chain(cells).chain([Cell::Count(all)]).collect());
    }
    table
}
