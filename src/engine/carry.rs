//! Carrying the operator's deeds out: for the first one that can move, one event more.
//!
//! The fold has already done the simple ones when their command was given; here are the cuts, the words, the pauses
//! and the receipts. A deed stays in the state until its last receipt, so that a kill in its middle is no loss.

use super::bench::{self, Step};
use super::{advance, turns, verdict};
use crate::model::event::ENGINE;
use crate::model::payload::{BatchOpened, HumanSaid, Receipt, Renamed, Resumed};
use crate::model::*;
use crate::state::{Deed, Run, State, Thread};
use serde_json::Value;

/// What a receipt says of a line whose moment did not come, before the line.
pub const NEVER_DUE: &str = "the conversation ended before its moment came";

/// Returns the next event of the first deed that can move, or the next receipt for words that reached a turn.
pub(super) fn carry(state: &State) -> Option<Draft> {
    let moved = state.deeds.iter().find_map(|deed| {
        let draft = step(state, deed)?;
        Some(draft.because(&deed.given.key))
    });
    moved.or_else(|| delivery(state))
}

fn delivery(state: &State) -> Option<Draft> {
    let (key, turn) = state.deliveries.front()?;
    let receipt = Receipt {
        of: key.clone(),
        is: ReceiptIs::Delivered,
        id: id_of(state, key),
        turns: vec![*turn],
        why: None,
    };
    Some(draft(ThreadId::ROOT, ENGINE, receipt.into()))
}

/// Returns the receipts of all deeds that can not be carried out any more.
pub(super) fn late(state: &State, why: &'static str) -> Vec<Draft> {
    let waits = state.deeds.iter().filter(|d| d.given.line.verb.name() != "end");
    waits.map(|d| receipt(d, ReceiptIs::TooLate, Some(why)).because(&d.given.key)).collect()
}

/// Returns the receipt of a line whose moment did not come. Its key stays free: a resume with the same lines may bring it.
pub(super) fn never_due(key: Key, line: &SteerLine) -> Draft {
    let spelled = Value::Object(line.to_map());
    let receipt = Receipt {
        of: key,
        is: ReceiptIs::TooLate,
        id: line.id.clone(),
        turns: vec![],
        why: Some(format!("{NEVER_DUE}: {spelled}").into()),
    };
    draft(ThreadId::ROOT, ENGINE, receipt.into())
}

fn id_of(state: &State, key: &Key) -> Option<Text> {
    let seq = state.keys.get(key)?;
    state.ids.iter().find(|(_, s)| *s == seq).map(|(id, _)| id.clone())
}

fn receipt(deed: &Deed, is: ReceiptIs, why: Option<&str>) -> Draft {
    let receipt = Receipt {
        of: deed.given.key.clone(),
        is,
        id: deed.given.line.id.clone(),
        turns: deed.given.targets.turns.clone(),
        why: why.map(Into::into),
    };
    draft(ThreadId::ROOT, ENGINE, receipt.into())
}

fn done(deed: &Deed) -> Option<Draft> {
    Some(receipt(deed, ReceiptIs::Done, None))
}

fn too_late(deed: &Deed, why: &str) -> Option<Draft> {
    Some(receipt(deed, ReceiptIs::TooLate, Some(why)))
}

/// Says once that a deed waits.
fn wait(deed: &Deed) -> Option<Draft> {
    (!deed.queued).then(|| receipt(deed, ReceiptIs::Queued, None))
}

/// Stops the next of a deed's turns that still runs.
fn stop_turns(state: &State, deed: &Deed, why: CutWhy) -> Option<Draft> {
    let turn = deed.given.targets.turns.iter().find_map(|t| state.turns.get(t))?;
    Some(turns::cut_sealed(state, turn, why))
}

fn step(state: &State, deed: &Deed) -> Option<Draft> {
    if let Some(why) = deed.too_late {
        return match why {
            "dropped" => Some(receipt(deed, ReceiptIs::Done, Some(why))),
            why => too_late(deed, why),
        };
    }
    match &deed.given.line.verb {
        Verb::Pause {} => pause(state, deed),
        Verb::PauseNow {} => {
            stop_turns(state, deed, CutWhy::PauseNow).or_else(|| pause(state, deed))
        }
        Verb::Resume {} | Verb::Step { .. } if deed.acted => done(deed),
        Verb::Resume {} if state.run == Run::Going => {
            Some(receipt(deed, ReceiptIs::Done, Some("it was not paused")))
        }
        Verb::Resume {} => Some(draft(ThreadId::ROOT, ENGINE, Resumed { steps: None }.into())),
        Verb::Step { n } => Some(draft(ThreadId::ROOT, ENGINE, Resumed { steps: Some(*n) }.into())),
        Verb::Say { .. } | Verb::Whisper { .. } | Verb::SpeakAs { .. } => {
            words(state, deed, Moment::AfterBatch)
        }
        Verb::CutIn { .. } => {
            stop_turns(state, deed, CutWhy::CutIn).or_else(|| words(state, deed, Moment::Now))
        }
        Verb::Note { .. } => wait(deed),
        Verb::Leave { .. } => stop_turns(state, deed, CutWhy::Operator).or_else(|| done(deed)),
        Verb::LiftNote { .. }
        | Verb::EditQueued { .. }
        | Verb::DropQueued { .. }
        | Verb::Mute { .. }
        | Verb::Unmute { .. }
        | Verb::Join { .. }
        | Verb::Change { .. }
        | Verb::Choose { .. }
        | Verb::Edit { .. }
        | Verb::Hide { .. }
        | Verb::Limit { .. }
        | Verb::Mark { .. }
        | Verb::Decide { .. } => done(deed),
        Verb::Vote { question, options } => {
            carried(deed, bench::vote(state, deed, question, options))
        }
        Verb::Verdict { winner: Some(_) } => done(deed),
        Verb::Verdict { winner: None } => carried(deed, verdict::asked(state, deed)),
        Verb::Speak { .. } | Verb::Pass { .. } if deed.acted => done(deed),
        Verb::Speak { who, .. } | Verb::Pass { who } => persons(state, deed, who),
        Verb::Floor { .. } if deed.acted => done(deed),
        Verb::Floor { to } => {
            let asked =
                |t: &Thread| t.floor.as_ref().is_some_and(|(_, key)| *key == deed.given.key);
            if !state.open_threads().any(asked) {
                return too_late(deed, "the floor was given to another seat first");
            }
            if !state.may_speak(to) {
                return too_late(deed, &format!("{to} cannot speak any more"));
            }
            wait(deed)
        }
        Verb::Skip {} => skip(state, deed),
        Verb::Retry {} | Verb::Reroll { .. } if deed.acted => done(deed),
        Verb::Retry {} | Verb::Reroll { .. } => again(state, deed),
        Verb::Rename { text } if !deed.acted => {
            Some(draft(ThreadId::ROOT, "operator", Renamed { title: text.clone() }.into()))
        }
        Verb::Rename { .. } => done(deed),
        Verb::End { final_round: true } => done(deed),
        Verb::End { final_round: false } => {
            let other = state.deeds.iter().find(|d| d.seq != deed.seq);
            stop_turns(state, deed, CutWhy::Operator)
                .or_else(|| too_late(other?, "the conversation ended first"))
                .or_else(|| done(deed))
        }
    }
}

