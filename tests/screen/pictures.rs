//! Snapshots of the screen: every scene at every size, and in every look.
//!
//! Tables list the scenes, sizes and looks, so that a new screen is one line. A file holds all scenes of a size as
//! text, or all scenes of a look as runs of styles. Rows that equal those of the previous scene are counted, not
//! repeated.

use crate::boards::{advised, answering, planned, voted};
use crate::contest::played;
use crate::stage::{Stage, show};
use crate::{moments, people, permissions, replay, start};
use colloquium::model::{Event, Kind, Usage, Usd};
use colloquium::ui::draw;
use colloquium::ui::start::{Keying, StartScreen};
use colloquium::ui::theme::glyphs::{ASCII, Glyphs, UNICODE};
use colloquium::ui::theme::{Depth, Ground, Theme, ThemeLibrary};
use crossterm::event::KeyCode::{self, Char, Down, Enter, PageUp, Tab};
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use serde_json::json;
use std::fmt::Write;

/// Setup of a snapshot.
enum Scene {
    /// Conversation.
    Talk(fn(Stage) -> Stage),
    /// Start screen.
    Start(fn() -> StartScreen),
}

use Scene::{Start as Begin, Talk};

const SCENES: &[(&str, Scene)] = &[
    ("nobody has spoken yet", Talk(|s| s.until(|e| matches!(e.kind, Kind::Opened(_))))),
    ("speaking", Talk(|s| s.during(4, 8))),
    ("the beginning is read while somebody speaks", Talk(|s| keys(s.during(6, 3), "g"))),
    ("people between the poles", Talk(|s| s.with_positions().during(7, 3))),
    ("the table", Talk(|s| press(s.with_positions().during(7, 3), &[KeyCode::F(2)]))),
    ("a page up", Talk(|s| press(s.during(6, 3), &[PageUp]))),
    ("words are queued, others are written", Talk(|s| written(queued(s.during(2, 6))))),
    ("commands that fit what is written", Talk(|s| keys(s.during(2, 6), "i/pa"))),
    ("a message is marked", Talk(|s| press(on_line(s.during(6, 3)), &[KeyCode::Esc, KeyCode::Up]))),
    (
        "the menu of a message",
        Talk(|s| press(on_line(s.during(6, 3)), &[KeyCode::Esc, KeyCode::Enter])),
    ),
    ("the list", Talk(|s| keys(on_line(s.during(2, 6)), "/"))),
    ("words that wait, as a list", Talk(|s| press(queued(s.during(2, 6)), &[KeyCode::Delete]))),
    ("a notice that needs more than a row", Talk(|s| keys(noticed(s.during(2, 6)), ""))),
    ("whoever leaves is asked once more", Talk(|s| leaving(s.during(2, 6)))),
    ("words cut in", Talk(|s| cut_in(s.during(2, 6)))),
    ("paused", Talk(|s| paused(s.during(2, 6)))),
    ("a call failed and is tried again", Talk(|s| retried(s.during(2, 0)))),
    ("a seat is put forward", Talk(|s| keys(s.during(2, 6), "3"))),
    ("what can be done with it", Talk(|s| press(s.during(2, 6), &[Char('3'), Char('C')]))),
    ("all seats at once", Talk(at_once)),
    (
        "votes and a verdict",
        Talk(|s| whole(s, played("{ name = \"moderated\", moderator = \"mo\" }"))),
    ),
    ("commands", Talk(|s| press(s.during(2, 6), &[Char(':'), Down]))),
    ("keys", Talk(|s| keys(s.during(2, 6), "?"))),
    ("themes", Talk(|s| keys(s.during(2, 6), "t"))),
    ("formats", Talk(|s| keys(s.whole(), "E"))),
    ("a prompt", Talk(|s| keys(s.during(4, 8), "p"))),
    ("a message alone", Talk(|s| keys(s.during(4, 8), "Kz"))),
    ("words are looked for", Talk(|s| keys(s.during(6, 3), "/the"))),
    ("who spoke when", Talk(|s| keys(s.whole(), "a1"))),
    ("cost and speed", Talk(|s| keys(s.whole(), "a2"))),
    ("positions", Talk(|s| keys(s.whole(), "a3"))),
    (
        "who stood where",
        Talk(|s| keys(whole(s, played("{ name = \"moderated\", moderator = \"mo\" }")), "a3")),
    ),
    ("events", Talk(|s| keys(s.whole(), "a4"))),
    ("answers, and one who works again", Talk(answering)),
    ("votes, and the answer that won", Talk(voted)),
    ("all answers and votes", Talk(|s| keys(voted(s), "d"))),
    ("a plan, and a question in it", Talk(planned)),
    ("all of a plan", Talk(|s| keys(planned(s), "d"))),
    ("what is known of a person", Talk(|s| keys(advised(s), "d"))),
    ("an agent asks to be allowed", Talk(|s| of_size(s, permissions::asks))),
    ("a limit holds", Talk(|s| of_size(s, moments::limited))),
    ("a call failed and nobody goes on", Talk(|s| of_size(s, moments::failed))),
    ("a table of twelve", Talk(|s| of_size(s, people::twelve))),
    ("a table of fifty", Talk(|s| of_size(s, people::crowded))),
    ("the conversation is finished", Talk(Stage::whole)),
    ("a recording", Talk(replay::half)),
    ("the first run", Begin(start::first)),
    ("the start screen", Begin(start::found)),
    ("a topic, and what it costs", Begin(start::used)),
    ("a topic without a model", Begin(|| written_at(start::first()))),
    ("who sits at the table", Begin(|| start_keys(&[Tab, Enter]))),
    ("what kind of talk", Begin(|| start_keys(&[Tab, Tab, Enter]))),
    ("a session is chosen", Begin(|| start_keys(&[KeyCode::Down, KeyCode::Down]))),
    ("a key of a provider", Begin(|| key_asked(start::first()))),
    ("the keys of the start screen", Begin(|| start_keys(&[KeyCode::F(1)]))),
];

