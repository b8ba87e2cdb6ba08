//! A provider's key while it is entered on the start screen: never shown, and handed over once. The address of a server
//! is entered in the same form and shown, without its password.

use std::net::IpAddr;
use std::ops::Range;

/// The longest key that is taken, in characters.
const LONGEST: usize = 4_096;

/// Shortest key of a known vendor, in characters.
const SHORTEST: usize = 16;

/// Letters and digits in a row, of both kinds, that are a key of any vendor and no word or name.
const RANDOM: usize = 20;

/// A vendor, and the beginnings of its keys.
pub type KeyShape<'a> = (&'a str, &'a [&'a str]);

/// A key, or an address, that is being entered.
#[derive(Default)]
pub struct Keying {
    /// The place in the form: providers without a key, the address of a server, saved keys.
    pub at: usize,
    pub(super) key: String,
    pub(super) address: String,
    /// The next Enter confirms: a key of an unusual shape, or the deletion of a saved key.
    pub(super) asked: bool,
    /// Address of a server that answered, and wants the key.
    pub server: Option<String>,
}

impl Keying {
    /// Asks whether a key is to be saved for a provider, by its place in the form.
    pub(super) fn of_provider(at: usize, key: String) -> Keying {
        Keying { at, key, ..Keying::default() }
    }

    /// Asks for the key of a server.
    pub(super) fn of_server(address: String) -> Keying {
        Keying { server: Some(address), ..Keying::default() }
    }

    /// Returns the number of characters of the key; the only fact about it that is shown.
    pub fn length(&self) -> usize {
        self.key.chars().count()
    }

    /// Returns the address so far.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Takes in pasted text: of the address behind the last of the providers, else of the key. An address is never a key:
    /// it becomes the server's address, whichever provider was chosen. A key is never an address.
    pub(super) fn paste(
        &mut self,
        providers: &[(String, String)],
        shapes: &[KeyShape],
        pasted: &str,
    ) {
        self.asked = false;
        let keys = providers.len();
        let is_key = self.at < keys || self.server.is_some();
        let entered = if is_key { &mut self.key } else { &mut self.address };
        let room = LONGEST.saturating_sub(entered.chars().count());
        entered.extend(pasted.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(room));
        if self.server.is_some() {
            return;
        }
        if is_key && (is_address(&self.key) || host_with_port(&self.key).is_some()) {
            self.at = keys;
            self.address = std::mem::take(&mut self.key);
        } else if !is_key && let Some(owner) = key_owner(&self.address, shapes) {
            self.at = providers.iter().position(|(name, _)| name == owner).unwrap_or(0);
            self.key = std::mem::take(&mut self.address);
        }
    }
}

/// Returns the parts of a text that nobody may read: all that looks like a key, and passwords of addresses. The text may
/// still be typed: a key counts from the first character after its prefix.
fn secrets(text: &str, shapes: &[KeyShape]) -> Vec<Range<usize>> {
    let mut found = vec![];
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let is_ended = word.trim_end_matches([' ', '?', '!', '.', ',', ';', ':']) != word;
        let part = key_part(word, shapes, is_ended).or_else(|| password(word));
        found.extend(part.map(|part| at + part.start..at + part.end));
        at += word.len();
    }
    found
}

/// Returns a text with a sign in place of each character of its secrets; `None` without any.
pub(super) fn veiled_text(text: &str, shapes: &[KeyShape], sign: &str) -> Option<String> {
    let hidden = secrets(text, shapes);
    let shown = |(at, c): (usize, char)| {
        let is_hidden = hidden.iter().any(|part| part.contains(&at)) && !c.is_whitespace();
        if is_hidden { sign.to_owned() } else { c.to_string() }
    };
    (!hidden.is_empty()).then(|| text.char_indices().map(shown).collect())
}

/// Returns the part of a word from the prefix of a key on, or from a run of random characters on.
fn key_part(word: &str, shapes: &[KeyShape], is_ended: bool) -> Option<Range<usize>> {
    let is_key = |rest: &str| {
        let known = shapes.iter().flat_map(|(_, prefixes)| *prefixes);
        let plain = |c: char| c.is_ascii_lowercase() || c == '-';
        known.filter(|prefix| !prefix.is_empty()).any(|prefix| {
            let after = rest.strip_prefix(prefix).unwrap_or_default().trim_end();
            let after = after.trim_end_matches(['?', '!', '.', ',', ';', ':']);
            // "sk-learn" is a word
            let is_word = is_ended && rest.len() < SHORTEST && after.chars().all(plain);
            !after.is_empty() && !is_word
        })
    };
    let is_random = |rest: &str| {
        let run = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let run = &rest[..run];
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        run.len() >= RANDOM && digits > 1 && digits < run.len()
    };
    let mut before = ' ';
    let start = word.char_indices().find(|(at, c)| {
        let is_first = !before.is_ascii_alphanumeric();
        before = *c;
        is_first && (is_key(&word[*at..]) || is_random(&word[*at..]))
    });
    start.map(|(at, _)| at..word.len())
}

