//! The only fold.
