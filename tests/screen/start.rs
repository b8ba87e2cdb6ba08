//! The start screen: its content, the effect of its keys, and that every page has a way to continue.

mod keys;

use crate::stage::show;
use colloquium::catalogue::{SessionStatus, SessionSummary};
use colloquium::model::{StopReason, Wall};
use colloquium::settings::Binding;
use colloquium::ui::action::Action;
use colloquium::ui::draw;
use colloquium::ui::keymap::{Focus, Keymap, ROWS};
use colloquium::ui::start::{
    Choice, Host, ListedScenario, News, OfferedModel, ScenarioChoice, StartRow, StartScreen,
    VoiceChoice, key, paste,
};
use colloquium::ui::theme::{Theme, glyphs};
use crossterm::event::KeyCode::{self, Char, Down, Enter, Esc, Right, Tab};
use crossterm::event::{KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn table() -> StartScreen {
    let mut start = StartScreen::new(Theme::default(), &glyphs::UNICODE);
    start.version = "0.0.0";
    let cast = ["Ada", "Bo", "Cy"].map(str::to_owned).to_vec();
    let town = ScenarioChoice {
        name: "round-table".into(),
        title: "Should cities ban private cars?".into(),
        topic: Some("Should cities ban private cars?".into()),
        cast,
        rules: "round robin, 9 turns".into(),
        takes_part: "you have a seat and speak in turn",
        rehearsed: true,
        recasts: true,
        open: true,
        paid: false,
        fault: None,
    };
    let bare = ScenarioChoice {
        name: "bare".into(),
        title: "Bare".into(),
        rehearsed: false,
        recasts: false,
        ..town.clone()
    };
    let broken =
        ScenarioChoice { name: "broken".into(), fault: Some("no seat".into()), ..bare.clone() };
    start.scripts = [town, bare, broken].map(|s| ListedScenario::new(s.name.clone(), || s)).into();
    start.set_up = "Set a key.".into();
    start
}

pub fn local(name: &str) -> OfferedModel {
    OfferedModel { name: name.into(), endpoint: None, local: true }
}

pub fn found() -> StartScreen {
    let mut start = table();
    start.now = Wall(1_000_000_000);
    let host = |name: &str, says: &str, models: Vec<OfferedModel>| {
        News::Host(Host {
            name: name.into(),
            says: says.into(),
            usable: !models.is_empty(),
            models,
        })
    };
    start.take(host("openai", "no key", vec![]));
    start.take(host("anthropic", "no key", vec![]));
    start.take(host("ollama", "2 models", vec![local("ollama:small"), local("ollama:large")]));
    let session = |title: &str, standing, minutes: i64| SessionSummary {
        id: title.into(),
        path: format!("/sessions/{title}.jsonl").into(),
        title: title.into(),
        standing,
        utterances: 7,
        cast: ["Ada", "Bo", "Cy"].map(str::to_owned).to_vec(),
        last: "So we agree on the name, and on nothing else yet.".into(),
        parent: None,
        written: Wall(start.now.0 - minutes * 60_000),
    };
    let done = SessionStatus::Ended { reason: StopReason::UtteranceLimit, lossy: false };
    let sessions = vec![
        session("Naming the new service", done, 2),
        session("Rust or Zig for the parser?", SessionStatus::Unfinished, 60 * 26),
    ];
    start.take(News::Sessions(sessions));
    start
}

pub fn press(start: &mut StartScreen, keys: &[KeyCode]) -> Option<Choice> {
    keys.iter().map(|code| key(start, &KeyEvent::new(*code, KeyModifiers::NONE))).last().flatten()
}

pub fn write(start: &mut StartScreen, words: &str) {
    words.chars().for_each(|c| _ = press(start, &[Char(c)]));
}

pub fn shown(start: &mut StartScreen, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    show(&mut terminal, |frame| draw::start::draw(frame, start));
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
}

/// Shows the estimate of the plan.
fn estimated(start: &mut StartScreen) {
    let plan = start.plan().unwrap();
    start.estimate = Some(("about $0.04".into(), plan));
}

/// What costs money begins with a topic in the field and the sum below it; a scenario without a topic is announced.
#[test]
fn enter_without_a_topic_begins_nothing_that_costs_money() {
    let mut start = found();
    start.voice = Some(VoiceChoice::Model(OfferedModel { local: false, ..local("xai:grok") }));
    press(&mut start, &[Enter]);
    assert_eq!(press(&mut start, &[Enter; 20]), None, "no sum");
    estimated(&mut start);
    assert_eq!(press(&mut start, &[Enter]), None);
    assert_eq!(start.topic(), start.script().unwrap().topic);
    assert!(shown(&mut start, 80, 24).contains("about $0.04"));
    assert!(matches!(press(&mut start, &[Enter]), Some(Choice::Begin { topic: None, .. })));
    let mut bare = found();
    let script = ScenarioChoice { topic: None, ..bare.script().unwrap().clone() };
    bare.scripts = vec![ListedScenario::new(script.name.clone(), || script)];
    bare.voice = start.voice.clone();
    estimated(&mut bare);
    assert_eq!(press(&mut bare, &[Enter]), None);
    assert!(shown(&mut bare, 80, 24).contains("again: round-table without a topic, about $0.04"));
    assert_eq!(press(&mut bare, &[Tab, Enter]), None, "another key in between");
    assert!(matches!(press(&mut bare, &[Enter]), Some(Choice::Begin { topic: None, .. })));
}

/// Returns the page of the first run.
pub fn first() -> StartScreen {
    let mut first = found();
    first.first = true;
    first.at = StartRow::Topic;
    first
}

#[test]
fn sessions_without_messages_are_distinguishable() {
    let mut start = found();
    let one = "20261123-124044-61abc7";
    let other = "20261123-124101-d73e2d";
    let mut sessions = vec![start.sessions[0].clone(); 2];
    for (session, id) in sessions.iter_mut().zip([one, other]) {
        session.id = id.into();
        session.utterances = 0;
        session.last = String::new();
        session.standing = SessionStatus::Running(None);
    }
    sessions.push(start.sessions[0].clone());
    sessions[2].standing = SessionStatus::Running(None);
    sessions[2].last = "So we agree on the name, and on nothing else, at least not yet, Bo.".into();
    start.take(News::Sessions(sessions));
    for (width, height) in [(80, 24), (100, 30), (120, 40), (80, 40)] {
        let shown = shown(&mut start, width, height);
        let ends = ["61abc7", "d73e2d"];
        assert!(ends.iter().all(|end| shown.contains(end)), "{width}x{height}: {shown}");
        let touching = |row: &&str| {
            row.split("running elsewhere").next().is_some_and(|before| !before.ends_with("  "))
        };
        let rows = shown.lines().filter(|row| row.contains("running elsewhere"));
        assert_eq!(rows.filter(touching).count(), 0, "{width}x{height}: {shown}");
    }
    assert!(shown(&mut start, 120, 40).contains(&format!("Ada, Bo, Cy  nothing said yet  {one}")));
    let mut many = start.sessions[2].clone();
    many.cast = (1..30).map(|n| format!("Guest {n}")).collect();
    start.take(News::Sessions(vec![many]));
    assert!(shown(&mut start, 80, 40).contains("\"So we agree on"), "words beside a large cast");
}

#[test]
fn the_prefix_lists_its_keys() {
    let mut start = found();
    let ctrl_x = KeyEvent::new(Char('x'), KeyModifiers::CONTROL);
    key(&mut start, &ctrl_x);
    for (width, height) in [(80, 24), (120, 40), (50, 24), (40, 12)] {
        let shown = shown(&mut start, width, height);
        for words in ["ctrl-x, then", "d demo", "w recorded", "k connect", "q quit", "esc back"] {
            assert!(shown.contains(words), "{width}x{height}: {words}: {shown}");
        }
        assert!(!shown.contains("r replay"), "no session is chosen: {shown}");
    }
    let topic = start.topic();
    assert_eq!(press(&mut start, &[Esc]), None);
    assert!(!shown(&mut start, 80, 24).contains("ctrl-x, then"));
    assert_eq!(start.topic(), topic, "leaving the list changes nothing");
    key(&mut start, &ctrl_x);
    press(&mut start, &[Char('q')]).expect("the next key is a command");
}

#[test]
fn every_size_is_drawn() {
    for (width, height) in [(1, 1), (20, 5), (30, 9), (200, 60)] {
        shown(&mut found(), width, height);
    }
}

#[test]
fn a_rehearsed_debate_is_one_key_away() {
    let demo = Choice::Begin {
        scenario: "round-table".into(),
        topic: None,
        voice: VoiceChoice::Rehearsed,
        take_part: false,
        cast: false,
    };
    let mut start = table();
    start.first = true;
    start.at = StartRow::Topic;
    assert_eq!(press(&mut start, &[Enter]), Some(demo.clone()));
    let mut start = found();
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
    assert_eq!(press(&mut start, &[Char('d')]), Some(demo));
}

#[test]
fn typed_text_is_the_topic_and_enter_starts_a_local_model() {
    let mut start = found();
    write(&mut start, "Is q a letter?");
    let voice = VoiceChoice::Model(local("ollama:small"));
    let topic = Some("Is q a letter?".into());
    let begins = |cast| Choice::Begin {
        scenario: "round-table".into(),
        topic: topic.clone(),
        voice: voice.clone(),
        take_part: false,
        cast,
    };
    assert_eq!(press(&mut start, &[Enter]), Some(begins(false)));
    // the model may propose people for another topic
    press(&mut start, &[Tab, Tab, Tab, Right]);
    let page = shown(&mut start, 80, 24);
    assert!(
        page.contains("Cast") && page.contains("proposed  the model proposes people"),
        "{page}"
    );
    assert_eq!(press(&mut start, &[Enter]), Some(begins(true)));
    // not for participants with one persona
    press(&mut start, &[KeyCode::Up, KeyCode::Up, Right]);
    assert!(!shown(&mut start, 80, 24).contains("Cast"));
}

#[test]
fn first_run_asks_for_a_topic_and_names_missing_parts() {
    let mut start = first();
    write(&mut start, "Is q a letter?");
    let page = shown(&mut start, 80, 24);
    assert!(page.contains("What should they talk about?"), "{page}");
    assert!(page.contains("Is q a letter?") && page.contains("enter start"), "{page}");
    let Some(Choice::Begin { topic, voice, .. }) = press(&mut start, &[Enter]) else {
        panic!("a local model was found")
    };
    assert_eq!(topic.as_deref(), Some("Is q a letter?"));
    assert_eq!(voice, VoiceChoice::Model(local("ollama:small")));
    let mut start = first();
    start.hosts.clear();
    write(&mut start, "Is q a letter?");
    assert_eq!(press(&mut start, &[Enter]), None);
    let page = shown(&mut start, 80, 24);
    assert!(start.at == StartRow::Voice && page.contains("Is q a letter?"), "{page}");
    assert!(page.contains("No model yet."), "{page}");
}

#[test]
fn scenario_and_voice_are_turned_to_and_found_by_letters() {
    let mut start = found();
    press(&mut start, &[Tab, Right, Tab]);
    write(&mut start, "larg");
    let voice = VoiceChoice::Model(local("ollama:large"));
    let begins = Choice::Begin {
        scenario: "bare".into(),
        topic: None,
        voice,
        take_part: false,
        cast: false,
    };
    assert_eq!(press(&mut start, &[Enter]), Some(begins));
    let mut start = found();
    press(&mut start, &[Tab, Tab]);
    write(&mut start, "xai:grok");
    assert_eq!(press(&mut start, &[Enter]), None, "the estimate is not shown yet");
    estimated(&mut start);
    assert_eq!(press(&mut start, &[Enter]), None, "no topic");
    let Some(Choice::Begin { voice: VoiceChoice::Model(model), .. }) = press(&mut start, &[Enter])
    else {
        panic!("a model that nobody listed is taken by its name");
    };
    assert_eq!((model.name.as_str(), model.local), ("xai:grok", false));
    // a name without a match starts no other model
    let mut start = found();
    press(&mut start, &[Tab, Tab]);
    write(&mut start, "claude");
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("no model matches \"claude\""));
    assert!(matches!(press(&mut start, &[Esc, Enter]), Some(Choice::Begin { .. })));
}

