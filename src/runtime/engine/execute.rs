//! Execution of the operator's commands: one more event for the first command that can proceed.
//!
//! The fold has already applied the simple commands; this module adds the cuts, the messages, the pauses and the
//! receipts. A command stays in the state until its last receipt, so that a kill in its middle loses nothing.

use super::asking::CommandStep;
use super::{debts, drafts, judging, turns, verdict};
use crate::model::event::{ENGINE, OPERATOR};
use crate::model::payload::{BatchOpened, HumanSaid, Paused, Receipt, Renamed, Resumed};
use crate::model::*;
use crate::policy::{self, NextMove, View};
use crate::state::{PendingCommand, RunState, State, Thread};
use serde_json::Value;
use std::ops::Bound;

/// Maximum number of waiting commands: each event checks all of them, and a file may hold any number.
const WAITING_MAX: usize = 1_000;
/// Milliseconds after which a hold ends by itself; a later one extends it.
pub(super) const HOLD_MS: u64 = 60_000;

/// Returns the next event of the first command that can proceed, or the next receipt for a message that reached a turn.
pub(super) fn next(state: &State) -> Option<Draft> {
    if let Some(refused) = one_too_many(state) {
        return Some(refused);
    }
    let from = state.waiting.map_or(Bound::Unbounded, Bound::Excluded);
    let moved = state.pending.range((from, Bound::Unbounded)).find_map(|(_, command)| {
        let draft = step(state, command)?;
        Some(draft.because(&command.given.key))
    });
    moved.or_else(|| delivery(state))
}

/// Returns the rejection of the newest command if too many wait. Commands that pause or end the conversation are
/// spared, unless the newest hundred all are such commands.
fn one_too_many(state: &State) -> Option<Draft> {
    if state.pending.len() <= WAITING_MAX {
        return None;
    }
    let mut newest = state.pending.values().rev();
    let stops = |d: &PendingCommand| {
        let command = &d.given.line.command;
        matches!(command, Command::Pause {} | Command::PauseNow {} | Command::End { .. })
    };
    let refused = newest.clone().take(100).find(|d| !stops(d)).or_else(|| newest.next())?;
    Some(too_late(refused, LateReason::TooMany).because(&refused.given.key))
}

fn delivery(state: &State) -> Option<Draft> {
    let (key, turn) = state.deliveries.front()?;
    let receipt = Receipt {
        of: key.clone(),
        is: ReceiptIs::Delivered,
        id: id_of(state, key),
        turns: vec![*turn],
        why: None,
        reason: None,
        line: Value::Null,
    };
    Some(draft(ThreadId::ROOT, ENGINE, receipt.into()))
}

/// Returns the receipts of all commands that can no longer be carried out.
pub(super) fn late(state: &State) -> impl Iterator<Item = Draft> {
    let waits = state.pending.values().filter(|d| d.given.line.command.name() != "end");
    waits.map(|d| {
        let late = if d.is_hold() {
            receipt(d, ReceiptIs::Done, None)
        } else {
            too_late(d, LateReason::Ended)
        };
        late.because(&d.given.key)
    })
}

/// Returns the receipt of a line whose trigger never fired. Its key stays free, so that a resume can use the same line.
pub(super) fn never_due(key: Key, line: &SteerLine) -> Draft {
    let mut spelled = line.to_map();
    if line.command.is_private() {
        // receipts are visible to everybody
        spelled.remove("text");
    }
    let receipt = Receipt {
        of: key,
        is: ReceiptIs::TooLate,
        id: line.id.clone(),
        turns: vec![],
        why: Some(LateReason::NeverDue.message().into()),
        reason: Some(LateReason::NeverDue),
        line: Value::Object(spelled),
    };
    draft(ThreadId::ROOT, ENGINE, receipt.into())
}

/// Names the commands that wait in the parent of a branch; `None` without any.
pub fn inherited(past: &State) -> Option<String> {
    let queued = past.queued_commands().map(|command| command.given.line.command.name());
    let queued: Vec<&str> = queued.collect();
    (!queued.is_empty()).then(|| format!("queued in the parent: {}", queued.join(", ")))
}

/// Returns the pause with which a branch starts if its parent had queued commands.
pub(super) fn pause_for_inherited(past: &State) -> Option<Kind> {
    let why = Some(inherited(past)?.into());
    Some(Paused { why, ..Paused::default() }.into())
}

fn id_of(state: &State, key: &Key) -> Option<Text> {
    let seq = state.keys.get(key)?;
    state.named.get(seq).cloned()
}

