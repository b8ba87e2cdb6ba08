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
    let settings = provider("tired", &tired.url) + &provider("fresh", &fresh.url);
    let settings = house.file("settings.toml", &settings);
    let talk = "title = \"A talk\"\nlimits = { utterances = 3 }\n\
                [[participant]]\nid = \"ada\"\nname = \"Ada\"\nmodel = \"tired:tiny\"\n";
    let mut program = house.run(&["run", &house.file("talk.toml", talk), "-c", &settings]);
    program.until("rejected the key");
    program.until("PAUSED");
    program.keys("/change ada model=\"fresh:tiny\"\r");
    program.until("Ada changed");
    program.keys("/retry\r");
    program.until("you asked for another try");
    program.keys("/resume\r");
    program.until("3 turns, as planned");
    program.until("via fresh:tiny");
    program.keys("/quit\r");
    program.left().restored();
}

#[test]
fn a_model_that_no_list_has_is_called_with_a_warning() {
    let before = Server::start("One.", None);
    let after = Server::serving("Two.", None, usize::MAX, &["other"]);
    let house = House::new();
    let talk = "title = \"A talk\"\nlimits = { utterances = 1 }\n\
                [[participant]]\nid = \"ada\"\nname = \"Ada\"\nmodel = \"endpoint:tiny\"\n";
    let talk = house.file("talk.toml", talk);
    house.piped(&["run", &talk, "--headless", "--endpoint", &before.url]);
    let resume = ["resume", "--last", "--max-utterances", "2", "--endpoint", &after.url];
    let ran = house.piped(&[&resume[..], &["--headless"]].concat());
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{told}");
    let warning = "endpoint does not list `tiny`; the first call decides; it lists endpoint:other";
    assert!(told.contains(warning), "{told}");
    assert!(String::from_utf8_lossy(&ran.stdout).contains("Two."));
}

/// The screen comes up before a server on this machine says which models it has. If the server is gone, the screen closes
/// again, and a conversation in which nobody has spoken leaves nothing behind.
#[test]
fn a_missing_server_is_told_at_the_prompt_and_leaves_no_session() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let house = House::new();
    let talk = "title = \"A talk\"\nlimits = { utterances = 1 }\n[[participant]]\nid = \"ada\"\n";
    let talk = house.file("talk.toml", talk);
    let run = ["run", &talk, "--endpoint", &url, "--model", "endpoint:other"];
    let left = house.run(&run).left();
    left.restored();
    assert_eq!(left.code, 4, "{}", left.told);
    let told = left.told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("refused the connection"), "{told}");
    let listed = house.piped(&["sessions", "list"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "");
    let kept = std::fs::read_dir(house.path(".local/share/colloquium/sessions")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    assert!(kept.is_empty(), "{kept:?}");
}
