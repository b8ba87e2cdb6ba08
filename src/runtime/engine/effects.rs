//! Effects of an event, computed from the state right after it: every effect follows from an event.

use super::execute::HOLD_MS;
use super::{money, tools};
use crate::model::payload::CallStarted;
use crate::model::*;
use crate::prompt;
use crate::reply::corrected_form;
use crate::state::{BuiltPrompt, Live, RunState, State, Turn};
use crate::tool::ToolJob;
use crate::voice::CallRequest;
use std::sync::Arc;

/// Milliseconds that a call may continue after the time limit.
pub const TIME_GRACE_MS: u64 = 10_000;

/// An action outside the state: starting, cancelling or answering a call, or running a tool.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Starts the call of a voice once the event that orders it is written.
    Start(Box<CallRequest>),
    /// Runs a tool once the event that orders it is written.
    Run(Box<ToolJob>),
    /// Stops the tools of a turn at once.
    Release(TurnId),
    /// Answers a call's request for permission.
    Permit {
        /// Call that made the request.
        call: CallId,
        /// Number of the request within the call.
        request: u32,
        /// True if the request is allowed.
        yes: bool,
    },
    /// Cancels a call at once.
    Cancel(CallId),
}

/// Returns the effects of an event, given the state right after it.
pub fn effects(state: &State, event: &Event) -> Vec<Effect> {
    match &event.kind {
        Kind::CallStarted(c) => start(state, c, CallId(event.seq.0)).into_iter().collect(),
        Kind::TurnEnded(e) => {
            e.call.map(Effect::Cancel).into_iter().chain([Effect::Release(e.turn)]).collect()
        }
        Kind::ToolAsked(a) => vec![Effect::Cancel(a.call)],
        Kind::ToolCalled(_) => {
            let job = tools::job(state, event.seq);
            job.map(|job| Effect::Run(Box::new(job))).into_iter().collect()
        }
        Kind::PermissionAnswered(a) => {
            let turn = state.turns.get(&a.turn);
            let asked = turn.and_then(|t| t.permissions.iter().find(|p| p.asked == a.asked));
            let call = turn.and_then(|t| t.call);
            let permit = |(call, p): (CallId, &Permission)| Effect::Permit {
                call,
                request: p.request,
                yes: a.yes,
            };
            call.zip(asked).map(permit).into_iter().collect()
        }
        Kind::CallRetried(r) => vec![Effect::Cancel(r.call)],
        _ => vec![],
    }
}

fn start(state: &State, started: &CallStarted, call: CallId) -> Option<Effect> {
    let turn = state.turns.get(&started.turn)?;
    let seat = state.seat(&turn.seat)?;
    let BuiltPrompt { prompt, mut messages } = match seat.spec.voice {
        // the line was chosen when the call was ordered, so that no prompt is needed
        VoiceSpec::Lines { .. } | VoiceSpec::Human { .. } => BuiltPrompt::default(),
        _ => {
            let built = state.rolls.take_prompt(&started.digest);
            built.unwrap_or_else(|| prompt::built(state, turn))
        }
    };
    if let VoiceSpec::Agent(_) = seat.spec.voice {
        messages = prompt::unjoined(&prompt);
    }
    Some(Effect::Start(Box::new(CallRequest {
        call,
        turn: turn.id,
        seat: from_cut(state, turn, &seat.spec),
        purpose: turn.purpose,
        number: turn.number,
        attempt: turn.calls,
        in_words: prompt::in_words(state, turn, &prompt),
        messages,
        tools: state.tools_offered(turn).to_vec(),
        prompt,
        form: corrected_form(
            state.contract_of(turn).form,
            turn.rejected.as_ref().map(|rejected| &*rejected.said),
        ),
        parameters: turn.parameters.clone(),
        labels: turn.labels.clone(),
        facts: Arc::new(prompt::turn_facts(state, turn, &|_| true)),
        left: money::left(state),
        agent: seat.agent.clone(),
    })))
}

/// Returns a participant as its voice needs it: a rehearsed line that was cut goes on with the sentence that was cut.
fn from_cut(state: &State, turn: &Turn, spec: &Arc<Participant>) -> Arc<Participant> {
    let mut spec = spec.clone();
    if let Some((index, begin)) = state.line_cut(&turn.seat)
        && turn.parameters.line == Some(index)
        && turn.replaces.is_none()
        && let VoiceSpec::Lines { lines, .. } = &mut Arc::make_mut(&mut spec).voice
        && let Some(line) = lines.get_mut(index)
    {
        line.text = line.text.get(begin..).unwrap_or_default().trim_start().into();
    }
    spec
}

