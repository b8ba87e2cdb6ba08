//! The input box that has the focus from the first frame: letters write, and only the empty line has keys.

use crate::moments::{failed, failed_in, limited};
use crate::permissions::{ask, asks, before};
use crate::stage::Stage;
use colloquium::clock::Clock;
use colloquium::model::{Command, Event, Kind, Ms, Recipient, VoiceSpec};
use colloquium::ui::keymap::Focus;
use colloquium::ui::keymap::{LISTED, ListedAction};
use colloquium::ui::request::Request;
use colloquium::ui::theme::ThemeRole;
use crossterm::event::KeyCode::{self, Char, Enter, Esc, F, Tab, Up};
use serde_json::json;

/// First sentences of people who had never seen the program.
const SENTENCES: [&str; 50] = [
    "hello world",
    "I disagree",
    "stop",
    "is that true?",
    "Bo is wrong",
    "quit",
    "ok thanks",
    "why?",
    "next",
    "maybe later",
    "what about trains?",
    "Let me answer",
    "hello",
    "help",
    "please be brief",
    "1 more thing: who pays?",
    "yes",
    "no",
    "y",
    "n",
    "exactly",
    "wait, what?",
    "can you explain that again",
    "in Germany it is different",
    "skip the history",
    "pause for a second",
    "so who is right",
    "go on",
    "continue",
    "I have a question",
    "Jetzt mal langsam",
    "ça suffit",
    "не согласен",
    "それは違う",
    "lol",
    "sorry, I was away",
    "you all sound the same",
    "end it with one sentence",
    "mute the cars",
    "vote for trams",
    "give me numbers",
    "summarise please",
    "= 4",
    "+1",
    "- a list",
    "* a star",
    "(in brackets)",
    "\"quoted\"",
    "q",
    "retry that argument with children in it",
];

/// First characters of generated sentences.
const FIRST: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\"'(«„éßñøĐжЯλΩ日한ไไمש+-=.,;:!#";

/// Returns a stage on which the input box has the focus.
fn on_line(mut stage: Stage) -> Stage {
    stage.short = false;
    stage.screen.open_line();
    stage
}

fn speaking() -> Stage {
    on_line(Stage::new(80, 24).during(2, 2))
}

fn queued(mut stage: Stage) -> Stage {
    let given = json!({"key": "0:9", "do": "say", "text": "Keep it short"});
    stage.happens("operator", "command.given", given);
    stage.happens("engine", "receipt", json!({"of": "0:9", "is": "queued"}));
    stage
}

fn paused() -> Stage {
    let mut stage = Stage::new(80, 24).until(first_turn_ended);
    stage.happens("operator", "paused", json!({}));
    on_line(stage)
}

fn first_turn_ended(event: &Event) -> bool {
    matches!(&event.kind, Kind::TurnEnded(end) if end.number == Some(1))
}

/// Returns a stage for each state of the screen that has a line.
fn states() -> Vec<(&'static str, Stage)> {
    let mut chosen = speaking();
    chosen.press(&[Tab]);
    vec![
        ("before the first turn", on_line(Stage::new(80, 24).until(|e| e.seq.0 == 0))),
        ("during a turn", speaking()),
        ("low and narrow", on_line(Stage::new(40, 12).during(2, 2))),
        ("with a queued message", queued(speaking())),
        ("with a chosen participant", chosen),
        ("paused", paused()),
        ("with a tool that asks", on_line(asks(80, 24))),
        ("at its planned end", on_line(limited(80, 24))),
        ("finished", on_line(Stage::new(80, 24).whole())),
    ]
}

fn typed(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&keys)
}

