//! File names made from titles, which are untrusted.
//!
//! The name is valid on every file system and needs no quotes in a shell; it need not be unique.

use super::class::is_mark;

/// Maximum length of a name in bytes; leaves room for a date and an extension below the limit of 255.
const NAME_LIMIT: usize = 80;
/// Device names on Windows.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns a part of a file name made from any text: letters, digits, `-`, `_` and inner dots, at most 80 bytes, never
/// empty, never hidden, never a path, never a device.
pub fn file_name(raw: &str) -> String {
    let mut name = String::new();
    for c in super::line(raw).chars() {
        let keep = c.is_alphanumeric() || is_mark(c) && !name.is_empty();
        let c = if keep || matches!(c, '_' | '.') { c } else { '-' };
        let doubled = matches!(c, '-' | '.') && name.ends_with(['-', '.']);
        if !doubled && name.len() + c.len_utf8() <= NAME_LIMIT {
            name.push(c);
        }
    }
    let name = name.trim_matches(['-', '.']);
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let device = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    match name {
        "" => "untitled".into(),
        _ if DEVICES.contains(&device) => format!("_{name}"),
        _ => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_are_harmless_everywhere() {
        for (raw, name) in [
            ("Is P equal to NP?", "Is-P-equal-to-NP"),
            ("../../etc/passwd", "etc-passwd"),
            ("C:\\Windows\\x", "C-Windows-x"),
            (".hidden", "hidden"),
            ("", "untitled"),
            ("///", "untitled"),
            ("CON", "_CON"),
            ("com1.txt", "_com1.txt"),
            ("a\nb\u{202e}c\x1b[31m", "a-b-U-202E-c"),
            ("Röstigraben über", "Röstigraben-über"),
            ("हिन्दी बहस", "हिन्दी-बहस"),
            ("v1.2 final", "v1.2-final"),
        ] {
            assert_eq!(file_name(raw), name, "{raw:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_at_a_character() {
        let name = file_name(&"é".repeat(500));
        assert!(name.len() <= super::NAME_LIMIT && name.chars().all(|c| c == 'é'), "{name}");
    }
}
