//! `kill -9` at random moments and right after chosen lines, during runs and resumes, with the file truncated in
//! between.
//!
//! A line counts as acknowledged when it is on standard output. After every kill the file must begin with all
//! acknowledged bytes and be valid. The conversation must end as it does without kills.

use crate::kills::house::{House, end};
use crate::kills::record::{self, Outcome};
use crate::kills::tables::{self, Table};
use crate::program::HANG;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Number of kills in a normal test run.
const KILLS: u64 = 60;
/// Number of concurrent programs.
const WORKERS: usize = 6;
/// Maximum kills of one conversation.
const LIVES: u64 = 4;
/// Kinds of lines after which the program is killed.
const AIMS: [&str; 14] = [
    "conversation.opened",
    "batch.opened",
    "floor.granted",
    "call.started",
    "delta",
    "turn.ended",
    "command.given",
    "human.said",
    "receipt",
    "conversation.",
    "plan.",
    "step.ended",
    "seat.",
    "thread.",
];

#[test]
fn sixty_kills() {
    campaign(KILLS, 1);
}

#[test]
#[ignore = "half an hour: cargo test --release --test terminal ten_thousand -- --ignored --nocapture"]
fn ten_thousand() {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|n| n.parse().ok());
    campaign(number("KILLS").unwrap_or(10_000), number("SEED").unwrap_or(2));
}

/// Seeded random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides.max(1)
    }
}

/// Statistics of the kills.
#[derive(Debug, Default)]
struct Tally {
    kills: AtomicU64,
    of_resumes: AtomicU64,
    aimed: AtomicU64,
    before_the_opening: AtomicU64,
    torn: AtomicU64,
    conversations: AtomicU64,
    acknowledged: AtomicU64,
}

impl Tally {
    fn count(&self, what: impl Fn(&Tally) -> &AtomicU64, n: u64) {
        what(self).fetch_add(n, Ordering::Relaxed);
    }
}

fn campaign(kills: u64, seed: u64) {
    let tables = tables::all();
    let house = House::new();
    let wholes: Vec<Whole> = tables.iter().map(|t| Whole::new(&house, t)).collect();
    let tally = Tally::default();
    let turn = AtomicU64::new(0);
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while tally.kills.load(Ordering::Relaxed) < kills {
                    let i = turn.fetch_add(1, Ordering::Relaxed);
                    let whole = &wholes[(i % wholes.len() as u64) as usize];
                    Victim::new(&house, whole, i, Dice(seed << 32 | i)).live(&tally);
                }
            });
        }
    });
    println!("0 lost, 0 unreadable, 0 doubled, all equal in {:.1?}: {tally:?}", began.elapsed());
}

/// A conversation that runs without kills, for comparison.
struct Whole {
    name: &'static str,
    scenario: String,
    steer: String,
    outcome: Outcome,
    /// Duration at its natural pace.
    takes: Duration,
    ordered: bool,
}

impl Whole {
    fn new(house: &House, table: &Table) -> Whole {
        let slug = table.name.replace(' ', "-");
        let scenario = house.file(&format!("{slug}.toml"), &table.scenario);
        let steer = house.file(&format!("{slug}.jsonl"), table.steer);
        let args = ["run", &scenario, "--headless", "--trust", "--no-save", "--format", "jsonl"];
        let began = Instant::now();
        let ran = house.run(&[&args[..], &["--pace", "--steer", &steer]].concat()).code(0);
        let takes = began.elapsed();
        let whole = record::read(ran.out.as_bytes()).unwrap();
        let outcome = counted(record::outcome(&whole.events).unwrap(), table.ordered);
        assert!(outcome.said.len() >= 5, "{}: {outcome:?}", table.name);
        Whole { name: table.name, scenario, steer, outcome, takes, ordered: table.ordered }
    }
}

fn counted(outcome: Outcome, ordered: bool) -> Outcome {
    if ordered { outcome } else { outcome.unordered() }
}