/// Terminal sizes with a snapshot: the usual one, and a large one with every pane.
const SIZES: [(u16, u16); 2] = [USUAL, (120, 40)];

/// Other terminal sizes, down to the smallest: the floor must be visible, and nothing may break.
const OTHER_SIZES: [(u16, u16); 3] = [(200, 60), (50, 24), (40, 10)];

/// Name of a look, its theme, its background, and its colour depth.
type Look = (&'static str, &'static str, Option<Ground>, Depth);

const LOOKS: &[Look] = &[
    ("dark", "colloquium-dark", None, Depth::True),
    ("light", "colloquium-light", None, Depth::True),
    ("mono", "mono", None, Depth::True),
    ("sixteen", "terminal", None, Depth::Ansi),
    ("the_256_on_light", "terminal", Some(Ground::Light), Depth::Indexed),
];

/// Terminal size of the looks.
const USUAL: (u16, u16) = (80, 24);

#[test]
fn every_scene_at_every_size_and_in_every_look() {
    let mut looks = vec![];
    let mut ascii = Album::default();
    let sizes: Vec<Album> = std::thread::scope(|threads| {
        let at_size = |(width, height)| threads.spawn(move || album(width, height));
        let albums: Vec<_> = SIZES.into_iter().chain(OTHER_SIZES).map(at_size).collect();
        (looks, ascii) = in_every_look();
        albums.into_iter().map(|album| album.join().unwrap()).collect()
    });
    for ((width, height), album) in SIZES.iter().zip(&sizes) {
        assert_snapshot!(format!("scenes__{width}x{height}"), album.text());
    }
    for ((name, ..), album) in LOOKS.iter().zip(&looks) {
        assert_snapshot!(format!("looks__{name}"), album.text());
    }
    let strange = ascii.all.lines().find(|line| !line.is_ascii());
    assert_eq!(strange, None, "a sign that is no ASCII");
    assert_snapshot!("scenes__ascii", ascii.text());
}

/// Draws every scene at a size.
fn album(width: u16, height: u16) -> Album {
    let mut album = Album::default();
    for (name, scene) in SCENES {
        let rows = text(&scene.played(width, height, &UNICODE).drawn(&Theme::default(), &UNICODE));
        is_floor_seen(name, scene, &rows);
        album.add(name, rows);
    }
    album
}

/// Draws every scene in every look, and once in ASCII only.
fn in_every_look() -> (Vec<Album>, Album) {
    let mut looks: Vec<Album> = LOOKS.iter().map(|_| Album::default()).collect();
    let mut ascii = Album::default();
    for (name, scene) in SCENES {
        let mut set = scene.played(USUAL.0, USUAL.1, &UNICODE);
        for ((_, theme, ground, depth), album) in LOOKS.iter().zip(&mut looks) {
            let theme = ThemeLibrary::default().theme(theme, *ground, *depth).unwrap();
            let rows = runs(&set.drawn(&theme, &UNICODE), &mut album.styles);
            album.add(name, rows);
        }
        let mut plain = scene.played(USUAL.0, USUAL.1, &ASCII);
        ascii.add(name, text(&plain.drawn(&Theme::default(), &ASCII)));
    }
    (looks, ascii)
}

#[test]
fn a_screen_that_is_too_small_says_so_and_nothing_breaks() {
    for size in [(1, 1), (20, 5), (39, 24), (80, 9)] {
        for at in [1, 6, 16, SCENES.len() - 1] {
            let shown = text(
                &SCENES[at].1.played(size.0, size.1, &UNICODE).drawn(&Theme::default(), &UNICODE),
            )
            .concat();
            let told = "Too small (need 40x10). Still running";
            assert!(size.0 < 39 || at > 16 || shown.contains(told), "{size:?}: {shown}");
        }
    }
}

