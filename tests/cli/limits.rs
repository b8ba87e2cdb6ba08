//! Warnings about a limit before it holds.

use crate::house::{House, talk};

#[test]
fn a_limit_warns_at_four_fifths_wherever_somebody_reads() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(5, 3));
    let ran = house.run(&["run", &path, "--headless"]).code(0);
    let told = "close to the limit: 4 of 5 turns";
    assert!(ran.err.contains(&format!("warning: {told}\n")), "{}", ran.err);
    assert!(ran.out.contains(&format!("-- {told}\n\n[5] Ada")), "{}", ran.out);
    let markdown = house.run(&["run", &path, "--headless", "--format", "md"]).code(0);
    assert!(markdown.out.contains(&format!("*{told}*\n")), "{}", markdown.out);
    assert_eq!(house.run(&["sessions", "show", "--last"]).code(0).out, ran.out);
    for (format, note) in [
        ("txt", format!("-- {told}\n")),
        ("md", format!("*{told}*\n")),
        ("html", format!(">{told}</p>")),
    ] {
        let page = house.run(&["export", "--last", "--format", format]).code(0).out;
        assert!(page.contains(&note), "{format}: {page}");
    }
    let quiet = house.run(&["run", &path, "--headless", "--quiet"]).code(0);
    assert_eq!(quiet.err, "");
}
