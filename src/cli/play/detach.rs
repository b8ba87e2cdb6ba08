//! Conversations in the background: a copy of this program plays them, without a terminal, for clients to attach.

use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure, LABEL};
use crate::cli::play::outcome::resume_words;
use crate::cli::runtime::wait_for;
use crate::cli::{command_line, output};
use crate::own_file::append_to_named;
use crate::session::{SessionFiles, inherit};
use crate::settings::make_private;
use crate::spawn::{self, Copied, start_copy};
use serde_json::{Value, json};
use std::fs::File;
use std::io;
use tokio::task::spawn_blocking;

/// Folder of the outputs of conversations in the background, in the state folder.
const FOLDER: &str = "background";

/// Rejects options that need a terminal or standard input.
pub fn check(play: &Play) -> Result<(), Failure> {
    if play.reads_commands() {
        let message = "--detach and --steer - exclude each other: nobody holds standard input";
        return Err(Failure::usage(message, "send the lines later: colloquium steer SESSION -"));
    }
    Ok(())
}

/// Runs the command of this process again, in the background; prints the id of the session.
pub fn run_again(context: &Context) -> Result<Exit, Failure> {
    let option = |word: String| if word == "--detach" { "--background".into() } else { word };
    let words: Vec<String> = command_line::arguments().into_iter().map(option).collect();
    // what the copy waits for is known to the copy alone
    let started = async {
        let copied = spawn_blocking(move || start_copy(&words, None)).await;
        copied.map_err(io::Error::other).flatten().map_err(|e| refused(&e))
    };
    let copied = wait_for("the conversation in the background to begin", context, started)?;
    let name = begun(copied, context)?;
    output::data(format!("{name}\n").as_bytes())
}

/// Hands a conversation with its locked lock file over to a copy of this program, which resumes it.
pub fn hand_over(
    files: &SessionFiles,
    lock: Option<File>,
    play: &Play,
    context: &Context,
) -> Result<(), Failure> {
    let play = Play { headless: false, ..play.clone() };
    let path = files.log().display().to_string();
    let mut words = resume_words(&path, &play, context);
    words.push("--background".into());
    words.extend(context.data_options());
    let copied = start_copy(&words, lock).map_err(|e| refused(&e))?;
    begun(copied, context).map(drop)
}

fn refused(e: &io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot start in the background: {e}"))
}

/// Reports how a copy began; returns the name of its session.
fn begun(copied: Copied, context: &Context) -> Result<String, Failure> {
    let Copied { out, err, code } = copied;
    let ready: Value = serde_json::from_str(&out).unwrap_or_default();
    let name = ready["session"].as_str().unwrap_or_default().to_owned();
    match code {
        None if !name.is_empty() => {}
        code => {
            let code = code.and_then(Exit::from_code).unwrap_or(Exit::Failed);
            // notes come before the error
            let labelled = |at: &usize| *at == 0 || err[..*at].ends_with('\n');
            let begin = err.match_indices(LABEL).map(|(at, _)| at).find(labelled);
            let (notes, message) = err.split_at(begin.unwrap_or(0));
            context.report(notes.trim_end());
            return Err(Failure::new(code, message.trim().trim_start_matches(LABEL)));
        }
    }
    context.report(err.trim_end());
    let output = ready["output"].as_str().unwrap_or_default();
    let attach = context.command(&["attach", &name]);
    context.say(&format!("it runs in the background; attach: {attach}; output: {output}"));
    Ok(name)
}

/// Begins as the copy: leaves the terminal, and takes over the lock file from standard input, if it is there.
pub fn begin() {
    spawn::leave_terminal();
    spawn::input_file().into_iter().for_each(inherit);
}

/// Reports to the starter that the conversation runs, and sends all further output to a file.
pub fn report(files: &SessionFiles, context: &Context) -> Result<(), Failure> {
    let folder = context.paths.state.join(FOLDER);
    make_private(&folder)?;
    let path = folder.join(format!("{}.log", files.id()));
    let fault = |e: io::Error| {
        let message = format!("cannot write the output to {}: {e}", path.display());
        Failure::new(Exit::Failed, message)
    };
    let log = append_to_named(&path).map_err(fault)?;
    let output = path.display().to_string();
    let ready = json!({"session": context.name_of(files), "output": output});
    output::data(format!("{ready}\n").as_bytes())?;
    spawn::redirect_outputs(&log).map_err(fault)?;
    Ok(())
}
