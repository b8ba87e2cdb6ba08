//! Text that was ever addressed to one participant is never said to others, whatever is pressed.

use crate::stage::Stage;
use colloquium::clock::Clock;
use colloquium::model::{Addressed, Command, Key, Ms, ReceiptIs, SeatId, Seq};
use colloquium::session::{Item, Record};
use colloquium::state::State;
use colloquium::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use colloquium::ui::act::update::{key, paste};
use colloquium::ui::linear::{AfterLine, Linear};
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{self, Char, Down, Enter, Esc, Tab, Up};
use crossterm::event::{KeyEvent, KeyModifiers};
use std::ops::Range;
use std::sync::Arc;

const SECRET: &str = "CANARY";

/// Lines that address Bo, or nobody here.
const LINES: [&str; 18] = [
    "@@bo CANARY",
    "i@@bo CANARY",
    "@@Bo, CANARY",
    "@@2 CANARY",
    "@@@bo CANARY",
    " @@bo: CANARY",
    "＠＠bo CANARY",
    "\u{200b}@@bo CANARY",
    "/whisper bo CANARY",
    "/whisper @bo CANARY",
    "/WHISPER bo CANARY",
    "／whisper bo CANARY",
    "/wisper bo CANARY",
    "/say @@bo CANARY",
    "/cut-in @@bo CANARY",
    "/note @@bo CANARY",
    "@@zed CANARY",
    "/whisper zed CANARY",
];

fn speaking() -> Stage {
    let mut stage = Stage::new(80, 24).during(2, 2);
    stage.short = false;
    stage.screen.open_line();
    stage
}

/// Returns whether a command keeps the secret: it is for Bo alone, or says nothing of it.
fn keeps_secret(command: &Command, state: &State) -> bool {
    let bo: SeatId = "bo".into();
    if !serde_json::to_string(command).unwrap().contains(SECRET) {
        return true;
    }
    match command {
        Command::Whisper(words) => *words.to() == bo,
        Command::Note { to, .. } => to[..] == [bo],
        Command::EditQueued { of, .. } => {
            let before = state.pending_command(&Key(of.clone())).map(|c| c.command());
            matches!(before, Some(Command::Whisper(words)) if *words.to() == bo)
        }
        _ => false,
    }
}

/// Applies a command to the screen as the engine does while somebody speaks: it waits in the queue.
fn queue(stage: &mut Stage, command: &Command) {
    let state = stage.screen.transcript.state();
    let key = format!("0:{}", state.next_seq);
    let of = match command {
        Command::DropQueued { of } | Command::EditQueued { of, .. } => {
            state.keys.get(&**of).copied()
        }
        Command::Say { .. } | Command::CutIn { .. } | Command::Whisper(_) => None,
        _ => return,
    };
    let mut data = serde_json::to_value(command).unwrap();
    data["key"] = key.clone().into();
    if let Some(of) = of {
        data["targets"] = serde_json::json!({"of": of});
    }
    stage.happens("operator", "command.given", data);
    let is = if of.is_some() { ReceiptIs::Done } else { ReceiptIs::Queued };
    stage.happens("engine", "receipt", serde_json::json!({"of": key, "is": is}));
}

/// Numbers without a pattern, the same ones for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

