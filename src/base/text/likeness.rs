//! Similarity of texts: the share of common three-word sequences.
//!
//! Cheap, and the same in every language with words. A paraphrase counts as new.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use unicode_segmentation::UnicodeSegmentation;

/// Length of a compared sequence, in words.
const WORDS: usize = 3;

/// The three-word sequences of a text as sorted, unique hashes; a shorter text is one sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trigrams(Vec<u64>);

impl Trigrams {
    /// Returns the sequences of a text, ignoring case.
    pub fn new(text: &str) -> Trigrams {
        let words: Vec<u64> = text.to_lowercase().unicode_words().map(number).collect();
        let short = (!words.is_empty() && words.len() < WORDS).then_some(&words[..]);
        let one = |words: &[u64]| words.iter().fold(0, |all: u64, word| all.rotate_left(21) ^ word);
        let mut all: Vec<u64> = words.windows(WORDS).chain(short).map(one).collect();
        all.sort_unstable();
        all.dedup();
        Trigrams(all)
    }

    /// Returns whether the text has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the Jaccard index of two texts, from 0 to 1; 0 if both are empty.
    pub fn likeness(&self, other: &Trigrams) -> f64 {
        let both = count_common(&self.0, &other.0);
        ratio(both, self.0.len() + other.0.len() - both)
    }
}

/// Returns the number of common elements of two sorted lists.
fn count_common(mut a: &[u64], mut b: &[u64]) -> usize {
    let mut both = 0;
    while let ([one, more @ ..], [other, rest @ ..]) = (a, b) {
        let order = one.cmp(other);
        both += usize::from(order == Ordering::Equal);
        a = if order == Ordering::Greater { a } else { more };
        b = if order == Ordering::Less { b } else { rest };
    }
    both
}

/// The three-word sequences of any number of texts.
#[derive(Clone, Debug, Default)]
pub struct KnownTrigrams(HashSet<u64, BuildHasherDefault<Hashed>>);

/// Identity hasher: the numbers are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mixed(Some(self.0), u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl KnownTrigrams {
    /// Adds the sequences of a text.
    pub fn add(&mut self, text: &Trigrams) {
        self.0.extend(&text.0);
    }

    /// Returns the share of a text's sequences that are not in the set, from 0 to 1; 0 if it has none.
    pub fn novelty(&self, text: &Trigrams) -> f64 {
        ratio(text.0.iter().filter(|one| !self.0.contains(one)).count(), text.0.len())
    }
}

/// Minimum words of a text for [`are_alike_by_word`]: in a shorter one a single word may be all that matters, as in "I
/// offer 300" and "I offer 320".
const WORDS_MIN: usize = 8;

/// Returns whether two texts share at least a part of their words, from 0 to 1, by Levenshtein distance over words.
/// Finds sentences in which a name or a number was exchanged, which share few three-word sequences. Always false for
/// texts of less than eight words.
pub fn are_alike_by_word(a: &str, b: &str, share: f64) -> bool {
    let [a, b] = [a, b].map(|t| t.to_lowercase().unicode_words().map(number).collect::<Vec<_>>());
    let longest = a.len().max(b.len());
    if a.len().min(b.len()) < WORDS_MIN || ratio(count_common_words(&a, &b), longest) < share {
        return false;
    }
    // a common prefix and suffix cost nothing; the rest costs the product of its lengths
    let before = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let a = &a[before..];
    let b = &b[before..];
    let behind = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let a = &a[..a.len() - behind];
    let b = &b[..b.len() - behind];
    let [a, b] = [a, b].map(<[u64]>::to_vec);
    ratio(longest - strsim::generic_levenshtein(&a, &b), longest) >= share
}

/// Returns the number of common words of two texts, at any position.
fn count_common_words(a: &[u64], b: &[u64]) -> usize {
    let [mut a, mut b] = [a, b].map(<[u64]>::to_vec);
    a.sort_unstable();
    b.sort_unstable();
    count_common(&a, &b)
}

/// Words that negate a statement.
const DENIALS: [&str; 12] = [
    "no", "not", "never", "none", "nobody", "nothing", "without", "against", "nor", "neither",
    "cannot", "hardly",
];

/// Returns the Jaccard index of the words of two texts, from 0 to 1; 0 if one negates the other, because opposites
/// share most of their words.
pub fn shared_words(a: &str, b: &str) -> f64 {
    let words = |text: &str| -> HashSet<String> {
        text.to_lowercase().replace('\u{2019}', "'").unicode_words().map(str::to_owned).collect()
    };
    let a = words(a);
    let b = words(b);
    let denies = |word: &&String| DENIALS.contains(&word.as_str()) || word.ends_with("n't");
    if a.symmetric_difference(&b).any(|word| denies(&word)) {
        return 0.0;
    }
    let both = a.intersection(&b).count();
    ratio(both, a.len() + b.len() - both)
}

fn number(word: &str) -> u64 {
    word.bytes().fold(None, |so_far, byte| Some(mixed(so_far, byte.into()))).unwrap_or_default()
}

/// Returns the FNV-1a hash of the previous hash and the next number; used only to compare words.
pub fn mixed(so_far: Option<u64>, next: u64) -> u64 {
    (so_far.unwrap_or(0xcbf2_9ce4_8422_2325) ^ next).wrapping_mul(0x0100_0000_01b3)
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_counts_shared_sequences() {
        let of = Trigrams::new;
        for (a, b, likeness) in [
            ("one two three four", "One, two: three four!", 1.0),
            ("one two three four", "one two three five", 1.0 / 3.0),
            ("one two three", "four five six", 0.0),
            ("yes", "Yes.", 1.0),
            ("", "", 0.0),
            ("...", "one", 0.0),
        ] {
            assert_eq!(of(a).likeness(&of(b)), likeness, "{a:?} {b:?}");
            assert_eq!(of(b).likeness(&of(a)), likeness, "{b:?} {a:?}");
        }
    }

    #[test]
    fn exchanged_names_and_numbers_are_alike_in_long_sentences() {
        let long = "In 1990 nobody believed that the river would ever be clean";
        let turned = "clean be ever would river the that believed nobody 1990 in";
        for (a, b, likeness) in [
            (long, "In 1995 nobody believed that the river would ever be clean", 10.0 / 11.0),
            (long, "In 1990 nobody really believed that the river would be clean", 9.0 / 11.0),
            (long, long, 1.0),
            (long, turned, 1.0 / 11.0),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert!(are_alike_by_word(a, b, likeness), "{a:?} {b:?}");
                assert!(!are_alike_by_word(a, b, likeness + 0.01), "{a:?} {b:?}");
            }
        }
        assert!(!are_alike_by_word("I offer 300 for the boat", "I offer 300 for the boat", 0.1));
    }

    #[test]
    fn opposites_are_never_alike() {
        for (a, b, shared) in [
            ("We should sell the boat.", "we should sell the boat", 1.0),
            ("We should sell the boat.", "We should not sell the boat.", 0.0),
            ("It won't hold.", "It will hold.", 0.0),
            ("It won\u{2019}t hold.", "It won't hold.", 1.0),
            ("one two three", "one two four", 0.5),
        ] {
            assert_eq!(shared_words(a, b), shared, "{a} {b}");
        }
    }

    #[test]
    fn novelty_counts_new_sequences() {
        let mut said = KnownTrigrams::default();
        assert_eq!(said.novelty(&Trigrams::new("one two three four")), 1.0);
        said.add(&Trigrams::new("one two three four"));
        assert_eq!(said.novelty(&Trigrams::new("two three four five")), 0.5);
        assert!(Trigrams::new("").is_empty());
    }
}
