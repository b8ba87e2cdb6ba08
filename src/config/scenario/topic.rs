//! Roles and personas of participants for another topic than the scenario's own.

use crate::model::Text;
use serde::Deserialize;

/// Role and persona of a participant for another topic; `None` keeps the participant's own.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AnyTopic {
    pub(super) role: Option<Text>,
    pub(super) persona: Option<Text>,
}
