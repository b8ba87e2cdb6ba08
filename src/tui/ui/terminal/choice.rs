//! The key that answers a card printed below a command, before the screen opens.

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use std::io;

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
    let key = wait();
    super::set_raw_mode(false)?;
    key
}

fn wait() -> io::Result<CardKey> {
    loop {
        let Event::Key(key) = event::read()? else { continue };
        if key.kind != KeyEventKind::Press {
            continue;
        }
        match key.code {
            KeyCode::Enter => return Ok(CardKey::Begin),
            // Enter that was pressed before the terminal was raw
            KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Ok(CardKey::Begin);
            }
            KeyCode::Tab => return Ok(CardKey::Change),
            KeyCode::Esc | KeyCode::Char('n' | 'q') => return Ok(CardKey::Leave),
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Ok(CardKey::Leave);
            }
            _ => {}
        }
    }
}
