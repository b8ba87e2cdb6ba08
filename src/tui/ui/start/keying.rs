//! A provider's key while it is pasted at the start screen: never shown, and handed over once. The address of a server
//! is entered in the same field and shown.

use std::net::IpAddr;

/// The longest key that is taken, in characters.
const LONGEST: usize = 4_096;

/// Scheme of an address that names none.
const PLAIN: &str = "http://";

/// Shortest key of a known vendor, in characters.
const SHORTEST: usize = 16;

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

/// Returns the vendor whose keys look like a text; `None` for any other text.
pub fn key_owner<'a>(text: &str, shapes: &[KeyShape<'a>]) -> Option<&'a str> {
    let text = text.trim();
    if text.chars().count() < SHORTEST || text.contains(char::is_whitespace) {
        return None;
    }
    let known = shapes.iter().flat_map(|(name, prefixes)| prefixes.iter().map(|p| (*name, *p)));
    let fitting = known.filter(|(_, prefix)| !prefix.is_empty() && text.starts_with(prefix));
    fitting.max_by_key(|(_, prefix)| prefix.len()).map(|(name, _)| name)
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
    words.starts_with(PLAIN) || words.starts_with("https://")
}

/// Returns the host of `HOST:PORT` or `HOST:PORT/PATH`.
fn host_with_port(words: &str) -> Option<&str> {
    let (host, port) = words.split('/').next()?.rsplit_once(':')?;
    (!host.is_empty() && port.parse::<u16>().is_ok()).then_some(host)
}

/// Returns an address with its scheme; a server without one is on a network of your own.
pub(super) fn address(typed: &str) -> String {
    let typed = typed.trim().trim_end_matches('/');
    if has_scheme(typed) { typed.into() } else { format!("{PLAIN}{typed}") }
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
