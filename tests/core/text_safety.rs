//! Text for the terminal: hostile texts lose every effect, normal texts lose nothing.
//!
//! The check is independent of the filter: a terminal parser (`vte`) reads the result as a terminal would, and a
//! separate list of forbidden characters is written out here.

use crate::corpus::{HOSTILE, REAL};
use colloquium::text::{self, Stream};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

/// Maximum code points of a grapheme cluster.
const CLUSTER_LIMIT: usize = 12;

/// Number of terminal actions besides printing, line breaks and tabs.
#[derive(Default)]
struct Acts(usize);

impl vte::Perform for Acts {
    fn execute(&mut self, byte: u8) {
        self.0 += usize::from(byte != b'\n' && byte != b'\t');
    }
    fn hook(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
        self.0 += 1;
    }
    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.0 += 1;
    }
    fn csi_dispatch(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
        self.0 += 1;
    }
    fn esc_dispatch(&mut self, _: &[u8], _: bool, _: u8) {
        self.0 += 1;
    }
}

fn acts(text: &str) -> usize {
    let mut acts = Acts::default();
    vte::Parser::new().advance(&mut acts, text.as_bytes());
    acts.0
}

/// Returns whether a character is invisible or controls the terminal.
fn forbidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{ad}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{3164}' | '\u{ffa0}' | '\u{115f}' | '\u{1160}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e001f}' | '\u{e0080}'..='\u{e00ff}')
}

/// Returns the fault of a text for display, if any.
fn fault(shown: &str) -> Option<String> {
    if acts(shown) > 0 {
        return Some("a terminal would act on it".into());
    }
    if let Some(c) = shown.chars().find(|c| forbidden(*c)) {
        return Some(format!("it holds U+{:04X}", u32::from(c)));
    }
    let longest = shown.graphemes(true).map(|g| g.chars().count()).max().unwrap_or(0);
    (longest > CLUSTER_LIMIT).then(|| format!("a cluster has {longest} code points"))
}

fn in_pieces(raw: &str, cuts: &[usize], mut stream: Stream) -> String {
    let mut shown = String::new();
    let mut rest = raw;
    for cut in cuts {
        let at = rest.char_indices().nth(cut % 5).map_or(rest.len(), |(i, _)| i);
        let (piece, after) = rest.split_at(at);
        shown += &stream.push(piece);
        rest = after;
    }
    shown += &stream.push(rest);
    shown + &stream.finish()
}

