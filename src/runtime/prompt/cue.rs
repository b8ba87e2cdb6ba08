//! The last part of a prompt: everything specific to this turn, ending with the request to speak.
//!
//! Text that changes between turns belongs here and not at the start: the part before stays the same, so that a server
//! can cache it, and models follow best the text that they read last.

use super::frame::{names_length, range_of, said_length};
use super::persona::rendered;
use super::{acts, judge, said_to_all, task as form};
use crate::escape::{attribute, quoted};
use crate::model::{Block, Layout, Purpose, QuestionDebt, Requester, SeatId, Text};
use crate::reply;
use crate::rules;
use crate::scenario::{Advice, Phase, Rule, TurnOrder};
use crate::state::{Chosen, Ending, Entry, Labels, State, Turn, policies};

/// Beginning of the names of phases whose task is an answer.
const REBUTTAL: &str = "rebut";
/// Default tasks of phases with common names, by the beginning of the name.
const USUAL: [(&str, &str); 3] = [
    ("open", "Say what you stand for and your strongest reason."),
    (REBUTTAL, "Answer the strongest point against you."),
    ("clos", "Nothing new: say what decides it, and where the other side was right."),
];
/// Cue of the first turn in a debate without phases.
const FIRST: &str = "your answer and your strongest reason.";
/// Task of a turn in a debate without another one.
const BRING: &str = "Bring one new thing; everybody heard the rest.";
/// Task of the last turn of all in a debate.
const LAST: &str =
    "This is the last turn of all, nobody speaks after you: say who does what now, and by when.";
/// Cue of a turn that nobody can answer any more, in a talk and in phases.
const UNANSWERED: &str = "This is the last turn of all: nobody can answer you any more.";
/// Cue of the last turn of a team, whose words are its message to the table.
const FOR_THE_TEAM: &str = "The table hears the words of this turn alone, as your team's.";
/// Task of the other last turns of a long debate.
const NEAR_THE_END: &str = "What do you still not believe, and what would settle it?";
/// Minimum turn limit of a long debate, of which this share of turns has last words.
const LONG: u32 = 20;
const LAST_SHARE: u32 = 10;
/// Cue of the first turns if several seats speak at the same time.
const TOGETHER: &str = "All of you speak now, at the same time; nobody has heard the others.";

/// Returns the last part of a prompt; `begins` is true if the conversation is still empty.
pub(super) fn cue(state: &State, turn: &Turn, begins: bool) -> Text {
    let question = form::question(state, turn);
    let reply = form::reply(&state.contract_of(turn), turn.purpose, state.is_small(turn));
    let mut all: Vec<String> = vec![];
    if turn.speaks() {
        let task = task(state, turn);
        all.extend(phase(state, turn, &task));
        all.extend(role(state, turn));
        all.extend(manner(state, turn, &task));
        all.extend(form::requests(state, turn));
        all.extend(question);
        all.push(match &turn.part {
            Some(_) => form::GO_ON.to_owned(),
            None => occasion(state, turn, &task, begins),
        });
        all.extend(talks(state, turn).then(|| said_to_all::reminder(state, turn)).flatten());
    } else {
        all.extend(judge::vote(state, turn));
        if turn.purpose == Purpose::Result {
            all.extend(rules::ALL.iter().filter_map(|rule| (rule.recorded)(state)));
        }
        all.extend(question);
        all.extend(judge::points(&state.contract_of(turn)));
        all.extend(judge::doubted(state, turn));
        all.extend(unanswered(state, turn));
        all.extend(to_take_up(state, turn));
    }
    // the task of a scribe names its keys
    if turn.purpose != Purpose::Result {
        all.extend(reply);
    }
    all.extend(rules::ALL.iter().filter_map(|rule| (rule.request)(state, turn)));
    all.join("\n").into()
}

