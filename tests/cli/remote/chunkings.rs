//! Decoding does not depend on how a stream is split.

use crate::remote::streams;
use colloquium::model::Channel;
use colloquium::voice::Pieces;
use colloquium::voice::remote::Decoder;

/// Decodes streams split at random positions and compares the results with the expected content.
fn check(rounds: u64) {
    let mut streams = Vec::new();
    for good in streams::all() {
        let ends =
            ["\n", "\r\n", "\r"].map(|end| good.text.replace("\r\n", "\n").replace('\n', end));
        streams.push((good, ends));
    }
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut roll = |below: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        usize::try_from(dice % below as u64).unwrap()
    };
    for round in 0..rounds {
        let (good, ends) = &streams[roll(streams.len())];
        let mut rest = ends[roll(ends.len())].as_bytes();
        let longest = [1, 2, 3, 7, 40, 400, 4000][roll(7)];
        let mut decoder = Decoder::new(good.wire);
        let mut pieces = Pieces::new();
        while !rest.is_empty() {
            let (part, tail) = rest.split_at((1 + roll(longest)).min(rest.len()));
            decoder.push(part, &mut pieces).unwrap();
            rest = tail;
        }
        let done = decoder.end(0, &mut pieces).unwrap();
        let text =
            |channel| pieces.iter().filter(|p| p.0 == channel).map(|p| &*p.1).collect::<String>();
        assert_eq!(text(Channel::Say), good.say, "round {round}");
        assert_eq!(text(Channel::Think), good.think, "round {round}");
        let usage = done.usage.unwrap();
        assert_eq!((usage.input, usage.output), (good.input, good.output), "round {round}");
        assert_eq!(done.finish.as_deref(), Some("stop"), "round {round}");
    }
    println!("{rounds} random chunkings of 12 streams: identical text, usage and finish");
}

#[test]
fn a_stream_says_the_same_however_it_is_cut() {
    check(4_000);
}

#[test]
#[ignore = "takes minutes: cargo test --release --test cli a_million -- --ignored --nocapture"]
fn a_million_chunkings_say_the_same() {
    check(1_000_000);
}
