//! The last part of a prompt: everything specific to this turn, ending with the request to speak.
//!
//! Text that changes between turns belongs here and not at the start: the part before stays the same, so that a server
//! can cache it, and models follow best the text that they read last.

use super::acts;
use super::ballot;
use super::escape::{attribute, quoted};
use super::frame::{names_length, range_of, said_length};
use super::judge;
use super::persona::rendered;
use super::{said_to_all, stance, task as form};
use crate::model::{Block, Layout, Purpose, QuestionDebt, Requester, SeatId, Text};
use crate::scenario::{Advice, Phase, Rule, TurnOrder};
use crate::state::{Ending, Entry, Labels, State, Turn, policies};

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
/// Maximum number of questions that a turn is asked to answer.
const ANSWERED_AT_ONCE: usize = 2;
/// Task of the last turn of all in a debate.
const LAST: &str = "This is the last turn of all: say what is done now, who does what and by when, and who at this table would not \
     sign it.";
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
        all.extend(phase(state, turn));
        all.extend(role(state, turn));
        all.extend(manner(state, turn));
        all.extend(form::requests(state, turn));
        all.extend(question);
        all.push(match &turn.part {
            Some(_) => form::GO_ON.to_owned(),
            None => occasion(state, turn, begins),
        });
        all.extend(talks(state, turn).then(|| said_to_all::reminder(state, turn)).flatten());
    } else {
        all.extend(ballot::rules(state, turn));
        all.extend(stance::recorded(state, turn));
        all.extend(question);
        all.extend(judge::points(&state.contract_of(turn)));
        all.extend(unanswered(state, turn));
        all.extend(to_take_up(state, turn));
    }
    // the task of a scribe names its keys
    if turn.purpose != Purpose::Result {
        all.extend(reply);
    }
    all.extend(stance::request(state, turn));
    all.join("\n").into()
}

/// Returns the task of the phase and its progress.
fn phase(state: &State, turn: &Turn) -> Option<String> {
    let phase = state.phase_of(turn.thread)?;
    let rounds = phase.rounds();
    let place = match rounds {
        0 | 1 => String::new(),
        _ => format!(", {} of {rounds}", round_of(state, turn)),
    };
    let task = task_of(state, turn, phase).map_or(String::new(), |task| format!(" {task}"));
    let last = talks(state, turn) && ends_phases(state, turn, phase);
    let last = if last { format!(" {UNANSWERED}") } else { String::new() };
    Some(format!(
        "{}: {}{place}.{task}{last}{}",
        heading(state, phase),
        phase.name,
        blind(state, turn)
    ))
}