/// Returns the next deadline. It is computed from the state, so nothing has to be disarmed and a resume needs no
/// special case.
pub fn deadline(live: &Live) -> Option<Ms> {
    let state = &live.state;
    let turns = state.turns.values().filter_map(|turn| {
        let spec = &state.seat(&turn.seat)?.spec;
        match (&spec.voice, turn.call, turn.retry_at) {
            (VoiceSpec::Human { seconds, pass: true, .. }, _, _)
                if state.run != RunState::Paused =>
            {
                Some(turn.granted.plus(seconds.as_ref()? * 1000))
            }
            (_, Some(_), _) => {
                let due = call_deadline(live, turn.id, spec).map(|due| due.at);
                let up = [time_is_up(state, turn), state.step_deadline(turn)];
                due.into_iter().chain(up.into_iter().flatten()).min()
            }
            // a pause also holds a turn that waits for a rate limit
            (_, None, None) if state.run == RunState::Paused => None,
            (_, None, None) => state.held_by_rate(turn, state.ms).map(|(at, ..)| at),
            (_, None, Some(retry)) => {
                Some(state.held_by_rate(turn, retry).map_or(retry, |(at, ..)| at))
            }
        }
    });
    let limit = if state.limit.is_none() { state.limits.seconds } else { None };
    let limits = limit.into_iter().flat_map(|seconds| {
        let marks = [near_mark(seconds * 1000), seconds * 1000];
        let told = state.near.contains(&(Limit::Seconds, seconds));
        let due = |mark: u64| {
            let since = state.running.since?;
            Some(since.plus(mark.saturating_sub(state.running.total)))
        };
        let near = if told { None } else { due(marks[0]) };
        [near, due(marks[1])].into_iter().flatten()
    });
    let holds = state.holds().map(|hold| hold.at.plus(HOLD_MS));
    turns.chain(limits).chain(holds).min()
}

/// Returns the time at which a running call is cut because the conversation's time is up: after a grace period. `None`
/// for judges, who may always finish.
pub(super) fn time_is_up(state: &State, turn: &Turn) -> Option<Ms> {
    let reached = state.limit.as_ref().filter(|at| at.what == Limit::Seconds)?;
    let up = state.running.since?.plus((reached.limit * 1000).saturating_sub(state.running.total));
    (!matches!(turn.purpose, Purpose::Judge | Purpose::Result))
        .then(|| up.max(turn.granted).plus(TIME_GRACE_MS))
}

/// Returns the value at which a limit warns: four fifths of it.
pub(super) fn near_mark(limit: u64) -> u64 {
    (limit * 4).div_ceil(5)
}

pub(super) struct CallDeadline {
    /// Time at which the call fails.
    pub at: Ms,
    /// Start of the failure text, up to the duration.
    what: &'static str,
    /// Milliseconds that the call had.
    after: u64,
    /// Class of the failure. A program that begins with nothing is not asked again: that would take as long.
    pub class: ErrorClass,
}

impl CallDeadline {
    /// Returns the text of the failure.
    pub fn words(&self) -> String {
        let seconds = self.after as f64 / 1000.0;
        format!("{} {seconds} s; raise its timeout, or choose another voice", self.what)
    }
}

/// Maximum duration of a call for the result, in milliseconds.
const SCRIBE_MS: u64 = 60_000;

/// Returns the earliest deadline of a call.
pub(super) fn call_deadline(live: &Live, turn: TurnId, seat: &Participant) -> Option<CallDeadline> {
    let limits = &seat.timeouts;
    let asked = live.state.turns.get(&turn)?;
    if asked.waits_for_leave().is_some() {
        return None;
    }
    let since = asked.since;
    let class = ErrorClass::Silence;
    let due =
        |from: Ms, after: u64, what| CallDeadline { at: from.plus(after), what, after, class };
    let is_program = matches!(seat.voice, VoiceSpec::Agent(_))
        || seat.voice.as_model().is_some_and(ModelSpec::is_program);
    let class = if is_program { ErrorClass::NoVoice } else { class };
    let most = if asked.purpose == Purpose::Result { SCRIBE_MS } else { u64::MAX };
    let mut total = due(since, limits.total.min(most), "it did not finish within");
    total.at = total.at.plus(asked.held);
    let quiet = match live.last_piece(turn).max(asked.active) {
        None => CallDeadline { class, ..due(since, limits.first, "no output within") },
        Some(at) => due(at, limits.silence, "no output for"),
    };
    Some(if total.at <= quiet.at { total } else { quiet })
}