#[test]
fn hostile_texts_are_inert_and_said_to_be_changed() {
    assert!(HOSTILE.len() >= 60);
    let mut faults = Vec::new();
    for raw in HOSTILE {
        let shown = text::shown(raw);
        let line = text::line(raw);
        let found = [fault(&shown.text), fault(&line)].into_iter().flatten().next();
        let quiet = (!shown.hidden).then(|| "nobody is told".to_owned());
        let stable = text::block(&shown.text) == shown.text;
        let quiet = quiet.or((!stable).then(|| "it changes again".to_owned()));
        let broken = line.contains(['\n', '\t']).then(|| "a line has breaks".to_owned());
        if let Some(why) = found.or(quiet).or(broken) {
            faults.push(format!("{raw:?} -> {:?}: {why}", shown.text));
        }
    }
    println!("hostile texts: {} of {} inert", HOSTILE.len() - faults.len(), HOSTILE.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn hostile_texts_keep_their_words() {
    // each text of the corpus ends with END, to detect sequences that swallow the following text
    for raw in HOSTILE {
        assert!(text::block(raw).contains("END"), "{raw:?} -> {:?}", text::block(raw));
    }
}

#[test]
fn real_texts_pass_unchanged() {
    assert!(REAL.len() >= 60);
    let changed: Vec<_> = REAL
        .iter()
        .filter(|raw| text::block(raw) != **raw || text::shown(raw).hidden)
        .map(|raw| format!("{raw:?} -> {:?}", text::block(raw)))
        .collect();
    println!("real texts: {} of {} unchanged", REAL.len() - changed.len(), REAL.len());
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn every_split_of_the_corpus_gives_the_same() {
    let mut splits = 0;
    for raw in HOSTILE.iter().chain(REAL) {
        let whole = text::block(raw);
        for (at, _) in raw.char_indices() {
            let mut stream = text::streamer();
            let (a, b) = raw.split_at(at);
            let shown = stream.push(a) + &stream.push(b) + &stream.finish();
            assert_eq!(shown, whole, "{raw:?} cut at {at}");
            splits += 1;
        }
        let mut stream = text::streamer();
        let shown: String = raw.chars().map(|c| stream.push(c.encode_utf8(&mut [0; 4]))).collect();
        assert_eq!(shown + &stream.finish(), whole, "{raw:?} by characters");
    }
    println!("splits: {splits} equal");
}

#[test]
fn marks_name_the_removed_characters() {
    for (raw, shown) in [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\u{9b}1;31mred", "red"),
        ("\x1b[2Jgone", "␛[2Jgone"),
        ("\x1b]0;title\x07rest", "␛]0;title␇rest"),
        ("\x1b]52;c;never ends", "␛]52;c;never ends"),
        ("\x1b\x1b[31m[32m", "␛[32m"),
        ("a\rb", "a␍b"),
        ("a\r\nb\r", "a\nb␍"),
        ("a\x08b\x7f", "a␈b␡"),
        ("\u{202e}abc", "<U+202E>abc"),
        ("a\u{200b}b", "a<U+200B>b"),
        ("a\u{200f}\u{5d0}, \u{200f}b\n\u{200f}b", "a\u{200f}\u{5d0}, \u{200f}b\n<U+200F>b"),
        ("a\u{200f}b", "a<U+200F>b"),
        ("1\u{fe0f}\u{20e3}a\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}a<U+FE0F>\u{20e3}"),
        ("\u{301}x", "◌\u{301}x"),
        ("x\u{85}y\u{2028}z", "x\ny\nz"),
    ] {
        assert_eq!(text::block(raw), shown, "{raw:?}");
    }
    let flood = format!("a{}b", "\u{301}".repeat(1000));
    assert_eq!(text::block(&flood), format!("a{}…b", "\u{301}".repeat(10)));
}

#[test]
fn little_is_held_back() {
    for (start, endless) in [
        ("\x1b[", "3333333333"),
        ("\u{9b}", "1;1;1;1;1;"),
        ("\x1b]0;", "title "),
        ("", "\x1b[33"),
        ("", "\u{200d}\u{200e}"),
        ("", "\r\r"),
    ] {
        let mut stream = text::streamer();
        let shown = stream.push(&(start.to_owned() + &endless.repeat(100)));
        let rest = stream.finish();
        assert!(shown.len() > 100 && rest.len() <= 40, "{start:?}{endless:?}: {rest:?}");
    }
}

/// Strings with a high share of dangerous and unusual characters.
fn nasty() -> impl Strategy<Value = String> {
    let delicate = prop::sample::select(vec![
        '\x1b',
        '[',
        ']',
        ';',
        'm',
        '3',
        '\x07',
        '\\',
        '\r',
        '\n',
        '\t',
        '\u{9b}',
        '\u{9d}',
        '\u{85}',
        '\u{202e}',
        '\u{2066}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{61c}',
        '\u{fe0e}',
        '\u{fe0f}',
        '\u{20e3}',
        '1',
        '#',
        '\u{301}',
        '\u{489}',
        '\u{93f}',
        '\u{94d}',
        'क',
        'ष',
        'ا',
        'ש',
        '👩',
        '❤',
        '🏴',
        '\u{1f3fd}',
        '🇩',
        '🇪',
        '\u{e0067}',
        '\u{e0062}',
        '\u{e0065}',
        '\u{e006e}',
        '\u{e007f}',
        '\u{e0100}',
        '葛',
        '\u{600}',
        '\u{1100}',
        '\u{1161}',
        '\u{180b}',
        'ᠠ',
        '\u{34f}',
        '…',
        'a',
    ]);
    let run = (delicate.clone(), 1..16_usize).prop_map(|(c, n)| c.to_string().repeat(n));
    let piece = prop_oneof![
        8 => delicate.prop_map(|c| c.to_string()),
        1 => run,
        2 => any::<char>().prop_map(|c| c.to_string()),
        1 => prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned),
        1 => prop::sample::select(REAL.to_vec()).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_safe_stable_and_the_same_in_pieces(
        raw in nasty(),
        cuts in prop::collection::vec(0..5_usize, 0..40),
    ) {
        let block = text::block(&raw);
        prop_assert_eq!(fault(&block), None, "{:?}", block);
        prop_assert_eq!(&text::block(&block), &block, "not stable");
        prop_assert_eq!(&in_pieces(&raw, &cuts, Stream::block()), &block);
        prop_assert_eq!(text::shown(&raw).hidden || block == raw || raw.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']), true);

        let line = text::line(&raw);
        prop_assert_eq!(fault(&line), None, "{:?}", line);
        prop_assert!(!line.contains(['\n', '\t']));
        prop_assert_eq!(&text::line(&line), &line, "not stable");
        prop_assert_eq!(&in_pieces(&raw, &cuts, Stream::line()), &line);
    }
}

/// Number of cases, small by default; `PROPTEST_CASES` overrides it.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}
