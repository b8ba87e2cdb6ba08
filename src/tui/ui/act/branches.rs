//! Branches and other sessions on the screen: their tree, a branch at a turn, and two conversations side by side.
//!
//! This module opens no files: it requests them and lays out the result. Its requests are not commands of the operator,
//! because they do not change the conversation.

use crate::catalogue::{Branch, family, tree};
use crate::export::utterances;
use crate::model::Seq;
use crate::text;
use crate::ui::act::{intents, navigate};
use crate::ui::action::Action;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crate::ui::start::status_text;
use crate::ui::view::branches::{BranchPoint, OtherSession, SessionFilter, SessionList, page};
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::page::Page;
use std::ops::ControlFlow;

/// Creates a branch at the position given after `/fork`.
pub fn fork(screen: &mut Screen, rest: &str) -> Option<Request> {
    if screen.view.unsaved {
        return intents::unsaved(screen);
    }
    match leaf(screen, rest) {
        Ok(leaf) => Some(Request::Fork(leaf)),
        Err(why) => intents::notice(screen, format!("{why}; use /fork [N] [seed=N]")),
    }
}

/// Parses the position of a branch: the number of a turn, a seed, or both.
fn leaf(screen: &mut Screen, rest: &str) -> Result<BranchPoint, String> {
    let mut number = None;
    let mut seed = None;
    for word in rest.split_whitespace() {
        let given = word.strip_prefix("seed=");
        match given.unwrap_or(word.trim_start_matches(['u', '#'])).parse::<u64>() {
            Ok(n) if given.is_some() => seed = Some(n),
            Ok(n) => number = u32::try_from(n).ok(),
            Err(_) => return Err(format!("not a number: `{word}`")),
        }
    }
    let at = match number {
        None => navigate::leaf(screen).ok_or("no turns yet")?,
        Some(0) => Seq(0),
        Some(number) => {
            let entry = screen.transcript.state().utterance(number);
            let last = entry.and_then(|e| e.versions.last());
            last.ok_or(format!("no turn {number}"))?.seq
        }
    };
    Ok(BranchPoint { at, seed })
}

/// Returns the sessions as a list; Enter shows one beside the conversation on the screen.
pub fn list(screen: &Screen, sessions: &SessionList, shelf: SessionFilter) -> Result<List, String> {
    let rows: Vec<Branch<'_>> = match shelf {
        SessionFilter::Family => family(&sessions.all, &sessions.here),
        SessionFilter::Everything => tree(&sessions.all),
    };
    let alone = rows.iter().all(|(_, s)| s.id == sessions.here);
    if alone {
        let key = screen.keymap.way(Action::Fork, screen.view.steering());
        return Err(match shelf {
            SessionFilter::Family => match &screen.transcript.state().forked {
                Some(forked) => {
                    let parent = text::label(&forked.parent);
                    format!("{parent}, the parent of this branch, is not in the sessions folder")
                }
                None => format!("no branches yet: {key} creates one"),
            },
            SessionFilter::Everything => "no other sessions".into(),
        });
    }
    let entry = |(depth, s): &Branch<'_>| {
        let twigs = match depth {
            0 => String::new(),
            n => format!("{}{} ", "  ".repeat(n - 1), screen.glyphs.corners[2]),
        };
        let point = match &s.parent {
            Some((_, at)) if *depth > 0 => format!("after #{at}  "),
            Some(_) | None => String::new(),
        };
        let title = text::label(&s.title);
        // the session on the screen is locked by this process, not by another one
        let stands =
            if s.id == sessions.here { "current".into() } else { status_text(&s.standing) };
        ListEntry {
            action: EntryAction::Beside(s.path.display().to_string()),
            call: text::label(&s.id).into_owned(),
            title: format!("{twigs}{point}{stands}, {}  {title}", utterances(s.utterances)),
        }
    };
    let title = match shelf {
        SessionFilter::Family => "Branches (Enter: compare)",
        SessionFilter::Everything => "Sessions (Enter: compare)",
    };
    Ok(List::with_entries(title.into(), rows.iter().map(entry).collect()))
}

/// Returns the conversation on the screen and another one side by side; of a recording always the whole.
pub fn beside(screen: &Screen, other: &OtherSession) -> Page {
    match screen.view.playback() {
        Some(playback) => {
            let records: Vec<_> = playback.transport.recording().records().iter().collect();
            page(records.iter().map(|r| &*r.event), other)
        }
        None => {
            let mut events = vec![];
            screen.transcript.events(Seq(0), &mut |event| {
                events.push(event.clone());
                ControlFlow::Continue(())
            });
            page(events.iter(), other)
        }
    }
}

/// Requests a branch after the current message.
pub fn fork_here(screen: &mut Screen) -> Option<Request> {
    if screen.view.unsaved {
        return intents::unsaved(screen);
    }
    navigate::leaf(screen).map(|at| Request::Fork(BranchPoint { at, seed: None }))
}