/// The only task of a turn: the first of these that applies, in this order. The others are left out or become facts; a
/// question to the seat that was put aside is asked once more in its next turn.
enum CueTask<'a> {
    /// The answer to a new message of the host.
    Host(Text),
    /// The answer to one question; a doubt can follow it.
    Answer(&'a QuestionDebt),
    LastWords(&'static str),
    /// A doubt, or an act in an otherwise free turn.
    Act(String),
    /// The task of the phase, beside which a moderator's clause is shown.
    Phase(String),
    /// The clause of a moderator, who gave the floor.
    Clause,
    /// The request to put an opponent's point fairly.
    Fairly(String),
    /// A contribution of its own.
    Free,
}

impl CueTask<'_> {
    /// Returns whether the host or a participant waits for an answer.
    fn is_asked(&self) -> bool {
        matches!(self, CueTask::Host(_) | CueTask::Answer(_))
    }
}

fn task<'a>(state: &'a State, turn: &Turn) -> CueTask<'a> {
    let (talks, debates) = (talks(state, turn), debates(state, turn));
    let phase = state.phase_of(turn.thread);
    let is_exchange = phase.is_some_and(|phase| is_exchange(state, turn, phase));
    let phase = phase.and_then(|phase| task_of(state, turn, phase));
    // who asks in an exchange is answered by the others, and answers the host alone
    let asks = is_exchange && phase.is_some();
    let debt = talks.then(|| owed_by(state, turn, phase.is_some())).flatten();
    let debt = debt.filter(|debt| !asks || debt.from.is_none());
    // the next turn of an exchange depends on the task of this one
    let keeps = is_exchange && (phase.is_some() || debt.is_some());
    if let Some(said) = (talks && !keeps).then(|| said_to_all::open(state, turn)).flatten() {
        let text = said.text_at(state.heard_to(turn)).cloned().unwrap_or_default();
        if said_to_all::displaces(state, turn, &text, debt) {
            return CueTask::Host(text);
        }
    }
    if let Some(debt) = debt {
        return CueTask::Answer(debt);
    }
    if let Some(last) = last_words(state, turn) {
        return CueTask::LastWords(last);
    }
    let act = turn.act.as_ref();
    if let Some(doubt) = act.filter(|act| act.kind.is_doubt()) {
        let doubt = acts::request(state, doubt).unwrap_or_default();
        // one side may have a question to answer, so the other has an answer to give as well
        return CueTask::Act(if judge::compares(state) {
            format!("{ANSWER_BESIDE} Then: {doubt}")
        } else {
            doubt
        });
    }
    if let Some(task) = phase {
        return CueTask::Phase(task);
    }
    if chosen(state, turn).is_some_and(|chosen| !chosen.why.trim().is_empty()) {
        return CueTask::Clause;
    }
    if let Some(fairly) = debates.then(|| first_answer(state, turn)).flatten() {
        return CueTask::Fairly(fairly);
    }
    act.and_then(|act| acts::request(state, act)).map_or(CueTask::Free, CueTask::Act)
}

/// Returns the progress of the phase, and its task if it is that of the turn.
fn phase(state: &State, turn: &Turn, task: &CueTask<'_>) -> Option<String> {
    let phase = state.phase_of(turn.thread)?;
    let rounds = phase.rounds();
    let place = match rounds {
        0 | 1 => String::new(),
        _ => format!(", {} of {rounds}", round_of(state, turn)),
    };
    let own = match task {
        CueTask::Phase(task) => format!(" {}{task}", within(state, turn)),
        _ => String::new(),
    };
    let last = talks(state, turn) && ends_phases(state, turn, phase);
    let last = if last { format!(" {UNANSWERED}") } else { String::new() };
    let blind = if task.is_asked() { String::new() } else { blind(state, turn) };
    // the name of a phase whose task gave way would be another task
    let gives_way = matches!(task, CueTask::Host(_)) && task_of(state, turn, phase).is_some();
    let name = if gives_way { String::new() } else { format!(": {}", phase.name) };
    Some(format!("{}{name}{place}.{own}{last}{blind}", heading(state, phase)))
}

/// Returns the task of a phase in a turn: the scenario's, or in a debate the default one of its name.
fn task_of(state: &State, turn: &Turn, phase: &Phase) -> Option<String> {
    let name = phase.name.to_lowercase();
    let of_name = USUAL.iter().find(|(begins, _)| name.starts_with(begins));
    let usual = of_name.map(|(_, ask)| (*ask).to_owned());
    let usual = if debates(state, turn) { usual } else { None };
    let task = phase.shows.task.as_ref().map(|task| rendered(task, state, turn)).or(usual)?;
    (!task.trim().is_empty()).then(|| task.trim().to_owned())
}

