//! Pictures of conversations: PNG, SVG, text with colours, and the drawings of pages.

use crate::house::{House, talk};

fn without_colours(ans: &str) -> String {
    regex::Regex::new("\x1b\\[[0-9;]*m").unwrap().replace_all(ans, "").into_owned()
}

/// A picture is one drawing in three formats: pixels of its size, texts as wide as their cells, and rows with colours.
#[test]
fn a_picture_shows_the_moves_in_three_formats() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let file = |name: &str, more: &[&str]| {
        let path = house.path(name).display().to_string();
        house.run(&[&["export", "--last", "-o", &path], more].concat()).code(0);
        std::fs::read(path).unwrap()
    };
    let png = file("talk.png", &[]);
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (1200, 630));
    let svg = String::from_utf8(file("talk.svg", &["--size", "80x24"])).unwrap();
    for part in [
        "viewBox=\"0 0 800 460\"",
        "<path class=\"f s1\"",
        "freight stays",
        "textLength=",
        ">RESULT</text>",
    ] {
        assert!(svg.contains(part), "{part} is not in\n{svg}");
    }
    assert!(!svg.contains("<script"));
    let ans = String::from_utf8(file("talk.ans", &["--size", "80x20"])).unwrap();
    let plain = without_colours(&ans);
    assert!(ans.contains("\x1b[1;38;2;") && plain.lines().all(|line| line.chars().count() <= 80));
    for row in [
        "  ◆ #6   Cy moved Bo              \"My mother drives four hundred metres to th…",
        "  WHO     Ada and Bo say the same, Cy is 1 step away. 4 steps apart, now 1.",
    ] {
        assert!(plain.lines().any(|line| line == row), "{row} is not in\n{plain}");
    }
    // the font of PNG pictures lacks Chinese; the other formats use the fonts of their viewer
    let talk = house.file("talk.toml", &talk(2, 2).replace("\"Ada\"", "\"小明\""));
    house.run(&["run", &talk, "--headless"]).code(0);
    let refused = house.run(&["export", "--last", "--format", "png", "-o", "x.png"]).code(2).err;
    assert!(refused.contains("lacks 小 明; use --format svg or ans"), "{refused}");
    assert!(!refused.contains("free space"), "{refused}");
}

/// A page begins with the poster; with the address at which it will be, links to it show the picture beside it.
#[test]
fn a_page_begins_with_the_poster_and_links_show_its_picture() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let page = house.path("talk.html").display().to_string();
    let address = "https://example.org/a/talk.html";
    house.run(&["export", "--last", "-o", &page, "--url", address]).code(0);
    let text = std::fs::read_to_string(&page).unwrap();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
    assert!(at("<figure class=\"poster\">") < at("<h1>"));
    at("<meta property=\"og:image\" content=\"https://example.org/a/talk.png\">");
    at("<meta property=\"og:description\" content=\"Close the Saltmarket");
    let png = std::fs::read(house.path("talk.png")).unwrap();
    assert_eq!(&png[..4], b"\x89PNG");
    let other = house.path("other.html").display().to_string();
    house.run(&["export", "--last", "-o", &other]).code(0);
    let text = std::fs::read_to_string(other).unwrap();
    assert!(text.contains("og:title") && !text.contains("og:image"));
    let ran = house.run(&["export", "--last", "-o", "x.html", "--url", "talk.html"]).code(2);
    assert!(ran.err.contains("needs a whole address"), "{}", ran.err);
}

/// Each participant has a row of its own at the end, at the cost of a blank row or of the last facts.
#[test]
fn lines_share_no_row_while_a_blank_one_is_left() {
    let house = House::new();
    house.run(&["demo", "crux", "--headless"]).code(0);
    let ans = house.run(&["export", "--last", "--format", "ans", "--size", "120x31"]).code(0).out;
    let plain = without_colours(&ans);
    for row in ["●╮ Dr. Aslan  close it, equip a room", "●┤ Marit      close it, keep a room"]
    {
        assert!(plain.contains(row), "{row} is not in\n{plain}");
    }
}

