//! Faults after the head of an answer: bad streams, and unusual but valid ones.

use crate::remote::call::{FIRST, LONG, SILENCE, TOTAL, endpoint, request, speak_to};
use crate::remote::server::{Server, Step, chunk, chunked_head, head};
use crate::remote::streams::{self, DONE, delta, event, finish, usage, words};
use colloquium::model::{ErrorClass, ModelSpec, Timeouts};
use colloquium::voice::remote::Wire;
use serde_json::json;

/// A stream, the text kept of it, and its end: a finish reason, or the class of a failure.
struct Fault {
    name: &'static str,
    wire: Wire,
    steps: Vec<Step>,
    say: &'static str,
    think: &'static str,
    end: Result<Option<&'static str>, ErrorClass>,
    estimated: bool,
    timeouts: Timeouts,
}

/// Returns a fault of a stream in OpenAI's format.
fn fault(
    name: &'static str,
    steps: Vec<Step>,
    say: &'static str,
    end: Result<Option<&'static str>, ErrorClass>,
) -> Fault {
    let timeouts = match (end, say) {
        (Err(ErrorClass::Silence), "") => FIRST,
        (Err(ErrorClass::Silence), _) => SILENCE,
        _ => LONG,
    };
    let wire = Wire::OpenAi;
    let think = "";
    let estimated = false;
    Fault { name, wire, steps, say, think, end, estimated, timeouts }
}

fn stream(text: impl Into<Vec<u8>>) -> Vec<Step> {
    vec![head(), Step::Send(text.into())]
}

/// Returns a stream of `Hello world`, with `middle` between the two words.
fn between(middle: &str) -> String {
    words("Hello ") + middle + &words("world") + &finish("stop") + &usage() + DONE
}

const SAID: &str = "Hello world";
const STOP: Result<Option<&str>, ErrorClass> = Ok(Some("stop"));

fn broken() -> Vec<Fault> {
    use ErrorClass::*;
    let hello = words("Hello ");
    let error = |error: serde_json::Value| event(&json!({ "error": error }));
    let then = |middle: &str| stream(hello.clone() + middle);
    let hang = |text: &str| vec![head(), Step::Send(text.into()), Step::Hang];
    let half = &words("world")[..30];
    vec![
        fault(
            "reset in the middle",
            [then(""), vec![Step::Heard, Step::Reset]].concat(),
            "Hello ",
            Err(Broken),
        ),
        fault("cut inside the chunks", vec![chunked_head(), chunk(&hello)], "Hello ", Err(Broken)),
        fault("ended without a mark", then(""), "Hello ", Err(Broken)),
        fault("ended inside a frame", then(half), "Hello ", Err(Broken)),
        fault(
            "ended before a word",
            stream(delta(json!({"role": "assistant"}))),
            "",
            Err(NoProtocol),
        ),
        fault(
            "shorter than it said",
            {
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n";
                vec![Step::Send(head.into()), Step::Send(hello.clone().into())]
            },
            "Hello ",
            Err(Broken),
        ),
        fault(
            "longer than it said",
            {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", hello.len());
                vec![Step::Send(head.into()), Step::Send(between("").into())]
            },
            "Hello ",
            Err(Broken),
        ),
        fault(
            "an error in the middle",
            then(&(error(json!({"type": "overloaded_error"})) + DONE)),
            "Hello ",
            Err(Overload),
        ),
        fault(
            "an error at once",
            stream(error(json!({"code": 429, "message": "slow down"}))),
            "",
            Err(Rate),
        ),
        fault("an error as a text", then(&error(json!("out of memory"))), "Hello ", Err(Failed)),
        fault(
            "an error in a field of its own",
            then("error: {\"code\":500,\"message\":\"slot\"}\n\n"),
            "Hello ",
            Err(Failed),
        ),
        fault(
            "an error inside an answer",
            then(&event(
                &json!({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error",
                "error": {"code": 503, "message": "upstream is overloaded"}}]}),
            )),
            "Hello ",
            Err(Overload),
        ),
        fault("finished by an error", then(&(finish("error") + DONE)), "Hello ", Err(Broken)),
        fault(
            "an error, then words",
            then(&(error(json!({"code": 503})) + &words("no") + DONE)),
            "Hello ",
            Err(Overload),
        ),
        fault("garbage in a frame", then("data: {\"choices\": [\n\n"), "Hello ", Err(Broken)),
        fault("a frame that is no object", then("data: 42\n\n"), "Hello ", Err(Broken)),
        fault(
            "a frame nested too deep",
            then(&format!("data: {}\n\n", "[".repeat(100_000))),
            "Hello ",
            Err(Broken),
        ),
        fault(
            "a line without an end",
            [then(""), vec![Step::Flood(vec![b'a'; 1 << 16])]].concat(),
            "Hello ",
            Err(TooLarge),
        ),
        fault(
            "an event without an end",
            {
                [then(""), vec![Step::Flood(format!("data: {}\n", "a".repeat(1000)).into())]]
                    .concat()
            },
            "Hello ",
            Err(TooLarge),
        ),
        fault("silence before a byte", vec![head(), Step::Hang], "", Err(Silence)),
        fault("silence after words", hang(&hello), "Hello ", Err(Silence)),
        fault(
            "comments for ever",
            vec![head(), Step::Flood(b": keep-alive\n\n".to_vec())],
            "",
            Err(Silence),
        ),
        fault(
            "roles for ever",
            {
                vec![head(), Step::Flood(delta(json!({"role": "assistant", "content": ""})).into())]
            },
            "",
            Err(Silence),
        ),
        fault("finished without words", stream(finish("stop") + DONE), "", Err(Empty)),
        fault("all tokens spent on nothing", stream(finish("length") + DONE), "", Err(Length)),
        fault("held back", stream(finish("content_filter") + DONE), "", Err(Filter)),
    ]
}

