//! Progress of a limit, as in the session file.

use super::limits::Limit;
use super::money::Usd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// `limit.near` and `limit.reached`. Money is in dollars in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Spelled", into = "Spelled")]
pub struct LimitAt {
    /// The limit; it determines the unit of the numbers.
    pub what: Limit,
    /// Current value, in the unit of the limit.
    pub value: u64,
    /// The limit, in the same unit; money is in billionths of a dollar.
    pub limit: u64,
    /// Maximum need of the next turn, in the same unit, if too little is left for it.
    pub next: Option<u64>,
}

/// Form of [`LimitAt`] in a file.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Spelled {
    /// The limit.
    what: Limit,
    /// Current value, in the unit of the limit.
    value: Number,
    /// The limit, in the same unit; money is in dollars.
    limit: Number,
    /// Maximum need of the next turn, in the same unit, if too little is left for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<Number>,
}

impl From<LimitAt> for Spelled {
    fn from(at: LimitAt) -> Spelled {
        let number = |amount: u64| match at.what {
            Limit::Usd => Number::from_f64(Usd(amount).into()).unwrap_or(amount.into()),
            Limit::Utterances | Limit::Rounds | Limit::Seconds | Limit::Batches | Limit::Tokens => {
                amount.into()
            }
        };
        let next = at.next.map(number);
        Spelled { what: at.what, value: number(at.value), limit: number(at.limit), next }
    }
}

impl TryFrom<Spelled> for LimitAt {
    type Error = &'static str;

    fn try_from(spelled: Spelled) -> Result<LimitAt, &'static str> {
        let amount = |number: Number| match spelled.what {
            Limit::Usd => Usd::try_from(number.as_f64().unwrap_or(f64::NAN)).map(|usd| usd.0),
            Limit::Utterances | Limit::Rounds | Limit::Seconds | Limit::Batches | Limit::Tokens => {
                number.as_u64().ok_or("not a whole number")
            }
        };
        let value = amount(spelled.value)?;
        let limit = amount(spelled.limit)?;
        let next = spelled.next.map(amount).transpose()?;
        Ok(LimitAt { what: spelled.what, value, limit, next })
    }
}
