//! Damaged sessions: truncated, with flipped bits, holes and duplicates. Intact lines are read, and all damage is
//! reported.

use crate::record_talk::{bytes_of, nowhere, talk, talk_with};
use colloquium::model::Seq;
use colloquium::session::LogFault;
use colloquium::session::reader::{Log, Reader, read_bytes};
use colloquium::session::{Mode, SessionError, load};
use colloquium::session::{ReadProgress, Record, Records, Redaction, redact, repair, resume};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const KIB_64: usize = 64 * 1024;

/// Returns a session of exactly 64 KiB with its last line cut, and the end offsets of its whole lines.
fn session_of_64_kib() -> (Vec<Arc<Record>>, Vec<u8>, Vec<usize>) {
    let records = talk_with(120, 60);
    let mut bytes = bytes_of(&records);
    assert!(bytes.len() > KIB_64, "{} bytes", bytes.len());
    bytes.truncate(KIB_64);
    let ends = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').map(|at| at + 1).collect();
    (records, bytes, ends)
}

/// Checks a session cut at a length: all complete lines are read, also a last line without its newline.
fn check_cut(log: &Log, len: usize, ends: &[usize]) -> (usize, bool) {
    let whole = ends.partition_point(|end| *end <= len);
    let unterminated = ends.get(whole).is_some_and(|end| end - 1 == len);
    let expected = whole + usize::from(unterminated);
    assert_eq!(log.records.len(), expected, "cut at {len}");
    assert!(log.can_append(), "cut at {len}: {:?}", log.faults);
    assert_eq!(log.unterminated, unterminated, "cut at {len}");
    let good_end = if unterminated { len } else { whole.checked_sub(1).map_or(0, |n| ends[n]) };
    let torn = (good_end < len).then_some(good_end as u64..len as u64);
    assert_eq!(log.torn, torn, "cut at {len}");
    (expected, unterminated)
}

/// Checks all 65,536 lengths. Each combination of line count and unfinished last line is also appended to.
fn check_every_length(
    read: impl Fn(usize) -> Log,
    records: &[Arc<Record>],
    bytes: &[u8],
    ends: &[usize],
) {
    let mut begun = BTreeSet::new();
    for len in 0..KIB_64 {
        let log = read(len);
        let way = check_cut(&log, len, ends);
        if begun.insert(way) {
            let mut mended = bytes[..len].to_vec();
            mended.truncate(log.torn.as_ref().map_or(len, |torn| torn.start as usize));
            if log.unterminated {
                mended.push(b'\n');
            }
            mended.extend(records[way.0].line.bytes());
            let log = read_bytes(nowhere(), &mended);
            assert!(log.faults.is_empty() && log.torn.is_none() && !log.unterminated);
            assert!(bytes_of(&log.records) == bytes_of(&records[..way.0 + 1]));
        }
    }
    println!("{KIB_64} of {KIB_64} lengths open, {} ways to go on", begun.len());
}

/// Reading works line by line, so the lines before the cut are read once for all cuts within a line.
#[test]
fn a_session_cut_at_every_length_opens() {
    let session = session_of_64_kib();
    let (records, bytes, ends) = &session;
    let mut before = vec![Reader::new(nowhere())];
    for (start, end) in std::iter::once(&0).chain(ends).zip(ends) {
        let mut reader = before.last().unwrap().clone();
        reader.take(&bytes[*start..*end]);
        before.push(reader);
    }
    let read = |len: usize| {
        let whole = ends.partition_point(|end| *end <= len);
        let start = whole.checked_sub(1).map_or(0, |n| ends[n]);
        let mut reader = before[whole].clone();
        reader.take(&bytes[start..len]);
        reader.finish()
    };
    check_every_length(read, records, bytes, ends);
}

#[test]
#[ignore = "reads 2 GB: cargo test --release --test core read_anew -- --ignored --nocapture"]
fn a_session_cut_at_every_length_and_read_anew_opens() {
    let (records, bytes, ends) = session_of_64_kib();
    check_every_length(|len| read_bytes(nowhere(), &bytes[..len]), &records, &bytes, &ends);
}

