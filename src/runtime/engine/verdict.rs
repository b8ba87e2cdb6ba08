//! Verdicts: when judges are asked, how ties are broken, and which ends need a verdict.
//!
//! The whole conversation is judged at its end, a phase by its own judge at the phase's end. Judges that may stop are
//! also asked after each round, and a side that has won then ends the conversation. Counting is left to `tally`.

use super::asking::{CommandStep, VerdictScope, called, may_ask, quiet};
use super::{drafts, summary, tally};
use crate::model::event::ENGINE;
use crate::model::payload::{BatchOpened, Paused};
use crate::model::*;
use crate::scenario::{Side, Tie, VerdictAt};
use crate::state::{PendingCommand, RunState, State, Thread};

/// Prompt text for judges that are asked before the end.
const INTERIM: &str = "The debate is not over: answer \"tie\" unless one side has already won.";
/// Question of the casting vote.
const CASTING: &str = "The judgements are tied. If one of these sides has to win, which one?";

/// Returns the next step of a verdict that the operator requested.
pub(super) fn asked(state: &State, command: &PendingCommand) -> CommandStep {
    let scope = called(state);
    let of = scope.map(|c| (c.thread, c.interim));
    let judging = state.judging.as_ref();
    let free = judging.is_none_or(|b| b.ends.is_none() && (b.of.is_none() || b.of == of));
    match scope {
        _ if command.closed => CommandStep::Done,
        Some(scope) if free && quiet(state) && may_ask(state) => {
            CommandStep::Draft(next(state, scope, Requester::Operator, None).into())
        }
        Some(_) => CommandStep::Wait,
        None => CommandStep::Done,
    }
}

/// Returns the end of the conversation, after the verdict if the scenario has one and turns were taken since the last
/// verdict. An impossible verdict is reported, and an unreadable one is a failure.
pub(super) fn conclude(state: &State, cause: EndCause) -> Option<Draft> {
    let end = |cause| Some(drafts::end(state, cause));
    let reason = cause.reason;
    let last = state.verdict.as_ref().filter(|(_, at)| *at == state.utterances);
    let settled = last.filter(|(verdict, _)| verdict.settles()).map(|(verdict, _)| verdict);
    let scope = VerdictScope::from_thread(state, ThreadId::ROOT)
        .filter(|scope| is_due(state, *scope, reason));
    match (scope, settled) {
        (Some(_), Some(verdict)) if unread(verdict) && reason != StopReason::Operator => {
            let why = format!("the verdict failed: {}", verdict.how);
            end(EndCause::new(StopReason::Failure, Some(why.into())))
        }
        (_, Some(_)) => {
            let own_end = matches!(
                reason,
                StopReason::Completed | StopReason::Exhausted | StopReason::RoundLimit
            );
            end(EndCause { reason: if own_end { StopReason::Verdict } else { reason }, ..cause })
        }
        (Some(scope), None) if may_ask(state) => quiet(state).then(|| {
            let ends = state.judging.as_ref().and_then(|b| b.ends.clone());
            next(state, scope, Requester::Engine, Some(ends.unwrap_or(cause)))
        }),
        // a verdict held up by a pause continues after it
        (Some(_), None) if matches!(state.run, RunState::Pausing | RunState::Paused) => None,
        (Some(_), None) => {
            let told = no_room(state);
            drafts::warn_once(state, told.to_string().into()).or_else(|| {
                end(EndCause { text: drafts::joined([cause.text, Some(told)]), ..cause })
            })
        }
        (None, None) => end(cause),
    }
}

/// Returns the reason for the absence of a verdict for which a limit left no room.
pub(super) fn no_room(state: &State) -> Text {
    let spent = |what: &Limit| matches!(what, Limit::Tokens | Limit::Usd);
    let reached = state.limit.as_ref().filter(|at| spent(&at.what)).map(|at| (at.what, at.limit));
    let set =
        || [Limit::Usd, Limit::Tokens].into_iter().find_map(|l| Some((l, state.limits.get(l)?)));
    let limit = reached.or_else(set).map(|(what, limit)| format!(" of {}", what.words(limit)));
    let limit = limit.unwrap_or_default();
    format!("no verdict: the limit{limit} leaves no room for the judge").into()
}

/// Returns true if an end needs a verdict.
fn is_due(state: &State, scope: VerdictScope<'_>, reason: StopReason) -> bool {
    let cut_short = matches!(reason, StopReason::Operator | StopReason::TimeLimit);
    match (reason, scope.spec.at) {
        (StopReason::Failure, _) => false,
        (_, VerdictAt::Completed) => reason.is_passed(),
        (_, VerdictAt::Always) => !cut_short || state.utterances > 0,
    }
}

/// Returns true if no judgement was readable.
fn unread(verdict: &VerdictGiven) -> bool {
    verdict.winner.is_none() && verdict.judgements.iter().all(|j| j.winner.is_none())
}

/// Returns the next step of judges that may stop and are due after a round: a question to them, or the end of the phase
/// because they found a winner. The end of the whole conversation follows from the state.
pub(super) fn after_round(state: &State, thread: &Thread) -> Option<Draft> {
    let mut here = vec![thread.id, ThreadId::ROOT];
    here.dedup();
    let scopes = here.into_iter().filter_map(|id| VerdictScope::from_thread(state, id));
    let mut scopes = scopes.filter(|c| c.spec.may_stop && !c.judges(state).is_empty());
    scopes.find_map(|scope| match scope.found(state) {
        None => Some(next(state, VerdictScope { interim: true, ..scope }, Requester::Engine, None)),
        Some(found) if found.winner.is_some() && scope.thread == thread.id => {
            Some(drafts::close(state, thread, StopReason::Verdict))
        }
        Some(_) => None,
    })
}

