//! A page server in a process of its own, and clients that speak HTTP to it over TCP.

use crate::house::{House, end, read_until};
use crate::program::HANG;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A conversation and its page server, each in a process of its own.
pub struct Served {
    pub house: House,
    pub talk: Running,
    pub pages: Running,
    /// Output of the conversation; kept open, because the program writes to it.
    _said: BufReader<ChildStdout>,
    /// Input of the conversation; kept open for `--steer -`.
    _input: ChildStdin,
    /// Output of the page server.
    pub out: BufReader<ChildStdout>,
    /// Input of the page server.
    pub typed: ChildStdin,
    pub log: PathBuf,
    pub address: String,
    pub watch: String,
    pub steer: String,
}

/// A program that ends with its test, even if the test fails.
pub struct Running(Option<Child>);

impl Running {
    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(self.0.as_ref().unwrap())
    }

    pub fn end(mut self) -> crate::house::Ran {
        end(self.0.take().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // it may have ended already
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Served {
    pub fn start(scenario: &str) -> Served {
        let house = House::new();
        let path = house.file("talk.toml", scenario);
        Served::start_in(house, &path, &[])
    }

    /// Starts a scenario of a house with more options, and serves it.
    pub fn start_in(house: House, path: &str, more: &[&str]) -> Served {
        let log = house.path("talk.jsonl");
        let session = log.to_str().unwrap();
        let format = ["--headless", "--pace", "--format", "jsonl", "--out-session", session];
        let mut talk = house.command(&[&["run", path], &format[..], more].concat());
        let mut talk = talk.stdin(Stdio::piped()).spawn().unwrap();
        let input = talk.stdin.take().unwrap();
        let mut said = BufReader::new(talk.stdout.take().unwrap());
        let talk = Running(Some(talk));
        read_until(&mut said, &["floor.granted"]);
        // the socket is opened a moment after the first event is written
        let mark = ["steer", session, r#"{"do":"mark"}"#];
        let mut tries = (0..50).map(|_| house.run(&mark).code);
        assert!(tries.any(|code| code == 0), "it takes no clients");
        let mut pages = house.command(&["serve", session]);
        let mut pages = pages.stdin(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(pages.stdout.take().unwrap());
        let typed = pages.stdin.take().unwrap();
        let pages = Running(Some(pages));
        let nothing = String::new;
        let (address, watch, steer) = (nothing(), nothing(), nothing());
        let mut served = Served {
            house,
            talk,
            pages,
            _said: said,
            _input: input,
            out,
            typed,
            log,
            address,
            watch,
            steer,
        };
        served.watch = served.link("watch");
        served.steer = served.link("steer");
        served
    }

    /// Reads the next printed link that begins with these words; returns its token.
    pub fn link(&mut self, words: &str) -> String {
        let line = read_until(&mut self.out, &[words]);
        let link = line.trim().strip_prefix(words).unwrap().trim();
        let (address, token) = link.strip_prefix("http://").unwrap().split_once("/#").unwrap();
        self.address = address.to_owned();
        token.to_owned()
    }

    /// Types a line in the terminal of the page server.
    pub fn enter_line(&mut self, line: &str) {
        self.typed.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream
    }

    pub fn open(&self, request: &str, headers: &str, body: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        let length = body.len();
        let text = format!("{request} HTTP/1.1\r\n{headers}content-length: {length}\r\n\r\n{body}");
        stream.write_all(text.as_bytes()).unwrap();
        BufReader::new(stream)
    }

    pub fn send(&self, request: &str, headers: &str, body: &str) -> Reply {
        let headers = format!("{headers}connection: close\r\n");
        let mut text = String::new();
        self.open(request, &headers, body).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// Returns the headers of the server's own page with a cookie.
    pub fn own(&self, cookie: &str) -> String {
        let address = &self.address;
        format!(
            "host: {address}\r\norigin: http://{address}\r\ncontent-type: application/json\r\ncookie: a=b; {cookie}\r\n"
        )
    }

    pub fn enter(&self, token: &str, cookie: &str) -> Reply {
        let body = json!({"token": token}).to_string();
        self.send("POST /enter", &self.own(cookie), &body)
    }

    /// Exchanges a link for a cookie.
    pub fn cookie(&self, token: &str) -> String {
        let reply = self.enter(token, "");
        assert_eq!(reply.status, 200, "{reply:?}");
        let set = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        assert!(set.contains("httponly") && set.contains("samesite=strict"), "{set}");
        set.split(';').next().unwrap().to_owned()
    }

    pub fn command(&self, cookie: &str, line: &Value) -> (u16, Value) {
        let reply = self.send("POST /steer", &self.own(cookie), &line.to_string());
        (reply.status, serde_json::from_str(&reply.body).unwrap_or_default())
    }

    /// Opens the events of a page behind an id.
    pub fn events(&self, cookie: &str, after: Option<&str>) -> Events {
        let after = after.map_or(String::new(), |id| format!("last-event-id: {id}\r\n"));
        let mut lines = self.open("GET /events", &(self.own(cookie) + &after), "");
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).unwrap() > 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
        Events { chunks: lines, text: String::new(), page: Page::default() }
    }

    /// Ends the conversation and the pages; returns the events of the log.
    pub fn stop(self) -> Vec<Value> {
        // it may have ended already, and a busy machine may answer too late
        self.house.run(&["stop", self.log.to_str().unwrap()]);
        for one in [&self.pages, &self.talk] {
            rustix::process::kill_process(one.pid(), rustix::process::Signal::TERM).unwrap();
        }
        assert_eq!(self.pages.end().code, 143);
        self.talk.end();
        let text = std::fs::read_to_string(&self.log).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Content of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub rows: BTreeMap<u64, Value>,
    pub table: Value,
    /// Number of rows that arrived, repeated ones included.
    pub arrived: usize,
    /// Ids in order of arrival.
    pub ids: Vec<u64>,
    /// Text of turns in progress.
    pub said: BTreeMap<u64, String>,
    /// The last drawing, for wide and for narrow windows.
    pub drawing: Value,
}

/// The events of a page.
pub struct Events {
    pub chunks: BufReader<TcpStream>,
    pub text: String,
    pub page: Page,
}

impl Events {
    /// Applies the next event; returns its text.
    pub fn next(&mut self) -> String {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let data = |line: &str| line.strip_prefix("data: ").map(str::to_owned);
                let Some(data) = event.lines().find_map(data) else { continue };
                self.page.apply(&serde_json::from_str(&data).unwrap());
                let id = event.lines().find_map(|line| line.strip_prefix("id: "));
                self.page.ids.extend(id.map(|id| id.parse::<u64>().unwrap()));
                return event;
            }
            let mut size = String::new();
            self.chunks.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim(), 16).expect("the stream goes on");
            let mut chunk = vec![0; size + 2];
            self.chunks.read_exact(&mut chunk).unwrap();
            self.text.push_str(std::str::from_utf8(&chunk[..size]).unwrap());
        }
    }

    /// Reads until the server closes the connection.
    pub fn drain(&mut self) {
        let mut rest = vec![];
        self.chunks.read_to_end(&mut rest).unwrap();
    }

    /// Applies events until the page fits; returns their text.
    pub fn until(&mut self, fits: impl Fn(&Page) -> bool) -> String {
        let mut all = String::new();
        while !fits(&self.page) {
            all.push_str(&self.next());
        }
        all
    }
}

impl Page {
    pub fn apply(&mut self, message: &Value) {
        if message["reset"] == true {
            *self = Page { arrived: self.arrived, ..Page::default() };
        }
        for said in message["said"].as_array().into_iter().flatten() {
            let text = self.said.entry(said["id"].as_u64().unwrap()).or_default();
            if said["more"] == false {
                text.clear();
            }
            text.push_str(said["text"].as_str().unwrap());
        }
        for row in message["rows"].as_array().into_iter().flatten() {
            self.arrived += 1;
            self.rows.insert(row["id"].as_u64().unwrap(), row.clone());
        }
        if message["table"].is_object() {
            self.table = message["table"].clone();
        }
        if message["drawing"].is_array() {
            self.drawing = message["drawing"].clone();
        }
    }

    pub fn has(&self, text: &str) -> bool {
        self.rows.values().any(|row| row["text"].as_str().is_some_and(|row| row.contains(text)))
    }
}