#[test]
fn installed_agent_is_offered_as_a_voice() {
    let mut start = found();
    let agent = OfferedModel { name: "agent:opencode".into(), endpoint: None, local: false };
    start.known.push(agent.clone());
    press(&mut start, &[Tab, Tab]);
    write(&mut start, "opencode");
    estimated(&mut start);
    for (width, height) in [(80, 24), (120, 40)] {
        let shown = shown(&mut start, width, height);
        assert!(shown.contains("agent:opencode  an agent with its own"), "{shown}");
    }
    assert_eq!(press(&mut start, &[Enter]), None, "no topic");
    let Some(Choice::Begin { voice, .. }) = press(&mut start, &[Enter]) else { panic!("begins") };
    assert_eq!(voice, VoiceChoice::Model(agent));
}

#[test]
fn failed_start_suggests_a_fix() {
    let mut start = table();
    write(&mut start, "My own");
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("No model yet.  1 connect one"));
    // the numbers keep the topic
    assert_eq!(press(&mut start, &[Char('2')]), None);
    assert!(shown(&mut start, 80, 24).contains("No model yet."));
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Look));
    press(&mut start, &[Enter]);
    let demo = press(&mut start, &[Char('3'), Enter]);
    assert!(matches!(demo, Some(Choice::Begin { topic: None, .. })));
    for words in ["2 things, money and time", "1st", "33"] {
        press(&mut start, &[Enter]);
        write(&mut start, words);
        assert_eq!(press(&mut start, &[Enter]), None, "{words}");
        assert!(start.keying.is_none(), "{words}");
        press(&mut start, &[KeyCode::Up, Down]);
    }
    press(&mut start, &[Enter, Char('1'), Enter]);
    assert!(start.keying.is_some() && start.topic().as_deref() == Some("My own"));
    let mut start = table();
    press(&mut start, &[Tab, Right]);
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("No model yet"));
    press(&mut start, &[Esc, KeyCode::Up, Right]);
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("cannot run broken: no seat"));
    start.first = true;
    start.at = StartRow::Local;
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("start Ollama"));
}

