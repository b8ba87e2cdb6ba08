//! Moves the cursor and deletes text by grapheme: a joined emoji, a flag, a letter with its marks.
//!
//! The text area counts characters; here the cursor is never inside a grapheme. A selection grows in the same way.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::ops::Range;
use tui_textarea::{CursorMove, DataCursor, TextArea};
use unicode_segmentation::UnicodeSegmentation;

/// Applies a key to the text.
pub fn input(area: &mut TextArea<'_>, key: KeyEvent) {
    let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        // as in every shell; the text area uses it for undo
        KeyCode::Char('u') if key.modifiers == KeyModifiers::CONTROL => {
            // at the start of a line there is nothing to delete
            if area.is_selecting() || area.cursor().1 > 0 {
                area.delete_line_by_head();
            }
        }
        // terminals send these for ctrl-_
        KeyCode::Char('_' | '7' | '/') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            area.undo();
        }
        KeyCode::Backspace if plain => delete_before(area),
        KeyCode::Delete if plain => delete_after(area),
        _ => {
            let before = area.cursor();
            area.input(key);
            settle(area, before);
        }
    }
}

/// Moves the cursor by whole graphemes.
pub fn step(area: &mut TextArea<'_>, to: CursorMove) {
    let before = area.cursor();
    area.move_cursor(to);
    settle(area, before);
}

/// Deletes the grapheme before the cursor, or the selection.
pub fn delete_before(area: &mut TextArea<'_>) {
    let DataCursor(row, at) = area.cursor();
    match signs(area, row).into_iter().find(|sign| sign.end == at) {
        Some(sign) if sign.len() > 1 && !area.is_selecting() => {
            (0..sign.len()).for_each(|_| area.move_cursor(CursorMove::Back));
            area.delete_str(sign.len());
        }
        _ => _ = area.delete_char(),
    }
}

/// Deletes the grapheme after the cursor, or the selection.
pub fn delete_after(area: &mut TextArea<'_>) {
    let DataCursor(row, at) = area.cursor();
    match signs(area, row).into_iter().find(|sign| sign.start == at) {
        Some(sign) if sign.len() > 1 && !area.is_selecting() => {
            area.delete_str(sign.len());
        }
        _ => _ = area.delete_next_char(),
    }
}

/// Applies a key to a line without a text area, with the cursor at its end; returns whether the key is text there.
pub fn line(line: &mut String, key: &KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('u') if control => line.clear(),
        KeyCode::Char(c) if !control => line.push(c),
        KeyCode::Backspace => pop(line),
        _ => return false,
    }
    true
}

/// Deletes the last grapheme of a line without a text area.
pub fn pop(line: &mut String) {
    let end = line.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
    line.truncate(end);
}

/// Moves the cursor out of a grapheme, in the direction of the last move.
fn settle(area: &mut TextArea<'_>, before: DataCursor) {
    let DataCursor(row, at) = area.cursor();
    let within = |sign: &Range<usize>| sign.start < at && at < sign.end;
    let Some(sign) = signs(area, row).into_iter().find(within) else { return };
    let (to, steps) = if row == before.0 && at > before.1 {
        (CursorMove::Forward, sign.end - at)
    } else {
        (CursorMove::Back, at - sign.start)
    };
    (0..steps).for_each(|_| area.move_cursor(to));
}

/// Returns the graphemes of a line, as ranges of its characters.
fn signs(area: &TextArea<'_>, row: usize) -> Vec<Range<usize>> {
    let line = area.lines().get(row).map_or("", String::as_str);
    let mut end = 0;
    let each = line.graphemes(true).map(|sign| {
        let start = end;
        end += sign.chars().count();
        start..end
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNS: [&str; 6] = ["a", "👨\u{200d}👩\u{200d}👧", "🇩🇪", "e\u{301}", "漢", "👍🏽"];

    fn pressed(area: &mut TextArea<'_>, code: KeyCode, with: KeyModifiers) {
        input(area, KeyEvent::new(code, with));
    }

    #[test]
    fn an_arrow_steps_over_a_whole_sign() {
        let mut area = TextArea::new(vec![SIGNS.concat()]);
        let mut seen = vec![0];
        for sign in SIGNS {
            pressed(&mut area, KeyCode::Right, KeyModifiers::NONE);
            seen.push(seen.last().unwrap() + sign.chars().count());
            assert_eq!(area.cursor().1, *seen.last().unwrap(), "{sign}");
        }
        for at in seen.iter().rev().skip(1) {
            pressed(&mut area, KeyCode::Left, KeyModifiers::NONE);
            assert_eq!(area.cursor().1, *at);
        }
    }

    #[test]
    fn a_whole_sign_is_taken_out_and_selected() {
        for sign in SIGNS {
            let mut area = TextArea::new(vec![format!("x{sign}y")]);
            pressed(&mut area, KeyCode::Right, KeyModifiers::NONE);
            pressed(&mut area, KeyCode::Delete, KeyModifiers::NONE);
            assert_eq!(area.lines(), ["xy"], "{sign}");
            area.insert_str(sign);
            pressed(&mut area, KeyCode::Backspace, KeyModifiers::NONE);
            assert_eq!(area.lines(), ["xy"], "{sign}");
            area.insert_str(sign);
            pressed(&mut area, KeyCode::Left, KeyModifiers::SHIFT);
            pressed(&mut area, KeyCode::Backspace, KeyModifiers::NONE);
            assert_eq!(area.lines(), ["xy"], "{sign}");
            let mut line = format!("x{sign}");
            pop(&mut line);
            assert_eq!(line, "x");
        }
    }

    #[test]
    fn a_row_up_never_ends_within_a_sign() {
        let mut area = TextArea::new(vec!["👨\u{200d}👩\u{200d}👧".into(), "ab".into()]);
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        pressed(&mut area, KeyCode::Up, KeyModifiers::NONE);
        assert!([0, 5].contains(&area.cursor().1), "{:?}", area.cursor());
    }
}
