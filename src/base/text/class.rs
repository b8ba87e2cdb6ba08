//! Classes of code points, alone and in context, and whether they may be shown unchanged.
//!
//! The ranges here are the whole policy. An invisible character is accepted only where a real script or an emoji needs
//! it, and only once there.

use std::ops::RangeInclusive;
use unicode_general_category::{GeneralCategory as Category, get_general_category as category};
use unicode_segmentation::UnicodeSegmentation;

type Ranges = &'static [RangeInclusive<char>];

const ZERO_WIDTH_JOINER: char = '\u{200D}';
pub(super) const BLACK_FLAG: char = '\u{1F3F4}';
const KEYCAP: char = '\u{20E3}';

/// Scripts whose letters change their form before a joiner or a non-joiner.
const JOINING: Ranges = &[
    '\u{0600}'..='\u{0DFF}', // Arabic to Sinhala
    '\u{0F00}'..='\u{109F}', // Tibetan, Myanmar
    '\u{1780}'..='\u{18AF}', // Khmer, Mongolian
    '\u{1A20}'..='\u{1BFF}', // Tai Tham to Batak
    '\u{A800}'..='\u{AAFF}', // Syloti Nagri to Meetei Mayek
    '\u{FB50}'..='\u{FDFF}',
    '\u{FE70}'..='\u{FEFC}',
    '\u{10D00}'..='\u{10D3F}',
    '\u{11000}'..='\u{11FFF}',
    '\u{1E900}'..='\u{1E95F}',
];
/// Scripts that put a zero-width space between words.
const UNSPACED: Ranges =
    &['\u{0E00}'..='\u{0EFF}', '\u{1000}'..='\u{109F}', '\u{1780}'..='\u{17FF}'];
const HEBREW: Ranges = &['\u{0591}'..='\u{05F4}'];
const MONGOLIAN: Ranges = &['\u{1820}'..='\u{18AA}'];
const IDEOGRAPHS: Ranges =
    &['\u{3400}'..='\u{9FFF}', '\u{F900}'..='\u{FAFF}', '\u{20000}'..='\u{3FFFD}'];
/// Characters with standardised variants besides emoji: zero, mathematics, Myanmar, Phags-pa, CJK.
const VARIED: Ranges = &[
    '0'..='0',
    '\u{1000}'..='\u{109F}',
    '\u{2200}'..='\u{22FF}',
    '\u{2A00}'..='\u{2AFF}',
    '\u{3001}'..='\u{9FFF}',
    '\u{A840}'..='\u{A877}',
    '\u{F900}'..='\u{FAFF}',
    '\u{FF01}'..='\u{FF60}',
    '\u{20000}'..='\u{3FFFD}',
];
const RIGHT_TO_LEFT: Ranges = &[
    '\u{0590}'..='\u{061B}',
    '\u{061D}'..='\u{08FF}',
    '\u{FB1D}'..='\u{FDCF}',
    '\u{FDF0}'..='\u{FDFF}',
    '\u{FE70}'..='\u{FEFC}',
    '\u{10800}'..='\u{10FFF}',
    '\u{1E800}'..='\u{1EFFF}',
];
/// The flags of England, Scotland and Wales, spelt in tag characters after a black flag.
const TAGGED_FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// Returns the tags of a flag at the beginning of a text.
pub(super) fn tagged_flag(text: &str) -> Option<&'static str> {
    TAGGED_FLAGS.into_iter().find(|flag| text.starts_with(flag))
}

/// Returns whether a character is an ideograph, whose variants a selector names.
pub(super) fn is_ideograph(c: char) -> bool {
    within(c, IDEOGRAPHS)
}

/// Treatment of a character in its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Shown unchanged.
    Pass,
    /// Shown as a visible mark, such as `<U+202E>`.
    Mark,
    /// Decided by the next character; see [`held_passes`].
    Wait,
}

fn within(c: char, ranges: Ranges) -> bool {
    ranges.iter().any(|r| r.contains(&c))
}

