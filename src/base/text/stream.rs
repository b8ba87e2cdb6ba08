//! The filter: raw characters in, safe characters out, independent of the piece boundaries.
//!
//! It works on one character at a time and decides from its own output, so its result is stable under a second pass. It
//! holds back at most one unfinished colour sequence, carriage return or invisible character.

use super::class::{self, Verdict};
use std::mem::take;

/// Maximum code points of a grapheme cluster before the overflow sign, which may be the twelfth; the longest real ones
/// (emoji families) have ten.
const CLUSTER_LIMIT: usize = 11;
/// Replacement for code points beyond the limit of a cluster.
const OVERFLOW: char = '…';
/// Base of a combining mark without a letter.
const DOTTED_CIRCLE: char = '◌';
/// Maximum characters of a colour sequence; longer ones are shown.
const COLOUR_LIMIT: usize = 32;
const ESCAPE: char = '\x1b';
const EIGHT_BIT_CSI: char = '\u{9b}';

/// A filter for one message, fed piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    newline: char,
    tab: char,
    out: String,
    /// Beginning of a possible colour sequence.
    colour: String,
    /// True after a carriage return, which is harmless only before a newline.
    carriage: bool,
    /// Invisible characters whose treatment depends on the next one.
    held: String,
    /// Last cluster of the output, and its number of code points.
    cluster: String,
    length: usize,
    /// True if the last cluster overflowed and its rest is dropped.
    full: bool,
    right_to_left: bool,
    hidden: bool,
}

impl Stream {
    /// Returns a filter that keeps newlines and tabs.
    pub fn block() -> Stream {
        Stream::new('\n', '\t')
    }

    /// Returns a filter that turns newlines and tabs into spaces.
    pub fn line() -> Stream {
        Stream::new(' ', ' ')
    }

    fn new(newline: char, tab: char) -> Stream {
        Stream { newline, tab, ..Stream::default() }
    }

    /// Adds a piece; returns the text that may be shown so far.
    pub fn push(&mut self, piece: &str) -> String {
        self.out.reserve(piece.len());
        for c in piece.chars() {
            self.read(c);
        }
        take(&mut self.out)
    }

    /// Ends the message; returns the held-back text.
    pub fn finish(&mut self) -> String {
        self.give_up_colour();
        if take(&mut self.carriage) {
            self.place('\r');
        }
        self.release(None);
        take(&mut self.out)
    }

    /// Returns whether something was removed or replaced by a visible mark so far.
    pub fn hidden(&self) -> bool {
        self.hidden
    }

    /// First stage: removes colours and normalises line breaks. Other sequences lose their `ESC` and stay readable, so
    /// that they cannot swallow the text after them.
    fn read(&mut self, c: char) {
        if !self.colour.is_empty() {
            let open = self.colour.starts_with(EIGHT_BIT_CSI) || self.colour.len() > 1;
            if open && c == 'm' {
                self.colour.clear();
                self.hidden = true;
                return;
            }
            let goes_on = if open { matches!(c, '0'..='9' | ';' | ':') } else { c == '[' };
            if goes_on && self.colour.len() < COLOUR_LIMIT {
                self.colour.push(c);
                return;
            }
            self.give_up_colour();
        }
        if take(&mut self.carriage) && c != '\n' {
            self.place('\r');
        }
        match c {
            ESCAPE | EIGHT_BIT_CSI => self.colour.push(c),
            '\r' => self.carriage = true,
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => self.place(self.newline),
            '\t' => self.place(self.tab),
            _ => self.place(c),
        }
    }

    fn give_up_colour(&mut self) {
        for c in take(&mut self.colour).chars() {
            self.place(c);
        }
    }

    /// Second stage: shows, marks or holds back one character, depending on its neighbours.
    fn place(&mut self, c: char) {
        if class::holds_on(&self.held, c) {
            self.held.push(c);
            return;
        }
        self.release(Some(c));
        if class::is_plain(c) {
            return self.put(c);
        }
        match class::judge(c, &self.cluster, self.right_to_left) {
            Verdict::Pass => self.put(c),
            Verdict::Mark => self.put_mark(c),
            Verdict::Wait => self.held.push(c),
        }
    }

    fn release(&mut self, next: Option<char>) {
        if self.held.is_empty() {
            return;
        }
        let held = take(&mut self.held);
        let passes = class::held_passes(&held, &self.cluster, next);
        if passes && self.length + held.chars().count() + 1 > CLUSTER_LIMIT {
            // without room for the cluster it begins, it would remain as a stray
            self.overflow();
        } else {
            for c in held.chars() {
                if passes { self.put(c) } else { self.put_mark(c) }
            }
        }
    }

    /// Replaces a character by a visible mark: its control picture, or its number.
    fn put_mark(&mut self, c: char) {
        self.hidden = true;
        match u32::from(c) {
            code @ 0..0x20 => self.put(char::from_u32(0x2400 + code).unwrap_or(OVERFLOW)),
            0x7f => self.put('␡'),
            code => {
                for c in format!("<U+{code:04X}>").chars() {
                    self.put(c);
                }
            }
        }
    }

    /// Last stage: limits clusters, and gives combining marks a base.
    fn put(&mut self, c: char) {
        let simple = class::is_plain(c) && self.cluster.chars().all(class::is_plain);
        if !simple {
            if class::joins(&self.cluster, c) {
                if self.full || self.length >= CLUSTER_LIMIT {
                    return self.overflow();
                }
                self.length += 1;
                return self.add(c);
            }
            if class::is_mark(c) && !class::carries_marks(&self.cluster) {
                self.hidden = true;
                self.begin(DOTTED_CIRCLE);
                self.length += 1;
                return self.add(c);
            }
        }
        self.begin(c);
    }

    fn begin(&mut self, c: char) {
        self.cluster.clear();
        self.length = 1;
        self.full = false;
        self.add(c);
    }

    fn add(&mut self, c: char) {
        self.right_to_left = c != '\n' && (self.right_to_left || class::is_right_to_left(c));
        self.cluster.push(c);
        self.out.push(c);
    }

    fn overflow(&mut self) {
        self.hidden = true;
        if !self.full {
            self.begin(OVERFLOW);
            self.full = true;
        }
    }
}
