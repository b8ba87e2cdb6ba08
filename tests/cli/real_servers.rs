//! MCP servers from public packages: files, everything, time and fetch, as in the recipes of `colloquium help tools`.
//! `MCP_SERVERS` names the folders of their programs, which these commands install:
//!
//! ```sh
//! npm install @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem
//! pip install mcp-server-time mcp-server-fetch
//! ```

use crate::house::House;
use crate::tools::model;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

/// Returns the path of an installed server.
fn installed(program: &str) -> String {
    let folders = std::env::var("MCP_SERVERS").unwrap_or_default();
    let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(program));
    let found = paths.find(|path| path.exists());
    let found =
        found.unwrap_or_else(|| panic!("no program `{program}` in a folder of MCP_SERVERS"));
    found.display().to_string()
}

/// Checks a model's call of a read-only tool of a server. The result in its prompt must contain `shown`.
fn asks(server: &str, tool: &str, request: &Value, shown: &str) {
    let house = House::new();
    house.file("notes.txt", "buy tea");
    let text = format!(
        "title = \"t\"\n[limits]\nutterances = 1\n[[server]]\nname = \"real\"\n{server}\nread_only = [\"{tool}\"]\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"real/{tool}\"]\n"
    );
    let talk = house.file("talk.toml", &text);
    let name: &'static str = Box::leak(format!("real_{tool}").into_boxed_str());
    let (url, sent) = model(vec![(name, request.clone())]);
    let run =
        ["run", &talk, "--headless", "--trust", "--endpoint", &url, "--model", "endpoint:tiny"];
    // the servers start slowly, so the usual time limit does not apply
    let ran = house.command(&run).output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{tool}: {out}{}", String::from_utf8_lossy(&ran.stderr));
    let sent = sent.lock().unwrap();
    assert!(sent[1].to_string().contains(shown), "{tool}: {}", sent[1]);
    println!("{tool}: {}", out.lines().find(|l| l.contains("used")).unwrap_or_default());
}

#[test]
#[ignore = "needs public servers: MCP_SERVERS=FOLDERS cargo test --test cli real_servers -- --ignored --nocapture"]
fn files_everything_and_time_answer_over_lines() {
    for (program, arguments, tool, request, shown) in [
        ("mcp-server-time", "", "get_current_time", json!({"timezone": "UTC"}), "timezone"),
        ("mcp-server-filesystem", ", \".\"", "list_directory", json!({"path": "."}), "notes.txt"),
        (
            "mcp-server-filesystem",
            ", \".\"",
            "read_text_file",
            json!({"path": "notes.txt"}),
            "buy tea",
        ),
        (
            "mcp-server-filesystem",
            ", \".\"",
            "read_text_file",
            json!({"path": "/etc/hosts"}),
            "failed: ",
        ),
        ("mcp-server-everything", "", "echo", json!({"message": "tea"}), "tea"),
        ("mcp-server-everything", "", "get-tiny-image", json!({}), "[image]"),
    ] {
        let path = installed(program);
        asks(&format!("command = [\"{path}\"{arguments}]"), tool, &request, shown);
    }
}

#[test]
#[ignore = "needs public servers: MCP_SERVERS=FOLDERS cargo test --test cli real_servers -- --ignored --nocapture"]
fn fetch_reads_a_page_of_this_machine() {
    let path = installed("mcp-server-fetch");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/tea.html", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
                line.clear();
            }
            let page = "<html><body><h1>Tea</h1><p>Tea is a warm drink.</p></body></html>";
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                page.len()
            );
            let _ = reader.into_inner().write_all((head + page).as_bytes());
        }
    });
    // the server rejects loopback addresses otherwise
    let server =
        format!("command = [\"{path}\", \"--ignore-robots-txt\", \"--allow-private-ips\"]");
    asks(&server, "fetch", &json!({"url": url}), "Tea is a warm drink.");
}

#[test]
#[ignore = "needs public servers: MCP_SERVERS=FOLDERS cargo test --test cli real_servers -- --ignored --nocapture"]
fn everything_answers_over_http() {
    let path = installed("mcp-server-everything");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let house = House::new();
    let mut server = house.other(path);
    let mut child = server.arg("streamableHttp").env("PORT", port.to_string()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("listening on port")));
    // drain the pipe; without a reader the server ends
    std::thread::spawn(move || lines.for_each(drop));
    let server = format!("url = \"http://127.0.0.1:{port}/mcp\"");
    let talked = std::panic::catch_unwind(|| {
        asks(&server, "echo", &json!({"message": "hot tea"}), "hot tea");
        let slow = json!({"duration": 1, "steps": 3});
        asks(&server, "trigger-long-running-operation", &slow, "Long running operation completed");
    });
    let _ = child.kill();
    child.wait().unwrap();
    talked.unwrap();
}
