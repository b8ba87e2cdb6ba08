//! A recording on the screen: its keys and its appearance.

use crate::stage::{Stage, demo, whole_demo};
use colloquium::clock::Clock;
use colloquium::model::{Event, Kind, Ms, Wall};
use colloquium::session::replay::{Spot, Transport};
use colloquium::session::{Record, Tail};
use colloquium::ui::ScreenMode;
use colloquium::ui::act::mouse::mouse;
use colloquium::ui::view::player::Playback;
use colloquium::ui::view::timeline::{Mark, Sort};
use crossterm::event::KeyCode::{self, Char};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::sync::Arc;

/// A screen that plays the recorded demo.
struct Replayed {
    stage: Stage,
    tail: Tail,
    transport: Transport,
}

fn replayed(width: u16, height: u16) -> Replayed {
    played_on(Stage::new(width, height))
}

/// A stage in the middle of the recorded demo.
pub fn half(stage: Stage) -> Stage {
    let mut replayed = played_on(stage);
    replayed.press(&[Char('5'), Char('+'), Char('.')]);
    replayed.stage
}

fn played_on(stage: Stage) -> Replayed {
    let records: Vec<_> =
        demo().iter().map(|e| Arc::new(Record::new(e.clone()).unwrap())).collect();
    on(stage, Transport::new(records, Clock::virtual_from(Ms(0))))
}

fn on(mut stage: Stage, transport: Transport) -> Replayed {
    stage.screen.clock = transport.clock();
    let mut playback = Playback::new(transport.clone());
    // 2026-05-04 09:30 UTC, independent of the time of the test
    playback.recorded = Wall(1_777_887_000_000);
    stage.screen.view.mode = ScreenMode::Recording(playback);
    stage.screen.open_line();
    Replayed { stage, tail: transport.tail(), transport }
}

impl Replayed {
    fn press(&mut self, keys: &[KeyCode]) {
        for key in keys {
            let asked = self.stage.press(&[*key]);
            assert!(asked.is_empty(), "{asked:?}");
            self.read();
        }
    }

    fn read(&mut self) {
        while let Some(item) = self.tail.try_next() {
            self.stage.screen.take(&item);
        }
    }
}

#[test]
fn shows_the_state_at_that_time() {
    let mut live = Stage::new(80, 24).during(4, 8);
    let mut replayed = replayed(80, 24);
    replayed.transport.seek(Spot::after(live.next));
    replayed.read();
    let then = live.rows();
    let now = replayed.stage.rows();
    assert_eq!(then[1], now[1], "the cast is that of then");
    let floor = |rows: &[String]| {
        let row = rows.iter().find(|row| row.contains("then ")).unwrap();
        row.split(['─', '┌']).find(|part| !part.is_empty()).map(str::to_owned)
    };
    assert_eq!(floor(&then), floor(&now), "the floor is that of then");
    assert_eq!(live.screen.transcript.live, replayed.stage.screen.transcript.live);
}

#[test]
fn the_keys_of_the_player() {
    let mut r = replayed(80, 24);
    r.press(&[Char('0')]);
    let at = |r: &Replayed| r.transport.status().spot;
    let begin = at(&r);
    r.press(&[KeyCode::Right, KeyCode::Right]);
    let second = at(&r);
    assert!(second > begin);
    r.press(&[KeyCode::Left]);
    assert!(begin < at(&r) && at(&r) < second);
    r.press(&[Char('.')]);
    let text = at(&r);
    r.press(&[Char('.'), Char(',')]);
    assert_eq!(at(&r), text);
    r.press(&[Char('9')]);
    assert!(r.transport.status().now.0 * 10 >= r.transport.status().end.0 * 9 - 10);
    r.press(&[Char('+'), Char('+')]);
    assert_eq!(r.transport.status().speed.to_string(), "4x");
    r.press(&[Char('-'), Char('w')]);
    assert_eq!(r.transport.status().speed.to_string(), "2x");
    assert_eq!(r.transport.status().idle_limit, None);
    assert!(!r.transport.status().playing);
    r.press(&[Char(' ')]);
    assert!(r.transport.status().playing && r.stage.text().contains("PLAYING 2x"));
    r.press(&[Char('0'), Char(']')]);
    let mark = at(&r).events;
    assert!(
        matches!(
            demo()[mark - 1].kind,
            Kind::HumanSaid(_) | Kind::CallRetried(_) | Kind::TurnEnded(_)
        ) || r.stage.text().contains("no more marks")
    );
}

