//! Names that a reader confuses with each other, and invisible names.
//!
//! Two names look alike if Unicode's table of confusable characters (UTS 39) maps both to the same letters, with or
//! without regard to case. Widths, fonts and spaces make no difference. `label` decides the display of a name.

use super::class;
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// A Braille pattern without dots: an invisible symbol.
const BLANK: char = '\u{2800}';

/// Shapes of a name, for comparison with several others.
#[derive(Debug)]
pub struct NameShape {
    small: String,
    small_first: String,
}

impl NameShape {
    /// Maps a name to its shapes.
    pub fn new(name: &str) -> NameShape {
        let plain = plain(name);
        // a look-alike of a capital letter can be lower-cased only after it is mapped to that letter
        let small = shape(&shape(&plain).to_lowercase());
        NameShape { small, small_first: shape(&plain.to_lowercase()) }
    }

    /// Returns whether a reader may confuse the two names; a name looks like itself.
    pub fn looks_like(&self, other: &NameShape) -> bool {
        self.small == other.small || self.small_first == other.small_first
    }
}

/// Returns whether a reader may confuse two names; a name looks like itself.
pub fn look_alike(one: &str, other: &str) -> bool {
    NameShape::new(one).looks_like(&NameShape::new(other))
}

/// Returns whether a name has no visible character.
pub fn is_invisible(name: &str) -> bool {
    !name.chars().any(is_visible)
}

/// Returns a name in its usual letters, without invisible characters.
fn plain(name: &str) -> String {
    name.nfkc().filter(|c| is_visible(*c) || class::is_mark(*c)).collect()
}

fn shape(name: &str) -> String {
    skeleton(name).collect()
}

fn is_visible(c: char) -> bool {
    // the categories of Unicode are slow to look up
    c.is_ascii_graphic()
        || !(c.is_whitespace() || c == BLANK || class::is_mark(c) || class::is_refused(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_scripts_widths_and_cases_look_alike() {
        for (one, other) in [
            ("Claude", "Claude"),
            ("Claude", "CLAUDE"),
            ("Claude", "\u{421}laude"),
            ("Human", "Ｈｕｍａｎ"),
            ("Human", "\u{1d5db}uman"),
            ("Host", "H\u{43e}st"),
            ("host", "\u{41d}ost"),
            ("You", "Y\u{200b}ou"),
            ("Ada L", "AdaL"),
            ("Bill", "BiIl"),
            ("paypal", "раура\u{4cf}"),
        ] {
            assert!(look_alike(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("Ada", "Ida"),
            ("Bo", "Boo"),
            ("judge-1", "judge-2"),
            ("Аня", "Ана"),
            ("山田", "山本"),
        ] {
            assert!(!look_alike(one, other), "{one} {other}");
        }
    }

    #[test]
    fn invisible_text_is_not_a_name() {
        for name in
            ["", " ", "\u{2800}", "\u{3164}", "\u{200b}\u{2060}", "\u{fe0f}", "\u{a0}\u{301}"]
        {
            assert!(is_invisible(name), "{name:?}");
        }
        for name in ["Ada", "1", "👩‍🚀", "-", "\u{2800}a"] {
            assert!(!is_invisible(name), "{name:?}");
        }
    }
}
