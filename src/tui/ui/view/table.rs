//! Page with the people at the table and their use, the words of several speakers, the limits, the order of the turns,
//! and who moved whom.

use crate::analysis::steps_apart;
use crate::export::cost;
use crate::model::{Limit, Ms, SeatId, Usd, VoiceSpec};
use crate::state::{Seat, State};
use crate::text::{self, clock};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::{is_in_turn, next, owed_answers, seat_word, tokens, why};
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;
use unicode_width::UnicodeWidthStr;

/// Number of latest messages of a participant whose average length is shown, and of the messages searched for them.
const MESSAGES: usize = 8;
const MESSAGES_REACH: usize = 200;

pub fn page(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Option<Page> {
    let section = |head: &str, rows: Vec<String>| Section {
        head: head.into(),
        body: rows.join("\n"),
        ..Section::default()
    };
    let mut parts = vec![section("CAST", cast(transcript, now, glyphs))];
    let running = transcript.speaking().collect::<Vec<_>>();
    if running.len() > 1 {
        parts.extend(running.into_iter().map(|turn| Section {
            head: format!("{}, so far", transcript.name(&turn.seat)),
            body: transcript.live.said(turn.id).to_string(),
            by: Some(transcript.seat_place(&turn.seat)),
            ..Section::default()
        }));
    }
    let state = transcript.state();
    let (moved, by) = moved(transcript);
    parts.push(section("LIMITS", limits(state, now)));
    parts.push(section("FLOOR", floor(transcript)));
    parts.push(section("MOVED", moved));
    parts.push(section("BY", by));
    parts.push(section("POSITIONS", positions(transcript)));
    parts.retain(|part| !part.body.is_empty());
    let title = "At the table".into();
    Some(Page { title, parts, again: Some(page), ..Page::default() })
}

/// Returns the name of a participant's model, or its kind.
pub fn model(seat: &Seat) -> String {
    match &seat.spec.voice {
        VoiceSpec::Model(model) => text::name(model.short_name()).into_owned(),
        VoiceSpec::Human { .. } => "you".into(),
        VoiceSpec::Lines { .. } => "rehearsed".into(),
        VoiceSpec::Script(_) => "script".into(),
        VoiceSpec::Http(_) => "service".into(),
        VoiceSpec::Agent(_) => "agent".into(),
        VoiceSpec::Team(_) => "team".into(),
    }
}

/// Returns rows of two columns.
fn columns(rows: Vec<(String, String)>) -> Vec<String> {
    let first = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let row = |(name, words): &(String, String)| {
        format!("{name}{}{words}", " ".repeat(first - name.width() + 2))
    };
    rows.iter().map(row).collect()
}

/// Returns a row for each participant: activity, role, model, turns, use.
fn cast(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Vec<String> {
    let state = transcript.state();
    let (queue, _) = next(transcript);
    let row = |(place, seat): (usize, &Seat)| {
        let id = &seat.spec.id;
        let word = seat_word(transcript, id, now, &queue);
        let turns = match seat.utterances {
            0 => None,
            1 => Some("1 turn".into()),
            more => Some(format!("{more} turns")),
        };
        let used = seat.spent.used().map(|usage| {
            let about = if usage.estimated { "~" } else { "" };
            format!("{about}{} tok  {}", tokens(usage.tokens()), cost(&seat.spent))
        });
        let role = state.present_role(id).map(|role| text::name(role).into_owned());
        let word = Some(word).filter(|word| !word.is_empty());
        let facts = [word, owed_answers(transcript, id), role, Some(model(seat)), turns];
        let facts = facts.into_iter().flatten().chain(words_a_turn(state, id)).chain(used);
        let facts: Vec<String> = facts.collect();
        let name = format!("{} {}", place + 1, transcript.name(id));
        (name, facts.join(&format!(" {} ", glyphs.dot)))
    };
    columns(state.cast().map(row).collect())
}

/// Returns the average length of a participant's latest messages; `None` before the first.
fn words_a_turn(state: &State, seat: &SeatId) -> Option<String> {
    let own = state.entries.iter().rev().take(MESSAGES_REACH);
    let own = own.filter(|e| e.number.is_some() && e.seat() == Some(seat)).take(MESSAGES);
    let words: Vec<u32> = own.map(|entry| text::word_count(entry.text())).collect();
    let average = words.iter().sum::<u32>().checked_div(words.len() as u32)?;
    Some(format!("{average} words a turn"))
}

/// Returns the limits with their use and the reserves of running turns.
fn limits(state: &State, now: Ms) -> Vec<String> {
    let row = |limit: Limit| {
        let most = state.limits.get(limit)?;
        let used = state.used(limit, now).min(most);
        let reserves = state.turns.values().map(|turn| &turn.reserve);
        let held = match limit {
            Limit::Usd => reserves.map(|reserve| reserve.usd().0).sum(),
            Limit::Tokens => reserves.map(|reserve| reserve.usage().tokens()).sum(),
            Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Seconds => 0,
        };
        let amount = |of: u64| match limit {
            Limit::Usd => Usd(of).to_string(),
            Limit::Seconds => clock(of.saturating_mul(1_000)).to_string(),
            _ => of.to_string(),
        };
        let name = match limit {
            Limit::Utterances => "turns",
            Limit::Rounds | Limit::Batches => "rounds",
            Limit::Tokens => "tokens",
            Limit::Usd => "cost",
            Limit::Seconds => "time",
        };
        let held = if held > 0 { format!(", {} held", amount(held)) } else { String::new() };
        Some(format!("{name:<8}{} of {}{held}", amount(used), amount(most)))
    };
    Limit::ALL.into_iter().filter_map(row).collect()
}

/// Returns the order of the turns and its reasons; empty if everybody speaks in turn.
fn floor(transcript: &Transcript) -> Vec<String> {
    let state = transcript.state();
    if state.ended.is_some() || is_in_turn(transcript) {
        return vec![];
    }
    let (queue, given) = next(transcript);
    let because = why(state).map_or(String::new(), |why| text::label(why).into_owned());
    let facts = [
        ("policy", state.scenario.policy.name.replace('_', " ")),
        ("now", transcript.names(state.turns.values().map(|turn| &turn.seat))),
        ("why", because),
        ("next", transcript.names(queue.iter().take(1))),
        ("why", given),
        ("then", transcript.names(queue.iter().skip(1).take(3))),
    ];
    let told = facts.into_iter().filter(|(_, words)| !words.is_empty());
    told.map(|(what, words)| format!("{what:<8}{words}")).collect()
}

/// Returns how often each participant moved after the distance between them, and who moved whom.
fn moved(transcript: &Transcript) -> (Vec<String>, Vec<String>) {
    let Some(standing) = transcript.positions() else { return (vec![], vec![]) };
    let moves = standing.moves();
    let apart = standing.apart();
    let ends = apart.first().zip(apart.last());
    let apart = ends.map(|(first, now)| steps_apart(*first, *now));
    let counts = standing.tracks.iter().map(|track| {
        let own = moves.iter().filter(|moved| moved.place == track.place).count();
        (track.name.clone(), times(own))
    });
    let rows = apart.into_iter().chain(columns(counts.collect())).collect();
    let seats = &transcript.state().seats;
    let name = |place: usize| {
        seats.get(place).map_or_else(String::new, |seat| transcript.name(&seat.spec.id))
    };
    let by = standing.movers().into_iter();
    let by = by.map(|(by, whom, n)| format!("{} moved {} {}", name(by), name(whom), times(n)));
    (rows, by.collect())
}

fn times(count: usize) -> String {
    match count {
        0 => "not yet".into(),
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

/// Returns the positions of replies with their participants, the most common first.
fn positions(transcript: &Transcript) -> Vec<String> {
    if transcript.positions().is_some() {
        return vec![];
    }
    let mut held: Vec<(&str, Vec<&SeatId>)> = Vec::new();
    for seat in transcript.state().seats.iter().filter(|seat| !seat.gone) {
        let Some(now) = seat.positions.last() else { continue };
        match held.iter_mut().find(|(words, _)| *words == &*now.words) {
            Some((_, by)) => by.push(&seat.spec.id),
            None => held.push((&now.words, vec![&seat.spec.id])),
        }
    }
    held.sort_by_key(|(_, by)| std::cmp::Reverse(by.len()));
    let row = |(words, by): &(&str, Vec<&SeatId>)| {
        (text::label(words).into_owned(), transcript.names(by.iter().copied()))
    };
    columns(held.iter().map(row).collect())
}
