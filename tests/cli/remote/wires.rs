//! The wire formats: requests, and results of valid answers.

use crate::remote::call::{KEY, LONG, TOPIC, endpoint, request, speak};
use crate::remote::server::{Server, Step, answer, head};
use crate::remote::streams;
use colloquium::model::*;
use colloquium::net::Client;
use colloquium::voice::CallRequest;
use colloquium::voice::remote::{Wire, models, usual_changes, vendors};
use serde_json::{Value, json};
use std::sync::Arc;

fn spec() -> ModelSpec {
    ModelSpec {
        temperature: Some(0.5),
        max_tokens: Some(200),
        stop: vec!["END".into()],
        effort: Some("low".into()),
        ..ModelSpec::default()
    }
}

/// Sends a call in a format. Returns the request: its first line, its head in lower case, its body.
async fn sent(wire: Wire, spec: ModelSpec) -> (String, String, Value) {
    sent_by(wire, request(Timeouts::default(), spec)).await
}

async fn sent_by(wire: Wire, request: CallRequest) -> (String, String, Value) {
    let good = streams::all().into_iter().find(|g| g.wire == wire).unwrap();
    let server = Server::answering(vec![head(), Step::Send(good.text.into_bytes())]).await;
    let came = speak(endpoint(wire, &(server.url.clone() + "/base/")), request).await;
    assert!(came.end().is_ok(), "{:?}", came.end());
    let asked = server.asked();
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    let (first, rest) = head.split_once("\r\n").unwrap();
    (first.into(), rest.to_lowercase(), serde_json::from_str(body).unwrap())
}

#[tokio::test]
async fn good_answers_are_understood() {
    for good in streams::all() {
        let server = Server::answering(vec![head(), Step::Send(good.text.into_bytes())]).await;
        let came =
            speak(endpoint(good.wire, &server.url), request(Timeouts::default(), spec())).await;
        assert_eq!((&*came.say(), &*came.think()), (good.say, good.think), "{:?}", good.wire);
        let done = came.end().as_ref().unwrap();
        assert_eq!(done.finish.as_deref(), Some("stop"));
        let usage = done.usage.clone().unwrap();
        assert_eq!((usage.input, usage.output), (good.input, good.output), "{:?}", good.wire);
        let cached = if good.wire == Wire::Anthropic { 11 } else { 0 };
        assert_eq!(usage.cache_read, cached, "{:?}", good.wire);
        assert_eq!(done.text, None);
    }
}

#[tokio::test]
async fn openai_is_asked_in_its_own_way() {
    let (first, head, body) = sent(Wire::OpenAi, spec()).await;
    assert_eq!(first, "POST /base/chat/completions HTTP/1.1");
    assert!(head.contains(&format!("authorization: bearer {KEY}")));
    assert!(!head.contains("accept-encoding"), "{head}");
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "You are Ada."}));
    assert!(body["messages"][1]["content"].as_str().unwrap().contains(TOPIC));
    assert_eq!(body["messages"][2], json!({"role": "assistant", "content": "They save ships."}));
    assert_eq!(body["messages"][3]["role"], "user");
    let mut rest = body.clone();
    rest.as_object_mut().unwrap().remove("messages");
    assert_eq!(
        rest,
        json!({"model": "tiny-1", "stream": true, "stream_options": {"include_usage": true},
            "temperature": 0.5, "max_tokens": 1224, "stop": ["END"], "reasoning_effort": "low"})
    );
    let (_, _, plain) = sent(Wire::OpenAi, ModelSpec::default()).await;
    for key in ["temperature", "max_tokens", "stop", "reasoning_effort", "seed", "top_p"] {
        assert!(plain[key].is_null(), "{key}");
    }
}

#[tokio::test]
async fn anthropic_is_asked_in_its_own_way() {
    let (first, head, body) = sent(Wire::Anthropic, spec()).await;
    assert_eq!(first, "POST /base/messages HTTP/1.1");
    assert!(
        head.contains(&format!("x-api-key: {KEY}"))
            && head.contains("anthropic-version: 2023-06-01")
    );
    // text that later prompts repeat is cached: the rules, and the conversation up to this turn's own notes
    let kept = json!({"type": "ephemeral"});
    assert_eq!(
        body["system"],
        json!([{"type": "text", "text": "You are Ada.", "cache_control": kept}])
    );
    let last = body["messages"][2]["content"].as_array().unwrap();
    assert_eq!(last.len(), 2);
    assert!(last[0]["text"].as_str().unwrap().ends_with("They cost money.\n</said>"));
    assert_eq!((&last[0]["cache_control"], &last[1]["cache_control"]), (&kept, &Value::Null));
    let roles: Vec<_> = body["messages"].as_array().unwrap().iter().map(|m| &m["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(body["max_tokens"], 200 + 1024);
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 1024}));
    assert!(body["temperature"].is_null());
    assert_eq!(body["stop_sequences"], json!(["END"]));
    let (_, _, plain) = sent(Wire::Anthropic, ModelSpec::default()).await;
    assert_eq!((&plain["max_tokens"], &plain["thinking"]), (&json!(4096), &Value::Null));
}

