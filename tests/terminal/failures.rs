//! A model that fails on screen: the operator is asked and advised, and the conversation continues.

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
    let settings = "start = \"read\"\n".to_owned()
        + &provider("tired", &tired.url)
        + &provider("fresh", &fresh.url);
    let settings = house.file("settings.toml", &settings);
    let talk = "title = \"A talk\"\nlimits = { utterances = 3 }\n\
                [[participant]]\nid = \"ada\"\nname = \"Ada\"\nmodel = \"tired:tiny\"\n";
    let mut program = house.run(&["run", &house.file("talk.toml", talk), "-c", &settings]);
    program.until("rejected the key");
    program.until("PAUSED");
    program.keys("i");
    program.until("WRITE");
    program.keys("/change ada model=\"tired:typo\"\r");
    program.until("tired has no model `typo`");
    program.keys("/change ada model=\"fresh:tiny\"\r");
    program.until("Ada changed");
    program.keys("/retry\r\u{1b}");
    program.until("READ");
    program.keys(" ");
    program.until("3 turns, as planned");
    program.until("via fresh:tiny");
    program.keys("q");
    program.left().restored();
}

#[test]
fn opens_a_session_paused_if_its_model_is_gone() {
    let before = Server::start("One.", None);
    let after = Server::serving("Two.", None, usize::MAX, &["other"]);
    let house = House::new();
    let talk = "title = \"A talk\"\nlimits = { utterances = 1 }\n\
                [[participant]]\nid = \"ada\"\nname = \"Ada\"\nmodel = \"endpoint:tiny\"\n";
    let talk = house.file("talk.toml", talk);
    house.piped(&["run", &talk, "--headless", "--endpoint", &before.url]);
    let resume = ["resume", "--last", "--max-utterances", "2", "--endpoint", &after.url];
    let refused = house.piped(&[&resume[..], &["--headless"]].concat());
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(4), "{told}");
    assert!(told.contains("has no model `tiny`"), "{told}");
    assert!(told.contains("--model PROVIDER:NAME gives all participants another model"), "{told}");
    let mut program = house.run(&resume);
    program.until("has no model `tiny`");
    program.until("PAUSED");
    assert!(after.asked.lock().unwrap().is_empty());
    program.keys("i");
    program.until("WRITE");
    program.keys("/change ada model=\"endpoint:other\"\r\u{1b}");
    program.until("READ");
    program.keys(" ");
    program.until("2 turns, as planned");
    program.keys("q");
    program.left().restored();
}

/// The screen comes up before a server on this machine says which models it has. If the one that is wanted is missing, the
/// screen closes again, and a conversation in which nobody has spoken leaves nothing behind.
#[test]
fn a_missing_model_is_told_at_the_prompt_and_leaves_no_session() {
    let server = Server::start("Never said.", None);
    let house = House::new();
    let talk = "title = \"A talk\"\nlimits = { utterances = 1 }\n[[participant]]\nid = \"ada\"\n";
    let talk = house.file("talk.toml", talk);
    let run = ["run", &talk, "--endpoint", &server.url, "--model", "endpoint:other"];
    let left = house.run(&run).left();
    left.restored();
    assert_eq!(left.code, 4, "{}", left.told);
    assert!(left.told.contains("endpoint has no model `other`"), "{}", left.told);
    assert!(left.told.contains("it has endpoint:tiny"), "{}", left.told);
    assert!(server.asked.lock().unwrap().is_empty());
    let listed = house.piped(&["sessions", "list"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "");
    let kept = std::fs::read_dir(house.path(".local/share/colloquium/sessions")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    assert!(kept.is_empty(), "{kept:?}");
}
