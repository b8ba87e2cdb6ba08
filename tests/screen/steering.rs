//! Steering by key, by `/command` and from the list: completions, undo, and temporary notices.

use crate::stage::Stage;
use colloquium::model::{Addressed, Command, Kind, ModelSpec, VoiceSpec};
use colloquium::steer::slash;
use colloquium::ui::keymap::parse_action;
use colloquium::ui::keymap::{Focus, ROWS};
use colloquium::ui::request::Request;
use colloquium::ui::view::composer::Vim;
use crossterm::event::KeyCode::{self, Char, Down, Enter, Esc, Tab, Up};
use serde_json::json;

fn write(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&keys)
}

fn speaking() -> Stage {
    Stage::new(80, 24).during(2, 2)
}

/// Commands of the operator in conversation.md.
const SAID: &str = "pause pause-now resume step say cut-in note whisper speak-as speak pass floor skip mute unmute join \
    leave change retry re-roll choose edit hide unhide fork vote verdict limit mark rename end";

#[test]
fn every_verb_has_a_command_by_its_name() {
    for name in SAID.split_whitespace() {
        let line = format!("/{name}");
        let verb = slash::row(&line).map(|row| row.name.to_owned());
        let action = parse_action(&line).map(|(row, _)| row.name());
        assert!(verb.or(action).is_some(), "{line} is no command");
    }
}

#[test]
fn every_entry_of_the_list_is_a_command() {
    for row in ROWS.iter().filter(|row| row.listed) {
        let line = row.command();
        let named = slash::row(&line).is_some() || parse_action(&line).is_some();
        assert!(named, "{line} is no command");
    }
}

#[test]
fn commands_of_the_screen_act_and_leave_the_pen() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    write(&mut stage, "i/find cars");
    assert_eq!(stage.press(&[Enter]), []);
    assert_eq!(stage.screen.view.place(), Focus::Search);
    assert!(stage.text().contains("/cars   1/"), "{}", stage.text());
    stage.press(&[Esc]);
    stage.short = false;
    write(&mut stage, "/filter from:bo");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.reading.only, Some(1));
    write(&mut stage, "/filter");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.reading.only, None);
    write(&mut stage, "/fork 2");
    assert!(matches!(&stage.press(&[Enter])[..], [Request::Fork(_)]));
    write(&mut stage, "/fork 99");
    stage.press(&[Enter]);
    assert!(stage.text().contains("no turn 99"), "{}", stage.text());
    write(&mut stage, "/zoom in");
    stage.press(&[Enter]);
    assert!(stage.text().contains("/zoom takes no argument"), "{}", stage.text());
    write(&mut stage, "/theme nord");
    stage.press(&[Enter]);
    assert!(stage.text().contains("theme: nord,"), "{}", stage.text());
}

#[test]
fn a_name_is_offered_behind_its_sign() {
    let mut stage = speaking();
    write(&mut stage, "iI ask @");
    let shown = stage.text();
    assert!(shown.contains("@ada") && shown.contains("@bo") && shown.contains("1 of 3"), "{shown}");
    stage.press(&[Down, Tab]);
    assert_eq!(stage.screen.view.composer.text(), "I ask @bo ");
    assert!(stage.screen.view.completion.is_none());
    // the text stays after the list is closed, and the next Esc leaves the composer
    write(&mut stage, "and @c");
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Write);
    assert!(!stage.text().contains("accept"), "{}", stage.text());
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    assert_eq!(stage.screen.view.composer.text(), "I ask @bo and @c");
}

#[test]
fn commands_and_their_arguments_are_completed() {
    let mut stage = speaking();
    write(&mut stage, "i/");
    assert!(stage.text().contains("/pause"), "{}", stage.text());
    write(&mut stage, "whi");
    let shown = stage.text();
    assert!(
        shown.contains("/whisper") && shown.contains("Say something to one participant only"),
        "{shown}"
    );
    // Enter completes a partial command before it sends it
    assert_eq!(stage.press(&[Enter]), []);
    assert_eq!(stage.screen.view.composer.text(), "/whisper ");
    assert!(stage.text().contains("@cy"), "{}", stage.text());
    stage.press(&[Up, Tab]);
    write(&mut stage, "psst");
    let whisper = Command::Whisper(Addressed::new("cy".into(), "psst".into()));
    assert_eq!(stage.press(&[Enter]), [Request::Send(whisper)]);
    write(&mut stage, "/limit utt");
    stage.press(&[Tab]);
    assert_eq!(stage.screen.view.composer.text(), "/limit utterances =");
    stage.chord('c');
    write(&mut stage, "/pause");
    assert_eq!(
        stage.press(&[Enter]),
        [Request::Send(Command::Pause {})],
        "a whole command is sent"
    );
    // also if it begins another command
    write(&mut stage, "/edit");
    stage.press(&[Enter]);
    assert!(!stage.screen.view.composer.text().contains("queued"), "{}", stage.text());
}

