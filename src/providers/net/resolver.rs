//! Resolves host names with the system's resolver and an error type of its own, so that a name without an address is
//! distinct from a server that is down.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// The host name does not resolve.
#[derive(Debug, Error)]
#[error("the host name was not found")]
pub(super) struct NoAddress(#[source] std::io::Error);

/// Resolver of the operating system.
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
