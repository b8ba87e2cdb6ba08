//! Sessions on a real disk: locks, permissions, and the cost of a resume.

use crate::program;
use crate::record_talk::{bytes_of, event, said, talk, words};
use colloquium::model::{Event, Kind, Seq, TurnId, Wall};
use colloquium::session::{
    Log, LogFault, Mode, ReadProgress, Record, Records, Redaction, ResumedSession, SessionError,
    SessionFiles, SessionPlace,
};
use colloquium::session::{create, decode, encode, fork, load, redact, resume, resume_read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::time::Instant;

/// Returns all paths below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// Returns a record whose text is too long for a line.
fn long_record(seq: u64) -> Arc<Record> {
    let turn = said(TurnId(1), &words(seq, 20_000));
    let event = Event { kind: Kind::TurnEnded(Box::new(turn)), ..event(seq, 1) };
    Arc::new(Record::new(event).unwrap())
}

async fn written(folder: &Path, records: &[Arc<Record>]) -> PathBuf {
    let session =
        create(SessionPlace::Folder(folder, Wall(1_795_293_065_123), 0x3f9a1c), Mode::Normal)
            .unwrap();
    records.iter().for_each(|r| session.writer.push(r.clone()));
    session.writer.finish().await.unwrap();
    session.files.log().to_owned()
}

#[tokio::test]
async fn a_session_holds_its_lines_and_a_second_one_gets_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let records = talk(50);
    let first = written(folder.path(), &records).await;
    let second = written(folder.path(), &records[..3]).await;
    assert!(first.ends_with("20261121-203105-3f9a1c.jsonl"));
    assert!(second.ends_with("20261121-203105-3f9a1c-2.jsonl"));
    assert!(std::fs::read(&first).unwrap() == bytes_of(&records));
    let log = load(&first).unwrap();
    assert!(log.faults.is_empty() && log.torn.is_none());
    for (read, record) in log.records.iter().zip(&records) {
        assert_eq!((&read.event, &read.line), (&record.event, &record.line));
    }
    assert!(matches!(
        create(SessionPlace::File(&first), Mode::Normal),
        Err(SessionError::Io { .. })
    ));
}

#[tokio::test]
async fn long_texts_lie_beside_the_log_and_are_missed_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = talk(3);
    records.extend([long_record(3), long_record(4)]);
    let path = written(folder.path(), &records).await;
    assert!(path.metadata().unwrap().len() < 4_000);
    let log = load(&path).unwrap();
    assert!(log.faults.is_empty());
    assert!(log.records.iter().zip(&records).all(|(a, b)| a.event == b.event && a.line == b.line));

    let blobs = below(&SessionFiles::at(&path).blobs());
    assert_eq!(blobs.len(), 2);
    let text = std::fs::read_to_string(&blobs[0]).unwrap();
    std::fs::write(&blobs[0], text.replacen("floor", "flour", 1)).unwrap();
    std::fs::remove_file(&blobs[1]).unwrap();
    let log = resume(&path, Mode::Normal).expect("a lost text is no obstacle").log;
    for (at, record) in log.records.iter().enumerate().skip(3) {
        assert!(matches!(log.faults[at - 3], LogFault::Blob { seq, .. } if seq == Seq(at as u64)));
        let Kind::TurnEnded(turn) = &record.event.kind else { panic!("a turn") };
        assert!(turn.text.contains("bytes of text are missing here"), "{}", turn.text);
        assert_eq!(record.line, records[at].line);
    }
}

#[tokio::test]
async fn a_fork_of_a_line_takes_its_long_text_along() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = talk(1);
    records.push(long_record(1));
    let parent = load(&written(folder.path(), &records).await).unwrap();
    let fork = written(&folder.path().join("elsewhere"), &parent.records).await;
    let log = load(&fork).unwrap();
    assert!(log.faults.is_empty());
    assert_eq!(log.records[1].event, records[1].event);
}

#[tokio::test]
async fn a_fork_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &[talk(3), vec![long_record(3)]].concat()).await;
    let elsewhere = folder.path().join("elsewhere");
    let forked = |log: &Log| {
        let records = Records::from(log.archive.clone().unwrap());
        let place = SessionPlace::Folder(&elsewhere, Wall(1_795_293_065_123), 0x3f9a1c);
        fork(&log.survey, records.iter(), place, Mode::Normal)
    };
    let log = load(&path).unwrap();
    let session = forked(&log).unwrap();
    session.writer.finish().await.unwrap();
    let branch = load(session.files.log()).unwrap();
    assert!(branch.faults.is_empty() && bytes_of(&branch.records) == bytes_of(&log.records));
    std::fs::remove_dir_all(&elsewhere).unwrap();

    // the session was truncated since it was read
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = forked(&log).map(drop).unwrap_err();
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert!(why.contains("has become shorter"), "{error}: {why}");
    assert!(below(&elsewhere).iter().all(|p| !p.to_string_lossy().contains(".jsonl")));

    let mut hurt = whole.clone();
    hurt[100] ^= 1;
    std::fs::write(&path, hurt).unwrap();
    let refused = forked(&load(&path).unwrap()).map(drop);
    assert!(matches!(refused, Err(SessionError::ReadOnly { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_resume_copies_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &talk(200)).await;
    let before = std::fs::read(&path).unwrap();
    let files = below(folder.path());
    let inode = std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let resumed = resume(&path, Mode::Normal).unwrap();
    assert_eq!(resumed.writer.durable().borrow().synced, Some(Seq(199)));
    assert!(std::fs::read(&path).unwrap() == before);
    assert_eq!(below(folder.path()), files);
    let next = talk(201).pop().unwrap();
    resumed.writer.push(next.clone());
    resumed.writer.finish().await.unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap()), inode);
    let after = std::fs::read(&path).unwrap();
    assert!(after == [before.as_slice(), next.line.as_bytes()].concat());
    println!("resume of {} bytes: 0 bytes copied", before.len());
}

