//! Means of values in clusters, such as repeated runs of a question: the clusters are independent, not the values.

use super::mixed;
use std::collections::BTreeMap;

/// Number of bootstrap samples.
const DRAWS: u64 = 2_000;
/// Largest number of clusters whose signs are all flipped, in place of a sample.
const ALL_FLIPS: usize = 14;
/// Number of sampled flips.
const FLIPS: u64 = 20_000;

/// Sum and number of the values of each cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters(Vec<(f64, f64)>);

impl Clusters {
    /// Gathers values by the name of their cluster.
    pub fn new<'a>(values: impl Iterator<Item = (&'a str, f64)>) -> Clusters {
        let mut all: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (name, value) in values {
            let (sum, n) = all.entry(name).or_default();
            *sum += value;
            *n += 1.0;
        }
        Clusters(all.into_values().collect())
    }

    /// Returns the number of clusters.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no clusters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the mean of all values; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        mean(self.0.iter())
    }

    /// Returns the 95 % percentile interval of the bootstrap over clusters; `None` without values.
    pub fn bootstrap(&self) -> Option<(f64, f64)> {
        let mut means: Vec<f64> =
            (0..DRAWS).filter_map(|draw| mean(sample(&self.0, draw))).collect();
        means.sort_by(f64::total_cmp);
        percentiles(&means)
    }

    /// Returns the two-sided p-value of the sign-flip test of mean 0: the share of flips of whole clusters with a sum at
    /// least as far from 0. Up to 14 clusters it is exact.
    pub fn sign_flip(&self) -> f64 {
        let sums: Vec<f64> = self.0.iter().map(|(sum, _)| *sum).filter(|sum| *sum != 0.0).collect();
        let seen = sums.iter().sum::<f64>().abs() - 1e-9;
        let is_far = |bits: &dyn Fn(usize) -> bool| {
            let flipped =
                sums.iter().enumerate().map(|(at, sum)| if bits(at) { *sum } else { -sum });
            flipped.sum::<f64>().abs() >= seen
        };
        if sums.len() <= ALL_FLIPS {
            let all = 1u64 << sums.len();
            let far = (0..all).filter(|flip| is_far(&|at| flip >> at & 1 == 1)).count();
            return far as f64 / all as f64;
        }
        let bit = |draw: u64, at: usize| mixed(draw << 24 ^ at as u64) & 1 == 1;
        let far = (0..FLIPS).filter(|draw| is_far(&|at| bit(*draw, at))).count();
        // the observed signs are one of the flips
        (far as f64 + 1.0) / (FLIPS as f64 + 1.0)
    }
}

fn mean<'a>(clusters: impl Iterator<Item = &'a (f64, f64)>) -> Option<f64> {
    let (sum, n) = clusters.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    (n > 0.0).then_some(sum / n)
}

/// Returns as many elements as there are, drawn with replacement; the same for the same number of the draw.
pub fn sample<T>(all: &[T], draw: u64) -> impl Iterator<Item = &T> {
    let n = all.len() as u64;
    let picked = (0..n).map(move |i| mixed(draw * n + i) % n);
    picked.filter_map(|at| all.get(usize::try_from(at).ok()?))
}

/// Returns the 2.5th and the 97.5th percentile of sorted values; `None` without values.
pub fn percentiles(sorted: &[f64]) -> Option<(f64, f64)> {
    let end = |part: f64| {
        let at = (part * sorted.len().saturating_sub(1) as f64).round() as usize;
        sorted.get(at).copied()
    };
    end(0.025).zip(end(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Discordant, wilson};

    /// With one value a cluster, the test is the two-sided sign test; a repeated value tells nothing new.
    #[test]
    fn repeats_of_an_item_do_not_narrow_the_interval() {
        let names: Vec<String> = (0..40).map(|n| format!("q{n}")).collect();
        let values = |repeats: usize| {
            let each = names.iter().enumerate().flat_map(move |(n, name)| {
                std::iter::repeat_n((name.as_str(), f64::from(u8::from(n < 26))), repeats)
            });
            Clusters::new(each)
        };
        let (one, five) = (values(1), values(5));
        assert_eq!((one.len(), one.mean(), five.mean()), (40, Some(0.65), Some(0.65)));
        assert_eq!(one.bootstrap(), five.bootstrap());
        let (low, high) = one.bootstrap().unwrap();
        let (l, h) = wilson(26, 40);
        assert!((low - l).abs() < 0.04 && (high - h).abs() < 0.04, "{low} {high}, {l} {h}");
    }

    #[test]
    fn signs_of_whole_clusters_are_flipped() {
        let of = |values: &[f64]| {
            let names: Vec<String> = (0..values.len()).map(|n| n.to_string()).collect();
            let named = names.iter().map(String::as_str).zip(values.iter().copied());
            Clusters::new(named.collect::<Vec<_>>().into_iter())
        };
        // 7 against 1: two-sided sign test, 2 x 9 of 256
        let seven = of(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0]);
        assert!((seven.sign_flip() - 18.0 / 256.0).abs() < 1e-12);
        // the mid-p of McNemar's test is that without half of the probability of the split
        let mid = Discordant { first: 7, second: 1, items: 8 }.mcnemar();
        assert!((seven.sign_flip() - 8.0 / 256.0 - mid).abs() < 1e-12);
        assert_eq!(of(&[0.0, 0.0]).sign_flip(), 1.0);
        assert!((of(&[3.0, -1.0]).sign_flip() - 1.0).abs() < 1e-12);
        // sampled: 15 against 5 of 20, exactly 0.0414
        let many: Vec<f64> = (0..20).map(|n| if n < 15 { 1.0 } else { -1.0 }).collect();
        assert!((of(&many).sign_flip() - 0.0414).abs() < 0.006);
        assert_eq!(Clusters::default().bootstrap(), None);
    }
}
