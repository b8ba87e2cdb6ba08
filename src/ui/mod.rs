//! The full-screen reader: panes, keys, themes, layout.
//!
//! It reads a tail and sends commands; it never decides what happens, and it cannot tell a live conversation from a
//! replayed one. Key press → [`Action`](action::Action) → [`update`](act::update) → view state, or a command. What is
//! logged belongs to the engine; the scroll position is not logged. It deliberately knows no engine, no voice, no
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
mod screen;
pub mod slash;
pub mod start;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod view;

pub use screen::{Screen, ViewState};
