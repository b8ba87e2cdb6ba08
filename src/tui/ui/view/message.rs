//! Layout of one transcript row: a head written by the program, and the text behind a gutter.
//!
//! Head and gutter show the reader who wrote the text; no content can draw in their columns.

use crate::analysis::{Mover, PoleMoveKind};
use crate::export::fields;
use crate::model::*;
use crate::state::{Entry, Turn, Who};
use crate::text::{self, word_count};
use crate::ui::action::Action;
use crate::ui::text::links;
use crate::ui::text::markdown::{CodeFrames, bold, framed, plain};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::contest::{self, ContestLook};
use crate::ui::view::floor::is_team;
use crate::ui::view::look::{Gutter, WORDS_MAX, behind_gutter, block, body_rows, room};
pub use crate::ui::view::look::{INDENT, Look, Reading};
use crate::ui::view::step;
use crate::ui::view::transcript::{Aside, RowView, Transcript};
use ratatui::text::{Line, Span};
use std::rc::Rc;

/// Number of rows before the text of a message: a blank row and the head.
const HEAD_ROWS: usize = 2;
/// Number of visible rows of a running turn while several participants speak at once.
const FOLDED_ROWS: usize = 4;

/// Laid-out lines of a row of the transcript, shared between the cache and its readers.
pub type Rows = Rc<Vec<Rc<Line<'static>>>>;

/// Returns `true` if a row is hidden by the seat filter, or folded under its step.
pub fn is_left_out(
    transcript: &Transcript,
    at: usize,
    shown: &RowView<'_>,
    look: Look<'_>,
) -> bool {
    if transcript.is_replaced(at) {
        return true;
    }
    let Some(only) = look.reading.only else {
        return transcript.folded_under(at).is_some_and(|step| !look.reading.opens_step(step));
    };
    let speaker = match shown {
        RowView::Words(entry, _) => entry.seat(),
        RowView::Speaking(turn) => Some(&turn.seat),
        RowView::Aside(..) => None,
    };
    speaker.map(|s| transcript.seat_place(s)) != Some(only)
}

/// Lays out the row at an index. The first line is blank and the second is the head; consecutive notes have no blank
/// line between them.
pub fn lines(transcript: &Transcript, at: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let shown = transcript.shown(at);
    let noted = |shown: &Option<RowView<'_>>| matches!(shown, Some(RowView::Aside(_, "")));
    let together = at > 0 && noted(&shown) && noted(&transcript.shown(at - 1));
    let opens = look.reading.opens(transcript.id(at));
    let below = matches!(transcript.aside(at), Aside::Moved { .. });
    let mut lines = if together || below { vec![] } else { vec![Line::default()] };
    match shown {
        None => {}
        Some(RowView::Aside(head, body)) => match transcript.aside(at) {
            Aside::Vote(vote) => {
                lines.extend(inset(contest::vote(transcript, vote, room(look), cards(look)), look))
            }
            Aside::Result(result) => lines
                .extend(inset(contest::result(transcript, result, room(look), cards(look)), look)),
            Aside::Moved { turn, place } => lines.extend(moved(transcript, *turn, *place, look)),
            Aside::Verdict(verdict) => lines.extend(inset(
                contest::verdict(transcript, verdict, room(look), cards(look)),
                look,
            )),
            Aside::Step(id) => {
                let key = look.keymap.way(Action::Reasoning, look.place);
                let line = step::line(transcript, *id);
                let told = format!("{line} ({key}: {})", if opens { "fold" } else { "open" });
                let sign = if opens { look.glyphs.note } else { look.glyphs.speaking };
                lines.extend(aside(sign, ThemeRole::MessageNote, &told, "", look));
            }
            sort => {
                let (sign, role) = signed(sort, look);
                lines.extend(aside(sign, role, head, body, look));
            }
        },
        Some(RowView::Words(entry, at)) => lines.extend(words(transcript, entry, at, opens, look)),
        Some(RowView::Speaking(turn)) => {
            let grown = Growing::default().grown(transcript, turn, opens, look);
            return grown.iter().map(|line| Line::clone(line)).collect();
        }
    }
    lines
}

