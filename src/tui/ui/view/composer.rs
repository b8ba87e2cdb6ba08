//! The operator's input: a multi-line text box with word wrap; the terminal's own cursor marks the caret.
//!
//! Pasted text is sanitised and never sends the message. Text cleared with Ctrl-C can be restored.

use crate::text;
use crate::ui::text::wrap::{width, wrap};
use ratatui::style::Style;
use ratatui::text::Line;
use tui_textarea::{CursorMove, TextArea, WrapMode};

/// Maximum height of the composer in rows; longer drafts scroll.
const ROWS_MAX: usize = 6;

/// Maximum number of sent texts in the history.
const HISTORY: usize = 500;
/// Maximum number of characters, and of lines, of a pasted text that is not folded into a chip.
const PASTE_CHARS: usize = 1_000;
const PASTE_LINES: usize = 10;

/// Maximum number of bytes laid out at once; beyond that, every key press would lag.
const UNFOLDED_BYTES: usize = 100_000;

/// The turn that the draft answers, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnsweredTurn {
    /// The turn that the person reads or has chosen.
    pub to: Option<u32>,
    /// True if the person has chosen it, or has dropped it.
    pub fixed: bool,
    /// Last turn that had begun at the first character.
    pub began: u32,
}

/// The operator's input.
pub struct Composer {
    /// Text box with the caret.
    pub area: TextArea<'static>,
    /// Earlier inputs, oldest first.
    pub history: Vec<String>,
    /// Index of the history entry that is shown; `None` while the draft is shown.
    back: Option<usize>,
    /// Draft saved when history navigation started.
    draft: String,
    /// Pasted texts that were folded, as (chip, text).
    pasted: Vec<(String, String)>,
    cleared: String,
}

impl Default for Composer {
    fn default() -> Composer {
        Composer {
            area: fresh(),
            history: vec![],
            back: None,
            draft: String::new(),
            pasted: vec![],
            cleared: String::new(),
        }
    }
}

fn fresh() -> TextArea<'static> {
    let mut area = TextArea::default();
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    // the terminal's own cursor is shown; the widget must not draw a second one
    area.set_cursor_style(Style::new());
    area.set_cursor_line_style(Style::new());
    area
}

/// Widest form of a tab in the text area.
const TAB: &str = "    ";

impl Composer {
    /// Returns the text as shown, chips included.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Returns `true` if the input is empty.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Returns the height in rows at a width in cells.
    pub fn rows(&self, room: usize) -> u16 {
        // every line needs at least one row, so that more lines than this cannot matter
        let lines = self.area.lines().iter().take(ROWS_MAX);
        let rows = lines.map(|l| wrap(&Line::from(l.replace('\t', TAB)), room).len());
        rows.sum::<usize>().clamp(1, ROWS_MAX) as u16
    }

    /// Returns the row and column of the caret on the screen; a grapheme cluster counts with the width of its glyph.
    pub fn caret(&self) -> (usize, usize) {
        let caret = self.area.screen_cursor();
        let line = self.area.cursor().0;
        let at = self.area.cursor().1;
        let line: Vec<char> =
            self.area.lines().get(line).map_or(vec![], |l| l.chars().take(at).collect());
        // the text area widens tabs itself
        if line.contains(&'\t') {
            return (caret.row, caret.col);
        }
        let cells = |c: &char| width(c.encode_utf8(&mut [0; 4]));
        let mut left = caret.col;
        let begin = line.iter().rposition(|c| {
            let begun = left == 0 && cells(c) > 0;
            left = left.saturating_sub(cells(c));
            begun
        });
        let row: String = line[begin.map_or(0, |at| at + 1)..].iter().collect();
        (caret.row, width(&row))
    }

    /// Returns the text to send, with every chip replaced by its pasted text.
    pub fn whole(&self) -> String {
        let unfold =
            |text: String, (chip, pasted): &(String, String)| text.replacen(chip, pasted, 1);
        self.pasted.iter().fold(self.text(), unfold)
    }

    /// Inserts a pasted text, sanitised; a long one becomes a chip.
    pub fn paste(&mut self, raw: &str) {
        let lines = raw.replace("\r\n", "\n").replace('\r', "\n");
        let text = text::block(&lines).into_owned();
        let chars = text.chars().count();
        let rows = text.lines().count();
        if chars <= PASTE_CHARS && rows <= PASTE_LINES {
            self.area.insert_str(text);
            return;
        }
        let chip = format!(
            "[pasted {}: {}, {} KB]",
            self.pasted.len() + 1,
            text::plural(rows, "line"),
            text.len().div_ceil(1_000)
        );
        self.area.insert_str(&chip);
        self.pasted.push((chip, text));
    }

    /// Replaces all chips by their texts; returns `false` and changes nothing if the result is too long to edit here.
    pub fn unfold(&mut self) -> bool {
        let whole = self.whole();
        if whole.len() > UNFOLDED_BYTES {
            return false;
        }
        self.pasted.clear();
        self.begin(&whole);
        true
    }

    /// Adds the text to the history and clears the input.
    pub fn sent(&mut self) {
        let words = self.whole();
        self.history.retain(|before| *before != words);
        self.history.push(words);
        let surplus = self.history.len().saturating_sub(HISTORY);
        self.history.drain(..surplus);
        self.area = fresh();
        self.back = None;
        self.pasted = vec![];
    }

