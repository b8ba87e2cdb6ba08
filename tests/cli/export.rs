//! Sessions as files: the demo in each format, omitted content, and a recording that plays.

use crate::house::{House, talk};
use crate::server::Server;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use regex::Regex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;

fn export(house: &House, more: &[&str]) -> String {
    house.run(&[&["export", "--last", "--format"], more].concat()).code(0).out
}

/// Writes a session with an edited whisper, a hidden message of the operator, and an utterance that was edited and then hidden.
fn secrets(house: &House) {
    let steer = house.file(
        "steer.jsonl",
        r#"{"after":{"utterance":1},"do":"whisper","to":"bo","text":"WHISPERED words","id":"w"}
{"after":{"utterance":1},"do":"edit_queued","of":"w","text":"WHISPERED anew"}
{"after":{"utterance":2},"do":"edit","utterance":2,"text":"EDITED words"}
{"after":{"utterance":2},"do":"say","text":"WITHDRAWN words"}
{"after":{"utterance":3},"do":"hide","utterance":2}
{"after":{"utterance":3},"do":"hide","utterance":"h1"}
"#,
    );
    let path = house.file("talk.toml", &talk(4, 9).replace("B1", "HIDDEN"));
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
}

#[test]
fn each_format_of_the_demo_reads_as_it_should() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    for format in ["md", "txt", "csv", "json"] {
        insta::assert_snapshot!(format!("export__{format}"), export(&house, &[format]));
    }
    let page = export(&house, &["html"]);
    let (before, rest) = page.split_once("<script>").unwrap();
    let (_, after) = rest.split_once("</script>").unwrap();
    let digest = Regex::new("sha256-[^']*").unwrap().replace(before, "sha256-DIGEST");
    insta::assert_snapshot!("export__html", format!("{digest}<script>SCRIPT</script>{after}"));
    let path = house.run(&["sessions", "path", "--last"]).code(0).out;
    assert_eq!(export(&house, &["jsonl"]), fs::read_to_string(path.trim()).unwrap());
}

/// After a change of the model and a join, all formats name the same model for the same turn.
#[test]
fn exports_agree_on_who_spoke_with_which_model_when() {
    let server = Server::start("I agree.", None);
    let house = House::new();
    let path = house.file(
        "talk.toml",
        "title = \"A talk\"\ndebate = \"plain\"\nguards = \"off\"\nlimits.turns = 3\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\n",
    );
    let steer = house.file(
        "steer.jsonl",
        "{\"after\":{\"utterance\":1},\"do\":\"change\",\"who\":\"ada\",\"set\":{\"model\":\"endpoint:other\"}}\n\
         {\"after\":{\"utterance\":1},\"do\":\"join\",\"participant\":{\"id\":\"dora\",\"name\":\"Dora\",\"model\":\"endpoint:other\"}}\n",
    );
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny", "--steer", &steer];
    house.run(&[&["run", &path, "--headless"], &model[..]].concat()).code(0);
    for format in ["txt", "md"] {
        let text = export(&house, &[format]);
        for told in [
            "Ada endpoint:tiny, Bo endpoint:tiny",
            "Ada changed: model endpoint:other",
            "Dora joins (endpoint:other)",
        ] {
            assert!(text.contains(told), "{told}: {text}");
        }
    }
    let json: Value = serde_json::from_str(&export(&house, &["json"])).unwrap();
    let voices = |list: &Value| -> Vec<String> {
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| row["voice"].as_str().unwrap().to_owned()).collect()
    };
    let cast = ["endpoint:tiny, then endpoint:other", "endpoint:tiny", "endpoint:other"];
    assert_eq!(voices(&json["participants"]), cast);
    let page = export(&house, &["html"]);
    assert!(cast.iter().all(|voice| page.contains(&format!("<small>{voice}</small>"))), "{page}");
    for (said, voice) in json["said"].as_array().unwrap().iter().zip(voices(&json["said"])) {
        let changed =
            said["participant"] == "ada" && said["number"] != 1 || said["participant"] == "dora";
        let expected = if changed { "endpoint:other" } else { "endpoint:tiny" };
        assert_eq!(voice, expected, "{said}");
    }
}

