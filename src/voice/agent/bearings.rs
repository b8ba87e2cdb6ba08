//! Context that an agent already has of the conversation, and its next prompt: only the new messages, or the whole
//! conversation if an earlier message has changed.

use crate::model::{Message, Role};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Heading of the conversation in the first prompt of a session that starts late.
const SO_FAR: &str = "The conversation so far:";
/// Heading of the conversation after a change of messages that the agent already has.
const CHANGED: &str = "The record of the conversation was changed. Forget what you were told of it; this is how it stands now:";
/// Heading of the agent's own message if it differs from its reply.
const HEARD: &str = "Of your last message, the others heard this:";
/// Heading of changed rules.
const RULES: &str = "From now on this holds for you:";

/// Context of an agent, as of its last prompt.
#[derive(Debug, Default)]
pub(super) struct Bearings {
    rules: Option<u64>,
    /// Digest of each message of the conversation.
    known: Vec<u64>,
    /// Last reply of the agent, as received.
    pub said: String,
}

impl Bearings {
    /// Returns the next prompt, and assumes that the agent reads it.
    pub(super) fn prompt(&mut self, messages: &[Message]) -> String {
        let (rules, talk): (Vec<&Message>, Vec<&Message>) =
            messages.iter().partition(|m| m.role == Role::System);
        let (fresh, kept): (Vec<&Message>, Vec<&Message>) =
            talk.into_iter().partition(|m| m.fresh == m.text.len() && m.fresh > 0);
        let rules: String = rules.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n\n");
        let digests: Vec<u64> = kept.iter().map(|m| digest(&(own(m), &m.text))).collect();
        let first = self.rules.is_none();
        let mut parts: Vec<String> = vec![];
        if self.rules.replace(digest(&rules)) != Some(digest(&rules)) {
            parts.extend((!first).then(|| RULES.to_owned()));
            parts.push(rules);
        }
        let new = match digests.strip_prefix(&*self.known) {
            Some(new) if !first => &kept[kept.len() - new.len()..],
            Some(_) | None => {
                self.said.clear();
                let head = if first { SO_FAR } else { CHANGED };
                parts.extend((!kept.is_empty()).then(|| head.to_owned()));
                &kept[..]
            }
        };
        for message in new {
            if !own(message) {
                parts.push(message.text.clone());
            } else if self.said.is_empty() {
                parts.push(format!("<said by=\"you\">\n{}\n</said>", message.text));
            } else if !same(&message.text, &self.said) {
                parts.push(format!("{HEARD}\n<said by=\"you\">\n{}\n</said>", message.text));
            }
        }
        parts.extend(fresh.iter().map(|m| m.text.clone()));
        self.known = digests;
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n\n")
    }
}

fn own(message: &Message) -> bool {
    message.role == Role::Assistant
}

fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns whether two texts are equal up to whitespace.
fn same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, text: &str) -> Message {
        Message::new(role, text)
    }

    fn asked(text: &str) -> Message {
        Message { fresh: text.len(), ..message(Role::User, text) }
    }

    #[test]
    fn agent_prompt_has_only_new_messages_of_others() {
        let mut bearings = Bearings::default();
        let mut talk = vec![message(Role::System, "You are Ada."), message(Role::User, "Bo: one")];
        let with = |talk: &[Message], cue: &str| [talk, &[asked(cue)]].concat();
        let first = bearings.prompt(&with(&talk, "Speak."));
        assert_eq!(first, "You are Ada.\n\nThe conversation so far:\n\nBo: one\n\nSpeak.");
        bearings.said = "I say\n two".into();
        talk.push(message(Role::Assistant, "I say two"));
        talk.push(message(Role::User, "Bo: three"));
        assert_eq!(bearings.prompt(&with(&talk, "Again.")), "Bo: three\n\nAgain.");
        bearings.said = "four, and more".into();
        talk.push(message(Role::Assistant, "four"));
        let cut = bearings.prompt(&with(&talk, "Now."));
        assert_eq!(cut, format!("{HEARD}\n<said by=\"you\">\nfour\n</said>\n\nNow."));
        assert_eq!(bearings.prompt(&with(&talk, "Now.")), "Now.");
    }

    #[test]
    fn a_record_that_was_changed_is_told_again() {
        let mut bearings = Bearings::default();
        let talk = [message(Role::System, "You are Ada."), message(Role::User, "Bo: one")];
        bearings.prompt(&talk);
        bearings.said = "two".into();
        let edited = [
            message(Role::System, "You are Ada, a poet."),
            message(Role::User, "Bo: uno"),
            message(Role::Assistant, "two"),
        ];
        assert_eq!(
            bearings.prompt(&edited),
            format!(
                "{RULES}\n\nYou are Ada, a poet.\n\n{CHANGED}\n\nBo: uno\n\n<said by=\"you\">\ntwo\n</said>"
            )
        );
    }
}
