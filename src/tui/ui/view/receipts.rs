//! The operator's last commands and their receipts, collected from events.

use crate::model::payload::Receipt;
use crate::model::{Key, Kind, Ms, ReceiptIs};
use crate::text;
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// Number of commands that are kept.
const LAST: usize = 5;

/// The operator's last commands, latest first.
#[derive(Clone, Debug, Default)]
pub struct CommandOutcomes(VecDeque<CommandOutcome>);

#[derive(Clone, Debug)]
pub struct CommandOutcome {
    /// Time of the command.
    pub at: Ms,
    /// Command line as given, a JSON object.
    pub line: Map<String, Value>,
    /// Outcome as text.
    pub is: String,
    /// True if the command was refused.
    pub refused: bool,
    key: Key,
}

impl CommandOutcomes {
    /// Updates the list with an event.
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

    /// Returns the commands, latest first.
    pub fn iter(&self) -> impl Iterator<Item = &CommandOutcome> {
        self.0.iter()
    }
}

/// Describes a receipt.
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
