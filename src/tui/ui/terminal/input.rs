//! Filter of the terminal's events: removes answers of the terminal that arrive late or in pieces, and joins keys that
//! arrive faster than anybody types to a paste.
//!
//! crossterm reports an escape byte that ends a read as the Esc key, and the letters behind it as keys. So Esc is held
//! for a moment, and the rest of a sequence behind it is dropped.

use crate::model::Ms;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Milliseconds for which Esc waits for the rest of a sequence.
const ESCAPE_MS: u64 = 50;
/// Maximum milliseconds between an escape byte and the rest of its sequence in one read.
const TAIL_MS: u64 = 500;
/// Maximum milliseconds between two pieces of a sequence.
const PIECE_MS: u64 = 250;
/// Maximum characters of a sequence.
const SEQUENCE_MAX: usize = 64 << 10;
/// Minimum keys and line ends in one read that are a paste.
const PASTE_KEYS: usize = 8;
const PASTE_LINES: usize = 2;
/// Characters that begin a text to the program, behind an escape byte: OSC, DCS, APC, PM, SOS.
const TEXTS: &str = "]P_^X";

/// Position in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// After the first byte of a sequence.
    Escape,
    /// In the report of the background colour.
    Colour,
    /// In any other report.
    Report,
    /// In a text to the program.
    Text,
    /// After an escape byte in such a text.
    TextEscape,
    /// In a key of the keypad.
    Keypad,
}

/// Filter of one reader.
#[derive(Debug, Default)]
pub(super) struct InputFilter {
    within: Option<Within>,
    /// Time of the last event of the sequence; `None` if [`super::ask()`] read its beginning, long ago.
    since: Option<Ms>,
    /// Characters of the sequence.
    length: usize,
    /// Key that may begin a sequence.
    held: Option<Event>,
    /// Time of the last Esc key.
    escaped: Option<Ms>,
}

impl InputFilter {
    /// Returns the keys among the bytes that [`super::ask()`] read, and a filter that also removes the rest of its
    /// answer, however late.
    pub(super) fn after(answer: &[u8]) -> (Vec<Event>, InputFilter) {
        let mut filter = InputFilter::default();
        let keys = String::from_utf8_lossy(answer).chars().filter_map(key_of).collect();
        let keys = filter.push(keys, Ms(0));
        let within = match filter.within {
            Some(Within::Text) => Some(Within::Colour),
            Some(Within::TextEscape) => Some(Within::Escape),
            // anything may be the key of a keypad
            Some(Within::Keypad) => None,
            within => within,
        };
        (keys, InputFilter { within, ..InputFilter::default() })
    }

    /// Returns the milliseconds until [`InputFilter::release`] is due; `None` if no key is held.
    pub(super) fn due(&self, now: Ms) -> Option<u64> {
        let since = self.held.as_ref().and(self.since)?;
        Some(ESCAPE_MS.saturating_sub(now.since(since)))
    }

    /// Returns the key that was held.
    pub(super) fn release(&mut self) -> Option<Event> {
        let held = self.held.take()?;
        self.within = None;
        Some(held)
    }

    /// Filters the events of one read.
    pub(super) fn push(&mut self, events: Vec<Event>, now: Ms) -> Vec<Event> {
        let waits = if self.held.is_some() { ESCAPE_MS } else { PIECE_MS };
        let mut kept = vec![];
        if self.since.is_some_and(|since| now.since(since) > waits) {
            kept.extend(self.release());
            self.within = None;
        }
        let tail = if self.within.is_none() { self.tail(&events, now, &mut kept) } else { 0 };
        let mut events = events.into_iter().skip(tail).peekable();
        while let Some(event) = events.next() {
            let follows = events.peek().and_then(plain).is_some();
            self.step(event, follows, now, &mut kept);
        }
        paste(kept)
    }

    /// Returns the number of events at the start that are the rest of a sequence, soon after an escape byte; the key
    /// that a short rest means is kept.
    fn tail(&mut self, events: &[Event], now: Ms, kept: &mut Vec<Event>) -> usize {
        if self.escaped.is_none_or(|escaped| now.since(escaped) > TAIL_MS) {
            return 0;
        }
        let text: String = events.iter().map_while(plain).collect();
        let length = text.chars().count();
        let is_closed = events.get(length).is_some_and(is_end);
        let mut rest = text.chars();
        match rest.next() {
            Some('[') => {
                let end = rest.clone().position(|c| !is_parameter(c)).unwrap_or(length - 1);
                if end == 0 {
                    // alone in one read; more letters are words
                    let last = if length == 2 { text.chars().next_back() } else { None };
                    let key = last.and_then(arrow);
                    let is_focus = text == "[I" || text == "[O";
                    let tail = if key.is_some() || is_focus { length } else { 0 };
                    kept.extend(key);
                    return tail;
                }
                if end + 1 == length {
                    self.enter(Within::Report, now);
                }
                (end + 2).min(length)
            }
            // keys of a person do not end with a terminator
            Some(_) if is_closed && length > 1 => length + 1,
            Some(begin) if length > 2 && rest.next().is_some_and(|c| begins_text(begin, c)) => {
                self.enter(Within::Text, now);
                length
            }
            Some(_) | None => 0,
        }
    }

    fn enter(&mut self, within: Within, now: Ms) {
        self.within = Some(within);
        self.since = Some(now);
        self.length = 0;
    }