const FORMATS: [&str; 9] = ["md", "txt", "csv", "json", "jsonl", "html", "cast", "atif", "otlp"];

#[test]
fn trajectories_and_spans_name_each_speaker_model_and_usage() {
    let server = Server::start("I agree.", None);
    let house = House::new();
    let two = "title = \"A talk\"\ndebate = \"plain\"\n[limits]\nutterances = 2\n\
        [[participant]]\nid = \"ada\"\n[[participant]]\nid = \"bo\"\n";
    let path = house.file("talk.toml", two);
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    house.run(&[&["run", &path, "--headless"], &model[..]].concat()).code(0);
    let atif: Value = serde_json::from_str(&export(&house, &["atif"])).unwrap();
    assert_eq!(atif["schema_version"], "ATIF-v1.7");
    let steps = atif["steps"].as_array().unwrap();
    let spoken: Vec<&Value> = steps.iter().filter(|step| step["source"] == "agent").collect();
    let told = |step: &Value| json!([step["extra"]["participant"], step["message"]]);
    assert_eq!(told(spoken[0]), json!(["ada", "I agree."]), "{atif}");
    assert_eq!(spoken[1]["model_name"], "endpoint:tiny");
    assert!(spoken[0]["timestamp"].as_str().unwrap().starts_with("20"), "{atif}");
    let sum: u64 = spoken.iter().map(|s| s["metrics"]["prompt_tokens"].as_u64().unwrap()).sum();
    assert_eq!(atif["final_metrics"]["total_prompt_tokens"], sum);
    assert_eq!(steps.last().unwrap()["step_id"], steps.len());
    let otlp: Value = serde_json::from_str(&export(&house, &["otlp"])).unwrap();
    let spans = &otlp["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let attribute = |span: &Value, key: &str| {
        let all = span["attributes"].as_array().unwrap();
        all.iter().find(|a| a["key"] == key).map(|a| a["value"].clone()).unwrap_or_default()
    };
    assert_eq!(spans[1]["parentSpanId"], spans[0]["spanId"]);
    assert_eq!(spans[1]["traceId"].as_str().unwrap().len(), 32);
    assert_eq!(attribute(&spans[2], "gen_ai.agent.id"), json!({"stringValue": "bo"}));
    let messages = attribute(&spans[1], "gen_ai.output.messages");
    let messages: Value = serde_json::from_str(messages["stringValue"].as_str().unwrap()).unwrap();
    assert_eq!(messages[0]["parts"][0]["content"], "I agree.");
    let begin = |span: &Value| span["startTimeUnixNano"].as_str().unwrap().parse::<u64>().unwrap();
    assert!(begin(&spans[1]) <= begin(&spans[2]), "{spans}");
}

#[test]
fn private_content_is_omitted_unless_requested() {
    let house = House::new();
    secrets(&house);
    for format in FORMATS {
        let out = export(&house, &[format]);
        for secret in ["WHISPERED", "HIDDEN", "EDITED", "WITHDRAWN"] {
            assert!(!out.contains(secret), "{format} tells {secret}: {out}");
        }
        let whispers = export(&house, &[format, "--whispers"]);
        assert_eq!(
            (whispers.contains("WHISPERED"), whispers.contains("HIDDEN")),
            (true, false),
            "{format}: {whispers}"
        );
        let hidden = export(&house, &[format, "--hidden"]);
        assert!(!hidden.contains("WHISPERED"), "{format}: {hidden}");
        // a recording shows hidden text as hidden, after showing it once
        assert!(hidden.contains("EDITED") || hidden.contains("HIDDEN"), "{format}: {hidden}");
    }
}