/// The same with real files: around the end of every line, and at some positions inside.
#[tokio::test]
async fn a_cut_session_is_resumed_from_its_file() {
    let (records, bytes, ends) = session_of_64_kib();
    let around = ends.iter().flat_map(|end| [end - 2, end - 1, *end, end + 1]);
    let lengths: BTreeSet<usize> = around.chain((0..KIB_64).step_by(1_311)).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut opened = 0;
    for len in lengths {
        let path = folder.path().join(format!("cut-{len}.jsonl"));
        std::fs::write(&path, &bytes[..len]).unwrap();
        let resumed = resume(&path, Mode::Normal).unwrap_or_else(|e| panic!("cut at {len}: {e}"));
        let next = resumed.log.records.len();
        assert_eq!(resumed.log.len, std::fs::metadata(&path).unwrap().len(), "cut at {len}");
        let kept = resumed.repaired.map(|r| std::fs::read(folder.path().join(&*r.kept)).unwrap());
        let torn_from = next.checked_sub(1).map_or(0, |n| ends[n].min(len));
        assert_eq!(kept.unwrap_or_default(), bytes[torn_from..len], "cut at {len}");
        resumed.writer.push(records[next].clone());
        assert_eq!(resumed.writer.finish().await.unwrap().synced, Some(Seq(next as u64)));
        assert!(std::fs::read(&path).unwrap() == bytes_of(&records[..=next]), "cut at {len}");
        opened += 1;
    }
    println!("{opened} of {opened} cut files resumed and appended to");
}

/// Flips a bit. Checks that all other lines are read unchanged and that the damage is reported.
fn flip(bytes: &[u8], records: &[Arc<Record>], at: usize, bit: u8) {
    let mut flipped = bytes.to_vec();
    flipped[at] ^= 1 << bit;
    let log = read_bytes(nowhere(), &flipped);
    assert!(!log.faults.is_empty() || log.torn.is_some(), "bit {bit} of byte {at} went unnoticed");
    let read: BTreeSet<&str> = log.records.iter().map(|r| r.line.as_str()).collect();
    let mut start = 0;
    for record in records {
        let line = start..start + record.line.len();
        // a damaged newline leaves its line readable
        let hurt = line.contains(&at) && at != line.end - 1;
        assert_eq!(read.contains(record.line.as_str()), !hurt, "byte {at}, line at {start}");
        start = line.end;
    }
    assert!(log.records.len() >= records.len() - 1);
}

#[test]
fn a_flipped_bit_is_noticed_and_the_other_lines_stay() {
    let records = talk(12);
    let bytes = bytes_of(&records);
    let mut flips = 0;
    for at in (0..bytes.len()).filter(|at| at % 5 == 0 || bytes[*at] == b'\n') {
        (0..8).for_each(|bit| flip(&bytes, &records, at, bit));
        flips += 8;
    }
    println!("{flips} of {flips} flipped bits noticed, all other lines read");
}

#[test]
#[ignore = "every bit: cargo test --release --test core every_bit -- --ignored --nocapture"]
fn every_bit_of_64_kib() {
    let (records, bytes, ends) = session_of_64_kib();
    let whole = &bytes[..*ends.last().unwrap()];
    for at in 0..whole.len() {
        (0..8).for_each(|bit| flip(whole, &records[..ends.len()], at, bit));
    }
    println!("{0} of {0} flipped bits noticed, all other lines read", whole.len() * 8);
}

/// Replaces the line at an index by other bytes.
fn instead(records: &[Arc<Record>], place: usize, bytes: &[u8]) -> Vec<u8> {
    [&bytes_of(&records[..place]), bytes, &bytes_of(&records[place + 1..])].concat()
}

fn seqs(log: &Log) -> Vec<u64> {
    log.records.iter().map(|r| r.event.seq.0).collect()
}

