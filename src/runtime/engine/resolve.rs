//! Resolution of steering lines: the targets of a command, or the reason for its refusal.

use super::input::Refusal;
use super::{asking, permissions, steps, words};
use crate::model::command::NoteFor;
use crate::model::contract::WHISPER;
use crate::model::*;
use crate::state::{Entry, Note, Seat, State, Thread, Turn};
use crate::steer::line::private;
use crate::{reply, scenario};

/// The largest command of the operator, in bytes of its JSON.
const COMMAND_MAX_BYTES: usize = 256 << 10;
/// The most notes in the prompts of a seat.
const NOTES_MAX: usize = 50;

/// Resolves a line against the state.
///
/// # Errors
/// If the command is refused.
pub(super) fn resolve(state: &State, line: &SteerLine) -> Result<Targets, Refusal> {
    short_enough(&line.command)?;
    private(&line.command, state).map_err(String::from)?;
    if let (Some(ended), false) = (&state.ended, outlives_the_end(&line.command)) {
        return Err(
            format!("too late: the conversation has ended ({})", ended.reason.as_str()).into()
        );
    }
    if let Some(id) = line.thread
        && state.threads.get(&id).is_none_or(|t| t.closed.is_some())
    {
        return Err(format!("no open thread {id}").into());
    }
    let mut targets = Targets::default();
    match &line.command {
        Command::Pause {}
        | Command::Hold { .. }
        | Command::Mark { .. }
        | Command::Rename { .. } => {}
        Command::Decide { tool, .. } => known_tool(state, tool)?,
        Command::Limit { set } => limits(state, set)?,
        Command::CancelStep { .. }
        | Command::AnswerStep { .. }
        | Command::RerunStep { .. }
        | Command::EditStep { .. }
        | Command::AddStep { .. }
        | Command::MoveStep { .. } => targets = steps::resolve(state, &line.command)?,
        Command::End { .. } => {
            targets.turns = state.turns.keys().copied().collect();
        }
        Command::PauseNow {} => targets.turns = speaking(state, line, None),
        Command::Resume {} | Command::Step { .. } => {
            if let Some(limit) = &state.limit
                && state.waiting_tie().is_none()
            {
                let key = limit.what.key();
                let more = match limit.what {
                    Limit::Usd => f64::from(Usd(limit.limit.saturating_mul(2))).to_string(),
                    _ => limit.limit.saturating_mul(2).to_string(),
                };
                return Err(format!(
                    "stopped at the limit of {}: raise it first, as in /limit {key}={more}",
                    limit.what.words(limit.limit),
                )
                .into());
            }
        }
        Command::Say { text, re, material } => {
            worded(text)?;
            begun(state, *re)?;
            targets.threads = inner(state, line);
            if material.is_some() {
                // a name in a file addresses nobody
                return Ok(targets);
            }
            targets.mentions = words::mentioned(state, text);
            let first = words::addressee(state, text);
            targets.seats = first.into_iter().filter(|s| state.may_speak(s)).collect();
        }
        Command::CutIn { text, who, re } => {
            worded(text)?;
            begun(state, *re)?;
            if let Some(who) = who {
                present(state, who)?;
            }
            targets.turns = speaking(state, line, who.as_ref());
            targets.threads = inner(state, line);
            targets.mentions = words::mentioned(state, text);
        }
        Command::Note { to, text, .. } => {
            worded(text)?;
            for seat in to {
                present(state, seat)?;
            }
            targets.seats = match &to[..] {
                [] => state.seats.iter().filter(|s| !s.gone).map(|s| s.spec.id.clone()).collect(),
                to => to.to_vec(),
            };
            if let Some(full) =
                targets.seats.iter().find(|seat| living_notes(state, seat) >= NOTES_MAX)
            {
                return Err(format!(
                    "{full} has {NOTES_MAX} notes already; remove one with `lift_note`, or wait for its turn"
                ).into());
            }
        }
        Command::LiftNote { note } => targets.of = Some(reference(state, note)?),
        Command::Whisper(words) => {
            words.text_for(&Recipient::Operator).map_or(Ok(()), |text| worded(text))?;
            present(state, words.to())?;
            targets.threads = inner(state, line);
        }
        Command::SpeakAs { who, text } => {
            worded(text)?;
            whispers_nothing(state, text)?;
            present(state, who)?;
            targets.threads = inner(state, line);
            targets.mentions = words::mentioned(state, text);
        }
        Command::Speak { who, .. } | Command::Pass { who } => {
            if let Command::Speak { text, .. } = &line.command {
                worded(text)?;
            }
            let seat = present(state, who)?;
            if !seat.voice.is_human() {
                return Err(format!(
                    "{who} is not a human participant; use `speak_as` to speak for it, `skip` to stop it"
                ).into());
            }
        }
        Command::EditQueued { of, .. } | Command::DropQueued { of } => {
            targets.of = Some(reference(state, of)?);
        }
        Command::Floor { to } => {
            let name = &present(state, to)?.name;
            if !state.may_speak(to) {
                return Err(
                    format!("{name} cannot have the floor: muted, or at its own limit").into()
                );
            }
            let holds =
                |t: &Thread| t.seats.contains(to) && line.thread.is_none_or(|id| id == t.id);
            targets.threads =
                state.open_threads().rev().find(|t| holds(t)).map(|t| t.id).into_iter().collect();
            if targets.threads.is_empty() {
                return Err(format!("{name} is not part of this phase").into());
            }
        }
        Command::Skip {} => {
            targets.threads = inner(state, line);
            let turns = state.turns.values().filter(|t| targets.threads.contains(&t.thread));
            targets.turns = turns.map(|t| t.id).collect();
        }
        Command::Mute { who } | Command::Unmute { who } => {
            present(state, who)?;
        }
        Command::Leave { who } => {
            present(state, who)?;
            targets.turns = state.turns.values().filter(|t| t.seat == *who).map(|t| t.id).collect();
        }
        Command::Join { participant } => {
            let mut p = scenario::participant(participant).map_err(|faults| {
                faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            })?;
            if state.seat(&p.id).is_some_and(|s| !s.gone) {
                return Err(format!("{} is already a participant", p.id).into());
            }
            let present = state.seats.iter().filter(|s| !s.gone);
            if present.map(|s| s.spec.everyone().len()).sum::<usize>() >= SEATS_MAX {
                return Err(
                    format!("all {SEATS_MAX} seats are taken, including those of teams").into()
                );
            }
            p.tell_apart(state.seats.iter().map(|s| &*s.spec));
            targets.participant = Some(Box::new(p));
        }
        Command::Change { who, set } => {
            let old = present(state, who)?;
            let mut p = scenario::change(old, set).map_err(String::from)?;
            if p.name != old.name {
                p.tell_apart(state.seats.iter().map(|s| &*s.spec));
            }
            targets.participant = Some(Box::new(p));
        }
        Command::Retry { utterance } | Command::Reroll { utterance } => {
            targets.turns = vec![said_before(state, *utterance, "retry")?];
        }
        Command::Continue { utterance } => {
            targets.turns = vec![unfinished(state, *utterance)?];
        }
        Command::Choose { utterance, alternative } => {
            let entry =
                state.utterance(*utterance).ok_or_else(|| no_utterance(state, *utterance))?;
            let have = entry.versions.len();
            if *alternative as usize > have {
                let texts = if have == 1 { "text" } else { "texts" };
                return Err(format!("turn {utterance} has {have} {texts} to choose from").into());
            }
        }
        Command::Edit { utterance, text } => {
            if message(state, MessageNumber::Turn(*utterance))?.hidden.is_some() {
                return Err(format!("turn {utterance} is hidden: `unhide` shows it again").into());
            }
            whispers_nothing(state, text)?;
        }
        Command::Hide { utterance, .. } => {
            if message(state, *utterance)?.hidden.is_some() {
                return Err(format!("{utterance} is hidden: `unhide` shows it again").into());
            }
        }
        Command::Unhide { utterance } => {
            if message(state, *utterance)?.hidden.is_none() {
                return Err(format!("{utterance} is not hidden").into());
            }
        }
        Command::Vote { question, options, count, .. } => {
            if question.trim().is_empty() {
                return Err("`question` is empty".into());
            }
            targets.threads = inner(state, line);
            let thread = targets.threads.first().and_then(|t| state.threads.get(t));
            let able = |t: &Thread| t.seats.iter().any(|s| state.may(Purpose::Vote, s));
            if !thread.is_some_and(able) {
                return Err("no one can vote".into());
            }
            // ballots are read the same way: the answer "yes" means "Yes"
            let mut once: Vec<String> = options.iter().map(|o| o.trim().to_lowercase()).collect();
            once.sort();
            once.dedup();
            let blank = once.iter().any(String::is_empty);
            if options.len() == 1 || once.len() < options.len() || blank {
                return Err("a vote needs at least two different options".into());
            }
            if let Some(way) = count.iter().find(|way| !way.counts_ballots()) {
                return Err(format!(
                    "a vote cannot be counted by {}; use majority, confidence, borda or mean",
                    way.name()
                )
                .into());
            }
        }
        Command::Verdict { winner: Some(side) } => tie_broken(state, side)?,
        Command::Verdict { winner: None } if asking::called(state).is_none() => {
            return Err(
                "no participant is a judge; name one under [verdict] in the scenario".into()
            );
        }
        Command::Verdict { winner: None } => {}
    }
    Ok(targets)
}

