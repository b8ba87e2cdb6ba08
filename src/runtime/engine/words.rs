//! Analysis of reply texts: their speaker, mentions of seats, whispers, and pieces after which the rest is useless.

use crate::model::payload::Whisper;
use crate::model::*;
use crate::prompt;
use crate::reply::{self, ClosingParts, Parted, RepairedReply, Speech};
use crate::rules;
use crate::state::{Live, Seat, State, Thread, Turn};
use crate::text::{self, quotation};
use std::borrow::Cow;

/// Characters that end or pause a sentence; after them a reply is checked for repetition.
pub(super) const PAUSES: [char; 4] = ['.', '!', '?', ','];
/// Characters that end a sentence; those of ASCII only before a space.
const SENTENCE_ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
/// Maximum bytes of a reply that is checked at every line.
const SHORT_BYTES: usize = 8 * 1024;
/// Number of checks of a longer reply until its length doubles, as a power of two.
const LOOKS_BITS: u32 = 4;

/// Returns seats with all names by which the speaker of a turn knows them.
pub(super) fn known<'a>(
    state: &State,
    turn: &Turn,
    seats: impl Iterator<Item = &'a Seat>,
) -> Vec<Cow<'a, Participant>> {
    let labels = state.labels(turn);
    let label = |seat: &Seat| labels.get(&seat.spec.id).cloned().into_iter().collect();
    seats.map(|s| with_aliases(&s.spec, label(s))).collect()
}

/// Returns a participant with further aliases.
fn with_aliases(seat: &Participant, more: Vec<Text>) -> Cow<'_, Participant> {
    if more.is_empty() {
        return Cow::Borrowed(seat);
    }
    let aliases = seat.aliases.iter().cloned().chain(more).collect();
    Cow::Owned(Participant { aliases, ..seat.clone() })
}

/// Returns the parts of a turn's reply that are not public speech.
pub(super) fn closing_parts(state: &State, turn: &Turn) -> ClosingParts {
    let contract = state.contract_of(turn);
    ClosingParts {
        line: rules::label(state, Some(turn)),
        whispers: !contract.to.is_empty(),
        answers: turn.speaks() && state.finds_answer(turn).is_some(),
        markers: match contract.form {
            Form::Markers(markers) => markers,
            _ => vec![],
        },
    }
}

/// Separates the whispers in a turn's text from the rest. One to a participant who has left stays private; one to a
/// participant to whom the turn may not whisper is as if to nobody.
pub(super) fn parted(state: &State, turn: &Turn, words: &str) -> Parted {
    if state.contract_of(turn).to.is_empty() {
        return Parted { text: words.to_owned(), ..Parted::default() };
    }
    let other = |seat: &&Seat| seat.spec.speaks && seat.spec.id != turn.seat;
    let roster = known(state, turn, state.seats.iter().filter(other));
    let mut parted = reply::parted(words, &roster.iter().map(|p| &**p).collect::<Vec<_>>());
    let may = state.may_whisper_to(turn);
    let hears = |id: &SeatId| {
        may.iter().any(|seat| seat.spec.id == *id) || state.seat(id).is_some_and(|seat| seat.gone)
    };
    let (heard, unheard) = parted.whispers.into_iter().partition(|whisper| hears(&whisper.to));
    let unheard: Vec<Whisper> = unheard;
    parted.whispers = heard;
    for whisper in &mut parted.whispers {
        whisper.left = state.seat(&whisper.to).is_some_and(|seat| seat.gone);
    }
    parted.unknown.extend(unheard.into_iter().map(|whisper| whisper.to.to_string()));
    parted
}