/// Returns the message of the only command in the requests.
fn said(requests: &[Request]) -> Option<&str> {
    match requests {
        [Request::Send(Command::Say { text, .. })] => Some(text),
        [Request::Extend(commands)] => match &commands[..] {
            [Command::Say { text, re: None, material: None }] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

#[test]
fn sentences_arrive_word_for_word_in_every_state() {
    sentences_in_states(11);
}

#[test]
#[ignore = "half a minute: cargo test --test screen every_generated -- --ignored"]
fn every_generated_sentence_arrives_in_every_state() {
    sentences_in_states(1);
}

/// Types one sentence in `step` in each state, with another beginning each.
fn sentences_in_states(step: usize) {
    let tails = ["i, s q r t", " what about it? /x @y", "xS.f m", "? no"];
    let generated = (0..200).map(|n| {
        let firsts: Vec<char> = FIRST.chars().collect();
        format!("{}{}", firsts[n * 7 % firsts.len()], tails[n % tails.len()])
    });
    let sentences: Vec<String> =
        SENTENCES.iter().map(|words| (*words).to_owned()).chain(generated).collect();
    for (offset, (name, mut stage)) in states().into_iter().enumerate() {
        let theme = stage.screen.themes.current.clone();
        for words in sentences.iter().skip(offset % step).step_by(step) {
            assert_eq!(stage.screen.view.place(), Focus::Line, "{name}: {words}");
            assert_eq!(typed(&mut stage, words), [], "{name}: {words}");
            assert_eq!(stage.screen.view.composer.text(), *words, "{name}");
            // a list of names closes before the message is sent
            if stage.screen.view.completion.is_some() {
                stage.press(&[Esc]);
            }
            let requests = stage.press(&[Enter]);
            let heard = said(&requests).map(|text| text.trim_start_matches("@ada "));
            assert_eq!(heard, Some(words.trim()), "{name}: {requests:?}");
        }
        assert_eq!(stage.screen.themes.current, theme, "{name}");
    }
}

#[test]
fn a_space_pauses_on_the_empty_line_and_writes_behind_text() {
    let mut stage = speaking();
    assert_eq!(stage.press(&[Char(' ')]), [Request::Send(Command::Pause {})]);
    assert_eq!(stage.press(&[Char(' '), Char('a')]), [], "the blank began a sentence");
    assert_eq!(typed(&mut stage, " b"), []);
    assert_eq!(stage.screen.view.composer.text(), "a b");
}

#[test]
fn enter_on_the_empty_line_takes_the_offer() {
    let mut stage = paused();
    let at = json!({"what": "utterances", "value": 1, "limit": 1});
    let mut reached = on_line(Stage::new(80, 24).until(first_turn_ended));
    reached.happens("engine", "limit.reached", at);
    reached.happens("operator", "paused", json!({}));
    assert!(reached.text().contains("enter: one more round"), "{}", reached.text());
    assert_eq!(reached.press(&[Char(' ')]), []);
    assert!(reached.text().contains("sets another"), "{}", reached.text());
    assert!(stage.text().contains("enter: one turn"), "{}", stage.text());
    assert_eq!(stage.press(&[Enter]), [Request::Send(Command::Step { n: 1 })]);
    let mut stage = paused();
    stage.press(&[Tab]);
    assert!(stage.text().contains("enter: Ada next"), "{}", stage.text());
    let asked = stage.press(&[Enter]);
    assert!(matches!(&asked[..], [Request::Send(Command::Floor { .. })]), "{asked:?}");
    let mut stage = speaking();
    assert_eq!(stage.press(&[Enter]), [], "nothing is offered while somebody speaks");
    assert!(!stage.text().contains("enter:"), "{}", stage.text());
}

#[test]
fn a_second_enter_cuts_in_with_the_queued_message_and_a_bouncing_one_does_not() {
    let mut stage = speaking();
    typed(&mut stage, "Keep it short");
    assert!(said(&stage.press(&[Enter])).is_some());
    let mut stage = queued(stage);
    stage.screen.view.keys.sent = Some(stage.screen.clock.now());
    assert_eq!(stage.press(&[Enter]), [], "the same press");
    stage.screen.clock = Clock::virtual_from(Ms(stage.screen.clock.now().0 + 300));
    assert!(stage.text().contains("enter: now, stops Bo"), "{}", stage.text());
    let asked = stage.press(&[Enter]);
    let [Request::SendAll(commands)] = &asked[..] else { panic!("{asked:?}") };
    let cut_in = Command::CutIn { text: "Keep it short".into(), who: None, re: None };
    assert_eq!(commands[..], [Command::DropQueued { of: "0:9".into() }, cut_in]);
}

#[test]
fn enter_never_answers_a_request_for_a_permission_or_for_money() {
    let mut stage = on_line(asks(80, 24));
    assert_eq!(stage.press(&[Enter, Enter]), []);
    assert!(stage.text().contains("1 allow once"), "{}", stage.text());
    let mut stage = on_line(before(80, 24));
    typed(&mut stage, "Keep it short");
    assert!(said(&stage.press(&[Enter])).is_some());
    let mut stage = queued(stage);
    // the card appears between the presses
    ask(&mut stage, "Write notes.txt", "notes.txt");
    stage.screen.view.keys.sent = None;
    assert_eq!(stage.press(&[Enter, Enter]), []);
    let mut stage = on_line(Stage::new(80, 24).until(first_turn_ended));
    let set = json!({"do": "limit", "set": {"usd": 0.19}, "key": "k:1", "targets": {}});
    stage.happens("operator", "command.given", set);
    stage.happens(
        "engine",
        "limit.reached",
        json!({"what": "usd", "value": 0.1712, "limit": 0.19}),
    );
    assert!(stage.text().contains("budget of $0.19"), "{}", stage.text());
    assert_eq!(stage.press(&[Enter, Enter]), []);
}

#[test]
fn escape_goes_to_read_and_back_and_a_letter_without_a_meaning_writes() {
    let mut stage = speaking();
    typed(&mut stage, "draft");
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    assert!(stage.text().contains(" MARKED "), "{}", stage.text());
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.composer.text(), "draft");
    assert_eq!(stage.screen.view.place(), Focus::Write);
    stage.chord('c');
    stage.press(&[Esc, Char('é')]);
    assert_eq!(stage.screen.view.composer.text(), "é");
}

#[test]
fn after_a_message_the_focus_is_back_where_it_was() {
    let mut stage = speaking();
    typed(&mut stage, "one");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.place(), Focus::Line);
    stage.press(&[Esc]);
    typed(&mut stage, "two");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.place(), Focus::Line);
}

