//! What was asked of the engine and has no receipt yet: each command gets its key here, and its receipt becomes words.

use crate::model::{Command, Key, Kind, ReceiptIs, Seq, SteerLine};
use crate::text;
use std::collections::HashMap;

/// How a command that is not done yet is told of.
pub const WAITS: &str = "waits for its moment";

/// The commands of one person at one table.
#[derive(Debug)]
pub struct Outbox {
    /// What their keys begin with: the place of the opening or reopening.
    since: Seq,
    waiting: HashMap<Key, String>,
    sent: u64,
}

impl Outbox {
    /// Returns the commands of a conversation that was opened, or reopened, at a place in the log: none yet.
    pub fn new(since: Seq) -> Outbox {
        Outbox { since, waiting: HashMap::new(), sent: 0 }
    }

    /// Returns a wish as a command with its key.
    pub fn command(&mut self, command: Command) -> (Key, SteerLine) {
        self.sent += 1;
        let key: Key = format!("{}:{}", self.since, self.sent).into();
        self.waiting.insert(key.clone(), command.name().replace('_', "-"));
        (key, command.into())
    }

    /// Returns what an event says became of one of them; `paused` is whether nothing starts before the talk goes on.
    pub fn outcome(&mut self, kind: &Kind, paused: bool) -> Option<String> {
        match kind {
            Kind::Receipt(r) if r.is == ReceiptIs::Queued => {
                let why = if paused { ", and nothing starts before you go on" } else { "" };
                self.waiting.get(&r.of).map(|command| format!("{command}: {WAITS}{why}"))
            }
            Kind::Receipt(r) => self.waiting.remove(&r.of).and_then(|command| match r.is {
                ReceiptIs::TooLate => {
                    let why = r.why.as_deref().unwrap_or("its moment had passed");
                    Some(format!("{command}: too late, {}", text::line(why)))
                }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::Receipt;

    #[test]
    fn what_waits_says_whether_the_talk_has_to_go_on_first() {
        let mut asked = Outbox::new(Seq(7));
        let (key, _) = asked.command(Command::Retry {});
        let queued = serde_json::json!({"of": key, "is": "queued"});
        let queued: Receipt = serde_json::from_value(queued).unwrap();
        let mut told = |paused| asked.told(&queued.clone().into(), paused).unwrap();
        assert_eq!(told(false), "retry: waits for its moment");
        assert_eq!(told(true), "retry: waits for its moment, and nothing starts before you go on");
    }
}