#[test]
fn unfinished_sessions_come_first_and_enter_resumes() {
    let mut start = found();
    let opened = press(&mut start, &[Down, Down, Down, Down, Enter]);
    let path = "/sessions/Rust or Zig for the parser?.jsonl";
    assert_eq!(opened, Some(Choice::Open(path.into())));
    assert_eq!(press(&mut start, &[Char('r')]), Some(Choice::Replay(path.into())));
}

#[test]
fn enter_reads_a_finished_session() {
    let mut start = found();
    let opened = press(&mut start, &[Down, Down, Down, Down, Down, Enter]);
    let path = "/sessions/Naming the new service.jsonl";
    assert_eq!(opened, Some(Choice::Read(path.into())));
    assert!(shown(&mut start, 100, 30).contains("enter read"));
}

#[test]
fn two_sessions_are_compared_and_one_is_dropped_by_asking_twice() {
    let path = |title: &str| format!("/sessions/{title}.jsonl").into();
    let one = path("Rust or Zig for the parser?");
    let two = path("Naming the new service");
    let mut start = found();
    assert_eq!(press(&mut start, &[Down, Down, Down, Down, Char('c')]), None);
    assert!(shown(&mut start, 80, 24).contains("press c to compare"));
    assert_eq!(press(&mut start, &[Down, Char('c')]), Some(Choice::Beside(one, two)));
    let mut start = found();
    assert_eq!(press(&mut start, &[Down, Down, Down, Down, Char('x')]), None);
    assert!(shown(&mut start, 80, 24).contains("press x again to move it to the trash"));
    assert_eq!(press(&mut start, &[Down, Char('x')]), None, "another one is asked about again");
    let dropped = press(&mut start, &[Char('x')]);
    assert_eq!(dropped, Some(Choice::Delete(path("Naming the new service"))));
}