#[test]
fn two_signs_before_a_name_whisper() {
    let mut stage = speaking();
    typed(&mut stage, "@@bo psst");
    assert!(stage.text().contains("WHISPER"), "{}", stage.text());
    stage.press(&[Esc]);
    stage.screen.view.writing = true;
    let asked = stage.press(&[Enter]);
    let is_whisper = |command: &Command| matches!(command, Command::Whisper(words) if words.text_for(&Recipient::Operator).is_some_and(|text| **text == *"psst"));
    assert!(matches!(&asked[..], [Request::Send(c)] if is_whisper(c)), "{asked:?}");
}

#[test]
fn up_takes_the_message_out_of_the_queue_and_delete_drops_it() {
    let mut stage = queued(speaking());
    let dropped = Request::Send(Command::DropQueued { of: "0:9".into() });
    assert_eq!(stage.press(&[Up]), std::slice::from_ref(&dropped));
    assert_eq!(stage.screen.view.composer.text(), "Keep it short");
    assert!(stage.text().contains("not queued now: enter sends it again"), "{}", stage.text());
    // Esc puts it back as it was
    let again =
        Request::Send(Command::Say { text: "Keep it short".into(), re: None, material: None });
    assert_eq!(stage.press(&[Esc]), [again]);
    assert!(stage.screen.view.composer.is_empty() && stage.screen.view.writing);
    let mut stage = queued(speaking());
    let asked = stage.press(&[KeyCode::Delete]);
    assert_eq!(asked, [Request::Send(Command::DropQueued { of: "0:9".into() })]);
}

#[test]
fn the_line_is_a_box_at_every_size_and_no_box_in_read() {
    for (width, height) in [(80, 24), (40, 12), (120, 40)] {
        let mut stage = on_line(Stage::new(width, height).during(2, 2));
        let rows = stage.rows();
        let area = stage.screen.view.areas.composer;
        let row = |y: u16| &rows[usize::from(y)];
        assert!(row(area.y - 1).starts_with('┌') && row(area.y - 1).ends_with('┐'), "{rows:#?}");
        assert!(row(area.y).starts_with("│  Say something"), "{rows:#?}");
        assert!(row(area.y).ends_with('│'), "{rows:#?}");
        if height >= 16 {
            assert!(row(area.y + 1).starts_with("└─"), "{rows:#?}");
            assert!(row(area.y).contains("heard after Bo"), "{rows:#?}");
        }
        stage.press(&[Esc]);
        assert!(!stage.rows().iter().any(|row| row.starts_with(['┌', '│'])), "{}", stage.text());
    }
}

