//! An API key echoed by a server is never sent to the terminal.

use crate::canary::{KEY, absent, words};
use crate::house::House;
use crate::server::{OOPS, Server};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn a_key_that_comes_back_reaches_no_terminal() {
    let server = Server::start(words().leak(), Some(KEY));
    let house = House::new();
    let key = house.file("key", KEY);
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
    let settings = format!(
        "[providers.mine]\nwire = \"openai\"\nbase_url = {:?}\napi_key_file = {key:?}\n",
        server.url
    );
    let settings = house.file("settings.toml", &settings);
    let talk = format!(
        "title = \"A talk\"\nlimits = {{ utterances = 2 }}\n[[participant]]\nid = \"bo\"\nmodel = \"mine:{OOPS}\"\n\
         [[participant]]\nid = \"ada\"\nmodel = \"mine:tiny\"\n"
    );
    let talk = house.file("talk.toml", &talk);
    let mut program = house.run(&["run", &talk, "-c", &settings, "-v"]);
    program.until("without bo (failed twice), no result: the call failed");
    program.until("hex: *** it was.");
    program.keys("/quit\r");
    let left = program.left();
    absent(&left.bytes, "what the terminal got");
    // output of -v is not shown on a screen, but kept in the log file
    let log = Path::new(&settings).with_file_name(".local/state/colloquium/log.txt");
    assert!(left.told.contains(&format!("log: {}", log.display())), "{}", left.told);
    let shown = String::from_utf8_lossy(&left.bytes);
    assert!(!shown.contains("tokens of prompt"));
    let log = std::fs::read_to_string(log).unwrap();
    for told in
        [": mine:tiny, ~", " of bo: failed in ", " of ada: said in ", " answered with HTTP 500"]
    {
        assert!(log.contains(told), "{told}: {log}");
    }
    absent(log.as_bytes(), "the log");
    assert_eq!(server.asked.lock().unwrap().len(), 2);
    println!("{} bytes without the key", left.bytes.len());
}
