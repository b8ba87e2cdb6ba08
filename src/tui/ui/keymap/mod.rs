//! Key bindings: the default table, and the [`Keymap`] with the user's own keys applied. Hints, help and the command
//! list are generated from the keymap.

mod bound;
mod focus;
mod listed;
mod rows;
mod spelling;

pub use crate::ui::keymap::bound::{Keymap, Unfit};
pub use crate::ui::keymap::focus::Focus;
pub use crate::ui::keymap::listed::{LISTED, ListSection, ListedAction, capital, parse_action};
pub use crate::ui::keymap::rows::{Group, KeyRow, ROWS, row};
pub use crate::ui::keymap::spelling::spell;
