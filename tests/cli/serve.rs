//! `colloquium serve`: pages get what their link allows, without a gap, and only this server's own pages steer.

use crate::house::{House, talk};
use crate::served::{Events, Page, Served};
use colloquium::net::network_address;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn pages_are_for_cookies_own_hosts_and_own_origins() {
    let served = Served::start(&talk(40, 2_000));
    let address = &served.address;
    let page = served.send("GET /", &format!("host: {address}\r\n"), "");
    assert_eq!(page.status, 200);
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(page.head.contains(header), "{header}: {}", page.head);
    }
    assert!(!page.body.contains("<style") && !page.body.contains("onclick"), "no inline code");
    // without a cookie
    for (request, status) in [("GET /me", 401), ("GET /events", 401), ("POST /steer", 401)] {
        let reply = served.send(request, &served.own(""), "{}");
        assert_eq!(reply.status, status, "{request}: {reply:?}");
    }
    assert_eq!(served.enter("0123456789abcdef0123456789abcdef", "").status, 401);
    let watch = served.cookie(&served.watch);
    assert_ne!(watch, served.cookie(&served.watch), "many browsers watch");
    let steer = served.cookie(&served.steer);
    // a second browser, and the same one again
    let second = served.enter(&served.steer, "");
    assert_eq!(second.status, 403);
    assert!(second.body.contains("another browser has used this link"), "{}", second.body);
    assert_eq!(served.enter(&served.steer, &watch).status, 403);
    assert_eq!(served.enter(&served.steer, &steer).status, 200);
    // other names for this address, and pages of other sites
    let own = served.own(&steer);
    for (from, to, status) in [
        (format!("host: {address}"), "host: evil.example".to_owned(), 421),
        (format!("origin: http://{address}"), "origin: http://evil.example".to_owned(), 403),
        (format!("origin: http://{address}\r\n"), String::new(), 403),
        ("content-type: application/json".into(), "content-type: text/plain".into(), 415),
    ] {
        let reply = served.send("POST /steer", &own.replace(&from, &to), r#"{"do":"mark"}"#);
        assert_eq!(reply.status, status, "{to}: {reply:?}");
    }
    let (status, reply) = served.command(&watch, &json!({"do": "mark"}));
    assert_eq!((status, &reply["error"]), (403, &"the link to watch gives no commands".into()));
    let (status, reply) = served.command(&steer, &json!({"do": "pausee"}));
    assert_eq!(status, 400);
    assert!(reply["error"].as_str().unwrap().contains("nearest is `pause`"), "{reply}");
    // tools, programs, models and budgets are a terminal's
    for line in [
        json!({"do": "decide", "tool": "write", "yes": true}),
        json!({"do": "join", "participant": {"id": "dee", "script": ["sh"]}}),
        json!({"do": "change", "who": "ada", "set": {"model": "far:large"}}),
        json!({"do": "limit", "set": {"usd": 100.0}}),
    ] {
        let (status, reply) = served.command(&steer, &line);
        assert_eq!(status, 403, "{line}: {reply}");
        assert!(reply["error"].as_str().unwrap().contains("is for a terminal"), "{reply}");
    }
    // no line of the socket's own protocol passes
    assert_eq!(served.command(&steer, &json!({"stop": {}})).0, 400);
    let long = json!({"do": "say", "text": "x".repeat(70_000)});
    assert_eq!(served.command(&steer, &long).0, 413);
    let open: Vec<Events> = (0..6).map(|_| served.events(&watch, None)).collect();
    assert_eq!(served.send("GET /events", &served.own(&watch), "").status, 503);
    drop(open);
    let mut statuses = (0..40).map(|_| served.send("GET /me", &own, "").status);
    assert!(statuses.any(|status| status == 429), "the rate of a cookie is limited");
    let events = served.stop();
    assert!(events.iter().all(|e| e["data"]["from"] != "guest"), "nothing of it was a command");
}

