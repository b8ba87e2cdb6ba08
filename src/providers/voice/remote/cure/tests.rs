//! Cures of refusals as servers write them, and of refusals that no server wrote.

use super::*;
use crate::model::{ErrorClass, Message, ModelSpec, Role};
use crate::voice::remote::failure;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

/// A request with every field, in the formats of OpenAI and Google.
fn full() -> Value {
    json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.5, "top_p": 0.9,
        "frequency_penalty": 0.1, "presence_penalty": 0.1, "repeat_penalty": 1.1, "seed": 7, "stop": ["END"],
        "reasoning_effort": "low", "max_tokens": 200_000,
        "response_format": {"type": "json_schema"},
        "generationConfig": {"thinkingConfig": {"thinkingBudget": 1}, "topP": 0.9},
    })
}

fn sent<'a>(body: &'a Value, adapted: &'a Adaptations) -> Sent<'a> {
    let (wire, usual) = (Wire::OpenAi, Wire::OpenAi);
    Sent { body, instructs: true, adapted, wire, usual }
}

fn cured(status: u16, body: &str) -> Option<String> {
    let refusal = RefusedRequest::new(status, body.as_bytes());
    let adapted = Adaptations::default();
    let body = &full();
    let sent = sent(body, &adapted);
    cure(&refusal, &sent).map(|cure| cure.to_string())
}

#[test]
fn words_of_servers_name_known_formats_and_classes() {
    for field in &KNOWN.field {
        let known = Wire::ALL.iter().filter(|wire| field.path(**wire).is_some()).count();
        assert_eq!(known, field.at.len(), "{}", field.name);
        for wire in Wire::ALL {
            // a format has a place for each setting that it supports
            let lacks = wire.lacks(&all_set(), true).contains(&&*field.name);
            assert!(!lacks || field.path(wire).is_none(), "{} {}", wire.name(), field.name);
        }
    }
    for class in [ErrorClass::BadRequest, ErrorClass::Silence, ErrorClass::UnknownModel] {
        assert_eq!(KNOWN.class.iter().filter(|row| row.is == class).count(), 1, "{class:?}");
    }
}

/// Settings of a participant that not every wire format has.
fn all_set() -> ModelSpec {
    let (seed, some) = (Some(7), Some(0.5));
    let spec = ModelSpec { seed, frequency_penalty: some, ..ModelSpec::default() };
    ModelSpec { presence_penalty: some, repeat_penalty: some, stop: vec!["x".into()], ..spec }
}

