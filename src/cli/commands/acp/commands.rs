//! Commands of the person at the client.

use crate::cli::error::Failure;
use crate::model::Command;
use crate::model::command::{COMMANDS, CommandRow};
use crate::state::State;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use crate::steer::slash;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, SessionUpdate,
    UnstructuredCommandInput,
};

/// Beginning of the keys of the client's commands.
pub const KEYS: &str = "acp:";

/// Returns the command of a prompt: the turn of the person's seat if it has the floor, a `/command`, or a message to
/// everyone.
pub fn command(words: &str, state: &State) -> Result<Command, Failure> {
    let human = state.turns.values().find(|turn| state.waits_for_human(turn));
    let manner = human.map_or(Manner::Say, |turn| Manner::Speak(turn.seat.clone()));
    match read_line(words, &Typing::new(EntryPoint::Acp, manner), state) {
        Ok(Intent::Give(command)) => Ok(command),
        Ok(Intent::Local) => Ok(said(words)),
        Err(why) => Err(Failure::usage(why.to_string(), "see `colloquium help steering`")),
    }
}

/// Returns a message to everyone.
pub fn said(words: &str) -> Command {
    Command::Say { text: words.into(), re: None, material: None }
}

/// Returns whether a command lets the conversation go on: somebody speaks next.
pub fn speaks(command: &Command) -> bool {
    matches!(command, Command::Say { .. } | Command::Speak { .. } | Command::Floor { .. })
}

/// Returns the `/commands` for the client.
pub fn available() -> SessionUpdate {
    let hidden = ["decide", "join", "change", "hold", "say", "speak", "edit_queued", "drop_queued"];
    let rows = COMMANDS.iter().filter(|row| !hidden.contains(&row.name));
    let command = |row: &'static CommandRow| {
        let spelled = slash::spelled(row);
        let usage = slash::usage(row);
        let hint = usage.strip_prefix(&*spelled).unwrap_or_default().trim().to_owned();
        let input = UnstructuredCommandInput::new(hint.clone());
        let input = (!hint.is_empty()).then_some(AvailableCommandInput::Unstructured(input));
        AvailableCommand::new(spelled.trim_start_matches('/'), row.meaning).input(input)
    };
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(
        rows.map(command).collect(),
    ))
}
