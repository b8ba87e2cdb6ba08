//! Table of vendors over the wire formats, read from a file of data, and the endpoint of a call.

use super::adaptation::Cure;
use crate::model::{Secret, Text, Wire};
use crate::voice::CallFailure;
use futures::future::BoxFuture;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use tokio::sync::OnceCell;

const TEXT: &str = include_str!("../../assets/providers.toml");

static VENDORS: LazyLock<Vec<Vendor>> = LazyLock::new(|| {
    let table: Table = toml::from_str(TEXT).unwrap_or_default();
    table.provider
});

#[derive(Default, Deserialize)]
struct Table {
    provider: Vec<Vendor>,
}

/// A vendor: a row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vendor {
    /// Provider name, the part before the colon in `provider:name`.
    pub name: String,
    /// Wire format of its API.
    pub wire: Wire,
    /// Wire format of calls with tools or effort, if it is another one.
    #[serde(default)]
    pub tool_wire: Option<Wire>,
    /// Default address of its API.
    pub base_url: String,
    /// Usual environment variable of its key; empty if no key is needed.
    #[serde(default, rename = "key")]
    pub key_env: String,
    /// Beginnings of its keys; empty if they have none in common.
    #[serde(default, rename = "prefixes", deserialize_with = "kept")]
    pub key_prefixes: Vec<&'static str>,
    /// Changes to every request that it needs.
    // read when a model is called: the names of the fields are in another, larger table
    #[serde(default)]
    adapt: Vec<String>,
}

/// Reads texts of the table, which is read once and never freed.
fn kept<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<&'static str>, D::Error> {
    let texts: Vec<String> = Vec::deserialize(from)?;
    Ok(texts.into_iter().map(|text| &*text.leak()).collect())
}

/// Returns the vendors known without configuration, in the order of the help.
pub fn vendors() -> &'static [Vendor] {
    &VENDORS
}

/// Returns the changes to every request that the vendor of this name needs.
pub fn usual_changes(provider: &str) -> impl Iterator<Item = Cure> {
    let known = VENDORS.iter().filter(move |vendor| vendor.name == provider);
    let texts = known.flat_map(|vendor| &vendor.adapt);
    texts.map(|text| Cure::parse(text).expect("the file is a part of the program"))
}

/// Keys that expire.
pub trait Keyring: Send + Sync {
    /// Returns the last key that replaced the first one.
    fn newest(&self) -> Option<Secret>;

    /// Replaces a key that its server refused.
    ///
    /// # Errors
    /// The reason why there is no other key.
    fn renew<'a>(&'a self, refused: &'a Secret) -> BoxFuture<'a, Result<(), String>>;
}

/// The server of a call: resolved from the user's settings, never from a session or scenario file.
#[derive(Clone)]
pub struct Endpoint {
    /// Name of the provider, for messages.
    pub name: Text,
    /// Wire format of the server's API.
    pub wire: Wire,
    /// Wire format of calls with tools or effort, if it is another one.
    pub tool_wire: Option<Wire>,
    /// Base URL, with or without a trailing slash.
    pub base_url: Text,
    /// Key that belongs to this address.
    pub key: Option<Secret>,
    /// Source of another key if the server no longer takes this one.
    pub keyring: Option<Arc<dyn Keyring>>,
    /// Header of the key, if it is another one than that of the wire format.
    pub key_header: Option<Text>,
    /// Source of the key, for messages.
    pub key_from: Text,
    /// Changes to every request that the settings state.
    pub changes: Vec<Cure>,
    /// Answer to the request for its models, once one was sent.
    pub(super) listed: Arc<OnceCell<Result<Value, CallFailure>>>,
}

impl Endpoint {
    /// Returns a server without a key.
    pub fn new(name: &str, wire: Wire, base_url: &str) -> Endpoint {
        Endpoint {
            name: name.into(),
            wire,
            tool_wire: None,
            base_url: base_url.into(),
            key: None,
            keyring: None,
            key_header: None,
            key_from: "none needed".into(),
            changes: vec![],
            listed: Arc::default(),
        }
    }
    /// Returns the key of the next request.
    pub(super) fn current_key(&self) -> Option<Secret> {
        let newest = self.keyring.as_ref().and_then(|keyring| keyring.newest());
        newest.or_else(|| self.key.clone())
    }
}
