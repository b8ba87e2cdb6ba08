//! What the screen holds: the transcript and where it is read, what is written, what lies on top. No key is read here.

pub mod analysis;
pub mod availability;
pub mod branches;
pub mod charts;
pub mod completion;
pub mod composer;
pub mod contest;
pub mod coordination;
pub mod dependencies;
pub mod drag;
pub mod extension;
pub mod floor;
pub mod graph;
pub mod inspector;
pub mod lanes;
pub mod leave;
pub mod link;
pub mod list;
pub mod message;
pub mod modal;
pub mod models;
pub mod moment;
pub mod outbox;
pub mod outcomes;
pub mod page;
pub mod past;
pub mod plan;
pub mod player;
pub mod profile;
pub mod receipts;
pub mod row;
pub mod search;
pub mod selection;
pub mod step;
pub mod timeline;
pub mod transcript;
pub mod undo;
pub mod versions;
pub mod viewport;
pub mod waypoints;

use crate::model::Ms;
use crate::ui::action::Action;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::{MakePage, Page};
use crate::ui::view::transcript::Transcript;

/// The texts over the transcript that are made from how the conversation stands: the action that shows each, what makes
/// it, and what is said where there is nothing to show.
pub const TEXTS: &[(Action, MakePage, &str)] = &[
    (Action::Dependencies, table, "no plan, dependencies, answers or votes in this conversation"),
    (Action::Profile, profile::page, "this conversation keeps no profile"),
    (Action::Outcomes, outcomes::page, "you have given no commands yet"),
];

/// Returns the page of how the table stands, as its policy has it: its plan, its answers and votes, or who depends on whom.
fn table(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Option<Page> {
    plan::page(transcript, now, glyphs)
        .or_else(|| coordination::page(transcript, now, glyphs))
        .or_else(|| dependencies::page(transcript, now, glyphs))
}
