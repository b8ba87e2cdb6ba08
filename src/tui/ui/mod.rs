//! The full-screen reader: panes, keys, themes, layout.
//!
//! It reads a tail and sends commands; it never decides the outcome, and it cannot distinguish a live conversation from
//! a replayed one. Key press → [`Action`](action::Action) → [`update`](act::update) → view state, or a command. The
//! engine owns the log; the scroll position is not logged. It deliberately does not depend on engine, voices or
//! environment.

pub mod act;
pub mod action;
pub mod draw;
pub mod film;
pub mod frame;
pub mod keymap;
pub mod layout;
pub mod linear;
pub mod request;
pub mod run;
pub mod start;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod view;

pub use view::screen::{self, Screen, ScreenMode, ViewState};
