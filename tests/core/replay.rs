//! Replay of a recorded conversation: the same tail, the same state at every event, the same text at every moment.

use crate::harness::*;
use colloquium::clock::Clock;
use colloquium::model::*;
use colloquium::session::replay::{Spot, Step, Transport};
use colloquium::session::{Item, Record, Tail};
use colloquium::state::{Live, State};
use colloquium::ui::Screen;
use colloquium::ui::theme::Theme;
use colloquium::ui::theme::glyphs;
use colloquium::ui::view::transcript::{Id, Transcript};
use serde_json::json;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// Number of events in the session of the seek benchmark.
const MANY: usize = 20_000;

fn records(ran: &Ran) -> Vec<Arc<Record>> {
    ran.events.iter().map(|e| Arc::new(Record::new(e.clone()).unwrap())).collect()
}

fn transport(ran: &Ran) -> Transport {
    Transport::new(records(ran), Clock::virtual_from(Ms(0)))
}

/// Applies all available events of a tail.
fn read(reader: &mut Live, tail: &mut Tail) {
    while let Some(item) = tail.try_next() {
        match item {
            Item::Event(record) => reader.apply(&record.event),
            Item::Piece(piece) => reader.push(piece),
            Item::Past(past) => {
                *reader = State::fold(past.from(0)).into();
            }
        }
    }
}

/// Plays a conversation with nearly every kind of visible event.
async fn lively(utterances: u32) -> Ran {
    let steer = [
        json!({"after": {"utterance": 1}, "do": "note", "to": ["b"], "text": "be brief"}),
        json!({"during": {"utterance": 2, "words": 3}, "do": "cut_in", "text": "why, @c?"}),
        json!({"during": {"utterance": 4, "words": 1}, "do": "pause_now"}),
        json!({"when": "paused", "do": "resume"}),
        json!({"after": {"utterance": 5}, "do": "reroll"}),
        json!({"after": {"utterance": 6}, "do": "edit", "utterance": 1, "text": "as edited"}),
        json!({"after": {"utterance": 6}, "do": "hide", "utterance": 3}),
        json!({"after": {"utterance": 6}, "do": "whisper", "to": "b", "text": "psst"}),
    ];
    play(round_robin(&["a", "b", "c"], utterances), plain(), &steer).await
}

#[tokio::test]
async fn a_replay_holds_the_state_of_then_at_every_event() {
    let ran = lively(9).await;
    let transport = transport(&ran);
    let mut tail = transport.tail();
    let mut reader = Live::default();
    let all = ran.events.len();
    // forward one by one, back one by one, and in jumps
    let leaps = (0..all).map(|i| i * 37 % all);
    for events in (0..=all).chain((0..=all).rev()).chain(leaps) {
        transport.seek(Spot::after(events));
        read(&mut reader, &mut tail);
        assert_eq!(reader.state, State::fold(&ran.events[..events]), "after {events} events");
        assert!(reader.loose.is_empty());
    }
    let mut late = Live::default();
    transport.seek(Spot::after(all));
    read(&mut late, &mut transport.tail());
    assert_eq!(late.state, ran.state, "a reader that comes late holds the same");
}

#[tokio::test]
async fn words_arrive_as_they_did() {
    let ran = lively(9).await;
    let said: Vec<Piece> = (0..ran.events.len())
        .flat_map(|at| {
            let before = State::fold(&ran.events[..at]);
            let Kind::Delta(d) = &ran.events[at].kind else { return vec![] };
            let mut pieces = piece::unpack(&d.pieces, before.turns[&d.pieces[0].0].since);
            // pieces sealed in the moment they arrive are never visible as unsealed, live or in a replay
            pieces.retain(|p| p.at < ran.events[at].ms);
            pieces
        })
        .collect();
    assert!(said.len() > 30, "{} pieces", said.len());
    for (speed, percent) in [("0.5", 50), ("1", 100), ("8x", 800)] {
        let base = Clock::virtual_from(Ms(5_000));
        let transport = Transport::new(records(&ran), base.clone());
        transport.set_speed(speed.parse().unwrap());
        transport.set_idle_limit(None);
        let mut tail = transport.tail();
        let reader = async {
            let mut heard = Vec::new();
            while let Some(item) = tail.next().await {
                if let Item::Piece(piece) = item {
                    let then = base.now().since(Ms(5_000)) * percent / 100;
                    assert!(then.abs_diff(piece.at.0) <= 8, "{then} ms for {piece:?} at {speed}");
                    heard.push(piece);
                }
            }
            heard
        };
        let (heard, ()) = tokio::join!(biased; reader, transport.play_through());
        assert_eq!(heard, said, "at {speed}");
    }
}

#[tokio::test]
async fn waits_are_shortened_where_asked_for() {
    let slow = stage(|_| Play::Words("a long time passes".into(), 20_000));
    let ran = play(round_robin(&["a", "b"], 2), slow, &[]).await;
    let end = ran.events.last().unwrap().ms;
    for (limit, at_most) in [(None, end.0), (Some(3_000), 9 * 3_000), (Some(0), 0)] {
        let base = Clock::virtual_from(Ms(0));
        let transport = Transport::new(records(&ran), base.clone());
        transport.set_idle_limit(limit);
        transport.play_through().await;
        assert!(base.now().0 <= at_most, "{} of {at_most} with {limit:?}", base.now());
        assert_eq!(base.now() == end, limit.is_none());
        assert_eq!(transport.status().now, end, "the time of then is what it was");
    }
}

