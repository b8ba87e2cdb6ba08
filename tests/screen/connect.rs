//! Connecting: an address is no key, a key has the shape of its provider, and a server is remembered after a yes.

use crate::start::{found, local, press, shown, write};
use colloquium::ui::start::{Choice, Host, News, OfferedModel, VoiceChoice, key, paste};
use crossterm::event::KeyCode::{self, Char, Enter, Tab};
use crossterm::event::{KeyEvent, KeyModifiers};

#[test]
fn the_address_of_a_server_is_typed_and_its_models_are_chosen() {
    let mut start = found();
    start.keyless = vec![("openai".into(), "OPENAI_API_KEY".into())];
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
    press(&mut start, &[Char('k'), KeyCode::Up]);
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 80, 24).contains("type the address first"));
    paste(&mut start, "box.example:8000\n");
    assert!(shown(&mut start, 80, 24).contains("Address      box.example:8000"));
    let server = || Some(Choice::Server("http://box.example:8000".into()));
    assert_eq!(press(&mut start, &[Enter]), server());
    // an address typed as a provider's key is no key
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
    press(&mut start, &[Char('k')]);
    write(&mut start, "http://box.example:8000");
    assert!(shown(&mut start, 80, 24).contains("Address      http://box.example:8000"));
    assert_eq!(press(&mut start, &[Enter]), server());
    for typed in ["127.0.0.1:18080", "localhost:18080", "box:8000"] {
        key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
        press(&mut start, &[Char('k')]);
        write(&mut start, typed);
        assert!(shown(&mut start, 80, 24).contains(&format!("Address      {typed}")), "{typed}");
        assert_eq!(press(&mut start, &[Enter]), Some(Choice::Server(format!("http://{typed}"))));
    }
    // the row of the model takes it as well
    press(&mut start, &[Tab, Tab]);
    write(&mut start, "http://box.example:8000/");
    assert_eq!(press(&mut start, &[Enter]), server());
    let host = |models: Vec<OfferedModel>| {
        let says = if models.is_empty() { "connection refused" } else { "1 model" };
        let usable = !models.is_empty();
        let name = "http://box.example:8000".into();
        News::Host(Host { name, says: says.into(), usable, models })
    };
    start.server = Some("http://box.example:8000".into());
    start.take(host(vec![]));
    assert!(shown(&mut start, 80, 24).contains("http://box.example:8000: connection refused"));
    start.take(host(vec![local("endpoint:tiny")]));
    assert_eq!(start.voice(), Some(VoiceChoice::Model(local("endpoint:tiny"))));
}

#[test]
fn asks_before_a_key_of_another_shape_is_saved_and_before_one_is_deleted() {
    let mut start = found();
    start.keyless = vec![("openai".into(), "OPENAI_API_KEY".into())];
    start.shapes = vec![("openai", &["sk-"])];
    start.saved = vec!["groq".into()];
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
    press(&mut start, &[Char('k')]);
    write(&mut start, "hello-hello-hello-hello");
    assert_eq!(press(&mut start, &[Enter]), None);
    let told = shown(&mut start, 100, 24);
    assert!(told.contains("not saved: keys of openai begin with sk-"), "{told}");
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Key("openai".into())));
    key(&mut start, &KeyEvent::new(Char('x'), KeyModifiers::CONTROL));
    press(&mut start, &[Char('k'), KeyCode::Up]);
    let told = shown(&mut start, 100, 24);
    assert!(told.contains("groq   3 of 3") && told.contains("saved; enter deletes it"), "{told}");
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(shown(&mut start, 100, 24).contains("again to delete the saved key of groq"));
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Forget("groq".into())));
}

#[test]
fn offers_to_remember_a_server_that_answered() {
    let mut start = found();
    start.server = Some("http://127.0.0.1:18080".into());
    let model = OfferedModel {
        endpoint: Some("http://127.0.0.1:18080/v1".into()),
        ..local("endpoint:tiny")
    };
    let name = "http://127.0.0.1:18080".into();
    let says = "1 model".into();
    assert!(!shown(&mut start, 100, 30).contains("remembers it"));
    start.take(News::Host(Host { name, says, usable: true, models: vec![model] }));
    let told = shown(&mut start, 100, 30);
    assert!(told.contains("enter remembers it in the settings"), "{told}");
    press(&mut start, &[Tab, Tab, Tab]);
    let url = "http://127.0.0.1:18080/v1".into();
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Remember(url)));
}
