//! Roles and personas of participants for another topic than the scenario's own.

use crate::model::Text;
use serde::Deserialize;

/// Role, side and persona of a participant for another topic. `None` keeps the participant's own persona, and its role
/// unless there is a side.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AnyTopic {
    pub(super) role: Option<Text>,
    pub(super) side: Option<Text>,
    pub(super) persona: Option<Text>,
}
