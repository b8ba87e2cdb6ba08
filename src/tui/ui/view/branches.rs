//! Branches and other sessions: branch points, the session list, and the comparison page.

use crate::analysis::divergence;
use crate::catalogue::SessionSummary;
use crate::export::{Beside, Narrated};
use crate::model::{Event, Kind, Seq};
use crate::session::replay::Recording;
use crate::state::State;
use crate::text;
use crate::ui::view::page::{Page, Section};

/// Point at which a branch leaves the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchPoint {
    /// Last event that the branch keeps.
    pub at: Seq,
    /// Seed of the branch's random numbers, if it differs.
    pub seed: Option<u64>,
}

/// Filter of the session list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFilter {
    /// Only sessions related to the open one by branching.
    Family,
    Everything,
}

pub struct SessionList {
    /// All sessions, most recently written first.
    pub all: Vec<SessionSummary>,
    /// Id of the open session.
    pub here: String,
}

/// Another branch of the same conversation.
pub struct OtherSession {
    /// Display name.
    pub name: String,
    /// Its events.
    pub recording: Recording,
}

/// Returns a page with two conversations side by side, starting at the first difference.
pub fn page<'a>(here: impl Iterator<Item = &'a Event> + Clone, other: &OtherSession) -> Page {
    // the conversation on the screen keeps no pieces, so the other one must be compared without them
    let is_whole = |event: &Event| !matches!(event.kind, Kind::Delta(_));
    let here = here.filter(|event| is_whole(event));
    let there: Vec<_> = other.recording.records().iter().filter(|r| is_whole(&r.event)).collect();
    let there = there.iter().map(|r| &*r.event);
    let from = divergence(here.clone(), there.clone());
    let ours = State::fold(here.clone());
    let theirs = State::fold(there.clone());
    let beside = Beside::new(&ours, here, &theirs, there, from);
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

/// Returns the final title of a conversation, safe for one line.
fn title(state: &State) -> String {
    text::label(&state.shown_title()).into_owned()
}

/// Converts a narrated item to a section; `names` gives the index of the speaker, for its colour.
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
