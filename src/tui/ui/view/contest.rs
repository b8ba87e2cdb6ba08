//! Cards of votes and verdicts: the question, one bar per choice or side, the ballots, and the reasons.

use crate::analysis::{
    deciding_turns, name_of_side, result_parts, seat_of_side, turns_read, who_moved, with_names,
};
use crate::model::{ResultGiven, SeatId, Text, VerdictGiven, VoteClosed};
use crate::state::Swing;
use crate::text;
use crate::ui::text::card::{AROUND, bar, card, footed_card};
use crate::ui::text::markdown::{bold, plainly};
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::transcript::Transcript;
use ratatui::text::{Line, Span};

/// Divisor of the card's inner width for the maximum width of a name.
const NAME_PART: usize = 3;
/// Cells of the labels in the card of a result.
const LABEL: usize = 8;

/// Appearance of cards.
#[derive(Clone, Copy)]
pub struct ContestLook<'a> {
    pub theme: &'a Theme,
    /// Character set of frames and marks.
    pub glyphs: &'static Glyphs,
}

/// Returns the card of a vote.
pub fn vote(
    transcript: &Transcript,
    vote: &VoteClosed,
    room: usize,
    look: ContestLook<'_>,
) -> Vec<Line<'static>> {
    let inside = room.saturating_sub(AROUND);
    let count = |choice: &Text| vote.counts.get(choice).copied().unwrap_or(0);
    let most = vote.options.iter().map(count).max().unwrap_or(0);
    let longest = names_width(&vote.options, inside);
    let mut rows = Vec::new();
    for choice in &vote.options {
        let votes = count(choice);
        let mut row = vec![name_span(choice, longest, look)];
        row.push(Span::styled(
            format!(" {} {votes}  ", bar(votes.into(), most.into(), inside, look.glyphs)),
            look.theme.style(ThemeRole::Notice),
        ));
        let by = vote.ballots.iter().filter(|b| b.choice.as_ref() == Some(choice));
        row.extend(speakers(transcript, by.map(|b| &b.seat), look));
        if vote.winner.as_ref() == Some(choice) {
            row.push(winner(look));
        }
        rows.push(Line::from(row));
    }
    let abstained = vote.ballots.iter().filter(|b| b.choice.is_none()).map(|b| &b.seat);
    let abstained = speakers(transcript, abstained, look);
    if !abstained.is_empty() {
        let muted = Span::styled("abstained  ", look.theme.style(ThemeRole::Muted));
        rows.push(Line::from([vec![muted], abstained].concat()));
    }
    rows.push(Line::styled(text::line(&vote.how).into_owned(), look.theme.style(ThemeRole::Muted)));
    for way in vote.ways.iter().skip(1) {
        let words = text::line(&way.words()).into_owned();
        rows.push(Line::styled(words, look.theme.style(ThemeRole::Muted)));
    }
    let swing = transcript.state().swing_of(vote);
    let moves = swing.as_ref().map_or(&[][..], |swing| &swing.moved);
    for ballot in vote.ballots.iter().filter(|ballot| !ballot.why.trim().is_empty()) {
        let before = moves.iter().find(|moved| *moved.seat == ballot.seat).and_then(|m| m.from);
        let before =
            before.map_or_else(String::new, |from| format!("before: {}", text::line(from)));
        rows.push(reason(transcript, &ballot.seat, &before, &ballot.why, look));
    }
    if let Some(swing) = swing {
        rows.push(self::swing(&swing, look));
    }
    let title = format!("VOTE {} {}", look.glyphs.dot, text::line(&vote.question));
    card(&title, rows, room, look.theme.style(ThemeRole::Notice), look.glyphs)
}

/// Returns the row of the votes gained since before the first turn.
fn swing(swing: &Swing<'_>, look: ContestLook<'_>) -> Line<'static> {
    let muted = look.theme.style(ThemeRole::Muted);
    let mut row = vec![Span::styled("since before the first turn  ", muted)];
    for (option, gain) in &swing.gains {
        let is_winner = swing.winner == Some(*option);
        let role = if is_winner { ThemeRole::FloorSpeaking } else { ThemeRole::Text };
        let style = look.theme.style(role);
        let style = if is_winner { bold(style) } else { style };
        row.push(Span::styled(format!("{} {gain:+}  ", text::line(option)), style));
    }
    Line::from(row)
}

