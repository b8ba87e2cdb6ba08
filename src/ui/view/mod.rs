//! What the screen holds: the transcript and where it is read, what is written, what lies on top. No key is read here.

pub mod analysis;
pub mod availability;
pub mod branches;
pub mod completion;
pub mod composer;
pub mod dependencies;
pub mod extension;
pub mod floor;
pub mod inspector;
pub mod link;
pub mod list;
pub mod message;
pub mod modal;
pub mod outbox;
pub mod page;
pub mod player;
pub mod search;
pub mod selection;
pub mod timeline;
pub mod transcript;
pub mod undo;
pub mod versions;
pub mod viewport;
pub mod waypoints;