/// Checks that a participant has the tool, and that the tool needs permission.
fn known_tool(state: &State, tool: &Text) -> Result<(), Refusal> {
    let all = state.seats.iter().flat_map(|seat| &seat.spec.tools);
    if permissions::names(state).any(|name| name == *tool) {
        return Ok(());
    }
    let mut names: Vec<&str> = all.filter(|t| !t.read_only).map(|t| &*t.name).collect();
    names.sort_unstable();
    names.dedup();
    match (names.contains(&&**tool), names.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => {
            Err(format!("no participant has the tool {tool}, and no other tool needs permission")
                .into())
        }
        (false, false) => Err(format!(
            "no tool {tool} needs permission; the tools that need it are {}",
            names.join(", ")
        )
        .into()),
    }
}

/// Checks that a tie waits for a decision and that the winner is one of its sides.
fn tie_broken(state: &State, side: &Text) -> Result<(), Refusal> {
    match state.waiting_tie() {
        None => Err("no tie to break; `verdict` without a winner asks the judges".into()),
        Some(tied) if tied.contains(side) => Ok(()),
        Some(tied) => Err(format!("{side} is not tied; the sides are {}", tied.join(", ")).into()),
    }
}

/// Returns true if a command is allowed after the end.
fn outlives_the_end(command: &Command) -> bool {
    matches!(
        command,
        Command::Limit { .. }
            | Command::Mark { .. }
            | Command::Rename { .. }
            | Command::Edit { .. }
            | Command::Hide { .. }
            | Command::Unhide { .. }
            | Command::Choose { .. }
    )
}

