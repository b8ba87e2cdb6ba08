//! Keys and sequences of a terminal as bytes: their ends, and the events that they mean.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// First byte of a sequence.
pub(super) const ESC: u8 = 0x1b;
/// Bytes that begin a text to the program, behind an escape byte: OSC, DCS, APC, PM, SOS.
pub(super) const TEXTS: &[u8] = b"]P_^X";
/// Maximum bytes of a sequence.
const SEQUENCE_MAX: usize = 64 << 10;
/// Characters of the keypad, by the codes from 57399 of the kitty protocol.
const KITTY_PAD: &str = "0123456789./*-+\r=,";
/// Final bytes and numbers of the keys without a character on the keypad, by the codes from 57417.
const KITTY_MOVES: &[u8] = b"DCAB56HF23E";

/// Returns the number of bytes of the first key or sequence; `None` if it is not complete.
pub(super) fn first_unit(bytes: &[u8]) -> Option<usize> {
    length(bytes).or_else(|| (bytes.len() > SEQUENCE_MAX).then_some(SEQUENCE_MAX))
}

fn length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [ESC, b'[', b'[', rest @ ..] => rest.first().map(|_| 4),
        // clicks of old terminals have three bytes behind their letter
        [ESC, b'[', b'M', ..] => (bytes.len() >= 6).then_some(6),
        [ESC, b'[' | b'O', rest @ ..] => {
            let end = rest.iter().position(|b| !is_parameter(*b))?;
            // a control character is no part of it
            let is_last = rest.get(end).is_some_and(|last| (b'@'..=b'~').contains(last));
            Some(2 + end + usize::from(is_last))
        }
        [ESC, begin, rest @ ..] if TEXTS.contains(begin) => text_end(rest).map(|end| 2 + end),
        [ESC, ESC, ..] => Some(1),
        [ESC, rest @ ..] => character(rest).map(|length| 1 + length),
        _ => character(bytes),
    }
}

/// Returns the keys and sequences that are complete.
pub(super) fn units(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (unit, more) = rest.split_at_checked(first_unit(rest)?)?;
        rest = more;
        Some(unit)
    })
}

/// Returns the number of bytes of a text to the program. Ctrl-C and other sequences end it.
fn text_end(text: &[u8]) -> Option<usize> {
    let end = text.iter().position(|b| matches!(*b, 7 | 3 | ESC))?;
    match text.get(end..)? {
        [ESC] => None,
        [ESC, b'\\', ..] => Some(end + 2),
        [7, ..] => Some(end + 1),
        _ => Some(end),
    }
}

/// Returns the number of bytes of the first character, which may be broken.
fn character(bytes: &[u8]) -> Option<usize> {
    let length = match bytes.first()? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let more = bytes.iter().skip(1).take(length - 1);
    let found = 1 + more.take_while(|b| (0x80..0xc0).contains(*b)).count();
    (found == length || found < bytes.len()).then_some(found)
}

/// Returns whether a byte is a parameter of a control sequence.
pub(super) fn is_parameter(byte: u8) -> bool {
    (b' '..=b'?').contains(&byte)
}

/// Returns whether two bytes begin a report of a terminal, behind an escape byte: OSC, DCS, APC.
pub(super) fn begins_text(begin: u8, next: u8) -> bool {
    match begin {
        b']' => next.is_ascii_digit(),
        b'P' => next.is_ascii_digit() || b">!+".contains(&next),
        b'_' => next == b'G',
        _ => false,
    }
}

