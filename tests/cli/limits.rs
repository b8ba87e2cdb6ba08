//! A planned length is no warning; a budget is, see `plans.rs`.

use crate::house::{House, talk};

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