/// Returns the lead of a task that a new message of the host must not displace.
fn within(state: &State, turn: &Turn) -> String {
    if talks(state, turn) { said_to_all::within(state, turn) } else { String::new() }
}

/// Returns whether a phase has its task for its first seat but not for all, so that the others answer it.
fn is_exchange(state: &State, turn: &Turn, phase: &Phase) -> bool {
    let seats = state.threads.get(&turn.thread).map_or(&[][..], |thread| &thread.seats);
    let has_task = |seat: &&SeatId| {
        let turn = Turn { seat: (*seat).clone(), ..turn.clone() };
        task_of(state, &turn, phase).is_some()
    };
    seats.first().is_some_and(|first| has_task(&first)) && !seats.iter().all(|seat| has_task(&seat))
}

/// Returns the round of a turn in its thread, from 1.
fn round_of(state: &State, turn: &Turn) -> u32 {
    state.threads.get(&turn.thread).map_or(1, |thread| thread.round.max(1))
}

/// Returns true for the last turn of the last of several phases.
fn ends_phases(state: &State, turn: &Turn, phase: &Phase) -> bool {
    let phases = &state.scenario.phases;
    phases.len() > 1
        && phases.last().is_some_and(|last| last.name == phase.name)
        && round_of(state, turn) >= phase.rounds()
        && is_last_in_round(state, turn)
}

/// Returns the heading of a phase: its number, if no phase can be left out.
fn heading(state: &State, phase: &Phase) -> String {
    let phases = &state.scenario.phases;
    let is_fixed = phases.iter().all(|phase| phase.when.is_none());
    match phases.iter().position(|other| other.name == phase.name) {
        Some(at) if is_fixed && phases.len() > 1 => format!("Phase {} of {}", at + 1, phases.len()),
        _ => "Phase".to_owned(),
    }
}

/// Returns a sentence about the phase before if its turns were spoken at the same time, until the seat has spoken again.
fn blind(state: &State, turn: &Turn) -> String {
    if !debates(state, turn) || !state.labels(turn).is_empty() {
        return String::new();
    }
    let before = |entry: &&Entry| entry.thread != turn.thread && entry.seat().is_some();
    let own = |entry: &Entry| entry.thread == turn.thread && entry.seat() == Some(&turn.seat);
    let Some(last) = state.visible(turn).rev().find(before) else { return String::new() };
    let phase = state.phase_of(last.thread);
    let is_blind =
        phase.is_some_and(|phase| policies::traits(&phase.policy.name).order == TurnOrder::AtOnce);
    if !is_blind || state.visible(turn).any(own) {
        return String::new();
    }
    let numbers = state.visible(turn).filter(|entry| entry.thread == last.thread);
    let numbers: Vec<u32> = numbers.filter_map(|entry| entry.number).collect();
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(first), Some(last)) if first < last => {
            format!(" Turns {first} to {last} were spoken at the same time.")
        }
        _ => String::new(),
    }
}

/// Returns the role in this round, if roles rotate.
fn role(state: &State, turn: &Turn) -> Option<String> {
    let role = state.role_of(turn)?;
    let rotates = state.seat(&turn.seat).is_some_and(|s| !s.spec.roles.is_empty());
    rotates.then(|| format!("Your role in this round: {role}."))
}

