//! The only message of a prompt for a small model: no tags, one line for each message of the conversation.

use crate::escape::quoted;
use crate::model::{Block, Message, Prompt, Role};

/// Maximum length of a shown message, in words.
const MESSAGE_WORDS: usize = 60;

/// Returns the only message of a prompt for a small model.
pub(super) fn message(prompt: &Prompt, asked: &str) -> Message {
    let blocks = prompt.blocks.iter().filter_map(line);
    let known = prompt.known.iter().map(|known| known.text.to_string());
    let notes = prompt.notes.iter().map(|note| quoted(note));
    let parts: Vec<String> = std::iter::once(prompt.system.to_string())
        .chain(prompt.brief.iter().map(|brief| quoted(brief)))
        .chain(prompt.sections.iter().map(|section| section.to_string()))
        .chain(known)
        .chain(blocks)
        .chain(notes)
        .chain([asked.to_owned()])
        .filter(|part| !part.trim().is_empty())
        .collect();
    let mut message = Message::new(Role::User, parts.join("\n\n"));
    message.fresh = asked.len();
    message
}

/// Returns a message of the conversation on one line: `Bo said: …`.
fn line(block: &Block) -> Option<String> {
    let (who, text) = match block {
        Block::Own { text, .. } => ("You".to_owned(), text),
        Block::Other { name, number: Some(number), text, .. } => {
            (format!("In turn {number} {}", quoted(name)), text)
        }
        Block::Other { name, number: None, text, .. } => (quoted(name), text),
        Block::Operator { text, .. } => ("The host".to_owned(), text),
        Block::Summary { text } => return Some(quoted(text)),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let most = if block.is_material() { words.len() } else { MESSAGE_WORDS };
    let cut = if words.len() > most { " …" } else { "" };
    let text = quoted(&words[..words.len().min(most)].join(" "));
    (!text.is_empty()).then(|| format!("{who} said: {text}{cut}"))
}
