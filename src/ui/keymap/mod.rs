//! Which key means which action: one table to begin with, and the [`Keymap`] that it becomes with the user's own keys.
//! Hints, help and the list of commands are made from that map alone.

mod bound;
mod focus;
mod rows;
mod spelling;

pub use crate::ui::keymap::bound::{Keymap, Unfit};
pub use crate::ui::keymap::focus::Focus;
pub use crate::ui::keymap::rows::{Group, KeyRow, ROWS, row, runs};
pub use crate::ui::keymap::spelling::spell;