/// Returns the task of a phase in a turn: the scenario's, or in a debate the default one of its name. An answer to the
/// host or to a question takes the place of the default rebuttal.
fn task_of(state: &State, turn: &Turn, phase: &Phase) -> Option<String> {
    let name = phase.name.to_lowercase();
    let of_name = USUAL.iter().find(|(begins, _)| name.starts_with(begins));
    let usual = of_name.map(|(_, ask)| (*ask).to_owned());
    let answers = name.starts_with(REBUTTAL) && is_asked(state, turn);
    let usual = if debates(state, turn) && !answers { usual } else { None };
    let task = phase.shows.task.as_ref().map(|task| rendered(task, state, turn)).or(usual)?;
    (!task.trim().is_empty()).then(|| task.trim().to_owned())
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
    if is_asked(state, turn) || !debates(state, turn) || !state.labels(turn).is_empty() {
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
fn manner(state: &State, turn: &Turn) -> Option<String> {
    let seat = &state.seat(&turn.seat)?.spec;
    let shows = state.shows(turn);
    let by_task = shows.and_then(|s| s.task.as_ref()).map(|task| rendered(task, state, turn));
    let by_task = by_task.is_some_and(|task| names_length(&task));
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

/// Returns the request to speak and its reason.
fn occasion(state: &State, turn: &Turn, begins: bool) -> String {
    let name = state.seat(&turn.seat).map_or(&turn.seat.0, |s| &s.spec.name);
    let given = given(state, turn);
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
    let mut told = format!("{name}, {}.", turn_in_words(state, turn));
    let task = task(state, turn);
    let act = if matches!(task, CueTask::Host(_)) { None } else { turn.act.as_ref() };
    let doubts = act.is_some_and(|act| act.kind.is_doubt());
    let owed = if talks(state, turn) { owed_by(state, turn) } else { vec![] };
    let asked = if owed.is_empty() { mentioned(state, turn) } else { None };
    told.extend(asked.or(given).map(|asked| format!(" {asked}")));
    let last = last_words(state, turn).map(str::to_owned);
    let tasks = match task {
        // after a reopened end nobody takes leave before the host has an answer
        CueTask::Host(_) if state.since.reopened.is_some() => {
            [Some(said_to_all::TASK.to_owned()), None]
        }
        CueTask::Host(_) => [Some(said_to_all::TASK.to_owned()), last],
        CueTask::Answer(owed) => {
            let length = if doubts { Answering::InOneSentence } else { Answering::First };
            [Some(to_answer(state, turn, &owed, length)), last]
        }
        CueTask::LastWords => [None, last],
        CueTask::Fairly(_) | CueTask::Free if doubts && has_clause(state, turn) => {
            [Some("Take that up in one sentence.".to_owned()), None]
        }
        // a moderator's clause is the task
        CueTask::Fairly(_) if doubts || has_clause(state, turn) => [None, None],
        CueTask::Fairly(fairly) => [Some(fairly), None],
        CueTask::Free => [None, None],
    };
    let in_phase = state.phase_of(turn.thread).is_some_and(|p| task_of(state, turn, p).is_some());
    let beside = doubts && (in_phase || tasks.iter().any(Option::is_some));
    let then = if beside { "Then: " } else { "" };
    let act = act.and_then(|act| acts::request(state, act)).map(|act| format!("{then}{act}"));
    tasks.into_iter().flatten().chain(act).for_each(|task| told.push_str(&format!(" {task}")));
    told
}

/// Returns the place of a turn: `turn 4 of 12`, or `turn 11 of 12, your last`.
fn turn_in_words(state: &State, turn: &Turn) -> String {
    match place(state, turn) {
        None if is_final_round(state, turn) => "your last turn".to_owned(),
        None => "your turn".to_owned(),
        Some(TurnPlace { number, limit, more, bargains }) => {
            let last = if more == Some(0) && number < limit { ", your last" } else { "" };
            let deal = if bargains { "; a deal has to be made by then" } else { "" };
            format!("turn {number} of {limit}{last}{deal}")
        }
    }
}

/// The task of a turn besides that of its phase: at most one. A message of the host goes first; last words also answer
/// questions.
enum CueTask<'a> {
    LastWords,
    /// The answer to a new message of the host.
    Host(Text),
    /// Answers to questions.
    Answer(Vec<&'a QuestionDebt>),
    /// The request to put an opponent's point fairly.
    Fairly(String),
    /// No task, so that an act fits.
    Free,
}

fn task<'a>(state: &'a State, turn: &Turn) -> CueTask<'a> {
    let debates = debates(state, turn);
    if let Some(said) = talks(state, turn).then(|| said_to_all::open(state, turn)).flatten() {
        return CueTask::Host(said);
    }
    let owed = if talks(state, turn) { owed_by(state, turn) } else { vec![] };
    if !owed.is_empty() {
        return CueTask::Answer(owed);
    }
    if last_words(state, turn).is_some() {
        return CueTask::LastWords;
    }
    let fairly = if debates { first_answer(state, turn) } else { None };
    fairly.map_or(CueTask::Free, CueTask::Fairly)
}

/// Returns true if the host or a question is the task of a turn.
fn is_asked(state: &State, turn: &Turn) -> bool {
    matches!(task(state, turn), CueTask::Host(_) | CueTask::Answer(_))
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

/// Returns the request for last words: in the last turn of all, and in the last tenth of a long debate.
fn last_words(state: &State, turn: &Turn) -> Option<&'static str> {
    let leave = match state.advice(turn) {
        _ if state.is_team => FOR_THE_TEAM,
        Advice::Debate => LAST,
        Advice::Talk | Advice::Work => UNANSWERED,
    };
    if let Some(Ending::FinalRound(left)) = &state.ending
        && is_final_round(state, turn)
    {
        return left.iter().all(|seat| *seat == turn.seat).then_some(leave);
    }
    let TurnPlace { number, limit, .. } = place(state, turn)?;
    match limit - number {
        0 => Some(leave),
        left if debates(state, turn) && limit >= LONG && left < limit / LAST_SHARE => {
            Some(NEAR_THE_END)
        }
        _ => None,
    }
}

/// Returns the request to answer the host or the questions to a turn's seat, if there are any, without rules.
pub(super) fn question_to(state: &State, turn: &Turn) -> Option<String> {
    match task(state, turn) {
        CueTask::Host(said) => Some(format!("The host asks: {}", quoted(&said))),
        CueTask::Answer(owed) => Some(all_quoted(state, &owed, Answering::First)),
        _ => None,
    }
}

/// Room for an act in the prompt of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActRoom {
    /// The turn has another task.
    Nothing,
    /// A question, a moderator's clause or a rebuttal, beside which a doubt fits.
    Beside,
    /// The request to be fair to an opponent, which a doubt replaces.
    Doubt,
    /// No task.
    Any,
}