#[tokio::test]
async fn the_responses_api_is_asked_to_store_nothing() {
    let (first, head, body) = sent(Wire::Responses, spec()).await;
    assert_eq!(first, "POST /base/responses HTTP/1.1");
    assert!(head.contains(&format!("authorization: bearer {KEY}")));
    let input = body["input"].as_array().unwrap();
    let roles: Vec<_> = input.iter().map(|item| &item["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert!(input[0]["content"].as_str().unwrap().contains(TOPIC));
    let mut rest = body.clone();
    rest.as_object_mut().unwrap().remove("input");
    assert_eq!(
        rest,
        json!({"model": "tiny-1", "stream": true, "store": false, "include": ["reasoning.encrypted_content"],
            "instructions": "You are Ada.", "temperature": 0.5, "max_output_tokens": 1224,
            "reasoning": {"effort": "low"}})
    );
}

#[tokio::test]
async fn every_setting_of_a_model_is_spelled_or_refused() {
    let all = ModelSpec {
        top_p: Some(0.9),
        seed: Some(7),
        frequency_penalty: Some(0.25),
        presence_penalty: Some(0.5),
        repeat_penalty: Some(1.5),
        stop: vec!["END".into()],
        ..ModelSpec::default()
    };
    let penalties = json!({"top_p": 0.9, "seed": 7, "frequency_penalty": 0.25, "presence_penalty": 0.5, "repeat_penalty": 1.5});
    let has = |body: &Value| penalties.as_object().unwrap().iter().all(|(k, v)| body[k] == *v);
    assert!(has(&sent(Wire::OpenAi, all.clone()).await.2));
    assert!(has(&sent(Wire::Ollama, all.clone()).await.2["options"]));
    let gemini = sent(Wire::Gemini, all.clone()).await.2["generationConfig"].clone();
    assert_eq!(
        (&gemini["topP"], &gemini["seed"], &gemini["frequencyPenalty"], &gemini["presencePenalty"]),
        (&json!(0.9), &json!(7), &json!(0.25), &json!(0.5))
    );
    assert_eq!(sent(Wire::Anthropic, all.clone()).await.2["top_p"], json!(0.9));
    for (wire, local, lacks) in [
        (Wire::Ollama, true, &[][..]),
        (Wire::OpenAi, true, &[]),
        (Wire::OpenAi, false, &["repeat_penalty"]),
        (Wire::Gemini, false, &["repeat_penalty"]),
        (
            Wire::Anthropic,
            false,
            &["seed", "frequency_penalty", "presence_penalty", "repeat_penalty"],
        ),
        (
            Wire::Responses,
            false,
            &["seed", "frequency_penalty", "presence_penalty", "repeat_penalty", "stop"],
        ),
    ] {
        assert_eq!(wire.lacks(&all, local), lacks, "{wire:?}");
        assert!(wire.lacks(&ModelSpec::default(), local).is_empty());
    }
}

#[tokio::test]
async fn gemini_is_asked_in_its_own_way() {
    let (first, head, body) = sent(Wire::Gemini, spec()).await;
    assert_eq!(first, "POST /base/models/tiny-1:streamGenerateContent?alt=sse HTTP/1.1");
    assert!(head.contains(&format!("x-goog-api-key: {KEY}")));
    assert_eq!(body["system_instruction"], json!({"parts": [{"text": "You are Ada."}]}));
    let roles: Vec<_> = body["contents"].as_array().unwrap().iter().map(|m| &m["role"]).collect();
    assert_eq!(roles, ["user", "model", "user"]);
    assert_eq!(
        body["generationConfig"],
        json!({"temperature": 0.5, "maxOutputTokens": 1224, "stopSequences": ["END"],
            "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 1024}})
    );
}

#[tokio::test]
async fn ollama_is_asked_in_its_own_way() {
    let (first, _, body) = sent(Wire::Ollama, spec()).await;
    assert_eq!(first, "POST /base/api/chat HTTP/1.1");
    assert_eq!(body["options"], json!({"temperature": 0.5, "num_predict": 1224, "stop": ["END"]}));
    assert_eq!((&body["think"], &body["stream"]), (&json!("low"), &json!(true)));
}

/// Reasoning tokens are billed even if no text follows.
#[tokio::test]
async fn usage_of_an_empty_reply_is_kept() {
    let spent = streams::finish("length") + &streams::usage() + streams::DONE;
    let server = Server::answering(vec![head(), Step::Send(spent.into_bytes())]).await;
    let came = speak(endpoint(Wire::OpenAi, &server.url), request(LONG, spec())).await;
    let failure = came.end().as_ref().unwrap_err();
    let usage = Usage { input: 31, output: 12, ..Usage::default() };
    assert_eq!((failure.class, &failure.usage), (ErrorClass::Length, &Some(usage)));
}

#[tokio::test]
async fn the_models_of_a_server_are_listed() {
    let check = |wire, path: &'static str, body: &'static str| async move {
        let server = Server::answering(answer("200 OK", "", body)).await;
        let names = models(Client::new(), Arc::new(endpoint(wire, &server.url))).await.unwrap();
        assert_eq!(names, ["one".into(), "two".into()] as [Text; 2], "{wire:?}");
        assert!(server.asked().starts_with(&format!("GET {path} HTTP/1.1")), "{wire:?}");
    };
    check(Wire::OpenAi, "/models", r#"{"data":[{"id":"one"},{"id":"two"}]}"#).await;
    check(Wire::Anthropic, "/models?limit=1000", r#"{"data":[{"id":"one"},{"id":"two"}]}"#).await;
    check(
        Wire::Gemini,
        "/models?pageSize=1000",
        r#"{"models":[{"name":"models/one"},{"name":"models/two"}]}"#,
    )
    .await;
    check(Wire::Ollama, "/api/tags", r#"{"models":[{"name":"one"},{"name":"two"}]}"#).await;
}

#[tokio::test]
async fn a_list_that_is_none_is_a_failure() {
    let check = |steps: Vec<Step>, class: ErrorClass| async move {
        let server = Server::answering(steps).await;
        let failure =
            models(Client::new(), Arc::new(endpoint(Wire::OpenAi, &server.url))).await.unwrap_err();
        assert_eq!(failure.class, class, "{}", failure.text);
        assert!(!failure.text.contains(KEY));
    };
    check(answer("200 OK", "", "<html>"), ErrorClass::NoProtocol).await;
    check(answer("200 OK", "", "{}"), ErrorClass::NoProtocol).await;
    check(answer("401 Unauthorized", "", KEY), ErrorClass::Credentials).await;
}

#[test]
fn vendors_are_sound_rows() {
    let names: Vec<_> = vendors().iter().map(|v| &*v.name).collect();
    assert_eq!(
        names,
        [
            "openai",
            "anthropic",
            "gemini",
            "ollama",
            "openrouter",
            "groq",
            "deepseek",
            "mistral",
            "xai"
        ]
    );
    for vendor in vendors() {
        let here = colloquium::net::host(&vendor.base_url).unwrap().starts_with("127.0.0.1");
        assert!(here || vendor.base_url.starts_with("https://"), "{}", vendor.name);
        assert_eq!(here, vendor.key_env.is_empty(), "{}", vendor.name);
        let mut changes = usual_changes(&vendor.name);
        let changed = ["openai", "mistral"].contains(&&*vendor.name);
        assert_eq!(changes.next().is_some(), changed, "{}", vendor.name);
    }
}

/// Returns a call for one of two answers, to a local or a remote server.
fn choosing(local: bool, spec: ModelSpec) -> CallRequest {
    let ask = request(Timeouts::default(), spec);
    let seat = Arc::new(Participant { local, ..(*ask.seat).clone() });
    CallRequest { seat, form: Form::Choice(vec!["yes".into(), "no".into()]), ..ask }
}

#[tokio::test]
async fn a_server_of_this_machine_holds_its_model_to_the_form() {
    let plain = ModelSpec::default;
    let schema = choosing(true, plain()).form.schema().unwrap();
    let (_, _, body) = sent_by(Wire::OpenAi, choosing(true, plain())).await;
    assert_eq!(
        body["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}})
    );
    let (_, _, body) = sent_by(Wire::Ollama, choosing(true, plain())).await;
    assert_eq!(body["format"], schema);
    let thinking = ModelSpec { effort: Some("low".into()), ..plain() };
    let free = CallRequest { form: Form::Free, ..choosing(true, plain()) };
    for asked in [choosing(false, plain()), choosing(true, thinking), free] {
        let (_, _, body) = sent_by(Wire::OpenAi, asked).await;
        assert_eq!(body["response_format"], Value::Null);
    }
}

#[tokio::test]
async fn a_server_that_cannot_hold_its_model_to_a_form_is_asked_without() {
    let good = streams::all().into_iter().find(|g| g.wire == Wire::OpenAi).unwrap();
    for status in ["400 Bad Request", "500 Internal Server Error"] {
        let refusal =
            format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let refuses = Step::RefuseIf("response_format", refusal.into_bytes());
        let answers = Step::Send(good.text.clone().into_bytes());
        let server = Server::answering(vec![refuses, head(), answers]).await;
        let asked = choosing(true, ModelSpec::default());
        let came = speak(endpoint(Wire::OpenAi, &server.url), asked).await;
        assert_eq!(came.say(), good.say);
        assert_eq!(server.asked.lock().unwrap().len(), 2);
    }
    // a server that refuses the second request as well is reported once
    let server = Server::answering(answer("400 Bad Request", "", "")).await;
    let asked = choosing(true, ModelSpec::default());
    let came = speak(endpoint(Wire::OpenAi, &server.url), asked).await;
    assert_eq!(came.end().as_ref().unwrap_err().class, ErrorClass::BadRequest);
}