/// Returns the length of the reply, and permission to think first.
fn manner(state: &State, turn: &Turn, task: &CueTask<'_>) -> Option<String> {
    let seat = &state.seat(&turn.seat)?.spec;
    let shows = state.shows(turn);
    let by_task = matches!(task, CueTask::Phase(task) if names_length(task));
    let words = match shows.and_then(|s| s.words).or_else(|| state.varied_words(turn)) {
        None if by_task => None,
        Some((least, most)) => Some(range_of(least, most)),
        None if state.scenario.phases.iter().any(|p| p.shows.words.is_some()) => {
            let persona = seat.persona.as_ref().map(|p| rendered(p, state, turn));
            said_length(state, turn, seat, persona.as_deref().unwrap_or_default())
        }
        None => None,
    };
    let free = state.contract_of(turn).form.is_words();
    let words = if free { words.map(|words| format!("In {words}.")) } else { None };
    let think = shows.is_some_and(|s| s.thinks).then(|| {
        "You may think first, between <think> and </think>; nobody reads that.".to_owned()
    });
    let all: Vec<String> = words.into_iter().chain(think).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Returns the request to speak, its reason and the task.
fn occasion(state: &State, turn: &Turn, task: &CueTask<'_>, begins: bool) -> String {
    let name = state.seat(&turn.seat).map_or(&turn.seat.0, |s| &s.spec.name);
    let given = given(state, turn, task);
    if begins {
        let asks = debates(state, turn) && given.is_none() && state.phase_of(turn.thread).is_none();
        let together = state.batch_of(turn).is_some_and(|batch| batch.spec.seats.len() > 1);
        let mut told = match (together, asks) {
            (true, true) => format!("{TOGETHER} Say {FIRST}"),
            (true, false) => TOGETHER.to_owned(),
            (false, true) => format!("{name}, you begin: {FIRST}"),
            (false, false) => format!("{name}, you begin."),
        };
        told.extend(given.map(|given| format!(" {given}")));
        return told;
    }
    let mentioned = if task.is_asked() { None } else { mentioned(state, turn) };
    let last = (task.is_asked() && ends_all(state, turn)).then(|| UNANSWERED.to_owned());
    let task = match task {
        CueTask::Host(said) => Some(said_to_all::task(state, said).to_owned()),
        CueTask::Answer(debt) => {
            Some(format!("{}{}", within(state, turn), to_answer(state, turn, debt)))
        }
        CueTask::LastWords(words) => Some((*words).to_owned()),
        CueTask::Act(task) | CueTask::Fairly(task) => Some(task.clone()),
        CueTask::Free if debates(state, turn) => Some(BRING.to_owned()),
        CueTask::Phase(_) | CueTask::Clause | CueTask::Free => None,
    };
    let place = format!("{name}, {}.", turn_in_words(state, turn));
    let all = [Some(place), mentioned.or(given), task, last];
    all.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns the place of a turn, such as `turn 4 of 12`. The host can change the order, so that no turn before the last of
/// all is certain to be the last of its seat.
fn turn_in_words(state: &State, turn: &Turn) -> String {
    match place(state, turn) {
        None if is_final_round(state, turn) => "your last turn".to_owned(),
        None => "your turn".to_owned(),
        Some(TurnPlace { number, limit }) => {
            let deal = if bargains(state) { "; a deal has to be made by then" } else { "" };
            format!("turn {number} of {limit}{deal}")
        }
    }
}

/// Returns true for a turn of a final round, outside of phases.
fn is_final_round(state: &State, turn: &Turn) -> bool {
    matches!(&state.ending, Some(Ending::FinalRound(_))) && state.phase_of(turn.thread).is_none()
}

/// Returns true if no seat speaks after a turn in its round.
fn is_last_in_round(state: &State, turn: &Turn) -> bool {
    state.threads.get(&turn.thread).is_some_and(|thread| {
        let last = thread.seats.iter().rfind(|seat| state.may_speak(seat));
        thread.traits().order == TurnOrder::AtOnce || last == Some(&turn.seat)
    })
}

/// Returns whether a turn outside of phases is the last of all.
fn ends_all(state: &State, turn: &Turn) -> bool {
    match &state.ending {
        Some(Ending::FinalRound(left)) if is_final_round(state, turn) => {
            left.iter().all(|seat| *seat == turn.seat)
        }
        _ => place(state, turn).is_some_and(|place| place.number == place.limit),
    }
}

/// Returns the request for last words: in the last turn of all, and in the last tenth of a long debate.
fn last_words(state: &State, turn: &Turn) -> Option<&'static str> {
    if ends_all(state, turn) {
        return Some(match state.advice(turn) {
            _ if state.is_team => FOR_THE_TEAM,
            Advice::Debate => LAST,
            Advice::Talk | Advice::Work => UNANSWERED,
        });
    }
    let TurnPlace { number, limit } = place(state, turn)?;
    let is_near = limit >= LONG && limit - number < limit / LAST_SHARE;
    (is_near && debates(state, turn) && !is_final_round(state, turn)).then_some(NEAR_THE_END)
}

/// Returns the request to answer the host or the question to a turn's seat, if there is one, without rules.
pub(super) fn question_to(state: &State, turn: &Turn) -> Option<String> {
    match task(state, turn) {
        CueTask::Host(said) => {
            let verb = if reply::has_question(&said) { "asks" } else { "says" };
            Some(format!("The host {verb}: {}", quoted(&said)))
        }
        CueTask::Answer(debt) => Some(with_quote(state, debt, "")),
        _ => None,
    }
}

/// Room for an act in the prompt of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActRoom {
    /// The turn has another task.
    Nothing,
    /// An answer to a question, beside which a doubt fits.
    Beside,
    /// A task that a doubt replaces.
    Doubt,
    /// No task.
    Any,
}

