//! Cost of making text safe to show.

use colloquium::text;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const BYTES: usize = 1 << 20;
const TEXTS: [(&str, &str); 4] = [
    ("English", "Six full buses carry that many, and a bus does not sleep at the kerb.\n"),
    ("many scripts", "שלום עולם हिन्दी 日本語 👩‍👩‍👧 naïve\n"),
    ("code", "fn main() { println!(\"\\x1b[0m {}\", 1); }\n"),
    ("hostile", "a\u{1b}[31mb\u{202e}c\u{9b}0m\u{200b}d\u{7}\n"),
];

#[divan::bench(args = TEXTS.map(|(name, _)| name))]
fn sanitise(bencher: Bencher, name: &str) {
    let (_, part) = TEXTS.into_iter().find(|(known, _)| *known == name).unwrap();
    let raw = part.repeat(BYTES / part.len());
    let safe = || text::block(black_box(&raw)).len();
    bencher.counter(BytesCount::new(raw.len())).bench(safe);
}