/// Returns the card of a verdict: one bar per side, its length the score, or the number of judges for it without
/// scores.
pub fn verdict(
    transcript: &Transcript,
    verdict: &VerdictGiven,
    room: usize,
    look: ContestLook<'_>,
) -> Vec<Line<'static>> {
    let inside = room.saturating_sub(AROUND);
    let preferred = |side: &Text| {
        verdict.judgements.iter().filter(|j| j.winner.as_ref() == Some(side)).count() as f64
    };
    let scored = !verdict.scores.is_empty();
    let score = |side: &Text| {
        if scored { verdict.scores.get(side).copied().unwrap_or(0.0) } else { preferred(side) }
    };
    let most = verdict.sides.iter().map(score).fold(0.0, f64::max);
    // a side with a single participant also shows the participant's name
    let called: Vec<Text> = verdict.sides.iter().map(|side| called(transcript, side)).collect();
    let longest = names_width(&called, inside);
    let mut rows = Vec::new();
    for (side, called) in verdict.sides.iter().zip(&called) {
        let look_of_side =
            seat_of_side(transcript.state(), side).map(|place| look.theme.speaker(place));
        let style = look_of_side.unwrap_or(look.theme.style(ThemeRole::Text));
        let mut row = vec![name_span(called, longest, look)];
        row[0].style = bold(style);
        let figure = (score(side) * 10.0).round() / 10.0;
        let drawn = bar(score(side), most, inside, look.glyphs);
        row.push(Span::styled(format!(" {drawn}"), plainly(style)));
        let unit = match (scored, figure == 1.0) {
            (true, _) => "",
            (false, true) => " judgement",
            (false, false) => " judgements",
        };
        row.push(Span::styled(format!(" {figure}{unit}  "), look.theme.style(ThemeRole::Text)));
        if verdict.winner.as_ref() == Some(side) {
            row.push(winner(look));
        }
        rows.push(Line::from(row));
    }
    let how = match &verdict.winner {
        Some(_) => text::line(&verdict.how).into_owned(),
        None => format!("no winner: {}", text::line(&verdict.how)),
    };
    rows.push(Line::styled(how, look.theme.style(ThemeRole::Muted)));
    for judgement in &verdict.judgements {
        let state = transcript.state();
        let called = |side: &Text| name_of_side(state, side);
        let says = match &judgement.winner {
            Some(winner) => format!("for {}", called(winner)),
            None => "abstains".to_owned(),
        };
        let swapped = if judgement.swapped { " (sides swapped)" } else { "" };
        let says = format!("{}{swapped}", text::line(&says));
        let why = with_names(state, verdict, judgement, &judgement.why);
        rows.push(reason(transcript, &judgement.judge, &says, &why, look));
        for (side, point) in &judgement.unanswered {
            let point = with_names(state, verdict, judgement, point);
            let text = format!("{} never answered: {}", called(side), point.trim());
            rows.push(Line::styled(
                text::label(&text).into_owned(),
                look.theme.style(ThemeRole::Muted),
            ));
        }
        if !judgement.decided_by.is_empty() {
            let text = format!("decided by {}", deciding_turns(state, judgement));
            rows.push(Line::styled(
                text::label(&text).into_owned(),
                look.theme.style(ThemeRole::Notice),
            ));
        }
    }
    let of =
        verdict.phase.as_ref().map_or(String::new(), |phase| format!(" on {}", text::line(phase)));
    let so_far = if verdict.interim { " so far" } else { "" };
    let title =
        format!("VERDICT{of}{so_far} {} {}", look.glyphs.dot, text::line(&verdict.question));
    card(&title, rows, room, look.theme.style(ThemeRole::FloorSpeaking), look.glyphs)
}

