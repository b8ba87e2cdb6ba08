//! Reader of the terminal's bytes: keys, pastes, clicks and changes of focus. Answers of the terminal are removed, also
//! late ones and ones in pieces, and keys that arrive faster than anybody types are joined to a paste.
//!
//! A sequence that does not end is dropped after a moment, and a paste that does not end is taken as far as it came. So
//! no bytes keep later keys from being read.

use super::sequences::{
    ESC, TEXTS, begins_text, event_of, first_unit, is_parameter, spelled, units,
};
use crate::model::Ms;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Milliseconds for which an escape byte waits for the rest of a sequence.
const ESCAPE_MS: u64 = 50;
/// The same at the end of a slow link.
const FAR_ESCAPE_MS: u64 = 150;
/// Maximum milliseconds between two pieces of a sequence.
const PIECE_MS: u64 = 250;
/// Maximum milliseconds between a sequence that was given up and the rest of it in one read.
const TAIL_MS: u64 = 500;
/// Maximum milliseconds between two pieces of a paste.
const PASTE_MS: u64 = 1_000;
/// Maximum bytes of a paste; the rest is another one.
const PASTE_MAX: usize = 16 << 20;
/// Marks of a paste.
const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// Ctrl-C.
const INTERRUPT: Event = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
/// Minimum keys and line ends in one read that are a paste without marks.
const PASTE_KEYS: usize = 8;
const PASTE_LINES: usize = 2;

/// Reader of one terminal.
#[derive(Debug, Default)]
pub(super) struct InputReader {
    /// Bytes of a key or a sequence that is not complete.
    open: Vec<u8>,
    /// Bytes of a paste that is not complete.
    paste: Option<Vec<u8>>,
    /// Time of the last bytes; `None` if [`super::ask()`] read them, long ago.
    since: Option<Ms>,
    /// Bytes that were given up, with the time.
    given_up: Option<(Ms, Vec<u8>)>,
    /// Milliseconds for which an escape byte waits.
    escape_ms: u64,
}

impl InputReader {
    /// Returns the keys among the bytes that [`super::ask()`] read, and a reader that also removes the rest of its
    /// answer, however late.
    pub(super) fn after(answer: &[u8], is_far: bool) -> (Vec<Event>, InputReader) {
        let escape_ms = if is_far { FAR_ESCAPE_MS } else { ESCAPE_MS };
        let mut reader = InputReader { escape_ms, ..InputReader::default() };
        let keys = reader.push(answer, Ms(0)).into_iter().map(pressed_ahead).collect();
        reader.since = None;
        // anything may be the key of a keypad
        if reader.open.starts_with(b"\x1bO") {
            reader.open.clear();
        }
        (keys, reader)
    }

    /// Takes over the bytes of the last reader whose rest is still awaited.
    pub(super) fn go_on(&mut self, left: InputReader, now: Ms) {
        if left.since.is_some() && left.due(now) != Some(0) {
            *self = InputReader { escape_ms: self.escape_ms, ..left };
        }
    }

    /// Returns the milliseconds until [`InputReader::tick`] gives up waiting; `None` if nothing is open.
    pub(super) fn due(&self, now: Ms) -> Option<u64> {
        let patience = match (&self.paste, &self.open[..]) {
            (Some(_), _) => PASTE_MS,
            (None, []) => return None,
            (None, [ESC]) => self.escape_ms,
            (None, [ESC, begin]) if TEXTS.contains(begin) => self.escape_ms,
            (None, _) => PIECE_MS,
        };
        Some(patience.saturating_sub(now.since(self.since?)))
    }

    /// Returns the events of bytes whose rest is late.
    pub(super) fn tick(&mut self, now: Ms) -> Vec<Event> {
        if self.due(now) == Some(0) { self.give_up(now) } else { vec![] }
    }

    /// Returns the events of bytes whose rest is not awaited.
    pub(super) fn give_up(&mut self, now: Ms) -> Vec<Event> {
        if let Some(text) = self.paste.take() {
            return vec![pasted(&text)];
        }
        let open = std::mem::take(&mut self.open);
        let is_key = match open[..] {
            [ESC] | [ESC, b'O'] => true,
            [ESC, begin] => TEXTS.contains(&begin),
            _ => false,
        };
        let key = if is_key { event_of(&open) } else { None };
        self.given_up = Some((now, open));
        key.into_iter().collect()
    }

