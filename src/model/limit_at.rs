//! How far a limit has come, as the session file has it.

use super::limits::Limit;
use super::money::Usd;
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// `limit.near` and `limit.reached`. The file has money in dollars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Spelled", into = "Spelled")]
pub struct LimitAt {
    /// The limit, which also gives both numbers their unit.
    pub what: Limit,
    /// How far it has come, in the limit's own unit.
    pub value: u64,
    /// The bound, in the same unit; of money, in billionths of a dollar.
    pub limit: u64,
    /// What the next turn may need, in the same unit, where it is that for which too little is left.
    pub next: Option<u64>,
}

/// How [`LimitAt`] is written.
#[derive(Clone, Serialize, Deserialize)]
struct Spelled {
    what: Limit,
    value: Number,
    limit: Number,
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
        let (value, limit) = (amount(spelled.value)?, amount(spelled.limit)?);
        let next = spelled.next.map(amount).transpose()?;
        Ok(LimitAt { what: spelled.what, value, limit, next })
    }
}
