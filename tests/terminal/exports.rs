//! Exports at a terminal.

use crate::house::House;

/// A terminal shows neither a page nor a picture: they become files, whose names are told.
#[test]
fn pages_and_pictures_become_files_at_a_terminal() {
    let house = House::new();
    house.piped(&["demo", "--headless"]);
    for (args, name, begin) in [
        (&["export"][..], "should-cities-ban-private-cars.html", &b"<!doctype"[..]),
        (&["export"], "should-cities-ban-private-cars-2.html", b"<!doctype"),
        (&["export", "--format", "png"], "should-cities-ban-private-cars.png", b"\x89PNG"),
        (
            &["export", "--format", "png", "-o", "-"],
            "should-cities-ban-private-cars-2.png",
            b"\x89PNG",
        ),
    ] {
        let left = house.run(args).left();
        assert!(left.code == 0 && left.told.contains(name), "{args:?}: {}", left.told);
        assert!(!left.told.contains("IHDR"), "{args:?}");
        assert!(std::fs::read(house.path(name)).unwrap().starts_with(begin), "{name}");
    }
    let left = house.run(&["export", "--format", "txt"]).left();
    assert!(left.told.contains("[1] Ada"), "{}", left.told);
}