fn carried(deed: &Deed, step: Step) -> Option<Draft> {
    match step {
        Step::Draft(draft) => Some(*draft),
        Step::Wait => wait(deed),
        Step::Done => done(deed),
    }
}

/// A person's words end the turn that the person holds; without one they wait for it.
fn persons(state: &State, deed: &Deed, who: &SeatId) -> Option<Draft> {
    if state.seat(who).is_none_or(|s| s.gone) {
        return too_late(deed, &format!("{who} has left the table"));
    }
    match state.turns.values().find(|t| t.seat == *who) {
        None => wait(deed),
        Some(turn) => match &deed.text {
            Some(text) => {
                turns::spoken(state, turn, text).map_or_else(|why| too_late(deed, &why), Some)
            }
            None => Some(turns::passed(turn, state.ms)),
        },
    }
}

fn pause(state: &State, deed: &Deed) -> Option<Draft> {
    match state.run {
        Run::Paused => done(deed),
        Run::Pausing => wait(deed),
        Run::Going | Run::Stepping(_) => too_late(deed, "it was resumed first"),
    }
}

/// When words find their place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// After the utterance or batch that is being spoken.
    AfterBatch,
    /// Between two pieces of whoever still speaks.
    Now,
}

fn words(state: &State, deed: &Deed, moment: Moment) -> Option<Draft> {
    let left = deed.given.targets.threads.iter().find(|t| !deed.placed.contains(t));
    let Some(thread) = left else {
        let why = match &deed.given.line.verb {
            Verb::CutIn { who: Some(who), .. } if deed.given.targets.turns.is_empty() => {
                Some(format!("{who} was not speaking; the words are said all the same"))
            }
            _ => None,
        };
        return Some(receipt(deed, ReceiptIs::Done, why.as_deref()));
    };
    if moment == Moment::AfterBatch && !is_quiet(state, *thread) {
        return wait(deed);
    }
    let said = HumanSaid { of: deed.given.key.clone() };
    Some(draft(*thread, "operator", said.into()))
}

/// Words are placed where no batch is open; at once while paused, and while only people have the floor. What a crash
/// interrupted is still being spoken: the words come after it, as they would have.
fn is_quiet(state: &State, thread: ThreadId) -> bool {
    let batch = state.threads.get(&thread).and_then(|t| t.batch.as_ref());
    let calls = state.calls().any(|turn| turn.thread == thread);
    let owed = batch.is_some_and(|b| state.owed(b).next().is_some());
    let interrupted = batch.is_some_and(|b| !b.interrupted.is_empty());
    !calls && (!owed || (state.run == Run::Paused && !interrupted))
}

fn skip(state: &State, deed: &Deed) -> Option<Draft> {
    if !deed.given.targets.turns.is_empty() {
        return stop_turns(state, deed, CutWhy::Operator).or_else(|| done(deed));
    }
    if deed.acted {
        return done(deed);
    }
    let next = state.turns.values().find(|t| t.skip.as_ref() == Some(&deed.given.key));
    match next {
        Some(turn) => Some(turns::cut_sealed(state, turn, CutWhy::Operator)),
        None => wait(deed),
    }
}

/// Speaks the last utterance anew, as soon as nobody speaks.
fn again(state: &State, deed: &Deed) -> Option<Draft> {
    let last = state.last.as_ref().filter(|l| deed.given.targets.turns.contains(&l.turn));
    let Some(last) = last else {
        return too_late(deed, "somebody else has spoken since");
    };
    if !state.may_speak(&last.seat) {
        return too_late(deed, &format!("{} cannot speak any more", last.seat));
    }
    let free = is_quiet(state, last.thread) && state.running_in(last.thread).next().is_none();
    if !free || state.run == Run::Paused || state.limit.is_some() {
        return wait(deed);
    }
    let why = "the operator wants it said anew".into();
    let seats = vec![last.seat.clone()];
    let batch = advance::batch(Requester::Operator, Purpose::Speak, seats, why);
    let batch = BatchOpened { replaces: Some(last.turn), ..batch };
    Some(draft(last.thread, ENGINE, batch.into()))
}