#[test]
fn a_page_steers_under_its_name_and_one_that_watches_sees_no_secrets() {
    let served = Served::start(&talk(40, 2_000));
    let [watch, steer] = [&served.watch, &served.steer].map(|token| served.cookie(token));
    let mut steers = served.events(&steer, None);
    let mut watches = served.events(&watch, None);
    // text arrives before its turn ends
    watches.until(|page| page.said.values().any(|text| text.starts_with("A1 word")));
    let (status, receipt) = served.command(&steer, &json!({"do": "say", "text": "Hello, all."}));
    assert_eq!((status, &receipt["is"]), (200, &"queued".into()), "{receipt}");
    steers.until(|page| page.table["queued"][0]["text"] == "Hello, all.");
    for line in [
        json!({"do": "whisper", "text": "SECRET one", "to": "ada"}),
        json!({"do": "note", "text": "SECRET two"}),
        json!({"do": "skip"}),
    ] {
        assert_eq!(served.command(&steer, &line).0, 200, "{line}");
    }
    steers.until(|page| page.has("SECRET one") && page.has("SECRET two"));
    let mut seen = watches.until(|page| page.has("Hello, all."));
    assert_eq!(
        served.command(&steer, &json!({"do": "hide", "utterance": 1, "text": "SECRET three"})).0,
        200
    );
    let hidden = |page: &Page| page.rows.values().any(|row| row["hidden"] == true);
    seen.push_str(&watches.until(hidden));
    // a page that opens later never gets the hidden text
    let mut later = served.events(&served.cookie(&served.watch), None);
    let fresh = later.until(hidden);
    assert!(!fresh.contains("A1 word"), "{fresh}");
    assert_eq!(later.page.table["queued"], json!([]));
    for text in [&seen, &fresh] {
        assert!(!text.contains("SECRET"), "{text}");
        assert!(!text.contains("You are"), "no prompt: {text}");
    }
    let said = |page: &Page| {
        let host = page.rows.values().find(|row| row["kind"] == "host" && row["private"].is_null());
        host.map(|row| (row["who"].clone(), row["text"].clone()))
    };
    let expected = Some(("guest".into(), "Hello, all.".into()));
    assert_eq!((said(&steers.page), said(&watches.page)), (expected.clone(), expected));
    // a page that watches has nothing that an export leaves out
    let log = served.log.to_str().unwrap();
    let export = served.house.run(&["export", log, "--format", "txt"]).code(0).out;
    for row in later.page.rows.values() {
        let text = row["text"].as_str().unwrap_or_default();
        assert!(export.contains(text), "{row} is not in {export}");
    }
    let events = served.stop();
    let from = |e: &&Value| e["kind"] == "command.given" && e["data"]["text"] == "Hello, all.";
    assert_eq!(events.iter().find(from).unwrap()["data"]["from"], "guest");
}

#[test]
fn a_whisper_between_participants_is_on_the_page_that_steers_alone() {
    let words = "word ".repeat(1_000);
    let served = Served::start(&format!(
        "title = \"A deal\"\n[limits]\nutterances = 2\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\npace = 4\nreply = {{ to = [\"bo\"] }}\n\
         lines = [\"{words}\\n\\nWHISPER bo: SECRET price.\"]\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\nlines = [\"Too much.\"]\n"
    ));
    let [watch, steer] = [&served.watch, &served.steer].map(|token| served.cookie(token));
    let (mut watches, mut steers) = (served.events(&watch, None), served.events(&steer, None));
    let first = |page: &Page| page.rows.values().find(|row| row["number"] == 1).cloned();
    let mut seen = watches.next() + &watches.next();
    assert_eq!(watches.page.table["speaking"][0]["late"], true, "{seen}");
    steers.until(|page| page.said.values().any(|text| text.starts_with("word word")));
    seen.push_str(&watches.until(|page| first(page).is_some()));
    assert!(!seen.contains("SECRET") && !seen.contains("WHISPER"), "{seen}");
    let row = first(&watches.page).unwrap();
    assert_eq!(row["text"].as_str().map(str::trim_end), Some(words.trim_end()));
    steers.until(|page| first(page).is_some());
    assert_eq!(first(&steers.page).unwrap()["whispers"], json!([["Bo", "SECRET price."]]));
    served.stop();
}

