//! The keys under which policies remember things: each is spelled once, because a log is read by them years later.

/// Requests that are still to be granted.
pub(super) const ASKED: &str = "asked";
/// The place of the next seat in the order.
pub(super) const AT: &str = "at";
/// Whether the seats that start have been granted their turn.
pub(super) const BEGUN: &str = "begun";
/// How bids are discounted: absent in sessions of earlier programs, which keep their rule.
pub(super) const DISCOUNT: &str = "discount";
/// How many rounds earlier exchanges had.
pub(super) const BEFORE: &str = "before";
/// The batch whose outcome is counted already.
pub(super) const COUNTED: &str = "counted";
/// Why the plan was replaced, in words.
pub(super) const WHY: &str = "why";
/// Which plan of the conversation it is, from 1.
pub(super) const NUMBER: &str = "number";
/// What the fallback policy remembers.
pub(super) const FALLBACK: &str = "fallback";
/// How the winner was found, in words.
pub(super) const HOW: &str = "how";
/// Turns of which a judge has said whether they bring something new.
pub(super) const JUDGED: &str = "judged";
/// The place in the log up to which mentions were granted.
pub(super) const HEARD: &str = "heard";
/// The id of the seat chosen last.
pub(super) const LAST: &str = "last";
/// The seat to which the turn is owed that a mention took.
pub(super) const OWED: &str = "owed";
/// The place of the next phase, from 0.
pub(super) const PHASE: &str = "phase";
/// How many turns of the round are over.
pub(super) const PLACE: &str = "place";
/// The last batch of each seat that ran.
pub(super) const RAN: &str = "ran";
/// The round, from 1.
pub(super) const ROUND: &str = "round";
/// What each seat has had of the floor.
pub(super) const SHARES: &str = "shares";
/// How often in a row it was chosen.
pub(super) const STREAK: &str = "streak";
/// Whose answer won.
pub(super) const WINNER: &str = "winner";
/// How many turns there have been.
pub(super) const TURNS: &str = "turns";
