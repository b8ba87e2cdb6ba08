//! Names of hosts to addresses, by the system, with an error of our own: so that a name without an address can be told
//! from a server that is not there.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// The name of a host has no address.
#[derive(Debug, Error)]
#[error("the host name was not found")]
pub(super) struct NoAddress(#[source] std::io::Error);

/// The system's own resolver.
pub(super) struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str().to_owned(), 0)).await;
            let addresses: Addrs = Box::new(found.map_err(NoAddress)?);
            Ok(addresses)
        })
    }
}