/// Returns the room for an act in the prompt of a turn.
pub fn act_room(state: &State, turn: &Turn) -> ActRoom {
    let may = turn.speaks() && turn.part.is_none() && debates(state, turn);
    let phase = state.phase_of(turn.thread);
    let closed = phase.is_some_and(|phase| !leaves_room(state, turn, phase));
    if !may || closed || ends_all(state, turn) || !state.labels(turn).is_empty() {
        return ActRoom::Nothing;
    }
    match task(state, turn) {
        CueTask::Answer(debt) if debt.from.is_some() => ActRoom::Beside,
        CueTask::Host(_) | CueTask::Answer(_) | CueTask::LastWords(_) => ActRoom::Nothing,
        CueTask::Free if mentioned(state, turn).is_none() => ActRoom::Any,
        _ => ActRoom::Doubt,
    }
}

/// Returns whether a phase leaves room for a doubt: none in turns at the same time, in the last turn of all, in an exchange
/// of questions and answers, and beside a task other than a rebuttal.
fn leaves_room(state: &State, turn: &Turn, phase: &Phase) -> bool {
    let together = policies::traits(&phase.policy.name).order == TurnOrder::AtOnce;
    let rebuts = || phase.name.to_lowercase().starts_with(REBUTTAL);
    !together
        && !ends_phases(state, turn, phase)
        && !is_exchange(state, turn, phase)
        && (rebuts() || task_of(state, turn, phase).is_none())
}

/// Returns the choice of the moderator that gave a turn.
fn chosen<'a>(state: &'a State, turn: &Turn) -> Option<&'a Chosen> {
    state.batch_of(turn)?.memo.chosen.as_ref()
}

/// Returns true if a turn is part of a debate.
fn debates(state: &State, turn: &Turn) -> bool {
    state.advice(turn) == Advice::Debate
}

/// Returns true if a turn is part of a talk: it hears the host, questions, its place and the end.
fn talks(state: &State, turn: &Turn) -> bool {
    state.advice(turn) != Advice::Work
}

/// Position of a turn in a conversation with a turn limit.
struct TurnPlace {
    /// Number of the turn, from 1.
    number: u32,
    limit: u32,
}

/// Returns the position of a turn under the turn limit; `None` in phases, without a limit, and for a repeated turn.
fn place(state: &State, turn: &Turn) -> Option<TurnPlace> {
    let counts = talks(state, turn) || bargains(state);
    if !counts || state.phase_of(turn.thread).is_some() {
        return None;
    }
    let limit = state.limits.utterances?;
    let number = state.utterances + 1;
    let is_new = turn.before.is_none() && turn.replaces.is_none() && number <= limit;
    is_new.then_some(TurnPlace { number, limit })
}

/// Returns whether an offer that the other side accepts ends the conversation.
fn bargains(state: &State) -> bool {
    let accepted =
        |rule: &Rule| matches!(rule, Rule::Word { accepted_by, .. } if !accepted_by.is_empty());
    state.scenario.stops.iter().any(|stop| accepted(&stop.rule))
}

