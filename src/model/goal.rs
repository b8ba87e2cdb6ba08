//! Private goals of participants who negotiate.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A private goal, with the limit of the price that a participant accepts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// The goal as text.
    pub text: Text,
    /// Lowest acceptable price, for a seller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// Highest acceptable price, for a buyer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

impl Goal {
    /// Returns the difference between a price and the limit; negative if the price is beyond the limit.
    pub fn gain(&self, price: f64) -> Option<f64> {
        let over = self.least.map(|least| price - least);
        over.or_else(|| self.most.map(|most| most - price))
    }
}

/// Data of a goal at the end of a conversation, as in the result of `conversation.ended`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalOutcome {
    /// Id of the participant.
    pub participant: Text,
    /// The goal.
    pub goal: Goal,
    /// Difference between the agreed price and the limit; `None` without a price or a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
}

impl GoalOutcome {
    /// Reads the outcomes from the result of a conversation; empty if it has none.
    pub fn all_in(result: &Value) -> Vec<GoalOutcome> {
        serde_json::from_value(result["goals"].clone()).unwrap_or_default()
    }
}
