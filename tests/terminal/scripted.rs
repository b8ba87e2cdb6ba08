//! Scripted tests on a terminal: a line shows the progress and disappears once all tests have ended.

use crate::house::House;

#[test]
fn scripted_tests_show_their_progress() {
    let house = House::new();
    let text = "[scenario]\ntitle = \"A talk\"\nlimits = { utterances = 2 }\n[[scenario.participant]]\nid = \"ada\"\n\
        [[voice]]\nseat = \"ada\"\nlines = [\"Tea.\"]\n[[expect]]\nthat = \"ended\"\n[[case]]\n[[case]]\n[[case]]\n";
    let file = house.file("p.test.toml", text);
    let mut program = house.run(&["test", "--jobs", "1", &file]);
    program.until("3 passed");
    let sent = program.sent();
    for part in ["1 of 3 tests …", "2 of 3 tests …", "3 of 3 tests"] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    assert!(!program.shown().contains("of 3 tests"), "{}", program.shown());
}
