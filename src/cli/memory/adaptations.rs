//! Changes to requests that servers asked for, kept between runs in a file of the user's state folder.
//!
//! The file is a cache: a lost or damaged one costs a refused request per model. An entry of an unknown change is
//! dropped, so that the file cannot add anything to a request that the program does not know.

use crate::cli::memory::private_file::write_private;
use crate::clock::wall_now;
use crate::untrusted::read_own_text;
use crate::voice::remote::{Cure, Endpoint, Memory};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "adaptations.json";
/// Maximum number of entries; the oldest are dropped.
const ENTRIES_MAX: usize = 1_000;
/// Age at which an entry is forgotten, in milliseconds: servers and models change.
const AGE_MAX_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// A change to the requests to one model at one address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adaptation {
    /// Name of the provider.
    pub provider: String,
    /// Address of its API, without secrets.
    pub address: String,
    /// Name of the model, without its provider.
    pub model: String,
    /// The change, as [`Cure`] is written.
    pub did: String,
    /// Time at which it was learnt, in milliseconds since 1970.
    pub at: i64,
}

/// The learnt changes, in memory and in their file.
pub struct LearntAdaptations {
    path: PathBuf,
    known: Mutex<Vec<Adaptation>>,
}

impl LearntAdaptations {
    /// Reads the file in the state folder.
    pub fn read(folder: &Path) -> LearntAdaptations {
        LearntAdaptations { path: folder.join(FILE), known: Mutex::new(read(folder)) }
    }
}

/// Returns the changes in the file that are still valid; empty if the file is unreadable.
pub fn read(folder: &Path) -> Vec<Adaptation> {
    let text = read_own_text(&folder.join(FILE)).unwrap_or_default();
    let mut all: Vec<Adaptation> = serde_json::from_str(&text).unwrap_or_default();
    let now = wall_now().0;
    all.retain(|entry| {
        let age = now.saturating_sub(entry.at);
        (0..AGE_MAX_MS).contains(&age) && Cure::parse(&entry.did).is_some()
    });
    all
}

/// Removes the file.
///
/// # Errors
/// The error of the operating system; a missing file is none.
pub fn forget(folder: &Path) -> io::Result<()> {
    match std::fs::remove_file(folder.join(FILE)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns an address without password and query, either of which may be a key.
pub fn without_secrets(base_url: &str) -> String {
    let url = base_url.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (host, path) =
        rest.split_once('/').map_or((rest, String::new()), |(h, p)| (h, format!("/{p}")));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{}", path.trim_end_matches('/'))
}

fn is_of(entry: &Adaptation, endpoint: &Endpoint, model: &str) -> bool {
    entry.model == model
        && entry.provider == *endpoint.name
        && entry.address == without_secrets(&endpoint.base_url)
}

impl Memory for LearntAdaptations {
    fn recall(&self, endpoint: &Endpoint, model: &str) -> Vec<Cure> {
        let known = self.known.lock();
        let own = known.iter().filter(|entry| is_of(entry, endpoint, model));
        own.filter_map(|entry| Cure::parse(&entry.did)).collect()
    }

    fn learn(&self, endpoint: &Endpoint, model: &str, cure: Cure) {
        let did = cure.to_string();
        let mut known = self.known.lock();
        known.retain(|entry| !(is_of(entry, endpoint, model) && entry.did == did));
        known.push(Adaptation {
            provider: endpoint.name.to_string(),
            address: without_secrets(&endpoint.base_url),
            model: model.to_owned(),
            did,
            at: wall_now().0,
        });
        let surplus = known.len().saturating_sub(ENTRIES_MAX);
        known.drain(..surplus);
        let text = serde_json::to_string(&*known).unwrap_or_default();
        // a cache: without it the next run asks again
        let _ = write_private(&self.path, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::remote::Wire;
    use std::fs;

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint::new("mine", Wire::OpenAi, base_url)
    }

    #[test]
    fn an_address_that_is_written_down_has_no_key_in_it() {
        for (url, plain) in [
            ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
            ("https://me:s3cret@host/v1?key=s3cret", "https://host/v1"),
            ("https://host", "https://host"),
        ] {
            assert_eq!(without_secrets(url), plain);
        }
    }

    #[test]
    fn a_change_is_kept_per_provider_address_and_model() {
        let folder = tempfile::tempdir().unwrap();
        let here = endpoint("http://127.0.0.1:1/v1?key=s3cret");
        let cure = Cure::parse("leave out temperature").unwrap();
        let learnt = LearntAdaptations::read(folder.path());
        learnt.learn(&here, "m", cure);
        learnt.learn(&here, "m", cure);
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!text.contains("s3cret"), "{text}");
        let again = LearntAdaptations::read(folder.path());
        assert_eq!(again.recall(&here, "m"), [cure]);
        assert_eq!(again.recall(&here, "n"), []);
        assert_eq!(again.recall(&endpoint("http://127.0.0.1:2/v1"), "m"), []);
        forget(folder.path()).unwrap();
        forget(folder.path()).unwrap();
        assert_eq!(read(folder.path()), []);
    }

    #[test]
    fn old_unknown_and_damaged_entries_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |did: &str, at: i64| serde_json::json!({"provider": "p", "address": "a", "model": "m", "did": did, "at": at});
        let now = wall_now().0;
        let all = serde_json::json!([
            entry("leave out seed", now - AGE_MAX_MS),
            entry("leave out messages", now),
            entry("leave out max_tokens", now),
            entry("rename seed to messages", now),
            entry("leave out stop", now),
            entry("leave out stop", now + 1_000_000),
        ]);
        fs::write(folder.path().join(FILE), all.to_string()).unwrap();
        let left = read(folder.path());
        assert_eq!(left.iter().map(|e| &*e.did).collect::<Vec<_>>(), ["leave out stop"]);
        fs::write(folder.path().join(FILE), "[{").unwrap();
        assert_eq!(read(folder.path()), []);
    }
}
