//! Positions between the two poles of a scenario, as the participants state them; nothing is interpreted.

use super::{Analysis, Cell, Table, name};
use crate::model::SeatId;
use crate::state::Position;

/// A position of a participant, with the previous one.
pub struct PoleMove<'a> {
    /// The participant.
    pub seat: &'a SeatId,
    /// The position.
    pub now: Position<'a>,
    /// The previous position.
    pub before: Option<Position<'a>>,
}

/// Returns every position between the poles in turn order.
pub fn pole_moves<'a>(analysis: &Analysis<'a>) -> Vec<PoleMove<'a>> {
    let mut all: Vec<PoleMove<'a>> = vec![];
    for seat in &analysis.state.seats {
        let mut before = None;
        for now in seat.positions() {
            all.push(PoleMove { seat: &seat.spec.id, now, before });
            before = Some(now);
        }
    }
    all.retain(|moved| moved.now.turn.0 >= analysis.from.0);
    all.sort_by_key(|moved| moved.now.number);
    all
}

/// Returns the table: one row for each position.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "poles",
        "Between the poles",
        "one row per turn that stated a new position, from 2 (the first pole) to -2 (the second); `apart` is the distance \
             between the participants who were farthest apart after it",
        2,
        &[
            ("utterance", "no."),
            ("participant", "participant"),
            ("at", "at"),
            ("stance", "position"),
            ("moved_by", "moved by no."),
            ("apart", "apart"),
        ],
    );
    for PoleMove { seat, now, .. } in pole_moves(analysis) {
        let apart = analysis.state.apart_at(now.number);
        table.rows.push(vec![
            Cell::Count(u64::from(now.number)),
            Cell::Text(name(analysis.state, seat)),
            Cell::text(&pole_place(now.at)),
            Cell::text(now.words),
            match (now.moved_by_message, now.moved_by) {
                (Some(_), _) => Cell::Text("the host".to_owned()),
                (None, by) => by.map_or(Cell::None, |by| Cell::Count(u64::from(by))),
            },
            apart.map_or(Cell::None, |apart| Cell::Count(u64::from(apart))),
        ]);
    }
    table
}

/// Returns a place between the poles with its sign.
pub fn pole_place(at: i8) -> String {
    if at > 0 { format!("+{at}") } else { at.to_string() }
}
