//! Fetches facts about models, on request alone.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::runtime::wait_for;
use crate::net::{Ask, Client};
use crate::text;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum bytes of a list.
const BYTES_MAX: usize = 16 << 20;
/// Maximum duration of the request.
const WITHIN: Duration = Duration::from_secs(30);

/// Returns the text at an address.
///
/// # Errors
/// If no answer comes in time, or it is not a text of at most 16 MiB.
pub fn fetch(url: &str, context: &Context) -> Result<String, Failure> {
    let failed =
        |why: String| Failure::new(Exit::Failed, format!("{url}: {why}; the facts are as before"));
    wait_for(url, context, async {
        let fetched = timeout(WITHIN, body(url)).await;
        fetched
            .unwrap_or_else(|_| Err(format!("no answer within {} s", WITHIN.as_secs())))
            .map_err(failed)
    })
}

async fn body(url: &str) -> Result<String, String> {
    let ask = Ask { url: url.into(), connect: WITHIN, ..Ask::default() };
    let mut response = Client::new().send(ask).await.map_err(|e| e.to_string())?;
    if response.status() != 200 {
        return Err(format!("the server answered {}", response.status()));
    }
    let mut bytes = vec![];
    while let Some(part) = response.next().await.map_err(|e| e.to_string())? {
        bytes.extend_from_slice(part.as_ref());
        if bytes.len() > BYTES_MAX {
            return Err(format!("the answer is larger than {} MiB", BYTES_MAX >> 20));
        }
    }
    text::decode_unicode(bytes).map_err(|_| "the answer is not text".into())
}
