//! Moving between messages and between matches, and copying the current message.

use crate::export::figures;
use crate::model::{Seq, ThreadId};
use crate::state::Entry;
use crate::text;
use crate::ui::act::intents::notice;
use crate::ui::act::lists::{self, Extract};
use crate::ui::action::{Action, Direction};
use crate::ui::keymap::Focus;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crate::ui::text::markdown;
use crate::ui::view::analysis::AnalysisPane;
use crate::ui::view::list::{EntryAction, ListEntry};
use crate::ui::view::transcript::{Aside, Id, RowView};
use crate::ui::view::{inspector, link, versions};
use ratatui::text::Line;

/// Width at which plain text is laid out, in cells: so large that no line of a message wraps.
const PLAIN_WIDTH: usize = 10_000;

/// Moves to the next or previous message.
pub fn message(screen: &mut Screen, way: Direction) {
    screen.read(|t, transcript, look| {
        let at = t.reading(transcript, look);
        let message = |at: &usize| {
            let is_head = matches!(transcript.aside(*at), Aside::Step(_));
            is_head
                || matches!(transcript.shown(*at), Some(RowView::Words(..) | RowView::Speaking(_)))
        };
        let (first, whole) = t.first(transcript, look);
        // after scrolling, start from the last message on the screen
        let goes_up = way == Direction::Up;
        let seen = if goes_up { t.last_seen(transcript, look) } else { None };
        let seen = seen.and_then(|last| {
            (first..=last).rev().filter(message).find(|at| t.shows(transcript, look, *at))
        });
        let to = match way {
            Direction::Up if seen.is_some() => seen,
            // the start of a partly visible message comes before the message above it
            Direction::Up if at == first && !whole && message(&at) => Some(at),
            Direction::Up => {
                (0..at).rev().filter(message).find(|at| t.shows(transcript, look, *at))
            }
            Direction::Down if t.is_at_end(transcript, look) => None,
            Direction::Down => {
                let mut below = (at + 1..transcript.len()).filter(message);
                let to = below.find(|at| t.shows(transcript, look, *at));
                if to.is_none() {
                    t.follow();
                }
                to
            }
        };
        match (to, way) {
            (Some(to), _) => t.select(transcript, look, to),
            // the opening of the conversation is before the first message
            (None, Direction::Up) => t.go(transcript, look, 0),
            (None, Direction::Down) => {}
        }
    });
}

/// Repeats the search for the typed text: from the current position towards the end, then from the beginning.
pub fn search_again(screen: &mut Screen) {
    if let Some(search) = &mut screen.view.over.search {
        search.at = None;
    }
    found(screen, Direction::Down);
}

/// Moves to the next or previous match; wraps around at the ends.
pub fn found(screen: &mut Screen, way: Direction) {
    let Some(search) = &mut screen.view.over.search else { return };
    let from = search.at;
    let found = search.matches(&screen.transcript).to_vec();
    let mut first = 0;
    screen.read(|t, transcript, look| first = t.first(transcript, look).0);
    let all = found.iter().flat_map(|(row, n)| (0..*n).map(|nth| (*row, nth)));
    let next = match (way, from) {
        (Direction::Down, Some(at)) => all.clone().find(|m| *m > at),
        (Direction::Down, None) => all.clone().find(|(row, _)| *row >= first),
        (Direction::Up, Some(at)) => all.clone().rfind(|m| *m < at),
        (Direction::Up, None) => all.clone().rfind(|(row, _)| *row <= first),
    };
    let around = match way {
        Direction::Down => all.clone().next(),
        Direction::Up => all.clone().next_back(),
    };
    let Some(at) = next.or(around) else { return };
    let Some(search) = &mut screen.view.over.search else { return };
    search.at = Some(at);
    let search = search.clone();
    unfold(screen, at.0);
    screen.read(|t, transcript, look| {
        let in_line = |line: &Line<'_>| search.in_line(line);
        let (line, _) = t.locate(transcript, look, at.0, at.1, in_line);
        t.select_line(transcript, look, at.0, line);
    });
}

/// Moves from the selected event of the analysis to its turn in the transcript.
pub fn event(screen: &mut Screen) {
    let number = screen.view.over.analysis.as_ref().and_then(AnalysisPane::utterance);
    match number.and_then(|number| screen.transcript.utterance(number)) {
        Some(at) => {
            screen.view.over.analysis = None;
            unfold(screen, at);
            screen.read(|t, transcript, look| t.select(transcript, look, at));
        }
        None => screen.view.notice = Some("select an event that has a turn".into()),
    }
}

/// Moves to the first turn of the last absence, which is over then.
pub fn missed(screen: &mut Screen) {
    let first = screen.view.absence.take().map(|absence| absence.turns + 1);
    if let Some(at) = first.and_then(|number| screen.transcript.utterance(number)) {
        unfold(screen, at);
        screen.read(|t, transcript, look| t.select(transcript, look, at));
    }
}

/// A message: its source text and its name.
pub(in crate::ui) struct SelectedMessage {
    pub at: usize,
    pub said: String,
    pub name: String,
}