#[test]
fn shows_an_edit_in_its_turn_and_marks_it() {
    let house = House::new();
    let edit = r#"{"after":{"utterance":3},"do":"edit","utterance":1,"text":"EDITED words"}"#;
    let steer = house.file("steer.jsonl", edit);
    let path = house.file("talk.toml", &talk(4, 9));
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let text = export(&house, &["txt"]);
    assert!(text.contains("[1] Ada, edited\n  EDITED words\n"), "{text}");
    assert!(text.contains("turn 1 edited by you"), "{text}");
    assert_eq!(text.matches("EDITED").count(), 1, "{text}");
    assert!(!text.contains("A1 word"), "{text}");
}

#[test]
fn a_clean_export_has_the_outcome_first_and_no_steering_log() {
    let house = House::new();
    let steer = house.file(
        "steer.jsonl",
        r#"{"after":{"utterance":1},"do":"note","text":"be brief"}
{"after":{"utterance":2},"do":"edit","utterance":1,"text":"As it reads now."}
{"after":{"utterance":2},"do":"say","text":"And the boat?"}
{"after":{"utterance":3},"do":"hide","utterance":2}
{"after":{"utterance":3},"do":"pause"}
{"when":"paused","do":"resume"}
"#,
    );
    let path = house.file("talk.toml", &talk(4, 9));
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    for format in [&["md"][..], &["txt"], &["html", "--plain"]] {
        let clean = export(&house, &[format, &["--clean"]].concat());
        let at = |text: &str| clean.find(text).unwrap_or_else(|| panic!("{text}: {clean}"));
        assert!(at("as planned") < at("As it reads now."), "{format:?}: {clean}");
        assert!(at("As it reads now.") < at("And the boat?"), "{format:?}: {clean}");
        for word in ["paused", "resumed", "be brief", "hidden", "edited by", "B1"] {
            assert!(!clean.contains(word), "{format:?}: {word}: {clean}");
        }
    }
    let refused = house.run(&["export", "--last", "--format", "csv", "--clean"]).code(2);
    assert!(refused.err.contains("--format md or txt or html"), "{}", refused.err);
}

#[test]
fn shows_the_role_of_each_round_where_roles_rotate() {
    let house = House::new();
    let scenario = "title = \"A talk\"\npolicy = { name = \"round_robin\", rounds = 3 }\n\
        [[participant]]\nid = \"ada\"\nname = \"Ada\"\nrole = [\"builder\", \"-\", \"critic\"]\n\
        lines = [\"As {{ me.role }}.\"]\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\nlines = [\"So.\"]\n";
    let path = house.file("talk.toml", scenario);
    house.run(&["run", &path, "--headless"]).code(0);
    let text = export(&house, &["txt"]);
    for head in
        ["[1] Ada (builder)\n  As builder.", "[3] Ada\n  As .", "[5] Ada (critic)\n  As critic."]
    {
        assert!(text.contains(head), "{head}: {text}");
    }
}

#[test]
fn does_not_count_words_of_whispers_that_were_left_out() {
    let house = House::new();
    secrets(&house);
    let table = export(&house, &["csv"]);
    let row = table.lines().find(|line| line.contains("[left out]")).unwrap();
    assert!(row.contains("[left out],,"), "{row}");
}

#[test]
fn writes_turns_of_a_simultaneous_round_in_the_order_of_their_numbers() {
    let house = House::new();
    let path = house.file(
        "talk.toml",
        "title = \"T\"\npolicy = \"phases\"\n[limits]\nutterances = 2\n[[participant]]\nid = \"ada\"\n\
         lines = [\"A1 takes far longer than the others\"]\n\
         [[participant]]\nid = \"bo\"\nlines = [\"B1\"]\n\
         [[phase]]\nname = \"answers\"\norder = \"simultaneous\"\nwho = [\"ada\", \"bo\"]\n",
    );
    house.run(&["run", &path, "--headless"]).code(0);
    let log = export(&house, &["jsonl"]);
    let ended = |word: &str| log.rfind(&format!("\"text\":\"{word}")).unwrap();
    assert!(ended("B1") < ended("A1"), "{log}");
    for format in ["md", "txt", "csv", "json", "html"] {
        let out = export(&house, &[format]);
        assert!(out.find("A1 takes") < out.find("B1"), "{format}: {out}");
    }
}

