//! Stances: recorded from structured replies and from `STANCE:` lines whenever they change, also through a kill.

use crate::harness::*;
use crate::kills::runtime;
use colloquium::analysis::{Analysis, Cell, Table, fold};
use colloquium::export::{text, whole};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::{Value, json};

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
        Kind::PositionRecorded(s) => {
            Some((s.participant.to_string(), s.number?, s.words.to_string()))
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
    let stances = |study: &Analysis<'_>| -> Table {
        study.tables().into_iter().find(|table| table.name == "stances").unwrap()
    };
    let table = stances(&study);
    assert_eq!(table.rows.len(), 4);
    let shown = |row: &Vec<Cell>| row.iter().map(Cell::shown).collect::<Vec<_>>().join(" ");
    assert_eq!(shown(&table.rows[0]), "1 a yes 0.5 -");
    assert_eq!(shown(&table.rows[2]), "5 b no 0.5 yes");
    let events = study.tables().into_iter().find(|t| t.name == "events").unwrap();
    let shifts: Vec<String> =
        events.rows.iter().map(shown).filter(|row| row.contains("shift")).collect();
    assert!(shifts.len() == 2 && shifts[0].ends_with("b: from yes to no"), "{shifts:?}");
    let told = whole(&ran.events, text::spell);
    assert!(told.contains("-- a changed from yes to no"), "{told}");
    // a comparison of two sessions counts only turns after their branch point
    let fifth = |e: &&Event| matches!(&e.kind, Kind::FloorGranted(g) if g.number == Some(5));
    let from = ran.events.iter().find(fifth).unwrap().seq;
    assert_eq!(stances(&Analysis { from, ..study }).rows.len(), 2);
}

/// Returns a debate between two poles of models that take turns.
pub fn between_poles(more: Value) -> Opened {
    let mut scenario = json!({
        "topic": "Ban cars?",
        "policy": {"name": "round_robin"},
        "limits": {"utterances": 6},
        "stance": ["ban them", "leave them"],
    });
    scenario.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let model = |id| Participant { voice: VoiceSpec::Model(ModelSpec::default()), ..seat(id) };
    table(scenario, vec![model("a"), model("b")])
}

/// Returns voices whose turns end with a line in two pieces, if one is due.
pub fn stating<L: std::fmt::Display>(
    line: impl Fn(u32) -> Option<L> + Send + Sync + 'static,
) -> Stage {
    stage(move |ask| {
        let number = ask.number.unwrap_or(0);
        let words = format!("{} has reason {number} of its own.", ask.seat.id);
        let line = line(number).map_or(String::new(), |line| format!("\n\nSTANCE: {line}"));
        Play::Words(format!("{words}{line}"), 10)
    })
}

fn of_a_debate(number: u32) -> Option<&'static str> {
    match number {
        1 => Some("+2 | ban them all"),
        2 => Some("-2 | leave them"),
        3 => Some("+1 | freight stays | after #2"),
        4 => Some("-2 | leave them"),
        5 => Some("0 | a trial | after #9"),
        _ => Some("-1 | permits | after A"),
    }
}

fn prompt(ran: &Ran, number: u32) -> String {
    let asked = ran.seen.iter().rfind(|ask| ask.number == Some(number)).unwrap();
    asked.messages.iter().map(|m| format!("{:?} {}\n", m.role, m.text)).collect()
}

/// Returns the recorded places of a seat: number, place, words, number of the turn that moved it.
fn places(ran: &Ran, id: &str) -> Vec<String> {
    let shown = |p: &PositionRecorded| {
        let (number, at) = (p.number.unwrap(), p.at.unwrap());
        format!("{number} {at} {} {:?}", p.words, p.moved_by)
    };
    ran.state.pole_positions(ran.state.seat(id).unwrap()).into_iter().map(shown).collect()
}

#[test]
fn a_line_places_the_speaker_between_the_poles_and_nobody_else_reads_it() {
    let ran = runtime().block_on(play(between_poles(json!({})), stating(of_a_debate), &[]));
    let a = ["1 2 ban them all None", "3 1 freight stays Some(2)", "5 0 a trial None"];
    assert_eq!(places(&ran, "a"), a, "a turn that is still to come moved nobody");
    let b = ["2 -2 leave them None", "6 -1 permits Some(5)"];
    assert_eq!(places(&ran, "b"), b);
    let apart: Vec<_> = (1..=6).map(|number| ran.state.apart_at(number)).collect();
    assert_eq!(apart, [None, Some(4), Some(3), Some(3), Some(2), Some(1)]);
    assert_eq!(ran.texts()[0], "a has reason 1 of its own.");
    let shown = |line: &&String| line.contains("\"kind\":\"delta\"") && line.contains("STANCE");
    assert_eq!(ran.lines.iter().find(shown), None);
    let third = prompt(&ran, 3);
    let own = "Assistant a has reason 1 of its own.\nSTANCE: +2 | ban them all\n";
    assert!(third.contains(own) && !third.contains("| leave them"), "{third}");
    assert!(third.contains("<said n=\"2\" by=\"b\">"), "{third}");
    assert!(
        third.contains(
            "STANCE: +2 (ban them) to -2 (leave them) | your claim, 3 to 8 words; if your number changed: | after #n"
        ),
        "{third}"
    );
    assert!(!prompt(&ran, 2).contains("after #n"), "a first position is no move");
    let text = whole(&ran.events, text::spell);
    assert!(text.contains("-- a: ban them all → freight stays, after b #2"), "{text}");
    // a first position is no move
    assert_eq!(text.matches("leave them").count(), 1, "{text}");
    let (state, turn_log) = fold(&ran.events);
    let analysis = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
    let table = analysis.tables().into_iter().find(|t| t.name == "poles").unwrap();
    let shown = |row: &Vec<Cell>| row.iter().map(Cell::shown).collect::<Vec<_>>().join(" ");
    assert_eq!(shown(&table.rows[2]), "3 a +1 freight stays 2 3");
    for cut in 1..ran.events.len() {
        let killed = ran.events[..cut].to_vec();
        let resumed = runtime().block_on(resume(killed, stating(of_a_debate), &[]));
        assert_eq!(
            (places(&resumed, "a"), places(&resumed, "b")),
            (places(&ran, "a"), places(&ran, "b"))
        );
    }
}