/// Returns the current message, or the nearest complete one before it; reports if none exists.
pub(in crate::ui) fn message_read(screen: &mut Screen) -> Option<SelectedMessage> {
    let from = screen.reading();
    let transcript = &screen.transcript;
    let only = screen.view.reading.only;
    let words = |at: usize| match transcript.shown(at)? {
        RowView::Words(entry, _) => {
            let place = entry.seat().map(|seat| transcript.seat_place(seat));
            (only.is_none() || place == only).then_some((at, entry))
        }
        RowView::Speaking(_) | RowView::Aside(..) => None,
    };
    // above the first message there are only notes: use the next one
    let behind = from + 1..transcript.rows().len();
    let Some((at, entry)) = (0..=from).rev().chain(behind).find_map(words) else {
        return notice(screen, "no turns yet");
    };
    let name = match (entry.number, entry.seat()) {
        (Some(number), Some(seat)) => format!("turn {number} ({})", transcript.name(seat)),
        _ => "your message".into(),
    };
    Some(SelectedMessage { at, said: text::block(entry.text()).into_owned(), name })
}

/// Returns the text so far of the current message if its turn is still running.
fn speech_read(screen: &mut Screen) -> Option<SelectedMessage> {
    let at = screen.reading();
    let transcript = &screen.transcript;
    let Some(RowView::Speaking(turn)) = transcript.shown(at) else { return None };
    let said = text::block(&transcript.live.said(turn.id)).into_owned();
    Some(SelectedMessage {
        at,
        said,
        name: format!("what {} said so far", transcript.name(&turn.seat)),
    })
}

/// Returns the text of the current message, complete or still running.
fn words_read(screen: &mut Screen) -> Option<SelectedMessage> {
    speech_read(screen).or_else(|| message_read(screen))
}

/// Returns the current message; reports if its turn is still running.
fn whole_read(screen: &mut Screen) -> Option<SelectedMessage> {
    if speech_read(screen).is_some() {
        let place = if screen.view.steers() { Focus::Marked } else { Focus::Read };
        let up = screen.keymap.way(Action::MessageUp, place);
        let told = format!("this turn is still in progress; {up} selects the previous one");
        return notice(screen, told);
    }
    message_read(screen)
}

/// Copies the source text of the current message.
pub fn copy(screen: &mut Screen) -> Option<Request> {
    if let Some(analysis) = &screen.view.over.analysis {
        let tables = figures::md(&analysis.tables().cloned().collect::<Vec<_>>());
        return Some(Request::Copy(tables, "this analysis page".into()));
    }
    words_read(screen).map(|m| Request::Copy(m.said, m.name))
}

/// Copies the current message without its markup.
pub fn copy_plain(screen: &mut Screen) -> Option<Request> {
    let message = words_read(screen)?;
    let rows = markdown::rows(&message.said, PLAIN_WIDTH, &screen.theme);
    let plain = rows.iter().map(|l| l.to_string().trim_end().to_owned() + "\n").collect::<String>();
    Some(Request::Copy(plain.trim_end().to_owned(), format!("{}, plain text", message.name)))
}

/// Lists the links or code blocks of the current message; a single one is used at once.
pub fn take_out(screen: &mut Screen, what: Extract) -> Option<Request> {
    let message = words_read(screen)?;
    let Some(list) = lists::extracts(&message.said, what) else {
        let none = match what {
            Extract::Links => "links",
            Extract::Code => "code blocks",
        };
        return notice(screen, format!("{} has no {none}", message.name));
    };
    match (&list.all[..], what) {
        ([ListEntry { action: EntryAction::Copy(words, what), .. }], Extract::Code) => {
            Some(Request::Copy(words.clone(), format!("{what} of {}", message.name)))
        }
        ([ListEntry { action: EntryAction::Link(address), .. }], _) => {
            screen.view.over.page = Some(link::page(address));
            None
        }
        _ => {
            screen.open_list(Some(list));
            None
        }
    }
}

/// Shows the current message alone.
pub fn zoom(screen: &mut Screen) {
    let Some(message) = whole_read(screen) else { return };
    let page =
        entry(screen, &message).map(|e| versions::page(&screen.transcript, e, &message.name));
    screen.view.over.page = page;
}

/// Shows the prompt of the current message.
pub fn prompt(screen: &mut Screen) {
    let at = screen.reading();
    let speaks = matches!(screen.transcript.shown(at), Some(RowView::Speaking(_)));
    let at = if speaks { Some(at) } else { message_read(screen).map(|m| m.at) };
    let Some(at) = at else { return };
    match inspector::prompt_of(&screen.transcript, at) {
        Ok(page) => screen.view.over.page = Some(page),
        Err(why) => screen.view.notice = Some(why.into()),
    }
}

/// Shows only the selected participant, otherwise the current speaker; or all again.
pub fn filter(screen: &mut Screen) {
    let by = |screen: &mut Screen| {
        let at = screen.reading();
        let by = (0..=at).rev().find_map(|at| screen.transcript.speaker_of(at));
        by.map(|seat| screen.transcript.seat_place(seat))
    };
    let place = match screen.view.reading.only {
        Some(_) => None,
        None => screen.view.selected.or_else(|| by(screen)),
    };
    only(screen, place);
}