/// Incremental layout of a running turn. Finished paragraphs are laid out only once, however long the reply gets.
#[derive(Default)]
pub struct Growing {
    /// Lines of the last layout, the head included.
    lines: Rows,
    /// Sequence number of the next event when the head was made; the head stays valid until an event arrives.
    head: Seq,
    /// Number of lines before the text.
    front: usize,
    /// Inputs of those lines: the call, and the length of its reasoning in bytes.
    of: (Option<CallId>, usize),
    /// Length of the finished paragraphs in bytes, and the number of their lines.
    finished: (usize, usize),
    /// Number of code blocks in the finished paragraphs.
    blocks: usize,
    /// True if lines of finished paragraphs were dropped because only the last lines are shown.
    folded: bool,
}

impl Growing {
    /// Updates the layout and returns the current lines.
    pub fn grown(
        &mut self,
        transcript: &Transcript,
        turn: &Turn,
        opens: bool,
        look: Look<'_>,
    ) -> Rows {
        let folds = transcript.speaking().count() > 1;
        let (_, gutter) = who(transcript, &Who::Seat(turn.seat.clone()), look);
        let said = transcript.live.said(turn.id);
        let thought = transcript.live.thought(turn.id);
        let of = (turn.call, thought.len());
        let (stale, unfolds) =
            (self.of != of || self.finished.0 > said.len(), self.folded && !folds);
        let next = transcript.state().next_seq;
        if self.front == 0 || stale || unfolds {
            let mut lines = vec![Line::default(), speakers_head(transcript, turn, look)];
            let what = thoughts(transcript, Some(&turn.seat));
            lines.extend(block(reasoning(what, &thought, opens, look), gutter, look));
            let front = lines.len();
            let lines = Rc::new(shared(lines).collect());
            *self = Growing { lines, front, of, head: next, ..Growing::default() };
        }
        let lines = Rc::make_mut(&mut self.lines);
        lines.truncate(self.front + self.finished.1);
        if self.head != next
            && let Some(head) = lines.get_mut(1)
        {
            *head = Rc::new(speakers_head(transcript, turn, look));
            self.head = next;
        }
        let rest = said.get(self.finished.0..).unwrap_or_default();
        let whole = if look.reading.raw { 0 } else { links::finished(rest) };
        let (whole, rest) = rest.split_at(whole);
        if !whole.is_empty() {
            let mut body = body_rows(whole, self.blocks + 1, look);
            body.push(Line::default());
            lines.extend(shared(block(body, gutter, look)));
            self.blocks += links::code(whole).len();
            if folds {
                let last = lines.len().saturating_sub(FOLDED_ROWS).max(self.front);
                self.folded |= last > self.front;
                lines.drain(self.front..last);
            }
            self.finished = (self.finished.0 + whole.len(), lines.len() - self.front);
        }
        let body = if said.trim().is_empty() {
            vec![Line::styled(look.glyphs.ellipsis, look.theme.style(ThemeRole::Muted))]
        } else {
            body_rows(rest, self.blocks + 1, look)
        };
        lines.extend(shared(block(body, gutter, look)));
        if !folds || lines.len() - HEAD_ROWS <= FOLDED_ROWS && !self.folded {
            return self.lines.clone();
        }
        let fold = Line::styled(look.glyphs.ellipsis, look.theme.style(ThemeRole::Muted));
        let mut shown = lines[..HEAD_ROWS].to_vec();
        shown.extend(shared(block(vec![fold], gutter, look)));
        shown.extend_from_slice(&lines[(lines.len() - FOLDED_ROWS).max(HEAD_ROWS)..]);
        Rc::new(shown)
    }
}

