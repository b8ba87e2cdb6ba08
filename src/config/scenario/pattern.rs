//! Regular expressions that read answers from replies.

use regex::{Regex, RegexBuilder};

/// Maximum size of a compiled pattern, in bytes.
const PATTERN_MAX: usize = 1 << 20;

/// Fault of the pattern of an answer.
#[derive(Debug, thiserror::Error)]
pub enum PatternFault {
    /// It is not a regular expression, or too large.
    #[error("is not a regular expression: {0}")]
    Syntax(#[from] regex::Error),
    /// It does not have exactly one group.
    #[error("needs exactly one group, around the answer, and has {0}")]
    Groups(usize),
}

/// Compiles the pattern of an answer.
///
/// # Errors
/// If it is not a regular expression with exactly one group, or too large.
pub fn answer_pattern(pattern: &str) -> Result<Regex, PatternFault> {
    let compiled = RegexBuilder::new(pattern).size_limit(PATTERN_MAX).build()?;
    match compiled.captures_len().saturating_sub(1) {
        1 => Ok(compiled),
        groups => Err(PatternFault::Groups(groups)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_one_group() {
        assert!(answer_pattern("a(b)c").is_ok());
        for (pattern, fault) in [
            ("(a", "is not a regular expression"),
            ("a", "needs exactly one group, around the answer, and has 0"),
            ("(a)(b)", "needs exactly one group, around the answer, and has 2"),
            (r"(\w{1000}){1000}", "is not a regular expression"),
        ] {
            let found = answer_pattern(pattern).unwrap_err().to_string();
            assert!(found.starts_with(fault), "{pattern}: {found}");
        }
    }
}
