//! Queries the terminal once, before the first key is read: background brightness, and whether it distinguishes
//! Shift-Enter from Enter.
//!
//! The query ends with a request that every terminal answers, so that a missing answer to the rest is detected. It
//! cannot block: after a short time the program continues. Late answers are removed by [`super::input`] and never taken
//! for keys. Keys pressed meanwhile are kept for the first reader.

use crate::ui::theme::Ground;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use parking_lot::Mutex;

/// Requests for the background colour, for the keyboard flags, and for the attributes that every terminal reports.
const QUESTION: &[u8] = b"\x1b]11;?\x1b\\\x1b[?u\x1b[c";
/// Time limit of the answer in milliseconds: far more than needed on the same machine.
const PATIENCE_MS: u64 = 100;
/// Maximum bytes of an answer.
const ANSWER_MAX: usize = 1024;

/// Report of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalReport {
    /// Brightness of its background; `None` if not reported.
    pub ground: Option<Ground>,
    /// True if it distinguishes keys that are otherwise one byte, such as Shift-Enter and Enter.
    pub keyboard: bool,
}

/// Queries the terminal; without a terminal, or without an answer in time, nothing is known.
pub fn ask() -> TerminalReport {
    use crate::clock::Clock;
    use crate::model::Ms;
    use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::io::{Write, stdin, stdout};

    let mut answer = Vec::new();
    let clock = Clock::real(Ms(0));
    if enable_raw_mode().is_err() {
        return TerminalReport::default();
    }
    let asked = stdout().write_all(QUESTION).and_then(|()| stdout().flush());
    while asked.is_ok() && !is_whole(&answer) && answer.len() < ANSWER_MAX {
        let left = PATIENCE_MS.saturating_sub(clock.now().0);
        let left = Timespec { tv_sec: 0, tv_nsec: left as i64 * 1_000_000 };
        let input = stdin();
        let mut buffer = [0; 256];
        let mut fds = [PollFd::new(&input, PollFlags::IN)];
        let ready = poll(&mut fds, Some(&left)).is_ok_and(|n| n > 0);
        match if ready { rustix::io::read(&input, &mut buffer) } else { Ok(0) } {
            Ok(n @ 1..) => answer.extend_from_slice(&buffer[..n]),
            Ok(_) | Err(_) => break,
        }
    }
    // a terminal that refuses this refuses it again when the screen is left, and that is reported
    let _ = disable_raw_mode();
    *LEFT.lock() = (cut(&answer), typed(&answer));
    read(&answer)
}

/// Returns whether the answer is complete.
fn is_whole(answer: &[u8]) -> bool {
    reports(answer).any(|(_, last)| last == 'c')
}

/// Returns the reports that begin with `CSI ?`: content and last letter.
fn reports(answer: &[u8]) -> impl Iterator<Item = (&[u8], char)> {
    let starts = answer.windows(3).enumerate().filter(|(_, w)| *w == b"\x1b[?");
    starts.filter_map(|(at, _)| {
        let rest = &answer[at + 3..];
        let end = rest.iter().position(u8::is_ascii_alphabetic)?;
        Some((&rest[..end], char::from(rest[end])))
    })
}

/// Parses an answer, which may be incomplete.
fn read(answer: &[u8]) -> TerminalReport {
    let keyboard = reports(answer).any(|(_, last)| last == 'u');
    TerminalReport { ground: ground(&String::from_utf8_lossy(answer)), keyboard }
}

/// Parses `]11;rgb:ffff/ffff/ffff`, with one to four digits each.
fn ground(answer: &str) -> Option<Ground> {
    let (_, colour) = answer.split_once("]11;")?;
    let (_, parts) = colour.split_once(':')?;
    let part = |part: &str| {
        let digits: String = part.chars().take_while(char::is_ascii_hexdigit).take(4).collect();
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
        let value = u32::from_str_radix(&digits, 16).ok()?;
        Some(f64::from(value) / f64::from(most.max(1)))
    };
    let mut parts = parts.split('/').map(part);
    let red = parts.next()??;
    let green = parts.next()??;
    let blue = parts.next()??;
    // approximate perceived lightness; backgrounds are far from the middle
    let light = 0.299 * red + 0.587 * green + 0.114 * blue;
    Some(if light > 0.5 { Ground::Light } else { Ground::Dark })
}