/// Returns the seats that a text mentions: with an @, and by the last question to a name if the policy counts that.
pub(super) fn mentions(state: &State, text: &str, turn: &Turn) -> Vec<SeatId> {
    let present = known(state, turn, state.seats.iter().filter(|s| !s.gone));
    let roster: Vec<&Participant> = present.iter().map(|p| &**p).collect();
    let mut named = reply::mentions(text, Some(&turn.seat), &roster);
    let thread = state.threads.get(&turn.thread);
    if thread.is_some_and(Thread::hears_names) {
        let asks = reply::last_question(text).is_some();
        let by_act = if asks { turn.act.as_ref().and_then(|act| act.to.clone()) } else { None };
        let by_name = reply::asked_at_end(text, Some(&turn.seat), &roster);
        let asked = by_name.into_iter().chain(by_act);
        let more: Vec<SeatId> = asked.filter(|s| !named.contains(s)).collect();
        named.extend(more);
    }
    named
}

/// Returns the seats that the operator's message mentions, the addressed seat first.
pub(super) fn mentioned(state: &State, text: &str) -> Vec<SeatId> {
    let first = addressee(state, text);
    let mentions = reply::mentions(text, None, &prompt::at_table(state));
    let others = mentions.into_iter().filter(|seat| Some(seat) != first.as_ref());
    first.iter().cloned().chain(others).collect()
}

/// Returns the seat that the operator's message addresses at its beginning: `@bo …`, `Bo, …` or `Bo: …`.
pub(super) fn addressee(state: &State, text: &str) -> Option<SeatId> {
    let roster = prompt::at_table(state);
    if text.trim_start().starts_with(['@', '＠', '﹫']) {
        return reply::mentions(text, None, &roster).into_iter().next();
    }
    reply::called(text, &roster)
}

/// Returns the speaker's own part of a reply, without its line of data: only models and agents reason in their replies
/// and continue in the names of others.
pub(super) fn own_words(state: &State, turn: &Turn, said: &str, thought: &str) -> RepairedReply {
    let voice = state.seat(&turn.seat).map(|s| &s.spec.voice);
    let by_model = matches!(voice, Some(VoiceSpec::Model(_) | VoiceSpec::Agent(_)));
    let label = rules::label(state, Some(turn));
    let Speech { text, think, line } = Speech::new(said, by_model, label);
    let thought = format!("{thought}{think}");
    let think = (!thought.is_empty()).then(|| thought.into());
    let is_on = by_model && state.scenario.guards == Guards::On;
    let words = if is_on && is_free(state, turn) {
        cut_short(repaired(state, turn, &text))
    } else if let Some(closed) = is_on.then(|| text::closed_at_repetition(&text)).flatten() {
        let raw = Some(text.into());
        RepairedReply { text: closed, raw, repeats: true, ..RepairedReply::default() }
    } else {
        RepairedReply { text, ..RepairedReply::default() }
    };
    RepairedReply { think, line, ..words }
}

/// Removes the parts of a reply that are in another participant's name.
fn repaired(state: &State, turn: &Turn, said: &str) -> RepairedReply {
    let small = state.is_small(turn);
    // the layout for small models shows messages as "Cy said: …", which they continue
    let shown = |seat: &Seat| small.then(|| format!("{} said", seat.spec.name).into());
    let seats = state.seats.iter();
    let seats: Vec<_> =
        seats.map(|s| with_aliases(&s.spec, shown(s).into_iter().collect())).collect();
    let roster: Vec<&Participant> = seats.iter().map(|p| &**p).collect();
    // a corrected reply is accepted as it is
    let repair = if turn.corrections > 0 { reply::repair_again } else { reply::repair };
    repair(said, &turn.seat, &roster)
}

/// Cuts a reply at the point from which on it only repeats itself.
pub(super) fn cut_short(words: RepairedReply) -> RepairedReply {
    let Some(at) = text::repeats_from(&words.text) else { return words };
    let kept = words.text.get(..at).unwrap_or_default().trim_end().to_owned();
    let raw = words.raw.or_else(|| Some(words.text.as_str().into()));
    RepairedReply { text: kept, raw, repeats: true, ..words }
}

/// Returns true if a turn requires text, as opposed to structured data.
pub(super) fn is_free(state: &State, turn: &Turn) -> bool {
    state.contract_of(turn).form.is_words()
}

/// Returns true if a reply is still empty, not counting text in the names of others.
pub(super) fn is_empty(live: &Live, turn: &Turn) -> bool {
    let said = live.said(turn.id);
    own_words(&live.state, turn, &said, "").text.trim().is_empty()
}

