//! Themes on the command line: the bundled themes, the user's own, and rejected ones.

use crate::house::House;
use serde_json::Value;

#[test]
fn the_users_own_are_listed_beside_the_others() {
    let house = House::new();
    let own = "[meta]\nname = \"mine\"\nappearance = \"dark\"\ninherits = \"nord\"\n";
    house.file(".config/colloquium/themes/mine.toml", own);
    let config = house.file("own.toml", "theme = { light = \"mine\", dark = \"nord\" }");
    let json = house.run(&["themes", "--json", "-c", &config]).code(0).out;
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    let own = rows.iter().find(|r| r["name"] == "mine").unwrap();
    assert!(own["own"] == true && rows.len() == 15, "{json}");
    let mut command = house.command(&["themes", "--json", "-c", &config]);
    let out = command.env("COLORFGBG", "0;15").env("TERM", "xterm-256color").output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&out.stdout).unwrap();
    let used: Vec<&Value> = rows.iter().filter(|r| r["used"] == true).map(|r| &r["name"]).collect();
    assert_eq!(used, ["mine"], "a light ground, and a terminal of 256 colours");
    let told = house.run(&["themes", "--color", "never"]).code(0).out;
    assert!(told.contains("* mono") && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn a_wrong_theme_is_refused_with_its_line() {
    let house = House::new();
    let head = "[meta]\nname = \"bad\"\nappearance = \"dark\"\n";
    let bad = house.file("bad.toml", &format!("{head}[roles]\ntitel = \"red\"\n"));
    let ran = house.run(&["themes", "--theme", &bad]).code(3);
    assert!(ran.err.contains("bad.toml:5:9: unknown role `titel`"), "{}", ran.err);
    let ran = house.run(&["themes", "--theme", "nrod"]).code(3);
    assert!(ran.err.contains("the nearest is `nord`"), "{}", ran.err);
    let ran = house.run(&["themes", "--theme", "./nowhere.toml"]).code(3);
    assert!(ran.err.contains("cannot read the theme ./nowhere.toml"), "{}", ran.err);
    let config = house.file("own.toml", "color_depth = \"12\"");
    let ran = house.run(&["themes", "-c", &config]).code(3);
    assert!(ran.err.contains("own.toml:1:15: unknown variant `12`"), "{}", ran.err);
}
