//! Outgoing commands: assigns their keys and turns their receipts into messages.

use crate::model::{Command, Key, Kind, ReceiptIs, Seq, SteerLine};
use crate::text;
use std::collections::HashMap;

/// Commands of one person in one conversation.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Prefix of their keys: the `seq` at which the conversation was opened or reopened, or that of a client.
    prefix: String,
    waiting: HashMap<Key, String>,
    sent: u64,
    /// Latest message about a queued command.
    queued: Option<String>,
}

/// Reasons why a queued command waits.
#[derive(Clone, Debug, Default)]
pub struct WaitsFor {
    /// Name of the current speaker; `None` if nobody speaks.
    pub speaker: Option<String>,
    /// Key that resumes the conversation; `None` unless it is paused.
    pub resume: Option<String>,
}

impl Outbox {
    /// Creates an empty outbox for a conversation opened or reopened at `since`.
    pub fn new(since: Seq) -> Outbox {
        Outbox::with_prefix(format!("{since}:"))
    }

    /// Creates an empty outbox whose n-th command has the key `prefix` + n.
    pub fn with_prefix(prefix: String) -> Outbox {
        Outbox { prefix, waiting: HashMap::new(), sent: 0, queued: None }
    }

    /// Returns the key of the next command.
    pub fn next_key(&self) -> Key {
        format!("{}{}", self.prefix, self.sent + 1).into()
    }

    /// Assigns a key to a command and returns both.
    pub fn command(&mut self, command: Command) -> (Key, SteerLine) {
        let key = self.next_key();
        self.sent += 1;
        // a hold follows the typing and needs no message
        if !matches!(command, Command::Hold { .. }) {
            self.waiting.insert(key.clone(), command.name().replace('_', "-"));
        }
        (key, command.into())
    }

    /// Returns the message for the receipt of one of these commands; `None` for other events.
    pub fn outcome(&mut self, kind: &Kind, waits_for: &WaitsFor) -> Option<String> {
        match kind {
            Kind::Receipt(r) if r.is == ReceiptIs::Queued => {
                let command = self.waiting.get(&r.of)?;
                self.queued = Some(queued(command, waits_for));
                self.queued.clone()
            }
            Kind::Receipt(r) => self.waiting.remove(&r.of).and_then(|command| match r.is {
                ReceiptIs::TooLate => Some(match &r.why {
                    Some(why) => format!("{command}: {}", text::line(why)),
                    None => format!("{command}: too late"),
                }),
                ReceiptIs::Delivered => Some(format!("{command}: delivered")),
                ReceiptIs::Queued | ReceiptIs::Done => None,
            }),
            Kind::CommandRefused(r) => self
                .waiting
                .remove(&r.key)
                .map(|command| format!("{command}: {}", text::line(&r.why))),
            _ => None,
        }
    }

    /// Replaces the latest message about a queued command.
    pub fn say_instead(&mut self, notice: &str) {
        self.queued = Some(notice.to_owned());
    }

    /// Returns `true` if a notice is the latest message about a queued command.
    pub fn is_queued(&self, notice: &str) -> bool {
        self.queued.as_deref() == Some(notice)
    }
}

/// Returns the message about a queued command, with the reason why it waits.
fn queued(command: &str, WaitsFor { speaker, resume }: &WaitsFor) -> String {
    match (command, speaker, resume) {
        ("pause", Some(speaker), _) => format!("pausing when {speaker} finishes"),
        ("say", Some(speaker), None) => format!("queued, sent when {speaker} finishes"),
        (_, _, Some(resume)) => format!("{command} queued; press {resume} to resume"),
        (_, Some(speaker), None) => format!("{command} queued until {speaker} finishes"),
        (_, None, None) => format!("{command} queued"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::Receipt;

    #[test]
    fn queued_messages_show_receiver_and_need_for_resume() {
        let told = |command: Command, speaker: Option<&str>, resume: Option<&str>| {
            let mut outbox = Outbox::new(Seq(7));
            let (of, _) = outbox.command(command);
            let queued = serde_json::json!({"of": of, "is": "queued"});
            let queued: Receipt = serde_json::from_value(queued).unwrap();
            let owned = |s: Option<&str>| s.map(str::to_owned);
            let waits_for = WaitsFor { speaker: owned(speaker), resume: owned(resume) };
            outbox.outcome(&queued.into(), &waits_for).unwrap()
        };
        let say = || Command::Say { text: "Hello.".into(), re: None, material: None };
        assert_eq!(told(Command::Pause {}, Some("Bo"), None), "pausing when Bo finishes");
        assert_eq!(told(say(), Some("Ada"), None), "queued, sent when Ada finishes");
        assert_eq!(
            told(Command::Retry { utterance: None }, Some("Ada"), None),
            "retry queued until Ada finishes"
        );
        assert_eq!(
            told(Command::Retry { utterance: None }, None, Some("space")),
            "retry queued; press space to resume"
        );
        assert_eq!(told(Command::Retry { utterance: None }, None, None), "retry queued");
    }
}
