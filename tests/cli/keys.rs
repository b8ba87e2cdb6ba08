//! Key bindings on the command line: printed output, and bindings that are rejected before anything begins.

use crate::house::House;
use serde_json::Value;

#[test]
fn the_map_is_printed_with_the_users_own_keys() {
    let house = House::new();
    let own = "[keys.table]\nskip = [\"X\", \"f4\"]\n";
    let config = house.file("own.toml", own);
    let told = house.run(&["keys", "-c", &config]).code(0).out;
    assert!(told.contains("  X  f4  ") && told.contains("  space  f3  "), "{told}");
    let json = house.run(&["keys", "--json", "-c", &config]).code(0).out;
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    let skip = rows.iter().find(|r| r["action"] == "skip").unwrap();
    assert_eq!(skip["keys"], serde_json::json!({"read": ["X", "f4"], "line": ["right"]}));
    assert!(rows.iter().all(|r| r["keys"].as_object().is_some_and(|keys| !keys.is_empty())));
}

#[test]
fn a_wrong_key_is_refused_with_its_line() {
    let house = House::new();
    for (text, words) in [
        ("[keys.table]\nskip = \"m\"", "bad.toml:2:8: keys.table.skip: `m` means mute here"),
        ("[keys.table]\nskpi = \"x\"", "bad.toml:2:8: keys.table.skpi: unknown action"),
        ("[keys.pen]\nsend = 3", "bad.toml:2:8: "),
    ] {
        let config = house.file("bad.toml", text);
        let ran = house.run(&["keys", "-c", &config]).code(3);
        assert!(ran.err.contains(words), "{text}: {}", ran.err);
    }
}
