//! Connecting: addresses and keys are distinguished, and a server is asked for its key in place.

use crate::start::{found, local, press, shown, write};
use colloquium::ui::start::{
    Choice, Host, Keying, ModelPlace, News, OfferedModel, StartScreen, VoiceChoice, key, paste,
};
use crossterm::event::KeyCode::{Char, Enter, Tab, Up};
use crossterm::event::{KeyEvent, KeyModifiers};

/// Address of a server.
const BOX: &str = "https://box.example:8000";

/// Opens the page for keys and addresses.
fn connecting() -> StartScreen {
    let mut start = found();
    start.keyless = vec![("openai".into(), "OPENAI_API_KEY".into())];
    start.keying = Some(Keying::default());
    start
}

fn host(models: Vec<OfferedModel>, says: &str, wants_key: bool) -> News {
    News::Host(Host { name: BOX.into(), says: says.into(), wants_key, models })
}

#[test]
fn the_address_of_a_server_is_typed_and_its_models_are_chosen() {
    let mut start = connecting();
    press(&mut start, &[Up]);
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("type the address first"));
    paste(&mut start, "box.example:8000\n");
    assert!(shown(&mut start, 80, 24).contains("Address      box.example:8000"));
    let server = Some(Choice::Server("box.example:8000".into()));
    assert_eq!(press(&mut start, &[Enter]), server);
    // an address typed as a provider's key is no key
    for typed in [BOX, "127.0.0.1:18080", "localhost:18080", "box:8000"] {
        let mut start = connecting();
        write(&mut start, typed);
        assert!(shown(&mut start, 80, 24).contains(&format!("Address      {typed}")), "{typed}");
        assert_eq!(press(&mut start, &[Enter]), Some(Choice::Server(typed.into())));
    }
    start.server = Some(BOX.into());
    start.take(host(vec![], "connection refused", false));
    assert!(shown(&mut start, 80, 24).contains("https://box.example:8000: connection refused"));
    start.take(host(vec![local("endpoint:tiny")], "", false));
    assert_eq!(start.voice(), Some(VoiceChoice::Models(vec![local("endpoint:tiny")])));
}

#[test]
fn a_server_that_wants_a_key_is_asked_for_it_in_place() {
    let mut start = found();
    start.server = Some(BOX.into());
    start.take(host(vec![], "HTTP 401", true));
    for (width, height) in [(80, 24), (40, 12)] {
        let page = shown(&mut start, width, height);
        assert!(page.contains("It answers, and wants a key."), "{page}");
        assert!(page.contains("box.example:8000"), "{page}");
    }
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("paste the key first"));
    // a text of any shape is a key here
    paste(&mut start, "localhost:8080-secret");
    let page = shown(&mut start, 80, 24);
    assert!(!page.contains("secret") && page.contains("21 characters"), "{page}");
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::ServerKey(BOX.into())));
    assert_eq!(start.pasted.unwrap().expose(), "localhost:8080-secret");
}

#[test]
fn asks_before_a_key_of_another_shape_is_saved_and_before_one_is_deleted() {
    let mut start = connecting();
    start.saved = vec!["groq".into()];
    write(&mut start, "hello-hello-hello-hello");
    assert_eq!(press(&mut start, &[Enter]), None);
    let page = shown(&mut start, 100, 24);
    assert!(page.contains("not saved: keys of openai begin with sk-"), "{page}");
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Key("openai".into())));
    start.keying = Some(Keying::default());
    press(&mut start, &[Up]);
    let page = shown(&mut start, 100, 24);
    assert!(page.contains("groq   3 of 3") && page.contains("saved; enter deletes it"), "{page}");
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 100, 24).contains("again to delete the saved key of groq"));
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Forget("groq".into())));
}

#[test]
fn an_interrupt_clears_the_key_then_closes_the_field() {
    let mut start = connecting();
    write(&mut start, "sk-0123456789abcdef");
    let interrupt = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
    key(&mut start, &interrupt);
    assert!(shown(&mut start, 80, 24).contains("paste your key"));
    key(&mut start, &interrupt);
    assert!(start.keying.is_none());
}

#[test]
fn offers_to_remember_a_server_that_answered() {
    let mut start = found();
    start.server = Some(BOX.into());
    let url = format!("{BOX}/v1");
    let model = OfferedModel {
        endpoint: Some(url.clone()),
        place: ModelPlace::Here,
        ..local("endpoint:tiny")
    };
    start.take(host(vec![model], "", false));
    press(&mut start, &[Tab, Enter, Up, Up]);
    let page = shown(&mut start, 100, 30);
    assert!(page.contains("remember https://box.example:8000/v1"), "{page}");
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Remember(url)));
}

/// A number answers the card as long as it is shown; an open list hides it.
#[test]
fn the_card_of_no_model_takes_its_numbers_where_it_is_shown() {
    for tabs in [1, 2] {
        let mut start = crate::start::first();
        write(&mut start, "Are trains better?");
        press(&mut start, &vec![Tab; tabs]);
        assert!(shown(&mut start, 80, 24).contains("1 connect one"));
        press(&mut start, &[Char('1'), Enter]);
        assert!(start.keying.is_some(), "{tabs}");
    }
    let mut start = crate::start::first();
    write(&mut start, "Are trains better?");
    press(&mut start, &[Tab, Enter]);
    let page = shown(&mut start, 80, 24);
    assert!(page.contains("Who sits at the table?") && !page.contains("1 connect one"), "{page}");
}

#[test]
fn a_typed_model_of_a_known_server_is_at_its_place() {
    let mut start = found();
    press(&mut start, &[Tab, Enter]);
    write(&mut start, "ollama:other");
    press(&mut start, &[Enter]);
    let typed = start.table().into_iter().find(|model| model.name == "ollama:other").unwrap();
    assert_eq!(typed.place, ModelPlace::Here);
}
