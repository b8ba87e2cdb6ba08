//! The start screen: the box and its promise, the two lists, the sessions; and that nothing starts unasked.

mod keys;
mod lists;
mod secrets;

use crate::stage::show;
use colloquium::catalogue::{SessionStatus, SessionSummary};
use colloquium::model::{StopReason, Wall};
use colloquium::settings::Binding;
use colloquium::ui::draw;
use colloquium::ui::keymap::{Focus, Keymap, ROWS};
use colloquium::ui::start::{
    Choice, Forecast, Host, ListedExample, ListedScenario, ModelPlace, News, OfferedModel,
    PlannedSeat, ScenarioChoice, StartRow, StartScreen, TalkPlan, VoiceChoice, key, paste,
};
use colloquium::ui::theme::{Theme, glyphs};
use crossterm::event::KeyCode::{self, Backspace, Char, Down, Enter, Esc, Right, Tab, Up};
use crossterm::event::{KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Key that interrupts.
pub const CTRL_C: KeyEvent = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);

/// Returns the page of the first run: no model, no session.
pub fn first() -> StartScreen {
    let mut start = StartScreen::new(Theme::default(), &glyphs::UNICODE);
    let cast = ["Ada", "Bo", "Cy"].map(str::to_owned).to_vec();
    let town = ScenarioChoice {
        name: "round-table".into(),
        title: "Should cities ban private cars?".into(),
        topic: Some("Should cities ban private cars?".into()),
        cast,
        rules: "round robin, 9 turns".into(),
        length: "9 turns".into(),
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
        topic: None,
        rehearsed: false,
        recasts: false,
        ..town.clone()
    };
    let broken =
        ScenarioChoice { name: "broken".into(), fault: Some("no seat".into()), ..bare.clone() };
    start.scripts = [town, bare, broken].map(|s| ListedScenario::new(s.name.clone(), || s)).into();
    let examples = ["Sea wall, or move the houses?", "Should all see what all earn?"];
    let listed = |title: &str| ListedExample {
        name: title.into(),
        title: title.into(),
        headline: "two of three moved".into(),
    };
    start.examples = examples.map(listed).into();
    start.shapes = vec![("openai", &["sk-"]), ("anthropic", &["sk-ant-"])];
    start.now = Wall(1_000_000_000_000);
    start
}

pub fn local(name: &str) -> OfferedModel {
    let family = name.rsplit(':').next().unwrap_or(name).into();
    OfferedModel {
        family,
        place: ModelPlace::Here,
        is_usual: true,
        ..OfferedModel::from_name(name)
    }
}

/// Returns a model with a key.
pub fn keyed(name: &str, word: &str) -> OfferedModel {
    let family = word.into();
    OfferedModel { family, word: word.into(), is_usual: true, ..OfferedModel::from_name(name) }
}

/// Returns a start screen with two local models, and sessions.
pub fn found() -> StartScreen {
    let mut start = first();
    let models = vec![local("ollama:small"), local("ollama:large")];
    start.take(News::Host(Host { name: "ollama".into(), models, ..Host::default() }));
    let session = |title: &str, standing, minutes: i64| SessionSummary {
        id: title.into(),
        path: format!("/sessions/{title}.jsonl").into(),
        title: title.into(),
        standing,
        utterances: 7,
        cast: ["Ada", "Bo", "Cy"].map(str::to_owned).to_vec(),
        last: "So we agree on the name, and on nothing else yet.".into(),
        headline: String::new(),
        parent: None,
        written: Wall(start.now.0 - minutes * 60_000),
        is_silent: false,
    };
    let done = SessionStatus::Ended { reason: StopReason::UtteranceLimit, lossy: false };
    let won = SessionStatus::Ended { reason: StopReason::Verdict, lossy: false };
    let failed = SessionStatus::Ended { reason: StopReason::CostLimit, lossy: false };
    let live = SessionStatus::Live { pid: 7, doing: "Bo speaks".into() };
    let branch = SessionSummary {
        parent: Some(("Naming the new service".into(), 4)),
        ..session("with a new question", failed, 60 * 25)
    };
    let demo =
        SessionSummary { is_silent: true, ..session("Should cities ban private cars?", done, 1) };
    let sessions = vec![
        branch,
        demo,
        SessionSummary {
            headline: "Nadia wins 8 to 7".into(),
            ..session("Naming the new service", won, 2)
        },
        session("Rust or Zig for the parser?", SessionStatus::Unfinished, 60 * 26),
        session("Should the ferry stop at night?", live, 1),
    ];
    start.take(News::Sessions(sessions));
    start
}

