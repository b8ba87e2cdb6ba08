//! Faults before the first text: bad statuses, heads and bodies.

use crate::remote::call::{Came, FIRST, KEY, LONG, TOPIC, endpoint, request, speak};
use crate::remote::server::{Server, Step, answer};
use crate::remote::streams;
use colloquium::model::{ErrorClass, ModelSpec};
use colloquium::voice::remote::Wire;
use serde_json::json;

/// A fault, its expected class, and the delay requested by the server in milliseconds.
struct Fault {
    name: &'static str,
    steps: Vec<Step>,
    class: ErrorClass,
    wait: Option<u64>,
}

fn fault(name: &'static str, class: ErrorClass, steps: Vec<Step>) -> Fault {
    Fault { name, steps, class, wait: None }
}

fn says(status: &str, error: serde_json::Value) -> Vec<Step> {
    answer(status, "Content-Type: application/json\r\n", &json!({ "error": error }).to_string())
}

fn raw(bytes: &str) -> Vec<Step> {
    vec![Step::Send(bytes.into())]
}

const WIRES: [Wire; 4] = [Wire::OpenAi, Wire::Anthropic, Wire::Gemini, Wire::Ollama];

const PAGE: &str = "<!doctype html><html><body><h1>Welcome to nginx!</h1></body></html>";

