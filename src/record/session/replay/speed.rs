//! Playback speed.

use std::fmt;
use std::str::FromStr;

/// A speed, from half to eight times, or as fast as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// Percent of the recorded speed.
    Percent(u32),
    /// As fast as possible, without waits.
    Max,
}

impl Speed {
    /// The recorded speed, 100 percent.
    pub const RECORDED: Speed = Speed::Percent(100);

    /// All speeds, the slowest first.
    pub const LADDER: [Speed; 6] = [
        Speed::Percent(50),
        Speed::RECORDED,
        Speed::Percent(200),
        Speed::Percent(400),
        Speed::Percent(800),
        Speed::Max,
    ];

    /// Returns the next faster speed.
    pub fn faster(self) -> Speed {
        self.neighbour(1)
    }

    /// Returns the next slower speed.
    pub fn slower(self) -> Speed {
        self.neighbour(-1)
    }

    fn neighbour(self, by: isize) -> Speed {
        let at = Speed::LADDER.iter().position(|s| *s == self);
        let next = at.and_then(|at| Speed::LADDER.get(at.checked_add_signed(by)?));
        next.copied().unwrap_or(self)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Speed::Percent(percent) => write!(f, "{}x", f64::from(*percent) / 100.0),
            Speed::Max => f.write_str("max"),
        }
    }
}

impl FromStr for Speed {
    type Err = String;

    /// Parses a displayed speed; the `x` may be missing.
    fn from_str(word: &str) -> Result<Speed, String> {
        let same = |s: &Speed| [word.to_owned(), format!("{word}x")].contains(&s.to_string());
        Speed::LADDER.into_iter().find(same).ok_or_else(|| {
            format!("a speed is one of {}", Speed::LADDER.map(|s| s.to_string()).join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_go_up_and_down_a_ladder_and_stay_at_its_ends() {
        for pair in Speed::LADDER.windows(2) {
            assert_eq!((pair[0].faster(), pair[1].slower()), (pair[1], pair[0]));
        }
        assert_eq!(
            (Speed::Max.faster(), Speed::LADDER[0].slower()),
            (Speed::Max, Speed::LADDER[0])
        );
        assert_eq!(
            ("2x".parse(), "0.5".parse()),
            (Ok(Speed::Percent(200)), Ok(Speed::Percent(50)))
        );
        assert_eq!(
            "3x".parse::<Speed>().unwrap_err(),
            "a speed is one of 0.5x, 1x, 2x, 4x, 8x, max"
        );
    }
}
