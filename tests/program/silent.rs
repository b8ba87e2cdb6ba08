//! A server that takes connections and never answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Starts a server that takes connections and never answers; with `lists`, it lists its model.
pub fn silent(lists: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map(Result::unwrap) {
            std::thread::spawn(move || hold(stream, lists));
        }
    });
    url
}

fn hold(mut stream: TcpStream, lists: bool) {
    let mut first = String::new();
    // a reader that is gone asks for nothing
    let _ = BufReader::new(&stream).read_line(&mut first);
    if lists && first.starts_with("GET /v1/models ") {
        let list = r#"{"data":[{"id":"m"}]}"#;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{list}", list.len());
    } else {
        let _ = stream.read_to_end(&mut vec![]);
    }
}
