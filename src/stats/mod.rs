//! Rates over several runs, and how far they can be trusted: Wilson's interval, and a bootstrap over pairs.
//!
//! Pure: dice are hashes, so that the same numbers result each time.

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

/// How many samples a bootstrap draws.
const DRAWS: u64 = 2_000;

/// Returns the 95 % interval of the mean of differences, by resampling them; none without differences.
pub fn bootstrap(differences: &[f64]) -> Option<(f64, f64)> {
    let n = differences.len() as u64;
    if n == 0 {
        return None;
    }
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|draw| {
            let picked = (0..n).map(|i| mixed(draw * n + i) % n);
            let drawn = picked.filter_map(|at| differences.get(usize::try_from(at).ok()?));
            drawn.sum::<f64>() / n as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |part: f64| means.get((part * (DRAWS - 1) as f64).round() as usize).copied();
    at(0.025).zip(at(0.975))
}

/// Returns how many parts there would be as much spread in if all were equally large (one over Simpson's index); 0 where
/// there are none.
pub fn effective(parts: impl Iterator<Item = f64> + Clone) -> f64 {
    let sum: f64 = parts.clone().sum();
    let squares: f64 = parts.map(|part| (part / sum).powi(2)).sum();
    if sum > 0.0 { 1.0 / squares } else { 0.0 }
}

/// Returns a number as good as dice for each number (SplitMix64).
pub fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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

    /// For a mean of 200 differences the normal approximation is good to a hundredth.
    #[test]
    fn the_bootstrap_agrees_with_the_normal_approximation() {
        let differences: Vec<f64> = (0..200).map(|i| [1.0, 0.0, 0.0, -1.0, 1.0][i % 5]).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n;
        let half = Z * (variance / n).sqrt();
        let (low, high) = bootstrap(&differences).unwrap();
        assert!((low - (mean - half)).abs() < 0.02, "{low} {}", mean - half);
        assert!((high - (mean + half)).abs() < 0.02, "{high} {}", mean + half);
        assert_eq!(bootstrap(&[]), None);
        assert_eq!(bootstrap(&[1.0]), Some((1.0, 1.0)));
    }
}