#[tokio::test]
async fn cached_summary_is_reread_only_after_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &talk(20)).await;
    for is_changed in [false, true] {
        let survey = load(&path).unwrap().survey;
        if is_changed {
            // same length, so only the modification time differs
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        }
        let resumed = resume_read(survey, Mode::Normal).unwrap();
        assert_eq!(resumed.again, is_changed);
        resumed.writer.finish().await.unwrap();
    }
}

#[tokio::test]
async fn a_session_not_to_be_saved_is_gone_in_the_end() {
    let session = create(SessionPlace::Nowhere, Mode::Normal).unwrap();
    let path = session.files.log().to_owned();
    let record = long_record(0);
    session.writer.push(record);
    let mut durable = session.writer.durable();
    durable.wait_for(|d| d.synced.is_some()).await.unwrap();
    assert!(path.exists() && session.files.blobs().exists());
    session.writer.finish().await.unwrap();
    assert!(!path.parent().unwrap().exists());
}

/// Opens each session from several threads at once.
async fn race(rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &talk(9)).await;
    for round in 0..rounds {
        let openers = 2 + round % 7;
        let start = Barrier::new(openers);
        let met = Barrier::new(openers);
        let winners: Vec<ResumedSession> = std::thread::scope(|scope| {
            let open = || {
                start.wait();
                let resumed = resume(&path, Mode::Normal);
                // no thread releases the lock before all have tried to take it
                met.wait();
                match resumed {
                    Ok(resumed) => Some(resumed),
                    Err(SessionError::Locked { .. }) => None,
                    Err(e) => panic!("{e}"),
                }
            };
            let all: Vec<_> = (0..openers).map(|_| scope.spawn(open)).collect();
            all.into_iter().filter_map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(winners.len(), 1, "round {round}");
        for winner in winners {
            winner.writer.finish().await.unwrap();
        }
    }
    println!("{rounds} races of 2 to 8 openers: exactly one writer each time");
}

#[tokio::test]
async fn of_several_openers_exactly_one_writes() {
    race(40).await;
}

#[tokio::test]
#[ignore = "1,000 races: cargo test --release --test core a_thousand -- --ignored --nocapture"]
async fn a_thousand_races() {
    race(1_000).await;
}

#[tokio::test]
async fn a_link_leads_to_the_same_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &talk(2)).await;
    let link = folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let _first = resume(&path, Mode::Normal).unwrap();
    let Err(SessionError::Locked { pid, .. }) = resume(&link, Mode::Normal) else {
        panic!("locked")
    };
    assert_eq!(pid, Some(std::process::id()));
}

const UMASK: &str = "RECORD_TEST_UMASK";
const FOLDER: &str = "RECORD_TEST_FOLDER";

/// Creates all kinds of files under the umask set by the next test.
#[tokio::test]
#[ignore = "run by the next test, in a process of its own"]
async fn child_with_a_umask() {
    let [umask, folder] = [UMASK, FOLDER].map(|name| std::env::var(name).unwrap());
    let umask = u32::from_str_radix(&umask, 8).unwrap();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask));
    let folder = Path::new(&folder).join("data/sessions");
    let mut records = talk(2);
    records.push(long_record(2));
    let path = written(&folder, &records).await;
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend(b"{\"seq\":3,\"at");
    std::fs::write(&path, bytes).unwrap();
    resume(&path, Mode::Normal).unwrap().writer.finish().await.unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.splice(100..101, *b"damage");
    std::fs::write(&path, bytes).unwrap();
    colloquium::session::repair(&path, &ReadProgress::default()).unwrap();
    for path in below(&folder) {
        println!("made {}", path.display());
    }
}

#[test]
fn all_is_private_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let mut files = 0;
    let mut folders = 0;
    for umask in ["000", "022", "077"] {
        let folder = program::home();
        let status = program::command(std::env::current_exe().unwrap(), folder.path())
            .args(["--exact", "record_files::child_with_a_umask", "--ignored", "--test-threads=1"])
            .env(UMASK, umask)
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        assert!(status.status.success(), "{status:?}");
        let made = below(folder.path());
        assert!(made.len() >= 7, "log, lock, blobs, a blob, damage, unrepaired: {made:?}");
        for path in made {
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            let private = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, private, "{mode:o} {} under {umask}", path.display());
            *(if path.is_dir() { &mut folders } else { &mut files }) += 1;
        }
    }
    println!("umask 000, 022, 077: {files} files 0600, {folders} folders 0700");
}

