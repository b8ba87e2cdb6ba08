//! The operator's last commands and their receipts, as the events bring them.

use crate::model::payload::Receipt;
use crate::model::{Key, Kind, Ms, ReceiptIs};
use crate::text;
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// Commands that are remembered.
const LAST: usize = 5;

/// The operator's last commands, the latest first.
#[derive(Clone, Debug, Default)]
pub struct CommandOutcomes(VecDeque<CommandOutcome>);

/// A command, and what became of it.
#[derive(Clone, Debug)]
pub struct CommandOutcome {
    /// When it was given.
    pub at: Ms,
    /// The line as it was given.
    pub line: Map<String, Value>,
    /// What became of it, in words.
    pub is: String,
    /// Whether it was refused.
    pub refused: bool,
    key: Key,
}

impl CommandOutcomes {
    /// Takes an event in.
    pub fn take(&mut self, kind: &Kind, at: Ms) {
        let given = match kind {
            Kind::CommandGiven(given) => CommandOutcome {
                at,
                key: given.key.clone(),
                line: given.line.to_map(),
                is: "not carried out yet".into(),
                refused: false,
            },
            Kind::CommandRefused(refused) => CommandOutcome {
                at,
                key: refused.key.clone(),
                line: refused.line.as_object().cloned().unwrap_or_default(),
                is: format!("refused: {}", text::line(&refused.why)),
                refused: true,
            },
            Kind::Receipt(receipt) => {
                let of = self.0.iter_mut().find(|o| o.key == receipt.of && !o.refused);
                of.into_iter().for_each(|outcome| outcome.is = became(receipt));
                return;
            }
            _ => return,
        };
        self.0.push_front(given);
        self.0.truncate(LAST);
    }

    /// Returns them, the latest first.
    pub fn iter(&self) -> impl Iterator<Item = &CommandOutcome> {
        self.0.iter()
    }
}

/// What a receipt says.
fn became(receipt: &Receipt) -> String {
    let why = receipt.why.as_ref().map_or(String::new(), |why| format!(": {}", text::line(why)));
    let is = match receipt.is {
        ReceiptIs::Queued => "queued",
        ReceiptIs::Delivered => "delivered",
        ReceiptIs::Done => "done",
        ReceiptIs::TooLate => "too late",
    };
    format!("{is}{why}")
}