/// Returns a start screen with models of all groups, a topic, and the cost of the talk.
pub fn used() -> StartScreen {
    let mut start = found();
    start.known = vec![
        keyed("anthropic:claude-sonnet-5", "claude"),
        keyed("openai:gpt-5.5", "gpt"),
        OfferedModel { place: ModelPlace::Program, ..keyed("program:gemini", "gemini") },
    ];
    start.about("Should the harbour bridge open for sailing boats at rush hour?");
    estimated(&mut start);
    start
}

/// Adds the cost of the present plan.
pub fn estimated(start: &mut StartScreen) {
    let table = start.table();
    let names = ["Ada", "Bo", "Cy"];
    let seats = names.iter().zip(table.iter().cycle());
    let seat = |(name, model): (&&str, &OfferedModel)| PlannedSeat {
        name: (**name).to_owned(),
        model: model.name.clone(),
    };
    let prices = start.offers().into_iter().map(|model| {
        let is_free = model.place == ModelPlace::Here;
        (model.name, if is_free { "free" } else { "about 2 cents" }.to_owned())
    });
    let forecast = Forecast {
        seats: seats.map(seat).collect(),
        length: "12 turns".into(),
        sum: "about 4 cents".into(),
        prices: prices.collect(),
        to: vec!["anthropic".into(), "openai".into()],
        ..Forecast::default()
    };
    start.forecast = Some((forecast, start.plan().unwrap().shape()));
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

/// Returns the plan that a key begins.
pub fn begun(choice: Option<Choice>) -> TalkPlan {
    match choice {
        Some(Choice::Begin(plan)) => *plan,
        other => panic!("{other:?}"),
    }
}

fn names(plan: &TalkPlan) -> Vec<&str> {
    match &plan.voice {
        VoiceChoice::Models(models) => models.iter().map(|model| &*model.name).collect(),
        VoiceChoice::Rehearsed | VoiceChoice::Own => vec![],
    }
}

#[test]
fn an_empty_box_plays_the_rehearsed_debate_whatever_is_chosen() {
    let mut paid = used();
    paid.topic = first().topic;
    for mut start in [first(), found(), paid] {
        let page = shown(&mut start, 80, 24);
        assert!(page.contains("enter  watch them argue about cars, offline"), "{page}");
        let plan = begun(press(&mut start, &[Enter]));
        assert_eq!((plan.voice, plan.topic), (VoiceChoice::Rehearsed, None));
    }
    let page = shown(&mut first(), 80, 24);
    for words in ["c o l l o q u i u m", "rehearsed: Ada, Bo, Cy", "tab: bring your own models"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

/// The cost below the box is the first asking, so one Enter begins; without it nothing does.
#[test]
fn one_enter_begins_at_the_cost_that_is_shown() {
    let mut start = used();
    assert_eq!(press(&mut start, &[Enter]), None, "no frame has shown the cost");
    let page = shown(&mut start, 120, 40);
    assert!(page.contains("enter  they begin: 12 turns, about 4 cents"), "{page}");
    assert!(page.contains("the words go to anthropic, openai"), "proposed: {page}");
    let plan = begun(press(&mut start, &[Enter]));
    assert_eq!(names(&plan), ["anthropic:claude-sonnet-5", "openai:gpt-5.5", "program:gemini"]);
    assert!(plan.topic.unwrap().starts_with("Should the harbour bridge"));
    // another table has another cost
    start.ticked = Some(vec![keyed("openai:gpt-5.5", "gpt")]);
    assert!(shown(&mut start, 120, 40).contains("the cost is being estimated"));
    assert_eq!(press(&mut start, &[Enter; 3]), None);
    estimated(&mut start);
    assert_eq!(press(&mut start, &[Enter]), None, "computed, and not shown");
    let page = shown(&mut start, 120, 40);
    assert!(page.contains("Ada, Bo, Cy gpt-5.5 ×3"), "{page}");
    assert!(!page.contains("the words go to"), "chosen: {page}");
    assert!(shown(&mut start, 200, 60).contains("one model for all: expect agreement"));
    begun(press(&mut start, &[Enter]));
    // a word without a meaning is said, and starts nothing
    let (forecast, _) = start.forecast.as_mut().unwrap();
    forecast.fault = Some("no model \"lama\": did you mean llama?".into());
    assert!(shown(&mut start, 80, 24).contains("did you mean llama?"));
    assert_eq!(press(&mut start, &[Enter; 3]), None);
}

#[test]
fn seats_are_short_until_they_fit() {
    let mut start = used();
    for (width, words) in [
        (120, "Ada claude-sonnet-5 · Bo gpt-5.5 · Cy gemini"),
        (80, "Ada claude · Bo gpt · Cy gemini"),
        (40, "Ada claude · Bo gpt"),
    ] {
        let page = shown(&mut start, width, 24);
        assert!(page.contains(words), "{width}: {page}");
    }
    // models that sit as themselves are named once
    let (forecast, _) = start.forecast.as_mut().unwrap();
    for (seat, name) in forecast.seats.iter_mut().zip(["Claude", "GPT", "Gemini"]) {
        seat.name = name.into();
    }
    assert!(shown(&mut start, 80, 24).contains("claude-sonnet-5 · gpt-5.5 · gemini"));
}

#[test]
fn free_models_begin_and_letters_go_to_the_topic() {
    let mut start = found();
    press(&mut start, &[Tab]);
    write(&mut start, "Is q a letter?");
    let plan = begun(press(&mut start, &[Enter]));
    assert_eq!(plan.topic.as_deref(), Some("Is q a letter?"));
    assert_eq!(names(&plan), ["ollama:small", "ollama:large"]);
    assert!(!plan.cast && !plan.take_part);
}

#[test]
fn a_topic_without_a_model_offers_three_ways() {
    let mut start = first();
    write(&mut start, "My own");
    for (width, height) in [(80, 24), (120, 40), (60, 24)] {
        let page = shown(&mut start, width, height);
        for words in ["NO MODEL YET · 1 connect one", "2 look again", "3 watch the"] {
            assert!(page.contains(words), "{words}: {page}");
        }
    }
    assert_eq!(press(&mut start, &[Enter]), None);
    assert_eq!(press(&mut start, &[Char('2')]), None);
    assert!(shown(&mut start, 80, 24).contains("no model  2"));
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Look));
    assert_eq!(begun(press(&mut start, &[Char('3'), Enter])).voice, VoiceChoice::Rehearsed);
    for words in crate::cards::SENTENCES {
        let mut start = first();
        write(&mut start, "My own");
        assert_eq!(press(&mut start, &[Enter]), None);
        write(&mut start, words);
        assert_eq!(press(&mut start, &[Enter]), None, "{words}");
        assert!(start.keying.is_none(), "{words}");
        let topic = start.topic().unwrap_or_default();
        assert!(topic.ends_with(words), "{words}: {topic}");
    }
    press(&mut start, &[Char('1'), Enter]);
    assert!(start.keying.is_some() && start.topic().as_deref() == Some("My own"));
    // words that begin with a digit are words
    for words in ["2 things, money and time", "1st", "33"] {
        let mut start = first();
        write(&mut start, "x");
        press(&mut start, &[Enter]);
        write(&mut start, words);
        assert_eq!(press(&mut start, &[Enter]), None, "{words}");
        assert_eq!(start.topic(), Some(format!("x{words}")));
        assert!(start.keying.is_none(), "{words}");
    }
    start.keying = None;
    start.script = 2;
    start.at = StartRow::Topic;
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("cannot run broken: no seat"));
}

