//! Check of a link from a message before it is opened: the address is shown in full on its own page, and refused if it
//! may be deceptive.

use crate::text;
use crate::ui::text::links::{ScreenLink, links};
use crate::ui::text::wrap::width;
use crate::ui::view::page::{Page, Section};

/// Minimum number of matching bytes to recognise the next line as the continuation of a broken address.
const PIECE_MIN: usize = 3;
/// Maximum length of an address that is opened, in bytes.
const LONGEST: usize = 2_048;

/// Finds the addresses of a message in its visible lines, given as (screen row, line index in the message, text).
///
/// Only addresses that would not be refused are returned. An address broken across lines yields one part per line.
pub fn seen(said: &str, lines: &[(u16, usize, String)], left: u16) -> Vec<ScreenLink> {
    let all = links(said);
    let whole: Vec<&String> = all.iter().filter(|link| refused(link).is_none()).collect();
    let mut found = Vec::new();
    // an address that continues on the next line: line index, address, bytes used so far
    let mut open: Option<(usize, &String, usize)> = None;
    for (y, line, text) in lines {
        let mut add = |from: usize, cells: usize, address: &String| {
            let x = left.saturating_add(width(&text[..from]) as u16);
            found.push(ScreenLink { at: (x, *y), width: cells as u16, address: address.clone() });
        };
        if let Some((_, address, used)) = open.take().filter(|(before, ..)| before + 1 == *line) {
            let rest = &address[used..];
            // the continuation is a word of this line
            let piece = text.split_whitespace().rev().find_map(|word| {
                let same = word.bytes().zip(rest.bytes()).take_while(|(a, b)| a == b).count();
                let goes_on = same == rest.len() || same == word.len() && same >= PIECE_MIN;
                goes_on.then(|| &rest[..same])
            });
            if let Some((from, piece)) = piece.and_then(|piece| Some((text.find(piece)?, piece))) {
                add(from, piece.len(), address);
                let used = used + piece.len();
                open = (used < address.len()).then_some((*line, address, used));
            }
        }
        for (from, _) in text.match_indices("http").chain(text.match_indices("mailto:")) {
            let run = text[from..].split(|c: char| c.is_whitespace()).next().unwrap_or_default();
            let ends_line = !text[from + run.len()..].contains(char::is_alphanumeric);
            let Some(address) = target(&whole, run, ends_line) else { continue };
            let cells = run.len().min(address.len());
            add(from, cells, address);
            if cells < address.len() {
                open = Some((*line, address, cells));
            }
        }
    }
    found
}

/// Returns the address behind a run of characters on the screen: the same address, or a longer address broken at the end
/// of the line. Other addresses with the same beginning do not count.
fn target<'a>(whole: &[&'a String], run: &str, ends_line: bool) -> Option<&'a String> {
    let shown = links(run);
    let same = whole.iter().find(|link| shown.first() == Some(**link));
    let longer = || whole.iter().filter(|link| link.starts_with(run)).max_by_key(|link| link.len());
    same.or_else(|| ends_line.then(longer).flatten()).copied()
}

/// Returns the page of an address, with its warning or the key that opens it.
pub fn page(address: &str) -> Page {
    let refused = refused(address);
    let told = match refused {
        Some(why) => format!("Not opened: {why}.  y copy  esc back"),
        None => "Enter open  y copy  esc back".into(),
    };
    let mut facts = vec![("address", text::line(address).into_owned())];
    facts.extend(host(address).map(|host| ("host", text::line(host).into_owned())));
    Page {
        title: "Link".into(),
        facts,
        parts: vec![Section { body: told, warns: refused.is_some(), ..Section::default() }],
        link: Some((address.to_owned(), refused.is_none())),
        ..Page::default()
    }
}

/// Returns the host of a web address, without its port.
fn host(address: &str) -> Option<&str> {
    let rest = address.strip_prefix("https://").or(address.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(host.rsplit_once(':').map_or(host, |(host, _)| host))
}

/// Returns the reason why an address is not opened; `None` if it may be opened.
pub fn refused(address: &str) -> Option<&'static str> {
    let web = address.starts_with("https://") || address.starts_with("http://");
    let mail = address.starts_with("mailto:");
    let authority = address.split(['/', '?', '#']).nth(2).unwrap_or_default();
    let shown = |c: char| c.is_ascii_graphic() && !"\\\"'`<>^{}|$;".contains(c);
    match () {
        () if !web && !mail => Some("not a web or mail address"),
        () if address.len() > LONGEST => Some("too long to check"),
        () if !address.is_ascii() => Some("contains look-alike letters"),
        () if !address.chars().all(shown) => {
            Some("contains characters that do not belong in an address")
        }
        () if web && authority.contains('@') => Some("the part before @ hides the real host"),
        () if web && host(address).is_none_or(str::is_empty) => Some("no host"),
        () if mail && address.contains('?') => Some("it would prefill the message"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_across_rows_and_deceptive_ones_rejected() {
        let said = "See https://a.example/long/way?x=1, or https://good.example@evil.example/.";
        let lines = [
            (4, 1, "▌ See https://a.example/lo".to_owned()),
            (5, 2, "▌ ng/way?x=1, or https://go".to_owned()),
            (6, 3, "▌ od.example@evil.example/.".to_owned()),
        ];
        let found = seen(said, &lines, 1);
        let address = "https://a.example/long/way?x=1";
        let places: Vec<_> = found.iter().map(|l| (l.at, l.width, &*l.address)).collect();
        assert_eq!(places, [((7, 4), 20, address), ((3, 5), 10, address)]);
        let lines = [(4, 1, format!("▌ See {address}, or")), (5, 2, "▌ https://good".to_owned())];
        let found = seen(said, &lines, 0);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].width), ((6, 4), 30));
    }

    #[test]
    fn leads_to_the_shown_address_and_no_longer_one() {
        let said = "https://bank.example and https://bank.example.evil.example/x, or \
                    [https://bank.example/in](https://evil.example/) https://bank.example";
        let lines = [
            (1, 1, "https://bank.example and https://bank.example.evil.example/x, or".to_owned()),
            (2, 2, "https://bank.example/in https://bank.example".to_owned()),
            (3, 3, "https://bank.ex".to_owned()),
            (4, 4, "https://bank.example.evil and".to_owned()),
        ];
        let found = seen(said, &lines, 0);
        let shown: Vec<_> = found.iter().map(|l| (l.at.1, &*l.address)).collect();
        assert_eq!(
            shown,
            [
                (1, "https://bank.example"),
                (1, "https://bank.example.evil.example/x"),
                (2, "https://bank.example/in"),
                (2, "https://bank.example"),
                (3, "https://bank.example.evil.example/x"),
            ]
        );
    }

    #[test]
    fn only_honest_links_are_opened() {
        for (address, opened) in [
            ("https://a.example/b?c=d&e=%20f#g", true),
            ("http://127.0.0.1:8080/", true),
            ("https://[::1]:80/", true),
            ("mailto:me@a.example", true),
            ("mailto:me@a.example?attach=/etc/passwd", false),
            ("https://good.example@evil.example/", false),
            ("https://\u{430}.example/", false),
            ("https:///nowhere", false),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
            ("-e", false),
            ("https://a.example/$(id);x", false),
            ("https://a.example/\u{202e}", false),
        ] {
            assert_eq!(refused(address).is_none(), opened, "{address}");
        }
        assert_eq!(host("https://good.example:80/x"), Some("good.example"));
    }
}
