//! What a participant is shown: rebuilt for every call from the state just before it, never stored.
//!
//! Peers are seen up to the turn's horizon, the operator up to the call. Housekeeping (failures, receipts, commands)
//! is never part of a prompt. It deliberately knows nothing of servers: wire formats are made of this in `voice`.

mod account;
mod budget;
mod messages;
mod task;

pub use account::{Account, account, digest};
pub use budget::UNKNOWN_WINDOW;
pub use messages::messages;

use crate::expr::{self, Facts, Template};
use crate::model::{
    Anonymous, Block, Budget, Form, Participant, Prompt, Sees, Seq, Shows, Text, ToolRound,
    VoiceSpec,
};
use crate::state::{Entry, Labels, State, Turn};
use crate::text;
use budget::Loses;
use std::fmt::Write;

/// Words of a reply that a model is asked to stay below.
const WORDS_MAX: u32 = 150;

/// Builds the prompt of a turn's running call, or else of its next one.
pub fn build(state: &State, turn: &Turn) -> Prompt {
    let (blocks, _) = blocks(state, turn);
    let prompt = Prompt { blocks, ..frame(state, turn) };
    match state.seat(&turn.seat).map(|s| &*s.spec) {
        Some(seat) if matches!(seat.voice, VoiceSpec::Model(_)) => {
            let loses = match seat.context {
                Budget::Window => Loses::Beginning,
                Budget::HeadTail | Budget::Summary { .. } => Loses::Middle,
            };
            budget::fit(prompt, budget::room(seat, turn.shrunk), loses)
        }
        Some(_) | None => prompt,
    }
}

/// The talk as a turn sees it, with the place of each block: a summary stands for what it covers.
fn blocks(state: &State, turn: &Turn) -> (Vec<Block>, Vec<Seq>) {
    let place = state.heard_to(turn);
    let summed =
        matches!(state.seat(&turn.seat).map(|s| &s.spec.context), Some(Budget::Summary { .. }));
    let summed = summed || turn.summarises.is_some() || state.sees(turn) == Sees::Summary;
    let summary = state.summary_for(turn).filter(|_| summed);
    let labels = state.labels(turn);
    let covered = summary.map(|s| s.task.upto);
    let summary = summary.and_then(|s| {
        let text = state.read_as(s.text.as_ref()?, &s.labels, &labels);
        Some((Block::Summary { text }, s.task.upto))
    });
    let fresh = state.visible(turn).filter(|e| covered.is_none_or(|upto| e.seq > upto));
    let answers = state.sees(turn) == Sees::Answers;
    let shown = |e: &Entry| {
        let text = e.text_at(place)?;
        let answer =
            e.version().answer.as_ref().filter(|_| answers && e.seat() != Some(&turn.seat));
        let text = state.read_as(answer.unwrap_or(text), &e.version().labels, &labels);
        Some((block(state, turn, &labels, e, text), e.seq))
    };
    // what it goes on with is the last thing it reads
    let part = turn.part.clone().map(|text| (Block::Own { text }, Seq(turn.id.0)));
    summary.into_iter().chain(fresh.filter_map(shown)).chain(part).unzip()
}

/// Returns the place up to which a turn's talk has to be summed up so that its prompt fits; none where it does.
pub fn overflow(state: &State, turn: &Turn) -> Option<Seq> {
    let seat = &state.seat(&turn.seat)?.spec;
    if !matches!(seat.voice, VoiceSpec::Model(_)) {
        return None;
    }
    let (blocks, places) = blocks(state, turn);
    let prompt = Prompt { blocks, ..frame(state, turn) };
    let many = budget::too_many(&prompt, budget::room(seat, turn.shrunk))?;
    places.get(many.checked_sub(1)?).copied()
}

/// Returns what a seat that sums up for another is asked; `name` is the other's, as the one who sums up sees it.
pub fn summing_up(viewer: &Participant, name: &str) -> Text {
    let words = budget::summary_words(budget::room(viewer, false));
    format!(
        "Sum up what was said so far, for {} who reads on from here: who holds what and why, what was agreed, what is \
         open. At most {words} words, nothing but the summary.",
        name
    )
    .into()
}

/// What surrounds the talk.
fn frame(state: &State, turn: &Turn) -> Prompt {
    Prompt {
        system: system(state, turn).into(),
        brief: None,
        blocks: vec![],
        notes: notes(state, turn),
        task: task(state, turn),
        rejected: turn.rejected.clone(),
        tools: turn.tools.iter().map(told).collect(),
        left_out: 0,
    }
}

/// What came back from tools is somebody's words: it can neither end its place nor act.
fn told(round: &ToolRound) -> ToolRound {
    let mut round = round.clone();
    for (_, result) in round.runs.iter_mut().filter_map(|run| run.returned.as_mut()) {
        *result = text::forwarded(&messages::quoted(result)).into_owned().into();
    }
    round
}

/// The operator's guidance, which names nobody to whom names are hidden.
fn notes(state: &State, turn: &Turn) -> Vec<Text> {
    let labels = state.labels(turn);
    let named = Labels::new();
    state.notes_of(turn).iter().map(|note| state.read_as(note, &named, &labels)).collect()
}