#[test]
fn leaving_is_asked_for_twice_and_pasted_lines_begin_nothing() {
    let mut start = found();
    paste(&mut start, "one\ntwo");
    assert_eq!(start.topic().as_deref(), Some("one two"));
    let interrupt = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
    assert_eq!(key(&mut start, &interrupt), None);
    assert_eq!(start.topic().as_deref(), Some("one two"), "nothing is destroyed");
    assert_eq!(key(&mut start, &interrupt), Some(Choice::Leave));
}

#[test]
fn you_take_part_by_turning_one_row() {
    let mut start = found();
    press(&mut start, &[Tab, Tab, Tab, Right]);
    assert!(shown(&mut start, 80, 24).contains("You          take part  you have a seat"));
    let chosen = press(&mut start, &[Enter]);
    assert!(matches!(chosen, Some(Choice::Begin { take_part: true, .. })), "{chosen:?}");
    assert!(matches!(
        press(&mut start, &[Char(' '), Enter]),
        Some(Choice::Begin { take_part: false, .. })
    ));
}

#[test]
fn a_scenario_is_written_and_one_with_faults_is_edited_again() {
    let mut start = found();
    start.at = StartRow::Write;
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Write(None)));
    start.writing = Some("mine".into());
    start.notice = Some((1..40).map(|n| format!("fault {n}\n")).collect());
    let screen = shown(&mut start, 80, 24);
    assert!(screen.contains("Edit your scenario          mine"), "{screen}");
    assert!(screen.contains("fault 1\n") && screen.contains("lines more"), "{screen}");
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Write(Some("mine".into()))));
}

