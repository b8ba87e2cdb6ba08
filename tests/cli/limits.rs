//! A planned length is no warning; a budget is, see `plans.rs`.

use crate::house::{House, end, talk};

#[test]
fn the_planned_length_is_announced_nowhere() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(5, 3));
    let ran = house.run(&["run", &path, "--headless"]).code(0);
    let near = "close to the limit";
    assert!(ran.out.contains("[5] Ada") && !ran.out.contains(near), "{}", ran.out);
    assert!(!ran.err.contains(near), "{}", ran.err);
    for format in ["txt", "md", "html"] {
        let page = house.run(&["export", "--last", "--format", format]).code(0).out;
        assert!(page.contains("Ada") && !page.contains(near), "{format}: {page}");
    }
    let quiet = house.run(&["run", &path, "--headless", "--quiet"]).code(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn a_limit_in_turns_and_names_alone_make_a_scenario() {
    let house = House::new();
    let text = "[limits]\nturns = 3\n[[participant]]\nname = \"Ada Byron\"\nlines = [\"Tea.\"]\n\
        [[participant]]\nname = \"Bo\"\nlines = [\"Coffee.\"]\n";
    let path = house.file("talk.toml", &format!("title = \"A talk\"\n{text}"));
    let ran = house.run(&["run", &path, "--headless"]).code(0);
    assert!(
        ran.out.contains("[3] Ada Byron") && ran.out.contains("3 turns, as planned"),
        "{ran:?}"
    );
    let ran = house.run(&["run", &path, "--headless", "--set", "limits.turns=1"]).code(0);
    assert!(ran.out.contains("1 turn, as planned"), "{ran:?}");
}

#[test]
fn a_topic_alone_is_a_round_table() {
    let house = House::new();
    let ran = house.run(&["run", "--topic", "Tea?", "--rehearsed", "--headless"]).code(2);
    let other = "the rehearsed lines are about another topic: Should cities ban private cars?";
    assert!(ran.err.contains(other), "{}", ran.err);
    house.run(&["run"]).code(2);
}

#[test]
fn a_limit_of_open_files_that_is_too_low_is_said() {
    let house = House::new();
    let line = "ulimit -n 6; exec \"$0\" \"$@\"";
    let ran = end(house.shell(line, &["sessions", "list"]).spawn().unwrap()).code(1);
    assert!(
        ran.err.contains("the limit of open files is 6") && !ran.err.contains("crash"),
        "{ran:?}"
    );
}

#[test]
fn a_limit_in_turns_is_accepted_wherever_limits_are_set() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(4, 2));
    let steer = house.file("steer.jsonl", "{\"do\":\"limit\",\"set\":{\"turns\":2}}\n");
    for more in [["--steer", &steer], ["--set", "limits.turns=2"], ["--max-turns", "2"]] {
        let ran = house.run(&[&["run", &path, "--headless"], &more[..]].concat()).code(0);
        assert!(ran.err.contains(", 2 turns, "), "{more:?}: {}", ran.err);
    }
}
