//! How similar texts are: the sequences of three words that they share.
//!
//! Cheap, and the same in every language with words. It knows nothing of meaning: a paraphrase counts as new.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use unicode_segmentation::UnicodeSegmentation;

/// How many words in a row are compared.
const WORDS: usize = 3;

/// The three-word sequences of a text, as numbers, each once and in the order of these; of a text of fewer words, all of
/// it as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trigrams(Vec<u64>);

impl Trigrams {
    /// Returns those of a text; small and capital letters are the same.
    pub fn of(text: &str) -> Trigrams {
        let words: Vec<u64> = text.to_lowercase().unicode_words().map(number).collect();
        let short = (!words.is_empty() && words.len() < WORDS).then_some(&words[..]);
        let one = |words: &[u64]| words.iter().fold(0, |all: u64, word| all.rotate_left(21) ^ word);
        let mut all: Vec<u64> = words.windows(WORDS).chain(short).map(one).collect();
        all.sort_unstable();
        all.dedup();
        Trigrams(all)
    }

    /// Returns whether it is empty: the text has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the share of all their sequences that both have (Jaccard), from 0 to 1; 0 where neither has any.
    pub fn likeness(&self, other: &Trigrams) -> f64 {
        let both = self.shared(other);
        ratio(both, self.0.len() + other.0.len() - both)
    }

    fn shared(&self, other: &Trigrams) -> usize {
        let (mut here, mut there, mut both) = (self.0.as_slice(), other.0.as_slice(), 0);
        while let ([a, more @ ..], [b, rest @ ..]) = (here, there) {
            let order = a.cmp(b);
            both += usize::from(order == Ordering::Equal);
            here = if order == Ordering::Greater { here } else { more };
            there = if order == Ordering::Less { there } else { rest };
        }
        both
    }
}

/// The three-word sequences of any number of texts.
#[derive(Clone, Debug, Default)]
pub struct KnownTrigrams(HashSet<u64, BuildHasherDefault<Hashed>>);

/// The hasher of numbers that are hashes themselves.
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
    /// Adds those of a text.
    pub fn add(&mut self, text: &Trigrams) {
        self.0.extend(&text.0);
    }

    /// Returns the share of a text's sequences that are not among these, from 0 to 1; 0 where it has none.
    pub fn novelty(&self, text: &Trigrams) -> f64 {
        ratio(text.0.iter().filter(|one| !self.0.contains(one)).count(), text.0.len())
    }
}

/// How many words a text must have for [`word_likeness`]: in a shorter one a single word may be all that matters, as in
/// "I offer 300" and "I offer 320".
const WORDS_MIN: usize = 8;

/// Returns how alike two texts are word by word, from 0 to 1: the share of words that need not be put in, left out or
/// exchanged to make one of the other (Levenshtein over words). Finds sentences in which a name or a number was exchanged,
/// which share few sequences of three words. 0 where one is shorter than eight words.
pub fn word_likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let (a, b): (Vec<&str>, Vec<&str>) = (a.unicode_words().collect(), b.unicode_words().collect());
    if a.len().min(b.len()) < WORDS_MIN {
        return 0.0;
    }
    let longest = a.len().max(b.len());
    ratio(longest - strsim::generic_levenshtein(&a, &b), longest)
}

/// Words that turn what is said into its opposite.
const DENIALS: [&str; 12] = [
    "no", "not", "never", "none", "nobody", "nothing", "without", "against", "nor", "neither",
    "cannot", "hardly",
];

/// Returns the share of all their words that two texts have in common (Jaccard), from 0 to 1; 0 where one denies what the
/// other says, because opposites share most of their words.
pub fn shared_words(a: &str, b: &str) -> f64 {
    let words = |text: &str| -> HashSet<String> {
        text.to_lowercase().replace('\u{2019}', "'").unicode_words().map(str::to_owned).collect()
    };
    let (a, b) = (words(a), words(b));
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

/// Returns the number of what came so far with what comes next (FNV-1a): for words that are compared and nothing else.
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
        let of = Trigrams::of;
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
        for (a, b, likeness) in [
            (long, "In 1995 nobody believed that the river would ever be clean", 10.0 / 11.0),
            (long, long, 1.0),
            (long, "I offer 300 for the boat", 0.0),
            ("I offer 300 for the boat", "I offer 320 for the boat", 0.0),
        ] {
            assert_eq!(word_likeness(a, b), likeness, "{a:?} {b:?}");
        }
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
    fn novelty_is_what_nobody_said_before() {
        let mut said = KnownTrigrams::default();
        assert_eq!(said.novelty(&Trigrams::of("one two three four")), 1.0);
        said.add(&Trigrams::of("one two three four"));
        assert_eq!(said.novelty(&Trigrams::of("two three four five")), 0.5);
        assert!(Trigrams::of("").is_empty());
    }
}