    /// Shows the previous history entry if the caret is in the first line, otherwise moves the caret up. Returns
    /// `false` if there is no earlier entry.
    pub fn earlier(&mut self) -> bool {
        if self.area.cursor().0 > 0 {
            self.area.move_cursor(CursorMove::Up);
            return true;
        }
        let at = self.back.unwrap_or(self.history.len()).checked_sub(1);
        let Some((at, words)) = at.and_then(|at| Some((at, self.history.get(at)?.clone()))) else {
            return false;
        };
        if self.back.is_none() {
            self.draft = self.text();
        }
        self.begin(&words);
        self.area.move_cursor(CursorMove::Top);
        self.back = Some(at);
        true
    }

    /// Shows the next history entry, or the draft after the last one, if the caret is in the last line; otherwise moves
    /// the caret down.
    pub fn later(&mut self) {
        if self.area.cursor().0 + 1 < self.area.lines().len() {
            self.area.move_cursor(CursorMove::Down);
            return;
        }
        let Some(at) = self.back else { return };
        let words = self.history.get(at + 1).cloned();
        self.back = words.is_some().then_some(at + 1);
        let words = words.unwrap_or_else(|| std::mem::take(&mut self.draft));
        self.begin(&words);
    }

    /// Inserts text at the caret, sanitised.
    pub fn insert(&mut self, raw: &str) {
        let lines = raw.replace("\r\n", "\n").replace('\r', "\n");
        self.area.insert_str(text::block(&lines));
    }

    /// Replaces the whole input by text from elsewhere, sanitised.
    pub fn rewrite(&mut self, raw: &str) {
        self.area = fresh();
        self.pasted = vec![];
        self.insert(raw);
    }

    /// Replaces the text, without sanitising it.
    pub fn begin(&mut self, words: &str) {
        self.area = fresh();
        self.area.insert_str(words);
    }

    /// Clears the input; [`restore`](Composer::restore) brings it back.
    pub fn clear(&mut self) {
        self.cleared = self.text();
        self.area = fresh();
    }

    /// Exchanges the input with the text that was cleared last: joined, one could be said to the hearers of the other.
    pub fn restore(&mut self) {
        let cleared = std::mem::take(&mut self.cleared);
        if !cleared.is_empty() {
            self.clear();
            self.area.insert_str(cleared);
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VimMode {
    /// Letters are text.
    #[default]
    Insert,
    /// Letters are motions and changes.
    Normal,
}

/// State of the Vim mode.
#[derive(Clone, Debug, Default)]
pub struct Vim {
    pub mode: VimMode,
    /// First letter of a two-letter command.
    pub begun: Option<char>,
    /// Text of the command line, after the colon.
    pub colon: Option<String>,
    /// Query of the last search.
    pub sought: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_is_sanitised_and_keeps_its_lines() {
        let mut composer = Composer::default();
        composer.insert("one\r\ntwo\rthree \u{1b}[2K");
        assert_eq!(composer.text(), "one\ntwo\nthree ␛[2K");
        assert_eq!(composer.rows(20), 3);
    }

    #[test]
    fn history_recalls_sent_text_and_then_the_draft() {
        let mut composer = Composer::default();
        for words in ["one", "two", "one"] {
            composer.insert(words);
            composer.sent();
        }
        assert_eq!(composer.history, ["two", "one"]);
        composer.insert("draft");
        let mut shown = Vec::new();
        for _ in 0..3 {
            shown.push((composer.earlier(), composer.text()));
        }
        assert_eq!(shown, [(true, "one".into()), (true, "two".into()), (false, "two".into())]);
        composer.later();
        assert_eq!(composer.text(), "one");
        composer.later();
        composer.later();
        assert_eq!(composer.text(), "draft");
    }

    #[test]
    fn a_long_text_is_folded_and_sent_whole() {
        let mut composer = Composer::default();
        let long = "line\n".repeat(40);
        composer.insert("see ");
        composer.paste(&long);
        assert_eq!(composer.text(), "see [pasted 1: 40 lines, 1 KB]");
        assert_eq!(composer.whole(), format!("see {long}"));
        composer.unfold();
        assert_eq!(composer.text(), format!("see {long}"));
        composer.paste("short");
        assert!(composer.text().ends_with("short"));
        composer.paste(&"x".repeat(UNFOLDED_BYTES));
        assert!(!composer.unfold() && composer.text().contains("[pasted 1: 1 line, 100 KB]"));
    }

    #[test]
    fn caret_is_after_the_visible_text() {
        let mut composer = Composer::default();
        for (words, column) in
            [("a", 1), ("日本", 4), ("👨‍👩‍👧‍👦 x", 4), ("e\u{301}", 1), ("אב", 2), ("", 0)]
        {
            composer.begin(words);
            assert_eq!(composer.caret(), (0, column), "{words:?}");
        }
    }

    #[test]
    fn cleared_text_can_be_restored() {
        let mut composer = Composer::default();
        composer.insert("a thought");
        composer.clear();
        assert!(composer.is_empty());
        composer.restore();
        assert_eq!(composer.text(), "a thought");
    }
}
