//! State of the screen: the transcript and its viewport, the composer, the overlays. Keys are dispatched elsewhere.

pub mod absence;
pub mod analysis;
pub mod availability;
pub mod away;
pub mod board;
pub mod branches;
pub mod card;
pub mod charts;
pub mod completion;
pub mod composer;
pub mod confirming;
pub mod contest;
pub mod dependencies;
pub mod drag;
pub mod ending;
pub mod extension;
pub mod failures;
pub mod floor;
pub mod graph;
pub mod history;
pub mod hold;
pub mod inspector;
pub mod keys_page;
pub mod link;
pub mod list;
pub mod look;
pub mod message;
pub mod models;
pub mod moment;
pub mod names;
pub mod offer;
pub mod outbox;
pub mod outcomes;
pub mod overlays;
pub mod page;
pub mod player;
pub mod profile;
pub mod receipts;
pub mod reply;
pub mod rest;
pub mod rope;
pub mod row;
pub mod screen;
pub mod search;
pub mod step;
pub mod table;
pub mod timeline;
pub mod transcript;
pub mod undo;
pub mod versions;
pub mod viewport;
pub mod waypoints;

use crate::model::Ms;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::Page;
use crate::ui::view::transcript::Transcript;

/// Returns the page for the policy of the conversation: the progress that it reports or its dependencies, and the profile
/// of the person.
pub fn progress(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Option<Page> {
    let plan = board::page(transcript, now, glyphs);
    let plan = plan.or_else(|| dependencies::page(transcript, now, glyphs));
    match (plan, profile::page(transcript, now, glyphs)) {
        (Some(mut page), Some(profile)) => {
            page.facts.extend(profile.facts);
            page.parts.extend(profile.parts);
            Some(Page { again: Some(progress), ..page })
        }
        (plan, profile) => plan.or(profile),
    }
}