#[test]
fn a_chosen_participant_is_addressed_and_a_sign_makes_it_a_whisper() {
    let mut stage = speaking();
    stage.press(&[Tab, Tab]);
    assert!(stage.text().contains("to Bo, all hear it"), "{}", stage.text());
    typed(&mut stage, "who pays?");
    assert_eq!(said(&stage.press(&[Enter])), Some("@bo who pays?"));
    assert_eq!(said(&typed_and_sent(&mut stage, "and now?")), Some("and now?"), "once");
    stage.press(&[Tab]);
    typed(&mut stage, "@psst");
    assert_eq!(stage.screen.view.composer.text(), "@@ada psst");
    stage.chord('c');
    stage.press(&[Tab, Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Line, "the choice is dropped first");
    assert_eq!(stage.screen.view.selected, None);
}

fn typed_and_sent(stage: &mut Stage, words: &str) -> Vec<Request> {
    typed(stage, words);
    stage.press(&[Enter])
}

/// Help, palette and the list behind `/` are one list of 47 rows.
#[test]
fn help_palette_and_the_list_behind_the_slash_are_one_list() {
    let mut stage = on_line(Stage::new(100, 30).during(2, 2));
    stage.press(&[F(1)]);
    let shown = stage.text();
    assert!(LISTED.iter().all(|listed| shown.contains(listed.name)), "{shown}");
    let page = stage.screen.view.over.page.as_ref().unwrap();
    assert_eq!(page.extent.0, 0, "nothing is below the edge: {shown}");
    stage.press(&[Esc]);
    stage.chord('p');
    assert!(stage.text().contains("1 of 47"), "{}", stage.text());
    stage.press(&[Esc, Char('/')]);
    let names: Vec<String> = LISTED.iter().map(ListedAction::line).collect();
    let offered = &stage.screen.view.completion.as_ref().unwrap().candidates;
    assert_eq!(offered.iter().map(|offer| offer.words.clone()).collect::<Vec<_>>(), names);
}

/// Letters write wherever they can: on a marked message, the arrows move and Enter opens its menu.
#[test]
fn letters_write_on_a_marked_message_and_enter_opens_its_menu() {
    let mut stage = on_line(Stage::new(100, 30).during(6, 2));
    for letter in ["s", "q", "j", "m", "V", "1", "+"] {
        stage.press(&[Esc]);
        assert_eq!(stage.screen.view.place(), Focus::Marked, "{}", stage.text());
        assert_eq!(typed(&mut stage, letter), [], "{letter}");
        assert_eq!(stage.screen.view.composer.text(), letter);
        stage.chord('c');
    }
    stage.press(&[Esc, Up, Up, Enter]);
    let shown = stage.text();
    for name in ["Turn 4", "edit", "hide", "branch", "copy", "prompt", "links"] {
        assert!(shown.contains(name), "{name}: {shown}");
    }
    typed(&mut stage, "edit");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.composer.text(), "/edit 4 ");
}

#[test]
fn a_message_of_ones_own_is_hidden_from_its_menu() {
    let mut stage = on_line(Stage::new(100, 30).during(6, 2));
    let given =
        json!({"key": "0:9", "do": "say", "text": "Be brief.", "targets": {"threads": [0]}});
    stage.happens("operator", "command.given", given);
    stage.happens("operator", "human.said", json!({"of": "0:9"}));
    stage.press(&[Esc]);
    let is_found = (0..6).any(|_| {
        stage.press(&[Enter]);
        let is_own = stage.text().contains("This message");
        is_own || !stage.press(&[Esc, Up]).is_empty()
    });
    assert!(is_found, "no menu of the message: {}", stage.text());
    typed(&mut stage, "hide");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.composer.text(), "/hide h1 ");
}

