//! Addresses of servers as people have them: copied from a browser, a manual, or another program's settings.

use super::Wire;
use super::known::KNOWN;
use super::wire::code;
use crate::net;

/// Returns the base of an API for an address: with a scheme, without the end of a call, blanks and quotes; the query is
/// kept. A missing scheme is `http` on this machine and in private networks, else `https`.
pub fn base_address(typed: &str) -> String {
    let typed = typed.trim().trim_matches(['"', '\'', '`', '<', '>']).trim();
    let (url, query) = match typed.find(['?', '#']) {
        Some(at) => typed.split_at(at),
        None => (typed, ""),
    };
    let query = query.split('#').next().unwrap_or_default();
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None => {
            let is_near = net::is_private(&format!("http://{url}"));
            (if is_near { "http" } else { "https" }.to_owned(), url)
        }
    };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let mut path = path.trim_end_matches('/');
    if let Some(end) = KNOWN.keys.calls.iter().find(|end| path.ends_with(&***end)) {
        path = path[..path.len() - end.len()].trim_end_matches('/');
    }
    format!("{scheme}://{}{path}{query}", host.to_ascii_lowercase())
}

/// Returns the address of a call: the path goes in front of the query of the base.
pub(super) fn join(base_url: &str, path: &str) -> String {
    let (base, query) = base_url.split_once('?').unwrap_or((base_url, ""));
    let base = base.trim_end_matches('/');
    match (query.is_empty(), path.contains('?')) {
        (true, _) => format!("{base}{path}"),
        (false, true) => format!("{base}{path}&{query}"),
        (false, false) => format!("{base}{path}?{query}"),
    }
}

/// Returns a base with the usual version in its path, or without the version that it has; `None` if neither differs.
pub(super) fn other_version(base_url: &str, wire: Wire) -> Option<String> {
    let (base, query) = base_url.find('?').map_or((base_url, ""), |at| base_url.split_at(at));
    let base = base.trim_end_matches('/');
    let bare = ["/v1", "/v1beta"].into_iter().find_map(|version| base.strip_suffix(version));
    match (bare, code(wire).version) {
        (Some(bare), _) => Some(format!("{bare}{query}")),
        (None, "") => None,
        (None, version) => Some(format!("{base}{version}{query}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_have_them() {
        for (typed, base) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
            ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
            (" HTTP://LocalHost:8080/v1/ ", "http://localhost:8080/v1"),
            ("localhost:1234", "http://localhost:1234"),
            ("192.168.1.7:8000/v1", "http://192.168.1.7:8000/v1"),
            ("api.example.org/v1/models", "https://api.example.org/v1"),
            ("\"https://api.example.org/v1/messages\"", "https://api.example.org/v1"),
            (
                "https://x.openai.azure.com/openai/deployments/prod/chat/completions?api-version=1#top",
                "https://x.openai.azure.com/openai/deployments/prod?api-version=1",
            ),
            ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ] {
            assert_eq!(base_address(typed), base, "{typed}");
        }
    }

    #[test]
    fn a_path_goes_in_front_of_the_query() {
        for (base, path, url) in [
            ("http://h/v1/", "/models", "http://h/v1/models"),
            (
                "http://h/d?api-version=1",
                "/chat/completions",
                "http://h/d/chat/completions?api-version=1",
            ),
            (
                "http://h/d?api-version=1",
                "/models?limit=9",
                "http://h/d/models?limit=9&api-version=1",
            ),
        ] {
            assert_eq!(join(base, path), url);
        }
    }

    #[test]
    fn the_version_is_tried_both_ways() {
        let other = |base, wire| other_version(base, wire);
        assert_eq!(other("http://h/v1/", Wire::OpenAi).as_deref(), Some("http://h"));
        assert_eq!(other("http://h", Wire::OpenAi).as_deref(), Some("http://h/v1"));
        assert_eq!(other("http://h?a=1", Wire::Gemini).as_deref(), Some("http://h/v1beta?a=1"));
        assert_eq!(other("http://h/v1", Wire::Ollama).as_deref(), Some("http://h"));
        assert_eq!(other("http://h", Wire::Ollama), None);
    }
}