#[test]
fn a_page_that_lost_its_connection_has_no_gap_and_agrees_with_the_log() {
    let served = Served::start(&talk(6, 30));
    let [first, second] = [(); 2].map(|()| served.cookie(&served.watch));
    let mut whole = served.events(&first, None);
    let mut pages: Vec<Page> = vec![];
    let mut page = Page::default();
    let ended = |page: &Page| page.table["state"] == "ended";
    // a new connection after each id
    while !ended(&page) {
        let after = page.ids.last().map(u64::to_string);
        let mut events = served.events(&second, after.as_deref());
        let known = page.ids.len();
        events.page = page;
        events.until(|page| page.ids.len() > known);
        page = events.page;
        pages.push(page.clone());
        if pages.len() > 12 {
            // the rate of a cookie is limited: the last connection stays
            let mut events = served.events(&second, page.ids.last().map(u64::to_string).as_deref());
            events.page = page;
            events.until(ended);
            page = events.page;
        }
    }
    whole.until(ended);
    assert!(pages.len() > 3, "{} connections", pages.len());
    assert_eq!(page.rows, whole.page.rows);
    assert_eq!(page.arrived, page.rows.len(), "no row comes twice");
    assert!(page.ids.is_sorted() && whole.page.ids.is_sorted(), "{:?}", page.ids);
    let events = served.stop();
    let spoken = events.iter().filter(|e| e["kind"] == "turn.ended").map(|e| &e["data"]["text"]);
    let turns = page.rows.values().filter(|row| row["kind"] == "turn").map(|row| &row["text"]);
    assert_eq!(turns.collect::<Vec<_>>(), spoken.collect::<Vec<_>>());
}

