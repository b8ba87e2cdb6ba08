//! Commands that have no receipt yet: each gets its key here, and its receipt becomes a message.

use crate::model::{Command, Key, Kind, ReceiptIs, Seq, SteerLine};
use crate::text;
use std::collections::HashMap;

/// The commands of one person in one conversation.
#[derive(Debug)]
pub struct Outbox {
    /// The beginning of their keys: the `seq` of the opening or reopening.
    since: Seq,
    waiting: HashMap<Key, String>,
    sent: u64,
    /// The last message about a waiting command.
    queued: Option<String>,
}

/// The reasons why a queued command waits.
#[derive(Clone, Debug, Default)]
pub struct WaitsFor {
    /// The current speaker's name; none if nobody speaks.
    pub speaker: Option<String>,
    /// How the conversation is resumed, where it is paused.
    pub resume: Option<String>,
}

impl Outbox {
    /// Returns the commands of a conversation that was opened, or reopened, at a place in the log: none yet.
    pub fn new(since: Seq) -> Outbox {
        Outbox { since, waiting: HashMap::new(), sent: 0, queued: None }
    }

    /// Returns the key of the next command.
    pub fn next_key(&self) -> Key {
        format!("{}:{}", self.since, self.sent + 1).into()
    }

    /// Returns a command with its key.
    pub fn command(&mut self, command: Command) -> (Key, SteerLine) {
        let key = self.next_key();
        self.sent += 1;
        self.waiting.insert(key.clone(), command.name().replace('_', "-"));
        (key, command.into())
    }

    /// Returns what an event says became of one of them.
    pub fn outcome(&mut self, kind: &Kind, waits_for: &WaitsFor) -> Option<String> {
        match kind {
            Kind::Receipt(r) if r.is == ReceiptIs::Queued => {
                let command = self.waiting.get(&r.of)?;
                self.queued = Some(queued(command, waits_for));
                self.queued.clone()
            }
            Kind::Receipt(r) => self.waiting.remove(&r.of).and_then(|command| match r.is {
                ReceiptIs::TooLate => Some(match &r.why {
                    Some(why) => format!("{command}: too late, {}", text::line(why)),
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

    /// Keeps another message as what was last said of a command that waits.
    pub fn say_instead(&mut self, notice: &str) {
        self.queued = Some(notice.to_owned());
    }

    /// Returns whether a notice is what was last said of a command that waits.
    pub fn is_queued(&self, notice: &str) -> bool {
        self.queued.as_deref() == Some(notice)
    }
}

/// Returns the message that a command waits, and for what.
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
    fn what_waits_says_for_whom_and_whether_the_conversation_has_to_be_resumed_first() {
        let told = |command: Command, speaker: Option<&str>, resume: Option<&str>| {
            let mut outbox = Outbox::new(Seq(7));
            let (of, _) = outbox.command(command);
            let queued = serde_json::json!({"of": of, "is": "queued"});
            let queued: Receipt = serde_json::from_value(queued).unwrap();
            let owned = |s: Option<&str>| s.map(str::to_owned);
            let waits_for = WaitsFor { speaker: owned(speaker), resume: owned(resume) };
            outbox.outcome(&queued.into(), &waits_for).unwrap()
        };
        let say = || Command::Say { text: "Hello.".into() };
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