#[test]
fn sessions_of_one_title_are_distinguishable_and_hidden_rows_counted() {
    let mut start = found();
    for (session, last) in start.sessions.iter_mut().zip(["No more than this.", "Yes, at last."]) {
        session.title = "Cars".into();
        session.last = last.into();
    }
    let screen = shown(&mut start, 80, 24);
    assert!(screen.contains("\"No more than this.\"") && screen.contains("\"Yes, at last.\""));
    press(&mut start, &[Down, Down, Down, Down]);
    assert!(shown(&mut start, 80, 24).contains("Ada, Bo, Cy  \"No more than this.\""));
    let low = shown(&mut start, 80, 16);
    let below = low.lines().rev().nth(1).unwrap();
    assert!(below.contains("more below"), "{low}");
    let high = shown(&mut start, 80, 50);
    assert!(!high.contains("more below"), "{high}");
}

#[test]
fn pages_and_ends_are_reached_in_the_lists_as_in_any_list() {
    let mut start = found();
    let one = start.sessions[0].clone();
    start.sessions =
        (0..12).map(|n| SessionSummary { title: format!("Talk {n}"), ..one.clone() }).collect();
    start.examples = vec![("recorded".into(), "A recorded debate".into())];
    press(&mut start, &[Down, Down, Down, Down]);
    let mut here = |keys: &[KeyCode]| {
        press(&mut start, keys);
        let screen = shown(&mut start, 80, 24);
        screen.lines().find(|l| l.contains('▸')).unwrap_or_default().to_owned()
    };
    assert!(here(&[]).contains("▸ Talk 0"));
    for (key, row) in [
        (KeyCode::PageDown, "▸ Talk 4"),
        (KeyCode::PageDown, "▸ Talk 8"),
        (KeyCode::PageUp, "▸ Talk 4"),
        (KeyCode::End, "▸ Connect"),
        (KeyCode::PageDown, "▸ Connect"),
        (KeyCode::PageUp, "▸ Talk 11"),
        (KeyCode::Home, "▸ Talk 0"),
    ] {
        let line = here(&[key]);
        assert!(line.contains(row), "{key:?}: {line}");
    }
    // in the topic these keys move the cursor
    assert!(here(&[KeyCode::PageUp]).contains("▸ Topic"));
    write(&mut start, "cars");
    press(&mut start, &[KeyCode::Home]);
    write(&mut start, "No ");
    assert_eq!(start.topic().as_deref(), Some("No cars"));
}

#[test]
fn ctrl_u_clears_the_input() {
    let clear = KeyEvent::new(Char('u'), KeyModifiers::CONTROL);
    let mut start = found();
    write(&mut start, "Is q a letter?");
    key(&mut start, &clear);
    assert_eq!(start.topic(), None);
    press(&mut start, &[Tab, Tab]);
    write(&mut start, "larg");
    key(&mut start, &clear);
    assert_eq!(start.typed, "");
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
    press(&mut start, &[Char('k')]);
    paste(&mut start, "box.example:8000");
    key(&mut start, &clear);
    assert!(!shown(&mut start, 80, 24).contains("characters"));
}