/// Returns the room for an act in the prompt of a turn.
pub fn act_room(state: &State, turn: &Turn) -> ActRoom {
    if !turn.speaks()
        || turn.part.is_some()
        || !debates(state, turn)
        || !state.labels(turn).is_empty()
        || last_words(state, turn).is_some()
    {
        return ActRoom::Nothing;
    }
    let phase = state.phase_of(turn.thread);
    let in_phase = phase.map_or(ActRoom::Any, |phase| phase_room(state, turn, phase));
    match task(state, turn) {
        CueTask::Host(_) | CueTask::LastWords => ActRoom::Nothing,
        _ if in_phase == ActRoom::Nothing => ActRoom::Nothing,
        CueTask::Answer(_) if in_phase == ActRoom::Beside => ActRoom::Nothing,
        CueTask::Answer(_) => ActRoom::Beside,
        _ if in_phase == ActRoom::Beside => ActRoom::Beside,
        CueTask::Fairly(_) | CueTask::Free if has_clause(state, turn) => ActRoom::Beside,
        CueTask::Free if mentioned(state, turn).is_some() => ActRoom::Beside,
        CueTask::Fairly(_) => ActRoom::Doubt,
        CueTask::Free => ActRoom::Any,
    }
}

/// Returns the room for an act beside the task of a phase: a rebuttal leaves some for a doubt, other tasks do not, nor do
/// turns at the same time and the last turn of all.
fn phase_room(state: &State, turn: &Turn, phase: &Phase) -> ActRoom {
    let together = policies::traits(&phase.policy.name).order == TurnOrder::AtOnce;
    match task_of(state, turn, phase) {
        _ if together || ends_phases(state, turn, phase) => ActRoom::Nothing,
        None => ActRoom::Any,
        Some(_) if phase.name.to_lowercase().starts_with(REBUTTAL) => ActRoom::Beside,
        Some(_) => ActRoom::Nothing,
    }
}

/// Returns true if a moderator told the speaker what to take up, which is its task.
fn has_clause(state: &State, turn: &Turn) -> bool {
    let chosen = state.batch_of(turn).and_then(|batch| batch.memo.chosen.as_ref());
    chosen.is_some_and(|chosen| !chosen.why.trim().is_empty())
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
    /// The turn limit.
    limit: u32,
    /// Number of later turns of the same seat, if the policy determines it.
    more: Option<u32>,
    /// True if an accepted offer ends the conversation.
    bargains: bool,
}

/// Returns the position of a turn of a debate under the turn limit; `None` in phases, without a limit, and for a repeated
/// turn.
fn place(state: &State, turn: &Turn) -> Option<TurnPlace> {
    let bargains = bargains(state);
    if !(talks(state, turn) || bargains) || state.phase_of(turn.thread).is_some() {
        return None;
    }
    let limit = state.limits.utterances?;
    let number = state.utterances + 1;
    if turn.before.is_some() || turn.replaces.is_some() || number > limit {
        return None;
    }
    let thread = state.threads.get(&turn.thread)?;
    let left = limit - number;
    let speakers = thread.seats.iter().filter(|seat| state.may_speak(seat)).count();
    let in_turn = thread.traits().order == TurnOrder::InTurn && speakers > 0;
    let by_order = in_turn.then(|| left / u32::try_from(speakers).unwrap_or(u32::MAX));
    let more = if left == 0 { Some(0) } else { by_order };
    Some(TurnPlace { number, limit, more, bargains })
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
    let place = |id: &SeatId| state.positions(state.seat(id)?).last().map(|position| position.at);
    let own = place(&turn.seat);
    let others = speakers.into_iter().filter(|seat| **seat != turn.seat);
    let apart = |id: &SeatId| Some(own?.abs_diff(place(id)?));
    let farthest = others.max_by_key(|id| (apart(id), *id == last));
    let name = called(state, &state.labels(turn), farthest.unwrap_or(last));
    Some(format!("If you disagree with {name}, answer {name}'s best reason, not the easiest."))
}

