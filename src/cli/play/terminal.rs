//! Checks before the start if there is a terminal for the requested mode.

use crate::cli::appearance::AppearanceSettings;
use crate::cli::args::Play;
use crate::cli::command_line;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::play::detach;

/// Rejects a screen without a terminal; switches to text if text mode is requested.
pub fn check(play: &mut Play, context: &Context) -> Result<(), Failure> {
    if play.detach {
        return detach::check(play);
    }
    play.headless |= play.background;
    let text = context.text_mode().is_some();
    if text && !Context::at_terminal() && !play.headless {
        // append only, at a readable pace
        play.headless = true;
        play.pace = true;
    }
    if play.headless {
        return Ok(());
    }
    if !text {
        check_screen(&headless(context), context)?;
        // errors of the settings are reported before the start
        AppearanceSettings::from_context(context)?;
    }
    if play.reads_commands() {
        let message = "--steer - needs --headless: on the screen, standard input is the keyboard";
        return Err(Failure::usage(message, "write the lines to a file and name it with --steer"));
    }
    Ok(())
}

/// Rejects a screen if the terminal cannot show it, and suggests another command.
pub fn check_screen(instead: &str, context: &Context) -> Result<(), Failure> {
    let instead = format!("use: {instead}");
    if !Context::at_terminal() {
        return Err(Failure::usage("not a terminal", instead));
    }
    match context.text_mode() {
        Some(because) => {
            let message = format!("text mode cannot show the full screen ({because})");
            Err(Failure::usage(message, instead))
        }
        None => Ok(()),
    }
}

/// Returns the command that was typed, with `--headless` added.
pub fn headless(context: &Context) -> String {
    let mut words = command_line::arguments();
    words.push("--headless".into());
    context.command_line(&words)
}
