//! HTTP services as participants, in scenarios and in tests: what they get, what is kept, and who allows it.

use crate::house::House;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

const KEY: &str = "canary-key-91c4";

/// One request.
#[derive(Clone, Debug)]
struct Asked {
    /// Method and path.
    line: String,
    /// Headers in lower case, as text.
    head: String,
    body: String,
}

impl Asked {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A service. Its function gets a request and its number, from 0, and returns the status line and headers after
/// `HTTP/1.1 `, and the body.
struct Service {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Service {
    fn start(answer: fn(&Asked, usize) -> (&'static str, String)) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(vec![]));
        let seen = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
                let lower = head.to_lowercase();
                let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |n| n.parse().unwrap())];
                reader.read_exact(&mut body).unwrap();
                let line = head.lines().next().unwrap_or_default().replace(" HTTP/1.1", "");
                let body = String::from_utf8(body).unwrap();
                let request = Asked { line, head: lower, body };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request.clone());
                    seen.len() - 1
                };
                let (status, body) = answer(&request, number);
                let length = body.len();
                let text = format!(
                    "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
                );
                let _ = stream.write_all(text.as_bytes());
            }
        });
        Service { url, asked }
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// Returns a scenario in which `bot` is a service with these keys.
fn talk(turns: u32, http: &str) -> String {
    format!(
        "title = \"A talk\"\ntopic = \"Tea?\"\n[limits]\nutterances = {turns}\n\
         [[participant]]\nid = \"ada\"\npace = 1\nlines = [\"One & two\", \"Three\", \"Four\"]\n\
         [[participant]]\nid = \"bot\"\n{http}\n"
    )
}

