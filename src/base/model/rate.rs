//! Maximum rate of calls of a provider, spelled `20/min`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Units of a rate, with their milliseconds.
const UNITS: [(&str, u64); 3] = [("s", 1_000), ("min", 60_000), ("h", 3_600_000)];

/// A number of calls in any window of a given length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct CallRate {
    /// Calls, at least one.
    pub calls: u32,
    /// The length of the window, in milliseconds.
    pub within_ms: u64,
}

impl TryFrom<String> for CallRate {
    type Error = &'static str;

    fn try_from(text: String) -> Result<CallRate, &'static str> {
        let fault =
            "a rate is a number of calls and a unit, as in \"20/min\", \"2/s\" or \"500/h\"";
        let (calls, unit) = text.split_once('/').ok_or(fault)?;
        let calls = calls.trim().parse().ok().filter(|calls| *calls > 0).ok_or(fault)?;
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or(fault)?;
        Ok(CallRate { calls, within_ms: unit.1 })
    }
}

impl From<CallRate> for String {
    fn from(rate: CallRate) -> String {
        rate.to_string()
    }
}

impl fmt::Display for CallRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit =
            UNITS.iter().find(|(_, ms)| *ms == self.within_ms).map_or("ms", |(name, _)| name);
        write!(f, "{}/{unit}", self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_as_it_is_written() {
        for (text, calls, within_ms) in
            [("20/min", 20, 60_000), ("2/s", 2, 1_000), ("500/h", 500, 3_600_000)]
        {
            let rate = CallRate::try_from(text.to_owned()).unwrap();
            assert_eq!((rate, rate.to_string().as_str()), (CallRate { calls, within_ms }, text));
        }
        for wrong in ["20", "0/min", "x/min", "20/day", "-1/s", ""] {
            assert!(CallRate::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