/// Presses a random key, or pastes, or starts again with the saved draft; returns the requests.
fn step(stage: &mut Stage, dice: &mut Dice) -> Vec<Request> {
    let plain = [Enter, Enter, Enter, Up, Up, Down, Esc, Tab, Char(' '), Char('@'), Char('2')];
    let letters = ['i', 'I', 'x', 'u', 'e', 'w', 'd', '/', '1'];
    let press = |stage: &mut Stage, code: KeyCode, with| {
        key(&mut stage.screen, &KeyEvent::new(code, with)).into_iter().collect::<Vec<Request>>()
    };
    // text is typed behind the name, as a person would
    assert_eq!(press(stage, KeyCode::End, KeyModifiers::NONE), []);
    match dice.roll(30) {
        n if n < plain.len() * 2 => press(stage, plain[n / 2], KeyModifiers::NONE),
        22..=24 => press(stage, Char(letters[dice.roll(letters.len())]), KeyModifiers::NONE),
        25 => press(stage, Char('c'), KeyModifiers::CONTROL),
        26 => {
            let mut asked: Vec<Request> = press(stage, Char('x'), KeyModifiers::CONTROL);
            let then = [Char('u'), Enter, Char('e'), Char(' ')][dice.roll(4)];
            asked.extend::<Vec<Request>>(press(stage, then, KeyModifiers::NONE));
            asked
        }
        27 => {
            paste(&mut stage.screen, "and more");
            vec![]
        }
        28 => press(stage, Enter, KeyModifiers::ALT),
        _ => {
            let draft = stage.screen.view.composer.text();
            *stage = speaking();
            stage.screen.view.composer.begin(&draft);
            stage.screen.view.writing = true;
            vec![]
        }
    }
}

#[test]
fn no_sequence_of_keys_makes_a_whisper_public() {
    sequences_of_keys(0..100);
}

#[test]
#[ignore = "half a minute: cargo test --test screen of_a_thousand -- --ignored"]
fn none_of_a_thousand_sequences_makes_a_whisper_public() {
    sequences_of_keys(0..1_000);
}

fn sequences_of_keys(seeds: Range<u64>) {
    for seed in seeds {
        let mut dice = Dice(seed);
        let mut stage = speaking();
        let line = LINES[dice.roll(LINES.len())];
        let mut pressed = vec![line.to_owned()];
        for c in line.chars() {
            key(&mut stage.screen, &KeyEvent::new(Char(c), KeyModifiers::NONE));
        }
        let mut ms = 100_000;
        for _ in 0..25 {
            ms += [5, 300, 900][dice.roll(3)];
            stage.screen.clock = Clock::virtual_from(Ms(ms));
            let asked = step(&mut stage, &mut dice);
            pressed.push(format!("{asked:?}"));
            for request in asked {
                let commands = match request {
                    Request::Send(command) => vec![command],
                    Request::SendAll(commands) | Request::Extend(commands) => commands,
                    _ => vec![],
                };
                for command in commands {
                    let state = stage.screen.transcript.state();
                    assert!(keeps_secret(&command, state), "{seed}: {pressed:#?}\n{command:?}");
                    queue(&mut stage, &command);
                }
            }
        }
    }
}

#[test]
fn a_queued_whisper_comes_back_with_its_name() {
    let mut stage = speaking();
    let whisper = Command::Whisper(Addressed::new("bo".into(), "psst".into()));
    let typed = |stage: &mut Stage, words: &str| {
        stage.press(&words.chars().map(Char).collect::<Vec<_>>());
        stage.screen.view.composer.area.lines().len()
    };
    typed(&mut stage, "/whisper bo psst");
    assert_eq!(stage.press(&[Enter]), [Request::Send(whisper.clone())]);
    queue(&mut stage, &whisper);
    stage.screen.clock = Clock::virtual_from(Ms(200_000));
    assert_eq!(stage.press(&[Enter]), [], "nothing is offered for now");
    let taken = stage.press(&[Up]);
    assert!(matches!(&taken[..], [Request::Send(Command::DropQueued { .. })]), "{taken:?}");
    queue(&mut stage, &Command::DropQueued { of: "0:0".into() });
    assert_eq!(stage.screen.view.composer.text(), "@@bo psst");
    let shown = stage.text();
    assert!(shown.contains("only Bo hears it"), "{shown}");
    assert!(shown.contains("enter send") && !shown.contains("enter again"), "{shown}");
    // without its name it is refused, and the words stay
    stage.screen.view.composer.begin("psst");
    assert_eq!(stage.press(&[Enter]), []);
    assert!(stage.text().contains("this was for Bo alone: esc, then write it again"));
    assert_eq!(stage.screen.view.composer.text(), "psst");
    assert_eq!(stage.press(&[Esc]), [Request::Send(whisper)], "and it goes back to the queue");
}