#[test]
fn the_host_can_move_somebody() {
    let news =
        |after: u32, text: &str| json!({"after": {"utterance": after}, "do": "say", "text": text});
    let steer = [news(1, "The tram is paid."), news(2, "The depot closes in May.")];
    let line = |number: u32| match number {
        1 => Some("+2 | ban them all"),
        2 => Some("-2 | leave them"),
        3 => Some("+1 | freight stays | after #h1: \"The tram is paid.\""),
        4 => Some("-1 | permits | after host"),
        5 => Some("0 | a trial | after #h3"),
        _ => Some("0 | permits | after #5"),
    };
    let ran = runtime().block_on(play(between_poles(json!({})), stating(line), &steer));
    let said: Vec<Seq> = ran.state.host_messages().map(|entry| entry.seq).collect();
    let moved = |id: &str| -> Vec<_> {
        let positions = ran.state.pole_positions(ran.state.seat(id).unwrap());
        positions.iter().map(|p| (p.moved_by, p.moved_by_message)).collect()
    };
    let a = [(None, None), (None, Some(said[0])), (None, None)];
    assert_eq!(
        moved("a"),
        a,
        "a message that nobody wrote moved nobody, and no turn of its number"
    );
    assert_eq!(moved("b"), [(None, None), (None, Some(said[1])), (Some(5), None)]);
    let fourth = prompt(&ran, 4);
    let shown = |n: u32, text: &str| format!("<host n=\"h{n}\">\n{text}\n</host>");
    assert!(fourth.contains(&shown(1, "The tram is paid.")), "{fourth}");
    assert!(fourth.contains(&shown(2, "The depot closes in May.")), "{fourth}");
    let text = whole(&ran.events, text::spell);
    assert!(text.contains("-- b: leave them → permits, after the host"), "{text}");
    let recorded =
        |e: &&Event| matches!(&e.kind, Kind::PositionRecorded(s) if s.moved_by_message.is_some());
    assert_eq!(ran.events.iter().filter(recorded).count(), 2);
}

#[test]
fn a_seat_that_leaves_the_line_out_twice_is_not_asked_again() {
    let asked = |ran: &Ran| -> Vec<bool> {
        (1..=6).map(|number| prompt(ran, number).contains("unread by the table: STANCE:")).collect()
    };
    // `a` never writes the line, `b` writes one without a number once
    let line = |number: u32| match number % 2 {
        1 => None,
        _ if number == 2 => Some("somewhere"),
        _ => Some("-1 | permits"),
    };
    let ran = runtime().block_on(play(between_poles(json!({})), stating(line), &[]));
    assert_eq!(asked(&ran), [true, true, true, true, false, true]);
    assert_eq!(places(&ran, "b"), ["4 -1 permits None"]);
    // a reply that ended at its token limit is not a miss
    let spent = || stage(|ask| Play::Spent(format!("{} begins", ask.number.unwrap_or(0))));
    let ran = runtime().block_on(play(between_poles(json!({})), spent(), &[]));
    assert_eq!(asked(&ran), [true; 6]);
    for other in [json!({"debate": "plain"}), json!({"stance": null})] {
        let ran = runtime().block_on(play(between_poles(other), stating(|_| None::<&str>), &[]));
        assert_eq!(asked(&ran), [false; 6]);
    }
    let mut structured = between_poles(json!({}));
    for seat in &mut structured.participants {
        let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}});
        seat.reply.form = Form::Schema(schema);
    }
    let answers = stage(|ask| {
        let words = json!({"answer": format!("STANCE: {}", ask.seat.id)}).to_string();
        Play::Words(words, 10)
    });
    let ran = runtime().block_on(play(structured, answers, &[]));
    assert_eq!(asked(&ran), [false; 6]);
    assert_eq!(ran.state.seat("a").unwrap().positions[0].at, None);
}
