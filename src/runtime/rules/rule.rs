//! The functions of a rule, and the steps that it asks of the engine.

use crate::model::payload::BatchOpened;
use crate::model::{Text, VoteClosed};
use crate::state::{Batch, State, Turn};

/// Names of listeners with a part in a rule, and a sentence about them.
type Described<'a> = (Vec<&'a Text>, String);

/// A rule: pure functions of the state, which do nothing in a conversation without it.
pub struct ConversationRule {
    /// Returns the label of the line of data that ends the reply of a turn, or without a turn, of any.
    pub label: fn(&State, Option<&Turn>) -> Option<&'static str>,
    /// Returns the request at the end of a turn's prompt.
    pub request: fn(&State, &Turn) -> Option<String>,
    /// Returns the instruction for a turn in a vote of the rule.
    pub vote: fn(&State, &Turn) -> Option<String>,
    /// Returns the names of listeners with a part in the rule, and a sentence about them for the speakers.
    pub listeners: fn(&State) -> Option<Described<'_>>,
    /// Returns the data in the log for the scribe of the result.
    pub recorded: fn(&State) -> Option<String>,
    /// Returns whether a turn votes on what the speakers said, or without a turn, whether any will.
    pub compares: fn(&State, Option<&Turn>) -> bool,
    /// Returns the step that is due before the first turn or, if the flag is true, before the end.
    pub step: fn(&State, bool) -> Option<RuleStep<'_>>,
    /// Warning about a last vote that the limit of tokens or money leaves out.
    pub no_room: &'static str,
}

/// A step of a rule, which the engine takes once it can.
pub enum RuleStep<'a> {
    /// Open a vote.
    Ask(Box<BatchOpened>),
    /// Close a vote once all have answered, with the rule's own words.
    Close(&'a Batch, fn(&State, &Batch, VoteClosed) -> VoteClosed),
}

/// A rule without effect, for the fields that a rule leaves out.
pub(super) const NONE: ConversationRule = ConversationRule {
    label: |_, _| None,
    request: |_, _| None,
    vote: |_, _| None,
    listeners: |_| None,
    recorded: |_| None,
    compares: |_, _| false,
    step: |_, _| None,
    no_room: "",
};
