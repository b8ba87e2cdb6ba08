//! A client of `colloquium mcp` on standard input and output.

use crate::house::House;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client on standard input and output.
pub struct Client {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub out: BufReader<ChildStdout>,
    pub next: u64,
    /// Notifications received between responses.
    pub notices: Vec<Value>,
}

impl Client {
    pub fn start(house: &House) -> Client {
        Client::new(house.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap())
    }

    /// Returns a client that has not said anything.
    pub fn without_handshake(mut child: Child) -> Client {
        let input = child.stdin.take();
        let out = BufReader::new(child.stdout.take().unwrap());
        Client { child, input, out, next: 0, notices: vec![] }
    }

    /// Initialises a connection to a started server.
    pub fn new(child: Child) -> Client {
        let mut client = Client::without_handshake(child);
        let hello = client.ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        );
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        client.raw(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    pub fn raw(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.raw(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    pub fn read(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.out.read_line(&mut line).unwrap() > 0, "the server ended");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id { return message } else { self.notices.push(message) }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool and returns its data, or the error text if it fails.
    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        match result["isError"].as_bool() {
            Some(false) => result["structuredContent"].clone(),
            Some(true) => result["content"][0]["text"].clone(),
            None => answer["error"].clone(),
        }
    }

    pub fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// Returns a home with a scenario whose rehearsed lines take real time.
pub fn house(turns: u32) -> House {
    let house = House::new();
    let lines = "pace = 20\nlines = [\"one two three four five six seven eight nine ten\"]";
    let talk = format!(
        "title = \"Own talk\"\n[limits]\nutterances = {turns}\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\n{lines}\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\n{lines}\n\
         [[participant]]\nid = \"me\"\nname = \"Me\"\nhuman = {{ seconds = 30 }}\nstand_in = {{ lines = [\"pass\"] }}\n"
    );
    house.file(".config/colloquium/scenarios/own-talk.toml", &talk);
    let script = "title = \"Script\"\n[[participant]]\nid = \"a\"\nname = \"A\"\nscript = [\"sh\", \"-c\", \"touch ran\"]\n";
    house.file(".config/colloquium/scenarios/own-script.toml", script);
    house
}