fn receipt(command: &PendingCommand, is: ReceiptIs, why: Option<&str>) -> Draft {
    draft(ThreadId::ROOT, ENGINE, receipt_of(command, is, why).into())
}

fn receipt_of(command: &PendingCommand, is: ReceiptIs, why: Option<&str>) -> Receipt {
    Receipt {
        of: command.given.key.clone(),
        is,
        id: command.given.line.id.clone(),
        turns: command.given.targets.turns.clone(),
        why: why.map(Into::into),
        reason: None,
        line: Value::Null,
    }
}

fn done(command: &PendingCommand) -> Option<Draft> {
    Some(receipt(command, ReceiptIs::Done, None))
}

/// Returns the receipts of the holds that are over by now.
pub(super) fn holds_over(state: &State, now: Ms) -> impl Iterator<Item = Draft> {
    let over = state.holds().filter(move |hold| now >= hold.at.plus(HOLD_MS));
    over.map(|hold| receipt(hold, ReceiptIs::Done, Some("60 s are over")).because(&hold.given.key))
}

fn too_late(command: &PendingCommand, reason: LateReason) -> Draft {
    too_late_because(command, reason, reason.message())
}

fn too_late_because(command: &PendingCommand, reason: LateReason, why: &str) -> Draft {
    let receipt = receipt_of(command, ReceiptIs::TooLate, Some(why));
    draft(ThreadId::ROOT, ENGINE, Receipt { reason: Some(reason), ..receipt }.into())
}

/// Returns the receipt of a queued command, once.
fn wait(command: &PendingCommand) -> Option<Draft> {
    (!command.queued).then(|| receipt(command, ReceiptIs::Queued, None))
}

/// Cuts the next of a command's turns that still runs.
fn stop_turns(state: &State, command: &PendingCommand, why: CutWhy) -> Option<Draft> {
    let turn = command.given.targets.turns.iter().find_map(|t| state.turns.get(t))?;
    Some(turns::cut_sealed(state, turn, why))
}

fn step(state: &State, command: &PendingCommand) -> Option<Draft> {
    if let Some(reason) = command.too_late {
        return Some(match reason {
            // the operator withdrew it
            LateReason::Dropped => receipt(command, ReceiptIs::Done, Some(reason.message())),
            reason => too_late(command, reason),
        });
    }
    if state.holds_back(command) {
        return None;
    }
    match &command.given.line.command {
        Command::Pause {} => pause(state, command),
        Command::PauseNow {} => {
            stop_turns(state, command, CutWhy::PauseNow).or_else(|| pause(state, command))
        }
        Command::Resume {} | Command::Step { .. } if command.acted => done(command),
        Command::Resume {} if state.run == RunState::Going => {
            Some(receipt(command, ReceiptIs::Done, Some("the conversation was not paused")))
        }
        Command::Resume {} => Some(draft(ThreadId::ROOT, ENGINE, Resumed { steps: None }.into())),
        Command::Step { n } => {
            Some(draft(ThreadId::ROOT, ENGINE, Resumed { steps: Some(*n) }.into()))
        }
        Command::Say { .. } | Command::Whisper(_) | Command::SpeakAs { .. } => {
            words(state, command, Moment::AfterBatch)
        }
        Command::CutIn { .. } => {
            stop_turns(state, command, CutWhy::CutIn).or_else(|| words(state, command, Moment::Now))
        }
        Command::Note { .. } => wait(command),
        Command::Hold { on: true } if !command.closed => wait(command),
        Command::Hold { .. } => done(command),
        Command::Join { .. } => joined(command),
        Command::Leave { who } => {
            stop_turns(state, command, CutWhy::Operator).or_else(|| left(state, command, who))
        }
        Command::CancelStep { .. } => {
            stop_turns(state, command, CutWhy::Operator).or_else(|| done(command))
        }
        Command::AnswerStep { .. } => stop_turns(state, command, CutWhy::Operator)
            .or_else(|| words(state, command, Moment::Now)),
        Command::RerunStep { .. }
        | Command::EditStep { .. }
        | Command::AddStep { .. }
        | Command::MoveStep { .. }
        | Command::LiftNote { .. }
        | Command::EditQueued { .. }
        | Command::DropQueued { .. }
        | Command::Mute { .. }
        | Command::Unmute { .. }
        | Command::Change { .. }
        | Command::Choose { .. }
        | Command::Edit { .. }
        | Command::Hide { .. }
        | Command::Unhide { .. }
        | Command::Decide { .. }
        | Command::Limit { .. }
        | Command::Mark { .. } => done(command),
        Command::Vote { .. } => done_or_waits(command, judging::vote(state, command)),
        Command::Verdict { winner: Some(_) } => done(command),
        Command::Verdict { winner: None } => done_or_waits(command, verdict::asked(state, command)),
        Command::Speak { .. } | Command::Pass { .. } if command.acted => done(command),
        Command::Speak { who, .. } | Command::Pass { who } => persons(state, command, who),
        Command::Floor { .. } if command.acted => done(command),
        Command::Floor { to } => {
            let asked =
                |t: &Thread| t.floor.as_ref().is_some_and(|(_, key)| *key == command.given.key);
            if !state.may_speak(to) {
                let why = format!("{to} cannot speak anymore");
                return Some(too_late_because(command, LateReason::CannotSpeak, &why));
            }
            if !state.open_threads().any(asked) {
                return Some(too_late(command, LateReason::FloorGiven));
            }
            wait(command)
        }
        Command::Skip {} => skip(state, command),
        Command::Retry { .. } | Command::Reroll { .. } | Command::Continue { .. }
            if command.acted =>
        {
            done(command)
        }
        Command::Retry { .. } | Command::Reroll { .. } | Command::Continue { .. } => {
            again(state, command)
        }
        Command::Rename { text } if !command.acted => {
            Some(draft(ThreadId::ROOT, "operator", Renamed { title: text.clone() }.into()))
        }
        Command::Rename { .. } => done(command),
        Command::End { final_round: true } => done(command),
        Command::End { final_round: false } => stop_turns(state, command, CutWhy::Operator)
            .or_else(|| late(state).next())
            .or_else(|| done(command)),
    }
}