#[test]
fn damage_in_the_middle_is_skipped_and_reported() {
    let records = talk(10);
    let start = bytes_of(&records[..5]).len() as u64;
    let missing = LogFault::Missing { seq: 5..6 };
    let damaged = |len: u64| LogFault::Damaged { bytes: start..start + len };
    for (what, bytes) in [
        ("zeros", vec![0; 300]),
        ("a torn line with another one behind it", records[5].line.as_bytes()[..40].to_vec()),
        ("text", b"hello\nworld\n".to_vec()),
        ("not UTF-8", vec![0xff; 9]),
    ] {
        let log = read_bytes(nowhere(), &instead(&records, 5, &bytes));
        assert_eq!(seqs(&log), [0, 1, 2, 3, 4, 6, 7, 8, 9], "{what}");
        assert_eq!(log.faults, [damaged(bytes.len() as u64), missing.clone()], "{what}");
        assert_eq!((log.torn.clone(), log.can_append()), (None, false), "{what}");
    }
    let doubled = bytes_of(&[&records[..6], &records[5..]].concat());
    let log = read_bytes(nowhere(), &doubled);
    assert_eq!(seqs(&log), (0..10).collect::<Vec<_>>());
    assert!(matches!(log.faults[..], [LogFault::Misplaced { seq: Seq(5), .. }]));
    let log = read_bytes(nowhere(), &instead(&records, 5, b""));
    assert_eq!(log.faults, [missing]);
    // if a newline is damaged, both adjacent lines are still read
    let mut joined = bytes_of(&records);
    let newline = bytes_of(&records[..5]).len() - 1;
    joined[newline] = b'x';
    let log = read_bytes(nowhere(), &joined);
    assert_eq!(seqs(&log), (0..10).collect::<Vec<_>>());
    let at = newline as u64;
    assert_eq!(log.faults, [LogFault::Damaged { bytes: at..at + 1 }]);
}

fn line_of(body: &str) -> String {
    format!("{body},\"crc\":\"{:08x}\"}}\n", crc32c::crc32c(body.as_bytes()))
}

