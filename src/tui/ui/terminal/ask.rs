//! Queries the terminal once, before the first key is read: background brightness, and whether it distinguishes
//! Shift-Enter from Enter.
//!
//! The query ends with a request that every terminal answers, so that a missing answer to the rest is detected. It
//! cannot block: after a short time the program continues. Late answers are removed by [`super::input`] and never taken
//! for keys. Keys pressed meanwhile are kept for the first reader.

use super::sequences::{ESC, units};
use crate::ui::theme::Ground;
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
    let report = read(&answer);
    *READ.lock() = answer;
    report
}

/// Returns whether the answer is complete.
fn is_whole(answer: &[u8]) -> bool {
    units(answer).any(|unit| matches!(unit, [ESC, b'[', b'?', .., b'c']))
}

/// Parses an answer, which may be incomplete.
fn read(answer: &[u8]) -> TerminalReport {
    let keyboard = units(answer).any(|unit| matches!(unit, [ESC, b'[', b'?', .., b'u']));
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

/// Bytes of the answer, for the first reader; there is only one terminal.
static READ: Mutex<Vec<u8>> = Mutex::new(vec![]);

/// Takes the bytes that [`ask`] read: reports, keys pressed meanwhile, and perhaps the beginning of a late report.
pub(super) fn take_read() -> Vec<u8> {
    std::mem::take(&mut *READ.lock())
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
}
