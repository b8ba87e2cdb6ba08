//! Spelling of keys: `space`, `ctrl-d`, `G`. A capital letter is the letter with Shift.
//!
//! Key presses and names in the configuration are converted to the same canonical spelling and compared as text.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Named keys with their spelling; terminals report `space` as a character.
const NAMES: [(KeyCode, &str); 15] = [
    (KeyCode::Char(' '), "space"),
    (KeyCode::Up, "up"),
    (KeyCode::Down, "down"),
    (KeyCode::Left, "left"),
    (KeyCode::Right, "right"),
    (KeyCode::Home, "home"),
    (KeyCode::End, "end"),
    (KeyCode::PageUp, "pgup"),
    (KeyCode::PageDown, "pgdn"),
    (KeyCode::Enter, "enter"),
    (KeyCode::Esc, "esc"),
    (KeyCode::Tab, "tab"),
    (KeyCode::Backspace, "backspace"),
    (KeyCode::Delete, "delete"),
    (KeyCode::Insert, "insert"),
];

/// Alternative spellings, with the canonical ones.
const ALIASES: [(&str, &str); 9] = [
    (" ", "space"),
    ("pageup", "pgup"),
    ("pagedown", "pgdn"),
    ("return", "enter"),
    ("escape", "esc"),
    ("del", "delete"),
    ("ins", "insert"),
    ("minus", "-"),
    ("hyphen", "-"),
];

/// The digits 1 to 9, bound as a single key.
pub const DIGITS: &str = "1-9";

/// Modifiers, in the order of the canonical spelling.
const MODIFIERS: [(KeyModifiers, &str); 3] = [
    (KeyModifiers::CONTROL, "ctrl-"),
    (KeyModifiers::ALT, "alt-"),
    (KeyModifiers::SHIFT, "shift-"),
];

/// Returns the spelling of a key press; `None` for releases and keys without a spelling.
pub fn spell(key: &KeyEvent) -> Option<String> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let (code, modifiers) = match key.code {
        KeyCode::BackTab => (KeyCode::Tab, key.modifiers | KeyModifiers::SHIFT),
        code => (code, key.modifiers),
    };
    let name = match (NAMES.iter().find(|(c, _)| *c == code), code) {
        (Some((_, name)), _) => (*name).to_owned(),
        (None, KeyCode::Char(c)) => c.to_string(),
        (None, KeyCode::F(n)) => format!("f{n}"),
        (None, _) => return None,
    };
    Some(joined(modifiers, &name))
}

/// Returns the canonical spelling of a key; `None` if it is not a key.
pub fn canonical(written: &str) -> Option<String> {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = written;
    while let Some((modifier, prefix)) = MODIFIERS.iter().find(|(_, prefix)| {
        let begun = rest.get(..prefix.len());
        rest.len() > prefix.len() && begun.is_some_and(|b| b.eq_ignore_ascii_case(prefix))
    }) {
        modifiers |= *modifier;
        rest = &rest[prefix.len()..];
    }
    if rest.chars().count() == 1 && rest != " " {
        return Some(joined(modifiers, rest));
    }
    let small = rest.to_lowercase();
    let name = ALIASES.iter().find(|(alias, _)| *alias == small).map_or(&*small, |(_, name)| name);
    let function = name.strip_prefix('f').and_then(|n| n.parse::<u8>().ok());
    match name {
        "backtab" => Some(joined(modifiers | KeyModifiers::SHIFT, "tab")),
        "-" | DIGITS => Some(joined(modifiers, name)),
        _ if NAMES.iter().any(|(_, n)| *n == name) => Some(joined(modifiers, name)),
        _ if function.is_some_and(|n| (1..=24).contains(&n)) => Some(joined(modifiers, name)),
        _ => None,
    }
}

/// Returns `true` if a key edits text in a focus that accepts text.
pub fn writes(key: &str) -> bool {
    key.chars().count() == 1 || matches!(key, "space" | "backspace" | "delete" | DIGITS)
}

fn joined(modifiers: KeyModifiers, name: &str) -> String {
    // with Ctrl, upper and lower case are the same key; without, the character already implies Shift
    let one = name.chars().count() == 1;
    let ctrl = modifiers.contains(KeyModifiers::CONTROL);
    let silent = |m: KeyModifiers| one && !ctrl && m == KeyModifiers::SHIFT;
    let told = |m: KeyModifiers| modifiers.contains(m) && !silent(m);
    let before = MODIFIERS.iter().filter(|(m, _)| told(*m)).map(|(_, prefix)| *prefix);
    let name = match (one, ctrl) {
        (true, true) => name.to_lowercase(),
        (true, false) if modifiers.contains(KeyModifiers::SHIFT) => name.to_uppercase(),
        _ => name.to_owned(),
    };
    before.collect::<String>() + &name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spelled_as_people_read_them() {
        for (code, modifiers, spelled) in [
            (KeyCode::Char(' '), KeyModifiers::NONE, "space"),
            (KeyCode::Char('G'), KeyModifiers::SHIFT, "G"),
            (KeyCode::Char('d'), KeyModifiers::CONTROL, "ctrl-d"),
            (KeyCode::Char('p'), KeyModifiers::CONTROL | KeyModifiers::SHIFT, "ctrl-shift-p"),
            (KeyCode::Up, KeyModifiers::SHIFT, "shift-up"),
            (KeyCode::BackTab, KeyModifiers::SHIFT, "shift-tab"),
            (KeyCode::Tab, KeyModifiers::NONE, "tab"),
        ] {
            assert_eq!(spell(&KeyEvent::new(code, modifiers)).as_deref(), Some(spelled));
            assert_eq!(canonical(spelled).as_deref(), Some(spelled));
        }
        let mut released = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        assert_eq!(spell(&released), None);
    }

    #[test]
    fn however_a_key_is_written_it_is_spelled_one_way() {
        for (written, spelled) in [
            ("Ctrl-D", Some("ctrl-d")),
            ("shift-g", Some("G")),
            ("ALT-CTRL-enter", Some("ctrl-alt-enter")),
            ("PageUp", Some("pgup")),
            ("backtab", Some("shift-tab")),
            (" ", Some("space")),
            ("ctrl--", Some("ctrl--")),
            ("F3", Some("f3")),
            ("1-9", Some("1-9")),
            ("f99", None),
            ("spcae", None),
            ("ctrl-", None),
            ("", None),
        ] {
            assert_eq!(canonical(written).as_deref(), spelled, "{written:?}");
        }
    }
}
