//! Modal editing in the composer, and four keys on a marked message, with `keymap = "vim"`. It only adds: keys that are
//! not handled here keep their usual meaning.
//!
//! The first Esc leaves insert mode, the second the composer; neither affects the draft or the conversation.

use crate::ui::act::send;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::request::FollowUp;
use crate::ui::screen::Screen;
use crate::ui::text::caret;
use crate::ui::view::composer::VimMode;
use crate::ui::view::search::Search;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};

/// Handles a key; `None` if the key has its usual meaning.
pub fn key(screen: &mut Screen, key: &KeyEvent) -> Option<Option<FollowUp>> {
    screen.view.vim.as_ref()?;
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return None;
    }
    match screen.view.place() {
        Focus::Write | Focus::Line => composer(screen, key.code),
        Focus::Marked => marked(screen, key.code),
        _ => None,
    }
}

/// Handles the letters of a marked message: `n` goes on with the last search.
fn marked(screen: &mut Screen, code: KeyCode) -> Option<Option<FollowUp>> {
    let action = match code {
        KeyCode::Char('j') => Action::MessageDown,
        KeyCode::Char('k') => Action::MessageUp,
        KeyCode::Char('y') => Action::Copy,
        KeyCode::Char('n') => {
            let query = screen.view.vim.as_ref()?.sought.clone();
            screen.view.over.search = Some(Search { query, ..Search::default() });
            Action::NextFound
        }
        _ => return None,
    };
    Some(Some(FollowUp::Act(action)))
}

fn composer(screen: &mut Screen, code: KeyCode) -> Option<Option<FollowUp>> {
    let offered = screen.view.completion.is_some();
    let vim = screen.view.vim.as_mut()?;
    if let Some(colon) = &mut vim.colon {
        match code {
            KeyCode::Char(c) => colon.push(c),
            KeyCode::Backspace => caret::pop(colon),
            KeyCode::Enter => {
                let line = vim.colon.take().unwrap_or_default();
                screen.view.notice = None;
                return Some(obey(screen, &line));
            }
            _ => vim.colon = None,
        }
        screen.view.notice = vim.colon.as_ref().map(|colon| format!(":{colon}"));
        return Some(None);
    }
    match (vim.mode, code) {
        (VimMode::Insert, KeyCode::Esc) if !offered => vim.mode = VimMode::Normal,
        (VimMode::Insert, _) => return None,
        (VimMode::Normal, KeyCode::Esc) => {
            vim.mode = VimMode::Insert;
            vim.begun = None;
            return None;
        }
        (VimMode::Normal, KeyCode::Char(':')) => {
            vim.colon = Some(String::new());
            screen.view.notice = Some(":".into());
        }
        (VimMode::Normal, KeyCode::Char(c)) => {
            let begun = vim.begun.take();
            let area = &mut screen.view.composer.area;
            match (begun, c) {
                (None, 'd' | 'c' | 'y' | 'g') => vim.begun = Some(c),
                (Some('g'), 'g') => area.move_cursor(CursorMove::Top),
                (Some(command @ ('d' | 'c' | 'y')), c) => {
                    if change(area, command, c) && command == 'c' {
                        vim.mode = VimMode::Insert;
                    }
                }
                (Some(_) | None, c) => {
                    if alone(area, c) {
                        vim.mode = VimMode::Insert;
                    }
                }
            }
        }
        (VimMode::Normal, _) => return None,
    }
    Some(None)
}

/// Runs the command of a single letter; returns whether insert mode follows.
fn alone(area: &mut TextArea<'_>, c: char) -> bool {
    match c {
        'x' => caret::delete_after(area),
        'X' => caret::delete_before(area),
        'D' | 'C' => _ = area.delete_line_by_end(),
        'p' => _ = area.paste(),
        'u' => _ = area.undo(),
        'a' => caret::step(area, CursorMove::Forward),
        'I' => area.move_cursor(CursorMove::Head),
        'A' => area.move_cursor(CursorMove::End),
        'o' => {
            area.move_cursor(CursorMove::End);
            area.insert_newline();
        }
        'O' => {
            area.move_cursor(CursorMove::Head);
            area.insert_newline();
            area.move_cursor(CursorMove::Up);
        }
        c => motion(c).into_iter().for_each(|to| caret::step(area, to)),
    }
    "iIaAoOC".contains(c)
}

/// Deletes, changes or copies the text of a motion; returns whether the motion exists.
fn change(area: &mut TextArea<'_>, command: char, to: char) -> bool {
    if to == command {
        area.move_cursor(CursorMove::Head);
        area.start_selection();
        let before = area.cursor();
        if command != 'c' {
            area.move_cursor(CursorMove::Down);
        }
        // the last line has none below it
        if area.cursor() == before {
            area.move_cursor(CursorMove::End);
        }
    } else {
        let Some(motion) = motion(to) else { return false };
        area.start_selection();
        caret::step(area, motion);
        if to == 'e' {
            caret::step(area, CursorMove::Forward);
        }
    }
    match command {
        'y' => area.copy(),
        _ => _ = area.cut(),
    }
    area.cancel_selection();
    true
}

fn motion(c: char) -> Option<CursorMove> {
    Some(match c {
        'h' => CursorMove::Back,
        'l' => CursorMove::Forward,
        'j' => CursorMove::Down,
        'k' => CursorMove::Up,
        'w' => CursorMove::WordForward,
        'e' => CursorMove::WordEnd,
        'b' => CursorMove::WordBack,
        '0' | '^' => CursorMove::Head,
        '$' => CursorMove::End,
        'G' => CursorMove::Bottom,
        _ => return None,
    })
}

/// Runs the text after a colon: `w` sends, `q` leaves the composer, anything else is a command.
fn obey(screen: &mut Screen, line: &str) -> Option<FollowUp> {
    match line {
        "" => None,
        "q" => Some(FollowUp::Act(Action::Back)),
        "w" | "wq" | "x" => {
            let sent = send::send(screen, send::Delivery::Queue);
            if line != "w" {
                screen.view.writing = false;
            }
            sent
        }
        command => send::send_line(screen, &format!("/{command}"), send::Delivery::Queue),
    }
}
