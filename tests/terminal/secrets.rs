//! A key that a server says again is in no byte that the terminal gets.

use crate::canary::{KEY, absent, words};
use crate::house::House;
use crate::server::{OOPS, Server};
use std::os::unix::fs::PermissionsExt;

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
    let mut program = house.run(&["run", &house.file("talk.toml", &talk), "-c", &settings]);
    program.until("the limit of 2 utterances is reached");
    program.until("hex: *** it was.");
    program.keys("q");
    let left = program.left();
    absent(&left.bytes, "what the terminal got");
    assert_eq!(server.asked.lock().unwrap().len(), 2);
    println!("{} bytes without the key", left.bytes.len());
}