    /// Filters one event; `follows` is true if a letter follows in the same read.
    fn step(&mut self, event: Event, follows: bool, now: Ms, kept: &mut Vec<Event>) {
        use Within::{Colour, Escape, Keypad, Report, Text, TextEscape};
        let key = plain(&event);
        let next = match (self.within, key) {
            (Some(Escape), Some('[')) => Some(Some(Report)),
            (Some(Escape), Some('O')) if self.held.is_some() => Some(Some(Keypad)),
            (Some(Escape), Some(']')) if self.held.is_none() => Some(Some(Colour)),
            (Some(Escape), Some(c)) if self.held.is_some() && TEXTS.contains(c) => Some(Some(Text)),
            (Some(Escape | TextEscape), Some('\\')) => Some(None),
            (Some(Report), Some(c)) if is_parameter(c) => Some(Some(Report)),
            (Some(Report), Some(c)) if self.since.is_none() => "cu".contains(c).then_some(None),
            (Some(Report | Keypad), Some(c @ ('A'..='D' | 'H' | 'F'))) if self.length <= 1 => {
                kept.extend(arrow(c));
                Some(None)
            }
            (Some(Report | Keypad), Some(_)) => Some(None),
            (Some(Colour | Text), _) if is_end(&event) => Some(None),
            (Some(Colour), None) if is_escape(&event) => Some(Some(Escape)),
            (Some(Colour), Some(c)) if c.is_ascii_hexdigit() || "rgba:/;".contains(c) => {
                Some(Some(Colour))
            }
            (Some(Text), None) if is_escape(&event) => Some(Some(TextEscape)),
            (Some(Text | TextEscape), Some(_)) if self.length < SEQUENCE_MAX => Some(Some(Text)),
            (_, _) => None,
        };
        if let Some(next) = next {
            self.held = None;
            self.within = next;
            self.since = self.since.map(|_| now);
            self.length += 1;
            return;
        }
        kept.extend(self.release());
        self.within = None;
        let begins = alt(&event).is_some_and(|c| TEXTS.contains(c));
        if begins && follows {
            self.enter(Text, now);
        } else if begins || is_escape(&event) {
            self.enter(if begins { Text } else { Escape }, now);
            self.escaped = Some(now);
            self.held = Some(event);
        } else {
            kept.push(event);
        }
    }
}

/// Returns the key of a character that the terminal sent; `None` for other control characters.
fn key_of(c: char) -> Option<Event> {
    let (code, with) = match c {
        '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
        // outside raw mode, a terminal makes a line feed of Enter
        '\r' | '\n' => (KeyCode::Enter, KeyModifiers::NONE),
        '\x03' => (KeyCode::Char('c'), KeyModifiers::CONTROL),
        '\x07' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
        c if c.is_control() => return None,
        c => (KeyCode::Char(c), KeyModifiers::NONE),
    };
    Some(Event::Key(KeyEvent::new(code, with)))
}

fn pressed(event: &Event) -> Option<&KeyEvent> {
    let Event::Key(key) = event else { return None };
    (key.kind != KeyEventKind::Release).then_some(key)
}

/// Returns the letter of a key without Ctrl and Alt.
fn plain(event: &Event) -> Option<char> {
    let key = pressed(event)?;
    let others = KeyModifiers::all() - KeyModifiers::SHIFT;
    if key.modifiers.intersects(others) { None } else { key.code.as_char() }
}

/// Returns the letter of a key with Alt.
fn alt(event: &Event) -> Option<char> {
    let key = pressed(event).filter(|key| key.modifiers.contains(KeyModifiers::ALT))?;
    key.code.as_char()
}

/// Returns whether an event is the escape byte alone.
fn is_escape(event: &Event) -> bool {
    pressed(event).is_some_and(|key| key.code == KeyCode::Esc && key.modifiers.is_empty())
}

/// Returns whether an event ends a text to the program: `ESC \`, or the bell.
fn is_end(event: &Event) -> bool {
    let is_bell =
        |key: &KeyEvent| key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL;
    alt(event) == Some('\\') || pressed(event).is_some_and(is_bell)
}

/// Returns whether two characters begin a report of a terminal, behind an escape byte: OSC, DCS, APC.
fn begins_text(begin: char, next: char) -> bool {
    match begin {
        ']' => next.is_ascii_digit(),
        'P' => next.is_ascii_digit() || ">!+".contains(next),
        '_' => next == 'G',
        _ => false,
    }
}

/// Returns whether a character is a parameter of a control sequence.
fn is_parameter(c: char) -> bool {
    (' '..='?').contains(&c)
}

/// Returns the key of a cursor sequence.
fn arrow(last: char) -> Option<Event> {
    let code = match last {
        'A' => KeyCode::Up,
        'B' => KeyCode::Down,
        'C' => KeyCode::Right,
        'D' => KeyCode::Left,
        'H' => KeyCode::Home,
        'F' => KeyCode::End,
        _ => return None,
    };
    Some(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

/// Joins the keys of several lines to a paste. Its last line end is dropped, so that it sends nothing.
fn paste(events: Vec<Event>) -> Vec<Event> {
    let typed = |event: &Event| match pressed(event)?.code {
        KeyCode::Enter if pressed(event)?.modifiers.is_empty() => Some('\n'),
        KeyCode::Tab => Some('\t'),
        _ => plain(event),
    };
    let text: Option<String> = events.iter().map(typed).collect();
    let is_paste = |text: &String| {
        let lines = text.matches('\n').count();
        text.chars().count() >= PASTE_KEYS && lines >= PASTE_LINES && !text.starts_with('\n')
    };
    match text.filter(is_paste) {
        Some(text) => vec![Event::Paste(text.trim_end_matches('\n').to_owned())],
        None => events,
    }
}

#[cfg(test)]
mod tests;
