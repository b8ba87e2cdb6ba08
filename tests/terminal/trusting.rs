//! On the screen the operator is asked before a stranger's file acts, once for every content.

use crate::house::House;
use std::path::Path;

const TALK: &str = "title = \"A talk\"\n[limits]\nutterances = 1\n\
    [[participant]]\nid = \"x\"\nscript = [\"sh\", \"-c\", \"echo ran >> trace; echo hello there\"]\n";

#[test]
fn one_is_asked_once_and_again_after_a_changed_byte() {
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let trace = Path::new(&path).with_file_name("trace");
    let mut program = house.run(&["run", &path]);
    program.until("run sh -c echo ran");
    program.until("[y/N]");
    program.keys("\r");
    assert_eq!(program.left().code, 3);
    assert_eq!(house.piped(&["run", &path, "--headless"]).status.code(), Some(3));
    assert!(!trace.exists(), "nothing ran before a yes");

    let mut program = house.run(&["run", &path]);
    program.until("[y/N]");
    program.keys("y\r");
    program.until("the limit of 1 utterance is reached");
    program.keys("q");
    let left = program.left();
    assert_eq!(left.code, 0);
    left.restored();
    assert!(trace.exists());

    // an agreement holds where nobody can be asked
    assert_eq!(house.piped(&["run", &path, "--headless"]).status.code(), Some(0));
    let changed = house.file("talk.toml", &TALK.replace("hello", "Hello"));
    assert_eq!(house.piped(&["run", &changed, "--headless"]).status.code(), Some(3));
}