/// Returns the user and the password in an address, also before its `@` is typed.
fn password(word: &str) -> Option<Range<usize>> {
    let from = word.find("://").map(|at| at + "://".len());
    let rest = &word[from.unwrap_or(0)..];
    let from = from.unwrap_or(0);
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let colon = host.find(':')?;
    if let Some(end) = rest.rfind('@').filter(|end| *end > colon) {
        return Some(from..from + end);
    }
    let is_port = host[colon + 1..].trim_end().bytes().all(|byte| byte.is_ascii_digit());
    (from > 0 && !is_port && !host.starts_with('[')).then(|| from + colon + 1..word.len())
}

/// Returns the vendor whose keys look like a text; `None` for any other text.
pub fn key_owner<'a>(text: &str, shapes: &[KeyShape<'a>]) -> Option<&'a str> {
    let text = text.trim();
    if text.chars().count() < SHORTEST || text.contains(char::is_whitespace) {
        return None;
    }
    let known = shapes.iter().flat_map(|(name, prefixes)| prefixes.iter().map(|p| (*name, *p)));
    let fitting = known.filter(|(_, prefix)| !prefix.is_empty() && text.starts_with(prefix));
    // the first of vendors with the same prefix
    fitting.rev().max_by_key(|(_, prefix)| prefix.len()).map(|(name, _)| name)
}

/// Returns whether words are the address of a server: with a scheme, an IP address, `localhost`, or a domain with a port.
pub(super) fn is_address(words: &str) -> bool {
    let domain = host_with_port(words).is_some_and(|host| host.contains(['.', '[']));
    let (host, rest) = words.split_at(words.find([':', '/']).unwrap_or(words.len()));
    let path = rest.len() <= 1 || rest.starts_with('/');
    let local = host == "localhost" && (path || host_with_port(words).is_some());
    has_scheme(words) || domain || local || words.parse::<IpAddr>().is_ok()
}

fn has_scheme(words: &str) -> bool {
    words.starts_with("http://") || words.starts_with("https://")
}

/// Returns the host of `HOST:PORT` or `HOST:PORT/PATH`.
fn host_with_port(words: &str) -> Option<&str> {
    let (host, port) = words.split('/').next()?.rsplit_once(':')?;
    (!host.is_empty() && port.parse::<u16>().is_ok()).then_some(host)
}

/// Returns the reason why a text does not look like a key of a provider; a provider without a known shape takes any.
pub(super) fn doubt(provider: &str, key: &str, shapes: &[KeyShape]) -> Option<String> {
    let (_, own) = shapes.iter().find(|(name, _)| *name == provider)?;
    let longest = |prefixes: &[&str]| {
        prefixes.iter().filter(|p| key.starts_with(**p)).map(|p| p.len()).max().unwrap_or(0)
    };
    let other = shapes.iter().max_by_key(|(_, prefixes)| longest(prefixes))?;
    if longest(other.1) > longest(own) {
        return Some(format!("this looks like a key of {}", other.0));
    }
    if key.chars().count() < SHORTEST {
        return Some("this is too short for a key".into());
    }
    (longest(own) == 0 && !own.is_empty())
        .then(|| format!("keys of {provider} begin with {}", own.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_addresses_and_leaves_keys_and_models() {
        for words in [
            "http://box",
            "https://api.example/v1",
            "localhost",
            "localhost:8080",
            "localhost/v1",
            "127.0.0.1:18080",
            "127.0.0.1:18080/v1",
            "192.168.1.5",
            "box.example:8000",
            "[::1]:8080",
        ] {
            assert!(is_address(words), "{words}");
        }
        for words in
            ["sk-1234", "ollama:llama3.2", "ollama:llama3.2:1b", "openai:gpt-4.1", "localhosts"]
        {
            assert!(!is_address(words), "{words}");
        }
    }

    #[test]
    fn doubts_keys_of_another_shape() {
        let shapes: &[KeyShape] =
            &[("openai", &["sk-"]), ("anthropic", &["sk-ant-"]), ("mistral", &[])];
        let long = |prefix: &str| format!("{prefix}0123456789abcdef");
        for (provider, key, fault) in [
            ("openai", long("sk-"), None),
            ("anthropic", long("sk-ant-"), None),
            ("mistral", long(""), None),
            ("own", "x".into(), None),
            ("openai", long("sk-ant-"), Some("this looks like a key of anthropic")),
            ("anthropic", long("sk-"), Some("this looks like a key of openai")),
            ("openai", long("hello"), Some("keys of openai begin with sk-")),
            ("openai", "sk-1".into(), Some("this is too short for a key")),
        ] {
            assert_eq!(doubt(provider, &key, shapes).as_deref(), fault, "{provider} {key}");
        }
    }
}
