//! Key bindings on the command line: printed output, and bindings that are rejected before anything begins.

use crate::house::House;
use serde_json::Value;

#[test]
fn the_map_is_printed_with_the_users_own_keys() {
    let house = House::new();
    let own = "[keys.line]\nskip = [\"alt-s\", \"f4\"]\n";
    let config = house.file("own.toml", own);
    let told = house.run(&["keys", "-c", &config]).code(0).out;
    assert!(told.contains("  alt-s  f4  ") && told.contains("  f3  space  "), "{told}");
    let json = house.run(&["keys", "--json", "-c", &config]).code(0).out;
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    let skip = rows.iter().find(|r| r["action"] == "skip").unwrap();
    assert_eq!(skip["keys"]["line"], serde_json::json!(["alt-s", "f4"]));
    assert!(rows.iter().all(|r| r["keys"].as_object().is_some_and(|keys| !keys.is_empty())));
}

#[test]
fn a_key_can_send_a_line() {
    let house = House::new();
    let config = house.file("own.toml", "[keys]\nalt-s = \"/skip\"\n[keys.line]\nskip = \"f4\"\n");
    let told = house.run(&["keys", "-c", &config]).code(0).out;
    assert!(told.lines().any(|line| line.split_whitespace().eq(["alt-s", "/skip"])), "{told}");
    let json = house.run(&["keys", "--json", "-c", &config]).code(0).out;
    assert!(json.contains("\"line\": \"/skip\""), "{json}");
}

#[test]
fn a_wrong_key_is_refused_with_its_line() {
    let house = House::new();
    for (text, words) in [
        (
            "[keys.line]\nskip = \"tab\"",
            "bad.toml:2:8: keys.line.skip: `tab` means select_next here",
        ),
        ("[keys.line]\nskpi = \"x\"", "bad.toml:2:8: keys.line.skpi: unknown action"),
        ("[keys.pen]\nsend = 3", "bad.toml:2:8: "),
        ("[keys]\nalt-s = \"/skpi\"", "bad.toml:2:9: keys.alt-s: unknown command `/skpi`"),
        ("[keys]\nskip = \"alt-s\"", "bad.toml:2:8: keys.skip: not a key: `skip`"),
    ] {
        let config = house.file("bad.toml", text);
        let ran = house.run(&["keys", "-c", &config]).code(3);
        assert!(ran.err.contains(words), "{text}: {}", ran.err);
    }
}

/// A key of the transcript, whose letters write now, is named with its replacement, and the program goes on.
#[test]
fn an_old_key_is_named_with_its_replacement() {
    let house = House::new();
    let old = "start = \"read\"\n[keys.read]\nskip = \"x\"\n";
    let config = house.file("old.toml", old);
    let ran = house.run(&["keys", "-c", &config]).code(0);
    for words in [
        "old.toml:3:8: keys.read.skip does nothing: letters write. Type /skip, or write [keys.write]",
        "old.toml: start = \"read\" does nothing: letters write, / lists what they did. Write [keys] alt-s",
    ] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    assert!(ran.out.contains("toggle_pause"), "{}", ran.out);
}
