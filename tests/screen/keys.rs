//! Map of key bindings: a binding in it works, and hints, help and notices name it.

use crate::stage::Stage;
use colloquium::model::Command;
use colloquium::settings::Binding;
use colloquium::ui::keymap::{Focus, Keymap, ROWS};
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{Char, Enter, Esc, PageUp};
use crossterm::event::{KeyCode, KeyModifiers};

/// Returns a key without a default binding for each action: Alt with an accented letter.
fn strange(row: usize) -> char {
    char::from_u32(0x100 + row as u32).unwrap()
}

fn all_anew() -> Keymap {
    let rows = ROWS.iter().enumerate();
    let bindings = rows.flat_map(|(i, row)| {
        row.keys.iter().map(move |(place, _)| Binding {
            place: place.name().into(),
            action: row.name(),
            keys: vec![format!("alt-{}", strange(i))],
            at: "config.toml:1:1".into(),
        })
    });
    Keymap::with(&bindings.collect::<Vec<_>>()).unwrap()
}

/// Returns the hints in the last row, without badge, search text and number of matches.
fn hints(stage: &mut Stage) -> Vec<String> {
    let last = stage.rows().pop().unwrap();
    let (_, row) = last.split_once("   ").unwrap();
    let told = |h: &str| {
        let first = h.chars().next().unwrap_or(' ');
        (first == '/' && !h.starts_with("/ "))
            || h.contains(':') && h.len() > 10
            || first.is_ascii_digit()
    };
    row.split("  ").map(|h| h.trim().to_owned()).filter(|h| !h.is_empty() && !told(h)).collect()
}

#[test]
fn a_key_set_anew_works_and_shows_everywhere() {
    let row = |name: &str| strange(ROWS.iter().position(|r| r.name() == name).unwrap());
    let mut stage = Stage::new(100, 30).during(6, 2);
    stage.screen.keymap = all_anew();
    stage.short = false;
    stage.screen.open_line();
    let pause = stage.press_with(Char(row("toggle_pause")), KeyModifiers::ALT);
    assert_eq!(pause, Some(Request::Send(Command::Pause {})));
    stage.press_with(Char(row("back")), KeyModifiers::ALT);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    let hints = hints(&mut stage);
    assert!(hints.len() > 3 && hints[..3].iter().all(|h| h.starts_with("alt-")), "{hints:?}");
    assert_eq!(stage.press(&[Char('s'), Char('q')]), []);
    assert_eq!(stage.screen.view.composer.text(), "sq", "letters write");
}

#[test]
fn a_key_sends_its_line_and_the_draft_stays() {
    let bound = |key: &str, line: &str| Binding {
        place: String::new(),
        action: line.into(),
        keys: vec![key.into()],
        at: "config.toml:1:1".into(),
    };
    let mut stage = Stage::new(100, 30).during(2, 2);
    stage.screen.keymap =
        Keymap::with(&[bound("alt-s", "/skip"), bound("f6", "@@bo Be brief.")]).unwrap();
    stage.short = false;
    stage.screen.open_line();
    stage.press(&[Char('s'), Char('o')]);
    let skip = stage.press_with(Char('s'), KeyModifiers::ALT);
    assert_eq!(skip, Some(Request::Send(Command::Skip {})));
    let whisper = stage.press(&[KeyCode::F(6)]);
    assert!(matches!(&whisper[..], [Request::Send(Command::Whisper { .. })]), "{whisper:?}");
    assert_eq!(stage.screen.view.composer.text(), "so");
    stage.screen.view.composer.begin("");
    stage.press(&[KeyCode::F(1)]);
    assert!(stage.text().contains("alt-s       /skip"), "{}", stage.text());
}

#[test]
fn every_hinted_key_runs_its_action() {
    let keys: [&[KeyCode]; 4] =
        [&[Esc], &[Char('/')], &[Char(':')], &[PageUp, Char('i'), Char('x'), Esc]];
    for keys in keys {
        let mut stage = Stage::new(200, 40).during(6, 2);
        stage.press(keys);
        let place = stage.screen.view.place();
        for hint in hints(&mut stage) {
            let (key, word) = hint.split_once(' ').unwrap();
            let signs = [("↑", "up"), ("↓", "down"), ("←", "left"), ("→", "right")];
            let key = signs.iter().find(|(sign, _)| *sign == key).map_or(key, |(_, key)| key);
            let action = stage.screen.keymap.action(place, key);
            let row = ROWS.iter().find(|r| Some(r.action) == action);
            let row = row.unwrap_or_else(|| panic!("{hint:?} at {place:?} is no key"));
            assert!(
                row.hint == word || ["resume", "the line"].contains(&word),
                "{hint:?} is {:?}",
                row.action
            );
        }
    }
}

#[test]
fn a_notice_is_told_whole_at_every_width() {
    let told =
        "change: nonsense: unknown key; the keys here are name, aliases, role; as in weight = 2";
    for (width, height) in [(40, 10), (40, 24), (50, 24), (80, 24), (120, 40)] {
        let mut stage = Stage::new(width, height).during(2, 6);
        stage.screen.view.notice = Some(told.into());
        let shown = stage.text();
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(told), "at {width}: {shown}");
        assert!(shown.contains("speaking"), "{shown}");
        stage.press(&[KeyCode::PageDown]);
        assert!(!stage.text().contains("nonsense"), "the next key takes it away");
    }
}

#[test]
fn match_is_visible_on_the_lowest_screen() {
    let mut stage = Stage::new(40, 10).during(6, 3);
    stage.press(&[Char('/'), Char('c'), Char('a'), Char('r')]);
    assert!(stage.text().contains("/car   1/"), "{}", stage.text());
    stage.press(&[Enter]);
    assert!(stage.text().contains("/car   2/"), "{}", stage.text());
}

/// The page follows the size of the screen: nothing of one column is in the other.
#[test]
fn the_page_of_the_keys_is_laid_out_for_its_width() {
    for (width, height) in [(120, 40), (100, 30), (80, 24)] {
        let mut stage = Stage::new(width, height).during(2, 2);
        stage.screen.open_line();
        stage.press(&[KeyCode::F(1)]);
        let begins =
            |row: &String| row.trim_start_matches(['│', ' ']).starts_with("keys new detach");
        assert!(!stage.rows().iter().any(begins), "{}", stage.text());
        stage.terminal.backend_mut().resize(40, 12);
        stage.terminal.resize(ratatui::layout::Rect::new(0, 0, 40, 12)).unwrap();
        stage.draw();
        let mut all = stage.text();
        for _ in 0..9 {
            stage.press(&[KeyCode::PageDown]);
            all.push_str(&stage.text());
        }
        let place = |words: &str| all.find(words).unwrap_or_else(|| panic!("{words}: {all}"));
        assert!(place("drop what is queued") < place("The list: / or ctrl-p"), "{all}");
    }
}
