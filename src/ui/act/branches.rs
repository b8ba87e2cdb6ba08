//! Branches and other sessions on the screen: the tree they stand in, a branch at an utterance, and two talks side by side.
//!
//! It asks for what lies in files and lays out what it is handed; it opens none itself. Its wishes are no deeds of the
//! operator, since they leave the talk as it is.

use crate::catalogue::{Branch, Summary, family, tree};
use crate::export::{Beside, Narrated};
use crate::model::{Event, Kind, Seq};
use crate::session::replay::Recording;
use crate::state::State;
use crate::text;
use crate::ui::Screen;
use crate::ui::act::intents;
use crate::ui::act::navigate;
use crate::ui::act::update::Request;
use crate::ui::action::Action;
use crate::ui::start::standing;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::page::{Page, Section};

/// Where a branch leaves the talk.
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
    pub all: Vec<Summary>,
    /// The id of the one on the screen.
    pub here: String,
}

/// Another session.
pub struct OtherSession {
    /// What it is called by.
    pub name: String,
    /// What is in it.
    pub recording: Recording,
}

/// Branches off where the words behind `/fork` say.
pub fn fork(screen: &mut Screen, rest: &str) -> Option<Request> {
    if screen.view.unsaved {
        return intents::unsaved(screen);
    }
    match leaf(screen, rest) {
        Ok(leaf) => Some(Request::Fork(leaf)),
        Err(why) => {
            screen.view.notice = Some(format!("{why}; use /fork [N] [seed=N]"));
            None
        }
    }
}

/// Reads where a branch is to leave: the number of an utterance, a seed, or both.
fn leaf(screen: &mut Screen, rest: &str) -> Result<BranchPoint, String> {
    let (mut number, mut seed) = (None, None);
    for word in rest.split_whitespace() {
        let given = word.strip_prefix("seed=");
        match given.unwrap_or(word.trim_start_matches('u')).parse::<u64>() {
            Ok(n) if given.is_some() => seed = Some(n),
            Ok(n) => number = u32::try_from(n).ok(),
            Err(_) => return Err(format!("`{word}` is no number")),
        }
    }
    let at = match number {
        None => navigate::leaf(screen).ok_or("nothing was said yet")?,
        Some(0) => Seq(0),
        Some(number) => {
            let entry = screen.transcript.state().utterance(number);
            let last = entry.and_then(|e| e.versions.last());
            last.ok_or(format!("no utterance {number} has ended"))?.seq
        }
    };
    Ok(BranchPoint { at, seed })
}

/// Returns the sessions as a list from which Enter shows one beside the talk on the screen.
pub fn list(screen: &Screen, sessions: &SessionList, shelf: SessionFilter) -> Result<List, String> {
    let rows: Vec<Branch<'_>> = match shelf {
        SessionFilter::Family => family(&sessions.all, &sessions.here),
        SessionFilter::Everything => tree(&sessions.all),
    };
    let alone = rows.iter().all(|(_, s)| s.id == sessions.here);
    if alone {
        let key = screen.keymap.way(Action::Fork, crate::ui::keymap::Focus::Read);
        return Err(match shelf {
            SessionFilter::Family => format!("nothing branched off this yet: {key} branches off"),
            SessionFilter::Everything => "there is no other session".into(),
        });
    }
    let entry = |(depth, s): &Branch<'_>| {
        let twigs = match depth {
            0 => String::new(),
            n => format!("{}{} ", "  ".repeat(n - 1), screen.glyphs.corners[2]),
        };
        let point = s.parent.as_ref().filter(|_| *depth > 0);
        let point = point.map_or(String::new(), |(_, at)| format!("after u{at}  "));
        let here = if s.id == sessions.here { "this one  " } else { "" };
        let title = text::label(&s.title);
        let stands = standing(&s.standing);
        ListEntry {
            action: EntryAction::Beside(s.path.display().to_string()),
            call: text::label(&s.id).into_owned(),
            title: format!("{twigs}{point}{here}{stands}, {} said  {title}", s.utterances),
        }
    };
    let title = match shelf {
        SessionFilter::Family => "Branches: Enter shows one beside this talk",
        SessionFilter::Everything => "Sessions: Enter shows one beside this talk",
    };
    Ok(List::of(title.into(), rows.iter().map(entry).collect()))
}

/// Returns the talk on the screen and another one side by side; a recording as a whole, wherever it stands.
pub fn beside(screen: &Screen, other: &OtherSession) -> Page {
    match &screen.view.playback {
        Some(playback) => {
            page(playback.transport.recording().records().iter().map(|r| &r.event), other)
        }
        None => page(screen.transcript.events(), other),
    }
}

/// Returns two talks side by side, from where they part.
pub fn page<'a>(here: impl Iterator<Item = &'a Event> + Clone, other: &'a OtherSession) -> Page {
    // a talk on the screen keeps no pieces
    let is_whole = |event: &&Event| !matches!(event.kind, Kind::Delta(_));
    let here = here.filter(is_whole);
    let there = other.recording.records().iter().map(|r| &r.event).filter(is_whole);
    let beside = Beside::of(here.clone(), there.clone());
    let same = Section { body: "the same words".into(), ..Section::default() };
    let rows = beside.rows.iter().map(|row| {
        let side = |told: &[Narrated]| told.iter().map(part).collect::<Vec<Section>>();
        let theirs = if row.a == row.b { vec![same.clone()] } else { side(&row.b) };
        (side(&row.a), theirs)
    });
    Page {
        title: "Side by side".into(),
        facts: vec![
            ("A", format!("this talk: {}", title(here))),
            ("B", format!("{}: {}", text::label(&other.name), title(there))),
            ("", beside.parted()),
        ],
        beside: rows.collect(),
        ..Page::default()
    }
}

/// What a talk is called in the end, safe for one line.
fn title<'a>(events: impl Iterator<Item = &'a Event>) -> String {
    let state = State::fold(events);
    text::label(&state.shown_title()).into_owned()
}

fn part(told: &Narrated) -> Section {
    match told {
        Narrated::Words { place, who, body } => Section {
            head: format!("{place}  {who}"),
            body: body.clone(),
            markdown: true,
            ..Section::default()
        },
        Narrated::Note(note) => Section { body: note.clone(), ..Section::default() },
        Narrated::Opening { title, .. } => Section { head: title.clone(), ..Section::default() },
    }
}
