//! Rates over several runs, and how far they can be trusted.

/// The quantile of the normal distribution for a 95 % interval.
const Z: f64 = 1.959_964;

/// Returns the 95 % interval after Wilson of something that held so often, from 0 to 1.
pub fn wilson(held: u32, runs: u32) -> (f64, f64) {
    if runs == 0 {
        return (0.0, 1.0);
    }
    let n = f64::from(runs);
    let share = f64::from(held) / n;
    let spread = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / spread;
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / spread;
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures from Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion" (2001), to three digits.
    #[test]
    fn the_interval_is_wilsons() {
        for (held, runs, low, high) in
            [(14, 20, 0.481, 0.855), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (0, 0, 0.0, 1.0)]
        {
            let (l, h) = wilson(held, runs);
            assert!((l - low).abs() < 0.001 && (h - high).abs() < 0.001, "{held}/{runs}: {l} {h}");
        }
    }
}