/// Returns the whole sentences of a running reply of a local model that has used the tokens of its words; `None` for
/// other replies. Its call has room for reasoning, which nobody waits for once it speaks.
pub(super) fn at_its_length(live: &Live, turn: &Turn) -> Option<Text> {
    let state = &live.state;
    let most = state.spoken_tokens(turn)?;
    let has_room = turn.parameters.max_tokens.is_some_and(|all| all > u64::from(most));
    let is_local = state.seat(&turn.seat).is_some_and(|seat| seat.spec.local);
    if !has_room || !is_local || !is_free(state, turn) || state.scenario.answer.is_some() {
        return None;
    }
    let said = live.said(turn.id);
    if prompt::estimate_tokens(&said) <= most as usize {
        return None;
    }
    let ends = |at: usize| said.get(at + 1..).is_some_and(|rest| rest.starts_with([' ', '\n']));
    let end = said.match_indices(SENTENCE_ENDS).rfind(|(at, stop)| !stop.is_ascii() || ends(*at));
    end.and_then(|(at, stop)| said.get(..at + stop.len())).map(Text::from)
}

/// Returns true if the rest of a running reply is useless: its complete lines continue in another participant's name,
/// it only repeats itself, or it is at its length. `new` is the last piece. A long reply is not checked at every line; its end is always
/// checked.
pub(super) fn goes_astray(live: &Live, turn: &Turn, new: &str) -> bool {
    let seat = live.state.seat(&turn.seat);
    if !seat.is_some_and(|s| s.spec.voice.is_model()) {
        return false;
    }
    if new.contains(PAUSES) && at_its_length(live, turn).is_some() {
        return true;
    }
    let ends_line = new.contains('\n');
    // most pieces end nothing, so the text so far is not assembled for them
    if !(ends_line || new.contains(PAUSES)) || live.state.scenario.guards == Guards::Off {
        return false;
    }
    let said = live.said(turn.id);
    let old = said.len().saturating_sub(new.len());
    if !is_free(&live.state, turn) {
        // names in structured data are data
        return is_looked_at(old, said.len()) && text::closed_at_repetition(&said).is_some();
    }
    if is_looked_at(old, said.len()) && text::repeats_from(&said).is_some() {
        return true;
    }
    let lines = |said: &str| said.rfind('\n').map_or(0, |at| at + 1);
    let before = said.get(..old).map_or(0, lines);
    let complete = lines(&said);
    let complete = said.get(..complete).unwrap_or_default();
    ends_line
        && is_looked_at(before, complete.len())
        && repaired(&live.state, turn, complete).impersonates
}

/// Returns true if a reply that grew from `before` to `now` bytes is due for a check: always while it is short, then
/// rarely enough that all checks until it doubles cost as much as a few.
fn is_looked_at(before: usize, now: usize) -> bool {
    let step = 1 << now.max(1).ilog2().saturating_sub(LOOKS_BITS);
    now <= SHORT_BYTES || before / step != now / step
}

/// Returns a reply with its quotations checked, if its contract asks for that; else without marks of checked quotations,
/// if quotations are checked at all.
pub(super) fn checked_quotes(state: &State, turn: &Turn, said: &str) -> Option<String> {
    match state.contract_of(turn).quotes {
        Some(text) => Some(quotation::checked(said, &text)),
        None if state.checks_quotes() => Some(quotation::as_written(said)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reply_is_looked_at_a_few_times_and_a_short_one_with_each_line() {
        let mut looked_at = 0;
        let mut bytes = 0;
        let line = 100;
        while bytes < 1_000_000 {
            let look = is_looked_at(bytes, bytes + line);
            bytes += line;
            assert!(look || bytes > SHORT_BYTES, "at {bytes}");
            looked_at += if look { bytes } else { 0 };
        }
        assert!(looked_at < 40 * bytes, "{} times its length", looked_at / bytes);
        assert!(is_looked_at(900_000, 970_000), "a sixteenth is never passed over");
    }
}
