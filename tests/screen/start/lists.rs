//! The two lists of the start screen: who sits there, and what kind of talk.

use super::*;

/// Opens the list of models.
fn picking(mut start: StartScreen) -> StartScreen {
    press(&mut start, &[Tab, Enter]);
    start
}

#[test]
fn models_are_grouped_ticked_and_moved() {
    let mut start = picking(used());
    let page = shown(&mut start, 80, 24);
    let place = |words: &str| page.lines().position(|row| row.contains(words));
    let rows = [
        "Who sits at the table?",
        "ON THIS COMPUTER",
        "[ ] ollama:small",
        "WITH A KEY",
        "[x] anthropic:claude-sonnet-5",
        "[x] openai:gpt-5.5",
        "YOUR PROGRAMS",
        "[x] program:gemini",
        "[ ] usual",
        "+   a server or a key",
    ];
    assert!(rows.map(place).is_sorted() && place(rows[0]).is_some(), "{page}");
    assert!(page.contains("3 ticked") && page.contains("about 2 cents") && page.contains("free"));
    assert!(page.contains("space tick"), "{page}");
    press(&mut start, &[Char(' ')]);
    assert_eq!(start.table().len(), 4);
    press(&mut start, &[KeyCode::Left]);
    let names = |start: &StartScreen| -> Vec<String> {
        start.table().into_iter().map(|model| model.word).collect()
    };
    assert_eq!(names(&start), ["claude", "gpt", "ollama:small", "gemini"]);
    press(&mut start, &[Right, Down, Down, Char(' ')]);
    assert_eq!(names(&start), ["gpt", "gemini", "ollama:small"]);
    assert!(shown(&mut start, 80, 24).contains("3 ticked"));
    assert_eq!(press(&mut start, &[Enter]), None);
    assert!(start.list.is_none() && start.at == StartRow::Topic);
    estimated(&mut start);
    shown(&mut start, 80, 24);
    let plan = begun(press(&mut start, &[Enter]));
    assert_eq!(super::names(&plan), ["openai:gpt-5.5", "program:gemini", "ollama:small"]);
}

#[test]
fn a_filter_without_a_match_is_said_and_seats_nobody() {
    let mut start = picking(used());
    let before = start.table();
    write(&mut start, "lamma");
    let page = shown(&mut start, 80, 24);
    assert!(page.contains("no model matches \"lamma\"") && page.contains("3 ticked"), "{page}");
    assert_eq!(press(&mut start, &[Char(' '), Enter]), None);
    assert!(start.list.is_some() && start.table() == before);
    press(&mut start, &[Esc]);
    write(&mut start, "larg");
    press(&mut start, &[Enter]);
    assert_eq!(start.table().last().unwrap().name, "ollama:large");
    // a model outside the lists is taken by its full name, without a price
    write(&mut start, "xai:grok");
    press(&mut start, &[Enter, Enter]);
    assert_eq!(start.table().last().unwrap().name, "xai:grok");
    shown(&mut start, 80, 24);
    assert_eq!(press(&mut start, &[Enter]), None, "the cost is not shown yet");
}

#[test]
fn the_usual_table_is_kept_by_a_tick() {
    let mut start = picking(used());
    press(&mut start, &[Up, Up, Char(' ')]);
    assert!(shown(&mut start, 80, 24).contains("[x] usual"));
    let words = ["claude", "gpt", "gemini"].map(str::to_owned).to_vec();
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Usual(words)));
    // the usual models come before the proposed ones
    let mut start = used();
    let zoe = OfferedModel { seat: Some("Zoe".into()), ..keyed("openai:gpt-5.5", "gpt") };
    start.usual = vec![zoe.clone()];
    assert_eq!(start.table(), std::slice::from_ref(&zoe));
    assert_eq!((zoe.option(), zoe.setting()), ("Zoe=openai:gpt-5.5".into(), "Zoe=gpt".into()));
}

#[test]
fn an_address_in_the_filter_is_a_server() {
    let mut start = picking(used());
    write(&mut start, "box.example:8000");
    assert!(shown(&mut start, 80, 24).contains("connect to box.example:8000"));
    let server = Some(Choice::Server("box.example:8000".into()));
    assert_eq!(press(&mut start, &[Enter]), server);
    press(&mut start, &[Esc, Up, Enter]);
    assert!(start.keying.is_some());
    // one run knows one typed address
    let mut start = used();
    let of = |url: &str| OfferedModel {
        endpoint: Some(url.into()),
        ..local(&format!("endpoint:{}", url.len()))
    };
    start.hosts[0].models = vec![of("http://one"), of("http://three")];
    let mut start = picking(start);
    press(&mut start, &[Char(' '), Down, Char(' ')]);
    assert!(shown(&mut start, 80, 24).contains("models of two typed servers"));
    assert_eq!(start.table().len(), 4);
}

#[test]
fn the_kind_of_talk_brings_its_topic_and_has_numbers() {
    let mut start = found();
    press(&mut start, &[Tab, Tab, Enter]);
    let page = shown(&mut start, 80, 24);
    for words in ["What kind of talk?", "round table", "round robin, 9 turns", "write a scenario"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains("cannot run") || page.contains("no seat"), "{page}");
    write(&mut start, "bar");
    press(&mut start, &[Enter]);
    assert_eq!((start.script, start.topic().as_deref()), (1, Some("Bare")));
    let plan = begun(press(&mut start, &[Enter]));
    assert_eq!((&*plan.scenario, plan.topic), ("bare", None));
    // a typed topic stays
    press(&mut start, &[Char('?'), Tab, Tab, Enter, Up, Enter]);
    assert_eq!(start.topic().as_deref(), Some("Bare?"));
    start.script = 0;
    press(&mut start, &[Tab, Tab, Enter, Down, Down, Down, Down]);
    write(&mut start, "06x");
    press(&mut start, &[Down]);
    write(&mut start, "11");
    press(&mut start, &[Down]);
    write(&mut start, "0.5.");
    press(&mut start, &[Down, Char(' ')]);
    let page = shown(&mut start, 80, 24);
    for words in ["6 turns", "seed", "0.5 dollars", "take part: you have a seat"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    press(&mut start, &[Down, Right, Enter]);
    let plan = begun(press(&mut start, &[Enter]));
    assert_eq!((plan.length, plan.seed, &*plan.budget), (Some(6), Some(11), "0.5"));
    assert!(plan.take_part && plan.cast);
}

#[test]
fn a_scenario_is_written_and_one_with_faults_is_edited_again() {
    let mut start = found();
    press(&mut start, &[Tab, Tab, Down, Down, Down, Down]);
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Write(None)));
    let mut start = found();
    start.writing = Some("mine".into());
    start.notice = Some((1..40).map(|n| format!("fault {n}\n")).collect());
    let page = shown(&mut start, 80, 24);
    assert!(page.contains("fault 1\n") && page.contains("lines more"), "{page}");
    press(&mut start, &[Tab, Tab, Down, Down, Down, Down]);
    assert!(shown(&mut start, 80, 24).contains("edit mine"));
    assert_eq!(press(&mut start, &[Enter]), Some(Choice::Write(Some("mine".into()))));
}
