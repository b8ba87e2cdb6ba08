//! Policies as known to the loader, and their properties as known to other modules.

use super::OptionRow;

/// Defines the options of a policy, each with the kind of its value and its meaning; a shared row is first, or last
/// behind `..`.
#[macro_export]
macro_rules! options {
    ($($first:ident,)* $($key:literal = $kind:expr, $meaning:literal;)* $(..$last:ident)?) => {
        &[
            $($first,)*
            $($crate::scenario::OptionRow { key: $key, kind: $kind, meaning: $meaning },)*
            $($last)?
        ]
    };
}
pub use options;

/// A policy as known to the loader; passed in by `cli`, because dependencies only go down.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRow {
    /// The policy's name in a scenario.
    pub name: &'static str,
    /// One sentence for the schema and help.
    pub meaning: &'static str,
    /// Options besides the common ones.
    pub options: &'static [OptionRow],
    /// Turns of a person who takes part.
    pub takes_part: TakesPart,
    /// Properties that other modules depend on.
    pub traits: PolicyTraits,
}

/// Properties of a policy that other modules depend on, so that they need not know policies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyTraits {
    /// Order of the turns in a round.
    pub order: TurnOrder,
    /// Length of a conversation whose file sets no limit.
    pub length: UsualLength,
    /// True if the seats discuss freely; false if the policy asks for replies that it builds its own result from.
    pub debates: bool,
    /// True if the policy writes the prompts of its seats.
    pub own_prompts: bool,
    /// True if it plays the `[[phase]]` tables.
    pub phases: bool,
    /// True if it runs participants by their `after`.
    pub dependencies: bool,
    /// Keys that not all policies read, but this one does.
    pub reads: &'static [&'static str],
    /// True if it waits for the operator before every turn, so that it cannot run headless without steering.
    pub needs_operator: bool,
}

impl PolicyTraits {
    /// Traits of a free discussion, and of unknown policies.
    pub const DEBATE: PolicyTraits = PolicyTraits {
        order: TurnOrder::Free,
        length: UsualLength::Turns,
        debates: true,
        own_prompts: false,
        phases: false,
        dependencies: false,
        reads: &[],
        needs_operator: false,
    };
}

/// Order of the turns in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOrder {
    /// One seat after the other, each once.
    InTurn,
    /// All seats at once, without the words of the others.
    AtOnce,
    /// Any other order.
    Free,
}

/// Length of a conversation whose file sets no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsualLength {
    /// A number of turns.
    Turns,
    /// A number of batches, which are also counted instead of turns.
    Batches,
    /// Defined by the policy: its rounds, phases or plan.
    Own,
}

/// Description of a person's turns, for that person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesPart {
    /// The person gets turns, with the occasion.
    Turns(&'static str),
    /// The person gets no turns, with the use of the seat.
    NoTurns(&'static str),
}

impl TakesPart {
    pub fn description(self) -> &'static str {
        match self {
            TakesPart::Turns(told) | TakesPart::NoTurns(told) => told,
        }
    }
}