#[test]
fn lines_of_other_versions_are_kept_or_named() {
    let records = talk(3);
    let head = r#"{"seq":3,"at":"2026-11-21T20:31:05.123Z","ms":9,"by":"x""#;
    let unknown = line_of(&format!(r#"{head},"kind":"mood.shifted","data":{{"to" : 1.0}}"#));
    let strange = line_of(&format!(r#"{head},"kind":"turn.ended","data":{{"outcome":"sung"}}"#));
    let foreign = line_of(r#"{"seq":"three","kind":"turn.ended""#);
    for (line, events, can_append) in [(unknown, 4, true), (strange, 4, false), (foreign, 3, false)]
    {
        let bytes = [bytes_of(&records), line.clone().into_bytes()].concat();
        let log = read_bytes(nowhere(), &bytes);
        assert_eq!(
            (log.records.len(), log.can_append(), log.torn.clone()),
            (events, can_append, None)
        );
        assert_eq!(log.faults.len(), usize::from(!can_append), "{line}");
        if events == 4 {
            assert_eq!(log.records[3].line, line);
        }
    }
    let newer = line_of(
        r#"{"seq":0,"at":"2026-11-21T20:31:05.123Z","ms":0,"by":"engine","kind":"conversation.opened","data":{"format":2}"#,
    );
    let log = read_bytes(nowhere(), newer.as_bytes());
    assert!(log.faults.contains(&LogFault::Newer { format: 2 }) && !log.can_append());
}

fn write(folder: &Path, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join("talk.jsonl");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_damaged_session_is_refused_for_writing_and_mended_into_a_new_file() {
    let records = talk(40);
    let folder = tempfile::tempdir().unwrap();
    let torn = &records[39].line.as_bytes()[..50];
    let mut bytes = instead(&records[..39], 20, b"damage\n");
    bytes.extend(torn);
    let path = write(folder.path(), &bytes);
    let Err(SessionError::ReadOnly { .. }) = resume(&path, Mode::Normal) else {
        panic!("read only")
    };
    assert!(std::fs::read(&path).unwrap() == bytes, "a refused session is untouched");
    for refused in [&bytes, &[bytes_of(&records[..39]), torn.to_vec()].concat()] {
        write(folder.path(), refused);
        let redaction =
            |_: &Records| Redaction { texts: vec!["the".into()], ..Redaction::default() };
        let error = redact(&path, redaction, "gone", &ReadProgress::default()).unwrap_err();
        assert!(matches!(error, SessionError::ReadOnly { .. }), "a repair is due first: {error}");
        assert!(std::fs::read(&path).unwrap() == *refused);
    }
    write(folder.path(), &bytes);

    let repaired = repair(&path, &ReadProgress::default()).unwrap();
    assert_eq!((repaired.events, repaired.stand_ins, repaired.rescued), (40, 1, 0));
    assert!(std::fs::read(repaired.kept.unwrap()).unwrap() == bytes, "the old one is kept");
    let log = load(&path).unwrap();
    assert!(log.faults.is_empty() && log.torn.is_none());
    for (at, record) in log.records.iter().enumerate() {
        match at {
            20 | 39 => assert_eq!(record.event.kind.name(), "log.repaired"),
            _ => assert_eq!(record.line, records[at].line),
        }
    }
    assert!(
        repair(&path, &ReadProgress::default()).unwrap().kept.is_none(),
        "nothing is left to mend"
    );
    resume(&path, Mode::Normal).unwrap();
}

#[test]
fn foreign_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [&b"# A readme\n"[..], b"{\"seq\":1}\n", b"{}", &[0xff; 100]] {
        let path = write(folder.path(), bytes);
        assert!(matches!(load(&path), Err(SessionError::NotASession { .. })));
        assert!(matches!(resume(&path, Mode::Normal), Err(SessionError::NotASession { .. })));
        assert!(repair(&path, &ReadProgress::default()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    assert!(matches!(load(folder.path()), Err(SessionError::NotASession { .. })));
    assert!(matches!(load(&folder.path().join("none")), Err(SessionError::Io { .. })));
}

/// A folder at the path of a required file is reported by name, and the session is unchanged.
#[test]
fn conflicting_file_is_named_and_nothing_changed() {
    let records = talk(30);
    let torn = [bytes_of(&records[..29]), records[29].line.as_bytes()[..40].to_vec()].concat();
    let damaged = instead(&records, 9, b"damage\n");
    type Deed = fn(&Path) -> Result<(), SessionError>;
    let resumes: Deed = |path| resume(path, Mode::Normal).map(drop);
    let repairs: Deed = |path| repair(path, &ReadProgress::default()).map(drop);
    let redacts: Deed = |path| {
        let redaction =
            |_: &Records| Redaction { texts: vec!["the".into()], ..Redaction::default() };
        redact(path, redaction, "gone", &ReadProgress::default()).map(drop)
    };
    let cases = [
        ("talk.lock", &torn, resumes, "talk.lock"),
        ("talk.lock", &damaged, repairs, "talk.lock"),
        ("talk.lock", &torn, redacts, "talk.lock"),
        ("talk.rescue.jsonl", &damaged, repairs, "talk.rescue.jsonl"),
    ];
    for (in_the_way, bytes, deed, told) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), bytes);
        std::fs::create_dir(folder.path().join(in_the_way)).unwrap();
        let error = deed(&path).expect_err(in_the_way).to_string();
        assert!(error.contains(told), "{in_the_way}: {error}");
        assert!(std::fs::read(&path).unwrap() == *bytes, "{in_the_way}");
        assert!(deed(&folder.path().join("missing.jsonl")).is_err());
    }
}

/// A file kept of earlier damage is not overwritten.
#[tokio::test]
async fn earlier_files_are_kept_beside_new_ones() {
    let records = talk(20);
    let folder = tempfile::tempdir().unwrap();
    let tail = &records[19].line.as_bytes()[..40];
    let good = bytes_of(&records[..19]);
    let path = write(folder.path(), &[&good, tail].concat());
    let name = format!("talk.damage-{}", good.len());
    let kept = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    std::fs::write(folder.path().join(&name), "of an earlier cut").unwrap();
    let go_on = async || resume(&path, Mode::Normal).unwrap().writer.finish().await.unwrap();
    go_on().await;
    assert_eq!(kept(&name), b"of an earlier cut");
    assert_eq!(kept(&format!("{name}-2")), tail);
    // identical bytes need no further file
    write(folder.path(), &[&good, tail].concat());
    std::fs::write(folder.path().join(&name), tail).unwrap();
    go_on().await;
    assert!(!folder.path().join(format!("{name}-3")).exists());
    for n in ["", "-2"] {
        let damaged = write(folder.path(), &instead(&records, 5, b"damage\n"));
        repair(&damaged, &ReadProgress::default()).unwrap();
        assert_eq!(kept(&format!("talk.unrepaired{n}")), instead(&records, 5, b"damage\n"));
    }
}
