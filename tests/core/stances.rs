//! Stances: recorded from structured replies whenever they change, also through a kill.

use crate::harness::*;
use crate::kills::runtime;
use colloquium::analysis::{Analysis, Cell, Stand, Standpoints, fold, stances, standpoints};
use colloquium::export::{text, whole};
use colloquium::model::*;
use serde_json::json;

/// Returns voices that say yes up to the fourth utterance and no after it; `c` is never readable.
fn wavering() -> Stage {
    stage(|ask| {
        let answer = if ask.number.unwrap_or(0) > 4 { "No" } else { "yes" };
        match &*ask.seat.id {
            "c" => Play::Words("it depends".into(), 10),
            _ => Play::Data(answer.into(), json!({"answer": answer, "confidence": 0.5})),
        }
    })
}

fn recorded(ran: &Ran) -> Vec<(String, u32, String)> {
    let one = |e: &Event| match &e.kind {
        Kind::StanceRecorded(s) => {
            Some((s.participant.to_string(), s.number?, s.stance.to_string()))
        }
        _ => None,
    };
    ran.events.iter().filter_map(one).collect()
}

#[test]
fn a_stance_is_recorded_when_it_changes_and_after_every_kill_once() {
    let table = || round_robin(&["a", "b", "c"], 9);
    let ran = runtime().block_on(play(table(), wavering(), &[]));
    let expected = [("a", 1, "yes"), ("b", 2, "yes"), ("b", 5, "no"), ("a", 7, "no")];
    let expected = expected.map(|(who, at, what)| (who.to_owned(), at, what.to_owned()));
    assert_eq!(recorded(&ran), expected);
    for cut in 1..ran.events.len() {
        let killed = ran.events[..cut].to_vec();
        let resumed = runtime().block_on(resume(killed, wavering(), &[]));
        assert_eq!(recorded(&resumed), expected, "cut after {cut}");
    }
    let (state, turn_log) = fold(&ran.events);
    let study = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
    assert_eq!(stances(&study).len(), 4);
    let table = study.tables().into_iter().find(|t| t.name == "stances").unwrap();
    let shown = |row: &Vec<Cell>| row.iter().map(Cell::shown).collect::<Vec<_>>().join(" ");
    assert_eq!(shown(&table.rows[0]), "1 a yes 0.5 -");
    assert_eq!(shown(&table.rows[2]), "5 b no 0.5 yes");
    let stood = standpoints(&study);
    assert_eq!((stood.choices, stood.span), (vec!["yes".to_owned(), "no".to_owned()], (1, 9)));
    let stands = |(seat, stands): &(SeatId, Vec<Stand>)| {
        let at = |n| Standpoints::at(stands, n).map_or('-', |s| Standpoints::sign(s.choice));
        format!("{seat} {}", (1..=9).map(at).collect::<String>())
    };
    let stood: Vec<String> = stood.lanes.iter().map(stands).collect();
    assert_eq!(stood, ["a AAAAAABBB", "b -AAABBBBB"]);
    let events = study.tables().into_iter().find(|t| t.name == "events").unwrap();
    let shifts: Vec<String> =
        events.rows.iter().map(shown).filter(|row| row.contains("shift")).collect();
    assert!(shifts.len() == 2 && shifts[0].ends_with("b: from yes to no"), "{shifts:?}");
    let told = whole(&ran.events, text::spell);
    assert!(told.contains("-- a changed from yes to no"), "{told}");
    // a comparison of two sessions counts only turns after their branch point
    let fifth = |e: &&Event| matches!(&e.kind, Kind::FloorGranted(g) if g.number == Some(5));
    let from = ran.events.iter().find(fifth).unwrap().seq;
    assert_eq!(stances(&Analysis { from, ..study }).len(), 2);
}