/// Returns `seat.joined` for a participant that the command added, the same event as for seats that the engine adds.
fn joined(command: &PendingCommand) -> Option<Draft> {
    match &command.given.targets.participant {
        Some(participant) if !command.closed => {
            let joined = SeatJoined { participant: (**participant).clone() };
            Some(draft(ThreadId::ROOT, OPERATOR, Box::new(joined).into()))
        }
        Some(_) | None => done(command),
    }
}

/// Returns `seat.left` for a participant that the command removed.
fn left(state: &State, command: &PendingCommand, who: &SeatId) -> Option<Draft> {
    if command.closed || state.seat(who).is_none() {
        return done(command);
    }
    let left = SeatLeft { id: who.clone(), why: "the operator removed it".into() };
    Some(draft(ThreadId::ROOT, OPERATOR, left.into()))
}

fn done_or_waits(command: &PendingCommand, step: CommandStep) -> Option<Draft> {
    match step {
        CommandStep::Draft(draft) => Some(*draft),
        CommandStep::Wait => wait(command),
        CommandStep::Done => done(command),
    }
}

/// Ends the turn of a person with their message; without a turn the message waits for one.
fn persons(state: &State, command: &PendingCommand, who: &SeatId) -> Option<Draft> {
    if state.seat(who).is_none_or(|s| s.gone) {
        let why = format!("{who} has left");
        return Some(too_late_because(command, LateReason::SeatLeft, &why));
    }
    match state.turns.values().find(|t| t.seat == *who) {
        None => wait(command),
        Some(turn) => match &command.words {
            Some(QueuedWords::All(text)) => {
                let refused = |why: Text| too_late_because(command, LateReason::WrongForm, &why);
                Some(turns::spoken(state, turn, text).unwrap_or_else(refused))
            }
            Some(QueuedWords::One(_)) | None => Some(turns::passed(turn, state.ms)),
        },
    }
}

fn pause(state: &State, command: &PendingCommand) -> Option<Draft> {
    match state.run {
        RunState::Paused => done(command),
        // between two turns the pause takes hold at once, so that a step right after it counts
        RunState::Pausing
            if state.calls().next().is_none()
                && !cut_by_a_crash(state)
                && before_pause(state).is_none() =>
        {
            let why = state.pause_why.clone();
            Some(draft(ThreadId::ROOT, ENGINE, Paused { why, ..Paused::default() }.into()))
        }
        RunState::Pausing => wait(command),
        RunState::Going | RunState::Stepping(_) => Some(too_late(command, LateReason::Resumed)),
    }
}

