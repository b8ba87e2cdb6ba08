//! One row of the transcript as lines: a head that the program writes, and words after a gutter that it draws.
//!
//! Head and gutter are how a reader knows whose words these are; no content can draw in their columns.

use crate::model::*;
use crate::state::{Entry, Turn, Who};
use crate::text::{self, word_count};
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::text::links;
use crate::ui::text::markdown::{CodeFrames, bold, framed, plain, plainly};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::contest::{self, ContestLook};
use crate::ui::view::floor::is_team;
use crate::ui::view::step;
use crate::ui::view::transcript::{Aside, Id, RowView, Transcript};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::collections::HashSet;
use std::rc::Rc;

/// The widest column of words, in cells: longer lines are hard to read.
const WORDS_MAX: usize = 100;
/// Cells before the words of a message.
const INDENT: usize = 3;
/// The blank row and the head, with which every message begins.
const HEAD_ROWS: usize = 2;
/// Rows of an utterance that are shown while several speak at once.
const FOLDED_ROWS: usize = 4;

/// The appearance of messages.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The width of the transcript in cells.
    pub width: usize,
    /// The colours of the current theme.
    pub theme: &'a Theme,
    /// The character set of marks and frames.
    pub glyphs: &'static Glyphs,
    /// The keys, for hints.
    pub keymap: &'a Keymap,
    /// The reader's settings: what is folded, open or raw.
    pub reading: &'a Reading,
}

/// The reader's settings.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Whether all reasoning is open.
    pub reasoning: bool,
    /// Whose reasoning is open besides, or folded where all is open.
    pub others: HashSet<Id>,
    /// The seat whose words alone are shown, by its place.
    pub only: Option<usize>,
    /// Whether words are shown as they were written, at the edge of the screen.
    pub raw: bool,
}

impl Reading {
    /// Returns whether the reasoning of a row is open.
    pub fn opens(&self, id: Option<Id>) -> bool {
        self.reasoning != id.is_some_and(|id| self.others.contains(&id))
    }

    /// Returns whether the talk in a step is open.
    pub fn opens_step(&self, step: ThreadId) -> bool {
        self.opens(Some(Id::Event(Seq(step.0))))
    }
}

/// The lines of a row of the transcript, shared with whoever shows them.
pub type Rows = Rc<Vec<Rc<Line<'static>>>>;

