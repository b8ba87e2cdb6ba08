//! Links of `colloquium serve` for one browser: people who take part by a link, and fresh links for lost ones.

use crate::agents;
use crate::house::House;
use crate::served::{Page, Served};
use serde_json::{Value, json};

/// Two rehearsed participants and a person with a link, who may be whispered to.
fn with_person(utterances: u32, more: &str) -> String {
    format!(
        "title = \"A talk\"\n[limits]\nutterances = {utterances}\n{more}\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\npace = 4\nreply = {{ to = [\"bo\", \"cleo\"] }}\n\
         lines = [\"One.\\n\\nWHISPER bo: SECRET price.\\n\\nWHISPER cleo: For Cleo.\"]\n\
         [[participant]]\nid = \"cleo\"\nname = \"Cleo\"\nhuman = true\nwho = \"link\"\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 4\nlines = [\"Two.\"]\n"
    )
}

fn row<'a>(page: &'a Page, text: &str) -> Option<&'a Value> {
    page.rows.values().find(|row| row["text"].as_str().is_some_and(|t| t.contains(text)))
}

#[test]
fn a_person_takes_part_by_a_link_and_gives_no_other_commands() {
    let mut served = Served::start(&with_person(4, ""));
    let token = served.link("speak cleo");
    let [watch, steer, cleo] =
        [&served.watch, &served.steer, &token].map(|token| served.cookie(token));
    // one browser for each link, and one link for each browser
    assert_eq!(served.enter(&token, "").status, 403);
    let other = served.enter(&token, &steer);
    assert_eq!(other.status, 403);
    assert!(other.body.contains("has opened another link"), "{}", other.body);
    let me = served.send("GET /me", &served.own(&cleo), "");
    let me: Value = serde_json::from_str(&me.body).unwrap();
    assert_eq!((&me["may"], &me["seat"]), (&json!("speak"), &json!(1)), "{me}");
    // the floor waits, although nobody else is there
    let mut speaks = served.events(&cleo, None);
    let has_floor = |page: &Page| page.table["floor"][0]["id"] == "cleo";
    let mut seen = speaks.until(has_floor);
    assert_eq!(speaks.page.table["floor"][0]["link"], true);
    let one = row(&speaks.page, "One.").expect("a message for everyone");
    assert_eq!(one["whispers"], json!([["Cleo", "For Cleo."]]), "its own whisper alone");
    let refused = |line: Value, status: u16, words: &str| {
        let (code, reply) = served.command(&cleo, &line);
        assert_eq!(code, status, "{line}: {reply}");
        assert!(reply["error"].as_str().unwrap().contains(words), "{reply}");
    };
    for line in [
        json!({"do": "say", "text": "no"}),
        json!({"do": "pause"}),
        json!({"do": "end"}),
        json!({"do": "speak", "who": "bo", "text": "no"}),
        json!({"do": "pass", "who": "ada"}),
        json!({"do": "speak_as", "who": "cleo", "text": "no"}),
        json!({"do": "whisper", "to": "ada", "text": "no"}),
    ] {
        refused(line, 403, "speaks for `cleo`");
    }
    let line = json!({"do": "speak", "who": "cleo", "text": "@@bo CANARY"});
    let (status, receipt) = served.command(&cleo, &line);
    assert!(status == 409 && receipt["why"].as_str().unwrap().contains("use whisper"), "{receipt}");
    let line =
        json!({"do": "speak", "who": "cleo", "text": "I am here.", "when": "turn_count > 99"});
    let (status, receipt) = served.command(&cleo, &line);
    assert_eq!((status, &receipt["is"]), (200, &"done".into()), "without the condition: {receipt}");
    seen.push_str(&speaks.until(|page| row(page, "I am here.").is_some()));
    seen.push_str(&speaks.until(|page| row(page, "Two.").is_some()));
    refused(json!({"do": "speak", "who": "cleo", "text": "Again."}), 409, "not your turn");
    // the operator's whispers to others and the queue are not for a participant
    let whisper = json!({"do": "whisper", "to": "bo", "text": "SECRET hint"});
    assert_eq!(served.command(&steer, &whisper).0, 200);
    let whisper = json!({"do": "whisper", "to": "cleo", "text": "A hint for Cleo"});
    assert_eq!(served.command(&steer, &whisper).0, 200);
    let mut watches = served.events(&watch, None);
    let ended = |page: &Page| page.table["state"] == "ended";
    let mut public = String::new();
    while !ended(&watches.page) {
        if has_floor(&watches.page) {
            let pass = json!({"do": "pass", "who": "cleo"});
            // the page may have passed already
            let _ = served.command(&cleo, &pass);
        }
        if watches.page.table["state"] == "limit" {
            assert_eq!(served.command(&steer, &json!({"do": "end"})).0, 200);
        }
        public.push_str(&watches.next());
    }
    seen.push_str(&speaks.until(|page| ended(page) && row(page, "A hint for Cleo").is_some()));
    assert!(!seen.contains("SECRET") && !seen.contains("CANARY"), "{seen}");
    assert!(!public.contains("CANARY"), "{public}");
    assert!(!public.contains("For Cleo") && !public.contains("A hint"), "{public}");
    // a page that opens later has the same rows
    let mut later = served.events(&cleo, Some("9"));
    later.until(ended);
    assert_eq!(later.page.rows, speaks.page.rows);
    let events = served.stop();
    let given = |e: &&Value| e["kind"] == "command.given" && e["data"]["text"] == "I am here.";
    let given = events.iter().find(given).unwrap();
    assert_eq!(given["data"]["from"], "link-cleo", "{given}");
}

