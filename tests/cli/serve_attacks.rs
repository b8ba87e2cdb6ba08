//! Attacks on `colloquium serve` over TCP, by somebody without a link or with the link to watch.

use crate::house::talk;
use crate::served::{Events, Served};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Sends bytes and returns the status of the response; 0 for a closed connection.
fn status(served: &Served, request: &[u8]) -> u16 {
    let mut stream = served.connect();
    // the server may close the connection before it has read all
    let _ = stream.write_all(request);
    let mut line = String::new();
    match BufReader::new(stream).read_line(&mut line) {
        Ok(_) => line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default(),
        Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => 0,
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn malformed_and_misdirected_requests_are_refused() {
    let served = Served::start(&talk(40, 2_000));
    let steer = served.cookie(&served.steer);
    let address = &served.address;
    let host = format!("Host: {address}\r\n");
    let post = format!(
        "POST /steer HTTP/1.1\r\n{host}Origin: http://{address}\r\nContent-Type: application/json\r\n\
         Cookie: {steer}\r\n"
    );
    let mark = "Content-Length: 13\r\n\r\n{\"do\":\"mark\"}";
    let head = |line: &str, more: &str| format!("{line}\r\n{host}{more}\r\n");
    let many: String = (0..101).map(|n| format!("X{n}: 1\r\n")).collect();
    let long = "a".repeat(1_000_000);
    for (request, expected) in [
        (head("GET / HTTP/1.1", ""), 200),
        // other names and pages of other sites
        (head("GET http://evil.example/ HTTP/1.1", ""), 421),
        (head("GET / HTTP/1.1", "Host: evil.example\r\n"), 421),
        ("GET / HTTP/1.1\r\nHost: rebind.example\r\n\r\n".into(), 421),
        ("GET / HTTP/1.0\r\n\r\n".into(), 421),
        (format!("{post}Origin: http://evil.example\r\n{mark}"), 403),
        (post.replace(&format!("http://{address}"), "null") + mark, 403),
        // other methods
        (head("TRACE / HTTP/1.1", ""), 405),
        (head("OPTIONS /steer HTTP/1.1", ""), 405),
        (head("GET /steer HTTP/1.1", ""), 405),
        (head("DELETE /events HTTP/1.1", ""), 405),
        // two readings of one request
        (format!("{post}Content-Length: 3\r\n{mark}"), 400),
        (format!("{post}Transfer-Encoding: chunked\r\n{mark}"), 400),
        (format!("{post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 400),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"), 400),
        (format!("{post}Content-Length: +13\r\n\r\n{{\"do\":\"mark\"}}"), 400),
        (format!("GET / HTTP/1.1\r\nHost : {address}\r\n\r\n"), 400),
        // sizes
        (head("GET / HTTP/1.1", &format!("X: {long}\r\n")), 431),
        (head("GET / HTTP/1.1", &many), 431),
        (head(&format!("GET /{} HTTP/1.1", "a".repeat(100_000)), ""), 414),
        (format!("{post}Content-Length: 60000\r\n\r\n{}", "[".repeat(60_000)), 400),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\n0\r\nX: {long}\r\n\r\n"), 400),
        // paths
        (head("GET /../etc/passwd HTTP/1.1", ""), 404),
        (head("GET /%2e%2e/Cargo.toml HTTP/1.1", ""), 404),
        (head("GET //page.js HTTP/1.1", ""), 404),
        // cookies
        (head("GET /me HTTP/1.1", &format!("Cookie: {steer}0\r\n")), 401),
        (head("GET /me HTTP/1.1", &format!("Cookie: colloquium-1={}\r\n", served.steer)), 401),
    ] {
        // one request is enough for a rate
        let shown: String = request.chars().take(160).collect();
        assert_eq!(status(&served, request.as_bytes()), expected, "{shown}");
    }
    // what follows a request on its connection is not a request
    let both =
        head("GET / HTTP/1.1", "") + &head("GET /me HTTP/1.1", &format!("Cookie: {steer}\r\n"));
    let mut stream = served.connect();
    stream.write_all(both.as_bytes()).unwrap();
    let mut all = vec![];
    // a reset is an end as well
    let _ = stream.read_to_end(&mut all);
    assert_eq!(String::from_utf8_lossy(&all).matches("HTTP/1.1 ").count(), 1);
    let events = served.stop();
    assert!(events.iter().all(|e| e["data"]["from"] != "guest"), "nothing of it was a command");
}

/// Connections that send nothing, or half a body, keep nobody out, and wrong tokens no browser.
#[test]
fn silent_connections_and_wrong_tokens_keep_nobody_out() {
    let served = Served::start(&talk(40, 2_000));
    let address = &served.address;
    let half = format!(
        "POST /enter HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    let silent: Vec<TcpStream> = (0..400)
        .map(|n| {
            let mut stream = served.connect();
            if n % 2 == 0 {
                // an older connection may be closed meanwhile
                let _ = stream.write_all(half.as_bytes());
            }
            stream
        })
        .collect();
    let wrong = json!({"token": "0123456789abcdef0123456789abcdef"}).to_string();
    for _ in 0..200 {
        assert_eq!(served.send("POST /enter", &served.own(""), &wrong).status, 401);
    }
    let steer = served.cookie(&served.steer);
    assert_eq!(served.command(&steer, &json!({"do": "mark"})).0, 200);
    drop(silent);
    // a body without a cookie is not even read
    let steer_path = half.replace("/enter", "/steer");
    assert_eq!(status(&served, steer_path.as_bytes()), 401);
    served.stop();
}

/// Whoever has the link to watch can fill the places of those who watch, and of nobody else.
#[test]
fn watchers_keep_out_neither_the_page_that_steers_nor_its_cookie() {
    // a word each 2 s: hundreds of pages that are told of each one would keep a busy machine for minutes
    let served = Served::start(&talk(40, 2_000).replace("pace = 4", "pace = 2_000"));
    let steer = served.cookie(&served.steer);
    let mut open: Vec<Events> = vec![];
    while open.len() < 250 {
        let cookie = served.cookie(&served.watch);
        let more = (250 - open.len()).min(6);
        open.extend((0..more).map(|_| served.events(&cookie, None)));
    }
    let late = served.cookie(&served.watch);
    assert_eq!(served.send("GET /events", &served.own(&late), "").status, 503);
    served.events(&steer, None).until(|page| page.table["title"] == "A talk");
    // heads alone open no page
    for _ in 0..8 {
        let request = format!("HEAD /events HTTP/1.1\r\n{}\r\n", served.own(&steer));
        status(&served, request.as_bytes());
    }
    served.events(&steer, None).next();
    served.stop();
}
