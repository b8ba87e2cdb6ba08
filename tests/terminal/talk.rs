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
    program.until("tiny, Zoe tiny ×2");
    program.until("they begin: 2 turns, free");
    assert!(server.asked.lock().unwrap().is_empty());
    program.signal(rustix::process::Signal::TERM);
    program.left().restored();
    let mut program = card("\r");
    program.until("I think so.");
    program.signal(rustix::process::Signal::TERM);
    program.left().restored();
}