#[test]
fn a_slash_begins_a_command_also_for_a_message_that_cuts_in() {
    let mut stage = speaking();
    stage.press(&"/whisper bo psst".chars().map(Char).collect::<Vec<_>>());
    let whisper = Command::Whisper(Addressed::new("bo".into(), "psst".into()));
    let sent = stage.press_with(Enter, KeyModifiers::CONTROL);
    assert_eq!(sent, Some(Request::Send(whisper)));
}

#[test]
fn no_entry_point_says_an_addressed_line_to_everybody() {
    let stage = speaking();
    let state = stage.screen.transcript.state();
    for by in EntryPoint::ALL {
        for manner in [Manner::Say, Manner::CutIn, Manner::Speak("cy".into())] {
            for line in LINES {
                let read = read_line(line, &Typing::new(by, manner.clone()), state);
                let keeps = match &read {
                    Ok(Intent::Give(command)) => keeps_secret(command, state),
                    Ok(Intent::Local) | Err(_) => true,
                };
                assert!(keeps, "{by:?} {line:?}: {read:?}");
            }
        }
    }
    let say = |line: &str| read_line(line, &Typing::new(EntryPoint::Shell, Manner::Say), state);
    for (line, text) in [
        ("@@ -1,3 +1,4 @@ fn main()", "@@ -1,3 +1,4 @@ fn main()"),
        ("/usr/bin is full", "/usr/bin is full"),
        ("//pause is a word", "/pause is a word"),
        ("// a comment", "// a comment"),
        ("/etc/hosts Bo, look", "/etc/hosts Bo, look"),
        ("/shrug I whisper to nobody", "/shrug I whisper to nobody"),
        ("@bo listen", "@bo listen"),
        ("mail bo@@host", "mail bo@@host"),
        ("see the @@decorator", "see the @@decorator"),
    ] {
        let said = Command::Say { text: text.into(), re: None, material: None };
        assert_eq!(say(line), Ok(Intent::Give(said)), "{line}");
    }
    let why = say("@@zed psst").unwrap_err().to_string();
    assert_eq!(why, "nobody here is called zed; nothing was said");
    for line in [
        "whisper to Bo: psst",
        "(whisper to bo) psst",
        "Whisper bo psst",
        "[whisper to Bo, psst]",
        "/whisper@bo psst",
        "/Whisper:bo psst",
        "/whisperbo psst",
        "/@bo psst",
        "/w bo psst",
        "/msg @Bo psst",
    ] {
        let why = say(line).unwrap_err().to_string();
        assert_eq!(why, "to whisper, write @@bo TEXT; nothing was said", "{line}");
    }
    let apart = Command::Whisper(Addressed::new("bo".into(), "psst".into()));
    for line in ["@@ bo psst", "@@ bo: psst", "@@@  Bo psst"] {
        assert_eq!(say(line), Ok(Intent::Give(apart.clone())), "{line}");
    }
    let why = say("@@bo,@@ada psst").unwrap_err().to_string();
    assert!(why.starts_with("a whisper is for one"), "{why}");
    let why = say("listen @@bo psst").unwrap_err().to_string();
    assert!(why.contains("only at the start"), "{why}");
    let why = say("i@@bo psst").unwrap_err().to_string();
    assert!(why.starts_with("@@bo whispers only at the start"), "{why}");
}

#[test]
fn text_mode_whispers_too() {
    let mut stage = speaking();
    let mut linear = Linear::new(Seq(0), true, None);
    let opened = Stage::new(80, 24).during(2, 2).next;
    for event in &crate::stage::demo()[..opened] {
        linear.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap())));
    }
    let (_, then) = linear.enter_line("@@bo CANARY", Ms(0));
    let AfterLine::Send(_, line) = then else { panic!("{then:?}") };
    assert!(keeps_secret(&line.command, stage.screen.transcript.state()), "{line:?}");
    let (told, then) = linear.enter_line("@@zed CANARY", Ms(0));
    assert!(told.contains("nobody here is called zed") && then == AfterLine::Wait, "{told}");
    stage.draw();
}
