//! Context windows and sizes of models on a local server, as the server states them.

use super::known::KNOWN;
use super::listing::{entries, name};
use super::{Endpoint, LIST_MS, Patience, Remote, Wire, read};
use crate::model::Timeouts;
use crate::net::Client;
use serde_json::{Value, json};
use std::sync::Arc;

/// Largest window requested from Ollama, which allocates memory for all of it.
const OLLAMA_WINDOW_MAX: u32 = 16_384;

/// Returns the window of a model in tokens; `None` if its server does not state one.
pub async fn window(client: Client, endpoint: Arc<Endpoint>, model: &str) -> Option<u32> {
    let remote = Remote::new(client, endpoint, model.into());
    let about = describe(&remote).await?;
    match remote.endpoint.wire {
        Wire::Ollama => of_ollama(&about),
        Wire::Anthropic | Wire::Gemini => loaded(&about),
        Wire::OpenAi | Wire::Responses => {
            if let Some(window) = loaded(&about) {
                return Some(window);
            }
            // llama.cpp serves its properties beside the version in the path
            let base = remote.endpoint.base_url.trim_end_matches('/');
            let base = base.strip_suffix("/v1").unwrap_or(base);
            let props = fetch(&remote, base, "/props", None).await.unwrap_or_default();
            tokens(&props["default_generation_settings"]["n_ctx"])
                .or_else(|| tokens(&about["meta"]["n_ctx_train"]))
        }
    }
}

/// Returns the number of parameters of a model; `None` if its server does not state it.
pub async fn parameters(client: Client, endpoint: Arc<Endpoint>, model: &str) -> Option<u64> {
    if matches!(endpoint.wire, Wire::Anthropic | Wire::Gemini) {
        return None;
    }
    let about = describe(&Remote::new(client, endpoint, model.into())).await?;
    let counts = [&about["model_info"]["general.parameter_count"], &about["meta"]["n_params"]];
    counts.into_iter().find_map(Value::as_u64)
}

/// Returns what a server states about a model: its entry in the list, or Ollama's answer to a request of its own.
async fn describe(remote: &Remote) -> Option<Value> {
    if remote.endpoint.wire != Wire::Ollama {
        return entry(remote.listed().await.ok()?, &remote.model).cloned();
    }
    let body = json!({"model": remote.model}).to_string();
    fetch(remote, &remote.endpoint.base_url, "/api/show", Some(body)).await
}

/// Returns the JSON at a path of a server; a body makes the request a POST.
async fn fetch(remote: &Remote, base: &str, path: &str, body: Option<String>) -> Option<Value> {
    let ask = remote.ask(base, path, body, Timeouts::default().connect).ok()?;
    let mut answer = remote.send(ask, &mut Patience::new(LIST_MS)).await.ok()?;
    let mut body = vec![];
    read(&mut answer, &mut body).await;
    serde_json::from_slice(&body).ok()
}

/// Returns the entry of a model in a list; a single entry matches any name.
fn entry<'a>(listed: &'a Value, model: &str) -> Option<&'a Value> {
    match entries(listed)? {
        [only] => Some(only),
        all => all.iter().find(|entry| name(entry).is_some_and(|name| name == model)),
    }
}

/// Returns the window of a model by its entry, at its top or one level below.
fn loaded(entry: &Value) -> Option<u32> {
    let below = || entry.as_object().into_iter().flat_map(|keys| keys.values());
    KNOWN.keys.windows.iter().find_map(|key| {
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
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    number.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
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
            (json!({"data": [{"id": "a", "context_window": 131_072}]}), Some(131_072)),
            (json!({"models": [{"name": "models/a", "inputTokenLimit": 9_000}]}), Some(9_000)),
            (
                json!([{"id": "b"}, {"id": "a", "top_provider": {"context_length": 7_000}}]),
                Some(7_000),
            ),
            (json!([{"id": "a", "max_context_length": 9, "loaded_context_length": 8}]), Some(8)),
            (json!({"data": [{"id": "a", "context_length": "65536"}]}), Some(65_536)),
            (json!({"data": [{"id": "a", "context_length": "long"}]}), None),
            (json!({"data": [{"id": "a"}, {"id": "b", "max_model_len": 1}]}), None),
        ] {
            assert_eq!(entry(&listed, "a").and_then(loaded), expected, "{listed}");
        }
    }
}
