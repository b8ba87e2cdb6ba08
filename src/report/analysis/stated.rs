//! Positions over time, as stated in readable replies and between the two poles of a scenario; nothing is interpreted.

use super::{Analysis, Cell, Table, name};
use crate::model::{PositionRecorded, TurnId};
use std::collections::BTreeMap;

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
pub fn changes(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "stances",
        "Positions over time",
        "one row per turn whose structured answer, or confidence, differs from the speaker's previous one; never \
             inferred from prose",
        2,
        "utterance: no. | participant | stance: position | confidence: sure | before",
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

/// Returns the table: one row for each position.
pub fn poles(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "poles",
        "Between the poles",
        "one row per turn that stated a new position, from 2 (the first pole) to -2 (the second); `apart` is the distance \
             between the participants who were farthest apart after it",
        2,
        "utterance: no. | participant | at | stance: position | moved_by: moved by no. | apart",
    );
    let seats = &analysis.state.seats;
    let mut all = vec![];
    for (place, seat) in seats.iter().enumerate() {
        all.extend(
            analysis.state.pole_positions(seat).into_iter().map(|now| (now.number, place, now)),
        );
    }
    all.sort_by_key(|(number, ..)| *number);
    let mut places = BTreeMap::new();
    for (number, place, now) in all {
        let (Some(seat), Some(at)) = (seats.get(place), now.at) else { continue };
        if !seat.gone {
            places.insert(place, at);
        }
        if now.turn.0 < analysis.from.0 {
            continue;
        }
        let (least, most) = (places.values().min(), places.values().max());
        let apart = (places.len() > 1).then(|| Some(most?.abs_diff(*least?))).flatten();
        table.rows.push(vec![
            number.map_or(Cell::None, |number| Cell::Count(number.into())),
            Cell::Text(name(analysis.state, &seat.spec.id)),
            Cell::Text(if at > 0 { format!("+{at}") } else { at.to_string() }),
            Cell::text(&now.words),
            match (now.moved_by_message, now.moved_by) {
                (Some(_), _) => Cell::Text("the host".to_owned()),
                (None, by) => by.map_or(Cell::None, |by| Cell::Count(u64::from(by))),
            },
            apart.map_or(Cell::None, |apart| Cell::Count(u64::from(apart))),
        ]);
    }
    table
}