/// Returns the plan that the last turn before a pause has made: a person who pauses to read it finds it.
pub(super) fn before_pause(state: &State) -> Option<Draft> {
    let quiet = |thread: &&Thread| state.running_in(thread.id).next().is_none();
    let decided = |thread: &Thread| {
        let decision = (policy::find(&thread.spec.policy)?.next)(&View { state, thread });
        match decision.next {
            NextMove::Record(kind) if matches!(*kind, Kind::PlanMade(_)) => {
                Some(draft(thread.id, ENGINE, *kind))
            }
            _ => None,
        }
    };
    state.open_threads().rev().filter(quiet).find_map(decided)
}

/// Returns true if a batch has a turn that a crash interrupted.
fn cut_by_a_crash(state: &State) -> bool {
    let batches = state.threads.values().filter_map(|t| t.batch.as_ref());
    batches.flat_map(|b| b.interrupted.values()).any(|i| !i.by_hand)
}

/// Time at which a message is placed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// After the turn or batch in progress.
    AfterBatch,
    /// Between two pieces of a turn in progress.
    Now,
}

fn words(state: &State, command: &PendingCommand, moment: Moment) -> Option<Draft> {
    let left = command.given.targets.threads.iter().find(|t| !command.placed.contains(t));
    let Some(thread) = left else {
        let why = match &command.given.line.command {
            Command::CutIn { who: Some(who), .. } if command.given.targets.turns.is_empty() => {
                Some(format!("{who} was not speaking; your message was delivered anyway"))
            }
            _ => None,
        };
        return Some(receipt(command, ReceiptIs::Done, why.as_deref()));
    };
    if moment == Moment::AfterBatch && !is_quiet(state, *thread) {
        return wait(command);
    }
    let said = HumanSaid { of: command.given.key.clone() };
    Some(draft(*thread, "operator", said.into()))
}

/// Returns true if a message can be placed in a thread: no call runs there and no seat is owed a turn; people may have
/// the floor. While paused or at a limit, owed turns matter only if a crash interrupted them: the message comes after
/// them, as it would have.
fn is_quiet(state: &State, thread: ThreadId) -> bool {
    let batch = state.threads.get(&thread).and_then(|t| t.batch.as_ref());
    let calls = state.calls().any(|turn| turn.thread == thread);
    let owed = batch.is_some_and(|b| state.owed(b).next().is_some());
    let interrupted = batch.is_some_and(|b| b.interrupted.values().any(|i| !i.by_hand));
    let stands = state.run == RunState::Paused || state.limit.is_some();
    !calls && (!owed || stands && !interrupted)
}

fn skip(state: &State, command: &PendingCommand) -> Option<Draft> {
    if !command.given.targets.turns.is_empty() {
        return stop_turns(state, command, CutWhy::Operator).or_else(|| done(command));
    }
    if command.acted {
        return done(command);
    }
    let next = state.turns.values().find(|t| t.skip.as_ref() == Some(&command.given.key));
    match next {
        Some(turn) => Some(turns::cut_sealed(state, turn, CutWhy::Operator)),
        None => wait(command),
    }
}

/// Repeats a turn as soon as nobody speaks.
fn again(state: &State, command: &PendingCommand) -> Option<Draft> {
    let turn = command.given.targets.turns.first().copied();
    let said = turn.and_then(|turn| Some((turn, state.spoken(turn)?)));
    let Some((turn, said)) = said else {
        return Some(too_late(command, LateReason::SpokenSince));
    };
    if !state.may_speak(&said.seat) {
        let why = format!("{} cannot speak anymore", said.seat);
        return Some(too_late_because(command, LateReason::CannotSpeak, &why));
    }
    if state.threads.get(&said.thread).is_none_or(|thread| thread.closed.is_some()) {
        return Some(too_late(command, LateReason::SpokenSince));
    }
    let free = is_quiet(state, said.thread) && state.running_in(said.thread).next().is_none();
    // the batch of a vote stays until it is counted
    let uncounted = state.pending.values().any(|other| {
        let votes = matches!(other.given.line.command, Command::Vote { .. });
        votes && other.batch.is_some() && !other.closed
    });
    if !free || uncounted || state.run == RunState::Paused || state.limit.is_some() {
        return wait(command);
    }
    let continues = matches!(command.given.line.command, Command::Continue { .. });
    let why =
        if continues { "you asked to continue it".into() } else { "you asked to try again".into() };
    let seats = vec![said.seat];
    let batch = drafts::batch(Requester::Operator, Purpose::Speak, seats, why);
    let owes = debts::open(state, said.thread, Some(turn));
    let batch = BatchOpened { replaces: Some(turn), continues, owes, ..batch };
    Some(draft(said.thread, ENGINE, batch.into()))
}