/// Returns the event of a key or sequence; `None` for answers of the terminal and unknown ones.
pub(super) fn event_of(unit: &[u8]) -> Option<Event> {
    match unit {
        [ESC] => key(KeyCode::Esc, KeyModifiers::NONE),
        [ESC, b'[', b'M', rest @ ..] if rest.len() == 3 => {
            let [button, x, y] =
                [0, 1, 2].map(|at| rest.get(at).map_or(0, |b| b.saturating_sub(32)));
            mouse(button, x.into(), y.into(), false)
        }
        [ESC, b'[', b'[', last @ b'A'..=b'E'] => {
            key(KeyCode::F(last - b'A' + 1), KeyModifiers::NONE)
        }
        [ESC, b'[', body @ .., last] => control(std::str::from_utf8(body).ok()?, *last),
        [ESC, b'O', .., last] if unit.len() > 2 => keypad(*last),
        [ESC, begin, _, ..] if TEXTS.contains(begin) => None,
        [ESC, rest @ ..] => {
            let Event::Key(pressed) = typed(rest)? else { return None };
            key(pressed.code, pressed.modifiers | KeyModifiers::ALT)
        }
        _ => typed(unit),
    }
}

/// Returns the character that a multiplexer spells as a sequence inside a paste.
pub(super) fn spelled(unit: &[u8]) -> Option<char> {
    let [ESC, b'[', .., b'u' | b'~'] = unit else { return None };
    let Event::Key(key) = event_of(unit)? else { return None };
    match key.code {
        KeyCode::Enter => Some('\n'),
        KeyCode::Tab => Some('\t'),
        KeyCode::Char('j' | 'm') if key.modifiers == KeyModifiers::CONTROL => Some('\n'),
        KeyCode::Char('i') if key.modifiers == KeyModifiers::CONTROL => Some('\t'),
        KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => Some(c),
        _ => None,
    }
}

fn key(code: KeyCode, with: KeyModifiers) -> Option<Event> {
    Some(Event::Key(KeyEvent::new(code, with)))
}

/// Returns the key of a character.
fn typed(bytes: &[u8]) -> Option<Event> {
    let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
    let control = |base: char| {
        let letter = char::from_u32(u32::from(base) + u32::from(c))?;
        key(KeyCode::Char(letter), KeyModifiers::CONTROL)
    };
    match c {
        '\r' => key(KeyCode::Enter, KeyModifiers::NONE),
        '\t' => key(KeyCode::Tab, KeyModifiers::NONE),
        '\x7f' => key(KeyCode::Backspace, KeyModifiers::NONE),
        '\0' => control(' '),
        '\x01'..='\x1a' => control('`'),
        '\x1c'..='\x1f' => control('\x18'),
        c if c.is_control() => None,
        c if c.is_uppercase() => key(KeyCode::Char(c), KeyModifiers::SHIFT),
        c => key(KeyCode::Char(c), KeyModifiers::NONE),
    }
}

/// Returns the key of a keypad or cursor key in application mode.
fn keypad(last: u8) -> Option<Event> {
    let code = match last {
        b'M' => KeyCode::Enter,
        b'I' => KeyCode::Tab,
        b'X' => KeyCode::Char('='),
        // `*+,-./` and digits
        b'j'..=b'y' => KeyCode::Char(char::from(last - b'@')),
        _ => cursor(last)?,
    };
    key(code, KeyModifiers::NONE)
}