/// What is asked for, where that is not any words at all.
fn task(state: &State, turn: &Turn) -> Option<Text> {
    let contract = state.contract_of(turn);
    let quotes = contract.quotes.as_ref().map(|_| task::QUOTES.to_owned());
    let form = task::form(&contract.form);
    let form = match (quotes, form) {
        (Some(quotes), Some(form)) => Some(format!("{quotes}\n{form}")),
        (quotes, form) => quotes.or(form),
    };
    let question = state.batch_of(turn).and_then(|b| b.spec.question.clone());
    let requests = state.requests_to(turn).into_iter().map(|asking| {
        let by = state.seat(&asking.by).map_or(&asking.by.0, |s| &s.spec.name);
        messages::request(by, &asking.text)
    });
    let question = question.map(|q| q.to_string());
    let phase = state.shows(turn).and_then(|s| s.task.as_ref());
    let phase = phase.map(|task| rendered(task, state, turn));
    let cue = form.is_none() && phase.is_none();
    let mut all: Vec<String> = requests.chain(question).chain(phase).chain(form).collect();
    if turn.part.is_some() {
        all.push(messages::GO_ON.into());
    } else if cue && !all.is_empty() && turn.speaks() {
        all.push(messages::CUE.into());
    }
    (!all.is_empty()).then(|| all.join("\n").into())
}

fn block(state: &State, turn: &Turn, labels: &Labels, entry: &Entry, text: Text) -> Block {
    match entry.seat() {
        None => Block::Operator { text, whisper: entry.is_whisper() },
        Some(who) if *who == turn.seat && turn.summarises.is_none() => Block::Own { text },
        Some(who) => Block::Other {
            who: who.clone(),
            name: match (labels.get(who), state.seat(who)) {
                (Some(label), _) => label.clone(),
                (None, Some(seat)) => match state.side_of(turn, who) {
                    Some(side) => format!("{} ({side})", seat.spec.name).into(),
                    None => seat.spec.name.clone(),
                },
                (None, None) => who.0.clone(),
            },
            text,
            cut: entry.version().cut.is_some(),
        },
    }
}

fn system(state: &State, turn: &Turn) -> String {
    let Some(seat) = state.seat(&turn.seat) else { return String::new() };
    let mut system = format!("You are {}", seat.spec.name);
    if let Some(role) = &seat.spec.role {
        let _ = write!(system, " ({role})");
    }
    system.push_str(".\n");
    if let Some(persona) = &seat.spec.persona {
        let _ = writeln!(system, "{}", rendered(persona, state, turn));
    }
    if let Some(topic) = state.scenario.topic.as_ref().or(state.title.as_ref()) {
        let _ = writeln!(system, "The topic: {topic}");
    }
    let labels = state.labels(turn);
    let mut others: Vec<&Text> = state
        .seats
        .iter()
        .filter(|s| !s.gone && s.spec.id != turn.seat)
        .map(|s| labels.get(&s.spec.id).unwrap_or(&s.spec.name))
        .collect();
    if !labels.is_empty() {
        // the order of the table would tell who is who
        others.sort();
        others.dedup();
    }
    if !others.is_empty() {
        let others: Vec<&str> = others.into_iter().map(|name| &**name).collect();
        let _ = writeln!(system, "At the table with you: {}.", others.join(", "));
    }
    if let Some(own) = labels.get(&turn.seat).filter(|_| turn.speaks()) {
        let _ = match state.phase_of(turn.thread).map(|p| p.shows.anonymous) {
            // everybody sees labels of their own
            Some(Anonymous::PerViewer) => {
                writeln!(system, "Names are hidden; the others know you under another label.")
            }
            _ => writeln!(system, "Names are hidden; to the others you are {own}."),
        };
    }
    if let VoiceSpec::Model(_) = &seat.spec.voice {
        let form = &state.contract_of(turn).form;
        system.push_str(&rules(&seat.spec, form, state.shows(turn), turn.speaks()));
    }
    system
}

/// How a model should speak; what it cannot keep to, `reply` repairs.
fn rules(seat: &Participant, form: &Form, shows: Option<&Shows>, speaks: bool) -> String {
    // a word is about one and a half tokens
    let words =
        seat.reply_tokens().map_or(WORDS_MAX, |tokens| (tokens * 2 / 3).clamp(1, WORDS_MAX));
    let tags = "What the others say stands in <said>, what the moderator says in <moderator>.\n";
    if !speaks {
        return tags.to_owned();
    }
    let prose = match (form, shows.and_then(|s| s.words)) {
        (_, _) if !form.is_words() => String::new(),
        (_, Some((least, most))) => {
            format!(", in plain prose, in {least} to {most} words")
        }
        (_, None) => {
            format!(", in plain prose, in at most {words} words")
        }
    };
    let think = match shows.is_some_and(|s| s.thinks) {
        true => {
            "You may think first, between <think> and </think>: nobody at the table reads that.\n"
        }
        false => "",
    };
    format!(
        "{tags}Speak only as {}{}. Do not begin with your name and never write what others say.\n{think}",
        seat.name, prose
    )
}

/// A persona that is no valid template is still a persona.
fn rendered(persona: &str, state: &State, turn: &Turn) -> String {
    filled(persona, state, turn).unwrap_or_else(|_| persona.to_owned())
}

fn filled(persona: &str, state: &State, turn: &Turn) -> Result<String, expr::ExprError> {
    if !persona.contains('{') {
        return Ok(persona.to_owned());
    }
    Template::compile(persona)?.render(&Facts::new(state.turn_facts(turn)))
}

/// Returns what a person should know of the persona that a turn's prompt begins with: that it cannot be filled in.
pub fn doubt(state: &State, turn: &Turn) -> Option<String> {
    let seat = &state.seat(&turn.seat)?.spec;
    let persona = seat.persona.as_ref()?;
    let fault = filled(persona, state, turn).err()?;
    let at = fault.place(persona);
    Some(format!("`{}` has its persona as it is written: {at}: {fault}", seat.id))
}
