//! Money: dollars with exact sums, and the price of a model.

use super::turn::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Billionths in a dollar.
const BILLIONTHS: f64 = 1e9;
/// Relative price of a token read from the server's cache: Anthropic's ratio, the only wire format that reports it.
const CACHE_READ: f64 = 0.1;
/// Relative price of a token written to the server's cache.
const CACHE_WRITE: f64 = 1.25;
/// Billionths of a dollar per token at a price of one dollar per million tokens.
const PER_TOKEN: f64 = 1e3;

/// Dollars, counted in billionths, so that sums do not depend on their order. Serialised as a number of dollars.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "f64", into = "f64")]
pub struct Usd(pub u64);

impl TryFrom<f64> for Usd {
    type Error = &'static str;

    fn try_from(dollars: f64) -> Result<Usd, &'static str> {
        let fits = dollars.is_finite() && (0.0..=u64::MAX as f64 / BILLIONTHS).contains(&dollars);
        if fits {
            Ok(Usd((dollars * BILLIONTHS).round() as u64))
        } else {
            Err("not an amount of money")
        }
    }
}

impl From<Usd> for f64 {
    fn from(usd: Usd) -> f64 {
        usd.0 as f64 / BILLIONTHS
    }
}

impl Add for Usd {
    type Output = Usd;

    fn add(self, more: Usd) -> Usd {
        Usd(self.0.saturating_add(more.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, more: Usd) {
        *self = *self + more;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Usd>>(all: I) -> Usd {
        all.fold(Usd::default(), Add::add)
    }
}

impl fmt::Display for Usd {
    /// Formats dollars with as many digits as a small sum needs: `$12.50`, `$0.0031`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = f64::from(*self);
        match self.0 {
            0 => write!(f, "$0"),
            n if n < 10_000 => write!(f, "<$0.00001"),
            n if n < 10_000_000 => write!(f, "${dollars:.5}"),
            n if n < 1_000_000_000 && n % 10_000_000 != 0 => write!(f, "${dollars:.4}"),
            _ => write!(f, "${dollars:.2}"),
        }
    }
}

/// Price of a model in dollars per million tokens: input, output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "(f64, f64)")]
pub struct Price(pub f64, pub f64);

impl TryFrom<(f64, f64)> for Price {
    type Error = &'static str;

    fn try_from((input, output): (f64, f64)) -> Result<Price, &'static str> {
        let fits = |dollars: f64| (0.0..=1e6).contains(&dollars);
        if fits(input) && fits(output) {
            Ok(Price(input, output))
        } else {
            Err("a price is in dollars per million tokens, as in [0.5, 1.5]")
        }
    }
}

impl Price {
    /// Returns the most that one token can cost, read or written.
    pub fn most_per_token(self) -> Usd {
        Usd(((self.0 * CACHE_WRITE).max(self.1) * PER_TOKEN).ceil() as u64)
    }

    /// Returns what a call cost, rounded up.
    pub fn cost(self, usage: &Usage) -> Usd {
        let fresh = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
        let read = fresh as f64
            + usage.cache_read as f64 * CACHE_READ
            + usage.cache_write as f64 * CACHE_WRITE;
        let billionths = self.0 * PER_TOKEN * read;
        Usd((billionths + self.1 * PER_TOKEN * usage.output as f64).ceil() as u64)
    }

    /// Returns the number of output tokens affordable after a prompt; `None` if the prompt alone costs more.
    pub fn affords(self, room: Usd, prompt: u64) -> Option<u64> {
        let left = room.0 as f64 - (self.0 * PER_TOKEN * prompt as f64).ceil();
        match (left < 0.0, self.1 > 0.0) {
            (true, _) => None,
            (false, true) => Some((left / (self.1 * PER_TOKEN)).floor() as u64),
            (false, false) => Some(u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage { input, output, ..Usage::default() }
    }

    #[test]
    fn sums_are_exact_and_written_as_dollars() {
        let tenths: Usd = (0..10).map(|_| Usd::try_from(0.1).unwrap()).sum();
        assert_eq!(tenths, Usd::try_from(1.0).unwrap());
        assert_eq!(serde_json::to_string(&Usd::try_from(0.0123).unwrap()).unwrap(), "0.0123");
        for wrong in ["-1", "1e30", "\"1\""] {
            assert!(serde_json::from_str::<Usd>(wrong).is_err(), "{wrong}");
        }
        for (billionths, shown) in [
            (0, "$0"),
            (900, "<$0.00001"),
            (3_141_592, "$0.00314"),
            (183_000_000, "$0.1830"),
            (500_000_000, "$0.50"),
            (12_500_000_000, "$12.50"),
        ] {
            assert_eq!(Usd(billionths).to_string(), shown);
        }
    }

    #[test]
    fn a_price_is_per_million_tokens() {
        assert_eq!(Price(2.5, 10.0).cost(&usage(1_000_000, 100_000)), Usd(3_500_000_000));
        let kept = Usage { cache_read: 600_000, cache_write: 200_000, ..usage(1_000_000, 0) };
        assert_eq!(Price(1.0, 5.0).cost(&kept), Usd(510_000_000), "0.2 + 0.06 + 0.25");
        assert_eq!(Price(0.0, 0.0).cost(&usage(7, 7)), Usd(0));
        for wrong in ["[-1, 2]", "[1]", "[1, 1e9]"] {
            assert!(serde_json::from_str::<Price>(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        /// An affordable call never costs more than the sum.
        #[test]
        fn affordable_calls_are_made(
            price in (0.0..100.0f64, 0.001..100.0f64), room in 0..10_000_000_000u64, prompt in 0..100_000u64,
        ) {
            let price = Price(price.0, price.1);
            match price.affords(Usd(room), prompt) {
                Some(reply) => prop_assert!(price.cost(&usage(prompt, reply)).0 <= room + 1),
                None => prop_assert!(price.cost(&usage(prompt, 0)).0 > room),
            }
        }
    }
}
