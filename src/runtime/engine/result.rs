//! The result at the end of a conversation: the scribe, its room in the budget, and the end that follows.
//!
//! The scribe is a participant's voice that reads the public turns as an outsider. Without a reply that can be used the
//! conversation ends all the same, with a warning.

use super::asking::{may_ask, quiet};
use super::{drafts, judging, money};
use crate::model::event::ENGINE;
use crate::model::payload::{BatchOpened, Warning, WarningAbout};
use crate::model::*;
use crate::prompt;
use crate::rules;
use crate::scenario::ResultRule;
use crate::state::{RunState, State, Turn};

/// Tokens of the task, which is added to the prompt once the scribe is asked.
const TASK_TOKENS: u64 = 320;

/// Returns the end of the conversation, after its verdict and its result.
pub(super) fn conclude(state: &State, cause: EndCause) -> Option<Draft> {
    let concluded = judging::conclude(state, cause.clone())?;
    let Kind::Ended(ended) = &concluded.kind else { return Some(concluded) };
    let skipped = |why: String| {
        let about = Some(WarningAbout::Result(state.utterances));
        let text = format!("no result: {why}").into();
        let warning = drafts::warn_once(state, Warning { text, about });
        Some(warning.unwrap_or(concluded.clone()))
    };
    let Some(scribe) = scribe(state, ended.reason) else {
        let mut speakers = state.seats.iter().filter(|seat| seat.spec.speaks);
        let is_agents = speakers.all(|seat| matches!(seat.spec.voice, VoiceSpec::Agent(_)));
        return if is_due(state, ended.reason) && is_agents {
            skipped("agents write none; a participant with a model would".into())
        } else {
            Some(concluded)
        };
    };
    if matches!(state.run, RunState::Pausing | RunState::Paused) {
        // a result held up by a pause is written after it
        return None;
    }
    match &state.scribing {
        None if !may_ask(state) => skipped("the limit leaves no room for the scribe".into()),
        None => match no_room(state, &scribe) {
            Some(why) => skipped(why),
            None => {
                let EndCause { reason, text, rule } = cause;
                let task = ResultTask { ends: (reason, text), rule, waits: false };
                quiet(state).then(|| ask(state, scribe, task))
            }
        },
        Some(_) if !quiet(state) => None,
        Some(scribing) => match &scribing.written {
            Some(result) => Some(draft(ThreadId::ROOT, ENGINE, result.clone().into())),
            None => skipped(scribing.fault().into()),
        },
    }
}

/// Returns the next step towards the result at the turn limit, which an operator can still raise. A verdict or a vote
/// comes before a result, so that both wait for the end.
pub(super) fn at_limit(state: &State) -> Option<Draft> {
    let limit = state.limit.as_ref().filter(|limit| limit.what == Limit::Utterances)?;
    let alone = state.scenario.verdict.is_none() && !rules::compares(state, None);
    if !state.attended || !alone || state.ending.is_some() || !quiet(state) {
        return None;
    }
    let reason = limit.what.reason();
    let scribe = scribe(state, reason)?;
    let about = Some(WarningAbout::Result(state.utterances));
    let skipped = |why: &str| {
        let text = format!("no result: {why}").into();
        drafts::warn_once(state, Warning { text, about })
    };
    match &state.scribing {
        None => match no_room(state, &scribe) {
            Some(why) => skipped(&why),
            None => may_ask(state).then(|| {
                ask(state, scribe, ResultTask { ends: (reason, None), rule: None, waits: true })
            }),
        },
        Some(scribing) => match &scribing.written {
            Some(result) => Some(draft(ThreadId::ROOT, ENGINE, result.clone().into())),
            None => skipped(scribing.fault()),
        },
    }
}

/// Returns the end for which a result is being written.
pub(super) fn end_in_progress(state: &State) -> Option<EndCause> {
    let scribing = state.scribing.as_ref().filter(|scribing| !scribing.waits)?;
    Some(scribing.ends.clone())
}

/// Returns the seat that writes the result, if one is due: a listener, or else the first speaker that can.
fn scribe(state: &State, reason: StopReason) -> Option<SeatId> {
    let can = |voice: &VoiceSpec| match voice {
        // a recording says again what it said
        VoiceSpec::Model(model) => model.recording().is_none(),
        VoiceSpec::Lines { lines, .. } => lines.iter().any(|l| l.purpose == Purpose::Result),
        _ => false,
    };
    let able = || {
        let seats = state.seats.iter().map(|seat| &*seat.spec);
        seats.filter(|seat| can(&seat.voice) && state.may(Purpose::Result, &seat.id))
    };
    let scribe = able().find(|seat| !seat.speaks).or_else(|| able().next());
    if is_due(state, reason) { scribe.map(|seat| seat.id.clone()) } else { None }
}

fn is_due(state: &State, reason: StopReason) -> bool {
    let written = state.result.as_ref().is_some_and(|(_, at)| *at == state.utterances);
    state.scenario.result == ResultRule::Scribe
        && state.utterances > 0
        && !written
        && reason != StopReason::Failure
}

/// Returns the limit that leaves no room for the scribe's call.
fn no_room(state: &State, scribe: &SeatId) -> Option<String> {
    let turn =
        Turn::granted(state.next_seq, state.ms, ThreadId::ROOT, scribe.clone(), Purpose::Result);
    if !money::is_bounded(state, &turn) {
        return None;
    }
    let most = prompt::account(state, &turn).most_tokens + TASK_TOKENS;
    match money::reply(state, &turn, most).err()? {
        money::NoRoom::Limit(at) => {
            let limit = at.what.words(at.limit);
            Some(format!("the limit of {limit} leaves no room for the scribe"))
        }
        money::NoRoom::Seat(why) => Some(format!("{scribe} cannot be asked, {why}")),
    }
}

fn ask(state: &State, scribe: SeatId, task: ResultTask) -> Draft {
    let why = "the result".into();
    let question = state.seat(&scribe).map(|seat| prompt::result_task(state, &seat.spec));
    let batch = drafts::batch(Requester::Engine, Purpose::Result, vec![scribe], why);
    let batch = BatchOpened { question, result: Some(task), ..batch };
    draft(ThreadId::ROOT, ENGINE, batch.into())
}
