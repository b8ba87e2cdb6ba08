//! A prompt as the messages of a chat.

use crate::model::{Block, Prompt};

/// Whose words a message holds, as chat models tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    System,
    User,
    Assistant,
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub role: Role,
    pub text: String,
}

/// What a chat ends with that would otherwise end with the model's own words.
const YOUR_TURN: &str = "It is your turn to speak.";

/// Returns the messages of a prompt: the system part first, no two neighbours of one role, the last one the user's.
pub(super) fn messages(prompt: &Prompt) -> Vec<Message> {
    let mut all: Vec<Message> = Vec::new();
    add(&mut all, Role::System, &prompt.system);
    add(&mut all, Role::User, prompt.brief.as_deref().unwrap_or_default());
    for block in &prompt.blocks {
        match block {
            Block::Own { text } => add(&mut all, Role::Assistant, text),
            Block::Other { name, text, .. } => {
                add(&mut all, Role::User, &format!("{name}: {text}"));
            }
            Block::Operator { text, .. } => {
                add(&mut all, Role::User, &format!("Operator: {text}"));
            }
        }
    }
    for note in &prompt.notes {
        add(&mut all, Role::User, &format!("(Note from the operator: {note})"));
    }
    if all.last().is_none_or(|last| last.role != Role::User) {
        add(&mut all, Role::User, YOUR_TURN);
    }
    all
}

fn add(all: &mut Vec<Message>, role: Role, text: &str) {
    match all.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.role == role => {
            last.text.push_str("\n\n");
            last.text.push_str(text);
        }
        Some(_) | None => all.push(Message { role, text: text.to_owned() }),
    }
}
