//! Nothing waits without a word on the screen: a row names what is awaited, since when, and the key that leaves.

use crate::house::House;
use crate::program::silent::silent;
use rustix::process::Signal;

const POLL: &str = "title = \"T\"\npoll = { question = \"Tea?\", options = [\"yes\", \"no\"] }\n\
    limits.turns = 2\n[[participant]]\nid = \"ada\"\n[[participant]]\nid = \"bo\"\n";

/// A call, several at once, and one before anything is said.
#[test]
fn a_silent_server_is_named_with_the_time_and_the_key_that_leaves() {
    let house = House::new();
    let url = silent(true);
    let poll = house.file("poll.toml", POLL);
    for (scenario, before, after) in [
        ("round-table", "▸ Ada waiting ", "s for endpoint:m"),
        ("crux", "▸ 3 speak at once, waiting ", "s for endpoint:m"),
        (&poll, "    2 voting: ada ", "waiting for endpoint:m (loading?); ctrl-c leaves"),
    ] {
        let model = ["--topic", "Tea?", "--endpoint", &url, "--model", "endpoint:m"];
        let mut program = house.run(&[&["run", scenario][..], &model].concat());
        let is_said = |row: &str| row.contains(before) && row.contains(after);
        program.until_shown(before, |shown| {
            shown.lines().any(is_said) && shown.contains("ctrl-c leave")
        });
        program.vanish();
    }
}

#[test]
fn a_silent_agent_is_named_with_the_time() {
    let house = House::new();
    let agent = "agent = [\"tail\", \"-f\", \"/dev/null\"]\n";
    let path =
        house.file("agent.toml", &format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{agent}"));
    let mut program = house.run(&["run", &path, "--trust"]);
    program.until("s for agent:tail");
    program.vanish();
}

#[test]
fn a_stopped_process_is_named_before_its_screen_is_joined() {
    let house = House::new();
    let script = "script = [\"tail\", \"-f\", \"/dev/null\"]\n";
    let path =
        house.file("slow.toml", &format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{script}"));
    let mut host = house.run(&["run", &path, "--trust"]);
    host.until("s for script:tail");
    host.signal(Signal::STOP);
    for args in [&["attach"][..], &["attach", "--read-only"], &["watch", "--last", "--headless"]] {
        let mut guest = house.run(args);
        guest.until_shown("the process", |shown| {
            shown.contains("waiting for the process of ") && shown.contains("Ctrl-C stops")
        });
        guest.vanish();
    }
    host.signal(Signal::CONT);
    let mut text = house.run(&["attach", "--accessible"]);
    text.until("text mode cannot show the full screen (--accessible)");
    assert_eq!(text.left().code, 2);
    host.vanish();
}