fn whole() -> Vec<Fault> {
    let good = || between("");
    let several = || between("data: {\"choices\":\ndata: []}\n\n");
    let index = json!({"tool_calls": [{"index": 4_294_967_295_u64, "id": "x", "function": {"arguments": "{"}}]});
    let second =
        event(&json!({"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": null},
        {"index": 0, "delta": {"content": ""}, "finish_reason": null}]}));
    let silly =
        event(&json!({"choices": [], "usage": {"prompt_tokens": -5, "completion_tokens": "many"}}));
    let plain = words("Hello ") + &words("world") + &finish("stop");
    vec![
        fault("dripped", vec![head(), Step::Drip(good().into())], SAID, STOP),
        fault(
            "characters cut in the middle",
            {
                vec![
                    head(),
                    Step::Drip((words("Grüße 👩\u{200d}🚀") + &finish("stop") + &usage()).into()),
                ]
            },
            "Grüße 👩\u{200d}🚀",
            STOP,
        ),
        fault(
            "bytes that are no characters",
            {
                stream(
                    [
                        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xff\"}}]}\n\n",
                        good().as_bytes(),
                    ]
                    .concat(),
                )
            },
            "a\u{fffd}Hello world",
            STOP,
        ),
        fault("a tool call far away", stream(between(&delta(index))), SAID, STOP),
        fault(
            "CRLF, cut inside, and a frame over several lines",
            vec![head(), Step::Drip(several().replace('\n', "\r\n").into())],
            SAID,
            STOP,
        ),
        fault("CR", stream(good().replace('\n', "\r")), SAID, STOP),
        fault(
            "comments and signs of life",
            stream(between(": OPENROUTER PROCESSING\n\nevent: ping\nid: 4\nretry: 1\n\n")),
            SAID,
            STOP,
        ),
        fault("a byte order mark", stream("\u{feff}".to_owned() + &good()), SAID, STOP),
        fault("a frame over several lines", stream(several()), SAID, STOP),
        fault("no space after the colon", stream(good().replace("data: ", "data:")), SAID, STOP),
        fault("no empty line at the end", stream(good().trim_end()), SAID, STOP),
        fault(
            "roles only, and nulls",
            stream(between(
                &(delta(json!({"role": "assistant"})) + &delta(json!({"content": null}))),
            )),
            SAID,
            STOP,
        ),
        fault(
            "frames of another kind",
            stream(between(&event(&json!({"object": "ping"})))),
            SAID,
            STOP,
        ),
        fault(
            "finished twice",
            stream(good().replace(DONE, &(finish("length") + DONE + DONE))),
            SAID,
            STOP,
        ),
        fault("words after the end", stream(good() + &words(" no")), SAID, STOP),
        fault("several answers", stream(between(&second)), SAID, STOP),
        fault(
            "finished, then reset",
            [stream(good().replace(DONE, "")), vec![Step::Heard, Step::Reset]].concat(),
            SAID,
            STOP,
        ),
        fault(
            "finished, then silence",
            vec![head(), Step::Send(good().replace(DONE, "").into()), Step::Hang],
            SAID,
            STOP,
        ),
        fault(
            "finished, never closed",
            vec![head(), Step::Send(good().into()), Step::Hang],
            SAID,
            STOP,
        ),
        Fault { estimated: true, ..fault("no usage", stream(plain.clone() + DONE), SAID, STOP) },
        Fault {
            estimated: true,
            ..fault("no usage, no last frame", stream(plain.clone()), SAID, STOP)
        },
        Fault {
            estimated: true,
            ..fault("a usage that cannot be", stream(plain.clone() + &silly + DONE), SAID, STOP)
        },
        Fault {
            estimated: true,
            ..fault("no finish, but a last frame", stream(words(SAID) + DONE), SAID, Ok(None))
        },
        fault(
            "no tokens left",
            stream(words(SAID) + &finish("length") + &usage() + DONE),
            SAID,
            Ok(Some("length")),
        ),
        fault(
            "words, then held back",
            stream(words(SAID) + &finish("content_filter") + &usage()),
            SAID,
            Err(ErrorClass::Filter),
        ),
        fault(
            "garbage between words",
            stream(between("data: {\"choices\": [\n\ndata: 42\n\n")),
            SAID,
            STOP,
        ),
        fault("an event without data", stream(between("data:\n\ndata: \n\n")), SAID, STOP),
        fault(
            "reasoning as text",
            stream(words("<thi") + &words("nk>Hm.</think>\n\n") + &good()),
            "<think>Hm.</think>\n\nHello world",
            STOP,
        ),
    ]
}