/// Returns the unanswered questions to a turn's seat.
fn owed_by<'a>(state: &'a State, turn: &Turn) -> Vec<&'a QuestionDebt> {
    owed(state, turn).iter().filter(|debt| debt.to == turn.seat).collect()
}

/// Length of an answer to a question: a doubt leaves it one sentence.
#[derive(Clone, Copy)]
enum Answering {
    First,
    InOneSentence,
}

impl Answering {
    /// Returns the end of the request.
    fn words(self) -> &'static str {
        match self {
            Answering::First => "first",
            Answering::InOneSentence => "in one sentence",
        }
    }
}

/// Returns the request to answer the latest questions to a seat. A question in the last message is not quoted below itself.
fn to_answer(state: &State, turn: &Turn, owed: &[&QuestionDebt], length: Answering) -> String {
    let latest = &owed[owed.len().saturating_sub(ANSWERED_AT_ONCE)..];
    let last = state.visible(turn).next_back();
    let is_last = |debt: &QuestionDebt| {
        last.is_some_and(|e| e.seat() == debt.from.as_ref() && e.version().turn == debt.turn)
    };
    let (read, earlier): (Vec<&QuestionDebt>, Vec<&QuestionDebt>) =
        latest.iter().partition(|debt| is_last(debt));
    let by = read.first().map(|debt| match &debt.from {
        Some(by) => called(state, &Labels::new(), by),
        None => "the host".to_owned(),
    });
    let is_host = read.first().is_some_and(|debt| debt.from.is_none());
    match (by, earlier.is_empty()) {
        (Some(by), true) => format!("Answer {by} {}.", length.words()),
        (Some(by), false) if is_host => {
            format!("{} Answer {by} {}, then that.", asked_by(state, &earlier), length.words())
        }
        (Some(by), false) => {
            format!("{} Answer that {}, then {by}.", asked_by(state, &earlier), length.words())
        }
        (None, _) => all_quoted(state, latest, length),
    }
}

fn all_quoted(state: &State, owed: &[&QuestionDebt], length: Answering) -> String {
    let latest = &owed[owed.len().saturating_sub(ANSWERED_AT_ONCE)..];
    format!("{} Answer that {}.", asked_by(state, latest), length.words())
}

fn asked_by(state: &State, owed: &[&QuestionDebt]) -> String {
    let asked = owed
        .iter()
        .map(|debt| format!("{} asked you: \"{}\"", asker(state, debt), quoted(&debt.quote)));
    asked.collect::<Vec<_>>().join(" ")
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

/// Returns the unanswered questions for a moderator; `None` without one.
fn unanswered(state: &State, turn: &Turn) -> Option<String> {
    let owed = owed(state, turn).iter().map(|debt| {
        let to = called(state, &Labels::new(), &debt.to);
        format!("{} asked {to} \"{}\"", asker(state, debt), quoted(&debt.quote))
    });
    let owed: Vec<String> = owed.collect();
    (!owed.is_empty()).then(|| format!("Asked and not answered: {}", owed.join("; ")))
}

/// Returns a new message of the host to all, for moderators and bidders.
fn to_take_up(state: &State, turn: &Turn) -> Option<String> {
    if !matches!(turn.purpose, Purpose::Pick | Purpose::Bid) {
        return None;
    }
    let said = said_to_all::open(state, turn)?;
    let said = quoted(said.trim());
    Some(format!("The host has just said: \"{said}\" Who is to take it up?"))
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

/// Returns a sentence that names the giver of the floor; `None` for a regular turn.
fn given(state: &State, turn: &Turn) -> Option<String> {
    let batch = state.batch_of(turn)?;
    if batch.spec.requester == Requester::Operator {
        let gave =
            batch.spec.replaces.is_none() && !matches!(&state.ending, Some(Ending::FinalRound(_)));
        return gave.then(|| "The host gave you the floor.".to_owned());
    }
    let chosen = batch.memo.chosen.as_ref()?;
    let why = chosen.why.trim().trim_end_matches('.');
    let why = if why.is_empty() { String::new() } else { format!(": {}", quoted(why)) };
    Some(format!("{} gave you the floor{why}.", called(state, &state.labels(turn), &chosen.by)))
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
