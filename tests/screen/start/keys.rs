//! Key bindings of the start screen: rebound, in the help, and refused.

use super::*;

/// Returns the page of sessions with custom key bindings.
fn with_keys(own: &[(&str, &str, &str)]) -> StartScreen {
    let binding = |(place, action, key): &(&str, &str, &str)| Binding {
        place: (*place).into(),
        action: (*action).into(),
        keys: vec![(*key).into()],
        at: "config.toml:3:8".into(),
    };
    let own: Vec<Binding> = own.iter().map(binding).collect();
    let mut start = found();
    start.keymap = Keymap::with(&own).unwrap();
    start
}

#[test]
fn rebound_key_appears_in_hints_help_and_messages() {
    let mut start = with_keys(&[
        ("start_list", "replay_session", "p"),
        ("start_list", "drop_session", "alt-x"),
        ("start", "entry_down", "ctrl-n"),
        ("start", "interrupt", "f10"),
        ("start_list", "compare_sessions", "ctrl-o"),
    ]);
    let down = KeyEvent::new(Char('n'), KeyModifiers::CONTROL);
    assert_eq!(press(&mut start, &[Down]), None);
    assert_eq!(start.at, StartRow::Topic, "the key of before means nothing now");
    (0..4).for_each(|_| _ = key(&mut start, &down));
    let page = shown(&mut start, 120, 24);
    assert!(page.contains("p replay  ctrl-o compare  alt-x delete  ↑ ctrl-n move"), "{page}");
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::ALT));
    assert!(shown(&mut start, 80, 24).contains("press alt-x again to move it to the trash"));
    press(&mut start, &[KeyCode::F(10)]);
    assert!(shown(&mut start, 80, 24).contains("f10 again: leave"));
    press(&mut start, &[Char('?')]);
    let help = shown(&mut start, 80, 24);
    assert!(help.contains("p             replay the session"), "{help}");
    assert!(help.contains("ctrl-o        compare two sessions"), "{help}");
    press(&mut start, &[Char(' ')]);
    let path = "/sessions/Rust or Zig for the parser?.jsonl".into();
    assert_eq!(press(&mut start, &[Char('p')]), Some(Choice::Replay(path)));
    assert_eq!(press(&mut start, &[Char('r')]), None);
    assert_eq!(start.topic().as_deref(), Some("r"), "the letter of before is text");
}

#[test]
fn the_help_names_every_key_of_the_start_screen() {
    let mut start = found();
    start.help = Some(0);
    let help = shown(&mut start, 80, 24);
    for row in ROWS {
        for focus in [Focus::Start, Focus::StartList] {
            if let Some(key) = start.keymap.key(row.action, focus) {
                assert!(help.contains(key) && help.contains(row.title), "{}: {help}", row.title);
            }
        }
    }
    assert!(help.contains("? f1          all keys"), "{help}");
    assert!(help.contains("esc back"), "{help}");
}

#[test]
fn a_key_that_means_two_things_at_the_start_screen_is_refused_with_its_line() {
    for (place, action, key, words) in [
        ("start_list", "replay_session", "q", "`q` means quit here"),
        ("start", "next_field", "up", "`up` means entry_up here"),
        ("start", "next_field", "d", "`d` types text here"),
    ] {
        let place = place.to_owned();
        let action = action.to_owned();
        let own = Binding { place, action, keys: vec![key.into()], at: "config.toml:3:8".into() };
        let fault = Keymap::with(&[own]).unwrap_err().to_string();
        assert!(
            fault.starts_with("config.toml:3:8: keys.start") && fault.contains(words),
            "{fault}"
        );
    }
}