#[tokio::test]
#[ignore = "figures: cargo test --release --test core figures -- --ignored --nocapture"]
async fn figures() {
    let records = talk(100_000);
    let started = Instant::now();
    let bytes: usize = records.iter().map(|r| encode(&r.event).unwrap().len()).sum();
    let encoding = started.elapsed();
    let started = Instant::now();
    records.iter().for_each(|r| assert!(decode(r.line.as_bytes()).is_ok()));
    let decoding = started.elapsed();
    println!("100,000 events, {bytes} bytes: encoded in {encoding:?}, decoded in {decoding:?}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    let session = create(SessionPlace::File(&path), Mode::Normal).unwrap();
    let mut seq = 0;
    let mut size = 0;
    let started = Instant::now();
    while size < 100_000_000 {
        let record = Arc::new(Record::new(event(seq, 10)).unwrap());
        seq += 1;
        size += record.line.len();
        session.writer.push(record);
    }
    session.writer.finish().await.unwrap();
    println!("{seq} events, {size} bytes made, written and synced in {:?}", started.elapsed());
    let started = Instant::now();
    let log = load(&path).unwrap();
    println!("{} events, {} bytes opened in {:?}", log.records.len(), log.len, started.elapsed());
    assert_eq!(log.records.len() as u64, seq);
}

/// A session aborted before its first line leaves no session file.
#[tokio::test]
async fn a_session_has_no_name_before_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    let session = create(SessionPlace::File(&path), Mode::Normal).unwrap();
    assert!(!path.exists());
    let second = create(SessionPlace::File(&path), Mode::Normal);
    assert!(matches!(second, Err(SessionError::Locked { .. })), "the name is spoken for");
    let records = talk(1);
    session.writer.push(records[0].clone());
    session.writer.finish().await.unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes_of(&records));
    let third = create(SessionPlace::File(&folder.path().join("y.jsonl")), Mode::Normal).unwrap();
    third.writer.finish().await.unwrap();
    let left = |name: &std::ffi::OsStr| !name.to_str().unwrap().ends_with(".lock");
    let names = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
    assert_eq!(names.filter(|n| left(n)).collect::<Vec<_>>(), ["x.jsonl"]);
}

#[tokio::test]
async fn a_session_with_the_newlines_of_windows_is_whole_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let records = talk(9);
    let path = written(folder.path(), &records[..8]).await;
    let lines = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, lines.replace('\n', "\r\n")).unwrap();
    let resumed = resume(&path, Mode::Normal).unwrap();
    assert_eq!((resumed.log.records.len(), resumed.repaired), (8, None));
    resumed.writer.push(records[8].clone());
    resumed.writer.finish().await.unwrap();
    let log = load(&path).unwrap();
    assert!(log.faults.is_empty() && log.torn.is_none());
    assert!(log.records.iter().zip(&records).all(|(a, b)| a.event == b.event));
    assert_eq!(log.records.len(), 9);
}

#[tokio::test]
async fn a_name_that_is_taken_meanwhile_loses_nothing_and_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    let session = create(SessionPlace::File(&path), Mode::Normal).unwrap();
    std::fs::write(&path, "mine").unwrap();
    let records = talk(3);
    for record in &records {
        session.writer.push(record.clone());
    }
    let _ = session.writer.finish().await;
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    let kept = below(folder.path());
    assert!(
        kept.iter().any(|p| std::fs::read(p).is_ok_and(|b| b == bytes_of(&records))),
        "{kept:?}"
    );
}

#[tokio::test]
async fn redacted_text_is_in_no_blob_and_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = talk(3);
    records.extend([long_record(3), long_record(4)]);
    let path = written(folder.path(), &records).await;
    let files = SessionFiles::at(&path);
    let copy = path.with_extension("damage-5");
    std::fs::write(&copy, "the quoted as it was").unwrap();
    let everywhere = || {
        let holds = |p: &PathBuf| std::fs::read_to_string(p).is_ok_and(|t| t.contains("quoted"));
        below(folder.path()).into_iter().filter(holds).collect::<Vec<_>>()
    };
    let before = below(&files.blobs());
    assert!(everywhere().len() > before.len());
    let redaction = |_: &Records| Redaction {
        mark: "[gone]".into(),
        texts: vec!["quoted".into()],
        ..Redaction::default()
    };
    let done =
        redact(&path, redaction, "something was taken out", &ReadProgress::default()).unwrap();
    assert!(done.events >= 2 && done.left == 0, "{done:?}");
    assert!(before.iter().chain([&copy]).all(|old| done.removed.contains(old)), "{done:?}");
    assert_eq!(everywhere(), Vec::<PathBuf>::new());
    let log = load(&path).unwrap();
    assert!(log.faults.is_empty() && log.records.len() == records.len() + 1);
    assert_eq!(below(&files.blobs()).len(), 2);
    assert_eq!(redact(&path, redaction, "again", &ReadProgress::default()).unwrap().events, 0);
}
