//! Keys and passwords in the fields of the start screen: never legible, and never words of a topic or a filter.

use super::*;
use colloquium::ui::start::Keying;
use colloquium::voice::remote::vendors;

/// Opens a field of the screen, by its name.
fn at_field(field: &str) -> StartScreen {
    let mut start = used();
    start.topic = first().topic;
    start.shapes = vendors().iter().map(|v| (&*v.name, &*v.key_prefixes)).collect();
    start.keyless = vendors().iter().map(|v| (v.name.clone(), "KEY".to_owned())).collect();
    match field {
        "models" => _ = press(&mut start, &[Tab, Enter]),
        "kinds" => _ = press(&mut start, &[Tab, Tab, Enter]),
        "key" | "address" | "server" => {
            let mut form = Keying::default();
            form.at = if field == "address" { start.keyless.len() } else { 0 };
            form.server = (field == "server").then(|| "http://box".into());
            start.keying = Some(form);
        }
        _ => {}
    }
    start
}

const FIELDS: [&str; 6] = ["topic", "models", "kinds", "key", "address", "server"];

/// Every beginning of a key is on the screen while it is typed.
#[test]
fn a_key_typed_by_hand_is_legible_in_no_field() {
    let prefixes = vendors().iter().flat_map(|vendor| &vendor.key_prefixes);
    let before = ["Is this right: ", "openai:", "KEY=\"", "https://box/?key="];
    let mut typed: Vec<(String, String)> = vec![];
    let key =
        |before: &str, prefix: &str, key| (format!("{before}{prefix}{key}"), "Zq9".to_owned());
    for prefix in prefixes {
        typed.push(key("", prefix, "Zq9Zq8Zq7Zq6Zq5Zq4Zq3"));
        typed.push(key("", prefix, "proj-Zq9_Zq8-Zq7/Zq6+Zq5"));
    }
    typed.extend(before.map(|before| key(before, "sk-ant-", "Zq9Zq8Zq7Zq6Zq5Zq4Zq3")));
    // a key without a known prefix is one from its twentieth character on
    let random = "Zq9Zq8Zq7Zq6Zq5Zq4Zq3Zq2Zq1Zq0ab";
    typed.push((random.into(), random[..20].into()));
    for address in ["http://user:Zq9Zq8@box:8000/v1", "user:12Zq9@box.example:80"] {
        typed.push((address.into(), "Zq9Zq8@".into()));
    }
    assert!(typed.len() > 20, "{}", typed.len());
    for (text, secret) in typed {
        for field in FIELDS {
            let mut start = at_field(field);
            let look = |start: &mut StartScreen| {
                let page = shown(start, 80, 16);
                assert!(!page.contains(&secret), "{text} in {field}: {page}");
            };
            for c in text.chars() {
                assert_eq!(press(&mut start, &[Char(c)]), None, "{text} in {field}");
                look(&mut start);
            }
            for _ in 0..2 {
                match press(&mut start, &[Enter]) {
                    None => {}
                    // asked about first
                    Some(Choice::Begin(_)) if field == "topic" && secret != "Zq9" => break,
                    Some(Choice::Key(_) | Choice::ServerKey(_)) => break,
                    Some(other) => panic!("{text} in {field}: {other:?}"),
                }
                look(&mut start);
            }
        }
    }
}

#[test]
fn a_pasted_key_moves_to_its_provider() {
    let secret = "sk-ant-0123456789abcdef";
    for field in FIELDS {
        let mut start = at_field(field);
        paste(&mut start, &format!("{secret}\n"));
        let page = shown(&mut start, 80, 24);
        assert!(!page.contains("0123") && page.contains("23 characters"), "{field}: {page}");
        if !["key", "server"].contains(&field) {
            assert_eq!(press(&mut start, &[Enter]), Some(Choice::Key("anthropic".into())));
            assert_eq!(start.pasted.unwrap().expose(), secret);
        }
    }
    let mut start = at_field("models");
    start.keyless.clear();
    paste(&mut start, secret);
    assert!(shown(&mut start, 80, 24).contains("anthropic has a key already"));
}

#[test]
fn words_that_are_no_keys_stay_legible() {
    for field in ["topic", "models", "kinds"] {
        for text in [
            "claude-sonnet-4-5-20250929",
            "openrouter:meta-llama/llama-3.1-70b-instruct:free",
            "sk-learn?",
            "IQ/AQ.",
            "ada@example.com",
            "http://127.0.0.1:8080/v1",
        ] {
            let mut start = at_field(field);
            write(&mut start, text);
            assert!(shown(&mut start, 120, 24).contains(text), "{text} in {field}");
        }
    }
    // what may be a key of another vendor is taken at the second Enter
    let mut start = found();
    write(&mut start, "Is 1b58e5b76f0c4d3e2a1b58e5b76f0c4d3e2a1b58 a good commit?");
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("press enter again if all may read it"));
    begun(press(&mut start, &[Enter]));
    let mut start = at_field("topic");
    write(&mut start, "Is sk-learn better than torch");
    assert!(shown(&mut start, 80, 24).contains("Is sk-learn better than torch"));
}