#[test]
fn refusals_of_servers_name_their_cure() {
    for (status, body, expected) in [
        // OpenAI
        (
            400,
            r#"{"error":{"message":"Unrecognized request argument supplied: stream_options","param":null}}"#,
            Some("leave out stream_options"),
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
            Some("rename max_tokens to max_completion_tokens"),
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}"#,
            Some("leave out temperature"),
        ),
        (
            400,
            r#"{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens.","param":"max_tokens"}}"#,
            Some("at most 16384 tokens"),
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","param":"messages[0].role"}}"#,
            Some("send the instructions as user"),
        ),
        // DeepSeek
        (
            400,
            r#"{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","param":null}}"#,
            Some("at most 8192 tokens"),
        ),
        // Mistral and other servers that validate field by field
        (
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":7}]}"#,
            Some("leave out seed"),
        ),
        (
            422,
            r#"{"object":"error","message":{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}}"#,
            Some("leave out seed"),
        ),
        // vLLM, llama.cpp and templates
        (
            400,
            r#"{"object":"error","message":"System role not supported","code":400}"#,
            Some("send the instructions as user"),
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"Jinja Exception: System role not supported","type":"server_error"}}"#,
            Some("send the instructions as user"),
        ),
        (500, r#"{"error":{"message":"seed: internal error, unsupported"}}"#, None),
        (
            422,
            r#"{"message":"messages.0.role: Input should be 'user' or 'assistant'"}"#,
            Some("send the instructions as user"),
        ),
        (
            400,
            r#"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}"#,
            Some("send the instructions as user"),
        ),
        (
            400,
            r#"{"detail":"`response_format` of type json_schema is not supported"}"#,
            Some("leave out schema"),
        ),
        // Google
        (
            400,
            r#"[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]"#,
            Some("send the instructions as user"),
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"Invalid JSON payload received.","details":[{"fieldViolations":[{"field":"generation_config.thinking_config","description":"Unknown name"}]}]}}"#,
            Some("leave out effort"),
        ),
        // xAI, Groq, Anthropic, Bedrock
        (
            400,
            r#"{"code":"invalid-argument","error":"Argument not supported on this model: presencePenalty"}"#,
            Some("leave out presence_penalty"),
        ),
        (
            400,
            r#"{"error":{"message":"`frequency_penalty` is not supported"}}"#,
            Some("leave out frequency_penalty"),
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens"}}"#,
            Some("at most 64000 tokens"),
        ),
        (
            400,
            r#"{"message":"`temperature` and `top_p` cannot both be specified for this model. Please use only one."}"#,
            Some("leave out temperature"),
        ),
        // plain text
        (
            400,
            "unknown field `repeat_penalty`, expected one of `model`",
            Some("leave out repeat_penalty"),
        ),
        // nothing that was sent, nothing that is refused, another status
        (400, r#"{"error":{"message":"Unsupported parameter: logit_bias"}}"#, None),
        (400, r#"{"error":{"message":"We like temperature"}}"#, None),
        (400, "", None),
        (429, r#"{"error":{"message":"unsupported temperature"}}"#, None),
        (401, r#"{"error":{"message":"invalid seed"}}"#, None),
    ] {
        assert_eq!(cured(status, body).as_deref(), expected, "{body}");
    }
}

#[test]
fn a_common_word_in_a_long_text_names_no_field() {
    let filler = "word ".repeat(60);
    assert_eq!(cured(400, &format!("invalid request: please stop here. {filler}")), None);
    let quoted = format!("invalid request: 'stop' is too long. {filler}");
    assert_eq!(cured(400, &quoted).as_deref(), Some("leave out stop"));
}

#[test]
fn a_stated_window_is_read() {
    let window = |text: &str| {
        stated_window(&RefusedRequest::new(400, text.as_bytes())).map(|w| w.to_string())
    };
    for (text, expected) in [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000.",
            Some("window 8192"),
        ),
        ("the prompt exceeds the context size (4,096 tokens)", Some("window 4096")),
        ("maximum context length is 3 tokens", None),
        ("too long", None),
    ] {
        assert_eq!(window(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn changes_are_written_and_read_alike() {
    for text in [
        "leave out stream_options",
        "leave out effort",
        "rename seed to random_seed",
        "rename max_tokens to max_completion_tokens",
        "send the instructions as user",
        "put the tools into words",
        "simplify the schemas",
        "use wire responses",
        "use wire openai",
        "change the version in the path",
        "window 8192",
        "at most 4096 tokens",
    ] {
        assert_eq!(Cure::parse(text).unwrap().to_string(), text);
    }
    for text in [
        "",
        "leave out messages",
        "leave out max_tokens",
        "rename seed to messages",
        "rename messages to seed",
        "rename max_tokens to max_output_tokens",
        "use wire gemini",
        "window x",
        "at most -1 tokens",
        "leave out",
    ] {
        assert_eq!(Cure::parse(text), None, "{text}");
    }
}

#[test]
fn changes_are_applied_where_the_field_is() {
    let all =
        ["rename max_tokens to max_completion_tokens", "leave out top_p", "at most 16 tokens"];
    let adapted: Adaptations = all.iter().map(|text| Cure::parse(text).unwrap()).collect();
    let mut body = full();
    adapted.apply(&mut body);
    assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(16), &Value::Null));
    assert!(body["top_p"].is_null() && body["generationConfig"]["topP"].is_null());
    assert_eq!(body["temperature"], 0.5);
    let system: Adaptations = [Cure::SystemIntoUser].into_iter().collect();
    let messages = [Message::new(Role::System, "Rules."), Message::new(Role::User, "Speak.")];
    let moved = system.messages(&messages).unwrap();
    assert_eq!((moved.len(), moved[0].role, &*moved[0].text), (1, Role::User, "Rules.\n\nSpeak."));
    let moved = system.messages(&messages[..1]).unwrap();
    assert_eq!((moved.len(), moved[0].role), (1, Role::User));
}

#[test]
fn a_server_that_names_the_responses_api_gets_it() {
    for (status, body, expected) in [
        (
            400,
            r#"{"error":{"message":"Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead.","param":"reasoning_effort"}}"#,
            Some(Cure::Wire(Wire::Responses)),
        ),
        (
            404,
            r#"{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","param":"model"}}"#,
            Some(Cure::Wire(Wire::Responses)),
        ),
        (401, r#"{"error":{"message":"No access to /v1/responses"}}"#, None),
        (404, "404 page not found", Some(Cure::OtherPath)),
    ] {
        let mut fault = failure::of_status(status, body);
        fault.refusal = Some(RefusedRequest::new(status, body.as_bytes()).into());
        let (adapted, request) = (Adaptations::default(), full());
        let chat = sent(&request, &adapted);
        assert_eq!(fault.cure(&chat).map(|(cure, _)| cure), expected, "{body}");
        // a format that was not asked for is left where nothing is at its path
        if status == 404 && expected == Some(Cure::OtherPath) {
            let other = Sent { wire: Wire::Responses, ..chat };
            assert_eq!(fault.cure(&other), Some((Cure::Wire(Wire::OpenAi), true)), "{body}");
        }
    }
}

#[test]
fn refused_tools_and_schemas_become_words_and_simple_ones() {
    let schema = json!({"type": "object", "properties": {"pattern": {"type": ["string", "null"], "minLength": 1}},
        "additionalProperties": false, "required": ["pattern"]});
    let simple = json!({"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]});
    let mut body = full();
    body["tools"] = json!([{"type": "function", "function": {"name": "a", "parameters": schema}}]);
    body["response_format"] = json!({"type": "json_schema", "json_schema": {"schema": schema}});
    let tools = Some(Cure::ToolsInText);
    let simpler = Some(Cure::SimpleSchemas);
    for (status, message, first, then) in [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools", tools, None),
        (404, "No endpoints found that support tool use.", tools, None),
        (500, "tools param requires --jinja flag", tools, None),
        (400, "\"auto\" tool choice requires --enable-auto-tool-choice to be set", tools, None),
        (400, "Tool calling is not supported for this model", tools, None),
        (
            400,
            "Invalid schema for function 'a': functions with minLength are unsupported",
            simpler,
            tools,
        ),
        (400, "Unknown name additionalProperties", simpler, None),
        (
            400,
            "`temperature` is not supported with tools",
            Cure::parse("leave out temperature"),
            tools,
        ),
        // a mistake of the model, and nothing that tools are refused for
        (400, "Failed to call a function. Please adjust your prompt.", None, None),
        (429, "tools are not supported", None, None),
    ] {
        let text = json!({"error": {"message": message}}).to_string();
        let mut fault = failure::of_status(status, &text);
        fault.refusal = Some(RefusedRequest::new(status, text.as_bytes()).into());
        let found = |adapted: &Adaptations| {
            let mut body = body.clone();
            adapted.apply(&mut body);
            // the guess for servers that only fail is another matter
            body.as_object_mut().unwrap().shift_remove("response_format");
            fault.cure(&sent(&body, adapted)).map(|(cure, _)| cure)
        };
        assert_eq!(found(&Adaptations::default()), first, "{message}");
        let adapted: Adaptations = first.into_iter().collect();
        assert_eq!(found(&adapted), then, "{message}");
    }
    Adaptations::from_iter([Cure::SimpleSchemas]).apply(&mut body);
    assert_eq!(body["tools"][0]["function"]["parameters"], simple);
    assert_eq!(body["response_format"]["json_schema"]["schema"], simple);
    // a reply whose schema stays refused is asked for in words
    let refusal = RefusedRequest::new(400, br#"{"error":"response_format: invalid schema"}"#);
    let adapted = Adaptations::from_iter([Cure::SimpleSchemas]);
    assert_eq!(cure(&refusal, &sent(&body, &adapted)), Cure::parse("leave out schema"));
}

/// Pieces of refusals, put together at random.
const PIECES: &[&str] = &[
    "unsupported",
    "Unknown parameter",
    "'temperature'",
    "stop",
    "seed",
    "max_tokens",
    "Use",
    "max_completion_tokens",
    "instead",
    "at most",
    "16384",
    "99999999999",
    "-1",
    "role",
    "system",
    "messages",
    "model",
    "tools",
    "stream",
    "\"param\"",
    "response_format",
    "thinking",
    "\u{202e}",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
];

/// Adds the keys, texts and numbers of a value.
fn add_parts(value: &Value, to: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            to.insert(key.clone());
            add_parts(value, to);
        }),
        Value::Array(all) => all.iter().for_each(|value| add_parts(value, to)),
        Value::String(text) => drop(to.insert(text.clone())),
        Value::Number(number) => drop(to.insert(number.to_string())),
        Value::Null | Value::Bool(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// No text of a server gets into a request, and no call loops: each change removes its own reason.
    #[test]
    fn mutated_refusals_send_nothing_outside_the_table(
        status in prop::sample::select(vec![200_u16, 400, 404, 405, 415, 422, 501]),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        param in prop::sample::select(PIECES),
        structured in any::<bool>(),
    ) {
        let text = pieces.join(" ");
        let body = if structured {
            json!({"error": {"message": text, "param": param}, "detail": [{"loc": ["body", param], "msg": text}]})
                .to_string()
        } else {
            text
        };
        let mut fault = failure::of_status(status, &body);
        fault.refusal = Some(RefusedRequest::new(status, body.as_bytes()).into());
        let mut known = BTreeSet::new();
        add_parts(&full(), &mut known);
        known.extend(KNOWN.field.iter().flat_map(|field| field.renames.clone()));
        let mut adapted = Adaptations::default();
        let mut seen = vec![];
        for _ in 0..16 {
            let mut request = full();
            adapted.apply(&mut request);
            let mut parts = BTreeSet::new();
            add_parts(&request, &mut parts);
            let unknown: Vec<&String> = parts.difference(&known).collect();
            prop_assert!(unknown.is_empty(), "{unknown:?}");
            let sent = sent(&request, &adapted);
            let Some((cure, _)) = fault.cure(&sent) else { break };
            if let Cure::MostTokens(most) = cure {
                prop_assert!(body.contains(&most.to_string()), "{most}");
                known.insert(most.to_string());
            }
            prop_assert!(!seen.contains(&cure), "{cure} twice");
            prop_assert_eq!(Cure::parse(&cure.to_string()), Some(cure));
            seen.push(cure);
            adapted.add(cure);
        }
        prop_assert!(seen.len() < 16);
    }
}
