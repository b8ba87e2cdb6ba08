//! Context windows and sizes of models on a local server, as the server states them.

use super::cure::SUCCESS;
use super::listing::{entries, name};
use super::{Endpoint, Remote, Wire, read};
use crate::model::{Text, Timeouts};
use crate::net::Client;
use serde_json::{Value, json};
use std::sync::Arc;

/// Largest window requested from Ollama, which allocates memory for all of it.
const OLLAMA_WINDOW_MAX: u32 = 16_384;

/// Returns the window of a model in tokens; `None` if its server does not state one.
pub async fn window(client: Client, endpoint: Arc<Endpoint>, model: &str) -> Option<u32> {
    match endpoint.wire {
        Wire::Ollama => {
            let remote = Remote::new(client, endpoint, model.into());
            let shown = fetch(&remote, "/api/show", Some(json!({ "model": model }))).await?;
            of_ollama(&shown)
        }
        Wire::Anthropic | Wire::Gemini => {
            let remote = Remote::new(client, endpoint, model.into());
            loaded(entry(remote.listed().await.ok()?, model)?)
        }
        Wire::OpenAi | Wire::Responses => {
            let remote = Remote::new(client, endpoint, model.into());
            let entry = entry(remote.listed().await.ok()?, model)?;
            if let Some(window) = loaded(entry) {
                return Some(window);
            }
            let props = fetch(&at_root(&remote), "/props", None).await.unwrap_or_default();
            tokens(&props["default_generation_settings"]["n_ctx"])
                .or_else(|| tokens(&entry["meta"]["n_ctx_train"]))
        }
    }
}

/// Returns the number of parameters of a model; `None` if its server does not state it.
pub async fn parameters(client: Client, endpoint: Arc<Endpoint>, model: &str) -> Option<u64> {
    let wire = endpoint.wire;
    let remote = Remote::new(client, endpoint, model.into());
    match wire {
        Wire::Ollama => {
            let shown = fetch(&remote, "/api/show", Some(json!({ "model": model }))).await?;
            shown["model_info"]["general.parameter_count"].as_u64()
        }
        Wire::OpenAi | Wire::Responses => {
            let listed = remote.listed().await.ok()?;
            entry(listed, model)?["meta"]["n_params"].as_u64()
        }
        Wire::Anthropic | Wire::Gemini => None,
    }
}

/// Returns the JSON at a path of a server; a body makes the request a POST.
async fn fetch(remote: &Remote, path: &str, body: Option<Value>) -> Option<Value> {
    let body = body.map(|body| body.to_string());
    let ask = remote.ask(path, body, Timeouts::default().connect).ok()?;
    let mut answer = remote.client.send(ask).await.ok()?;
    if answer.status() != SUCCESS {
        return None;
    }
    let mut body = vec![];
    read(&mut answer, &mut body).await;
    serde_json::from_slice(&body).ok()
}

/// Returns the same server without the version in its path: llama.cpp serves its properties there.
fn at_root(remote: &Remote) -> Remote {
    let url = remote.endpoint.base_url.trim_end_matches('/');
    let base_url: Text = url.strip_suffix("/v1").unwrap_or(url).into();
    let endpoint = Arc::new(Endpoint { base_url, ..(*remote.endpoint).clone() });
    Remote { endpoint, ..remote.clone() }
}

/// Returns the entry of a model in a list; a single entry matches any name.
fn entry<'a>(listed: &'a Value, model: &str) -> Option<&'a Value> {
    match entries(listed)? {
        [only] => Some(only),
        all => all.iter().find(|entry| name(entry).is_some_and(|name| name == model)),
    }
}

/// Names of a model's window in the lists of all servers; those of a loaded model come first.
const WINDOWS: [&str; 8] = [
    "n_ctx",
    "max_model_len",
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "inputTokenLimit",
];

/// Returns the window of a model by its entry, at its top or one level below.
fn loaded(entry: &Value) -> Option<u32> {
    let below = || entry.as_object().into_iter().flat_map(|keys| keys.values());
    WINDOWS.iter().find_map(|key| {
        tokens(&entry[key]).or_else(|| below().find_map(|inside| tokens(&inside[key])))
    })
}

/// Returns the window of a model from Ollama's description: its own setting, or its maximum within bounds.
fn of_ollama(shown: &Value) -> Option<u32> {
    let lines = shown["parameters"].as_str().unwrap_or_default().lines();
    let set = lines.filter_map(|line| line.trim().strip_prefix("num_ctx")).next();
    let set = set.and_then(|n| n.trim().parse().ok());
    let most = || {
        let info = shown["model_info"].as_object()?;
        info.iter().find(|(key, _)| key.ends_with(".context_length")).and_then(|(_, n)| tokens(n))
    };
    set.or_else(|| most().map(|n| n.min(OLLAMA_WINDOW_MAX)))
}

fn tokens(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_window_of_each_kind_of_server() {
        let ollama = json!({"model_info": {"llama.context_length": 131_072}});
        assert_eq!(of_ollama(&ollama), Some(OLLAMA_WINDOW_MAX));
        let set =
            json!({"parameters": "stop \"x\"\nnum_ctx                8192", "model_info": {}});
        assert_eq!(of_ollama(&set), Some(8_192));
        assert_eq!(of_ollama(&json!({})), None);
        for (listed, expected) in [
            (json!({"data": [{"id": "a", "max_model_len": 32_768}]}), Some(32_768)),
            (json!({"data": [{"id": "a", "meta": {"n_ctx": 6_144}}]}), Some(6_144)),
            (json!({"data": [{"id": "a"}, {"id": "b", "max_model_len": 1}]}), None),
        ] {
            assert_eq!(entry(&listed, "a").and_then(loaded), expected, "{listed}");
        }
    }
}