/// Returns the request to be fair to an opponent, in the first turn of a seat that answers anybody; `None` in phases,
/// whose tasks define the turn. The opponent is the seat farthest away by its position, or else the last speaker.
fn first_answer(state: &State, turn: &Turn) -> Option<String> {
    if state.phase_of(turn.thread).is_some() {
        return None;
    }
    let mut speakers: Vec<&SeatId> = state.visible(turn).filter_map(Entry::seat).collect();
    speakers.dedup();
    if speakers.iter().skip(1).any(|seat| **seat == turn.seat) {
        return None;
    }
    let last = *speakers.last().filter(|last| ***last != turn.seat)?;
    let place = |id: &SeatId| state.pole_positions(state.seat(id)?).last()?.at;
    let own = place(&turn.seat);
    let others = speakers.into_iter().filter(|seat| **seat != turn.seat);
    let apart = |id: &SeatId| Some(own?.abs_diff(place(id)?));
    let opponents = others.filter(|id| opposes(state, &turn.seat, id));
    let farthest = opponents.max_by_key(|id| (apart(id), *id == last))?;
    let name = called(state, &state.labels(turn), farthest);
    Some(format!("If you disagree with {name}, answer {name}'s best reason, not the easiest."))
}

/// Returns whether two seats have different sides; at a table without sides, everybody has an opponent.
fn opposes(state: &State, seat: &SeatId, other: &SeatId) -> bool {
    let side = |id: &SeatId| state.seat(id).and_then(|seat| seat.spec.side.as_ref());
    match (side(seat), side(other)) {
        (Some(own), Some(other)) => own != other,
        (None, None) => state.seats.iter().all(|seat| seat.spec.side.is_none()),
        _ => false,
    }
}

/// Returns the question to a turn's seat that is its task; those of an earlier phase give way to the task of this one.
fn owed_by<'a>(state: &'a State, turn: &Turn, has_task: bool) -> Option<&'a QuestionDebt> {
    let is_current = |debt: &&QuestionDebt| {
        let thread = debt.turn.and_then(|turn| state.spoken(turn)).map(|asking| asking.thread);
        !has_task || thread.is_none_or(|thread| thread == turn.thread)
    };
    most_urgent(owed(state, turn).iter().filter(|debt| debt.to == turn.seat).filter(is_current))
}

/// Returns the question that a turn answers among several, oldest first: the host's, or else the latest.
pub fn most_urgent<'a>(
    debts: impl DoubleEndedIterator<Item = &'a QuestionDebt>,
) -> Option<&'a QuestionDebt> {
    // of equal ones, the last is the maximum
    debts.max_by_key(|debt| debt.from.is_none())
}

/// End of the request for an answer beside a doubt.
const IN_ONE_SENTENCE: &str = " in one sentence";
/// Answer beside a doubt in a judged debate.
const ANSWER_BESIDE: &str = "Answer the strongest point against you in one sentence.";

/// Returns the request to answer a question, and then to doubt if that is due, or the task in an exchange. A question in
/// the last message is not quoted below itself.
fn to_answer(state: &State, turn: &Turn, debt: &QuestionDebt) -> String {
    let doubt = turn.act.as_ref().filter(|act| act.kind.is_doubt());
    let phase = state.phase_of(turn.thread).filter(|phase| is_exchange(state, turn, phase));
    let own = || phase.and_then(|phase| task_of(state, turn, phase));
    let then = doubt.and_then(|doubt| acts::request(state, doubt)).or_else(own);
    let length = if then.is_some() { IN_ONE_SENTENCE } else { "" };
    let last = state.visible(turn).next_back();
    // the host may have said something else since
    let quote = debt.quote.trim_end_matches('…');
    let has_quote =
        |text: &Text| text.split_whitespace().collect::<Vec<_>>().join(" ").contains(quote);
    let is_last = last.is_some_and(|entry| {
        let is_askers = entry.seat() == debt.from.as_ref() && entry.version().turn == debt.turn;
        is_askers
            && (debt.from.is_some() || entry.text_at(state.heard_to(turn)).is_some_and(has_quote))
    });
    let answer = match &debt.from {
        Some(by) if is_last => format!("Answer {}{length}.", called(state, &Labels::new(), by)),
        None if is_last => format!("Answer the host{length}."),
        _ => with_quote(state, debt, length),
    };
    then.map_or_else(|| answer.clone(), |then| format!("{answer} Then: {then}"))
}

fn with_quote(state: &State, debt: &QuestionDebt, length: &str) -> String {
    let by = asker(state, debt);
    format!("{by} asked you: \"{}\" Answer that{length}.", quoted(&debt.quote))
}

