//! The player of an exported page: its words at each moment, content that it must not have, hostile texts.

use crate::house::{House, talk};
use colloquium::model::Ms;
use colloquium::session::replay::Recording;
use colloquium::session::{Item, ReadProgress};
use colloquium::state::Live;
use regex::Regex;
use std::collections::BTreeMap;
use std::path::Path;

/// Random moments in each session; four sessions make 200.
const MOMENTS: u64 = 50;

/// A message of a page.
struct Part {
    text: String,
    from: u64,
    to: u64,
    /// Times of its pieces, with the number of visible characters after each.
    pieces: Vec<(u64, usize)>,
}

fn export(house: &House, more: &[&str]) -> String {
    house.run(&[&["export", "--last", "--format", "html"], more].concat()).code(0).out
}

/// Returns the text of HTML.
fn text(html: &str) -> String {
    let text = Regex::new("<[^>]*>").unwrap().replace_all(html, "");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.into_owned(), |text, (entity, c)| text.replace(entity, c))
}

/// Returns the numbered messages of a page.
fn parts(page: &str) -> BTreeMap<u32, Part> {
    let article =
        Regex::new(r#"(?s)<article [^>]*id="t(\d+)"[^>]* data-t="([0-9 ]+)"[^>]*>(.*?)</article>"#);
    let words = Regex::new(r#"(?s)<div class="words">\n(.*)</div>"#).unwrap();
    let part = |found: regex::Captures<'_>| {
        let times: Vec<u64> = found[2].split(' ').map(|n| n.parse().unwrap()).collect();
        let mut pieces = vec![];
        let (mut at, mut count) = (times[0], 0);
        for pair in times.get(2..).unwrap_or_default().chunks(2) {
            at += pair[0];
            count += pair[1] as usize;
            pieces.push((at, count));
        }
        let text = words.captures(&found[3]).map_or(String::new(), |words| text(&words[1]));
        let to = *times.get(1).unwrap_or(&times[0]);
        (found[1].parse().unwrap(), Part { text, from: times[0], to, pieces })
    };
    article.unwrap().captures_iter(page).map(part).collect()
}

/// Returns the text without white space.
fn visible(text: &str) -> String {
    text.chars().filter(|c| *c > ' ').collect()
}

impl Part {
    /// Returns the visible text at a time, as the script of the page shows it.
    fn at(&self, ms: u64) -> Option<String> {
        let whole = visible(&self.text);
        let count = self.pieces.iter().rev().find(|(at, _)| *at <= ms).map_or(0, |piece| piece.1);
        let units: Vec<u16> = whole.encode_utf16().take(count).collect();
        match ms {
            ms if ms < self.from => None,
            ms if ms >= self.to => Some(whole),
            _ => Some(String::from_utf16(&units).unwrap()),
        }
    }
}

/// Returns the visible text of each turn that the state has.
fn words(live: &Live) -> BTreeMap<u32, String> {
    let ended = live.state.entries.iter();
    let ended = ended.filter_map(|e| Some((e.number?, visible(e.text()))));
    let running = live.state.turns.values();
    let running = running.filter_map(|t| Some((t.number?, visible(&live.said(t.id)))));
    ended.chain(running).collect()
}

/// Random numbers that are the same in each run.
fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

#[test]
fn at_random_moments_the_page_has_the_words_of_the_replay() {
    let mut seed = 4711;
    let (mut compared, mut within) = (0, 0);
    for run in [
        &["demo", "--headless"][..],
        &["run", "formal-debate", "--rehearsed", "--headless"],
        &["run", "crux", "--rehearsed", "--headless"],
        &["run", "moderated-panel", "--rehearsed", "--headless"],
    ] {
        let house = House::new();
        house.run(run).code(0);
        let parts = parts(&export(&house, &[]));
        let path = house.run(&["sessions", "path", "--last"]).code(0).out;
        let path = Path::new(path.trim());
        let (_, recording) = Recording::read(path, &ReadProgress::default(), &mut |_| {}).unwrap();
        let mut moments: Vec<u64> =
            (0..MOMENTS).map(|_| random(&mut seed) % (recording.end().0 + 1)).collect();
        moments.sort_unstable();
        let mut live = Live::default();
        let mut items = recording.moments().peekable();
        for now in moments {
            while let Some((_, item)) = items.next_if(|(at, _)| *at <= Ms(now)) {
                match item {
                    Item::Piece(piece) => live.push(piece),
                    Item::Event(record) => live.apply(&record.event),
                    Item::Past(_) => {}
                }
            }
            let page = parts.iter().filter_map(|(number, part)| Some((*number, part.at(now)?)));
            let page: BTreeMap<u32, String> = page.collect();
            assert_eq!(page, words(&live), "{run:?} at {now}");
            within += parts.values().filter(|part| part.from < now && now < part.to).count();
            compared += 1;
        }
    }
    assert_eq!(compared, 200);
    assert!(within > 100, "only {within} moments are within a turn");
}

/// Markdown arrives with its marks and is shown without them.
#[test]
fn pieces_count_the_rendered_characters() {
    let house = House::new();
    let words = "- a **bold** `c<d`\\n- [x](https://a.b) 🙂\\n\\n1. end";
    let path = house.file("talk.toml", &talk(2, 1).replace("A1 word", words));
    house.run(&["run", &path, "--headless"]).code(0);
    let parts = parts(&export(&house, &[]));
    let part = &parts[&1];
    assert_eq!(visible(&part.text), "aboldc<dx🙂end");
    let shown: Vec<String> = part.pieces.iter().map(|(at, _)| part.at(*at).unwrap()).collect();
    assert!(shown.len() > 4, "{shown:?}");
    assert!(shown.is_sorted_by(|a, b| b.starts_with(a.as_str())), "{shown:?}");
    assert_eq!(shown.last().unwrap(), "aboldc<dx🙂end");
}

/// The times are numbers without any text, and a hidden turn has no pieces that show its length.
#[test]
fn whispers_hidden_and_redacted_text_stay_out_of_the_player() {
    let house = House::new();
    let steer = house.file(
        "steer.jsonl",
        r#"{"after":{"utterance":1},"do":"whisper","to":"bo","text":"WHISPERED words"}
{"after":{"utterance":3},"do":"hide","utterance":2}
"#,
    );
    let scenario = talk(4, 9).replace("B1", "HIDDEN").replace("A2", "REDACTED");
    let path = house.file("talk.toml", &scenario);
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    assert!(export(&house, &[]).contains("REDACTED"));
    house.run(&["sessions", "redact", "--last", "--text", "REDACTED"]).code(0);
    let page = export(&house, &[]);
    for secret in ["WHISPERED", "HIDDEN", "REDACTED"] {
        assert!(!page.contains(secret), "{secret}: {page}");
    }
    let times = Regex::new(r#" data-t="([^"]*)""#).unwrap();
    let times: Vec<&str> = times.captures_iter(&page).map(|c| c.get(1).unwrap().as_str()).collect();
    assert!(times.len() > 4, "{times:?}");
    assert!(times.iter().all(|t| t.chars().all(|c| c.is_ascii_digit() || c == ' ')), "{times:?}");
    let parts = parts(&page);
    assert!(
        parts[&2].text.is_empty() && parts[&2].pieces.is_empty(),
        "a hidden turn has no pieces"
    );
    for (number, part) in &parts {
        let shown = part.pieces.last().map_or(0, |piece| piece.1);
        assert!(shown <= visible(&part.text).encode_utf16().count(), "{number}");
    }
}

#[test]
fn a_plain_page_has_no_script() {
    let house = House::new();
    house.run(&["run", &house.file("talk.toml", &talk(2, 2)), "--headless"]).code(0);
    let plain = export(&house, &["--plain"]);
    for part in ["<script", "script-src", "<template", "data-t", "#player"] {
        assert!(!plain.contains(part), "{part}: {plain}");
    }
    let page = export(&house, &[]);
    // without its attributes, the page reads the same
    let times = Regex::new(r#" data-[a-z]="[^"]*""#).unwrap();
    let body = |page: &str| {
        let (_, body) = page.split_once("<body>").unwrap();
        times.replace_all(body.split("<template").next().unwrap(), "").trim().to_owned()
    };
    assert_eq!(body(&page), body(&plain.replace("</body>\n</html>", "")));
    let refused = house.run(&["export", "--last", "--format", "md", "--plain"]).code(2);
    assert!(refused.err.contains("use --format html"), "{}", refused.err);
}

#[test]
fn hostile_text_is_inert_beside_the_script() {
    let house = House::new();
    let huge = "</script><!-- ".repeat(4_000);
    let hostile =
        format!("</script><script>alert(1)</script><!-- <template> \u{202e}x\u{2028}{huge}");
    let path = house.file("talk.toml", &talk(2, 1).replace("A1 word", &hostile));
    house.run(&["run", &path, "--headless"]).code(0);
    let page = export(&house, &[]);
    for (markup, count) in [("<script", 1), ("</script", 1), ("<template", 1), ("<!--", 0)] {
        assert_eq!(page.matches(markup).count(), count, "{markup}");
    }
    assert!(!page.contains(['\u{202e}', '\u{2028}']));
    let part = &parts(&page)[&1];
    assert!(part.pieces.len() > 100 && part.text.contains("</script><script>alert(1)"));
}

/// Two branches share their first turns; each has its own end, whispers of neither are in it, and both have times.
#[test]
fn two_branches_are_side_by_side_after_their_shared_turns() {
    let house = House::new();
    let whisper = r#"{"after":{"utterance":3},"do":"whisper","to":"bo","text":"WHISPERED words"}"#;
    let steer = house.file("steer.jsonl", whisper);
    let path = house.file("talk.toml", &talk(4, 2));
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let parent = house.run(&["sessions", "path", "--last"]).code(0).out.trim().to_owned();
    let fork = ["fork", &parent, "--at", "2", "--say", "BRANCHED here", "--headless"];
    house.run(&fork).code(0);
    let branch = house.run(&["sessions", "path", "--last"]).code(0).out.trim().to_owned();
    assert_ne!(parent, branch);
    let page = house.run(&["export", &parent, &branch, "--format", "html"]).code(0).out;
    for (anchor, count) in
        [("t1", 1), ("t2", 1), ("t3", 1), ("t4", 1), ("b1", 0), ("b3", 1), ("b4", 1)]
    {
        assert_eq!(page.matches(&format!(" id=\"{anchor}\"")).count(), count, "{anchor}: {page}");
    }
    assert!(page.contains("they diverge after <a href=\"#t2\">turn 2</a>"), "{page}");
    assert!(page.contains("BRANCHED here") && !page.contains("WHISPERED"), "{page}");
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    let [columns, second] =
        ["<div class=\"branches\">", "id=\"b3\""].map(|at| page.find(at).unwrap());
    assert!(page.find("id=\"t2\"").unwrap() < columns && columns < page.find("id=\"t3\"").unwrap());
    assert!(page.find("id=\"t4\"").unwrap() < second, "{page}");
    let plain = house.run(&["export", &parent, &branch, "--format", "html", "--plain"]).code(0).out;
    assert!(!plain.contains("<script") && !plain.contains("data-t") && plain.contains("id=\"b3\""));
    let refused = house.run(&["export", &parent, &branch, "--format", "md"]).code(2);
    assert!(refused.err.contains("use --format html"), "{}", refused.err);
    house.run(&["export", &parent, "no-such-session", "--format", "html"]).code(2);
}