#[test]
fn a_service_gets_the_new_messages_and_its_own_cookie_session_and_key() {
    let service = Service::start(|_, n| match n {
        0 => (
            "200 OK\r\nSet-Cookie: sid=a1; HttpOnly",
            r#"{"id": 7, "a": [{"t": "Hello."}]}"#.into(),
        ),
        n => ("200 OK", format!(r#"{{"a": [{{"t": "Reply {n}"}}, {{"t": "sk {KEY}"}}]}}"#)),
    });
    let house = House::new();
    let http = format!(
        "http.url = \"{}/c{{% if session %}}/{{{{ session }}}}{{% endif %}}?q={{{{ message }}}}\"\n\
         http.headers = {{ X-Auth-Token = \"k {{{{ key }}}}\", X-Who = \"{{{{ me.name }}}}\" }}\n\
         http.api_key_env = \"BOT_KEY\"\nhttp.session.from = \"id\"\nhttp.reply = \"a.*.t\"\n\
         http.body = {{ text = \"{{{{ message }}}}\", n = 1, all = \"{{{{ messages }}}}\", s = \"id {{{{ session }}}}\" }}\n",
        service.url
    );
    let path = house.file("talk.toml", &talk(4, &http));
    let run = |args: &[&str]| {
        let child = house.command(args).env("BOT_KEY", KEY).spawn().unwrap();
        crate::house::end(child)
    };
    let ran = run(&["run", &path, "--headless", "--trust"]).code(0);
    assert!(ran.out.contains("[2] bot\n  Hello.\n"), "{}", ran.out);
    assert!(ran.out.contains("[4] bot\n  Reply 1\n") && !ran.out.contains(KEY), "{}", ran.out);
    let asked = service.asked();
    let lines: Vec<&str> = asked.iter().map(|a| a.line.as_str()).collect();
    assert_eq!(lines, ["POST /c?q=One%20%26%20two", "POST /c/7?q=Three"]);
    assert!(!asked[0].head.contains("cookie: ") && asked[1].head.contains("cookie: sid=a1\r\n"));
    assert!(asked[0].head.contains(&format!("x-auth-token: k {KEY}\r\n")), "{}", asked[0].head);
    assert!(asked[0].head.contains("x-who: bot\r\ncontent-type: application/json\r\n"));
    let body = asked[1].json();
    assert_eq!(
        (&body["text"], &body["n"], &body["s"]),
        (&"Three".into(), &1.into(), &"id 7".into())
    );
    let roles: Vec<&Value> = body["all"].as_array().unwrap().iter().map(|m| &m["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);

    // neither the key nor another answer is in the session, and a replay asks nothing
    let id = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    let export = run(&["export", &id, "--format", "jsonl"]).code(0);
    assert!(export.out.contains("\"BOT_KEY\"") && !export.out.contains(KEY), "{}", export.out);
    run(&["replay", &id, "--headless", "--speed", "max"]).code(0);
    assert_eq!(service.asked().len(), 2);

    // a resumed conversation is new to the service, which gets all of it
    run(&["resume", &id, "--headless", "--max-utterances", "6"]).code(3);
    assert_eq!(service.asked().len(), 2, "nothing is sent before it is trusted");
    run(&["resume", &id, "--headless", "--max-utterances", "6", "--trust"]).code(0);
    let body = service.asked()[2].json();
    assert_eq!(body["s"], "id ");
    assert!(body["text"].as_str().unwrap().starts_with("ada: One & two\n\nbot: Hello."), "{body}");
}

#[test]
fn words_that_look_like_the_mark_of_a_key_are_words() {
    let service = Service::start(|_, _| ("200 OK", "Hello.".into()));
    let house = House::new();
    let http = format!(
        "http.url = \"{}/c\"\nhttp.headers = {{ X-Auth = \"k {{{{ key }}}}\", X-Said = \"{{{{ message }}}}\" }}\n\
         http.api_key_env = \"BOT_KEY\"\n",
        service.url
    );
    let text = talk(2, &http).replace("One & two", "\\u0001key\\u0001");
    let path = house.file("talk.toml", &text);
    let args = ["run", &path, "--headless", "--trust"];
    let child = house.command(&args).env("BOT_KEY", KEY).spawn().unwrap();
    crate::house::end(child).code(0);
    let head = &service.asked()[0].head;
    assert!(head.contains("x-said: key\r\n"), "{head}");
    assert_eq!(head.matches(KEY).count(), 1, "{head}");
}

#[test]
fn nothing_is_sent_before_the_host_and_the_key_are_agreed_to() {
    let service = Service::start(|_, _| ("200 OK", "Hi.".into()));
    let house = House::new();
    let http = format!(
        "http.url = \"{}/x\"\nhttp.body = \"{{{{ message }}}}\"\nhttp.api_key_env = \"BOT_KEY\"\n\
         http.headers.Authorization = \"Bearer {{{{ key }}}}\"",
        service.url
    );
    let path = house.file("talk.toml", &talk(2, &http));
    let ran = house.run(&["run", &path, "--headless"]).code(3);
    let told = format!("send the conversation to {} with the key in BOT_KEY", service.url);
    assert!(ran.err.contains(&told) && ran.err.contains("--trust"), "{}", ran.err);
    let ran = house.run(&["run", &path, "--headless", "--trust"]);
    assert!(ran.out.contains("set the variable BOT_KEY"), "{}", ran.out);
    let join = format!(
        r#"{{"after":{{"utterance":1}},"do":"join","participant":{{"id":"eve","http":{{"url":"{}/"}}}}}}"#,
        service.url
    );
    let steer = house.file("steer.jsonl", &join);
    let ran = house.run(&["demo", "--headless", "--steer", &steer]).code(0);
    assert!(
        ran.out.contains("eve failed and was skipped: not allowed: send the conversation to"),
        "{}",
        ran.out
    );
    assert_eq!(service.asked().len(), 0);
}

#[test]
fn words_go_to_one_host_whatever_it_answers() {
    let thief = Service::start(|_, _| ("200 OK", "Mine.".into()));
    let place = Box::leak(format!("307 Go\r\nLocation: {}/steal", thief.url).into_boxed_str());
    static PLACE: Mutex<&str> = Mutex::new("");
    *PLACE.lock().unwrap() = place;
    let service = Service::start(|asked, _| match asked.line.as_str() {
        "POST /near" => ("308 Go\r\nLocation: /far", String::new()),
        "POST /far" => ("303 See\r\nLocation: ?done", String::new()),
        "GET /far?done" => ("200 OK", "Arrived.".into()),
        "POST /loop" => ("307 Go\r\nLocation: /loop", String::new()),
        _ => (*PLACE.lock().unwrap(), String::new()),
    });
    for (path, said) in [
        ("near", "  Arrived.\n"),
        ("away", "redirects to another host"),
        ("loop", "redirects more than 5 times"),
    ] {
        let house = House::new();
        let http = format!("http = {{ url = \"{}/{path}\", body = \"hi\" }}", service.url);
        let talk = house.file("talk.toml", &talk(2, &http));
        let ran = house.run(&["run", &talk, "--headless", "--trust"]);
        assert!(ran.out.contains(said), "{}", ran.out);
    }
    assert_eq!(thief.asked().len(), 0);
}

#[test]
fn a_tested_service_is_asked_once_and_its_replies_are_kept() {
    let service = Service::start(|asked, n| match n {
        // the failure and the limit are not recorded
        0 => ("500 Oops", "down".into()),
        1 => ("429 Slow\r\nRetry-After: 0", "{}".into()),
        _ => (
            "200 OK",
            format!(
                "data: {{\"d\":\"Got \"}}\n\ndata: {{\"d\":{}}}\n\ndata: [DONE]\n\n",
                asked.body
            ),
        ),
    });
    let house = House::new();
    let test = |body: &str| {
        format!(
            "[scenario]\n{}\n[[voice]]\nseat = \"bot\"\n\
             http = {{ url = \"{}/x\", body = \"{body}\", reply = {{ sse = \"d\" }} }}\n\
             [[expect]]\nthat = \"utterances[1].text == 'Got One & two' and utterances[3].text == 'Got Three'\"\n",
            talk(4, "")
                .replace("[limits]", "[scenario.limits]")
                .replace("[[part", "[[scenario.part"),
            service.url
        )
    };
    house.file("b.test.toml", &test("{{ message | tojson }}"));
    let ran = house.run(&["test"]).code(3);
    assert!(ran.out.contains("no reply is recorded for bot, turn 1"), "{}", ran.out);
    let ran = house.run(&["test", "--ask"]).code(3);
    assert!(ran.out.contains(&format!("send the conversation to {}", service.url)), "{}", ran.out);
    assert_eq!(service.asked().len(), 0);
    let ran = house.run(&["test", "--ask", "--trust"]).code(0);
    assert!(ran.out.contains("2 asked, 0 recorded"), "{}", ran.out);
    assert_eq!(service.asked().len(), 4);
    let ran = house.run(&["test"]).code(0);
    assert!(ran.out.contains("0 asked, 2 recorded"), "{}", ran.out);
    house.file("b.test.toml", &test("{{ message | tojson }} more"));
    let ran = house.run(&["test"]).code(3);
    assert!(ran.out.contains("has changed"), "{}", ran.out);
    assert_eq!(service.asked().len(), 4, "recorded replies send nothing");
}

#[test]
fn faults_of_a_service_are_reported_with_their_fix() {
    for (http, told) in [
        ("url = \"http://{{ topic }}/\"", "no fixed host"),
        ("url = \"http://user:pw@host/\"", "no fixed host"),
        ("url = \"ftp://host/\"", "no fixed host"),
        (
            "url = \"http://h/\"\nhttp.body = { a = [\"{{ mesage }}\"] }",
            "http.body.a[1]: unknown name `mesage`",
        ),
        ("url = \"http://h/\"\nhttp.body = \"{{ key }}\"", "`key` is for headers only"),
        ("url = \"http://h/{{ key }}\"", "`key` is for headers only"),
        ("url = \"http://h/\"\nhttp.headers.Authorization = \"Bearer abc\"", "set api_key_env"),
        ("url = \"http://h/\"\nhttp.headers.A = \"{{ key }}\"", "names none"),
        ("url = \"http://h/\"\nhttp.headers.Host = \"x\"", "is set by the program"),
        ("url = \"http://h/\"\nhttp.api_key_env = \"sk-abc\"", "name of a variable"),
        ("url = \"http://h/\"\nhttp.api_key_env = \"ABC\"", "is used by no header"),
        ("url = \"http://h/\"\nhttp.form.a = \"b\"\nhttp.body = \"c\"", "a second body"),
        ("url = \"http://h/\"\nhttp.method = \"GET\"\nhttp.body = \"c\"", "GET sends no body"),
        ("url = \"http://h/\"\nhttp.reply = {}", "takes one of `sse` and `lines`"),
        ("url = \"http://h/\"\nhttp.session.from = \"id\"", "a text has no id"),
        (
            "url = \"http://h/\"\nhttp.session = { from = \"id\", url = \"http://i/\" }",
            "is on another host",
        ),
        ("url = \"http://h/\"\nmodel = \"a:b\"", "is a second voice"),
    ] {
        let house = House::new();
        let path = house.file("talk.toml", &talk(2, &format!("http.{http}")));
        let ran = house.run(&["check", &path]).code(3);
        assert!(ran.out.contains(told) || ran.err.contains(told), "{told}: {}{}", ran.out, ran.err);
    }
}