#[test]
fn the_keys_of_a_change_and_the_models_in_use_are_offered() {
    let mut stage = Stage::altered(100, 30, |event| {
        if let Kind::Opened(opened) = &mut event.kind {
            let model = ModelSpec { name: "ollama:llama3".into(), ..ModelSpec::default() };
            opened.participants[1].voice = VoiceSpec::Model(model);
        }
    })
    .during(2, 6);
    write(&mut stage, "i/change @cy mo");
    assert!(stage.text().contains("model ="), "{}", stage.text());
    stage.press(&[Tab]);
    assert_eq!(stage.screen.view.composer.text(), "/change @cy model =");
    // models are listed at the start of the value, and its letters filter them
    assert!(stage.text().contains("ollama:llama3"), "{}", stage.text());
    write(&mut stage, "oll");
    stage.press(&[Tab]);
    assert_eq!(stage.screen.view.composer.text().trim_end(), "/change @cy model =ollama:llama3");
    let changed = |sent: Vec<Request>| match &sent[..] {
        [Request::Send(Command::Change { who, set })] => (who.to_string(), json!(set)),
        _ => panic!("{sent:?}"),
    };
    let model = json!({"model": "ollama:llama3"});
    assert_eq!(changed(stage.press(&[Enter])), ("cy".into(), model.clone()));
    write(&mut stage, "/change @cy model=oll");
    stage.press(&[Tab]);
    assert_eq!(changed(stage.press(&[Enter])), ("cy".into(), model), "without spaces as well");
    // other values are free text: no completions, no quotes needed
    write(&mut stage, "/change @cy weight=");
    assert!(!stage.text().contains("accept  esc"), "{}", stage.text());
    write(&mut stage, "3");
    assert_eq!(changed(stage.press(&[Enter])), ("cy".into(), json!({"weight": 3})));
    write(&mut stage, "/change @cy role=Clerk of works");
    assert_eq!(changed(stage.press(&[Enter])), ("cy".into(), json!({"role": "Clerk of works"})));
}

#[test]
fn a_theme_is_tried_on_and_taken_off() {
    let mut stage = speaking();
    let plain = stage.terminal.backend().buffer().clone();
    write(&mut stage, "t");
    assert!(stage.text().contains("colloquium-dark"), "{}", stage.text());
    stage.press(&[Down, Down, Esc]);
    assert_eq!(stage.terminal.backend().buffer(), &plain, "all is as it was");
    write(&mut stage, "tnord");
    stage.press(&[Enter]);
    assert!(stage.text().contains("theme: nord, kept for the next time"), "{}", stage.text());
    assert_ne!(stage.terminal.backend().buffer(), &plain);
}

#[test]
fn raw_words_stand_at_the_edge_and_the_mouse_is_free() {
    let mut stage = Stage::new(120, 30).during(3, 2);
    stage.screen.modes.mouse = true;
    assert_eq!(write(&mut stage, "R"), [Request::Mouse(false)]);
    let said = stage.screen.transcript.state().entries[0].text().to_string();
    let begins: String = said.lines().next().unwrap().chars().take(40).collect();
    let shown = stage.text();
    assert!(shown.lines().any(|row| row.trim_start().starts_with(&begins)), "{begins}: {shown}");
    assert!(stage.screen.view.areas.sidebar.is_empty());
    assert_eq!(write(&mut stage, "R"), [Request::Mouse(true)]);
    assert!(!stage.screen.view.areas.sidebar.is_empty());
}