/// Shows only the messages of the seat at an index; `None` shows all.
pub fn only(screen: &mut Screen, place: Option<usize>) {
    screen.view.reading.only = place;
    screen.view.viewport.forget();
    let seat = place.and_then(|place| screen.transcript.state().seats.get(place));
    let name = seat.map(|seat| screen.transcript.name(&seat.spec.id));
    let key = screen.keymap.way(Action::Filter, screen.view.steering());
    screen.view.notice = Some(match name {
        Some(name) => format!("only {name} ({key}: show all)"),
        None => "all participants shown".into(),
    });
}

/// Unfolds or folds the reasoning of the current message. On the heading of a step, or on a message without
/// reasoning in or after a step, unfolds or folds the messages of the step.
pub fn reasoning(screen: &mut Screen) {
    let at = screen.reading();
    let transcript = &screen.transcript;
    let thinks = |at: usize| match transcript.shown(at) {
        Some(RowView::Speaking(turn)) => !transcript.live.thought(turn.id).is_empty(),
        Some(RowView::Words(entry, _)) => {
            entry.version().turn.is_some_and(|turn| transcript.thought(turn).is_some())
        }
        Some(RowView::Aside(..)) | None => false,
    };
    let step = transcript.step(at).or_else(|| (0..at).rev().find_map(|at| transcript.step(at)));
    if let Some(step) = step
        && !thinks(at)
    {
        let open = !screen.view.reading.opens_step(step);
        fold(screen, step);
        // the heading stays visible, and the next key acts on it
        if open && let Some(head) = screen.transcript.place(Id::Event(Seq(step.0))) {
            screen.read(|t, transcript, look| t.select(transcript, look, head));
        }
        return;
    }
    let speaks = matches!(screen.transcript.shown(at), Some(RowView::Speaking(_)));
    let at = if speaks { Some(at) } else { message_read(screen).map(|m| m.at) };
    let Some(id) = at.and_then(|at| screen.transcript.id(at)) else { return };
    toggle(screen, id);
}

/// Unfolds or folds the messages of a step.
fn fold(screen: &mut Screen, step: ThreadId) {
    toggle(screen, Id::Event(Seq(step.0)));
}

fn toggle(screen: &mut Screen, id: Id) {
    let others = &mut screen.view.reading.others;
    if !others.remove(&id) {
        others.insert(id);
    }
    screen.view.viewport.forget();
}

/// Unfolds the step that contains a row, if it is folded.
pub fn unfold(screen: &mut Screen, at: usize) {
    let folded = screen.transcript.folded_under(at);
    if let Some(step) = folded.filter(|step| !screen.view.reading.opens_step(*step)) {
        fold(screen, step);
    }
}

/// Moves to the next or previous bookmark.
pub fn mark(screen: &mut Screen, way: Direction) {
    let at = screen.reading();
    let transcript = &screen.transcript;
    let marks = transcript.state().marks.iter();
    let marks = marks.filter_map(|(seq, _)| transcript.place(Id::Event(*seq)));
    let places = marks.chain(transcript.moments());
    let next = match way {
        Direction::Down => places.filter(|place| *place > at).min(),
        Direction::Up => places.filter(|place| *place < at).max(),
    };
    match next {
        Some(place) => {
            unfold(screen, place);
            screen.read(|t, transcript, look| t.go(transcript, look, place));
        }
        None => screen.view.notice = Some("no more moments or bookmarks".into()),
    }
}

/// Returns the last event of the current message.
pub fn leaf(screen: &mut Screen) -> Option<Seq> {
    let message = message_read(screen)?;
    Some(entry(screen, &message)?.versions.last()?.seq)
}

/// Lists all versions of the current message, so that another one can be chosen.
pub fn alternatives(screen: &mut Screen) {
    let Some(message) = whole_read(screen) else { return };
    let number = entry(screen, &message).and_then(|entry| entry.number);
    list_versions(screen, number, || "your messages have no versions".into());
}

/// Lists all versions of a turn by its number.
pub fn alternatives_of(screen: &mut Screen, number: &str) {
    let last = screen.transcript.state().utterances;
    let of = number.trim_start_matches(['u', '#']).parse().ok();
    list_versions(screen, of, || format!("no turn {number} (last is {last})"));
}

fn list_versions(screen: &mut Screen, number: Option<u32>, none: impl Fn() -> String) {
    let transcript = &screen.transcript;
    let entry = number.and_then(|number| transcript.state().utterance(number));
    let name =
        |e: &Entry| format!("turn {} ({})", e.number.unwrap_or(0), transcript.names(e.seat()));
    let list = entry.and_then(|e| versions::list(transcript, e, &name(e)));
    if list.is_none() {
        screen.view.notice = Some(none());
    }
    screen.open_list(list);
}

fn entry<'a>(screen: &'a Screen, message: &SelectedMessage) -> Option<&'a Entry> {
    screen.transcript.entry(message.at).and_then(|at| screen.transcript.state().entries.get(at))
}