#[test]
fn sessions_are_listed_by_how_they_ended() {
    let mut start = found();
    let page = shown(&mut start, 120, 40);
    let row = |words: &str| page.lines().find(|row| row.contains(words)).unwrap_or_default();
    let place = |words: &str| page.lines().position(|row| row.contains(words)).unwrap();
    let live = row("Should the ferry stop");
    assert!(live.contains("● Should") && live.contains("7 turns · Bo speaks"), "{page}");
    assert!(live.trim_end().ends_with("attach"), "{page}");
    assert!(row("Naming the").contains("✓ Naming") && row("Naming the").contains("2 min ago"));
    assert!(row("Rust or Zig").contains("‖ Rust") && row("Rust or").contains("paused at #7"));
    let branch = row("with a new question");
    assert!(branch.contains("↳ from #4") && branch.contains("yesterday"), "{page}");
    assert!(row("Sea wall").contains("▷ Sea wall") && row("Sea wall").contains("recorded"));
    assert!(place("ferry") < place("Naming"), "running first: {page}");
    assert_eq!(place("Naming") + 1, place("with a new"), "branches below their parent: {page}");
    assert!(!page.contains("Should cities ban"), "a demo without words of yours: {page}");
    let live = |s: &SessionSummary| SessionSummary {
        standing: SessionStatus::Running(None),
        is_silent: true,
        title: "Should cities ban private cars?".into(),
        ..s.clone()
    };
    start.take(News::Sessions(vec![live(&start.sessions[0])]));
    assert!(shown(&mut start, 120, 40).contains("● Should cities ban"), "while it runs");
    let short = |s: &SessionSummary| SessionSummary {
        standing: SessionStatus::Ended { reason: StopReason::CostLimit, lossy: false },
        utterances: 1,
        headline: String::new(),
        is_silent: false,
        ..s.clone()
    };
    start.take(News::Sessions(vec![short(&start.sessions[0])]));
    assert!(shown(&mut start, 120, 40).contains(", 1 turn "), "one turn is no turns");
}