/// A poster names everybody who is not in the result, the winner, and the title of a long topic. A participant who
/// takes the minutes states no position.
#[test]
fn a_poster_names_who_stated_no_position_and_who_won() {
    let house = House::new();
    let seat = |id: &str, line: &str| {
        format!("[[participant]]\nid = \"{id}\"\nlines = [\"\"\"\n{line}\"\"\"]\n")
    };
    let silent = house.file(
        "silent.toml",
        &format!(
            "title = \"A bridge\"\npolicy = \"round_robin\"\nstance = [\"build\", \"keep\"]\n{}{}{}",
            seat("ilse", "Build it.\nSTANCE: +2 | build it now"),
            seat("oskar", "Keep it.\nSTANCE: -2 | the ferry"),
            seat("tove", "I only listen."),
        ),
    );
    for (name, rows) in [
        (silent.as_str(), ["  MISSING a position of tove", "  A BRIDGE"]),
        ("crux", ["  SHOULD THE VALLEY KEEP ITS MATERNITY WARD?", "  WHO     All stand"]),
        (
            "brainstorm",
            ["  MOVED   Okan: six stoves along the long side → four stoves", "  OPEN    The"],
        ),
        ("formal-debate", ["  OUTCOME Nadia wins 8 to 7.", "  WHO     4 steps apart, now 2."]),
        ("consensus", ["  END     Finished: consensus.", "        #1  #2  #3  #4  #5  #6  #7"]),
    ] {
        house.run(&["demo", name, "--headless"]).code(0);
        let format = ["export", "--last", "--format", "ans", "--size", "80x50"];
        let ans = house.run(&format).code(0).out;
        let plain = without_colours(&ans);
        for row in rows {
            assert!(plain.lines().any(|line| line.starts_with(row)), "{row} is not in\n{plain}");
        }
        assert_eq!(plain.contains("MISSING"), name == silent, "{plain}");
    }
}

/// The page of a conversation without an end has its drawing for wide and for narrow windows.
#[test]
fn the_drawing_of_an_unfinished_page_is_narrow_on_a_phone() {
    let house = House::new();
    let session = house.path("whole.jsonl");
    house.run(&["demo", "--headless", "--out-session", &session.display().to_string()]).code(0);
    let whole = std::fs::read_to_string(session).unwrap();
    let is_moved = |line: &&str| line.contains("\"stance.recorded\"");
    let last = whole.lines().position(|line| is_moved(&line)).unwrap();
    let begun: Vec<&str> = whole.lines().take(last + 1).collect();
    let begun = house.file("begun.jsonl", &(begun.join("\n") + "\n"));
    let page = house.run(&["export", &begun, "--format", "html"]).code(0).out;
    let widths = ["viewBox=\"0 0 1100 ", "viewBox=\"0 0 600 "];
    assert!(widths.iter().all(|width| page.matches(width).count() == 1), "{page}");
    assert!(!page.contains("figure class=\"poster\""), "it has no end");
}

/// A running conversation lacks nothing yet. A participant that failed and spoke is not missing, and an end by
/// a verdict is named once.
#[test]
fn a_poster_says_once_what_is_missing_at_the_end() {
    let house = House::new();
    let path = house.path("talk.jsonl").display().to_string();
    let poster = || {
        let format = ["export", &path, "--format", "ans", "--size", "80x50"];
        without_colours(&house.run(&format).code(0).out)
    };
    let play = |args: &[&str]| {
        let _ = std::fs::remove_file(&path);
        house.run(&[&["run"], args, &["--headless", "--out-session", &path]].concat());
    };
    play(&["formal-debate", "--rehearsed", "--set", "result=none"]);
    let plain = poster();
    assert!(plain.contains("  OUTCOME Nadia wins 8 to 7.") && !plain.contains("  END "), "{plain}");
    play(&["round-table", "--rehearsed"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let ends: Vec<usize> = text.match_indices("\"turn.ended\"").map(|(at, _)| at).collect();
    let begun = ends[1] + text[ends[1]..].find('\n').unwrap() + 1;
    std::fs::write(&path, &text[..begun]).unwrap();
    assert!(!poster().contains("MISSING"), "{}", poster());
    let failing = house.file(
        "failing.toml",
        "title = \"T\"\npolicy = \"round_robin\"\n[limits]\nutterances = 4\n\
         [[participant]]\nid = \"ada\"\nlines = [\"I sell tea.\"]\n\
         [[participant]]\nid = \"bo\"\non_failure = { retry = 0 }\n\
         script = [\"sh\", \"-c\", \"test ! -e x && touch x && echo Mine.\"]\n",
    );
    play(&[&failing, "--trust"]);
    let plain = poster();
    assert!(plain.contains("  FAILED  bo failed once") && !plain.contains("MISSING"), "{plain}");
}
