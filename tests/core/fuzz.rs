//! Fuzz tests of seven modules that parse untrusted input: no panic, no hang, bounded memory.
//!
//! An input is derived from a number: a text of the repository with random changes. A failure prints its number;
//! `FROM=number INPUTS=1` repeats it. `INPUTS` sets the number of inputs per module.

use crate::{corpus, program, streams};
use colloquium::expr::{Condition, Facts, Template};
use colloquium::import;
use colloquium::model::{AnswerKind, Form, Participant, VoiceSpec, Wall, Wire};
use colloquium::reply::{self, ClosingParts, ReplyStream, Speech};
use colloquium::session::{FORMAT, SessionFiles, inert, reader};
use colloquium::state::State;
use colloquium::text::{self, Trigrams};
use colloquium::voice::Pieces;
use colloquium::voice::remote::Decoder;
use colloquium::{policy, scenario};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Inputs per module in a normal test run.
const FEW: u64 = 600;
/// Inputs of all modules together in the full run.
const ALL: u64 = 10_000_000;
/// Maximum CPU time of one input.
const HANG: Duration = Duration::from_secs(1);
/// Maximum peak memory of the process.
const MEMORY_MAX_KIB: u64 = 512 * 1024;
/// Maximum length of an input, in bytes.
const LONGEST: usize = 1 << 16;

/// Strings that often break parsers.
const TOKENS: [&str; 32] = [
    "\u{0}",
    "\u{1b}[",
    "\u{202e}",
    "\u{e0041}",
    "\u{301}",
    "\r\n",
    "\n\n",
    "\"",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[[",
    "]]",
    "{{",
    "}}",
    "{%",
    "%}",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "0.1",
    "true",
    "data: ",
    "[DONE]",
    "<think>",
    "</said>",
    "@all",
    "\"seq\":",
    ",\"crc\":\"",
    "''' ",
];

/// Seeded random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % sides.max(1) as u64).unwrap()
    }

    /// Returns a random range within `of` bytes; short ranges are more likely.
    fn part(&mut self, of: usize) -> std::ops::Range<usize> {
        let from = self.roll(of + 1);
        let longest = [1, 8, 64, 4_096][self.roll(4)];
        from..(from + self.roll(longest + 1)).min(of)
    }

    /// Returns a mutated copy of one of the seeds.
    fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.roll(seeds.len())].clone();
        for _ in 0..self.roll(8) {
            let part = self.part(bytes.len());
            match self.roll(7) {
                0 => drop(bytes.drain(part)),
                1 => {
                    let at = self.roll(bytes.len().max(1));
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << self.roll(8);
                    }
                }
                2 => {
                    let token = TOKENS[self.roll(TOKENS.len())];
                    let times = [1, 1, 1, 2, 300][self.roll(5)];
                    bytes.splice(part, token.repeat(times).into_bytes());
                }
                3 => {
                    let copy = bytes[part.clone()].repeat(1 + self.roll(3));
                    bytes.splice(part.start..part.start, copy);
                }
                4 => {
                    let other = &seeds[self.roll(seeds.len())];
                    let theirs = self.part(other.len());
                    bytes.splice(part, other[theirs].to_vec());
                }
                5 => bytes.truncate(part.start),
                _ => bytes[part].reverse(),
            }
            bytes.truncate(LONGEST);
        }
        bytes
    }
}

/// Returns the CPU time of this thread, which does not depend on the load of the machine.
fn worked() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// Feeds inputs to a module and prints a summary.
fn feed(room: &str, seeds: &[Vec<u8>], eats: impl Fn(&[u8], &mut Dice)) {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|n| n.parse::<u64>().ok());
    let from = number("FROM").unwrap_or(0);
    let inputs = number("INPUTS").unwrap_or(FEW);
    let mut slowest = Duration::ZERO;
    for seed in from..from + inputs {
        let eat = || {
            let mut dice = Dice(seed);
            let bytes = dice.input(seeds);
            let begun = worked();
            eats(&bytes, &mut dice);
            worked().saturating_sub(begun)
        };
        let took = catch_unwind(AssertUnwindSafe(eat));
        let took = took.unwrap_or_else(|_| panic!("{room}: input {seed} panics"));
        assert!(took < HANG, "{room}: input {seed} takes {took:?}");
        slowest = slowest.max(took);
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|kib| kib.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    println!(
        "{room}: {inputs} inputs, 0 panics, the slowest {slowest:?}, at most {} MB",
        peak >> 10
    );
    assert!(peak <= MEMORY_MAX_KIB, "{peak} KiB");
}