/// Asserts that the state of the floor is visible in a scene. The pages of figures count as such.
fn is_floor_seen(name: &str, scene: &Scene, rows: &[String]) {
    let all = rows.join("\n");
    let words = [
        "speaking",
        "speak at once",
        "waiting for",
        "retrying in",
        "asks to use",
        "PAUSED",
        "WAITING",
        "STOPPED",
        "DONE",
        "1 floor",
    ];
    let is_told = words.iter().any(|word| all.contains(word));
    let counts = |row: &str| [" turn ", " turns ", "/"].iter().any(|sign| row.contains(sign));
    let counted = counts(&rows[0]) && rows[0].contains(':');
    let is_talk = matches!(scene, Talk(_));
    assert!(!is_talk || counted && is_told, "{name}:\n{all}");
    let cut = rows.iter().any(|row| row.contains("speakin…"));
    assert!(!cut, "what the floor does is cut in {name}:\n{all}");
}

/// A played scene, ready to draw.
enum Set {
    Talk(Box<Stage>),
    Start(Box<StartScreen>, Terminal<TestBackend>),
}

impl Scene {
    fn played(&self, width: u16, height: u16, glyphs: &'static Glyphs) -> Set {
        match self {
            Talk(play) => {
                let mut stage = Stage::altered(width, height, priced);
                stage.screen.glyphs = glyphs;
                Set::Talk(Box::new(play(stage)))
            }
            Begin(made) => {
                let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
                Set::Start(Box::new(made()), terminal)
            }
        }
    }
}

impl Set {
    fn drawn(&mut self, theme: &Theme, glyphs: &'static Glyphs) -> Buffer {
        match self {
            Set::Talk(stage) => {
                stage.screen.glyphs = glyphs;
                stage.screen.set_theme(theme.clone());
                stage.draw();
                stage.terminal.backend().buffer().clone()
            }
            Set::Start(start, terminal) => {
                start.theme = theme.clone();
                start.glyphs = glyphs;
                show(terminal, |frame| draw::start::draw(frame, start));
                terminal.backend().buffer().clone()
            }
        }
    }
}

/// Scenes, one below the other.
#[derive(Default)]
struct Album {
    all: String,
    before: Vec<String>,
    styles: Vec<Style>,
}

impl Album {
    fn add(&mut self, name: &str, rows: Vec<String>) {
        writeln!(self.all, "== {name} ==").unwrap();
        write_rows(&mut self.all, &rows, &self.before);
        self.before = rows;
    }

    fn text(&self) -> String {
        let styles = self.styles.iter().enumerate();
        let legend = styles.map(|(i, s)| format!("{} {}\n", letter(i), look(s)));
        legend.collect::<String>() + &self.all
    }
}

/// Appends rows; three or more unchanged ones become a count.
fn write_rows(all: &mut String, rows: &[String], before: &[String]) {
    let mut at = 0;
    while at < rows.len() {
        let same = rows[at..].iter().zip(before.iter().skip(at)).take_while(|(a, b)| a == b);
        match same.count() {
            same @ 3.. => {
                writeln!(all, "(rows {} to {} as before)", at + 1, at + same).unwrap();
                at += same;
            }
            _ => {
                writeln!(all, "{}", rows[at]).unwrap();
                at += 1;
            }
        }
    }
}

/// Returns the rows as text.
fn text(buffer: &Buffer) -> Vec<String> {
    let row = |y| {
        let cells: String = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
        cells.trim_end().to_owned()
    };
    (0..buffer.area.height).map(row).collect()
}

