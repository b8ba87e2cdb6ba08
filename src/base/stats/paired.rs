//! Comparison of two protocols on the same items, each right or wrong: McNemar's test, the bootstrap without draws, and
//! Holm's correction for many comparisons.

/// Items that only one of two protocols got right, and the number of all items that both were scored on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discordant {
    /// Right in the first protocol only.
    pub first: u32,
    /// Right in the second protocol only.
    pub second: u32,
    /// All items, including those on which both agree.
    pub items: u32,
}

/// Standard deviations on both sides of a mean beyond which a probability is below 1e-17.
const REACH: f64 = 9.0;

impl Discordant {
    /// Returns the two-sided p-value of McNemar's exact test with the mid-p correction (Fagerland, Lydersen and Laake,
    /// 2013): the probability of a split at least as uneven, which counts half of the probability of this split.
    pub fn mcnemar(self) -> f64 {
        let n = self.first + self.second;
        if n == 0 {
            return 1.0;
        }
        let less = self.first.min(self.second);
        let table = Binomials::new(n);
        let here = table.probability(n, less, 0.5);
        if self.first == self.second {
            return 1.0 - here / 2.0;
        }
        let below: f64 = (0..less).map(|k| table.probability(n, k, 0.5)).sum();
        (2.0 * below + here).min(1.0)
    }

    /// Returns the 95 % percentile interval of the bootstrap of the difference in accuracy, computed from the
    /// distribution of all samples instead of some; `None` without items.
    pub fn bootstrap(self) -> Option<(f64, f64)> {
        if self.items == 0 {
            return None;
        }
        let n = self.items;
        let discordant = (self.first + self.second).min(n);
        let share = f64::from(discordant) / f64::from(n);
        let won = if discordant == 0 { 0.0 } else { f64::from(self.first) / f64::from(discordant) };
        let table = Binomials::new(n);
        let size = n as usize;
        // probabilities of the sums from -n to n
        let mut sums = vec![0.0; 2 * size + 1];
        for drawn in near(n, share) {
            let weight = table.probability(n, drawn, share);
            for first in near(drawn, won) {
                let at = size + 2 * first as usize - drawn as usize;
                if let Some(sum) = sums.get_mut(at) {
                    *sum += weight * table.probability(drawn, first, won);
                }
            }
        }
        let end = |part: f64| {
            let mut below = 0.0;
            let at = sums.iter().position(|p| {
                below += p;
                below >= part
            });
            (at.unwrap_or(2 * size) as f64 - f64::from(n)) / f64::from(n)
        };
        Some((end(0.025), end(0.975)))
    }
}

/// Returns the counts out of `n` whose probability is not negligible.
fn near(n: u32, share: f64) -> std::ops::RangeInclusive<u32> {
    let mean = f64::from(n) * share;
    let reach = REACH * (mean * (1.0 - share)).sqrt() + REACH;
    let least = (mean - reach).floor().max(0.0) as u32;
    let most = (mean + reach).ceil() as u32;
    least..=most.min(n)
}

/// Logarithms of factorials, for binomial probabilities.
struct Binomials(Vec<f64>);

impl Binomials {
    fn new(most: u32) -> Binomials {
        let mut sum = 0.0;
        let sums = (1..=most).map(|n| {
            sum += f64::from(n).ln();
            sum
        });
        Binomials([0.0].into_iter().chain(sums).collect())
    }

    /// Returns the probability of `k` successes in `n` trials.
    fn probability(&self, n: u32, k: u32, share: f64) -> f64 {
        if share <= 0.0 || share >= 1.0 {
            let certain = if share <= 0.0 { 0 } else { n };
            return f64::from(u8::from(k == certain));
        }
        let ln = |n: u32| self.0.get(n as usize).copied().unwrap_or(f64::INFINITY);
        let ways = ln(n) - ln(k) - ln(n.saturating_sub(k));
        (ways + f64::from(k) * share.ln() + f64::from(n.saturating_sub(k)) * (1.0 - share).ln())
            .exp()
    }
}

