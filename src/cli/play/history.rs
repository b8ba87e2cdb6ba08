//! `--history`: replays an earlier chat as commands at the start of the conversation.
//!
//! User messages become operator messages, which begin with the user's name if there is one; assistant messages are attributed to the seats that they name, and system
//! messages become standing notes. The log contains them like everything else, so a resume does not repeat them and
//! prompts need no special case.

use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::read_file;
use crate::model::command::NoteFor;
use crate::model::{Command, Key, Participant, SeatId, SteerLine, Text};
use crate::scenario;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default name of an assistant without a name.
pub const OTHER: &str = "assistant";

/// One message of the earlier chat.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    role: Role,
    name: Option<String>,
    content: Text,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    User,
    Assistant,
}

/// The earlier chat and the current question.
#[derive(Default)]
pub struct History {
    /// The last user message if it ends the chat: the topic of the conversation.
    pub topic: Option<String>,
    /// Earlier messages as commands, in order.
    pub lines: Vec<(Key, SteerLine)>,
}

/// Reads a history file for the given seats. If a topic is given elsewhere, every message belongs to the history.
/// `other` is the name for assistants without one.
pub fn read(
    path: &str,
    seats: &[Participant],
    has_topic: bool,
    other: &str,
) -> Result<History, Failure> {
    let text = read_file("the history", path)?;
    let invalid = |why: String| {
        Failure::new(Exit::Invalid, format!("the history {path}: {why}"))
            .hint("expected a JSON list such as [{\"role\": \"assistant\", \"name\": \"ada\", \"content\": \"...\"}]")
    };
    let mut said: Vec<Said> = serde_json::from_str(&text).map_err(|e| invalid(e.to_string()))?;
    let asks = !has_topic && said.last().is_some_and(|last| last.role == Role::User);
    let topic = if asks { said.pop().map(|last| last.content.trim().to_owned()) } else { None };
    // an assistant of another program, without a seat here
    let nameless = |said: &Said| said.role == Role::Assistant && said.name.is_none();
    let guest = seats.len() != 1 && said.iter().any(nameless);
    let guest = guest.then(|| speaker(seats, Some(other)).map_err(|_| other.to_owned()));
    let mut verbs = vec![];
    if let Some(Err(name)) = &guest {
        verbs.push(Command::Join { participant: joins(name).map_err(invalid)? });
    }
    for (i, said) in said.into_iter().enumerate() {
        let text = said.content;
        verbs.push(match (said.role, said.name, &guest) {
            (Role::User, name, _) => {
                let text = match name {
                    Some(name) => format!("{name}: {text}").into(),
                    None => text,
                };
                Command::Say { text, re: None, material: None }
            }
            (Role::System, ..) => Command::Note { text, to: vec![], lives: NoteFor::Standing },
            (Role::Assistant, None, Some(Ok(who))) => Command::SpeakAs { text, who: who.clone() },
            (Role::Assistant, None, Some(Err(name))) => {
                Command::SpeakAs { text, who: SeatId(scenario::id_of(name).into()) }
            }
            (Role::Assistant, name, _) => {
                let who = speaker(seats, name.as_deref());
                let who = who.map_err(|why| invalid(format!("item {}: {why}", i + 1)))?;
                Command::SpeakAs { text, who }
            }
        });
    }
    if let Some(Err(name)) = &guest {
        verbs.push(Command::Leave { who: SeatId(scenario::id_of(name).into()) });
    }
    let keyed = |(i, verb): (usize, Command)| (format!("history:{}", i + 1).into(), verb.into());
    let lines = verbs.into_iter().enumerate().map(keyed).collect();
    Ok(History { topic, lines })
}

/// Returns the seat of an earlier speaker who takes no turns here.
fn joins(name: &str) -> Result<Value, String> {
    let seat = json!({"id": scenario::id_of(name), "name": name, "lines": ["..."]});
    let fits = scenario::participant(&seat);
    fits.map(|_| seat)
        .map_err(|_| format!("{name:?} is not a valid name; choose another --history-as"))
}

/// Finds the speaker by id, name or alias.
fn speaker(seats: &[Participant], name: Option<&str>) -> Result<SeatId, String> {
    let all = || seats.iter().map(|s| &*s.id).collect::<Vec<_>>().join(", ");
    let Some(name) = name else {
        return match seats {
            [only] => Ok(only.id.clone()),
            _ => Err(format!("an assistant message needs the `name` of a participant: {}", all())),
        };
    };
    let same = |other: &str| other.to_lowercase() == name.to_lowercase();
    let named =
        |s: &&Participant| same(&s.id) || same(&s.name) || s.aliases.iter().any(|a| same(a));
    let seat = seats.iter().find(named);
    seat.map(|s| s.id.clone())
        .ok_or_else(|| format!("no participant named {name:?}; there are {}", all()))
}
