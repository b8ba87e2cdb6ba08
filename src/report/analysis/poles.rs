//! Positions between the two poles of a scenario, as the participants state them; nothing is interpreted.

use super::{Analysis, Cell, Table, name};
use std::collections::BTreeMap;

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
