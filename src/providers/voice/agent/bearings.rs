//! Context that an agent already has of the conversation, and its next prompt: only the new messages, or the whole
//! conversation if an earlier message has changed.

use crate::model::agent::AgentContext;
use crate::model::{Message, Role, Text};
use crate::text::hex;
use sha2::{Digest, Sha256};

/// Characters of a digest.
const DIGEST_CHARS: usize = 32;

/// Heading of the conversation in the first prompt of a session that starts late.
const SO_FAR: &str = "The conversation so far:";
/// Heading of the conversation after a change of messages that the agent already has.
const CHANGED: &str = "The record of the conversation was changed. Forget what you were told of it; this is how it stands now:";
/// Heading of the agent's own message if it differs from its reply.
const HEARD: &str = "Of your last message, the others heard this:";
/// Heading of changed rules.
const RULES: &str = "From now on this holds for you:";

/// Context of an agent, as of its last prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct Bearings(Option<AgentContext>);

impl From<AgentContext> for Bearings {
    fn from(context: AgentContext) -> Bearings {
        Bearings(Some(context))
    }
}

impl Bearings {
    /// Returns the context in a session; `None` before the first prompt.
    pub(super) fn context(&self, session: &str) -> Option<AgentContext> {
        let context = self.0.clone()?;
        Some(AgentContext { session: session.into(), ..context })
    }

    /// Remembers the agent's reply as received.
    pub(super) fn replied(&mut self, said: &str) {
        if let Some(context) = &mut self.0 {
            context.reply = reply(said);
        }
    }

    /// Returns the next prompt, and assumes that the agent reads it.
    pub(super) fn prompt(&mut self, messages: &[Message]) -> String {
        let (rules, talk): (Vec<&Message>, Vec<&Message>) =
            messages.iter().partition(|m| m.role == Role::System);
        let (fresh, kept): (Vec<&Message>, Vec<&Message>) =
            talk.into_iter().partition(|m| m.fresh == m.text.len() && m.fresh > 0);
        let rules: String = rules.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n\n");
        let before = self.0.take();
        let first = before.is_none();
        let before = before.unwrap_or_default();
        let digest_of_rules = digest([rules.as_str()]);
        let mut parts: Vec<String> = vec![];
        if before.rules != digest_of_rules {
            parts.extend((!first).then(|| RULES.to_owned()));
            parts.push(rules);
        }
        let told = kept.get(..before.told as usize);
        let same = told.filter(|told| !first && of_messages(told) == before.messages);
        let (new, said) = match same {
            Some(told) => (&kept[told.len()..], before.reply),
            None => {
                let head = if first { SO_FAR } else { CHANGED };
                parts.extend((!kept.is_empty()).then(|| head.to_owned()));
                (&kept[..], "".into())
            }
        };
        for message in new {
            if !own(message) {
                parts.push(message.text.clone());
            } else if said.is_empty() {
                parts.push(format!("<said by=\"you\">\n{}\n</said>", message.text));
            } else if reply(&message.text) != said {
                parts.push(format!("{HEARD}\n<said by=\"you\">\n{}\n</said>", message.text));
            }
        }
        parts.extend(fresh.iter().map(|m| m.text.clone()));
        self.0 = Some(AgentContext {
            session: "".into(),
            told: u32::try_from(kept.len()).unwrap_or(u32::MAX),
            messages: of_messages(&kept),
            rules: digest_of_rules,
            reply: "".into(),
        });
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n\n")
    }
}

fn own(message: &Message) -> bool {
    message.role == Role::Assistant
}

/// Returns the digest of a conversation as the agent reads it.
fn of_messages(messages: &[&Message]) -> Text {
    digest(messages.iter().flat_map(|m| [if own(m) { "own" } else { "other" }, &*m.text]))
}

/// Returns the digest of a reply, which is equal for texts that differ in whitespace only; empty for an empty one.
fn reply(said: &str) -> Text {
    if said.trim().is_empty() { "".into() } else { digest(said.split_whitespace()) }
}

fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> Text {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hex(&hasher.finalize())[..DIGEST_CHARS].into()
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
        bearings.replied("I say\n two");
        talk.push(message(Role::Assistant, "I say two"));
        talk.push(message(Role::User, "Bo: three"));
        assert_eq!(bearings.prompt(&with(&talk, "Again.")), "Bo: three\n\nAgain.");
        bearings.replied("four, and more");
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
        bearings.replied("two");
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