#[test]
fn writes_reasons_and_scores_of_a_verdict_as_json() {
    let house = House::new();
    house.run(&["run", "formal-debate", "--rehearsed", "--headless"]).code(0);
    let json: Value = serde_json::from_str(&export(&house, &["json"])).unwrap();
    let verdict = &json["verdicts"][0];
    assert!(verdict["winner"].is_string(), "{verdict}");
    assert!(!verdict["judgements"][0]["why"].as_str().unwrap().is_empty(), "{verdict}");
}

/// Namespace of the elements that the script draws.
const SVG: &str = "http://www.w3.org/2000/svg";

#[test]
fn a_page_needs_nothing_but_itself_and_holds_no_markup_of_others() {
    let house = House::new();
    let words = r#"<script>alert(1)</script><img src=x onerror=alert(1)>\" onclick=\"x ]]> --> </style></title>"#;
    let hostile =
        talk(2, 1).replace("A1 word", words).replace("name = \"Ada\"", "name = \"<b onclick=x>\"");
    house.run(&["run", &house.file("talk.toml", &hostile), "--headless"]).code(0);
    let page = export(&house, &["html"]);
    assert_eq!(page.matches("<script>").count(), page.matches("<script").count());
    let (_, script) = page.split_once("<script>").unwrap();
    let (script, _) = script.split_once("</script>").unwrap();
    let digest = BASE64_STANDARD.encode(Sha256::digest(script));
    assert!(page.contains(&format!("; script-src 'sha256-{digest}'\"")), "{page}");
    for markup in
        ["<img", "onclick=\"", "<b on", "http:", "https:", "url(", "@import", "<link", "src="]
    {
        let found = page.replace("&lt;img src=x", "").replace(SVG, "").contains(markup);
        assert!(!found, "{markup}: {page}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert_eq!(page.matches("</title>").count(), page.matches("<title>").count());
    assert_eq!(page.matches("</style>").count(), 1);
}

#[test]
fn a_cast_plays_the_screen_as_it_was() {
    let house = House::new();
    house.run(&["run", &house.file("talk.toml", &talk(2, 9)), "--headless"]).code(0);
    let cast = export(&house, &["cast", "--size", "80x24"]);
    let mut lines = cast.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let header = lines.next().unwrap();
    assert_eq!(
        (&header["version"], &header["width"], &header["height"]),
        (&2.into(), &80.into(), &24.into())
    );
    let rows = 24.try_into().unwrap();
    let columns = 80.try_into().unwrap();
    let mut screen = vt100::Parser::new(rows, columns, 0);
    let mut now = 0.0;
    let mut marks = vec![];
    for line in lines {
        let at = line[0].as_f64().unwrap();
        assert!(at >= now, "time goes back: {line}");
        now = at;
        match line[1].as_str() {
            Some("o") => screen.process(line[2].as_str().unwrap().as_bytes()),
            Some("m") => marks.push(line[2].as_str().unwrap().to_owned()),
            other => panic!("{other:?}: {line}"),
        }
    }
    assert_eq!(marks, ["1 Ada", "2 Bo"]);
    assert_eq!(header["duration"].as_f64(), Some(now), "the last frame ends it");
    let shown = screen.screen().contents();
    assert!(shown.contains("DONE") && shown.contains("B1 word word"), "{shown}");
    house.run(&["export", "--last", "--format", "cast", "--size", "9x9"]).code(2);
}

#[test]
fn the_examples_are_written_in_every_format() {
    let house = House::new();
    for example in ["example-rehearsed", "example-crux", "example-oxford"] {
        for format in FORMATS {
            // a small screen is fastest to draw
            let args = ["export", example, "--format", format, "--size", "40x12"];
            let out = house.run(&args).code(0).out;
            assert!(out.len() > 300, "{example} as {format}: {out}");
        }
        let lines = house.run(&["replay", example, "--headless", "--format", "jsonl"]).code(0).out;
        let path = house.run(&["sessions", "path", example]).code(0).out;
        assert_eq!(lines, fs::read_to_string(path.trim()).unwrap(), "{example}");
    }
}

#[test]
fn a_key_is_in_no_export_even_if_the_session_holds_it() {
    let house = House::new();
    let key = "sk-a-key-that-somebody-said/4711";
    let said = talk(2, 3).replace("A1 word", key);
    house.run(&["run", &house.file("talk.toml", &said), "--headless"]).code(0);
    for format in FORMATS {
        let args = ["export", "--last", "--format", format];
        assert!(export(&house, &[format]).contains("4711"), "{format}");
        let known = house.command(&args).env("OPENAI_API_KEY", key).output().unwrap();
        let out = String::from_utf8(known.stdout).unwrap();
        assert!(known.status.success() && !out.contains("4711") && out.contains("***"), "{out}");
    }
}

#[test]
fn a_damaged_session_is_written_as_far_as_it_can_be_read() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let path = house.path("data/sessions/20260101-000000-000000.jsonl");
    let good = fs::read_to_string(&path).unwrap();
    let (before, after) = good.rsplit_once("Tuesday").unwrap();
    fs::write(&path, format!("{before}Wednesday{after}")).unwrap();
    for command in ["export", "analyze"] {
        let ran = house.run(&[command, "--last", "--format", "md"]).code(6);
        assert!(ran.out.contains("Bo") && ran.err.contains("sessions repair"), "{}", ran.err);
    }
}

/// A whisper appears in no transcript and in no export without whispers, even if it came too late.
#[test]
fn a_whisper_that_came_too_late_leaks_nowhere() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 2));
    let late = r#"{"after":{"utterance":9},"do":"whisper","to":"bo","text":"SECRETWORD","id":"w"}"#;
    let lost = r#"{"after":{"utterance":9},"do":"edit_queued","of":"w","text":"SECRETWORD"}"#;
    let nobody = r#"{"do":"whisper","to":"nobody","text":"SECRETWORD"}"#;
    let steer = house.file("steer.jsonl", &format!("{late}\n{lost}\n{nobody}\n"));
    let ran = house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    assert!(ran.out.contains("too late") && !ran.out.contains("SECRETWORD"), "{}", ran.out);
    // sessions of an earlier program hold the whole line
    let session = house.path("data/sessions/20260101-000000-000000.jsonl");
    let log = fs::read_to_string(&session).unwrap();
    for format in FORMATS {
        let out = export(&house, &[format]);
        assert!(!out.contains("SECRETWORD"), "{format}: {out}");
    }
    assert!(log.contains("SECRETWORD"), "the refused line is in the session");
}

