//! Connections: failed and closed ones, and the destination of a key.

use crate::program;
use crate::remote::call::{CONNECT, KEY, LONG, MODEL, endpoint, request, speak};
use crate::remote::faults::CONNECTIONS;
use crate::remote::server::{Server, Step, answer, head};
use crate::remote::streams::words;
use colloquium::clock::Clock;
use colloquium::model::*;
use colloquium::net::Client;
use colloquium::voice::remote::{Remote, Wire};
use colloquium::voice::{CallFailure, Chunk, Out, Voice};
use std::{sync::Arc, time::Duration};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

async fn fails(base_url: &str) -> CallFailure {
    let came = speak(endpoint(Wire::OpenAi, base_url), request(LONG, ModelSpec::default())).await;
    println!("{}", came.end().as_ref().unwrap_err().text);
    came.end().clone().unwrap_err()
}

/// Compares a class with the table of faults.
fn check(name: &str, class: ErrorClass) {
    let row = CONNECTIONS.iter().find(|row| row.name == name).unwrap();
    assert_eq!(Some(class), row.class, "{name}");
}

#[tokio::test]
async fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let failure = fails(&format!("http://127.0.0.1:{port}/v1")).await;
    check("nobody listens", failure.class);
    let text = format!("the server at 127.0.0.1:{port} refused the connection; is it running?");
    assert_eq!(&*failure.text, text);
}

/// A process of its own, because a proxy in the environment would resolve the name.
#[test]
fn a_name_has_no_address() {
    let home = program::home();
    let mut test = program::command(std::env::current_exe().unwrap(), home.path());
    test.args([
        "--exact",
        "remote::connections::name_without_an_address",
        "--ignored",
        "--nocapture",
    ]);
    let ran = test.output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && out.contains("1 passed"), "{out}");
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn name_without_an_address() {
    // the resolver rejects a label of more than 63 letters without using a network
    let name = "a".repeat(64);
    check("a name without an address", fails(&format!("http://{name}.invalid/v1")).await.class);
}

#[tokio::test]
async fn a_server_does_not_speak_tls() {
    let server =
        Server::start(vec![Step::Send("HTTP/1.1 400 Bad Request\r\n\r\n".into()), Step::Hang])
            .await;
    check("no TLS", fails(&server.url.replace("http", "https")).await.class);
}

#[tokio::test]
async fn an_address_is_none() {
    for address in ["file:///etc/passwd", "127.0.0.1:8080", "", "http://"] {
        assert_eq!(fails(address).await.class, ErrorClass::NoProtocol, "{address}");
    }
}

#[tokio::test]
async fn a_missing_model_or_key_is_told_with_the_way_out() {
    let check = |wire, key, status, way_out: &'static str| async move {
        let server = Server::answering(answer(status, "", "{}")).await;
        let mut place = endpoint(wire, &server.url);
        place.key = key;
        let came = speak(place, request(LONG, ModelSpec::default())).await;
        let text = came.end().as_ref().unwrap_err().text.to_string();
        assert!(text.contains(way_out), "{text}");
    };
    check(Wire::Ollama, None, "404 Not Found", "`ollama pull tiny-1` fetches it").await;
    check(Wire::OpenAi, None, "404 Not Found", "`colloquium models` lists those it has").await;
    check(Wire::OpenAi, None, "401 Unauthorized", "set the key of provider `test`").await;
    let key = Some(Secret::new(KEY.into()));
    check(Wire::OpenAi, key, "401 Unauthorized", "check the key of provider `test`").await;
}

#[tokio::test]
async fn a_key_cannot_be_sent() {
    let mut place = endpoint(Wire::OpenAi, "http://127.0.0.1:9");
    place.key = Some(Secret::new("two\nlines".into()));
    let came = speak(place, request(LONG, ModelSpec::default())).await;
    let failure = came.end().as_ref().unwrap_err();
    assert_eq!(failure.class, ErrorClass::Credentials);
    assert!(!failure.text.contains("lines"));
}

/// A server with a full queue neither accepts nor refuses a connection.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connecting_takes_too_long() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = timeout(Duration::from_millis(100), TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
    }
    let place = endpoint(Wire::OpenAi, &format!("http://{address}"));
    let came = speak(place, request(CONNECT, ModelSpec::default())).await;
    let failure = came.end().as_ref().unwrap_err();
    check("connecting takes too long", failure.class);
    assert!(failure.text.contains("connection timed out"), "{}", failure.text);
}

#[tokio::test]
async fn a_key_goes_to_its_own_address_only() {
    let other = Server::answering(vec![]).await;
    let to = format!("Location: {}/v1/chat/completions\r\n", other.url);
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let server = Server::answering(answer(status, &to, "")).await;
        assert_eq!(fails(&server.url).await.class, ErrorClass::NoProtocol, "{status}");
        let asked = server.asked();
        let (first, _) = asked.split_once("\r\n").unwrap();
        assert_eq!(asked.matches(KEY).count(), 1);
        assert!(!first.contains(KEY));
    }
    assert!(other.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_cut_call_closes_its_connection() {
    for steps in [
        vec![Step::Read, head(), Step::Send(words("Hello ").into()), Step::Hang],
        vec![Step::Read, head(), Step::Flood(words("on ").into())],
    ] {
        let server = Server::start(steps).await;
        let (tx, mut rx) = mpsc::channel(1);
        let place = Arc::new(endpoint(Wire::OpenAi, &server.url));
        let voice = Remote::new(Client::new(), place, MODEL.into());
        let ask = request(LONG, ModelSpec::default());
        let out = Out::new(ask.call, tx, Clock::real(Ms(0)));
        let speaking = tokio::spawn(voice.speak(ask, out));
        let first = rx.recv().await.unwrap().1;
        assert!(matches!(first, Chunk::Piece(Channel::Say, _)), "{first:?}");
        speaking.abort();
        timeout(Duration::from_secs(10), server.gone.notified()).await.expect("the server noticed");
    }
}
