//! The key that answers a card printed below a command, before the screen opens.

use super::keys::{push, read_until};
use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use std::io::{self, pipe};

/// Answer to a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardKey {
    /// Enter.
    Begin,
    /// Tab.
    Change,
    /// Esc, Ctrl-C, n or q.
    Leave,
}

/// Waits for one of the keys; others have no effect.
///
/// # Errors
/// If the terminal cannot be read.
pub fn read_choice() -> io::Result<CardKey> {
    super::set_raw_mode(true)?;
    let (stop, reads) = pipe()?;
    let mut reads = Some(reads);
    let mut choice = None;
    let ended = read_until(&stop, |event| match choice {
        None => {
            choice = choice_of(&event);
            if choice.is_some() {
                // its closed end stops the reading
                drop(reads.take());
            }
        }
        Some(_) => push(Ok(event)),
    });
    super::set_raw_mode(false)?;
    ended.map(|()| choice.unwrap_or(CardKey::Leave))
}

fn choice_of(event: &Event) -> Option<CardKey> {
    let Event::Key(key) = event else { return None };
    match key.code {
        _ if key.kind != KeyEventKind::Press => None,
        KeyCode::Enter => Some(CardKey::Begin),
        // Enter that was pressed before the terminal was raw
        KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(CardKey::Begin),
        KeyCode::Tab => Some(CardKey::Change),
        KeyCode::Esc | KeyCode::Char('n' | 'q') => Some(CardKey::Leave),
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(CardKey::Leave),
        _ => None,
    }
}