fn asker(state: &State, debt: &QuestionDebt) -> String {
    let by = debt.from.as_ref().map(|by| called(state, &Labels::new(), by));
    by.unwrap_or_else(|| "The host".to_owned())
}

/// Returns the questions that were not answered when a turn's batch was opened. If names are hidden, there are none: a
/// quoted name would reveal them.
fn owed<'a>(state: &'a State, turn: &Turn) -> &'a [QuestionDebt] {
    let hidden = !state.labels(turn).is_empty();
    match state.batch_of(turn) {
        Some(batch) if !hidden => &batch.spec.owes,
        _ => &[],
    }
}

/// Returns the unanswered questions for a moderator; `None` without one. One question to several seats is quoted once.
fn unanswered(state: &State, turn: &Turn) -> Option<String> {
    let mut all: Vec<(&QuestionDebt, Vec<String>)> = vec![];
    for debt in owed(state, turn) {
        let to = called(state, &Labels::new(), &debt.to);
        match all.iter_mut().find(|(one, _)| one.from == debt.from && one.quote == debt.quote) {
            Some((_, asked)) => asked.push(to),
            None => all.push((debt, vec![to])),
        }
    }
    let all = all.into_iter().map(|(debt, to)| {
        format!("{} asked {} \"{}\"", asker(state, debt), to.join(", "), quoted(&debt.quote))
    });
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| format!("Asked and not answered: {}", all.join("; ")))
}

/// Returns a new message of the host to all, for moderators and bidders; a question to each is among the unanswered ones.
fn to_take_up(state: &State, turn: &Turn) -> Option<String> {
    if !matches!(turn.purpose, Purpose::Pick | Purpose::Bid) {
        return None;
    }
    let said = said_to_all::open(state, turn)?.text_at(state.heard_to(turn))?;
    let said = if said_to_all::asks_each(state, said) { return None } else { quoted(said.trim()) };
    let how = if reply::has_question(&said) { "Who is to take it up?" } else { "All go by it." };
    Some(format!("The host has just said: \"{said}\" {how}"))
}

/// Returns a sentence with the participant whose last message mentions this seat.
fn mentioned(state: &State, turn: &Turn) -> Option<String> {
    let last = state.visible(turn).next_back().filter(|e| e.seat() != Some(&turn.seat))?;
    let by = || match last.seat() {
        Some(by) => called(state, &state.labels(turn), by),
        None => "The host".to_owned(),
    };
    last.mentions.contains(&turn.seat).then(|| format!("{} turned to you.", by()))
}

/// Returns a sentence that names the giver of the floor; `None` for a regular turn. A moderator's clause is part of it
/// unless the turn has a more urgent task.
fn given(state: &State, turn: &Turn, task: &CueTask<'_>) -> Option<String> {
    let batch = state.batch_of(turn)?;
    if batch.spec.requester == Requester::Operator {
        let gave =
            batch.spec.replaces.is_none() && !matches!(&state.ending, Some(Ending::FinalRound(_)));
        return gave.then(|| "The host gave you the floor.".to_owned());
    }
    let chosen = chosen(state, turn)?;
    let why = match task {
        CueTask::Phase(_) | CueTask::Clause => chosen.why.trim().trim_end_matches('.'),
        _ => "",
    };
    let end = if why.ends_with(['?', '!', '…']) { "" } else { "." };
    let why = if why.is_empty() { String::new() } else { format!(": {}", quoted(why)) };
    Some(format!("{} gave you the floor{why}{end}", called(state, &state.labels(turn), &chosen.by)))
}

fn called(state: &State, labels: &Labels, id: &SeatId) -> String {
    let name = state.seat(id).map_or(&id.0, |s| &s.spec.name);
    attribute(labels.get(id).unwrap_or(name))
}

/// Returns the block for the layout: in the shared layout every block is attributed by name.
pub(super) fn in_layout(block: Block, layout: Layout, who: &SeatId, name: &Text) -> Block {
    match (block, layout) {
        (Block::Own { text, cut }, Layout::Shared) => {
            let (who, name) = (who.clone(), name.clone());
            Block::Other { who, name, number: None, phase: None, text, cut, whisper: false }
        }
        (block, _) => block,
    }
}