fn other_wires() -> Vec<Fault> {
    use ErrorClass::*;
    let typed = |data: serde_json::Value| event(&data);
    let text = |t: &str| {
        typed(
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}}),
        )
    };
    let gemini = |t: &str| event(&json!({"candidates": [{"content": {"parts": [{"text": t}]}}]}));
    let line = |t: &str| format!("{}\n", json!({"message": {"content": t}, "done": false}));
    let of = |wire, fault: Fault| Fault { wire, ..fault };
    let blocked = event(&json!({"promptFeedback": {"blockReason": "SAFETY"}}));
    let overloaded = typed(
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    );
    vec![
        of(
            Wire::Anthropic,
            fault("messages: cut cleanly", stream(text("Hello ")), "Hello ", Err(Broken)),
        ),
        of(
            Wire::Anthropic,
            fault(
                "messages: an error",
                stream(text("Hello ") + &overloaded),
                "Hello ",
                Err(Overload),
            ),
        ),
        of(
            Wire::Gemini,
            fault("generate: cut cleanly", stream(gemini("Hello ")), "Hello ", Err(Broken)),
        ),
        of(
            Wire::Gemini,
            fault(
                "generate: an error in a list",
                stream("[{\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\"}}]\n"),
                "",
                Err(Overload),
            ),
        ),
        of(Wire::Gemini, fault("generate: the prompt held back", stream(blocked), "", Err(Filter))),
        of(
            Wire::Ollama,
            fault("lines: cut cleanly", stream(line("Hello ")), "Hello ", Err(Broken)),
        ),
        of(
            Wire::Ollama,
            fault(
                "lines: an error",
                stream(line("Hello ") + "{\"error\":\"unexpected EOF\"}\n"),
                "Hello ",
                Err(Failed),
            ),
        ),
        of(Wire::Ollama, fault("lines: a page", stream("<html>\n<body>\n"), "", Err(NoProtocol))),
    ]
}

