//! Keys of other keyboard layouts by their position, for commands with Ctrl or Alt and letters that are keys.

use crossterm::event::{Event, KeyCode, KeyModifiers};

/// Keys of a keyboard for English, row by row.
const ENGLISH: &str = "qwertyuiop[]asdfghjkl;'zxcvbnm,.";
/// The same positions of other layouts: Russian, Ukrainian, Greek, Hebrew, Arabic. A space stands for a position without
/// a letter of its own.
const LAYOUTS: [&str; 5] = crate::strings![
    "йцукенгшщзхъфывапролджэячсмитьбю" "йцукенгшщзхїфівапролджєячсмитьбю"
    " ςερτυθιοπ  ασδφγηξκλ  ζχψωβνμ  " "  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ"
    "ضصثقفغعهخحجدشسيبلاتنمكطئءؤر ىةوز"
];

/// Replaces the letter of a command by the English letter of its key; text is never changed.
pub(super) fn by_position(event: Event) -> Event {
    let Event::Key(mut key) = event else { return event };
    let is_command = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    if let (KeyCode::Char(typed), true) = (key.code, is_command) {
        key.code = KeyCode::Char(english(typed).unwrap_or(typed));
    }
    Event::Key(key)
}

/// Returns the English letter of a key; `None` for letters of no known layout.
pub fn english(typed: char) -> Option<char> {
    let lower = typed.to_lowercase().next().filter(|c| !c.is_ascii())?;
    let at = LAYOUTS.iter().find_map(|layout| layout.chars().position(|key| key == lower))?;
    let key = ENGLISH.chars().nth(at)?;
    Some(if typed.is_uppercase() { key.to_ascii_uppercase() } else { key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    #[test]
    fn commands_go_by_the_position_of_their_key() {
        for layout in LAYOUTS {
            assert_eq!(layout.chars().count(), ENGLISH.len(), "{layout}");
        }
        let control = KeyModifiers::CONTROL;
        for (typed, with, meant) in [
            ('с', control, 'c'),
            ('С', control, 'C'),
            ('я', control, 'z'),
            ('ї', KeyModifiers::ALT, ']'),
            ('ψ', control, 'c'),
            ('ב', control, 'c'),
            ('ؤ', control, 'c'),
            ('с', KeyModifiers::NONE, 'с'),
            ('ü', control, 'ü'),
            ('c', control, 'c'),
        ] {
            let event = by_position(Event::Key(KeyEvent::new(KeyCode::Char(typed), with)));
            assert_eq!(event, Event::Key(KeyEvent::new(KeyCode::Char(meant), with)), "{typed}");
        }
        assert_eq!(by_position(Event::FocusGained), Event::FocusGained);
    }
}
