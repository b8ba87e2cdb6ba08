//! Where the person writes: several lines, wrapped at words, with the terminal's own cursor on the caret.
//!
//! What is pasted is made safe and never sends; what Ctrl-C clears can be brought back.

use super::story::Story;
use super::verbs;
use super::wrap::wrap;
use crate::text;
use ratatui::style::Style;
use ratatui::text::Line;
use tui_textarea::{CursorMove, TextArea, WrapMode};

/// Rows of the pen at most; longer drafts scroll.
const ROWS_MAX: usize = 6;

/// What is being written.
pub struct Pen {
    /// The text box.
    pub area: TextArea<'static>,
    cleared: String,
}

impl Default for Pen {
    fn default() -> Pen {
        Pen { area: fresh(), cleared: String::new() }
    }
}

fn fresh() -> TextArea<'static> {
    let mut area = TextArea::default();
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    // the terminal's cursor stands on the caret; a painted one would be a second
    area.set_cursor_style(Style::new());
    area.set_cursor_line_style(Style::new());
    area
}

impl Pen {
    /// Returns what is written.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Returns whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Returns how many rows it needs at a width in cells.
    pub fn rows(&self, room: usize) -> u16 {
        let rows = self.area.lines().iter().map(|l| wrap(&Line::from(l.as_str()), room).len());
        rows.sum::<usize>().clamp(1, ROWS_MAX) as u16
    }

    /// Writes text at the caret, made safe.
    pub fn insert(&mut self, raw: &str) {
        let lines = raw.replace("\r\n", "\n").replace('\r', "\n");
        self.area.insert_str(text::block(&lines));
    }

    /// Begins anew with a text.
    pub fn begin(&mut self, words: &str) {
        self.area = fresh();
        self.area.insert_str(words);
    }

    /// Clears what is written; it can be brought back.
    pub fn clear(&mut self) {
        self.cleared = self.text();
        self.area = fresh();
    }

    /// Brings back what was cleared last, behind what is written.
    pub fn restore(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
        let cleared = std::mem::take(&mut self.cleared);
        self.area.insert_str(cleared);
    }

    /// Completes the `@name` or the `/command` at the caret; returns what it could be where that is not settled.
    pub fn complete(&mut self, story: &Story) -> Option<String> {
        let text = self.text();
        let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = &text[start..];
        let candidates: Vec<String> = match word.strip_prefix('@') {
            Some(begun) => {
                let seats = story.state().seats.iter().filter(|s| !s.gone);
                let names = seats.map(|s| s.spec.id.to_string());
                let begins = |n: &String| n.starts_with(&begun.to_lowercase());
                names.filter(begins).map(|n| format!("@{n}")).collect()
            }
            None if start == 0 && word.starts_with('/') => verbs::beginning(word).collect(),
            None => return None,
        };
        match &candidates[..] {
            [] => None,
            [one] => {
                let (end, space) = (one.clone(), " ");
                self.begin(&format!("{}{end}{space}", &text[..start]));
                None
            }
            _ => Some(candidates.join("  ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_is_made_safe_and_stays_lines() {
        let mut pen = Pen::default();
        pen.insert("one\r\ntwo\rthree \u{1b}[2K");
        assert_eq!(pen.text(), "one\ntwo\nthree ␛[2K");
        assert_eq!(pen.rows(20), 3);
    }

    #[test]
    fn what_was_cleared_comes_back() {
        let mut pen = Pen::default();
        pen.insert("a thought");
        pen.clear();
        assert!(pen.is_empty());
        pen.restore();
        assert_eq!(pen.text(), "a thought");
    }

    #[test]
    fn a_command_is_completed() {
        let mut pen = Pen::default();
        let story = Story::default();
        pen.insert("/whi");
        assert_eq!(pen.complete(&story), None);
        assert_eq!(pen.text(), "/whisper ");
        pen.begin("/dr");
        pen.complete(&story);
        assert_eq!(pen.text(), "/drop-queued ");
        pen.begin("/pa");
        assert_eq!(pen.complete(&story).as_deref(), Some("/pause  /pause-now  /pass"));
    }
}
