//! The card of `talk`, which is shown before anything is sent to a model that the command line does not name.

use crate::house::House;
use crate::server::Server;

#[test]
fn nothing_is_sent_before_enter_and_tab_opens_the_start_screen() {
    let server = Server::start("I think so.", None);
    let house = House::new();
    let settings = format!(
        "usual = [\"near:tiny\", \"Zoe=near:tiny\"]\n[providers.near]\nwire = \"openai\"\nbase_url = \"{}\"\n",
        server.url
    );
    let settings = house.file("settings.toml", &settings);
    let talk = ["talk", "Should school start at nine?", "-c", &settings, "--max-turns", "2"];
    let card = |keys: &str| {
        let mut program = house.run(&talk);
        program.until("enter begin   tab who, and what kind of talk   esc leave");
        let shown = program.shown();
        assert!(shown.contains("table   tiny") && shown.contains("Zoe"), "{shown}");
        assert!(shown.contains("free") && shown.contains("2 turns"), "{shown}");
        assert!(server.asked.lock().unwrap().is_empty());
        program.keys(keys);
        program
    };
    card("\u{1b}").left();
    let mut program = card("\t");
    program.until("Should school start at nine?");
    program.until("tiny · Zoe tiny");
    program.until("they begin: 2 turns, free");
    assert!(server.asked.lock().unwrap().is_empty());
    program.signal(rustix::process::Signal::TERM);
    program.left().restored();
    let mut program = card("\r");
    program.until("I think so.");
    program.signal(rustix::process::Signal::TERM);
    program.left().restored();
}

/// Words of the settings for the usual table, and the models that sit down at the start screen.
#[test]
fn every_spelling_sits_down_at_the_start_screen() {
    let names = &["ant", "bee", "cow:1b", "qwen3:4b"];
    let server = Server::serving("I think so.", None, usize::MAX, names);
    for (word, model) in [
        ("ant", "near:ant"),
        ("near:bee", "near:bee"),
        ("cow:1b", "near:cow:1b"),
        ("near", "near:ant"),
        ("qwen", "near:qwen3:4b"),
        ("Ada=wasp", "near:bee"),
        ("antt", ""),
        ("no-such-word", ""),
    ] {
        let house = House::new();
        let settings = format!(
            "usual = [\"{word}\"]\n[providers.near]\nwire = \"openai\"\nbase_url = \"{}\"\n[words]\nwasp = \"near:bee\"\n",
            server.url
        );
        house.file(".config/colloquium/config.toml", &settings);
        let calls = || server.asked.lock().unwrap().len();
        let before = calls();
        let mut program = house.run(&["Why not?"]);
        if model.is_empty() {
            program.until(&format!("no model \"{word}\""));
            program.keys("\r");
            program.keys("\u{3}\u{3}\u{3}");
            assert_eq!(program.left().code, 0);
            assert_eq!(calls(), before, "{word} starts nothing");
            continue;
        }
        program.until("they begin: 12 turns, free");
        assert_eq!(calls(), before, "{word}: nothing is sent before Enter");
        program.keys("\r");
        program.until("I think so.");
        program.signal(rustix::process::Signal::TERM);
        program.left().restored();
        let path = house.piped(&["sessions", "path", "--last"]);
        let log = std::fs::read_to_string(String::from_utf8_lossy(&path.stdout).trim()).unwrap();
        assert!(log.contains(&format!("\"model\":\"{model}\"")), "{word}: {log}");
    }
}