fn bytes<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Vec<u8>> {
    texts.into_iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn streams_of_servers() {
    let good = streams::all();
    let seeds: Vec<_> = good.iter().map(|good| good.text.clone().into_bytes()).collect();
    let wires = Wire::ALL;
    feed("streams", &seeds, |bytes, dice| {
        let mut decoder = Decoder::new(wires[dice.roll(wires.len())]);
        let mut pieces = Pieces::new();
        let size = [1, 7, 100, 65_536][dice.roll(4)];
        for part in bytes.chunks(size) {
            if decoder.push(part, &mut pieces).is_err() {
                return;
            }
        }
        let _ = decoder.end(0, &mut pieces);
    });
}

#[test]
fn texts_on_their_way_to_a_terminal() {
    let seeds = bytes(corpus::HOSTILE.iter().chain(corpus::REAL).copied());
    feed("texts", &seeds, |bytes, _| {
        let raw = String::from_utf8_lossy(bytes);
        let block = text::block(&raw);
        assert!(!block.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7f}', '\0']));
        assert_eq!(text::block(&block), block);
        assert!(!text::line(&raw).contains(['\n', '\u{1b}', '\t']));
        let _ = (text::forwarded(&raw), text::look_alike(&raw, &block));
    });
}

#[test]
fn session_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_sessions");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut seeds: Vec<_> =
        files.filter(|path| path.is_file()).map(|path| fs::read(path).unwrap()).collect();
    seeds.sort();
    seeds.iter_mut().for_each(|seed| seed.truncate(LONGEST / 4));
    feed("sessions", &seeds, |bytes, dice| {
        // with the checksums renewed, changed lines pass the checksum test and are parsed further
        let signed: Vec<u8> =
            bytes.split(|b| *b == b'\n').flat_map(|line| resigned(line, dice)).collect();
        let log = reader::read_bytes(SessionFiles::at("/nowhere/fuzzed.jsonl"), &signed);
        let state = State::fold(log.events());
        let _ = (state.entries.len(), log.can_append());
    });
}

/// Returns a line with its newline, in nine of ten cases with a correct checksum.
fn resigned(line: &[u8], dice: &mut Dice) -> Vec<u8> {
    let trailer = b",\"crc\":\"01234567\"}".len();
    let mut line = line.to_vec();
    if line.len() > trailer && dice.roll(10) > 0 {
        line.truncate(line.len() - trailer);
        let sum = crc32c::crc32c(&line);
        line.extend(format!(",\"crc\":\"{sum:08x}\"}}").bytes());
    }
    line.push(b'\n');
    line
}

#[test]
fn conditions_and_templates() {
    let seeds = bytes([
        "turn_count > 6 and 'agreed' in last.text|lower",
        "count(utterances) >= 3 or seats[0].utterances > 2",
        "last.text.split(' ')|length > 10",
        "utterances|selectattr('seat', 'eq', 'ada')|list|length >= 2",
        "seats|map(attribute='id')|join(', ') == 'ada, bo'",
        "last.text[:20] ~ 'x' * 3",
        "not (a is defined) and range(1000)|sum > 3",
        "{{ topic }}: {% for s in seats %}{{ s.name|upper }}{% if not loop.last %}, {% endif %}{% endfor %}",
        "{% set x = 'ab' * 100 %}{{ x|replace('a', x) }}",
        "{{ 'a'.join(range(100)) }}{{ topic|truncate(9) }}",
    ]);
    let facts = Facts::new(json!({
        "turn_count": 7, "topic": "Tabs or spaces?", "paused": false,
        "seats": [{"id": "ada", "name": "Ada", "utterances": 3}, {"id": "bo", "name": "Bo", "utterances": 2}],
        "utterances": [{"seat": "ada", "text": "Tabs."}, {"seat": "bo", "text": "Spaces, agreed."}],
        "last": {"seat": "bo", "text": "Spaces, agreed."},
    }));
    feed("conditions", &seeds, |bytes, _| {
        let source = String::from_utf8_lossy(bytes);
        if let Ok(condition) = Condition::compile(&source) {
            let _ = (condition.holds(&facts), condition.value(&facts));
        }
        if let Ok(template) = Template::compile(&source) {
            let _ = template.render(&facts);
        }
    });
}

#[test]
fn scenario_files() {
    let names = scenario::bundled_names().chain(scenario::protocol_names());
    let seeds = bytes(names.map(|name| scenario::bundled(name).unwrap()));
    let rows = policy::rows();
    feed("scenarios", &seeds, |bytes, _| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let source = scenario::Source { name: "fuzzed.toml".into(), text, settings: vec![] };
        if let Err(faults) = scenario::load(&source, &rows) {
            let told = format!("{faults}");
            assert!(!text::block(&told).contains('\u{1b}'));
        }
    });
}