#[test]
fn the_palette_has_a_row_for_each_verb_and_participant() {
    let mut stage = speaking();
    stage.chord('p');
    assert_eq!(typed(&mut stage, "mu bo"), []);
    assert!(stage.text().contains("Mute Bo"), "{}", stage.text());
    let asked = stage.press(&[Enter]);
    assert!(
        matches!(&asked[..], [Request::Send(Command::Mute { who })] if *who == "bo"),
        "{asked:?}"
    );
}

/// A conversation that reached its planned length is green, and the screen says so once.
#[test]
fn a_planned_end_is_green_and_said_once() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut stage = on_line(limited(width, height));
        let text = stage.text();
        assert!(!text.contains("limit of") && !text.contains("STOPPED"), "{text}");
        assert_eq!(text.matches("one more round").count(), 1, "{text}");
        assert_eq!(text.matches("turn 9 of 9").count(), 1, "{text}");
        assert!(!text.contains("  next") && !text.contains("Ada next"), "{text}");
        // the green of a speaker
        let done = stage.screen.theme.style(ThemeRole::FloorSpeaking).fg;
        let at = text.lines().next().unwrap().chars().position(|sign| sign == '✓').unwrap();
        let buffer = stage.terminal.backend().buffer();
        assert_eq!(buffer[(at as u16, 0)].fg, done.unwrap());
    }
}

/// A failed turn of a paid model is tried again by the digit of its card, twice; Enter is for what is free.
#[test]
fn enter_never_asks_a_paid_model_again() {
    let mut free = on_line(failed(80, 24));
    assert!(free.text().contains("enter: retry"), "{}", free.text());
    let again = vec![Command::Retry { utterance: None }, Command::Resume {}];
    assert_eq!(free.press(&[Enter]), [Request::SendAll(again)]);
    let mut paid = on_line(failed_in(Stage::altered(80, 24, |event| {
        if let Kind::Opened(opened) = &mut event.kind {
            let voice = VoiceSpec::Model(Default::default());
            opened.participants.iter_mut().for_each(|seat| seat.voice = voice.clone());
        }
    })));
    assert!(!paid.text().contains("enter:"), "{}", paid.text());
    assert_eq!(paid.press(&[Enter, Enter]), []);
}

/// The invitation gives way to the note on its right; neither is cut into the other.
#[test]
fn the_invitation_does_not_run_into_the_note_beside_it() {
    for width in 40..=80 {
        let mut stage = on_line(Stage::new(width, 12).during(2, 2));
        let text = stage.text();
        let row = text.lines().find(|row| row.contains("Say something")).unwrap();
        assert!(row.contains("… ") && row.contains(" heard after Bo"), "{width}: {row}");
    }
}

/// A key that changes a setting on disk says so, and the undo key takes it back.
#[test]
fn a_changed_setting_is_reported_and_taken_back() {
    let mut stage = speaking();
    let before = stage.screen.themes.current.clone();
    typed(&mut stage, "/theme nord");
    stage.press(&[Enter]);
    assert!(stage.text().contains("theme: nord, kept for the next time"), "{}", stage.text());
    typed(&mut stage, "/undo");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.themes.current, before);
}

/// A view that opens from the line takes the keys; closing it gives them back.
#[test]
fn an_open_view_takes_the_focus_of_the_line() {
    let mut stage = on_line(speaking());
    typed(&mut stage, "/analysis");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.place(), Focus::Analysis);
    typed(&mut stage, "hello");
    assert!(stage.screen.view.composer.is_empty(), "{}", stage.text());
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Line);
}

/// `@@` offers names, and the box says who alone hears the message.
#[test]
fn a_whisper_says_who_hears_it() {
    let mut stage = on_line(speaking());
    typed(&mut stage, "@@b");
    assert!(stage.text().contains("@@bo"), "{}", stage.text());
    assert!(!stage.text().contains("hears it"), "nobody is named yet: {}", stage.text());
    typed(&mut stage, "o a secret");
    assert!(stage.text().contains("only Bo hears it"), "{}", stage.text());
}