fn floods() -> Vec<Fault> {
    let words_for_ever = |text: &str| vec![head(), Step::Flood(words(text).into())];
    vec![
        Fault {
            timeouts: TOTAL,
            ..fault("words for ever", words_for_ever("on "), "on ", Err(ErrorClass::Silence))
        },
        fault(
            "a reply too large",
            words_for_ever(&"on and ".repeat(20_000)),
            "on and ",
            Err(ErrorClass::TooLarge),
        ),
    ]
}

/// Runs a fault; returns a description of the result if it is not the expected one.
async fn check(fault: Fault) -> Option<String> {
    let Fault { name, wire, steps, say, think, end, estimated, timeouts } = fault;
    let server = Server::answering(steps).await;
    let request = request(timeouts, ModelSpec::default());
    let came = speak_to(endpoint(wire, &server.url), request, &server.heard).await;
    let kept = match name {
        "words for ever" | "a reply too large" => came.say().starts_with(say),
        _ => came.say() == say && came.think() == think,
    };
    let right = match (came.end(), end) {
        (Ok(done), Ok(finish)) => {
            let usage = done.usage.as_ref().unwrap();
            let counted = usage.input > 0 && usage.output > 0 && usage.estimated == estimated;
            done.finish.as_deref() == finish && counted
        }
        (Err(failure), Err(class)) => {
            println!("{name:34} {:?}: {}", failure.class, failure.text);
            failure.class == class
        }
        _ => false,
    };
    (!kept || !right)
        .then(|| format!("{name}: {end:?} wanted: {:?}, {:?}", came.pieces, came.end()))
}

#[tokio::test]
async fn every_fault_in_a_stream_ends_once_and_keeps_the_words() {
    let faults: Vec<Fault> =
        broken().into_iter().chain(whole()).chain(other_wires()).chain(floods()).collect();
    let count = faults.len();
    let mut wrong = Vec::new();
    for row in crate::remote::faults::STREAM {
        let fault = faults.iter().find(|f| f.name == row.name).expect(row.name);
        assert_eq!(
            (fault.end.err(), !fault.say.is_empty()),
            (row.class, row.shown),
            "{}",
            row.name
        );
    }
    for fault in faults {
        wrong.extend(check(fault).await);
    }
    let right = count - wrong.len();
    println!("{right} of {count} stream faults: one end, right class, words kept");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Transport faults of a stream have the same result in all formats.
#[tokio::test]
async fn every_wire_ends_a_broken_stream_once_and_keeps_the_words() {
    use ErrorClass::*;
    let mut checked = 0;
    let mut wrong = Vec::new();
    for good in streams::all() {
        let end =
            ["\r\n\r\n", "\n\n", "\n"].into_iter().find(|end| good.text.contains(end)).unwrap();
        // up to and including the first text, but not the last
        let events: Vec<&str> = good.text.split_inclusive(end).collect();
        let heard = events.iter().position(|event| event.contains("Grüße")).unwrap();
        let begun = events[..=heard].concat();
        let half = begun.clone() + &events[heard + 1][..20];
        let flood = vec![Step::Flood(vec![b'a'; 1 << 16])];
        let then = |more: Vec<Step>| [stream(begun.clone()), more].concat();
        let cases = [
            ("reset", then(vec![Step::Heard, Step::Reset]), Broken),
            ("ended without a mark", then(vec![]), Broken),
            ("ended inside a frame", stream(half), Broken),
            ("cut inside the chunks", vec![chunked_head(), chunk(&begun)], Broken),
            ("garbage in a frame", stream(begun.clone() + "data: {\"a\": [" + end), Broken),
            ("a line without an end", then(flood), TooLarge),
            ("silence after words", then(vec![Step::Hang]), Silence),
        ];
        for (name, steps, class) in cases {
            let wire = good.wire;
            let timeouts = if class == Silence { SILENCE } else { LONG };
            let server = Server::answering(steps).await;
            let request = request(timeouts, ModelSpec::default());
            let came = speak_to(endpoint(wire, &server.url), request, &server.heard).await;
            let failed = came.end().as_ref().map_err(|failure| failure.class);
            if came.say() != "Grüße, " || failed.err() != Some(class) {
                wrong.push(format!("{wire:?}, {name}: {:?} {:?}", came.pieces, came.end()));
            }
            checked += 1;
        }
    }
    println!("{} of {checked} broken streams in four formats: right", checked - wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