#[test]
fn nothing_is_steered_in_the_past() {
    let mut r = replayed(80, 24);
    for key in ['s', 'S', 'm', 'f', 'i', 'x'] {
        r.press(&[Char('5'), KeyCode::Tab, Char(key)]);
        assert!(!r.stage.screen.view.writing, "{key}");
    }
    assert_eq!(r.stage.press(&[Char('q')]).len(), 1, "q leaves at once");
}

#[test]
fn of_many_marks_the_gravest_is_seen() {
    let mut r = replayed(80, 24);
    r.press(&[Char('5')]);
    let ScreenMode::Recording(playback) = &mut r.stage.screen.view.mode else { unreachable!() };
    let begin = playback.timeline.begin.0;
    let end = playback.timeline.end.0;
    let mark = |i: usize| Mark {
        spot: Spot::after(i),
        at: Ms(begin + (end - begin) * i as u64 / 99),
        sort: if i.is_multiple_of(33) { Sort::Error } else { Sort::ALL[i % 2] },
    };
    playback.timeline.marks = (0..100).map(mark).collect();
    insta::assert_snapshot!("replay__many_marks__80x24", r.stage.text());
}

#[test]
fn a_click_on_the_timeline_goes_there() {
    let mut r = replayed(80, 24);
    r.press(&[Char('0')]);
    let row = 22;
    let modifiers = KeyModifiers::NONE;
    for (kind, column) in [
        (MouseEventKind::Down(MouseButton::Left), 70),
        (MouseEventKind::Drag(MouseButton::Left), 40),
    ] {
        mouse(&mut r.stage.screen, &MouseEvent { kind, column, row, modifiers });
        r.read();
        let rows = r.stage.rows();
        let head = rows[usize::from(row)].chars().position(|c| c == '●');
        assert!(head.is_some_and(|at| at.abs_diff(usize::from(column)) <= 1), "{}", rows[22]);
    }
}

/// A recording with times beyond any clock is drawn, played and navigated like any other.
#[test]
fn times_may_be_as_large_as_a_file_can_name_them() {
    let late = |e: &Event| if e.seq.0 > 9 { Ms(u64::MAX) } else { e.ms };
    let events = demo().iter().map(|e| Event { ms: late(e), ..e.clone() });
    let records: Vec<_> = events.map(|e| Arc::new(Record::new(e).unwrap())).collect();
    let transport = Transport::new(records, Clock::virtual_from(Ms(0)));
    let mut r = on(Stage::new(80, 24), transport);
    r.press(&[Char('w'), Char('+'), Char(' ')]);
    for key in ['0', '5', '9', '.', ',', ']', '[', 'a'] {
        r.press(&[Char(key)]);
        assert!(r.stage.text().contains("REPLAY"));
    }
}

/// End goes to the end of a recording, where the poster opens; another key closes it and seeks.
#[test]
fn the_end_of_a_recording_is_a_poster() {
    for (width, height) in [(40, 12), (80, 24), (100, 30)] {
        let records = whole_demo().iter().map(|e| Arc::new(Record::new(e.clone()).unwrap()));
        let transport = Transport::new(records.collect::<Vec<_>>(), Clock::virtual_from(Ms(0)));
        let mut r = on(Stage::new(width, height), transport);
        r.press(&[Char('5'), KeyCode::End]);
        let status = r.transport.status();
        assert_eq!(status.now, status.end);
        let shown = r.stage.text();
        assert!(shown.contains("SHOULD CITIES BAN PRIVATE CARS?"), "{shown}");
        assert!(shown.contains("Ada ●━"), "{shown}");
        r.press(&[Char('5')]);
        let shown = r.stage.text();
        assert!(!shown.contains("SHOULD CITIES") && shown.contains("ban"), "{shown}");
        assert!(shown.contains('◆'), "moves are on the timeline: {shown}");
        assert_eq!(height - 5, r.stage.screen.view.areas.transcript.height);
    }
}
