//! Keys of the policies' memos. Each is spelled only here, because logs are read by these keys years later.

/// Requests that are not yet granted.
pub(super) const ASKED: &str = "asked";
/// Index of the next seat in the order.
pub(super) const AT: &str = "at";
/// True if the seats that start by themselves had their turn.
pub(super) const BEGUN: &str = "begun";
/// Rule that discounts bids; absent in sessions of earlier programs, which keep their own rule.
pub(super) const DISCOUNT: &str = "discount";
/// Number of rounds in earlier exchanges.
pub(super) const BEFORE: &str = "before";
/// Id of the last batch that is already counted; under `plan`, the threads of failed attempts that the planner was
/// asked about.
pub(super) const COUNTED: &str = "counted";
/// Reason why the plan was replaced, for people.
pub(super) const WHY: &str = "why";
/// Number of the plan in the conversation, from 1.
pub(super) const NUMBER: &str = "number";
/// Memo of the fallback policy.
pub(super) const FALLBACK: &str = "fallback";
/// Description of how the winner was found.
pub(super) const HOW: &str = "how";
/// Ids of the turns whose answers a judge was asked about.
pub(super) const JUDGED: &str = "judged";
/// `seq` of the last entry whose mentions were checked.
pub(super) const HEARD: &str = "heard";
/// Id of the seat chosen last.
pub(super) const LAST: &str = "last";
/// Id of the seat that was passed over for a mention or request and is next.
pub(super) const OWED: &str = "owed";
/// Index of the next phase, from 0.
pub(super) const PHASE: &str = "phase";
/// Number of turns given in the current round.
pub(super) const PLACE: &str = "place";
/// For each seat that ran, `seq` of the last entry at that time.
pub(super) const RAN: &str = "ran";
/// Number of the round, from 1.
pub(super) const ROUND: &str = "round";
/// Weight and use of the floor of each seat.
pub(super) const SHARES: &str = "shares";
/// Number of times in a row that the same seat was chosen.
pub(super) const STREAK: &str = "streak";
/// Id of the seat whose answer won.
pub(super) const WINNER: &str = "winner";
/// Number of turns so far.
pub(super) const TURNS: &str = "turns";