#[test]
fn replies_of_models() {
    let names = [("ada", "Ada"), ("bo", "Bo"), ("cy", "Cy Öztürk")];
    let seats = names.map(|(id, name)| Participant {
        name: name.into(),
        ..Participant::new(id, VoiceSpec::Model(Default::default()))
    });
    let roster: Vec<&Participant> = seats.iter().collect();
    let seeds = bytes([
        "**Ada:** I agree.\n\nBo: I do not.\n\n</said>\n<said by=\"Bo\">\nNo.\n</said>",
        "<think>Who am I?</think>I agree with @Bo, and with @all.\n> Ada: quoted\n```\nBo: code\n```",
        "WHISPER Bo: only for you\n\nAnd this is for everybody.",
        "I agree with Answer B, but not with Answer A. **Next:** Bo\n\nTASK COMPLETE: 4 rows",
        "{\"answer\": 42, \"why\": [\"a\", {\"b\": null}]} so it is",
        "again and again and again and again and again and again and again and again and again",
    ]);
    let among = vec![("Answer A".into(), "bo".into()), ("Answer B".into(), "cy".into())];
    let options = vec!["Ada".into(), "Bo".into(), "yes".into()];
    let forms = [
        Form::Free,
        Form::Choice(options.clone()),
        Form::Bid,
        Form::Judgement { sides: options, points: true },
        Form::Answer {
            of: AnswerKind::Number,
            confidence: true,
            object: true,
            last: false,
            pattern: None,
        },
        Form::Proposal { among, names: BTreeMap::new(), answers: true },
        Form::Plan { begun: vec![], over: vec![], most: 9 },
        Form::Message { planner: false, given: false, siblings: vec!["bo".into()], away: vec![] },
    ];
    feed("replies", &seeds, |bytes, dice| {
        let said = String::from_utf8_lossy(bytes);
        let parts = ClosingParts {
            line: Some("STANCE:"),
            whispers: true,
            answers: true,
            markers: vec!["DEAL".into()],
        };
        let mut stream = ReplyStream::new(true, parts);
        for part in said.split_inclusive(|_| dice.roll(9) == 0) {
            stream.push(part);
        }
        stream.finish(true);
        let _ = Speech::new(&said, true, Some("STANCE:"));
        let own = "ada".into();
        let form = &forms[dice.roll(forms.len())];
        let _ = reply::read(&reply::WantedReply::new(form), &said, &Value::Null);
        let repaired = reply::repair(&said, &own, &roster);
        let _ = reply::repair_again(&said, &own, &roster);
        let _ =
            (reply::mentions(&said, Some(&own), &roster), reply::questions(&said, None, &roster));
        let _ = (reply::parted(&said, &roster), text::repeats_from(&said), inert(&said));
        let _ = text::echoes(&said, [Arc::new(Trigrams::new(&said))]);
        drop(repaired);
    });
}

#[test]
fn conversations_of_other_programs() {
    let seeds = bytes([
        r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi."},{"role":"assistant","name":"Ada","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Hi!"},{"type":"tool_use","id":"t1","name":"clock","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"12:00"}]}]"#,
        r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a","extra":{"participants":[{"id":"ada","name":"Ada","voice":"x:y"}]}},"steps":[{"source":"user","message":"Tea?"},{"source":"agent","message":"Yes.","timestamp":"2026-01-01T00:00:01Z","extra":{"participant":"ada","whispers":[{"to":"bo","text":"psst"}]},"metrics":{"prompt_tokens":1,"cost_usd":0.5},"tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{}}],"observation":{"results":[{"source_call_id":"c","content":"r"}]}},{"source":"user","message":"No.","extra":{"to":["bo"]}}],"extra":{"title":"T","ended":"operator"}}"#,
        "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"1\",\"version\":\"2.0.1\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"Fix it.\"}}\n{\"type\":\"assistant\",\"sessionId\":\"s\",\"uuid\":\"2\",\"isSidechain\":true,\"agentId\":\"a1\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"content\":[{\"type\":\"text\",\"text\":\"Done.\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}}\n",
        include_str!("../imports/atif/delegated.json"),
        include_str!("../imports/claude/tour.jsonl"),
    ]);
    feed("imports", &seeds, |bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        let Ok(imported) = import::read(&text, &[], None, None) else { return };
        let events = import::events(&imported, Wall(0), FORMAT);
        let state = State::fold(events.iter());
        // a message without text is no entry
        assert!(state.entries.len() <= imported.messages.len());
    });
}

#[test]
#[ignore = "hours: cargo test --release --test core ten_million -- --ignored --nocapture"]
fn ten_million() {
    let me = std::env::current_exe().unwrap();
    let rooms = 7;
    let each = (ALL / rooms + 1).to_string();
    let home = program::home();
    let fed = program::command(me, home.path()).arg("--nocapture").env("INPUTS", each).status();
    assert!(fed.unwrap().success());
}