/// Whispers between participants are shown to the operator, and left out of exports without whispers.
#[test]
fn private_words_of_participants_are_left_out_unless_asked_for() {
    let house = House::new();
    let text = talk(2, 2)
        .replace("id = \"ada\"", "id = \"ada\"\nreply = { to = [\"bo\"] }")
        .replace("A1", "Aloud. WORD\\n\\nWHISPER Bo: SECRETWORD");
    let ran = house.run(&["run", &house.file("talk.toml", &text), "--headless"]).code(0);
    assert!(ran.out.contains("whispers to Bo") && ran.out.contains("SECRETWORD"), "{}", ran.out);
    for format in FORMATS {
        let out = export(&house, &[format]);
        assert!(!out.contains("SECRETWORD") && out.contains("WORD"), "{format}: {out}");
        let whispers = export(&house, &[format, "--whispers"]);
        assert!(whispers.contains("SECRETWORD"), "{format}: {whispers}");
    }
}

/// A requested topic is the title everywhere: on the screen, in lists, exports and pages.
#[test]
fn a_topic_that_was_asked_for_is_the_title_everywhere() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 2));
    let topic = "Is tea better than coffee?";
    let ran = house.run(&["run", &path, "--headless", "--topic", topic]).code(0);
    assert!(ran.out.starts_with(topic), "{}", ran.out);
    for format in ["md", "txt", "json", "html", "cast"] {
        let out = export(&house, &[format]);
        assert!(out.contains(topic) && !out.contains("A talk"), "{format}: {out}");
    }
    assert!(house.run(&["sessions", "list"]).code(0).out.contains(topic));
    let rename = house.run(&["sessions", "rename", "--last", "--title", "Of leaves"]);
    assert_eq!(rename.code, 0, "{}", rename.err);
    assert!(export(&house, &["md"]).starts_with("# Of leaves"));
    assert!(house.run(&["sessions", "list"]).code(0).out.contains("Of leaves"));
    let long = "tea and ".repeat(40);
    house.run(&["run", &path, "--headless", "--topic", &long]).code(0);
    let md = export(&house, &["md"]);
    let heading = md.lines().next().unwrap();
    assert!(heading.ends_with('…') && heading.chars().count() < 110, "{heading}");
}

