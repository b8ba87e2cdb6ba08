//! A model that cannot speak, on the screen: the person is asked, told what to do, and it goes on.

use crate::house::House;
use crate::server::Server;

#[test]
fn a_rejected_key_pauses_and_asks() {
    let tired = Server::tiring("One.", None, 1);
    let fresh = Server::start("Two.", None);
    let house = House::new();
    let provider = |name: &str, url: &str| {
        format!("[providers.{name}]\nwire = \"openai\"\nbase_url = {url:?}\n")
    };
    let settings = provider("tired", &tired.url) + &provider("fresh", &fresh.url);
    let settings = house.file("settings.toml", &settings);
    let talk = "title = \"A talk\"\nlimits = { utterances = 3 }\n\
                [[participant]]\nid = \"ada\"\nname = \"Ada\"\nmodel = \"tired:tiny\"\n";
    let mut program = house.run(&["run", &house.file("talk.toml", talk), "-c", &settings]);
    program.until("rejected the key");
    program.until("PAUSED");
    program.keys("i");
    program.until("WRITE");
    program.keys("/change ada model=\"fresh:tiny\"\r");
    program.until("Ada changed");
    program.keys("/retry\r\u{1b}");
    program.until("READ");
    program.keys(" ");
    program.until("stopped at the limit of 3 turns");
    program.until("via fresh:tiny");
    program.keys("q");
    program.left().restored();
}
