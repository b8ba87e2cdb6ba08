//! A server with one model, `tiny`, that replies in pieces with a given text. `{n}` becomes the number of the call, and
//! lines of `---` separate successive replies; `{usage}` makes it count tokens. It records the requests.

use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Name of a model whose calls always fail with an error that contains the reply; listed only by servers with a key.
pub const OOPS: &str = "oops";

/// A model whose window the server states.
pub const WIDE: &str = "wide";
/// That window, in tokens.
pub const WIDE_WINDOW: u32 = 6_144;

/// A model whose server states that it is small.
pub const MINI: &str = "mini";

/// A fake server; see the module.
pub struct Server {
    pub url: String,
    pub asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that accepts this key only, or needs none.
    pub fn start(reply: &'static str, key: Option<&'static str>) -> Server {
        Server::tiring(reply, key, usize::MAX)
    }

    /// Starts a server that rejects every key after `calls` replies.
    pub fn tiring(reply: &'static str, key: Option<&'static str>, calls: usize) -> Server {
        let names: &[&str] = if key.is_some() { &["tiny", OOPS] } else { &["tiny"] };
        Server::serving(reply, key, calls, names)
    }

    /// Starts a server that lists these models.
    pub fn serving(
        reply: &'static str,
        key: Option<&'static str>,
        calls: usize,
        names: &'static [&'static str],
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(vec![]));
        let seen = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = seen.clone();
                std::thread::spawn(move || {
                    answer(stream.unwrap(), reply, key, calls, names, &seen)
                });
            }
        });
        Server { url, asked }
    }
}

fn answer(
    stream: TcpStream,
    reply: &str,
    key: Option<&str>,
    calls: usize,
    names: &[&str],
    seen: &Mutex<Vec<String>>,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    let mut length = 0;
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let lists = head.starts_with("GET");
    let allowed = key.is_none_or(|key| head.contains(&format!("Bearer {key}")))
        && (lists || seen.lock().unwrap().len() < calls);
    let (status, kind, text) = match (allowed, lists) {
        (false, _) => (
            "401 No",
            "application/json",
            format!("{{\"error\":{{\"message\":\"bad key {}\"}}}}", key.unwrap_or_default()),
        ),
        (true, true) => {
            let entry = |name: &&str| match *name {
                WIDE => json!({"id": name, "meta": {"n_ctx": WIDE_WINDOW}}),
                MINI => json!({"id": name, "meta": {"n_ctx": 8_192, "n_params": 134_515_008}}),
                name => json!({"id": name}),
            };
            let list: Vec<_> = names.iter().map(entry).collect();
            ("200 OK", "application/json", json!({"data": list}).to_string())
        }
        (true, false) if body.contains(OOPS) => {
            ("500 Oops", "application/json", json!({"error": {"message": reply}}).to_string())
        }
        (true, false) => {
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(body);
                seen.len()
            };
            let reply = reply.split("\n---\n").cycle().nth(number - 1).unwrap();
            let counts = reply.contains("{usage}");
            let reply = reply.replace("{usage}", "").replace("{n}", &number.to_string());
            let piece = |text: &str| {
                let delta = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
                format!("data: {delta}\n\n")
            };
            let signs: Vec<char> = reply.chars().collect();
            let pieces: String =
                signs.chunks(7).map(|part| piece(&part.iter().collect::<String>())).collect();
            let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
            let usage = if counts {
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":200}}\n\n"
            } else {
                ""
            };
            let ends = format!("data: {end}\n\n{usage}data: [DONE]\n\n");
            ("200 OK", "text/event-stream", format!("{pieces}{ends}"))
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    // a stopped program has closed the connection
    let _ = (&stream).write_all((head + &text).as_bytes());
}