#[test]
fn many_sessions_are_counted_and_scrolled() {
    let mut start = found();
    let one = start.sessions[1].clone();
    let talk = |n| SessionSummary { title: format!("Talk {n}"), id: format!("{n}"), ..one.clone() };
    start.sessions = (0..20).map(talk).collect();
    let page = shown(&mut start, 80, 24);
    assert!(page.contains("Talk 0") && page.contains(" more") && !page.contains("Talk 15"));
    let mut here = |keys: &[KeyCode]| {
        press(&mut start, keys);
        let page = shown(&mut start, 80, 24);
        page.lines().find(|l| l.contains('▸')).unwrap_or_default().to_owned()
    };
    assert!(here(&[Down]).contains("▸ Talk 0"));
    for (key, row) in [
        (KeyCode::End, "▸ Should all see"),
        (KeyCode::Home, "▸ Talk 0"),
        (Down, "▸ Talk 1"),
        (Up, "▸ Talk 0"),
    ] {
        let line = here(&[key]);
        assert!(line.contains(row), "{key:?}: {line}");
    }
    assert!(!here(&[KeyCode::PageDown]).contains("Talk 0"));
    press(&mut start, &[KeyCode::Home, Up]);
    assert_eq!(start.at, StartRow::Topic);
    write(&mut start, "cars");
    press(&mut start, &[KeyCode::Home]);
    write(&mut start, "No ");
    assert_eq!(start.topic().as_deref(), Some("No cars"), "in the box it moves the cursor");
}

#[test]
fn sessions_of_one_title_are_distinguishable() {
    let mut start = found();
    start.sessions[1].title = "Cars".into();
    start.sessions[2].title = "Cars".into();
    start.sessions[1].last = String::new();
    start.sessions[1].id = "20261123-124044-61abc7".into();
    for (width, height) in [(80, 24), (100, 30), (120, 40)] {
        press(&mut start, &[Esc, Down, Down]);
        let page = shown(&mut start, width, height);
        assert!(page.contains("Ada, Bo, Cy  nothing said yet  20261123-124044-61abc7"), "{page}");
        press(&mut start, &[Down]);
        assert!(shown(&mut start, width, height).contains("Ada, Bo, Cy  \"So we agree on"));
    }
    start.sessions[2].cast = (1..30).map(|n| format!("Guest {n}")).collect();
    let page = shown(&mut start, 80, 40);
    assert!(page.contains("\"So we agree"), "words beside a large cast: {page}");
}