/// Returns the p-values of several tests after Holm's correction, in the same order. The smallest is multiplied by the
/// number of tests, the next by one less; each is at least as large as the smaller ones.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |at: usize| values.get(at).copied().unwrap_or(1.0);
    order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    let mut corrected = vec![1.0; values.len()];
    let mut least: f64 = 0.0;
    for (place, at) in order.into_iter().enumerate() {
        least = least.max((values.len() - place) as f64 * value(at)).min(1.0);
        if let Some(slot) = corrected.get_mut(at) {
            *slot = least;
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discordant(first: u32, second: u32, items: u32) -> Discordant {
        Discordant { first, second, items }
    }

    /// The first two are the examples of Fagerland, Lydersen and Laake (2013): airway hyper-responsiveness (7 against 1
    /// of 21) and complete response (6 against 16 of 161). The others are computed by hand.
    #[test]
    fn mcnemar_is_exact_with_mid_p() {
        for (first, second, expected) in [
            (7, 1, 0.039_062_5),
            (6, 16, 0.034_690),
            (0, 0, 1.0),
            (1, 0, 0.5),
            (2, 2, 0.8125),
            (0, 5, 0.031_25),
        ] {
            let p = discordant(first, second, 161).mcnemar();
            assert!((p - expected).abs() < 1e-5, "{first} {second}: {p}");
            let other = discordant(second, first, 161).mcnemar();
            assert!((p - other).abs() < 1e-12, "{first} {second}: {other}");
        }
    }

    /// With two items, one of them discordant, the sums of a sample are 0, 1 and 2 with 1/4, 1/2 and 1/4. With the 31
    /// items of the report of 2026, the upper end is 0 and not below.
    #[test]
    fn bootstrap_has_no_error_of_draws() {
        assert_eq!(discordant(1, 0, 2).bootstrap(), Some((0.0, 1.0)));
        assert_eq!(discordant(0, 0, 9).bootstrap(), Some((0.0, 0.0)));
        assert_eq!(discordant(0, 0, 0).bootstrap(), None);
        assert_eq!(discordant(3, 0, 3).bootstrap(), Some((1.0, 1.0)));
        let (low, high) = discordant(2, 8, 31).bootstrap().unwrap();
        assert!((low + 12.0 / 31.0).abs() < 1e-12 && high == 0.0, "{low} {high}");
        // against all 4^4 samples of four items: +1, -1, 0, 0
        let draws = [1.0, -1.0, 0.0, 0.0];
        let mut sums: Vec<f64> = (0..256usize)
            .map(|n| (0..4).map(|i| draws[(n >> (2 * i)) & 3]).sum::<f64>() / 4.0)
            .collect();
        sums.sort_by(f64::total_cmp);
        let ends = (
            sums[(0.025f64 * 256.0).ceil() as usize - 1],
            sums[(0.975f64 * 256.0).ceil() as usize - 1],
        );
        assert_eq!(discordant(1, 1, 4).bootstrap(), Some(ends));
    }

    /// For 200 differences the normal approximation is good to a hundredth.
    #[test]
    fn bootstrap_agrees_with_the_normal_approximation() {
        let mean = 0.2;
        let variance = 0.6 - mean * mean;
        let half = super::super::Z * f64::sqrt(variance / 200.0);
        let (low, high) = discordant(80, 40, 200).bootstrap().unwrap();
        assert!((low - (mean - half)).abs() < 0.01, "{low}");
        assert!((high - (mean + half)).abs() < 0.01, "{high}");
        let (low, high) = discordant(8_000, 4_000, 20_000).bootstrap().unwrap();
        assert!((low - 0.19).abs() < 0.001 && (high - 0.21).abs() < 0.001, "{low} {high}");
    }

    #[test]
    fn holm_corrects_for_the_number_of_tests() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        for (p, expected) in corrected.iter().zip(expected) {
            assert!((p - expected).abs() < 1e-12, "{corrected:?}");
        }
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
