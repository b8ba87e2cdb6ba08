//! Allow-list of the sequences that the program may send to a terminal.

use vte::{Params, Parser, Perform};

/// Private modes that may be switched: cursor, alternate screen, bracketed paste, synchronised output, mouse, wheel as
/// keys.
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
            // styles, positions, erasing, and scrolling
            ([], 'm' | 'H' | 'J' | 'r' | 'S' | 'T') => true,
            ([b'?'], 'h' | 'l') => MODES.contains(&first),
            // save and restore the title
            ([], 't') => matches!(first, 22 | 23),
            // save and restore the wheel's mode
            ([b'?'], 's' | 'r') => first == WHEEL,
            // queries of the keyboard flags and the device attributes; push and pop of the flags
            ([b'?'], 'u') | ([], 'c') | ([b'>' | b'<'], 'u') => first <= 1,
            _ => false,
        };
        if !known {
            self.strangers.push(format!("CSI {intermediates:?} {first} {action}"));
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        // the title: text without control characters, which may contain semicolons
        if let [b"0" | b"2", title @ ..] = params {
            let acts = |c: char| c.is_control();
            if !String::from_utf8_lossy(&title.concat()).chars().any(acts) {
                return;
            }
        }
        // a hyperlink and its end: no user or key in the address, and no control characters
        if let [b"8", b"", address] = params {
            let address = String::from_utf8_lossy(address).into_owned();
            let web = ["https://", "http://", "mailto:"].iter().any(|s| address.starts_with(s));
            let plain = address.chars().all(|c| c.is_ascii_graphic()) && !address.contains('@');
            if address.is_empty() || web && (plain || address.starts_with("mailto:")) {
                return;
            }
        }
        // query of the background colour; it is never set
        if params == [&b"11"[..], b"?"] {
            return;
        }
        self.strangers.push(format!("OSC {:?}", params.first()));
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        self.strangers.push(format!("DCS {action}"));
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        // string terminator
        if byte == b'\\' {
            return;
        }
        self.strangers.push(format!("ESC {byte:#x}"));
    }
}

/// Returns the sequences of a byte stream that are not allowed.
pub fn strangers(bytes: &[u8]) -> Vec<String> {
    let mut guard = Guard::default();
    Parser::new().advance(&mut guard, bytes);
    guard.strangers
}