#[test]
fn enter_attaches_reads_and_opens() {
    let path = |title: &str| format!("/sessions/{title}.jsonl").into();
    let mut start = found();
    let mut opened = || press(&mut start, &[Down, Enter]);
    assert_eq!(opened(), Some(Choice::Attach(path("Should the ferry stop at night?"))));
    assert_eq!(opened(), Some(Choice::Read(path("Naming the new service"))));
    assert_eq!(opened(), Some(Choice::Read(path("with a new question"))));
    let zig = path("Rust or Zig for the parser?");
    assert_eq!(opened(), Some(Choice::Open(zig)));
    assert_eq!(opened(), Some(Choice::Example("Sea wall, or move the houses?".into())));
}

#[test]
fn two_sessions_are_compared_and_one_is_dropped_by_asking_twice() {
    let path = |title: &str| format!("/sessions/{title}.jsonl").into();
    let mut start = found();
    assert_eq!(press(&mut start, &[Down, Down, Char('c')]), None);
    assert!(shown(&mut start, 80, 24).contains("press c to compare"));
    let beside = Choice::Beside(path("Naming the new service"), path("with a new question"));
    assert_eq!(press(&mut start, &[Down, Char('c')]), Some(beside));
    assert_eq!(press(&mut start, &[Char('x')]), None);
    assert!(shown(&mut start, 80, 24).contains("press x again to move it to the trash"));
    assert_eq!(press(&mut start, &[Up, Char('x')]), None, "another one is asked about again");
    let dropped = press(&mut start, &[Char('x')]);
    assert_eq!(dropped, Some(Choice::Delete(path("Naming the new service"))));
}

#[test]
fn an_interrupt_clears_the_text_then_asks_then_leaves() {
    let mut start = found();
    paste(&mut start, "one\ntwo");
    assert_eq!(start.topic().as_deref(), Some("one two"), "pasted lines begin nothing");
    assert_eq!(key(&mut start, &CTRL_C), None);
    assert_eq!(start.topic(), None);
    assert!(shown(&mut start, 80, 24).contains("ctrl-c leave"));
    assert_eq!(key(&mut start, &CTRL_C), None);
    assert!(shown(&mut start, 80, 24).contains("ctrl-c again: leave"));
    press(&mut start, &[Char('a'), Backspace]);
    assert_eq!(key(&mut start, &CTRL_C), None, "another key takes it back");
    assert_eq!(key(&mut start, &CTRL_C), Some(Choice::Leave));
}

#[test]
fn ctrl_u_clears_the_input() {
    let clear = KeyEvent::new(Char('u'), KeyModifiers::CONTROL);
    let mut start = found();
    write(&mut start, "Is q a letter?");
    key(&mut start, &clear);
    assert_eq!(start.topic(), None);
    press(&mut start, &[Tab, Enter]);
    write(&mut start, "larg");
    key(&mut start, &clear);
    assert_eq!(start.list.as_ref().unwrap().filter, "");
    write(&mut start, "box.example:8000");
    key(&mut start, &clear);
    assert!(!shown(&mut start, 80, 24).contains("box.example"));
}

#[test]
fn every_size_is_drawn() {
    for (width, height) in [(1, 1), (20, 5), (30, 9), (200, 60)] {
        for keys in [&[][..], &[Tab, Enter], &[Tab, Tab, Enter]] {
            let mut start = used();
            press(&mut start, keys);
            shown(&mut start, width, height);
        }
    }
}

/// The line below the box says what Enter does in the focused row, as the last row does; a list leaves nothing of the box.
#[test]
fn enter_has_one_meaning_and_a_list_leaves_no_half_of_the_box() {
    for (width, height) in [(40, 12), (60, 20), (80, 24), (120, 40), (200, 60)] {
        let mut start = used();
        let promise = shown(&mut start, width, height);
        assert!(promise.contains("they begin: "), "{promise}");
        press(&mut start, &[Tab]);
        let row = shown(&mut start, width, height);
        assert!(!row.contains("they begin"), "{row}");
        assert_eq!(row.matches("enter  who sits there").count(), 1, "{row}");
        press(&mut start, &[Enter]);
        let list = shown(&mut start, width, height);
        assert_eq!(list.matches('┌').count(), 1, "{list}");
        assert!(list.matches('└').count() == 1 && !list.contains("enter  "), "{list}");
    }
    let mut start = first();
    press(&mut start, &[Char('/'), Esc]);
    assert_eq!(start.topic(), None, "a sign alone is no topic");
}