fn shared(lines: Vec<Line<'static>>) -> impl Iterator<Item = Rc<Line<'static>>> {
    lines.into_iter().map(Rc::new)
}

fn words(
    transcript: &Transcript,
    entry: &Entry,
    at: Ms,
    opens: bool,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let (name, gutter) = who(transcript, &entry.who, look);
    let mut facts: Vec<(String, ThemeRole)> = Vec::new();
    let mut fact = |text: String| facts.push((text, ThemeRole::Muted));
    entry.of.iter().filter_map(|key| key.client()).for_each(|name| fact(format!("from {name}")));
    match entry.number {
        Some(number) => fact(format!("#{number}")),
        None if entry.is_spoken_as() => fact("spoken by you".into()),
        None => {}
    }
    if entry.is_whisper() {
        fact(format!("whisper to {}", transcript.names(&entry.to)));
    } else if !entry.mentions.is_empty() {
        fact(format!("to {}", transcript.names(&entry.mentions)));
    }
    step::fact(transcript.state(), entry.thread, entry.version().turn)
        .into_iter()
        .for_each(&mut fact);
    let model = |seat| transcript.state().unlike_seated(seat, &entry.version().model);
    if let Some(model) = entry.seat().and_then(|seat| model(seat)) {
        fact(format!("via {}", text::name(model)));
    }
    if entry.versions.len() > 1 {
        fact(format!("version {} of {}", entry.chosen + 1, entry.versions.len()));
    }
    if entry.edited.is_some() {
        fact("edited by you".into());
    }
    if transcript.answers_earlier(entry) {
        fact("replies to an earlier version".into());
    }
    if let Some(why) = entry.version().cut {
        facts.push((cut(why).into(), ThemeRole::MessageStopped));
    }
    let role = entry.version().role.as_ref();
    let spoke = &entry.version().model;
    let about = entry.seat().map(|seat| about(transcript, seat, role, spoke)).unwrap_or_default();
    let mut lines = vec![head(name, gutter, &facts, &about, Some(at), look)];
    if entry.hidden.is_some() {
        let note = plain("hidden by you", room(look), look.theme.style(ThemeRole::MessageNote));
        lines.extend(block(note, gutter, look));
    } else {
        let thought = entry.version().turn.and_then(|t| transcript.thought(t));
        let what = thoughts(transcript, entry.seat());
        let mut body = reasoning(what, thought.unwrap_or_default(), opens, look);
        let fields = if look.reading.raw { None } else { fields(entry.text()) };
        body.extend(body_rows(fields.as_deref().unwrap_or(entry.text()), 1, look));
        for whisper in &entry.version().whispers {
            let to = transcript.name(&whisper.to);
            let note = look.theme.style(ThemeRole::MessageNote);
            body.extend(plain(&format!("whispers to {to}: {}", whisper.text), room(look), note));
            if whisper.left {
                let unheard = format!("{to} has left; only you read this");
                body.extend(plain(&unheard, room(look), note));
            }
        }
        lines.extend(block(body, gutter, look));
    }
    lines
}

fn speakers_head(transcript: &Transcript, turn: &Turn, look: Look<'_>) -> Line<'static> {
    let (name, gutter) = who(transcript, &Who::Seat(turn.seat.clone()), look);
    let mut facts: Vec<(String, ThemeRole)> = Vec::new();
    facts.extend(turn.number.map(|n| (format!("#{n}"), ThemeRole::Muted)));
    let step = step::fact(transcript.state(), turn.thread, None);
    facts.extend(step.map(|step| (step, ThemeRole::Muted)));
    if let Some(model) = transcript.state().unlike_seated(&turn.seat, &turn.model) {
        facts.push((format!("via {}", text::name(model)), ThemeRole::Muted));
    }
    if turn.part.is_some() {
        facts.push(("goes on".into(), ThemeRole::Muted));
    } else if turn.replaces.is_some() {
        facts.push(("retry".into(), ThemeRole::Muted));
    }
    let role = transcript.state().role_of(turn);
    head(name, gutter, &facts, &about(transcript, &turn.seat, role, &turn.model), None, look)
}

/// Returns the role of a seat in its round and the name of its model, if any; a message of another model names that one.
fn about(transcript: &Transcript, seat: &SeatId, role: Option<&Text>, spoke: &str) -> Vec<String> {
    let is_other = transcript.state().unlike_seated(seat, spoke).is_some();
    let Some(seat) = transcript.state().seat(seat) else { return vec![] };
    let role = role.map(|role| text::name(role).into_owned());
    let model = if is_other { None } else { seat.spec.voice.as_model() };
    let model = model.map(|model| text::name(&model.name).into_owned());
    role.into_iter().chain(model).collect()
}

/// Returns the label of a speaker's reasoning; for teams, their internal conversation.
fn thoughts(transcript: &Transcript, seat: Option<&SeatId>) -> &'static str {
    let team = seat.is_some_and(|seat| is_team(transcript.state(), seat));
    if team { "their conversation" } else { "reasoning" }
}

/// Lays out the reasoning, folded to one line unless `opens` is set; empty without reasoning.
fn reasoning(what: &str, thought: &str, opens: bool, look: Look<'_>) -> Vec<Line<'static>> {
    if thought.trim().is_empty() {
        return vec![];
    }
    let style = look.theme.style(ThemeRole::MessageReasoning);
    let words = word_count(thought);
    let key = look.keymap.way(Action::Reasoning, look.place);
    let told = if opens {
        format!("{what}, {words} words ({key}: fold)")
    } else {
        format!("{} {what}, {words} words ({key})", look.glyphs.speaking)
    };
    let mut lines = plain(&told, room(look), style);
    if opens {
        lines.extend(plain(thought, room(look), style));
    }
    lines.push(Line::default());
    lines
}

fn cards(look: Look<'_>) -> ContestLook<'_> {
    ContestLook { theme: look.theme, glyphs: look.glyphs }
}

/// Indents the rows of a card to the text column.
fn inset(rows: Vec<Line<'static>>, look: Look<'_>) -> Vec<Line<'static>> {
    let lead = if look.reading.raw { 0 } else { INDENT };
    let rows = rows.into_iter().map(|mut row| {
        row.spans.insert(0, Span::raw(" ".repeat(lead)));
        row
    });
    rows.collect()
}

/// Returns the rows of a changed position below its message: the change, and whose words caused it. A position that does
/// not count any more has no rows.
fn moved(
    transcript: &Transcript,
    turn: TurnId,
    place: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let moves = transcript.positions().map(|standing| standing.moves()).unwrap_or_default();
    let Some(moved) = moves.into_iter().find(|moved| moved.now.turn == turn) else {
        return vec![];
    };
    let style = look.theme.speaker(place);
    let is_place = moved.kind == PoleMoveKind::Place;
    let sign = look.glyphs.move_sign(is_place);
    let verb = if is_place { "MOVES" } else { "REWORDS" };
    let becomes = look.glyphs.becomes;
    let (who, before, now) = (moved.who.to_uppercase(), &moved.before.words, &moved.now.words);
    let room = room(look);
    let whole = format!(" {sign} {who} {verb}  {before} {becomes} {now}");
    let short = format!(" {sign} {who} {verb} {becomes} {now}");
    let head = if width(&whole) <= room { whole } else { short };
    let mut lines =
        vec![Line::default(), Line::styled(clip(&head, room, look.glyphs.ellipsis), bold(style))];
    let by = match &moved.now.by {
        Mover::Nobody => return lines,
        Mover::Turn { number, name, .. } => format!("{name}, #{number}"),
        Mover::Host(_) => "you".to_owned(),
    };
    let cause = match &moved.now.quote {
        Some(quote) => format!("   {by}: \"{quote}\""),
        None => format!("   after {by}"),
    };
    let muted = look.theme.style(ThemeRole::Muted);
    lines.push(Line::styled(clip(&cause, room, look.glyphs.ellipsis), muted));
    lines
}

/// Returns the symbol and the colour of a note.
fn signed(sort: &Aside, look: Look<'_>) -> (&'static str, ThemeRole) {
    match sort {
        Aside::Limit => (look.glyphs.stopped, ThemeRole::FloorStopped),
        Aside::Failure => (look.glyphs.stopped, ThemeRole::FloorError),
        Aside::Note
        | Aside::Moved { .. }
        | Aside::Result(_)
        | Aside::Vote(_)
        | Aside::Verdict(_)
        | Aside::Step(_) => (look.glyphs.note, ThemeRole::MessageNote),
    }
}

fn aside(
    sign: &str,
    role: ThemeRole,
    head: &str,
    body: &str,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let style = look.theme.style(role);
    let mark = format!(" {sign} ");
    let mut lines: Vec<Line<'static>> = plain(head, room(look), style);
    for (i, line) in lines.iter_mut().enumerate() {
        let lead = if i == 0 { mark.clone() } else { " ".repeat(INDENT) };
        line.spans.insert(0, Span::styled(lead, style));
    }
    let body = framed(body, room(look), look.theme, CodeFrames { glyphs: look.glyphs, from: 1 });
    let told = body.iter().any(|l| l.width() > 0);
    lines.extend(behind_gutter(if told { body } else { vec![] }, Gutter::new(style, look), look));
    lines
}

fn who(transcript: &Transcript, who: &Who, look: Look<'_>) -> (String, Gutter) {
    match who {
        Who::Operator => {
            ("you".into(), Gutter::new(look.theme.style(ThemeRole::SpeakerOperator), look))
        }
        Who::Seat(id) => {
            let place = transcript.seat_place(id);
            (format!("{} {}", place + 1, transcript.name(id)), Gutter::of_seat(place, look))
        }
    }
}

/// Returns the head of a message; facts, role and time are shown as far as they fit.
fn head(
    name: String,
    gutter: Gutter,
    facts: &[(String, ThemeRole)],
    about: &[String],
    at: Option<Ms>,
    look: Look<'_>,
) -> Line<'static> {
    let muted = look.theme.style(ThemeRole::Muted);
    let room = look.width.saturating_sub(1);
    let name = clip(&name, room / 2, look.glyphs.ellipsis);
    let mut spans = vec![Span::styled(name.clone(), bold(gutter.style))];
    let mut used = INDENT + width(&name);
    let time = at.map(|at| text::clock(at.0));
    let end = room.min(WORDS_MAX + INDENT);
    let room = end.saturating_sub(time.as_ref().map_or(0, |time| width(time) + 2));
    let told: Vec<(String, ThemeRole)> = facts
        .iter()
        .map(|(fact, role)| (format!("  {}  {fact}", look.glyphs.dot), *role))
        .collect();
    let needed: usize = told.iter().map(|(fact, _)| width(fact)).sum();
    let mut left = room.saturating_sub(used + needed);
    let about = about.iter().map(|fact| format!("  {}  {fact}", look.glyphs.dot));
    let about = about.take_while(|fact| {
        let fits = width(fact) <= left;
        left = left.saturating_sub(width(fact));
        fits
    });
    for (fact, role) in told.into_iter().chain(about.map(|fact| (fact, ThemeRole::Muted))) {
        // without a time, the facts may use the whole row
        if used + width(&fact) > end {
            break;
        }
        used += width(&fact);
        spans.push(Span::styled(fact, look.theme.style(role)));
    }
    if let Some(time) = time.filter(|time| used + width(time) + 2 <= end) {
        spans.push(Span::raw(" ".repeat(end - used - width(&time))));
        spans.push(Span::styled(time, muted));
    }
    let mut lines = block(vec![Line::from(spans)], gutter, look);
    lines.pop().unwrap_or_default()
}

fn cut(why: CutWhy) -> &'static str {
    match why {
        CutWhy::CutIn => "interrupted by you",
        CutWhy::PauseNow | CutWhy::Operator => "stopped by you",
        CutWhy::Superseded => "restarted",
        CutWhy::Timeout => "timed out",
        CutWhy::Crash => "interrupted by a crash",
        CutWhy::BrokenOff => "failed mid-sentence",
        CutWhy::Filtered => "cut by the provider\'s content filter",
    }
}