#[test]
fn a_link_is_looked_at_before_it_is_opened() {
    let mut stage = Stage::altered(80, 24, |event| {
        if let Kind::TurnEnded(end) = &mut event.kind {
            end.text = "See https://a.example/x.".into();
        }
    });
    stage = stage.until(|e| matches!(&e.kind, Kind::TurnEnded(e) if e.number == Some(1)));
    assert_eq!(write(&mut stage, "u"), []);
    let shown = stage.text();
    assert!(
        shown.contains("https://a.example/x") && shown.contains("host        a.example"),
        "{shown}"
    );
    assert!(
        matches!(&write(&mut stage, "y")[..], [Request::Copy(link, _)] if link == "https://a.example/x")
    );
    assert_eq!(write(&mut stage, "o"), [Request::Open("https://a.example/x".into())]);
    assert!(stage.screen.view.over.page.is_none());
    write(&mut stage, "u");
    assert_eq!(stage.press(&[Esc]), []);
    assert!(stage.screen.view.over.page.is_none());
}

#[test]
fn habits_of_vim_only_add() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.screen.view.vim = Some(Vim::default());
    write(&mut stage, "ione two three");
    assert!(stage.text().contains("WRITE INSERT"), "{}", stage.text());
    stage.press(&[Esc]);
    assert!(stage.text().contains("WRITE NORMAL"), "{}", stage.text());
    for (keys, text) in [
        ("0dw", "two three"),
        ("A!", "two three!"),
        ("\u{1b}0cwfour ", "four three!"),
        ("\u{1b}x", "four hree!"),
        ("u", "four three!"),
        ("ofive", "four three!\nfive"),
        ("\u{1b}dd", "four three!\n"),
        ("ggdd", ""),
        ("p", "four three!\n"),
    ] {
        for c in keys.chars() {
            stage.press(&[if c == '\u{1b}' { Esc } else { Char(c) }]);
        }
        assert_eq!(stage.screen.view.composer.text(), text, "{keys:?}");
    }
    // the second Esc marks a message without losing the text
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    assert_eq!(stage.screen.view.composer.text(), "four three!\n");
    // there, four letters are keys, and the next one writes
    stage.short = false;
    let marked = |stage: &mut Stage| stage.screen.reading();
    let last = marked(&mut stage);
    write(&mut stage, "kk");
    assert!(marked(&mut stage) < last, "{}", stage.text());
    write(&mut stage, "j");
    assert!(matches!(&write(&mut stage, "y")[..], [Request::Copy(..)]));
    assert_eq!(stage.screen.view.composer.text(), "four three!\n");
    stage.press(&[Esc, Esc]);
    let said = Command::Say { text: "four three!".into(), re: None, material: None };
    write(&mut stage, ":wq");
    assert!(stage.text().contains(":wq"), "{}", stage.text());
    assert_eq!(stage.press(&[Enter]), [Request::Send(said)]);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    // `n` goes on with the last search
    stage.press(&[Esc]);
    write(&mut stage, "i/find ada");
    stage.press(&[Enter, Esc]);
    assert!(stage.screen.view.over.search.is_none());
    stage.press(&[Esc, Esc]);
    write(&mut stage, "n");
    assert_eq!(stage.screen.view.over.search.as_ref().unwrap().query, "ada");
}

#[test]
fn unavailable_commands_give_a_reason() {
    let mut stage = Stage::new(100, 24).whole();
    write(&mut stage, ":/skip");
    assert!(stage.text().contains(": the conversation is finished"), "{}", stage.text());
}

#[test]
fn lines_are_chosen_and_copied_as_they_were_written() {
    let mut stage = Stage::altered(80, 24, |event| {
        if let Kind::TurnEnded(end) = &mut event.kind {
            end.text = "one **bold**\ntwo\n\n```\nfour\n```".into();
        }
    });
    stage = stage.until(|e| matches!(&e.kind, Kind::TurnEnded(e) if e.number == Some(1)));
    write(&mut stage, "v");
    assert!(stage.text().contains("one **bold**"), "{}", stage.text());
    assert!(matches!(&write(&mut stage, "jvjjy")[..], [Request::Copy(words, what)]
        if words == "two\n\n```" && what == "lines of turn 1 (Ada)"));
    assert!(stage.screen.view.over.page.is_some(), "more can be chosen");
    assert_eq!(stage.press(&[Esc]), []);
    assert!(stage.screen.view.over.page.is_none());
}