/// The exported page draws the same charts as the analysis on the screen.
#[test]
fn page_draws_usage_over_time() {
    let house = House::new();
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sessions/example-crux.jsonl");
    let page = house.run(&["export", session, "--format", "html"]).code(0).out;
    assert!(page.contains("<title>Tokens and cost over time</title>"), "no curve");
    assert!(page.contains("cumulative tokens, ") && !page.contains("cumulative cost"), "{page}");
}

/// A judge knows labels, sees them swapped, and refers to turns by number; a reader wants names and links.
#[test]
fn verdict_names_the_sides_and_links_the_deciding_turns() {
    let house = House::new();
    house.run(&["run", "formal-debate", "--rehearsed", "--headless"]).code(0);
    let text = export(&house, &["md"]);
    let verdict = &text[text.find("verdict: Which side").unwrap()..];
    for line in [
        "Judge Achterberg, for Nadia: Florian answered practice with practice",
        "Florian never answered: The table that is not the same height for all.",
        "decided by #4 Florian, #5 Nadia",
        "But Florian kept ten minutes of what it had come to defend, and Nadia had an answer",
        "Nadia never answered: The empty afternoon where nobody opens a club.",
        "scores: Nadia 8, Florian 7",
    ] {
        assert!(verdict.contains(line), "{line}: {verdict}");
    }
    assert!(!verdict.contains("Side "), "{verdict}");
    let page = export(&house, &["html"]);
    assert!(page.contains("<a href=\"#t5\">#5</a> Nadia"), "{page}");
}

/// The page begins with the outcome and the positions over the turns.
#[test]
fn the_page_draws_where_they_stand_over_the_transcript() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let page = export(&house, &["html"]);
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part} is not in\n{page}"));
    let outcome = at("<p class=\"outcome\">Ada and Bo say the same, Cy is 1 step away</p>");
    let drawing = at("<h3>Where they stand</h3>");
    assert!(outcome < drawing && drawing < at("<main>"));
    assert!(
        page[drawing..].contains("freight stays") && page[drawing..].contains("class=\"f s1\"")
    );
}

#[test]
fn an_export_to_a_pipe_is_its_content() {
    let house = House::new();
    let path = house.file("t.toml", &talk(2, 1));
    house.run(&["run", &path, "--headless"]).code(0);
    let files = || std::fs::read_dir(house.path(".")).unwrap().count();
    let before = files();
    assert!(house.run(&["export"]).code(0).out.starts_with("<!doctype html>"));
    assert!(house.run(&["export", "--format", "svg"]).code(0).out.starts_with("<svg"));
    assert_eq!(files(), before);
    // the name of the file says the format, and a named session goes to standard output
    house.run(&["export", "--last", "-o", "talk.md"]).code(0);
    assert!(std::fs::read_to_string(house.path("talk.md")).unwrap().starts_with("# "));
    let text = house.run(&["export", "--last", "--format", "text"]).code(0).out;
    assert_eq!(text, house.run(&["export", "--last", "--format", "txt"]).code(0).out);
}
