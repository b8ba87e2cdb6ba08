//! Branches and other sessions as they are shown: where a branch leaves, and two conversations side by side.

use crate::analysis::divergence;
use crate::catalogue::SessionSummary;
use crate::export::{Beside, Narrated};
use crate::model::{Event, Kind, Seq};
use crate::session::replay::Recording;
use crate::state::State;
use crate::text;
use crate::ui::view::page::{Page, Section};

/// Where a branch leaves the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchPoint {
    /// The last event that it keeps.
    pub at: Seq,
    /// The seed of its dice, where it is another one.
    pub seed: Option<u64>,
}

/// Which sessions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFilter {
    /// Those that branched off one another and this one.
    Family,
    /// All of them.
    Everything,
}

/// The sessions there are.
pub struct SessionList {
    /// All of them, the one written last first.
    pub all: Vec<SessionSummary>,
    /// The id of the one on the screen.
    pub here: String,
}

/// Another branch of the same conversation.
pub struct OtherSession {
    /// What it is called by.
    pub name: String,
    /// What is in it.
    pub recording: Recording,
}

/// Returns two conversations side by side, from where they part.
pub fn page<'a>(here: impl Iterator<Item = &'a Event> + Clone, other: &OtherSession) -> Page {
    // a conversation on the screen keeps no pieces
    let is_whole = |event: &Event| !matches!(event.kind, Kind::Delta(_));
    let here = here.filter(|event| is_whole(event));
    let there: Vec<_> = other.recording.records().iter().filter(|r| is_whole(&r.event)).collect();
    let there = there.iter().map(|r| &*r.event);
    let from = divergence(here.clone(), there.clone());
    let (ours, theirs) = (State::fold(here.clone()), State::fold(there.clone()));
    let beside = Beside::of((&ours, here), (&theirs, there), from);
    let [in_ours, in_theirs] = [&ours, &theirs].map(names);
    let same = Section { body: "identical".into(), ..Section::default() };
    let rows = beside.rows.iter().map(|row| {
        let side = |told: &[Narrated], names: &[String]| {
            told.iter().map(|told| part(told, names)).collect::<Vec<Section>>()
        };
        let other = if row.a == row.b { vec![same.clone()] } else { side(&row.b, &in_theirs) };
        (side(&row.a, &in_ours), other)
    });
    Page {
        title: "Comparison".into(),
        facts: vec![
            ("A", format!("this session: {}", title(&ours))),
            ("B", format!("{}: {}", text::label(&other.name), title(&theirs))),
            ("", beside.parted()),
        ],
        beside: rows.collect(),
        ..Page::default()
    }
}

/// Returns the names of the seats, safe for one line.
fn names(state: &State) -> Vec<String> {
    state.seats.iter().map(|seat| text::name(&seat.spec.name).into_owned()).collect()
}

/// What a conversation is called in the end, safe for one line.
fn title(state: &State) -> String {
    text::label(&state.shown_title()).into_owned()
}

/// Returns what is told as a part of the page, in the colour of the one of these names who said it.
fn part(told: &Narrated, names: &[String]) -> Section {
    match told {
        Narrated::Words { place, who, body } => Section {
            head: format!("{place}  {who}"),
            body: body.clone(),
            markdown: true,
            by: names.iter().position(|name| {
                who.strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([',', ' ']))
            }),
            ..Section::default()
        },
        Narrated::Note(note) => Section { body: note.clone(), ..Section::default() },
        Narrated::Opening { title, .. } => Section { head: title.clone(), ..Section::default() },
    }
}
