//! What is not meant for everybody stands in no export, figure, tool and list.

use crate::house::House;
#[cfg(feature = "mcp")]
use crate::mcp_client::Client;
use colloquium::export::FORMATS;
#[cfg(feature = "mcp")]
use serde_json::json;
use std::fs;

/// A text whose time never came.
const LATE: &str = "CANARY-LATE-NOTE";
/// Texts that are not for everybody, one for each place.
const HIDDEN: [&str; 17] = [
    "CANARY-WHISPER",
    "CANARY-EDITED",
    "CANARY-REFUSED-WHISPER",
    "CANARY-WHISPER-TO-ONE-GONE",
    "CANARY-WAITING-WHISPER",
    "CANARY-SEAT-WHISPER",
    "CANARY-WHISPER-BEHIND-A-SENTENCE",
    "CANARY-WHISPER-TO-A-STRANGER",
    "CANARY-NOTE",
    "CANARY-REFUSED-NOTE",
    LATE,
    "CANARY-HIDDEN-TURN",
    "CANARY-EDIT-OF-A-HIDDEN-TURN",
    "CANARY-STANCE-OF-A-HIDDEN-TURN",
    "CANARY-FIRST-VERSION",
    "CANARY-LAST-TURN",
    "CANARY-DROPPED",
];

/// Plays a session that has all of them, with characters that act on a display in its title and in a name.
fn session_with_canaries(house: &House) {
    let talk = "title = \"Tea\\u202e time\"\ntopic = \"Tea?\"\nstance = [\"green\", \"black\"]\n\
        [limits]\nutterances = 9\n\
        [[participant]]\nid = \"ada\"\nname = \"Ada\\u202e Lace\"\nreply = { to = [\"bo\"] }\nlines = [\n\
        \"Green.\\n\\nWHISPER Bo: CANARY-SEAT-WHISPER is my offer\",\n\
        \"Black, then. WHISPER Bo: CANARY-WHISPER-BEHIND-A-SENTENCE\",\n\
        \"WHISPER Zed: CANARY-WHISPER-TO-A-STRANGER\\n\\nBlack.\", \"Yes, yes, yes and yes.\"]\n\
        [[participant]]\nid = \"bo\"\nname = \"Bo\"\nlines = [\n\
        \"CANARY-HIDDEN-TURN and more.\\n\\nSTANCE: 2 CANARY-STANCE-OF-A-HIDDEN-TURN\", \"Mint.\",\n\
        \"CANARY-LAST-TURN is best.\", \"No.\"]\n\
        [[participant]]\nid = \"cy\"\nname = \"Cy\"\nlines = [\"CANARY-FIRST-VERSION it is.\", \"Two.\"]\n";
    let steer = r#"{"after":{"utterance":1},"do":"whisper","to":"bo","text":"CANARY-WHISPER now","id":"w"}
{"after":{"utterance":1},"do":"edit_queued","of":"w","text":"CANARY-EDITED now"}
{"after":{"utterance":1},"do":"note","to":["bo"],"text":"CANARY-NOTE to one"}
{"do":"note","to":["zed"],"text":"CANARY-REFUSED-NOTE to nobody"}
{"do":"whisper","to":"zed","text":"CANARY-REFUSED-WHISPER to nobody"}
{"after":{"utterance":99},"do":"note","to":["bo"],"text":"CANARY-LATE-NOTE to one"}
{"after":{"utterance":1},"do":"note","text":"be brief, all of you"}
{"after":{"utterance":2},"do":"edit","utterance":2,"text":"CANARY-EDIT-OF-A-HIDDEN-TURN"}
{"after":{"utterance":3},"do":"edit","utterance":3,"text":"Cy said better."}
{"after":{"utterance":4},"do":"hide","utterance":2}
{"after":{"utterance":4},"do":"hide","utterance":3}
{"during":{"utterance":5,"words":1},"do":"whisper","to":"ada","text":"CANARY-DROPPED soon","id":"d"}
{"during":{"utterance":5,"words":1},"do":"drop_queued","of":"d"}
{"after":{"utterance":6},"do":"leave","who":"cy"}
{"after":{"utterance":6},"do":"whisper","to":"cy","text":"CANARY-WHISPER-TO-ONE-GONE"}
{"during":{"utterance":9,"words":1},"do":"whisper","to":"ada","text":"CANARY-WAITING-WHISPER"}
{"during":{"utterance":9,"words":1},"do":"end"}
{"after":{"utterance":8},"do":"hide","utterance":8}
"#;
    let (talk, steer) = (house.file("talk.toml", talk), house.file("steer.jsonl", steer));
    house.run(&["run", &talk, "--headless", "--steer", &steer]);
    let path = house.sessions()[0]["path"].as_str().unwrap().to_owned();
    let log = fs::read_to_string(path).unwrap();
    let unwritten = HIDDEN.iter().filter(|canary| !log.contains(**canary));
    assert_eq!(unwritten.collect::<Vec<_>>(), [&LATE], "{log}");
}