/// Returns the card of a conversation's result.
pub fn result(
    transcript: &Transcript,
    result: &ResultGiven,
    room: usize,
    look: ContestLook<'_>,
) -> Vec<Line<'static>> {
    let [text_style, muted] =
        [ThemeRole::Text, ThemeRole::Muted].map(|role| look.theme.style(role));
    let mut rows = vec![Line::styled(text::label(&result.result).into_owned(), bold(text_style))];
    let inside = room.saturating_sub(AROUND + LABEL);
    let mut facts = |label: &str, facts: Vec<Line<'static>>| {
        let wrapped = facts.iter().flat_map(|fact| wrap(fact, inside));
        for (nth, mut row) in wrapped.enumerate() {
            let label = if nth == 0 { label } else { "" };
            row.spans.insert(0, Span::styled(format!("{label:<LABEL$}"), muted));
            rows.push(row);
        }
    };
    let (moves, says_scribe) = who_moved(transcript.positions(), result, "you");
    let moved = |(who, chain): &(String, String)| {
        let seats = transcript.state().seats.iter();
        let place = seats.into_iter().position(|s| s.spec.name.eq_ignore_ascii_case(who));
        let style = place.map_or(text_style, |place| look.theme.speaker(place));
        Line::from(vec![
            Span::styled(who.clone(), style),
            Span::styled(format!(" {}", chain.replace('→', look.glyphs.becomes)), text_style),
        ])
    };
    let mut rows_moved: Vec<Line<'static>> = moves.iter().map(moved).collect();
    if says_scribe && !rows_moved.is_empty() {
        rows_moved.push(Line::styled("says the scribe", muted));
    }
    facts("moved", rows_moved);
    for part in result_parts(result) {
        let line = |words: String| Line::styled(words, text_style);
        facts(part.label, part.lines.into_iter().map(line).collect());
    }
    let read = turns_read(result).map_or(String::new(), |read| format!("; {read}"));
    let foot = format!("written by the scribe ({}){read}", transcript.name(&result.by));
    let edge = look.theme.style(ThemeRole::FloorDone);
    footed_card("RESULT", Span::styled(foot, muted), rows, room, edge, look.glyphs)
}

/// Returns the label of a side: `1 Nadia (pro)` if it has exactly one participant, otherwise its own name.
fn called(transcript: &Transcript, side: &Text) -> Text {
    let place = seat_of_side(transcript.state(), side);
    let seat = place.and_then(|place| Some((place + 1, transcript.state().seats.get(place)?)));
    let Some((number, seat)) = seat else { return side.clone() };
    let name = transcript.name(&seat.spec.id);
    if name.eq_ignore_ascii_case(side) || seat.spec.id.eq_ignore_ascii_case(side) {
        format!("{number} {name}").into()
    } else {
        format!("{number} {name} ({side})").into()
    }
}

fn names_width(names: &[Text], inside: usize) -> usize {
    let longest = names.iter().map(|name| width(&text::line(name))).max().unwrap_or(0);
    longest.min(inside / NAME_PART)
}

fn name_span(name: &str, longest: usize, look: ContestLook<'_>) -> Span<'static> {
    let name = clip(&text::line(name), longest, look.glyphs.ellipsis);
    let gap = " ".repeat(longest.saturating_sub(width(&name)));
    Span::styled(format!("{name}{gap}"), bold(look.theme.style(ThemeRole::Text)))
}

fn winner(look: ContestLook<'_>) -> Span<'static> {
    Span::styled(
        format!(" {} winner", look.glyphs.done),
        look.theme.style(ThemeRole::FloorSpeaking),
    )
}

/// Returns the names of seats in their colours.
fn speakers<'a>(
    transcript: &Transcript,
    seats: impl Iterator<Item = &'a SeatId>,
    look: ContestLook<'_>,
) -> Vec<Span<'static>> {
    let name = |seat: &SeatId| {
        let style = look.theme.speaker(transcript.seat_place(seat));
        Span::styled(format!("{} ", transcript.name(seat)), style)
    };
    seats.map(name).collect()
}

/// Returns a line with a participant's name, decision and reason.
fn reason(
    transcript: &Transcript,
    seat: &SeatId,
    says: &str,
    why: &str,
    look: ContestLook<'_>,
) -> Line<'static> {
    let style = look.theme.speaker(transcript.seat_place(seat));
    let says = if says.is_empty() { String::new() } else { format!(", {says}") };
    let why = text::label(why).into_owned();
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    Line::from(vec![
        Span::styled(transcript.name(seat), style),
        Span::styled(says, look.theme.style(ThemeRole::Text)),
        Span::styled(why, look.theme.style(ThemeRole::Muted)),
    ])
}