#[test]
fn after_the_end_one_more_round_or_a_note_to_the_file() {
    let mut stage = Stage::new(100, 24).whole();
    let shown = stage.text();
    assert!(
        shown.contains("Say something, and it goes on") && shown.contains("enter: one more round"),
        "{shown}"
    );
    let asked = write(&mut stage, "+");
    assert!(
        matches!(&asked[..], [Request::Extend(deeds)] if deeds.last() == Some(&Command::Step { n: 3 })),
        "{asked:?}"
    );
    write(&mut stage, "i/note It was Bo who was right.");
    let asked = stage.press(&[Enter]);
    assert!(
        matches!(&asked[..], [Request::Extend(deeds)]
            if matches!(&deeds[..], [Command::Pause {}, Command::Note { text, .. }] if text.contains("Bo"))),
        "{asked:?}"
    );
    write(&mut stage, "iBut what of Thursday?");
    let asked = stage.press(&[Enter]);
    assert!(
        matches!(&asked[..], [Request::Extend(verbs)] if matches!(&verbs[..], [Command::Say { .. }])),
        "whoever says something wants an answer: {asked:?}"
    );
    stage.press(&[Esc]);
    write(&mut stage, "i/skip");
    assert_eq!(stage.press(&[Enter]), []);
    let shown = stage.text();
    assert!(
        shown.contains("finished. /more-round runs one more round, /note annotates it"),
        "{shown}"
    );
}

#[test]
fn unsaved_session_reports_that_it_cannot_resume() {
    let mut stage = Stage::new(120, 40).whole();
    stage.screen.view.unsaved = true;
    for keys in ["+", "B", "i/note Read me.", "i/fork 2"] {
        write(&mut stage, keys);
        let asked = if keys.len() > 1 { stage.press(&[Enter]) } else { vec![] };
        assert_eq!(asked, [], "{keys}");
        let shown = stage.text();
        assert!(shown.contains("not saved: --no-save sessions"), "{keys}: {shown}");
        stage.chord('c');
        stage.press(&[Esc]);
    }
    assert!(!stage.text().contains("one more round"), "{}", stage.text());
}

#[test]
fn words_that_wait_are_named_by_the_number_that_is_shown() {
    let mut stage = speaking();
    let queue = |stage: &mut Stage, n: u32| {
        let given = serde_json::json!({"key": format!("0:{n}"), "do": "say", "text": "Wait."});
        stage.happens("operator", "command.given", given);
        let of = format!("0:{n}");
        stage.happens("engine", "receipt", serde_json::json!({"of": of, "is": "queued"}));
    };
    let run = |stage: &mut Stage, line: &str| {
        write(stage, "i");
        stage.chord('c');
        write(stage, line);
        stage.press(&[Enter])
    };
    let drop = |of: &str| vec![Request::Send(Command::DropQueued { of: of.into() })];
    let edit = |of: &str, text: &str| {
        vec![Request::Send(Command::EditQueued { of: of.into(), text: text.into() })]
    };
    run(&mut stage, "/drop-queued");
    assert!(stage.text().contains("no queued messages"), "{}", stage.text());
    queue(&mut stage, 7);
    assert_eq!(run(&mut stage, "/drop-queued"), drop("0:7"));
    assert_eq!(run(&mut stage, "/edit-queued Better words."), edit("0:7", "Better words."));
    queue(&mut stage, 9);
    assert_eq!(run(&mut stage, "/drop-queued 2"), drop("0:9"));
    assert_eq!(run(&mut stage, "/drop-queued 0:7"), drop("0:7"));
    assert_eq!(run(&mut stage, "/edit-queued 1 Better."), edit("0:7", "Better."));
    run(&mut stage, "/drop-queued 3");
    assert!(
        stage.text().contains("2 messages are queued: give the number of one"),
        "{}",
        stage.text()
    );
}

#[test]
fn while_it_ends_only_final_words_come_next() {
    let floor = |stage: &mut Stage| {
        let rows = stage.rows();
        rows.into_iter().rfind(|row| row.starts_with('┌')).unwrap()
    };
    let mut stage = Stage::new(120, 40).during(2, 2);
    let row = floor(&mut stage);
    assert!(row.contains("then Cy, Ada"), "{row}");
    let end = serde_json::json!({"key": "0:1", "targets": {}, "do": "end", "final_round": true});
    stage.happens("operator", "command.given", end);
    let row = floor(&mut stage);
    assert!(row.contains("then Ada (closing statement), Bo, Cy"), "{row}");
}

#[test]
fn a_key_that_a_participant_has_not_is_answered_in_a_line() {
    let told = |key: &str| {
        let dee = json!({"id": "dee", key: "red"});
        colloquium::scenario::participant(&dee).unwrap_err()[0].to_string()
    };
    assert_eq!(told("modle"), "modle: unknown key; the nearest key is `model`");
    let far = told("colour");
    assert!(far.starts_with("colour: unknown key; try: id, name, ") && far.len() < 110, "{far}");
}