#[test]
fn participants_with_the_usual_names_of_clients_shut_nobody_out() {
    let names = |text: String| text.replace("\"ada\"", "\"guest\"").replace("\"Ada\"", "\"Guest\"");
    let scenario =
        names(talk(40, 2_000)).replace("\"Bo\"", "\"Pages\"").replace("\"bo\"", "\"script\"");
    let served = Served::start(&scenario);
    let cookie = served.cookie(&served.steer);
    let (status, receipt) =
        served.command(&cookie, &json!({"do": "mark", "text": "from the page"}));
    assert_eq!(status, 200, "{receipt}");
    let log = served.log.to_str().unwrap().to_owned();
    served.house.run(&["steer", &log, r#"{"do":"mark"}"#]).code(0);
    // a chosen name is checked before anything is served
    for (to, refused) in [("serve", "script"), ("say", "mcp-2"), ("attach", "link-ada")] {
        let text = if to == "say" { &["Hm."][..] } else { &[] };
        let ran = served.house.run(&[&[to, &log], text, &["--as", refused]].concat()).code(2);
        assert!(ran.err.contains("this program gives its own clients the name"), "{}", ran.err);
    }
    for name in ["Guest", "host", "x y"] {
        let ran = served.house.run(&["serve", &log, "--as", name]).code(2);
        assert!(ran.out.is_empty() && ran.err.contains("--as WORD chooses"), "{}", ran.err);
        served.house.run(&["steer", &log, "--as", name, r#"{"do":"mark"}"#]).code(2);
    }
    let events = served.stop();
    let from = events.iter().filter(|e| e["kind"] == "command.given").map(|e| &e["data"]["from"]);
    let from: Vec<&str> = from.filter_map(Value::as_str).collect();
    assert_eq!(from[1..3], ["guest-2", "script-2"], "{from:?}");
}

#[test]
fn an_address_for_others_needs_a_yes() {
    let house = House::new();
    for (args, words) in [
        (&["serve", "--address", "192.0.2.1"][..], &["not encrypted", "--expose"][..]),
        (&["serve", "--address", "0.0.0.0", "--expose"], &["every address", "192.168.1.20"]),
        (&["serve", "--address", "::ffff:0.0.0.0", "--expose"], &["every address"]),
        (&["serve", "--url", "talk.example.org"], &["--url https://talk.example.org"]),
        (&["serve", "--url", "https://a.example/path"], &["without a path"]),
        (&["serve"], &["no conversation is running", "run SCENARIO --detach"]),
    ] {
        let ran = house.run(args).code(2);
        assert!(words.iter().all(|word| ran.err.contains(word)), "{args:?}: {}", ran.err);
    }
    let over = house.file("over.toml", &talk(2, 2));
    let log = house.path("over.jsonl");
    house.run(&["run", &over, "--headless", "--out-session", log.to_str().unwrap()]).code(0);
    let ran = house.run(&["serve", log.to_str().unwrap()]).code(6);
    assert!(ran.err.contains("not running") && ran.err.contains("resume"), "{}", ran.err);
}

#[test]
fn a_phone_gets_the_address_in_its_network() {
    let served = Served::start(&talk(40, 2_000));
    let args = ["serve", served.log.to_str().unwrap(), "--phone"];
    let Some(address) = network_address() else {
        let ran = served.house.run(&args).code(1);
        assert!(ran.err.contains("in no network"), "{}", ran.err);
        return;
    };
    let mut pages = served.house.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(pages.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut told = BufReader::new(pages.stderr.take().unwrap()).lines();
    let open =
        told.find_map(|line| line.ok().filter(|line| line.contains("until Ctrl-C"))).unwrap();
    pages.kill().unwrap();
    pages.wait().unwrap();
    assert!(line.contains(&format!("http://{address}:")), "{line}");
    assert!(open.contains(&address.to_string()), "{open}");
}

#[test]
fn a_page_says_what_an_end_lacks() {
    let house = House::new();
    let talk = talk(40, 500);
    let (ada, bo) = talk.split_at(talk.rfind("pace").unwrap());
    assert!(bo.contains("B1"));
    let path = house.file("lossy.toml", &format!("{ada}script = [\"false\"]\n"));
    let served = Served::start_in(house, &path, &["--trust"]);
    let cookie = served.cookie(&served.steer);
    let mut events = served.events(&cookie, None);
    events.until(|page| page.table["turns"].as_u64() >= Some(2));
    assert_eq!(served.command(&cookie, &json!({"do": "end"})).0, 200);
    events.until(|page| page.table["state"] == "ended");
    let why = events.page.table["why"].as_str().unwrap();
    assert!(why.starts_with("ended by the host, without Bo (failed"), "{why}");
    served.stop();
}

/// Positions are drawn while they move, for wide and for narrow windows; after the end the poster takes their place.
#[test]
fn the_drawing_follows_the_positions() {
    let words = |turn: &str| format!("{turn}{}", " word".repeat(500));
    let scenario = format!(
        "title = \"A talk\"\nstance = [\"all\", \"none\"]\n[limits]\nutterances = 3\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada <b>\"\npace = 8\nlines = [{:?}, {:?}]\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 8\nlines = [{:?}]\n",
        words("One.") + "\n\nSTANCE: +2 | take all",
        words("Three.") + "\n\nSTANCE: +1 | leave some | after #2: \"Two.\"",
        words("Two.") + "\n\nSTANCE: -2 | take none",
    );
    let served = Served::start(&scenario);
    let steer = served.cookie(&served.steer);
    assert_eq!(served.command(&steer, &json!({"do": "pause"})).0, 200);
    let watch = served.cookie(&served.watch);
    let mut pages = [&watch, &steer].map(|cookie| served.events(cookie, None));
    for page in &mut pages {
        page.until(|page| page.drawing.is_array());
        assert_ne!(page.page.table["state"], "ended");
        let [wide, narrow] = [0, 1].map(|n| page.page.drawing[n].as_str().unwrap().to_owned());
        for svg in [&wide, &narrow] {
            let is_safe = svg.contains("Ada &lt;b&gt;") && !svg.contains("<b>");
            assert!(svg.starts_with("<svg ") && svg.contains("take all") && is_safe, "{svg}");
            assert!(!svg.contains("moved"), "{svg}");
        }
        assert!(width(&wide) > width(&narrow));
    }
    assert_eq!(served.command(&steer, &json!({"do": "resume"})).0, 200);
    for page in &mut pages {
        page.until(|page| page.drawing[1].as_str().is_some_and(|svg| svg.contains("moved")));
    }
    // with somebody at the page it waits at its limit
    pages[1].until(|page| page.table["state"] == "limit");
    assert_eq!(served.command(&steer, &json!({"do": "end"})).0, 200);
    for page in &mut pages {
        page.until(|page| page.table["state"] == "ended");
        let poster = page.page.drawing[1].as_str().unwrap();
        for part in ["Two people, three turns. They came 4 steps", "left 3 steps apart."] {
            assert!(poster.contains(part), "{poster}");
        }
        assert!(poster.contains("&quot;Two.&quot;") || poster.contains("\"Two.\""), "{poster}");
    }
    served.stop();
}

/// Returns the width of a picture in units.
fn width(svg: &str) -> u32 {
    let size = svg.split("viewBox=\"0 0 ").nth(1).unwrap();
    size.split(' ').next().unwrap().parse().unwrap()
}
