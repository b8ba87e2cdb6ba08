//! Statistics of repeated runs: Wilson intervals, paired comparisons, clusters, Bradley-Terry strengths, scoring rules.
//!
//! Pure: random numbers are hashes, so results are reproducible.

mod clusters;
mod paired;

pub use clusters::{Clusters, percentiles, sample};
pub use paired::{Discordant, holm};

/// Normal quantile of a 95 % interval.
const Z: f64 = 1.959_964;

/// Returns the 95 % Wilson interval of a proportion, from 0 to 1.
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

/// Number of iterations of the Bradley-Terry estimate.
const STEPS: u32 = 200;

/// Returns Bradley-Terry strengths as natural logarithms with mean 0: the odds that one beats another are e to the
/// power of their difference. `wins[a][b]` is the number of wins of `a` over `b`. Each pair gets half a win on either
/// side, so that undefeated ones have a finite strength.
pub fn bradley_terry(wins: &[Vec<f64>]) -> Vec<f64> {
    const HALF: f64 = 0.5;
    let n = wins.len();
    let won = |a: usize, b: usize| wins.get(a).and_then(|row| row.get(b)).copied().unwrap_or(0.0);
    let mut strengths = vec![1.0; n];
    for _ in 0..STEPS {
        let better = |a: usize, own: &f64| {
            let others = || strengths.iter().enumerate().filter(|(b, _)| *b != a);
            let all: f64 = others().map(|(b, _)| won(a, b) + HALF).sum();
            let played = |b: usize| won(a, b) + won(b, a) + 2.0 * HALF;
            all / others().map(|(b, other)| played(b) / (own + other)).sum::<f64>()
        };
        let next: Vec<f64> = strengths.iter().enumerate().map(|(a, own)| better(a, own)).collect();
        let mean = next.iter().map(|s| s.ln()).sum::<f64>() / n as f64;
        let next: Vec<f64> = next.iter().map(|s| s / mean.exp()).collect();
        let moved = next.iter().zip(&strengths).any(|(a, b)| (a / b - 1.0).abs() > 1e-12);
        strengths = next;
        if !moved {
            break;
        }
    }
    if n < 2 { vec![0.0; n] } else { strengths.iter().map(|s| s.ln()).collect() }
}

/// Probabilities are clamped to this distance from 0 and 1: a certain but wrong one would score without bound.
const CERTAIN: f64 = 0.001;

/// Returns the logarithmic score of a probability in nats, given the outcome: 0 is best, ln 2 is the score of one half.
pub fn log_score(probability: f64, held: bool) -> f64 {
    let probability = probability.clamp(CERTAIN, 1.0 - CERTAIN);
    -(if held { probability } else { 1.0 - probability }).ln()
}

/// Returns the quadratic (Brier) score of a probability, given the outcome: 0 is best, 1 worst, 0.25 is the score of
/// one half.
pub fn quadratic_score(probability: f64, held: bool) -> f64 {
    (probability - if held { 1.0 } else { 0.0 }).powi(2)
}

/// Returns the effective number of parts, the inverse Simpson index; 0 without parts.
pub fn effective(parts: impl Iterator<Item = f64> + Clone) -> f64 {
    let sum: f64 = parts.clone().sum();
    let squares: f64 = parts.map(|part| (part / sum).powi(2)).sum();
    if sum > 0.0 { 1.0 / squares } else { 0.0 }
}

/// Returns a pseudo-random number for each number (SplitMix64).
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

    /// With two, the odds are those of the wins; with three, the example of Hunter, "MM algorithms for generalized
    /// Bradley-Terry models" (2004), holds: at the estimate the expected wins equal the observed wins.
    #[test]
    fn strengths_explain_the_wins() {
        let two = bradley_terry(&[vec![0.0, 29.5], vec![9.5, 0.0]]);
        assert!((two[0] - two[1] - 3f64.ln()).abs() < 1e-6, "{two:?}");
        let wins = vec![vec![0.0, 8.0, 12.0], vec![4.0, 0.0, 9.0], vec![2.0, 3.0, 0.0]];
        let all = bradley_terry(&wins);
        assert!(all.iter().sum::<f64>().abs() < 1e-9);
        for a in 0..3 {
            let others = || (0..3).filter(|b| *b != a);
            let won: f64 = others().map(|b| wins[a][b] + 0.5).sum();
            let expected: f64 = others()
                .map(|b| (wins[a][b] + wins[b][a] + 1.0) / (1.0 + (all[b] - all[a]).exp()))
                .sum();
            assert!((won - expected).abs() < 1e-6, "{a}: {won} {expected}");
        }
        assert!(bradley_terry(&[vec![0.0, 9.0], vec![0.0, 0.0]])[0].is_finite());
        assert_eq!((bradley_terry(&[]), bradley_terry(&[vec![0.0]])), (vec![], vec![0.0]));
    }

    /// A score is proper: on average, no other probability scores better than the true one.
    #[test]
    fn it_pays_to_say_the_true_probability() {
        for score in [log_score, quadratic_score] {
            let of = |said: f64| 0.7 * score(said, true) + 0.3 * score(said, false);
            assert!((1..100).all(|p| of(0.7) <= of(f64::from(p) / 100.0) + 1e-12));
        }
        assert!(log_score(0.0, true).is_finite());
        assert!((quadratic_score(0.5, true) - 0.25).abs() < 1e-12);
        assert!((log_score(0.5, false) - 2f64.ln()).abs() < 1e-12);
    }
}