fn refusals() -> Vec<Fault> {
    use ErrorClass::*;
    let message = |text: &str| json!({"message": text, "type": "invalid_request_error"});
    let coded =
        |code: &str| json!({"message": "no", "type": "invalid_request_error", "code": code});
    vec![
        fault("400", BadRequest, says("400 Bad Request", message("temperature is too high"))),
        fault("400, window", Context, says("400 Bad Request", coded("context_length_exceeded"))),
        fault(
            "400, window in words",
            Context,
            says("400 Bad Request", message("prompt is too long: 210000 tokens > 200000 maximum")),
        ),
        fault("400, content", Filter, says("400 Bad Request", coded("content_policy_violation"))),
        fault(
            "400, key",
            Credentials,
            says(
                "400 Bad Request",
                json!({"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}),
            ),
        ),
        fault(
            "400, credit",
            Credit,
            says("400 Bad Request", message("Your credit balance is too low")),
        ),
        fault(
            "401 that repeats the key",
            Credentials,
            says("401 Unauthorized", message(&format!("Incorrect API key provided: {KEY}"))),
        ),
        fault("402", Credit, says("402 Payment Required", message("pay"))),
        fault("403", Credentials, says("403 Forbidden", message("not for you"))),
        fault("404", UnknownModel, says("404 Not Found", json!("model 'tiny-1' not found"))),
        fault("404, a page", UnknownModel, answer("404 Not Found", "", PAGE)),
        fault("413", Context, answer("413 Payload Too Large", "", "")),
        fault(
            "422 that repeats the prompt",
            BadRequest,
            says("422 Unprocessable", message(&format!("what is this: {TOPIC} {KEY}"))),
        ),
        fault("429, quota", Credit, says("429 Too Many", coded("insufficient_quota"))),
        fault("500", Failed, says("500 Internal Server Error", message("oops"))),
        fault("502, a page", Failed, answer("502 Bad Gateway", "", PAGE)),
        fault("302", NoProtocol, answer("302 Found", "Location: http://127.0.0.1:9/v1\r\n", "")),
        fault("101", NoProtocol, raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")),
        Fault {
            wait: Some(7_000),
            ..fault("429, seconds", Rate, answer("429 Too Many", "Retry-After: 7\r\n", "{}"))
        },
        Fault {
            wait: Some(0),
            ..fault(
                "429, a date that has passed",
                Rate,
                answer("429 Too Many", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "{}"),
            )
        },
        Fault {
            wait: Some(1_200),
            ..fault(
                "429, milliseconds beside rounded seconds",
                Rate,
                answer("429 Too Many", "Retry-After: 2\r\nRetry-After-Ms: 1200\r\n", "{}"),
            )
        },
        Fault {
            wait: Some(1_150),
            ..fault(
                "429, in words",
                Rate,
                says("429 Too Many", message("Limit reached. Please try again in 1.15s.")),
            )
        },
        fault("403, a page", Credentials, answer("403 Forbidden", "", PAGE)),
        fault("429, a word", Rate, answer("429 Too Many", "Retry-After: soon\r\n", "{}")),
        fault("429, below zero", Rate, answer("429 Too Many", "Retry-After: -3\r\n", "{}")),
        Fault {
            wait: Some(1_500),
            ..fault("503", Overload, answer("503 Unavailable", "Retry-After: 1.5\r\n", "{}"))
        },
        fault(
            "529",
            Overload,
            says("529 Overloaded", json!({"type": "overloaded_error", "message": "Overloaded"})),
        ),
        Fault {
            wait: Some(2_000),
            ..fault("429 whose body never ends", Rate, {
                let head = "HTTP/1.1 429 Too Many\r\nRetry-After: 2\r\nContent-Length: 99\r\n\r\n{";
                vec![Step::Send(head.into()), Step::Hang]
            })
        },
    ]
}

fn heads_and_bodies() -> Vec<Fault> {
    use ErrorClass::*;
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: 1\r\n".repeat(5_000));
    vec![
        fault("200 without a body", NoProtocol, answer("200 OK", "", "")),
        fault("204", NoProtocol, raw("HTTP/1.1 204 No Content\r\n\r\n")),
        fault("200, a page", NoProtocol, answer("200 OK", "Content-Type: text/html\r\n", PAGE)),
        fault(
            "200, a key error as JSON",
            Credentials,
            says("200 OK", json!({"code": "invalid_api_key"})),
        ),
        fault("200, compressed unasked", NoProtocol, {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n";
            vec![Step::Send(head.into()), Step::Send(vec![0x1f, 0x8b, 0x08, 0x00])]
        }),
        fault("closed before the request", Broken, vec![]),
        fault("closed after the request", Broken, vec![Step::Read]),
        fault("reset after the request", Broken, vec![Step::Read, Step::Reset]),
        fault("closed inside the head", Broken, raw("HTTP/1.1 200 OK\r\nContent-")),
        fault("not HTTP", NoProtocol, raw("220 mail.example.org ESMTP ready\r\n")),
        fault("two lengths", NoProtocol, {
            raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
        }),
        fault("a head line without an end", NoProtocol, raw(&long)),
        fault("too many head lines", NoProtocol, raw(&many)),
        fault("an endless head", NoProtocol, {
            vec![
                Step::Send("HTTP/1.1 200 OK\r\n".into()),
                Step::Flood("X-Many: 1\r\n".repeat(1_000).into()),
            ]
        }),
        fault("a chunk without a size", Broken, {
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        }),
        fault("no head at all", Silence, vec![Step::Hang]),
        fault("half a head", Silence, vec![Step::Send("HTTP/1.1 200 O".into()), Step::Hang]),
        fault("its direction ended, then nothing", Broken, vec![Step::HalfClose]),
        fault("hints without an answer", Silence, {
            vec![Step::Send("HTTP/1.1 103 Early Hints\r\n\r\n".into()), Step::Hang]
        }),
    ]
}

/// Checks the rules for failure messages and returns the message.
fn check_message(came: &Came, name: &str) -> String {
    assert!(came.pieces.is_empty(), "{name}: words in spite of a fault");
    let failure = came.end().as_ref().expect_err(name);
    let text = failure.text.to_string();
    assert!(text.starts_with("the server at 127.0.0.1:"), "{name}: {text}");
    assert!(text.contains("; "), "{name}: no next step: {text}");
    assert!(!text.contains(KEY) && !text.contains("lighthouse"), "{name}: {text}");
    assert!(text.len() < 500 && !text.contains('\n'), "{name}: {text}");
    text
}

#[tokio::test]
async fn every_fault_before_a_word_ends_once_and_is_told() {
    let faults: Vec<Fault> = refusals().into_iter().chain(heads_and_bodies()).collect();
    let count = faults.len();
    let mut wrong = Vec::new();
    for row in crate::remote::faults::HTTP {
        let fault = faults.iter().find(|f| f.name == row.name).expect(row.name);
        assert_eq!((Some(fault.class), fault.wait), (row.class, row.wait), "{}", row.name);
    }
    for Fault { name, mut steps, class, wait } in faults {
        let unread = steps.is_empty() || matches!(steps.first(), Some(Step::Read));
        if !unread {
            steps.insert(0, Step::Read);
        }
        let timeouts = if class == ErrorClass::Silence { FIRST } else { LONG };
        let on = |wire| {
            let steps = steps.clone();
            let request = request(timeouts.clone(), ModelSpec::default());
            async move {
                let server = Server::start(steps).await;
                speak(endpoint(wire, &server.url), request).await
            }
        };
        let [a, b, c, d] = WIRES;
        let came = tokio::join!(on(a), on(b), on(c), on(d));
        for (wire, came) in WIRES.into_iter().zip([came.0, came.1, came.2, came.3]) {
            println!("{name:36} {}", check_message(&came, name));
            let failure = came.end().as_ref().unwrap_err();
            if (failure.class, failure.retry_after_ms) != (class, wait) {
                wrong.push(format!("{name}, {wire:?}: {class:?}, {wait:?} wanted: {failure:?}"));
            }
        }
    }
    let all = count * WIRES.len();
    println!(
        "{} of {all}: {count} HTTP faults in {} formats: one end, right class, nothing leaked",
        all - wrong.len(),
        WIRES.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A refusal is read up to 4 MiB; later bytes are ignored.
#[tokio::test]
async fn a_refusal_without_an_end_is_not_read_to_its_end() {
    for (blank, class) in [(1_000, ErrorClass::Credit), (8 << 20, ErrorClass::Rate)] {
        let body =
            " ".repeat(blank) + &json!({"error": {"code": "insufficient_quota"}}).to_string();
        let server = Server::answering(answer("429 Too Many", "", &body)).await;
        let came =
            speak(endpoint(Wire::OpenAi, &server.url), request(LONG, ModelSpec::default())).await;
        assert_eq!(came.end().as_ref().unwrap_err().class, class, "{blank} blanks");
    }
}

#[tokio::test]
async fn the_forms_of_an_answer_that_are_unusual_are_good() {
    let text = streams::openai().text;
    let length = text.len();
    for head in [
        "HTTP/1.0 200 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 200\r\nConnection: close\r\n\r\n".to_owned(),
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
            .to_owned(),
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n"),
    ] {
        let server = Server::answering(vec![Step::Send((head.clone() + &text).into_bytes())]).await;
        let came =
            speak(endpoint(Wire::OpenAi, &server.url), request(LONG, ModelSpec::default())).await;
        assert_eq!((came.say(), came.end().is_ok()), (streams::SAY.into(), true), "{head}");
    }
}