#[test]
fn a_person_sees_no_turn_that_began_beside_the_own_one() {
    let slow = "word ".repeat(2_000);
    let mut served = Served::start(&format!(
        "title = \"Blind\"\npolicy = \"simultaneous\"\n[limits]\nutterances = 4\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\nlines = [\"SECRET first.\"]\npace = 0\n\
         [[participant]]\nid = \"cleo\"\nname = \"Cleo\"\nhuman = true\nwho = \"link\"\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 4\nlines = [\"{slow}\"]\n"
    ));
    let token = served.link("speak cleo");
    let [watch, cleo] = [&served.watch, &token].map(|token| served.cookie(token));
    let mut speaks = served.events(&cleo, None);
    let mut watches = served.events(&watch, None);
    watches.until(|page| row(page, "SECRET first.").is_some());
    watches.until(|page| page.said.values().any(|text| text.starts_with("word word")));
    let mut seen = speaks.until(|page| page.table["floor"][0]["id"] == "cleo");
    let line = json!({"do": "speak", "who": "cleo", "text": "Mine."});
    assert_eq!(served.command(&cleo, &line).0, 200);
    let mut last = String::new();
    while row(&speaks.page, "Mine.").is_none() {
        seen.push_str(&std::mem::take(&mut last));
        last = speaks.next();
    }
    assert!(!seen.contains("SECRET") && !seen.contains("word word"), "{seen}");
    // afterwards it is there
    speaks.until(|page| row(page, "SECRET first.").is_some());
    served.stop();
}

#[test]
fn words_that_the_page_writes_for_a_person_say_so() {
    let mut served = Served::start(&with_person(40, ""));
    served.link("speak cleo");
    let steer = served.cookie(&served.steer);
    let mut page = served.events(&steer, None);
    page.until(|page| page.table["floor"][0]["id"] == "cleo");
    let line = json!({"do": "speak", "who": "cleo", "text": "In her place."});
    assert_eq!(served.command(&steer, &line).0, 200);
    page.until(|page| row(page, "In her place.").is_some());
    let log = served.log.to_str().unwrap();
    let told = served.house.run(&["export", log, "--format", "txt", "-o", "-"]).code(0).out;
    assert!(told.contains("Cleo, written by you (guest"), "{told}");
    served.stop();
}

#[test]
fn a_fresh_link_replaces_a_lost_one() {
    let mut served = Served::start(&with_person(40, ""));
    let seat = served.link("speak cleo");
    let [watch, steer, cleo] =
        [&served.watch, &served.steer, &seat].map(|token| served.cookie(token));
    let mut old = served.events(&steer, None);
    old.next();
    served.enter_line("r");
    let fresh = served.link("steer");
    assert_ne!(fresh, served.steer);
    // the page of the old browser is closed
    old.drain();
    for (cookie, status) in [(&steer, 401), (&watch, 200), (&cleo, 200)] {
        assert_eq!(served.send("GET /me", &served.own(cookie), "").status, status);
    }
    assert_eq!(served.command(&steer, &json!({"do": "mark"})).0, 401);
    assert_eq!(served.enter(&served.steer, "").status, 401, "the old link is void");
    let again = served.cookie(&fresh);
    assert_eq!(served.command(&again, &json!({"do": "mark"})).0, 200);
    served.enter_line("r ada");
    served.enter_line("r cleo");
    let fresh = served.link("speak cleo");
    assert_eq!(served.send("GET /me", &served.own(&cleo), "").status, 401);
    served.cookie(&fresh);
    served.stop();
}

/// A seat without `who = "link"` has no link; a run without clients cannot reach its person.
#[test]
fn only_a_person_with_a_link_has_one() {
    let house = House::new();
    let bad =
        house.file("bad.toml", &with_person(2, "").replace("human = true\n", "lines = [\"x\"]\n"));
    let ran = house.run(&["check", &bad]).code(3);
    assert!(ran.err.contains("who") && ran.err.contains("human = true"), "{}", ran.err);
    let bad = house.file("word.toml", &with_person(2, "").replace("\"link\"", "\"phone\""));
    let ran = house.run(&["check", &bad]).code(3);
    assert!(ran.err.contains("\"link\""), "{}", ran.err);
    let good = house.file("good.toml", &with_person(2, ""));
    let ran = house.run(&["check", &good]).code(0);
    assert!(ran.out.contains("a person with a link of `serve`"), "{}", ran.out);
    let ran = house.run(&["run", &good, "--headless", "--no-save"]).code(3);
    assert!(ran.err.contains("`cleo` is a human participant"), "{}", ran.err);
}

#[test]
fn a_permission_is_shown_to_whoever_steers_and_decided_at_the_terminal() {
    let house = House::new();
    let path = agents::talk(&house, "asks", 1, "");
    let served = Served::start_in(house, &path, &["--trust", "--steer", "-"]);
    let [watch, steer] = [&served.watch, &served.steer].map(|token| served.cookie(token));
    let mut steers = served.events(&steer, None);
    steers.until(|page| page.table["asks"][0].is_object());
    let asks = &steers.page.table["asks"][0];
    assert_eq!((&asks["who"], &asks["tool"]), (&json!("Ada"), &json!("ada/edit")), "{asks}");
    assert!(asks["what"].as_str().unwrap().contains("Write note 1"), "{asks}");
    assert_eq!(steers.page.table["seats"][0]["state"], "asks");
    let mut watches = served.events(&watch, None);
    let seen = watches.until(|page| page.table["seats"][0]["state"] == "asks");
    assert!(!seen.contains("Write note"), "{seen}");
    let decide = json!({"do": "decide", "tool": "ada/edit", "yes": true});
    assert_eq!(served.command(&steer, &decide).0, 403);
    let log = served.log.to_str().unwrap();
    served.house.run(&["steer", log, &decide.to_string()]).code(0);
    steers.until(|page| page.table["asks"] == json!([]));
    served.stop();
}
