//! `colloquium` alone, or with a topic: the start screen, full screen or as questions.

mod facts;
mod linear;
mod nearby;
mod screen;
mod write;

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::play::next::{Home, Next};
use crate::cli::play::terminal::check_screen;

/// Opens the start screen; returns the choice.
pub fn open(home: &Home, context: &Context) -> Result<Next, Failure> {
    if let Some(because) = context.text_mode()
        && Context::at_terminal()
    {
        return linear::open(because, home, context);
    }
    let instead = match home.topic {
        Some(_) => "run SCENARIO --topic TEXT --headless",
        None => "demo --headless",
    };
    check_screen(&format!("colloquium {instead}"), context)?;
    screen::open(home, context)
}