#[tokio::test]
async fn steps_go_forth_and_back_over_the_same_places() {
    let transport = transport(&lively(9).await);
    for (forth, back) in [(Step::Text, Step::TextBack), (Step::Utterance, Step::UtteranceBack)] {
        transport.seek(Spot::after(1));
        let mut spots = vec![transport.status().spot];
        while transport.status().spot.events < transport.recording().records().len() {
            transport.step(forth);
            spots.push(transport.status().spot);
            assert!(spots[spots.len() - 2] < spots[spots.len() - 1], "{forth:?} stands still");
        }
        for spot in spots.iter().rev().skip(1) {
            transport.step(back);
            let was = *spot;
            let is = transport.status().spot;
            // the last piece and the event that seals it look the same
            let same = was == is || is.pieces > 0 && was == Spot::after(is.events + 1);
            assert!(same, "{back:?} stands at {is:?} in place of {was:?}");
        }
    }
}

#[tokio::test]
async fn an_utterance_begins_with_its_floor_and_a_pause_holds_where_it_is() {
    let ran = lively(9).await;
    let transport = transport(&ran);
    for number in 1..=9 {
        let spot = transport.recording().utterance(number).unwrap();
        let begins = matches!(&ran.events[spot.events - 1].kind, Kind::FloorGranted(f) if f.number == Some(number));
        assert!(begins, "{number}: {:?}", ran.events[spot.events - 1]);
    }
    assert_eq!(transport.recording().utterance(10), None);
    transport.seek(transport.recording().utterance(4).unwrap());
    let spot = transport.status().spot;
    transport.play();
    assert!(transport.status().playing);
    transport.pause();
    let standing = transport.status();
    assert_eq!((standing.playing, standing.spot), (false, spot));
}

#[tokio::test]
async fn seek_shows_events_up_to_the_time() {
    let ran = lively(9).await;
    let transport = transport(&ran);
    let mut tail = transport.tail();
    let mut reader = Live::default();
    for ms in (0..=ran.events.last().unwrap().ms.0).rev().step_by(13) {
        transport.seek_time(Ms(ms));
        read(&mut reader, &mut tail);
        let events = ran.events.iter().take_while(|e| e.ms.0 <= ms).count();
        assert_eq!(reader.state, State::fold(&ran.events[..events]));
        assert!(reader.loose.iter().all(|p| p.at.0 <= ms));
        assert_eq!(transport.status().now, Ms(ms));
    }
}

/// Returns the comparable part of a screen's transcript.
fn comparable(transcript: &Transcript) -> impl PartialEq + Debug {
    let figures: Vec<String> =
        transcript.analysis().tables().iter().map(|t| format!("{t:?}")).collect();
    let asides: Vec<_> = transcript.asides().cloned().collect();
    let mut events: Vec<Seq> = vec![];
    transcript.events(Seq(0), &mut |e| {
        events.push(e.seq);
        ControlFlow::Continue(())
    });
    let thoughts = transcript.rows().map(|row| match row.id {
        Id::Turn(turn) => transcript.thought(turn).map(str::to_owned),
        Id::Event(_) | Id::Before(_) | Id::After(_) => None,
    });
    let thoughts: Vec<_> = thoughts.collect();
    (
        transcript.state().clone(),
        transcript.rows().cloned().collect::<Vec<_>>(),
        asides,
        figures,
        events,
        thoughts,
    )
}

/// Prints the seek time: `cargo test --release --test core seeking -- --nocapture`.
#[tokio::test]
async fn seeking_in_a_long_session() {
    let ran = lively(if cfg!(debug_assertions) { 300 } else { 4_001 }).await;
    let mut events = ran.events.clone();
    events.truncate(MANY);
    let records = records(&Ran { events, ..ran });
    let transport = Transport::new(records.clone(), Clock::virtual_from(Ms(0)));
    let theme = Theme::default();
    let mut screen = Screen::new(Seq(0), transport.clock(), theme, &glyphs::UNICODE);
    let mut tail = transport.tail();
    let mut read = |screen: &mut Screen| {
        let begun = Instant::now();
        while let Some(item) = tail.try_next() {
            screen.take(&item);
        }
        begun.elapsed().as_secs_f64() * 1_000.0
    };
    // first without waypoints, as for a seek before they are built
    for made in [false, true] {
        if made {
            let mut making = screen.transcript.waypoints.making();
            records.iter().for_each(|record| making.take(&record.event));
        }
        let mut worst = 0.0f64;
        for place in
            (0..12).map(|i| (i * 7_919 + 4_242) % (records.len() + 1)).chain([records.len(), 0])
        {
            transport.seek(Spot::after(place));
            worst = worst.max(read(&mut screen));
            let mut whole = Transcript::default();
            records[..place].iter().for_each(|r| whole.take(&Item::Event(r.clone())));
            assert!(
                comparable(&screen.transcript) == comparable(&whole),
                "after {place} events, waypoints: {made}"
            );
        }
        println!("seeking in {} events: {worst:.1} ms at worst, waypoints: {made}", records.len());
    }
}