/// Moment of a kill.
#[derive(Debug)]
enum Moment {
    At(Duration),
    /// After this number of lines of a kind.
    After(&'static str, u64),
}

/// A conversation that is killed repeatedly.
struct Victim<'a> {
    house: &'a House,
    whole: &'a Whole,
    dice: Dice,
    session: PathBuf,
    /// Whole lines of the file before the program started; the file must still begin with them.
    kept: Vec<u8>,
    /// True if the last kept line lacks its newline, which a resume adds before its first line.
    unended: bool,
    /// Torn ends that a resume must keep: their offsets in the file and their bytes.
    torn: Vec<(usize, Vec<u8>)>,
    story: Vec<String>,
}

impl<'a> Victim<'a> {
    fn new(house: &'a House, whole: &'a Whole, number: u64, dice: Dice) -> Victim<'a> {
        let session = house.path(&format!("v{number}.jsonl"));
        Victim {
            house,
            whole,
            dice,
            session,
            kept: vec![],
            unended: false,
            torn: vec![],
            story: vec![],
        }
    }

    fn live(mut self, tally: &Tally) {
        let lives = 1 + self.dice.roll(LIVES);
        for life in 0..lives {
            let resumes = !self.kept.is_empty();
            if life > 0 && !resumes {
                tally.count(|t| &t.before_the_opening, 1);
                return;
            }
            if resumes && record::read(&self.kept).unwrap().has_ended() {
                break;
            }
            let moment = self.moment();
            self.story.push(format!("{moment:?}"));
            let (killed, acknowledged) = self.run_and_kill(&moment, resumes);
            self.judge(&acknowledged);
            if killed {
                tally.count(|t| &t.kills, 1);
                tally.count(|t| &t.of_resumes, resumes.into());
                tally.count(|t| &t.aimed, matches!(moment, Moment::After(..)).into());
            }
            let lines = acknowledged.iter().filter(|b| **b == b'\n').count();
            tally.count(|t| &t.acknowledged, lines as u64);
            if self.dice.roll(3) == 0 && self.tear() {
                tally.count(|t| &t.torn, 1);
            }
        }
        if self.kept.is_empty() {
            tally.count(|t| &t.before_the_opening, 1);
            return;
        }
        self.finish();
        tally.count(|t| &t.conversations, 1);
    }

    fn moment(&mut self) -> Moment {
        match self.dice.roll(3) {
            0 => {
                let aim = AIMS[self.dice.roll(AIMS.len() as u64) as usize];
                Moment::After(aim, 1 + self.dice.roll(6))
            }
            _ => {
                let most = self.whole.takes.as_micros() as u64;
                Moment::At(Duration::from_micros(self.dice.roll(most)))
            }
        }
    }

    fn arguments(&mut self, resumes: bool) -> Vec<String> {
        let session = self.session.to_str().unwrap();
        let what = if resumes {
            vec!["resume", session]
        } else {
            vec!["run", &self.whole.scenario, "--out-session", session]
        };
        let how = ["--headless", "--trust", "--format", "jsonl", "--steer", &self.whole.steer];
        let mut args: Vec<String> = what.into_iter().chain(how).map(Into::into).collect();
        // without a pace, virtual time runs as fast as possible
        if self.dice.roll(4) > 0 {
            args.push("--pace".into());
        }
        args
    }

    /// Runs the program and kills it at the given moment. Returns whether the kill came before its end, and its output
    /// of whole lines.
    fn run_and_kill(&mut self, moment: &Moment, resumes: bool) -> (bool, Vec<u8>) {
        let args = self.arguments(resumes);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let began = Instant::now();
        let mut child =
            self.house.command(&args).stderr(std::process::Stdio::null()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let (tell, told) = mpsc::channel::<Vec<u8>>();
        let reader = thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(n @ 1..) = out.read(&mut buffer) {
                let _ = tell.send(buffer[..n].to_vec());
            }
        });
        let mut printed = Vec::new();
        let mut seen = 0;
        let deadline = began + if let Moment::At(at) = moment { *at } else { HANG };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match told.recv_timeout(left) {
                Ok(bytes) => {
                    if let Moment::After(kind, n) = moment {
                        let kind = format!("\"kind\":\"{kind}");
                        seen += String::from_utf8_lossy(&bytes).matches(&kind).count() as u64;
                        printed.extend(bytes);
                        if seen >= *n {
                            break;
                        }
                    } else {
                        printed.extend(bytes);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    assert!(matches!(moment, Moment::At(_)), "a hang: {}", self.output());
                    break;
                }
            }
        }
        // the process may have ended already
        let _ = child.kill();
        reader.join().unwrap();
        printed.extend(told.try_iter().flatten());
        let status = child.wait().unwrap();
        printed.truncate(printed.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1));
        (status.signal() == Some(9), printed)
    }

    fn output(&self) -> String {
        format!("{} ({}): {:?}", self.whole.name, self.session.display(), self.story)
    }

    /// Checks the file against the kept and the acknowledged bytes.
    fn judge(&mut self, acknowledged: &[u8]) {
        let bytes = fs::read(&self.session).unwrap_or_default();
        let mut must = self.kept.clone();
        must.extend((self.unended && !acknowledged.is_empty()).then_some(b'\n'));
        must.extend(acknowledged);
        if !bytes.starts_with(&must) {
            let same = bytes.iter().zip(&must).take_while(|(a, b)| a == b).count();
            panic!(
                "lost or changed at byte {same}: {} bytes were acknowledged, {} are there\n{}",
                must.len(),
                bytes.len(),
                self.output()
            );
        }
        let record = record::read(&bytes).unwrap_or_else(|e| panic!("{e}\n{}", self.output()));
        record::outcome(&record.events).unwrap_or_else(|e| panic!("{e}\n{}", self.output()));
        self.keep(bytes);
    }

    /// Records the whole lines that a resume must leave unchanged.
    fn keep(&mut self, mut bytes: Vec<u8>) {
        let record = record::read(&bytes).unwrap();
        bytes.truncate(record.whole);
        self.kept = bytes;
        self.unended = record.unended;
    }

    /// Truncates the file at random, as a power cut may. Returns false if there was nothing to truncate.
    fn tear(&mut self) -> bool {
        let mut bytes = fs::read(&self.session).unwrap_or_default();
        let Some(first) = bytes.iter().position(|b| *b == b'\n').filter(|at| at + 1 < bytes.len())
        else {
            return false;
        };
        if !record::read(&bytes).unwrap().torn.is_empty() {
            // the earlier torn end was not set aside yet, and is torn again
            self.torn.pop();
        }
        let at = first + 1 + self.dice.roll((bytes.len() - first - 1) as u64) as usize;
        bytes.truncate(at);
        if self.dice.roll(4) == 0 {
            bytes.resize(at + 1 + self.dice.roll(5000) as usize, 0);
        }
        fs::write(&self.session, &bytes).unwrap();
        let record = record::read(&bytes).unwrap();
        if !record.torn.is_empty() {
            self.torn.push((record.whole, record.torn));
        }
        self.story.push(format!("torn at {at}"));
        self.keep(bytes);
        true
    }

    /// Resumes the conversation to its end and compares the outcome.
    fn finish(&mut self) {
        let session = self.session.to_str().unwrap().to_owned();
        // resuming an ended conversation would start another exchange
        if !record::read(&self.kept).unwrap().has_ended() {
            let args = ["resume", &session, "--headless", "--trust", "--steer", &self.whole.steer];
            let ran = end(self.house.command(&args).spawn().unwrap());
            assert_eq!(ran.code, 0, "{}: {}\n{}", self.output(), ran.err, ran.out);
            self.judge(b"");
        }
        let record = record::read(&self.kept).unwrap();
        let outcome = counted(record::outcome(&record.events).unwrap(), self.whole.ordered);
        assert_eq!(outcome, self.whole.outcome, "{}", self.output());
        for (at, torn) in &self.torn {
            let aside = self.session.with_extension(format!("damage-{at}"));
            let aside = aside.file_name().unwrap().to_str().unwrap();
            // a number is appended to a name that is taken
            let of_it = |name: &str| name.starts_with(aside);
            let mut beside = fs::read_dir(self.house.home.path()).unwrap().map(|e| e.unwrap());
            let kept = beside.any(|e| {
                of_it(e.file_name().to_str().unwrap()) && fs::read(e.path()).unwrap() == *torn
            });
            assert!(kept, "{aside}: what was torn off is kept: {}", self.output());
        }
        fs::remove_file(&self.session).unwrap();
    }
}
