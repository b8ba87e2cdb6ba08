//! The start screen: what it offers, and what is done with a choice.

pub mod linear;
pub mod nearby;
pub mod screen;