/// Asserts that a text has nothing hidden.
#[track_caller]
fn assert_hidden(place: &str, text: &str) {
    for canary in HIDDEN {
        assert!(!text.contains(canary), "{place} tells {canary}: {text}");
    }
}

/// Asserts that a text has nothing hidden, and no character that acts on a display.
#[track_caller]
fn assert_discreet(place: &str, text: &str) {
    assert_hidden(place, text);
    assert!(!text.contains('\u{202e}') && !text.contains("\\u202e"), "{place}: {text}");
}

#[test]
fn no_export_and_no_figure_tells_anything_hidden() {
    let house = House::new();
    session_with_canaries(&house);
    // the words of a picture are those of `svg`
    let readable = FORMATS.iter().map(|format| format.name).filter(|name| *name != "png");
    for format in readable {
        let out = house.run(&["export", "--last", "--format", format]).code(0).out;
        assert_hidden(format, &out);
        if ["md", "txt", "html", "cast"].contains(&format) {
            assert_discreet(format, &out);
            let all = house.run(&["export", "--last", "--format", format, "--whispers"]).code(0);
            let told = ["CANARY-NOTE", "CANARY-WHISPER-BEHIND-A-SENTENCE"];
            assert!(told.iter().all(|canary| all.out.contains(canary)), "{format}: {}", all.out);
        }
    }
    for format in ["text", "json", "md"] {
        let out = house.run(&["analyze", "--last", "--format", format]).code(0).out;
        assert_discreet(format, &out);
    }
    let path = house.sessions()[0]["path"].as_str().unwrap().to_owned();
    let out = house.run(&["analyze", &path, &path, "--format", "json"]).code(0).out;
    assert_discreet("a comparison", &out);
    assert_discreet("the list", &house.run(&["sessions", "list"]).code(0).out);
    assert_discreet("the tree", &house.run(&["sessions", "tree"]).code(0).out);
}

#[cfg(feature = "mcp")]
#[test]
fn no_tool_and_no_resource_tells_anything_hidden() {
    let house = House::new();
    session_with_canaries(&house);
    let path = house.sessions()[0]["path"].as_str().unwrap().to_owned();
    let session = std::path::Path::new(&path).file_stem().unwrap().to_str().unwrap().to_owned();
    // a file whose name acts on a display
    let strange = std::path::Path::new(&path).with_file_name("x\u{202e}y.jsonl");
    std::fs::write(strange, std::fs::read(&path).unwrap()).unwrap();
    let mut client = Client::start(&house);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        let tool = tool["name"].as_str().unwrap();
        let arguments = match tool {
            "result" | "tail" | "read_session" | "analyze" | "wait" => json!({"session": session}),
            "search_sessions" => json!({"words": "Green"}),
            "status" | "list_scenarios" => json!({}),
            // they begin or change a conversation, and return what `result` and `status` do
            "ask" | "convene" | "start" | "say" | "steer" => continue,
            new => panic!("the tool {new} needs its row here"),
        };
        let told = client.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_discreet(tool, &told.to_string());
        if tool == "tail" || tool == "read_session" {
            assert!(told.to_string().contains("be brief, all of you"), "{told}");
        }
        if tool == "search_sessions" {
            assert!(told.to_string().contains("Green"), "{told}");
        }
    }
    for words in HIDDEN {
        let found = client.call("search_sessions", json!({"words": words}));
        assert_eq!(found["found"], 0, "{found}");
    }
    let listed = client.ask("resources/list", json!({}));
    assert_discreet("resources/list", &listed.to_string());
    let uri = listed["result"]["resources"][0]["uri"].clone();
    let read = client.ask("resources/read", json!({"uri": uri}));
    assert!(read.to_string().contains("Green."), "{read}");
    assert_discreet("resources/read", &read.to_string());
    client.end();
}