    /// Returns the events of the bytes of one read.
    pub(super) fn push(&mut self, read: &[u8], now: Ms) -> Vec<Event> {
        let mut events = self.tick(now);
        // a key after Esc comes in a read of its own, and one with Alt does not
        let begins = |byte: &u8| matches!(byte, b'[' | b'O') || TEXTS.contains(byte);
        if self.open == [ESC] && self.since.is_some() && !read.first().is_none_or(begins) {
            events.extend(self.give_up(now));
        }
        if let Some((at, begin)) = self.given_up.take()
            && now.since(at) <= TAIL_MS
            && is_tail(&begin, read)
        {
            self.open = begin;
        }
        let mut rest = std::mem::take(&mut self.open);
        let is_late = self.since.is_none() && !rest.is_empty();
        rest.extend(read);
        if is_late {
            rest.drain(..stray(&rest));
        }
        if !read.is_empty() {
            self.since = Some(now);
        }
        let mut at = 0;
        loop {
            if self.paste.is_some() {
                at += self.push_pasted(&rest[at..], &mut events);
            }
            match first_unit(&rest[at..]) {
                Some(length) if self.paste.is_none() => {
                    let unit = &rest[at..at + length];
                    at += length;
                    if unit == PASTE_BEGINS {
                        self.paste = Some(vec![]);
                    } else {
                        events.extend(event_of(unit));
                    }
                }
                Some(_) | None => break,
            }
        }
        self.open = rest.split_off(at);
        joined(events)
    }

    /// Adds bytes to the open paste, and its event if it ends. Returns the number of bytes that belong to it.
    fn push_pasted(&mut self, read: &[u8], events: &mut Vec<Event>) -> usize {
        let Some(mut text) = self.paste.take() else { return 0 };
        let before = text.len();
        if first_unit(read) == Some(read.len()) && event_of(read) == Some(INTERRUPT) {
            // of a person who waits for the end
            events.push(pasted(&text));
            return 0;
        }
        text.extend(read);
        // the mark may have begun before
        let from = before.saturating_sub(PASTE_ENDS.len());
        let end = text[from..].windows(PASTE_ENDS.len()).position(|part| part == PASTE_ENDS);
        match end {
            Some(end) => {
                events.push(pasted(&text[..from + end]));
                (from + end + PASTE_ENDS.len()).saturating_sub(before)
            }
            None if text.len() > PASTE_MAX => {
                events.push(pasted(&text));
                self.paste = Some(vec![]);
                read.len()
            }
            None => {
                self.paste = Some(text);
                read.len()
            }
        }
    }
}

/// Returns the paste of a text; keys that a multiplexer spells as sequences are the characters that they mean.
fn pasted(text: &[u8]) -> Event {
    let mut plain = vec![];
    let mut length = 0;
    for unit in units(text) {
        length += unit.len();
        match spelled(unit) {
            Some(c) => plain.extend(c.to_string().bytes()),
            None => plain.extend(unit),
        }
    }
    plain.extend(text.get(length..).unwrap_or_default());
    Event::Paste(String::from_utf8_lossy(&plain).into_owned())
}

/// Returns whether a read is the rest of a sequence that was given up, rather than keys of a person.
fn is_tail(begin: &[u8], read: &[u8]) -> bool {
    let whole = [begin, read].concat();
    let length = first_unit(&whole);
    let is_new = begin.len() < 3;
    let goes_on = whole.get(begin.len().max(2)).is_some_and(|next| is_parameter(*next));
    match whole[..] {
        [ESC, b'[', ..] if goes_on => true,
        [ESC, b'[', ..] => is_new && length == Some(whole.len()) && event_of(&whole).is_some(),
        [ESC, b'O', last] => b"ABCDHF".contains(&last),
        [ESC, kind, first, _, ..] if TEXTS.contains(&kind) => {
            length.is_some() || is_new && begins_text(kind, first)
        }
        _ => false,
    }
}

/// Returns the number of bytes at the start that are no part of the terminal's answer at the start.
fn stray(bytes: &[u8]) -> usize {
    let (is_part, ends): (fn(u8) -> bool, _) = match bytes {
        [ESC, b']', ..] => (|b| b.is_ascii_hexdigit() || b"rgba:/;".contains(&b), b"\x07\x1b"),
        [ESC, b'[', first, ..] if is_parameter(*first) => (is_parameter, b"cu"),
        [ESC, b'\\', ..] => return 2,
        [ESC, next, ..] if *next != b'[' => return 1,
        _ => return 0,
    };
    let end = bytes.iter().skip(2).position(|b| !is_part(*b));
    end.map_or(0, |at| if ends.contains(&bytes[at + 2]) { 0 } else { at + 2 })
}

/// Returns an event that came before a screen began. Outside raw mode, a terminal makes a line feed of Enter, which
/// raw mode reads as Ctrl-J.
pub(super) fn pressed_ahead(event: Event) -> Event {
    match event {
        Event::Key(key) if key == KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL) => {
            Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE))
        }
        event => event,
    }
}

/// Returns the character of a key without Ctrl and Alt; Enter is a line end.
fn typed(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    let others = KeyModifiers::all() - KeyModifiers::SHIFT;
    match key.code {
        KeyCode::Enter if key.modifiers.is_empty() => Some('\n'),
        KeyCode::Tab => Some('\t'),
        KeyCode::Char(c) if !key.modifiers.intersects(others) => Some(c),
        _ => None,
    }
}

/// Joins the keys of several lines to a paste. Its last line end is dropped, so that it sends nothing.
fn joined(events: Vec<Event>) -> Vec<Event> {
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
