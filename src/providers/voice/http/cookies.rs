//! Cookies of one conversation with one host.

use std::collections::BTreeMap;

/// Maximum number of cookies.
const COOKIES_MAX: usize = 50;
/// Maximum bytes of a cookie.
const BYTES_MAX: usize = 4096;

/// Cookies by name. All belong to the same host; paths are ignored.
#[derive(Debug, Default)]
pub(super) struct Cookies(BTreeMap<String, String>);

impl Cookies {
    /// Keeps the cookies of an answer, and removes those that it ends.
    pub(super) fn keep(&mut self, set: &[&str]) {
        for line in set.iter().filter(|line| line.len() <= BYTES_MAX) {
            let mut parts = line.split(';').map(str::trim);
            let Some((name, value)) = parts.next().and_then(|first| first.split_once('=')) else {
                continue;
            };
            let is_over = parts.any(|part| {
                let (key, age) = part.split_once('=').unwrap_or((part, ""));
                key.eq_ignore_ascii_case("max-age") && age.parse::<i64>().is_ok_and(|s| s <= 0)
            });
            let name = name.trim().to_owned();
            if is_over {
                self.0.remove(&name);
            } else if self.0.contains_key(&name) || self.0.len() < COOKIES_MAX {
                self.0.insert(name, value.trim().to_owned());
            }
        }
    }

    /// Returns the `Cookie` header; `None` without cookies.
    pub(super) fn header(&self) -> Option<String> {
        let all: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_replaces_and_removes_cookies() {
        let mut cookies = Cookies::default();
        cookies.keep(&["sid=1; Path=/; HttpOnly", "lang=en", "broken"]);
        assert_eq!(cookies.header().as_deref(), Some("lang=en; sid=1"));
        cookies.keep(&["sid=2", "lang=; Max-Age=0"]);
        assert_eq!(cookies.header().as_deref(), Some("sid=2"));
        cookies.keep(&[&format!("big={}", "x".repeat(BYTES_MAX))]);
        (0..99).for_each(|n| cookies.keep(&[&format!("c{n}=1")]));
        assert_eq!(cookies.0.len(), COOKIES_MAX);
    }
}