fn limits(state: &State, set: &Limits) -> Result<(), Refusal> {
    let uncountable = |s: &Seat| Some(format!("{} ({})", s.spec.uncountable()?, s.spec.id));
    let mut present = state.seats.iter().filter(|s| !s.gone);
    if let (Some(model), Some(_)) = (present.find_map(uncountable), set.usd) {
        return Err(format!(
            "a limit in usd cannot be enforced: no price is known for {model}; limit tokens instead"
        )
        .into());
    }
    let zero = Limit::ALL.into_iter().find(|l| set.get(*l) == Some(0));
    match zero {
        Some(Limit::Usd) => Err("`usd` must be more than 0".into()),
        Some(limit) => Err(format!("`{}` must be at least 1", limit.key()).into()),
        None if *set == Limits::default() => {
            Err("`set` names no limit; use utterances, rounds, seconds, tokens, usd or per_seat"
                .into())
        }
        None => Ok(()),
    }
}

fn present<'a>(state: &'a State, id: &SeatId) -> Result<&'a Participant, Refusal> {
    match state.seat(id).filter(|s| !s.gone) {
        Some(seat) => Ok(&seat.spec),
        None => {
            let table: Vec<&str> =
                state.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec.id).collect();
            Err(format!("no participant `{id}`; the cast is {}", table.join(", ")).into())
        }
    }
}

/// Rejects a message that answers a turn that has not begun; the turn may still run.
fn begun(state: &State, re: Option<u32>) -> Result<(), Refusal> {
    match re {
        Some(number) if number == 0 || number > state.numbers => {
            Err(no_utterance(state, number).into())
        }
        Some(_) | None => Ok(()),
    }
}

fn message(state: &State, number: MessageNumber) -> Result<&Entry, Refusal> {
    state.message(number).ok_or_else(|| match number {
        MessageNumber::Turn(number) => no_utterance(state, number).into(),
        MessageNumber::Host(_) => {
            let said = state.host_messages().count();
            format!("no {number}; you have said {said} to all").into()
        }
    })
}

fn no_utterance(state: &State, number: u32) -> String {
    match state.entries.iter().filter_map(|e| e.number).max() {
        Some(last) => format!("no turn {number} (last is {last})"),
        None => format!("no turn {number}; none has ended yet"),
    }
}

/// Rejects a command that is too large to be kept in every later prompt.
fn short_enough(command: &Command) -> Result<(), Refusal> {
    let bytes = serde_json::to_string(command).map_or(0, |json| json.len());
    if bytes <= COMMAND_MAX_BYTES {
        return Ok(());
    }
    Err(format!(
        "`{}` has {} KiB, and a command has at most {} KiB: shorten the text",
        command.name(),
        bytes.div_ceil(1024),
        COMMAND_MAX_BYTES / 1024
    )
    .into())
}

/// Counts the notes that a later turn of a seat may get.
fn living_notes(state: &State, seat: &SeatId) -> usize {
    let lives = |note: &&Note| {
        let used = note.bound.contains_key(seat) || note.spent.contains(seat);
        let over = match note.lives {
            NoteFor::Standing => false,
            NoteFor::Utterance => used,
            NoteFor::Round => !state.threads.values().any(|t| note.lives_for(seat, t)),
        };
        note.lifted.is_none() && note.to.contains(seat) && !over
    };
    state.notes.iter().filter(lives).count()
}