/// Returns whether a character is always shown unchanged and never forms a cluster with another such one: most of
/// Latin, Greek, Cyrillic and CJK. Ordinary text takes this fast path.
pub(super) fn is_plain(c: char) -> bool {
    matches!(c,
        ' '..='~' | '\u{A0}'..='\u{AC}' | '\u{AE}'..='\u{2FF}' | '\u{370}'..='\u{482}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{203B}' | '\u{3041}'..='\u{3096}'
        | '\u{30A0}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

/// Returns whether a character is a combining mark, which needs a base.
pub(super) fn is_mark(c: char) -> bool {
    // the table of categories is slow to index in a debug build
    !c.is_ascii()
        && matches!(
            category(c),
            Category::NonspacingMark | Category::EnclosingMark | Category::SpacingMark
        )
}

/// Returns whether a combining mark may follow `cluster`; at the beginning of a row it would reach out of the text.
pub(super) fn carries_marks(cluster: &str) -> bool {
    !cluster.is_empty() && !cluster.ends_with(|c| matches!(c, '\n' | '\t') || is_direction_mark(c))
}

/// Returns whether a character belongs to a script that is written from right to left.
pub(super) fn is_right_to_left(c: char) -> bool {
    within(c, RIGHT_TO_LEFT)
}

/// Returns whether a text and a character form one grapheme cluster.
pub(super) fn joins(cluster: &str, c: char) -> bool {
    let mut both = String::with_capacity(cluster.len() + 4);
    both.push_str(cluster);
    both.push(c);
    !cluster.is_empty() && both.graphemes(true).next().is_some_and(|g| g.len() == both.len())
}

/// Classifies `c` by the text before it: the `cluster` it would extend, and whether its line has right-to-left text.
pub(super) fn judge(c: char, cluster: &str, right_to_left: bool) -> Verdict {
    let before = cluster.chars().next_back();
    let after_one_of = |ranges| before.is_some_and(|b| within(b, ranges));
    let pass_if = |yes| if yes { Verdict::Pass } else { Verdict::Mark };
    match c {
        ZERO_WIDTH_JOINER if after_one_of(JOINING) => Verdict::Pass,
        ZERO_WIDTH_JOINER => Verdict::Wait,
        '\u{200C}' => pass_if(after_one_of(JOINING)),
        '\u{200B}' => pass_if(after_one_of(UNSPACED)),
        '\u{034F}' => pass_if(after_one_of(HEBREW)),
        '\u{180B}'..='\u{180F}' => pass_if(after_one_of(MONGOLIAN)),
        '\u{FE0E}' | '\u{FE0F}' if before.is_some_and(is_pictograph) => Verdict::Pass,
        '\u{FE0F}' if before.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*')) => Verdict::Wait,
        '\u{FE00}'..='\u{FE0F}' => pass_if(after_one_of(VARIED)),
        '\u{E0100}'..='\u{E01EF}' => pass_if(after_one_of(IDEOGRAPHS)),
        '\u{E0020}'..='\u{E007F}' if before == Some(BLACK_FLAG) => Verdict::Wait,
        _ if is_direction_mark(c) => match before {
            Some(b) if is_direction_mark(b) => Verdict::Mark,
            _ if right_to_left => Verdict::Pass,
            _ => Verdict::Wait,
        },
        _ => pass_if(!is_refused(c)),
    }
}

/// Returns whether `next` may still belong to `held`: only the tags of a flag are longer than one character.
pub(super) fn holds_on(held: &str, next: char) -> bool {
    let longer = TAGGED_FLAGS.iter().filter_map(|flag| flag.strip_prefix(held));
    !held.is_empty() && longer.into_iter().any(|rest| rest.starts_with(next))
}

/// Returns whether `held` may be shown after `cluster`, given the `next` character.
pub(super) fn held_passes(held: &str, cluster: &str, next: Option<char>) -> bool {
    match held.chars().next() {
        Some(ZERO_WIDTH_JOINER) => next.is_some_and(|n| {
            joins(&format!("{cluster}{ZERO_WIDTH_JOINER}"), n) && !joins("\u{200D}", n)
        }),
        Some('\u{FE0F}') => next == Some(KEYCAP),
        Some(c) if is_direction_mark(c) => next.is_some_and(|n| is_right_to_left(n) && !is_mark(n)),
        Some(_) => TAGGED_FLAGS.contains(&held),
        None => true,
    }
}

/// Returns whether a character may never be shown as itself.
pub(super) fn is_refused(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        // visible number signs, although Unicode files them under invisible formatting
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{890}' | '\u{891}' | '\u{8E2}' => false,
        '\u{110BD}' | '\u{110CD}' => false,
        // fillers, invisible vowels, and code points that Unicode reserves for invisible characters
        '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}' | '\u{FFA0}' => true,
        '\u{2065}' | '\u{FFF0}'..='\u{FFF8}' | '\u{E0000}'..='\u{E0FFF}' => true,
        '\u{FDD0}'..='\u{FDEF}' => true,
        _ if u32::from(c) & 0xFFFE == 0xFFFE => true,
        _ => matches!(
            category(c),
            Category::Control
                | Category::Format
                | Category::LineSeparator
                | Category::ParagraphSeparator
        ),
    }
}

/// The left-to-right, right-to-left and Arabic letter marks: common in mixed lines, and too weak to reorder a word.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{061C}')
}

/// A joiner makes one cluster only between pictographs, so the segmentation tables answer this.
fn is_pictograph(c: char) -> bool {
    joins(&format!("{c}{ZERO_WIDTH_JOINER}"), '\u{A9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_names_are_refused_and_number_signs_accepted() {
        for seen in ['\n', '\t', 'a', '\u{600}', '\u{6DD}', '\u{110BD}', '\u{110CD}', '\u{FFFD}'] {
            assert!(!is_refused(seen), "{seen:?}");
        }
        for unseen in [
            '\0',
            '\u{7F}',
            '\u{115F}',
            '\u{2065}',
            '\u{FDD0}',
            '\u{FFFE}',
            '\u{FFFF}',
            '\u{1FFFF}',
        ] {
            assert!(is_refused(unseen), "{unseen:?}");
        }
        assert!(matches!(judge('\u{34F}', "a", false), Verdict::Mark));
        assert!(matches!(judge('\u{34F}', "\u{5D0}", false), Verdict::Pass));
    }
}