/// Returns the rows as runs of styles: number of cells, and letter of their style.
fn runs(buffer: &Buffer, styles: &mut Vec<Style>) -> Vec<String> {
    let row = |y| {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for x in 0..buffer.area.width {
            let style = buffer[(x, y)].style();
            let known = styles.iter().position(|s| *s == style);
            let at = known.unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            match runs.last_mut() {
                Some((last, cells)) if *last == at => *cells += 1,
                _ => runs.push((at, 1)),
            }
        }
        runs.iter()
            .map(|(at, cells)| format!("{}{cells}", letter(*at)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..buffer.area.height).map(row).collect()
}

fn letter(at: usize) -> char {
    ('a'..='z').chain('A'..='Z').chain('α'..='ω').nth(at).unwrap()
}

fn look(style: &Style) -> String {
    let colour = |c: Option<ratatui::style::Color>| c.map_or("-".into(), |c| c.to_string());
    let kinds = format!("{:?}", style.add_modifier);
    format!("{} on {} {kinds}", colour(style.fg), colour(style.bg))
}

/// Adds prices to utterances of the demo, as if a model had spoken.
pub fn priced(event: &mut Event) {
    if let Kind::TurnEnded(end) = &mut event.kind {
        end.usage = Some(Usage { input: 5_810, output: 214, ..Usage::default() });
        end.cost = Some(Usd(21_000_000));
    }
}

/// Returns another stage of the same size.
fn of_size(stage: Stage, make: fn(u16, u16) -> Stage) -> Stage {
    let size = stage.terminal.backend().buffer().area;
    make(size.width, size.height)
}

fn press(mut stage: Stage, keys: &[KeyCode]) -> Stage {
    stage.press(keys);
    stage
}

fn keys(stage: Stage, keys: &str) -> Stage {
    let keys: Vec<KeyCode> = keys.chars().map(Char).collect();
    press(stage, &keys)
}

fn written(stage: Stage) -> Stage {
    keys(
        stage,
        "iI hold this for a long thought that needs more than one row to be written down, and",
    )
}

/// Returns a stage in front of a person at the line.
fn on_line(mut stage: Stage) -> Stage {
    stage.short = false;
    stage.screen.open_line();
    stage
}

fn queued(mut stage: Stage) -> Stage {
    for (n, words) in ["Please cite one counter-example.", "And a second one."].iter().enumerate() {
        let given = json!({"key": format!("0:{n}"), "do": "say", "text": words});
        stage.happens("operator", "command.given", given);
        stage.happens("engine", "receipt", json!({"of": format!("0:{n}"), "is": "queued"}));
    }
    stage
}

/// Shows a notice longer than the last row.
fn noticed(mut stage: Stage) -> Stage {
    let words = "change: nonsense: unknown key; the keys here are name, aliases, role, persona, model and weight; \
                 as in weight = 2";
    stage.screen.view.notice = Some(words.into());
    stage
}

fn key_asked(mut start: StartScreen) -> StartScreen {
    start.keyless = vec![("openai".into(), "OPENAI_API_KEY".into())];
    start.keying = Some(Keying::default());
    start
}

fn written_at(mut start: StartScreen) -> StartScreen {
    start::write(&mut start, "Should school start at nine?");
    start
}

/// Applies a command that interrupts the speaker.
fn stopped(mut stage: Stage, why: &str, text: &str) -> Stage {
    let turn = stage.turn();
    let mut given = json!({"key": "0:1", "do": why, "targets": {"turns": [turn], "threads": [0]}});
    if !text.is_empty() {
        given["text"] = text.into();
    }
    stage.happens("operator", "command.given", given);
    let said = stage.screen.transcript.live.said(turn).to_string();
    let end = json!({
        "turn": turn, "purpose": "speak", "number": 2, "outcome": "cut", "why": why, "text": said,
    });
    stage.happens("engine", "turn.ended", end);
    stage
}

fn leaving(mut stage: Stage) -> Stage {
    stage.chord('c');
    stage
}

fn cut_in(stage: Stage) -> Stage {
    let mut stage = stopped(stage, "cut_in", "And who pays for the tram?");
    stage.happens("operator", "human.said", json!({"of": "0:1"}));
    stage
}

fn paused(stage: Stage) -> Stage {
    let mut stage = stopped(stage, "pause_now", "");
    stage.happens("engine", "paused", json!({}));
    stage
}

fn retried(mut stage: Stage) -> Stage {
    let turn = stage.turn();
    let call = stage.screen.transcript.state().calls().next().unwrap().call;
    let why = json!({"class": "rate", "text": "429: too many requests"});
    stage.happens(
        "engine",
        "call.retried",
        json!({"turn": turn, "call": call, "error": why, "wait_ms": 8_000}),
    );
    stage
}

fn whole(mut stage: Stage, events: Vec<Event>) -> Stage {
    events.into_iter().for_each(|event| stage.take(event));
    stage
}

/// Returns a conversation in which all seats speak simultaneously, during their turns.
fn at_once(mut stage: Stage) -> Stage {
    for event in played("\"simultaneous\"") {
        let speaks = matches!(event.kind, Kind::Delta(_));
        stage.take(event);
        if speaks {
            break;
        }
    }
    stage
}

fn start_keys(keys: &[KeyCode]) -> StartScreen {
    let mut start = start::used();
    for code in keys {
        start::press(&mut start, &[*code]);
    }
    start
}

#[test]
fn seats_have_their_colours_in_the_row_of_the_cast() {
    for width in [80, 50] {
        let mut stage = Stage::altered(width, 24, priced).during(4, 8);
        stage.draw();
        let theme = &stage.screen.theme;
        let buffer = stage.terminal.backend().buffer();
        assert_eq!(buffer[(1, 1)].fg, theme.speaker(0).fg.unwrap(), "at {width} columns");
    }
}