/// Returns the key of a final byte.
fn cursor(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// Returns the event of a control sequence.
fn control(body: &str, last: u8) -> Option<Event> {
    let (body, is_click) = body.strip_prefix('<').map_or((body, false), |body| (body, true));
    let fields: Vec<Vec<u32>> = body
        .split(';')
        .map(|field| field.split(':').map(|n| n.parse().unwrap_or_default()).collect())
        .collect();
    let at = |field: usize, part: usize| {
        fields.get(field).and_then(|parts| parts.get(part)).copied().unwrap_or_default()
    };
    let small = |field: usize| u16::try_from(at(field, 0)).ok();
    if is_click {
        let is_up = last == b'm';
        let is_mouse = is_up || last == b'M';
        return if is_mouse {
            mouse(u8::try_from(at(0, 0)).ok()?, small(1)?, small(2)?, is_up)
        } else {
            None
        };
    }
    // answers of the terminal have a sign in front, or one before the last letter
    if body.bytes().any(|b| !(b.is_ascii_digit() || b";:".contains(&b))) {
        return None;
    }
    let mut with = modifiers(at(1, 0).saturating_sub(1));
    let code = match last {
        b'I' if body.is_empty() => return Some(Event::FocusGained),
        b'O' if body.is_empty() => return Some(Event::FocusLost),
        b'Z' => {
            with |= KeyModifiers::SHIFT;
            KeyCode::BackTab
        }
        b'u' => coded(at(0, 0), at(0, 2), with)?,
        b'~' if at(0, 0) == 27 => coded(at(2, 0), 0, with)?,
        b'~' => numbered(at(0, 0))?,
        // the position of the cursor
        b'R' => return None,
        _ => cursor(last)?,
    };
    // a key that is released has been read before
    if at(1, 1) == 3 { None } else { key(code, with) }
}

/// Returns the modifiers of a number: 1 is Shift, 2 Alt, 4 Control; the next ones are as here.
fn modifiers(bits: u32) -> KeyModifiers {
    let [alt, control] = [bits >> 1 & 1, bits >> 2 & 1];
    let bits = bits & 0b11_1001 | alt << 2 | control << 1;
    KeyModifiers::from_bits_truncate(bits as u8)
}

/// Returns the key of a number before a tilde.
fn numbered(number: u32) -> Option<KeyCode> {
    let f = |number: u32| u8::try_from(number).ok().map(KeyCode::F);
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => f(number - 10)?,
        17..=21 => f(number - 11)?,
        23..=26 => f(number - 12)?,
        28..=29 => f(number - 15)?,
        31..=34 => f(number - 17)?,
        _ => return None,
    })
}

/// Returns the key of a code of the kitty protocol or of xterm's `modifyOtherKeys`. A command in another script goes by
/// `base`, the letter of the same key on an English keyboard, if the terminal names it.
fn coded(code: u32, base: u32, with: KeyModifiers) -> Option<KeyCode> {
    let is_command = with.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    Some(match code {
        9 if with.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 | 57_414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57_376..=57_398 => KeyCode::F(u8::try_from(code - 57_363).ok()?),
        57_399..=57_416 => KeyCode::Char(KITTY_PAD.chars().nth(code as usize - 57_399)?),
        57_417..=57_427 => match *KITTY_MOVES.get(code as usize - 57_417)? {
            digit @ b'2'..=b'6' => numbered(u32::from(digit - b'0'))?,
            last => cursor(last)?,
        },
        // other keys without a character
        57_344..=63_743 => return None,
        128.. if is_command && base != 0 => KeyCode::Char(char::from_u32(base)?),
        _ => KeyCode::Char(char::from_u32(code)?),
    })
}

/// Returns the event of a mouse; its place begins with 1.
fn mouse(button: u8, x: u16, y: u16, is_up: bool) -> Option<Event> {
    let buttons = [MouseButton::Left, MouseButton::Middle, MouseButton::Right];
    let number = usize::from(button & 3) | usize::from(button & 0xc0) >> 4;
    let is_moved = button & 32 != 0;
    let kind = match (buttons.get(number), number) {
        (Some(button), _) if is_moved => MouseEventKind::Drag(*button),
        (Some(button), _) if is_up => MouseEventKind::Up(*button),
        (Some(button), _) => MouseEventKind::Down(*button),
        (None, 3) if !is_moved => MouseEventKind::Up(MouseButton::Left),
        (None, 3..=5) if is_moved => MouseEventKind::Moved,
        (None, 4) => MouseEventKind::ScrollUp,
        (None, 5) => MouseEventKind::ScrollDown,
        (None, 6) => MouseEventKind::ScrollLeft,
        (None, 7) => MouseEventKind::ScrollRight,
        (None, _) => return None,
    };
    let modifiers = modifiers(u32::from(button >> 2 & 7));
    Some(Event::Mouse(MouseEvent {
        kind,
        column: x.checked_sub(1)?,
        row: y.checked_sub(1)?,
        modifiers,
    }))
}
