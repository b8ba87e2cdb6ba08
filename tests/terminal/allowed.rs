//! The sequences that the program may send to a terminal; every other one is a stranger.

use vte::{Params, Parser, Perform};

/// Private modes that are switched: cursor, alternate screen, pasted text, frames at once, the mouse, the wheel as keys.
const MODES: [u16; 9] = [25, 1049, 2004, 2026, 1000, 1002, 1004, 1006, WHEEL];
const WHEEL: u16 = 1007;

#[derive(Default)]
struct Guard {
    strangers: Vec<String>,
}

impl Perform for Guard {
    fn print(&mut self, c: char) {
        let acts = c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if acts {
            self.strangers.push(format!("printed {c:?}"));
        }
    }

    fn execute(&mut self, byte: u8) {
        if !matches!(byte, b'\n' | b'\r') {
            self.strangers.push(format!("control {byte:#x}"));
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, action: char) {
        let first = params.iter().next().and_then(|p| p.first().copied()).unwrap_or(0);
        let known = match (intermediates, action) {
            // styles, places, erasing, and rows that are scrolled
            ([], 'm' | 'H' | 'J' | 'r' | 'S' | 'T') => true,
            ([b'?'], 'h' | 'l') => MODES.contains(&first),
            // the title, kept and brought back
            ([], 't') => matches!(first, 22 | 23),
            // the wheel's mode is kept and comes back
            ([b'?'], 's' | 'r') => first == WHEEL,
            // what the terminal is asked: the flags of its keyboard, and what it is; and the flags, set and undone
            ([b'?'], 'u') | ([], 'c') | ([b'>' | b'<'], 'u') => first <= 1,
            _ => false,
        };
        if !known {
            self.strangers.push(format!("CSI {intermediates:?} {first} {action}"));
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        // the title, of text alone, which may hold semicolons
        if let [b"0" | b"2", title @ ..] = params {
            let acts = |c: char| c.is_control();
            if !String::from_utf8_lossy(&title.concat()).chars().any(acts) {
                return;
            }
        }
        // an address that the terminal opens, and the end of one: no key in it and nothing that acts
        if let [b"8", b"", address] = params {
            let address = String::from_utf8_lossy(address).into_owned();
            let web = ["https://", "http://", "mailto:"].iter().any(|s| address.starts_with(s));
            let plain = address.chars().all(|c| c.is_ascii_graphic()) && !address.contains('@');
            if address.is_empty() || web && (plain || address.starts_with("mailto:")) {
                return;
            }
        }
        // its ground, asked and not set
        if params == [&b"11"[..], b"?"] {
            return;
        }
        self.strangers.push(format!("OSC {:?}", params.first()));
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        self.strangers.push(format!("DCS {action}"));
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        // the end of what was asked
        if byte == b'\\' {
            return;
        }
        self.strangers.push(format!("ESC {byte:#x}"));
    }
}

/// Returns what is in a stream of bytes and should not be.
pub fn strangers(bytes: &[u8]) -> Vec<String> {
    let mut guard = Guard::default();
    Parser::new().advance(&mut guard, bytes);
    guard.strangers
}