/// Returns an error if the text is empty.
fn worded(text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() { Err("`text` is empty".into()) } else { Ok(()) }
}

/// Returns an error if a part of the text is for one participant alone, as in a reply that whispers.
fn whispers_nothing(state: &State, text: &str) -> Result<(), Refusal> {
    let everybody: Vec<&Participant> = state.seats.iter().map(|seat| &*seat.spec).collect();
    match reply::parted(text, &everybody).whispers.first() {
        None => Ok(()),
        Some(whisper) => Err(format!(
            "\"{WHISPER} {}:\" addresses one person: use whisper with \"to\"",
            whisper.to
        )
        .into()),
    }
}

/// Returns the `seq` of the command with this `id`, key or number.
fn reference(state: &State, name: &str) -> Result<Seq, Refusal> {
    let by_key = || state.keys.get(name).copied();
    let by_id = || state.ids.get(name).copied();
    let by_number = || name.parse().ok().map(Seq).filter(|s| *s < state.next_seq);
    by_id()
        .or_else(by_key)
        .or_else(by_number)
        .ok_or_else(|| format!("no command named `{name}`; use its id, key or number").into())
}

/// Returns the threads for the operator's message: the named one, or every open thread without an open child thread.
fn inner(state: &State, line: &SteerLine) -> Vec<ThreadId> {
    match line.thread {
        Some(id) => vec![id],
        None => state.leaves().map(|t| t.id).collect(),
    }
}

/// Returns the turns with a call that a line can stop.
fn speaking(state: &State, line: &SteerLine, who: Option<&SeatId>) -> Vec<TurnId> {
    let meant =
        |t: &&Turn| who.is_none_or(|w| *w == t.seat) && line.thread.is_none_or(|id| id == t.thread);
    state.calls().filter(meant).map(|t| t.id).collect()
}

/// Returns the turn to be repeated: the last one, or that of an utterance.
fn said_before(state: &State, number: Option<u32>, command: &str) -> Result<TurnId, Refusal> {
    let last = state.last.as_ref().ok_or("no turn has ended yet")?;
    let turn = match number.filter(|n| last.number != Some(*n)) {
        None => last.turn,
        Some(n) => {
            let entry = state.utterance(n).ok_or_else(|| no_utterance(state, n))?;
            entry.version().turn.ok_or_else(|| no_utterance(state, n))?
        }
    };
    // later turns answer a message that is about to change
    let answers = |t: &&Turn| t.speaks() && t.thread == last.thread && t.horizon.0 > last.turn.0;
    if let (None, Some(next)) = (number, state.turns.values().find(answers)) {
        let number = last.number.map_or("it".into(), |n| format!("`{command}` with utterance {n}"));
        return Err(format!(
            "{} is already speaking: {number} waits until {} has finished; `pause_now` stops {}",
            next.seat, next.seat, next.seat
        )
        .into());
    }
    let said = state.spoken(turn).ok_or("no turn has ended yet")?;
    if state.threads.values().any(|t| t.state.plan().is_some_and(|plan| plan.turn == turn)) {
        let number = said.number.map_or("it".into(), |n| format!("turn {n}"));
        return Err(format!(
            "{number} is the plan; `say` what should be different, and the planner changes it"
        )
        .into());
    }
    if !state.may_speak(&said.seat) {
        return Err(format!("{} cannot speak now", said.seat).into());
    }
    if state.threads.get(&said.thread).is_none_or(|thread| thread.closed.is_some()) {
        let at = said.number.unwrap_or(1).saturating_sub(1);
        return Err(format!(
            "that part of the conversation is over; to retry the turn, branch before it (`fork` at {at})"
        ).into());
    }
    Ok(turn)
}

/// Returns the turn to be continued: one with text in free form that was cut or reached its token limit.
fn unfinished(state: &State, number: Option<u32>) -> Result<TurnId, Refusal> {
    let turn = said_before(state, number, "continue")?;
    let said = state.spoken(turn).ok_or("no turn has ended yet")?;
    let free = state
        .seat(&said.seat)
        .is_some_and(|s| matches!(s.spec.reply.form, Form::Free | Form::Markers(_)));
    let entry = said.number.and_then(|n| state.utterance(n));
    let version = entry.map(crate::state::Entry::version).filter(|v| v.turn == Some(turn));
    match (version, said.number) {
        (Some(version), _) if free && (version.cut.is_some() || version.capped) => Ok(turn),
        (_, Some(n)) if !free => {
            Err(format!("turn {n} is structured data and cannot be continued; use `retry`").into())
        }
        (Some(_), Some(n)) => Err(format!("turn {n} was not cut; `retry` says it again").into()),
        (_, _) => Err("the turn has no text to continue; use `retry`".into()),
    }
}