/// Returns whether a row has no lines: another speaker's words alone are shown, or it is folded under its step.
pub fn is_left_out(
    transcript: &Transcript,
    at: usize,
    shown: &RowView<'_>,
    look: Look<'_>,
) -> bool {
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

/// Returns the lines of the row at a place; the first one is blank, the second the head, but notes that follow each
/// other stand together.
pub fn lines(transcript: &Transcript, at: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let shown = transcript.shown(at);
    let noted = |shown: &Option<RowView<'_>>| matches!(shown, Some(RowView::Aside(_, "")));
    let together = at > 0 && noted(&shown) && noted(&transcript.shown(at - 1));
    let opens = look.reading.opens(transcript.id(at));
    let mut lines = if together { vec![] } else { vec![Line::default()] };
    match shown {
        None => {}
        Some(RowView::Aside(head, body)) => match transcript.aside(at) {
            Aside::Vote(vote) => {
                lines.extend(inset(contest::vote(transcript, vote, room(look), cards(look)), look))
            }
            Aside::Verdict(verdict) => lines.extend(inset(
                contest::verdict(transcript, verdict, room(look), cards(look)),
                look,
            )),
            Aside::Step(id) => {
                let key = look.keymap.way(Action::Reasoning, Focus::Read);
                let line = step::line(transcript, *id);
                let told = format!("{line} ({key}: {})", if opens { "fold" } else { "open" });
                let sign = if opens { look.glyphs.note } else { look.glyphs.speaking };
                lines.extend(aside((sign, ThemeRole::MessageNote), &told, "", look));
            }
            sort => lines.extend(aside(signed(sort, look), head, body, look)),
        },
        Some(RowView::Words(entry, at)) => lines.extend(words(transcript, entry, at, opens, look)),
        Some(RowView::Speaking(turn)) => {
            let grown = Growing::default().grown(transcript, turn, opens, look);
            return grown.iter().map(|line| Line::clone(line)).collect();
        }
    }
    lines
}

/// The lines of a turn that is being spoken. Paragraphs that are finished are laid out once, however long the reply gets.
#[derive(Default)]
pub struct Growing {
    /// All lines as they were last, the head first.
    lines: Rows,
    /// The event after which the head was made: it says the same until the next one.
    head: Seq,
    /// How many of the lines are before the words.
    front: usize,
    /// What the front was made of: the call, and the bytes of its reasoning.
    of: (Option<CallId>, usize),
    /// How many bytes of the words are finished paragraphs, and how many lines these take.
    finished: (usize, usize),
    /// How many blocks of code are among them.
    blocks: usize,
    /// Whether lines of finished paragraphs were let go, because only the last ones are shown.
    folded: bool,
}

impl Growing {
    /// Returns the lines as they are now.
    pub fn grown(
        &mut self,
        transcript: &Transcript,
        turn: &Turn,
        opens: bool,
        look: Look<'_>,
    ) -> Rows {
        let folds = transcript.speaking().count() > 1;
        let (_, style) = who(transcript, &Who::Seat(turn.seat.clone()), look);
        let said = transcript.live.said(turn.id);
        let thought = transcript.live.thought(turn.id);
        let of = (turn.call, thought.len());
        let (stale, unfolds) =
            (self.of != of || self.finished.0 > said.len(), self.folded && !folds);
        let next = transcript.state().next_seq;
        if self.front == 0 || stale || unfolds {
            let mut lines = vec![Line::default(), speakers_head(transcript, turn, look)];
            let what = thoughts(transcript, Some(&turn.seat));
            lines.extend(block(reasoning(what, &thought, opens, look), style, look));
            let (front, lines) = (lines.len(), Rc::new(shared(lines).collect()));
            *self = Growing { lines, front, of, head: next, ..Growing::default() };
        }
        let lines = Rc::make_mut(&mut self.lines);
        lines.truncate(self.front + self.finished.1);
        if let Some(head) = lines.get_mut(1).filter(|_| self.head != next) {
            *head = Rc::new(speakers_head(transcript, turn, look));
            self.head = next;
        }
        let rest = said.get(self.finished.0..).unwrap_or_default();
        let whole = if look.reading.raw { 0 } else { links::finished(rest) };
        let (whole, rest) = rest.split_at(whole);
        if !whole.is_empty() {
            let mut body = body_rows(whole, self.blocks + 1, look);
            body.push(Line::default());
            lines.extend(shared(block(body, style, look)));
            self.blocks += links::code(whole).len();
            if folds {
                let last = lines.len().saturating_sub(FOLDED_ROWS).max(self.front);
                self.folded |= last > self.front;
                lines.drain(self.front..last);
            }
            self.finished = (self.finished.0 + whole.len(), lines.len() - self.front);
        }
        let body = match said.trim().is_empty() {
            true => vec![Line::styled(look.glyphs.ellipsis, look.theme.style(ThemeRole::Muted))],
            false => body_rows(rest, self.blocks + 1, look),
        };
        lines.extend(shared(block(body, style, look)));
        if !folds || lines.len() - HEAD_ROWS <= FOLDED_ROWS && !self.folded {
            return self.lines.clone();
        }
        let fold = Line::styled(look.glyphs.ellipsis, look.theme.style(ThemeRole::Muted));
        let mut shown = lines[..HEAD_ROWS].to_vec();
        shown.extend(shared(block(vec![fold], style, look)));
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
    let (name, style) = who(transcript, &entry.who, look);
    let mut facts: Vec<(String, ThemeRole)> = Vec::new();
    let mut fact = |text: String| facts.push((text, ThemeRole::Muted));
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
    let about = entry.seat().map(|seat| about(transcript, seat)).unwrap_or_default();
    let mut lines = vec![head(name, style, (&facts, &about), Some(at), look)];
    if entry.hidden.is_some() {
        let note = plain("hidden by you", room(look), look.theme.style(ThemeRole::MessageNote));
        lines.extend(block(note, style, look));
    } else {
        let thought = entry.version().turn.and_then(|t| transcript.thought(t));
        let what = thoughts(transcript, entry.seat());
        let mut body = reasoning(what, thought.unwrap_or_default(), opens, look);
        body.extend(body_rows(entry.text(), 1, look));
        for whisper in &entry.version().whispers {
            let to = transcript.name(&whisper.to);
            let note = look.theme.style(ThemeRole::MessageNote);
            body.extend(plain(&format!("whispers to {to}: {}", whisper.text), room(look), note));
        }
        lines.extend(block(body, style, look));
    }
    lines
}

fn speakers_head(transcript: &Transcript, turn: &Turn, look: Look<'_>) -> Line<'static> {
    let (name, style) = who(transcript, &Who::Seat(turn.seat.clone()), look);
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
    head(name, style, (&facts, &about(transcript, &turn.seat)), None, look)
}

/// Who a speaker is: the role, and the model where one speaks.
fn about(transcript: &Transcript, seat: &SeatId) -> Vec<String> {
    let Some(seat) = transcript.state().seat(seat) else { return vec![] };
    let role = seat.spec.role.as_deref().map(|role| text::name(role).into_owned());
    let model = match &seat.spec.voice {
        VoiceSpec::Model(model) => Some(text::name(&model.name).into_owned()),
        VoiceSpec::Script(_)
        | VoiceSpec::Agent(_)
        | VoiceSpec::Team(_)
        | VoiceSpec::Human { .. }
        | VoiceSpec::Lines { .. } => None,
    };
    role.into_iter().chain(model).collect()
}

/// Returns the word for what a speaker thinks: a team's is its talk.
fn thoughts(transcript: &Transcript, seat: Option<&SeatId>) -> &'static str {
    let team = seat.is_some_and(|seat| is_team(transcript.state(), seat));
    if team { "their conversation" } else { "reasoning" }
}

/// Returns reasoning, folded to one line unless it is open; empty without any.
fn reasoning(what: &str, thought: &str, opens: bool, look: Look<'_>) -> Vec<Line<'static>> {
    if thought.trim().is_empty() {
        return vec![];
    }
    let style = look.theme.style(ThemeRole::MessageReasoning);
    let words = word_count(thought);
    let key = look.keymap.way(Action::Reasoning, Focus::Read);
    let told = match opens {
        true => format!("{what}, {words} words ({key}: fold)"),
        false => format!("{} {what}, {words} words ({key})", look.glyphs.speaking),
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

/// Puts the rows of a card where words stand.
fn inset(rows: Vec<Line<'static>>, look: Look<'_>) -> Vec<Line<'static>> {
    let lead = if look.reading.raw { 0 } else { INDENT };
    let rows = rows.into_iter().map(|mut row| {
        row.spans.insert(0, Span::raw(" ".repeat(lead)));
        row
    });
    rows.collect()
}

/// The sign and the colour of a note of the program.
fn signed(sort: &Aside, look: Look<'_>) -> (&'static str, ThemeRole) {
    match sort {
        Aside::Limit => (look.glyphs.stopped, ThemeRole::FloorStopped),
        Aside::Failure => (look.glyphs.stopped, ThemeRole::FloorError),
        Aside::Note | Aside::Vote(_) | Aside::Verdict(_) | Aside::Step(_) => {
            (look.glyphs.note, ThemeRole::MessageNote)
        }
    }
}

fn aside(
    (sign, role): (&str, ThemeRole),
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
    lines.extend(behind_gutter(if told { body } else { vec![] }, style, look));
    lines
}

/// The words of a message: laid out, or as they were written; its blocks of code are numbered from one of these.
fn body_rows(said: &str, from: usize, look: Look<'_>) -> Vec<Line<'static>> {
    match look.reading.raw {
        true => plain(said, room(look), look.theme.style(ThemeRole::Text)),
        false => framed(said, room(look), look.theme, CodeFrames { glyphs: look.glyphs, from }),
    }
}

fn room(look: Look<'_>) -> usize {
    if look.reading.raw {
        return look.width.max(1);
    }
    look.width.saturating_sub(INDENT + 1).clamp(1, WORDS_MAX)
}

fn who(transcript: &Transcript, who: &Who, look: Look<'_>) -> (String, Style) {
    match who {
        Who::Operator => ("you".into(), look.theme.style(ThemeRole::SpeakerOperator)),
        Who::Seat(id) => {
            let place = transcript.seat_place(id);
            (format!("{} {}", place + 1, transcript.name(id)), look.theme.speaker(place))
        }
    }
}

/// Returns the head of a message; role and time are shown where they fit.
fn head(
    name: String,
    style: Style,
    (facts, about): (&[(String, ThemeRole)], &[String]),
    at: Option<Ms>,
    look: Look<'_>,
) -> Line<'static> {
    let muted = look.theme.style(ThemeRole::Muted);
    let room = look.width.saturating_sub(1);
    let name = clip(&name, room / 2, look.glyphs.ellipsis);
    let mut spans = vec![Span::styled(name.clone(), bold(style))];
    let mut used = INDENT + width(&name);
    let time = at.map(|at| clock(at.0));
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
        // without a time the whole row is theirs
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
    let mut lines = block(vec![Line::from(spans)], style, look);
    lines.pop().unwrap_or_default()
}

/// Puts a gutter in the speaker's colour before rows, on the background of a message.
fn block(body: Vec<Line<'static>>, style: Style, look: Look<'_>) -> Vec<Line<'static>> {
    let ground = match look.reading.raw {
        true => Style::new(),
        false => look.theme.style(ThemeRole::MessageGround),
    };
    let rows = behind_gutter(body, style, look).into_iter();
    rows.map(|line| {
        let style = line.style.patch(ground);
        line.style(style)
    })
    .collect()
}

fn behind_gutter(body: Vec<Line<'static>>, style: Style, look: Look<'_>) -> Vec<Line<'static>> {
    if look.reading.raw {
        return body;
    }
    let gutter = format!(" {} ", look.glyphs.gutter);
    let drawn = body.into_iter().map(|mut line| {
        line.spans.insert(0, Span::styled(gutter.clone(), plainly(style)));
        line
    });
    drawn.collect()
}

/// Returns milliseconds as minutes and seconds, with hours where there are any.
pub fn clock(ms: u64) -> String {
    let (s, m, h) = (ms / 1_000 % 60, ms / 60_000 % 60, ms / 3_600_000);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
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