/// Returns the end of a thread, after the verdict of its own judge.
pub(super) fn close(state: &State, thread: &Thread, reason: StopReason) -> Draft {
    let judged =
        |c: VerdictScope<'_>| c.found(state).is_some_and(|v| !v.interim || v.winner.is_some());
    let is_root = thread.id == ThreadId::ROOT;
    let scope = if is_root { None } else { VerdictScope::from_thread(state, thread.id) };
    match scope.filter(|c| thread.utterances > 0 && !judged(*c)) {
        Some(scope) => next(state, scope, Requester::Engine, None),
        None => drafts::close(state, thread, reason),
    }
}

/// Returns the next step of a verdict: the next question to the judges, the tie break, or the verdict itself.
fn next(
    state: &State,
    scope: VerdictScope<'_>,
    requester: Requester,
    ends: Option<EndCause>,
) -> Draft {
    let VerdictScope { thread, spec, interim } = scope;
    let sides = tally::sides(state, scope);
    let asked = state.judging.as_ref().map_or(0, |b| b.asked);
    let per_time = if spec.swap_test { 2 } else { 1 };
    let judges = scope.judges(state);
    // without a possible winner there is nothing to ask
    if asked >= spec.votes * per_time || judges.is_empty() || sides.is_empty() {
        return tie(state, scope, &sides, requester)
            .unwrap_or_else(|| draft(thread, ENGINE, tally::verdict(state, scope, &sides).into()));
    }
    let time = asked / per_time + 1;
    let swapped = asked % per_time == 1;
    let mut shown = sides;
    if swapped {
        shown.reverse();
    }
    let names: Vec<Text> = shown.iter().map(|s| s.name.clone()).collect();
    let is_labelled = spec.swap_test || spec.prompt.is_some();
    let options = match (is_labelled, &spec.prompt) {
        (false, _) => names.clone(),
        (true, None) => (1..=names.len()).map(|n| format!("Side {n}").into()).collect(),
        (true, Some(_)) => ('A'..='Z').take(names.len()).map(|c| c.to_string().into()).collect(),
    };
    let labels = if is_labelled { names } else { vec![] };
    let seats = is_labelled.then(|| shown.iter().zip(&options)).into_iter().flatten();
    let seats = seats.flat_map(|(side, label): (_, &Text)| {
        side.seats.iter().map(move |seat| (SeatId(seat.clone()), label.clone()))
    });
    let rule = ends.as_ref().and_then(|cause| cause.rule);
    let ends = ends.map(|cause| (cause.reason, cause.text));
    let seats = seats.collect();
    let task = JudgeTask::Verdict { time, swapped, labels, seats, interim, ends, rule };
    let why = match (interim, swapped) {
        (_, true) => "judged again with the sides swapped".into(),
        (true, false) => "whether a side has already won".into(),
        (false, false) => format!("judgement {time} of {}", spec.votes).into(),
    };
    let batch = drafts::batch(requester, Purpose::Judge, judges, why);
    let question =
        if interim { format!("{} {INTERIM}", spec.question).into() } else { spec.question.clone() };
    let question = Some(question);
    open(state, thread, BatchOpened { question, options, judge: Some(task), ..batch })
}

/// Returns the batch that asks the judges, after the summary that one of them may need.
fn open(state: &State, thread: ThreadId, batch: BatchOpened) -> Draft {
    match state.threads.get(&thread) {
        Some(thread) => summary::before(state, thread, batch),
        None => draft(thread, ENGINE, batch.into()),
    }
}

/// Asks the judge or the operator to break a tie, once.
fn tie(
    state: &State,
    scope: VerdictScope<'_>,
    sides: &[Side],
    requester: Requester,
) -> Option<Draft> {
    let judging = state.judging.as_ref()?;
    let tied = tally::tied(state, scope, sides);
    if tied.is_empty() {
        return None;
    }
    match scope.spec.tie {
        Tie::Draw | Tie::First | Tie::Random => None,
        Tie::Judge if judging.casting.is_some() => None,
        Tie::Judge => {
            let judge = scope.judges(state).into_iter().next()?;
            let why = "the deciding vote on a tie".into();
            let batch = drafts::batch(requester, Purpose::Judge, vec![judge], why);
            let question = Some(format!("{} {CASTING}", scope.spec.question).into());
            let judge = Some(JudgeTask::Casting);
            let batch = BatchOpened { question, options: tied, judge, ..batch };
            Some(open(state, scope.thread, batch))
        }
        Tie::Human if !judging.tied.is_empty() => None,
        Tie::Human => {
            let why = format!(
                "the judgements are tied between {}; `verdict` with a winner breaks the tie, `resume` leaves it a \
                     draw",
                tied.join(" and ")
            );
            let paused = Paused { why: Some(why.into()), tied, ..Paused::default() };
            Some(draft(ThreadId::ROOT, ENGINE, paused.into()))
        }
    }
}
