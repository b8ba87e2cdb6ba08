//! Makes names and other short untrusted texts safe for the program's own lines: they cannot imitate parts of a line.
//!
//! The drawing characters of the program (`▸`, `▎`, `──`, `·` between facts) are reliable only if nobody else can write
//! them into such a row. A symbol that no language uses becomes its code point. A symbol that some language uses does so
//! only apart from letters, so `Marcel·lí`, `C++` and `Jean-Luc` stay. The text of a message is not changed: it has a
//! gutter.

use super::line;
use std::borrow::Cow;
use std::iter;

/// Returns text made safe for a place inside a line of the program: [`line()`] without drawing signs and without gaps
/// as wide as those between columns. For titles, topics, reasons, stances.
pub fn label(raw: &str) -> Cow<'_, str> {
    without_signs(line(raw), |word| word.iter().all(|c| matches!(c, '·' | '•' | '›')))
}

/// Returns a name made safe in the same way, also where lines are drawn in ASCII. For participants, roles, models;
/// longer text may contain a free `=` or `>` legitimately.
pub fn name(raw: &str) -> Cow<'_, str> {
    without_signs(line(raw), |word| {
        let sign = |c: &char| "·•›>|#=~*\"+_".contains(*c);
        word.iter().all(|c| sign(c) || *c == '-') && word != ['-']
    })
}

fn without_signs(line: Cow<'_, str>, is_free: impl Fn(&[char]) -> bool) -> Cow<'_, str> {
    if line.chars().all(|c| c.is_alphabetic()) {
        return line;
    }
    let mut out = String::with_capacity(line.len());
    let chars: Vec<char> = line.trim().chars().collect();
    for run in chars.chunk_by(|a, b| a.is_whitespace() == b.is_whitespace()) {
        match run {
            [space] if space.is_whitespace() => out.push(*space),
            [space, ..] if space.is_whitespace() => out.push(' '),
            word => {
                // alone it is the sign of waiting; after a word it only marks an omission
                let free = is_free(word) || word == ['…'];
                let next = word.iter().skip(1).map(Some).chain(iter::once(None));
                let mut last = None;
                for (c, next) in word.iter().zip(next) {
                    match free || is_drawn(*c, next) {
                        true if last == Some(c) => {}
                        true => out.push_str(&stand_in(*c)),
                        false => out.push(*c),
                    }
                    last = Some(c);
                }
            }
        }
    }
    out.into()
}

/// Returns whether a sign is a drawing character and not used in any language; an emoji of the same shape is not.
fn is_drawn(c: char, next: Option<&char>) -> bool {
    match c {
        // a ring that carries accents, and squares that are emoji by themselves
        '◌' | '◽' | '◾' => false,
        '✓' | '■'..='◿' => next != Some(&'\u{FE0F}'),
        '‖' | '─'..='▟' => true,
        _ => false,
    }
}

fn stand_in(c: char) -> Cow<'static, str> {
    match c {
        '·' | '•' => "-".into(),
        '…' => "...".into(),
        _ => format!("<U+{:04X}>", u32::from(c)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_and_titles_stay() {
        for ordinary in [
            "Ada",
            "Marcel·lí",
            "Jean-Luc O’Neill",
            "D'Arcy",
            "Cy Öztürk",
            "山田　太郎",
            "ジョン・スミス",
            "스미스",
            "दीपिका",
            "שרה",
            "مریم می‌خواهم",
            "👩‍👩‍👧 Ada",
            "▶️ Ada",
            "Bo ◾",
            "C++",
            "C#",
            "R2-D2",
            "a_b",
            "Dr. No",
            "Ada (2)",
            "qwen2.5:7b-q4_0",
            "vendor/model*",
            "“Bo”",
            "‹Bo›",
            "\"Bo\"",
            "Ada - a planner",
            "Ada — a planner",
            "#1",
            "~Bo",
            "",
        ] {
            assert_eq!((&*name(ordinary), &*label(ordinary)), (ordinary, ordinary));
        }
        for title in ["P = NP?", "Is a > b, or a | b?", "# 1", "a * b"] {
            assert_eq!(label(title), title);
        }
    }

    #[test]
    fn the_programs_own_signs_do_not_stay() {
        for (raw, shown) in [
            ("Bo ▸ speaking", "Bo <U+25B8> speaking"),
            ("Bo▸speaking", "Bo<U+25B8>speaking"),
            ("──── ▸ Bo  9s ────", "<U+2500> <U+25B8> Bo 9s <U+2500>"),
            ("Bo  ·  u7", "Bo - u7"),
            ("Bo   3 Cy next", "Bo 3 Cy next"),
            (" ▎Bo ", "<U+258E>Bo"),
            ("\u{a0}\u{a0}Bo\n\n\tCy", "Bo Cy"),
        ] {
            assert_eq!((&*name(raw), &*label(raw)), (shown, shown));
        }
        for (raw, shown) in [
            ("Bo > speaking", "Bo <U+003E> speaking"),
            ("-- > Bo 9s --", "<U+002D> <U+003E> Bo 9s <U+002D>"),
            ("| Bo", "<U+007C> Bo"),
        ] {
            assert_eq!(name(raw), shown);
        }
    }

    #[test]
    fn sanitising_is_idempotent() {
        for raw in ["Bo ▸ speaking", "── x > y ── \" #", "·•› ‖ ■ Bo · Cy", "a ▶\u{fe0f} b"]
        {
            assert_eq!(name(&name(raw)), name(raw));
            assert_eq!(label(&label(raw)), label(raw));
        }
    }
}
