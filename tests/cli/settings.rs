//! Layers of settings, and the source of each value.

use crate::house::House;
use serde_json::Value;

#[test]
fn every_value_says_where_it_comes_from() {
    let house = House::new();
    house.file(".config/colloquium/config.toml", "default_model = \"a:own\"\nglyphs = \"ascii\"\n");
    let explain = |more: &[&str]| {
        let ran = house.run(&[&["doctor", "--explain", "--json"], more].concat()).code(0);
        let rows: Value = serde_json::from_str(&ran.out).unwrap();
        let rows = rows.as_array().unwrap().clone();
        move |key: &str| {
            let row = rows.iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key}"));
            (row["value"].as_str().unwrap().to_owned(), row["from"].as_str().unwrap().to_owned())
        }
    };
    let plain = explain(&[]);
    let (model, from) = plain("default_model");
    assert_eq!(model, "\"a:own\"");
    assert!(from.ends_with(".config/colloquium/config.toml"), "{from}");
    assert_eq!(plain("color_depth"), ("auto".into(), "default".into()));
    assert_eq!(plain("data folder").1, "COLLOQUIUM_DATA_DIR");
    let set =
        explain(&["--config-set", "default_model=a:b", "--glyphs", "unicode", "--theme", "mono"]);
    assert_eq!(set("default_model"), ("\"a:b\"".into(), "--config-set".into()));
    assert_eq!(set("glyphs"), ("unicode".into(), "--glyphs".into()));
    assert_eq!(set("theme"), ("mono".into(), "--theme".into()));
    let ran = house.run(&["doctor", "--explain"]).code(0);
    println!("{}", ran.out);
    assert!(ran.out.contains("config.toml\n"), "{}", ran.out);

    let ran = house.run(&["models", "--config-set", "default_modle=a:b"]).code(3);
    assert!(ran.err.contains("the nearest is `default_model`"), "{}", ran.err);
    let ran = house.run(&["doctor", "--config-set", "providers.x.wire=openai"]).code(3);
    assert!(ran.err.contains("--config-set: providers.x: base_url is missing"), "{}", ran.err);
    assert!(!ran.err.contains("config.toml"), "{}", ran.err);
}

#[test]
fn the_schema_of_settings_is_printed() {
    let house = House::new();
    let ran = house.run(&["schema", "config"]).code(0);
    let schema: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(schema["properties"]["glyphs"]["enum"][0], "unicode");
}

#[test]
fn whoever_wants_text_gets_it_where_a_screen_would_open() {
    let house = House::new();
    let talk = house.file("talk.toml", &crate::house::talk(2, 3));
    house.run(&["run", &talk]).code(2);
    let ran = house.run(&["run", &talk, "--accessible"]).code(0);
    assert!(ran.out.contains("[2] Bo\n"), "{}", ran.out);
    for (name, value, code) in
        [("COLLOQUIUM_ACCESSIBLE", "1", 0), ("ACCESSIBLE", "yes", 0), ("ACCESSIBLE", "0", 2)]
    {
        let child = house.command(&["run", &talk]).env(name, value).spawn().unwrap();
        crate::house::end(child).code(code);
    }
}
