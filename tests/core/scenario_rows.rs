//! Policy table for the tests of the scenario loader.

use colloquium::scenario::{OptionKind, OptionRow, PolicyRow, PolicyTraits, TakesPart};
use colloquium::state::policies;

const CHAIR: &[OptionRow] = &[
    OptionRow { key: "moderator", kind: OptionKind::Seat, meaning: "Who chooses." },
    OptionRow { key: "chair", kind: OptionKind::Flag, meaning: "Whether there is one." },
];

const ORDER: OptionRow = OptionRow {
    key: "order",
    kind: OptionKind::OneOf(&["file", "shuffled"]),
    meaning: "In which order.",
};

const MENTIONS: OptionRow = OptionRow {
    key: "mentions",
    kind: OptionKind::OneOf(&["once", "off"]),
    meaning: "Whether a participant mentioned with @ speaks next, once.",
};

const ROUNDS: OptionRow = OptionRow { key: "rounds", kind: OptionKind::Count, meaning: "Rounds." };

/// Five policies: one has options, and one waits for the operator.
pub const ROWS: &[PolicyRow] = &[
    PolicyRow { traits: policies::ROUND_ROBIN, ..row("round_robin", &[ORDER, MENTIONS, ROUNDS]) },
    PolicyRow { traits: policies::SIMULTANEOUS, ..row("simultaneous", &[]) },
    PolicyRow { traits: policies::MANUAL, ..row("manual", &[]) },
    PolicyRow { traits: policies::PHASES, ..row("phases", &[]) },
    row("chaired", CHAIR),
    PolicyRow { traits: policies::depends::TRAITS, ..row("depends", &[]) },
    PolicyRow { traits: policies::plan::TRAITS, ..row("plan", PLAN) },
];

const PLAN: &[OptionRow] = &[
    OptionRow { key: "executor", kind: OptionKind::Named { speaks: false }, meaning: "" },
    OptionRow { key: "planner", kind: OptionKind::Named { speaks: true }, meaning: "" },
];

const fn row(name: &'static str, options: &'static [OptionRow]) -> PolicyRow {
    PolicyRow {
        name,
        meaning: "",
        options,
        traits: PolicyTraits::DEBATE,
        takes_part: TakesPart::NoTurns(""),
    }
}