/// Position of a cut in an answer; the next bytes are its rest, however late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
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

/// Position at which the answer was cut by the time limit, and the keys in it; there is only one terminal.
static LEFT: Mutex<(Option<Within>, Vec<Event>)> = Mutex::new((None, vec![]));

/// Returns the letters, line ends and Ctrl-C that a person typed among the reports of an answer.
fn typed(answer: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(answer);
    let mut rest = text.chars();
    let mut keys = vec![];
    while let Some(c) = rest.next() {
        let (code, with) = match c {
            '\x1b' => {
                let ends = match rest.next() {
                    Some('[') => |c: char| c.is_ascii_alphabetic(),
                    Some(']') => |c: char| c == '\x07' || c == '\\',
                    Some(_) | None => continue,
                };
                rest.find(|c| ends(*c));
                continue;
            }
            // before raw mode, a terminal makes a line feed of Enter
            '\r' | '\n' => (KeyCode::Enter, KeyModifiers::NONE),
            '\x03' => (KeyCode::Char('c'), KeyModifiers::CONTROL),
            c if c.is_control() => continue,
            c => (KeyCode::Char(c), KeyModifiers::NONE),
        };
        keys.push(Event::Key(KeyEvent::new(code, with)));
    }
    keys
}

/// Returns the position at which an answer was cut.
fn cut(answer: &[u8]) -> Option<Within> {
    let begun = answer.iter().rposition(|b| *b == b'\x1b')?;
    match answer.get(begun + 1..)? {
        [] => Some(Within::Escape),
        [b']', rest @ ..] => (!rest.contains(&b'\x07')).then_some(Within::Colour),
        [b'[', rest @ ..] => (!rest.iter().any(u8::is_ascii_alphabetic)).then_some(Within::Report),
        _ => None,
    }
}

/// Takes the position at which the answer was cut that [`ask`] did not wait for, and the keys pressed before.
pub(super) fn take_left() -> (Option<Within>, Vec<Event>) {
    std::mem::take(&mut *LEFT.lock())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_far_as_it_came() {
        for (answer, ground, keyboard, whole) in [
            (
                "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?1u\x1b[?62;4c",
                Some(Ground::Light),
                true,
                true,
            ),
            ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07\x1b[?6c", Some(Ground::Dark), false, true),
            ("\x1b]11;rgba:ff/fb/f0/ff\x07", Some(Ground::Light), false, false),
            ("typed\x1b[?1;2c", None, false, true),
            ("\x1b]11;rgb:12", None, false, false),
            ("\x1b]11;rgb://\x1b[?", None, false, false),
            ("", None, false, false),
        ] {
            let told = TerminalReport { ground, keyboard };
            assert_eq!((read(answer.as_bytes()), is_whole(answer.as_bytes())), (told, whole));
        }
    }

    #[test]
    fn keys_among_the_reports_are_kept() {
        let key = |code| Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
        let answer = "h\x1b]11;rgb:1/2/3\x1b\\i\r\x1b[?1u\x03\x1b[?62;4c é\x1b[?6";
        let interrupt = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        let [h, i, blank, e] = ['h', 'i', ' ', 'é'].map(|c| key(KeyCode::Char(c)));
        let expected = [h, i, key(KeyCode::Enter), interrupt, blank, e];
        assert_eq!(typed(answer.as_bytes()), expected);
        assert_eq!(typed(b"\x1b]11;rgb:12"), []);
    }

    #[test]
    fn whole_terminal_answers_are_not_cut() {
        for whole in ["", "typed", "\x1b]11;rgb:1/2/3\x07", "\x1b[?62c", "\x1b\\"] {
            assert_eq!(cut(whole.as_bytes()), None, "{whole:?}");
        }
        for (came, within) in [
            ("\x1b", Within::Escape),
            ("\x1b]11;rgb:12", Within::Colour),
            ("\x1b]11;rgb:1/2/3\x1b", Within::Escape),
            ("\x1b]11;rgb:1/2/3\x1b\\\x1b[?6", Within::Report),
        ] {
            assert_eq!(cut(came.as_bytes()), Some(within), "{came:?}");
        }
    }
}
