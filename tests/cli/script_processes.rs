//! Rule 8: the call of any script ends exactly once, in bounded time, and no process survives.
//!
//! A normal run makes one round. `QUICK=1600 cargo test --release --test cli -- --ignored --nocapture a_hundred_rounds`
//! makes a hundred, with scripts that flee as fast as they can, and prints the number of calls, more than 16 x 100.

use crate::program;
use colloquium::clock::Clock;
use colloquium::model::{
    Block, CallId, Channel, ErrorClass, Form, Ms, Participant, Prompt, Purpose, Timeouts, TurnId,
    VoiceSpec,
};
use colloquium::spawn::{self, ChildEnvironment};
use colloquium::voice::script::Script;
use colloquium::voice::{CallFailure, CallRequest, Chunk, Done, Out, Speaking, Voice};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, Receiver};

/// Timeout of a hanging script, in milliseconds.
const PATIENCE_MS: u64 = 300;
/// Maximum time that a script's processes may outlive its call: half of their own lifetime, so that a busy machine does
/// not fail the test.
const SURVIVAL: Duration = Duration::from_secs(15);
/// Timeout of scripts that end by themselves, in milliseconds.
const AMPLE_MS: u64 = 60_000;
/// Number of scripts that run at once; more would only wait for each other.
const AT_ONCE: usize = 6;

/// Expected outcome of a script.
#[derive(Clone, Copy, Debug)]
enum Expect {
    Says(&'static str),
    Fails(ErrorClass),
}
use Expect::{Fails, Says};

/// Processes that a fleeing script starts without a pause. Then it starts one each 20 ms for half a minute, since
/// thousands of dead processes would use up the numbers of a machine that runs several copies of this test.
const QUICK: &str = "100";

/// Hostile scripts for `sh -c`. `$1` is a unique number of seconds that identifies their processes; `$2` is a file that
/// processes too short-lived to be listed append to while they live; `$3` is [`QUICK`].
const HOSTILE: [(&str, &str, Expect); 24] = [
    (
        "forks for all it is worth",
        r#"b() { if [ $2 -gt 0 ]; then b $1 $(($2-1)) & b $1 $(($2-1)) & fi; sleep $1; }; b $1 5"#,
        Fails(ErrorClass::Silence),
    ),
    ("leaves a daemon", "setsid -f sleep $1; echo left", Says("left")),
    (
        "leaves a daemon that closed everything",
        "(setsid sh -c 'sleep $0 & ' $1 </dev/null >/dev/null 2>&1 &) ; echo left",
        Says("left"),
    ),
    (
        "leaves a daemon without an environment",
        "env -i /usr/bin/setsid -f /usr/bin/sleep $1 </dev/null >/dev/null 2>&1; echo left",
        Says("left"),
    ),
    (
        "runs away from one session to the next",
        r#"perl -MPOSIX -e 'open my $f, ">>", $ARGV[1]; for (1..1600) {
            select undef, undef, undef, 0.02 if $_ > $ARGV[2];
            syswrite $f, "."; fork and POSIX::_exit(0); POSIX::setsid(); }' $1 $2 $3 & echo run"#,
        Says("run"),
    ),
    (
        "runs away naked",
        r#"env -i /usr/bin/perl -MPOSIX -e 'open my $f, ">>", $ARGV[1]; for (1..1600) {
            select undef, undef, undef, 0.02 if $_ > $ARGV[2];
            syswrite $f, "."; POSIX::setsid(); fork and POSIX::_exit(0); }' $1 $2 $3 & echo run"#,
        Says("run"),
    ),
    (
        "hides at the end of a long line of sessions",
        r#"perl -MPOSIX -e 'for (1..100) { if (fork) { sleep 30; exit } POSIX::setsid(); }
            syswrite STDOUT, "deep"; sleep 30' $1"#,
        Fails(ErrorClass::Silence),
    ),
    (
        "ignores every polite signal",
        "trap '' TERM HUP INT QUIT; echo no; sleep $1; sleep $1",
        Fails(ErrorClass::Silence),
    ),
    (
        "answers TERM with a daemon",
        "trap 'setsid -f sleep $1' TERM HUP INT; while :; do sleep 0.02; done",
        Fails(ErrorClass::Silence),
    ),
    ("floods stdout", "yes $1", Fails(ErrorClass::TooLarge)),
    ("floods stderr", "yes $1 >&2", Fails(ErrorClass::Silence)),
    ("never ends its line", "tr '\\0' x </dev/zero", Fails(ErrorClass::TooLarge)),
    ("writes no UTF-8", r"printf 'a\377b\303'", Fails(ErrorClass::NoProtocol)),
    ("never reads its input", "exec <&-; echo deaf", Says("deaf")),
    ("closes its output and stays", "exec >&- 2>&-; sleep $1", Fails(ErrorClass::Silence)),
    ("lets a grandchild hold the pipe", "sleep $1 & echo bye", Says("bye")),
    ("stops itself", "echo halt; kill -STOP $$", Fails(ErrorClass::Silence)),
    (
        "dies in the middle of a line",
        r#"printf '{"delta":"well"}\n{"del'; kill -KILL $$"#,
        Fails(ErrorClass::Failed),
    ),
    (
        "nests too deep",
        r#"printf '{"delta":"down"}\n'; perl -e 'print "{\"text\":" x 100000'"#,
        Fails(ErrorClass::NoProtocol),
    ),
    ("becomes another program", "exec sleep $1", Fails(ErrorClass::Silence)),
    ("speaks, then hangs", "echo 'one word'; sleep $1", Fails(ErrorClass::Silence)),
    (
        "changes its group",
        "perl -e 'setpgrp; exec \"sleep\", $ARGV[0]' $1 & echo away",
        Says("away"),
    ),
    (
        "works on in the background",
        "for i in 1 2 3; do nohup sh -c 'while :; do sleep 0.01; done' $1 & done; echo busy",
        Says("busy"),
    ),
    ("stays after its last line", r#"printf '{"text":"over"}\n'; sleep $1"#, Says("over")),
];

fn timeouts(ms: u64) -> Timeouts {
    Timeouts { connect: ms, first: ms, silence: ms, total: ms }
}

fn ask(timeouts: Timeouts, words: &str) -> CallRequest {
    let seat = Participant {
        name: "Ada".into(),
        role: Some("pro".into()),
        timeouts,
        ..Participant::new("ada", VoiceSpec::Script(vec!["sh".into()]))
    };
    let prompt = Prompt {
        system: "You are Ada.".into(),
        brief: None,
        blocks: vec![
            Block::Own { text: "I began.".into(), cut: false },
            Block::Other {
                who: "bob".into(),
                name: "Bob".into(),
                number: None,
                phase: None,
                text: words.into(),
                cut: false,
                whisper: false,
            },
            Block::Operator { number: None, text: "Go on.".into(), whisper: true, material: None },
        ],
        notes: vec!["Be brief.".into()],
        left_out: 0,
        ..Prompt::default()
    };
    CallRequest {
        call: CallId(7),
        tools: vec![],
        turn: TurnId(6),
        seat: Arc::new(seat),
        purpose: Purpose::Speak,
        number: Some(3),
        attempt: 1,
        prompt: Arc::new(prompt),
        messages: vec![],
        form: Form::Free,
        parameters: Default::default(),
        labels: Default::default(),
        facts: Arc::new(json!({
            "topic": "cars", "context": {"needs": 1}, "limits": {"utterances": 20}, "purpose": "fake"
        })),
        left: Default::default(),
        agent: None,
        in_words: vec![],
    }
}

fn environment(more: &[(&str, &str)]) -> ChildEnvironment {
    let path = ("PATH", "/usr/local/bin:/usr/bin:/bin");
    let pairs = [path].into_iter().chain(more.iter().copied());
    ChildEnvironment::allowed(pairs.map(|(name, value)| (name.into(), value.into())))
}

fn speak(script: &str, token: &str, ask: CallRequest) -> (Speaking, Receiver<(CallId, Chunk)>) {
    let file = heartbeat(token).display().to_string();
    let quick = env::var("QUICK").unwrap_or_else(|_| QUICK.into());
    let command =
        ["sh", "-c", script, "hostile", token, &file, &quick].map(|part| part.into()).to_vec();
    // a variable of the allow-list, so that processes that inherit the environment contain the token
    let environment = environment(&[("LC_TOKEN", token), ("OPENAI_API_KEY", "canary")]);
    let (tx, rx) = mpsc::channel(1 << 16);
    let out = Out::new(ask.call, tx, Clock::real(Ms(0)));
    (Script::new(command, "/".into(), environment).speak(ask, out), rx)
}

/// Runs a script to its end. Returns the text shown and the last chunk, of which there is exactly one.
async fn run(script: &str, token: &str, ask: CallRequest) -> (String, Chunk) {
    let (speaking, mut rx) = speak(script, token, ask);
    tokio::time::timeout(program::HANG, speaking).await.expect("a call that does not end");
    let mut shown = String::new();
    let mut last = None;
    while let Some((call, chunk)) = rx.recv().await {
        assert_eq!(call, CallId(7));
        assert!(last.is_none(), "{last:?}, then {chunk:?}");
        match chunk {
            Chunk::Piece(Channel::Say, text) => shown.push_str(&text),
            Chunk::Piece(Channel::Think, _) => {}
            Chunk::Did(_) => {}
            Chunk::Done(_) | Chunk::Pass | Chunk::Failed(..) => last = Some(chunk),
        }
    }
    (shown, last.expect("a last chunk"))
}

/// Returns a unique number of seconds for `sleep`, short enough that no process stays for long if a test fails.
fn token() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("30.{:07}{:04}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Returns all running processes with the token in their environment or arguments.
fn carriers(token: &str) -> Vec<String> {
    let carries = |pid: &str| {
        let read = |what| fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
        let whole = [read("environ"), read("cmdline")].concat();
        whole.windows(token.len()).any(|part| part == token.as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| pid.parse::<u32>().is_ok() && carries(pid)).collect()
}

/// Waits until no process has the token and the token's file stops growing. Returns the remaining processes after
/// [`SURVIVAL`].
fn survivors(token: &str) -> Vec<String> {
    let begun = Instant::now();
    let beats = || fs::metadata(heartbeat(token)).map_or(0, |file| file.len());
    loop {
        let before = beats();
        // a hop takes less than a millisecond, on a busy machine a few
        thread::sleep(Duration::from_millis(100));
        let mut left = carriers(token);
        if beats() != before {
            left.push("a runner".into());
        }
        if left.is_empty() || begun.elapsed() > SURVIVAL {
            // an error means that the script wrote no file
            let _ = fs::remove_file(heartbeat(token));
            return left;
        }
    }
}

/// Returns the file that a script appends to while it lives.
fn heartbeat(token: &str) -> PathBuf {
    env::temp_dir().join(format!("colloquium-heartbeat-{token}"))
}

/// Runs all hostile scripts once, [`AT_ONCE`] at a time. Returns the number of surviving processes.
async fn round() -> usize {
    let mut calls = tokio::task::JoinSet::new();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    for (name, script, expect) in HOSTILE {
        let places = Arc::clone(&places);
        calls.spawn(async move {
            let _place = places.acquire_owned().await.unwrap();
            let token = token();
            // larger than the pipe's buffer, to detect scripts that do not read it
            let words = "word ".repeat(50_000);
            // scripts that end by themselves must not time out on a busy machine
            let patience = match expect {
                Fails(ErrorClass::Silence) => PATIENCE_MS,
                Fails(_) | Says(_) => AMPLE_MS,
            };
            let (shown, last) = run(script, &token, ask(timeouts(patience), &words)).await;
            match (&last, expect) {
                (Chunk::Done(done), Says(text)) => {
                    assert_eq!(done.text.as_deref().unwrap_or(&shown), text, "{name}");
                }
                (Chunk::Failed(CallFailure { class, text: why, .. }), Fails(wanted)) => {
                    assert_eq!(*class, wanted, "{name}: {why}");
                    assert!(why.starts_with("script `sh` "), "{name}: {why}");
                }
                _ => panic!("{name}: {last:?} instead of {expect:?}"),
            }
            let left = tokio::task::spawn_blocking(move || survivors(&token)).await.unwrap();
            if !left.is_empty() {
                eprintln!("{name}: {left:?} survived");
            }
            left.len()
        });
    }
    calls.join_all().await.into_iter().sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_scripts_end_once_and_nobody_survives() {
    assert_eq!(round().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: cargo test --release --test cli a_hundred -- --ignored --nocapture"]
async fn a_hundred_rounds() {
    let rounds = env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let mut left = 0;
    for _ in 0..rounds {
        left += round().await;
    }
    println!("hostile scripts: {} x {rounds}: {left} survivors", HOSTILE.len());
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_cancelled_call_leaves_nobody() {
    let token = token();
    let script = "setsid -f sleep $1; sleep $1 & echo ready; sleep $1";
    let (mut speaking, mut rx) = speak(script, &token, ask(timeouts(AMPLE_MS), "x"));
    tokio::select! {
        () = &mut speaking => panic!("it ended by itself"),
        first = rx.recv() => assert_eq!(first.unwrap().1, Chunk::Piece(Channel::Say, "ready".into())),
    }
    // the token of a process is briefly invisible during an exec
    let begun = Instant::now();
    while carriers(&token).len() < 3 {
        assert!(begun.elapsed() < SURVIVAL, "{:?}", carriers(&token));
    }
    drop(speaking);
    assert_eq!(survivors(&token), [""; 0]);
}

/// Child process of the next test: exits at once during a running call.
#[tokio::test]
#[ignore = "run by the next test, in a process of its own"]
async fn leave_in_the_middle_of_a_call() {
    let token = env::var("TOKEN_OF_THE_TEST").expect("the token");
    let script =
        "setsid -f sleep $1; env -i /usr/bin/setsid -f /usr/bin/sleep $1; echo ready; sleep $1";
    let (mut speaking, mut rx) = speak(script, &token, ask(timeouts(AMPLE_MS), "x"));
    tokio::select! {
        () = &mut speaking => panic!("it ended by itself"),
        _ = rx.recv() => {}
    }
    spawn::reap_all();
    process::exit(42);
}

#[test]
fn leaving_the_program_leaves_nobody() {
    let token = token();
    let home = program::home();
    let status = program::command(env::current_exe().unwrap(), home.path())
        .args(["--ignored", "--exact", "script_processes::leave_in_the_middle_of_a_call"])
        .env("TOKEN_OF_THE_TEST", &token)
        .stdout(process::Stdio::null())
        .status();
    assert_eq!(status.unwrap().code(), Some(42));
    // no wait: the processes were gone before the program exited
    assert_eq!(carriers(&token), [""; 0]);
}

#[tokio::test]
async fn a_script_is_told_everything_and_may_know_nothing_else() {
    let script = r#"cat; echo; cut -d' ' -f1,5,6,7 /proc/$$/stat; pwd; env"#;
    let (shown, last) = run(script, "0", ask(timeouts(AMPLE_MS), "Why?")).await;
    assert_eq!(last, Chunk::Done(Done::default()));
    let mut lines = shown.lines();
    let request: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let prompt =
        "You are Ada.\n\nAda: I began.\n\nBob: Why?\n\noperator: Go on.\n\nNote: Be brief.";
    assert_eq!(
        request,
        json!({
            "participant": {"id": "ada", "name": "Ada", "aliases": [], "role": "pro"},
            "purpose": "speak", "number": 3, "attempt": 1, "parameters": null,
            "prompt": prompt, "system": "You are Ada.", "brief": null, "sections": [], "known": null, "notes": ["Be brief."],
            "task": null, "rejected": null,
            "history": [
                {"who": "ada", "name": "Ada", "text": "I began."},
                {"who": "bob", "name": "Bob", "text": "Why?", "cut": false},
                {"who": "operator", "name": "operator", "text": "Go on.", "whisper": true},
            ],
            "topic": "cars", "context": {"needs": 1}, "limits": {"utterances": 20},
        })
    );
    let numbers: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let [pid, group, session, terminal] = numbers[..] else { panic!("{numbers:?}") };
    assert_eq!((group, session, terminal), (pid, pid, "0"), "group, session, terminal");
    assert_eq!(lines.next(), Some("/"));
    let mut names: Vec<&str> = lines.filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.retain(|name| !["PWD", "OLDPWD", "_"].contains(name)); // the shell's own
    names.sort_unstable();
    assert_eq!(names, ["COLLOQUIUM_CHILD", "LC_TOKEN", "PATH"]);
}

#[tokio::test]
async fn every_time_out_fires() {
    let long = AMPLE_MS;
    for (first, silence, total, script, words) in [
        (50, long, long, "sleep $1", "wrote nothing for 50 ms"),
        (long, 60, long, "echo a; sleep $1", "wrote nothing for 60 ms"),
        (long, long, 70, "while :; do echo a; sleep 0.01; done", "did not finish within 70 ms"),
    ] {
        let token = token();
        let times = Timeouts { connect: long, first, silence, total };
        let (_, last) = run(script, &token, ask(times, "x")).await;
        let why = format!("script `sh` {words}");
        assert_eq!(last, Chunk::Failed(CallFailure::new(ErrorClass::Silence, why)));
        assert_eq!(survivors(&token), [""; 0]);
    }
}

#[tokio::test]
async fn a_failure_is_told_with_the_last_words() {
    for (script, shown, words) in [
        ("echo well; echo one >&2; echo 'two ' >&2; exit 3", "well", "(exit status: 3): two"),
        ("exit 4", "", "(exit status: 4) and wrote nothing to standard error"),
        (r#"printf '{"text":"fine"}\n'; exit 5"#, "", "(exit status: 5) and wrote"),
        (r#"printf '{"error":"no luck"}\n'; exit 6"#, "", "script `sh` no luck"),
        ("kill -SEGV $$", "", "signal: 11"),
        ("yes | head -c 100000 >&2; echo last >&2; exit 7", "", "(exit status: 7): last"),
    ] {
        let (said, last) = run(script, "0", ask(timeouts(AMPLE_MS), "x")).await;
        let Chunk::Failed(CallFailure { class: ErrorClass::Failed, text: why, .. }) = last else {
            panic!("{script}: {last:?}")
        };
        assert!(why.contains(words), "{script}: {why}");
        assert_eq!(said, shown, "{script}");
    }
}

#[tokio::test]
async fn failed_start_names_the_program() {
    for (command, folder, words) in [
        ("colloquium-has-no-such-program", "/", "No such file"),
        ("./colloquium-has-no-such-program", "/", "No such file"),
        ("/etc/passwd", "/", "Permission denied"),
        ("sh", "/no/such/folder", "no folder `/no/such/folder`"),
    ] {
        let (tx, mut rx) = mpsc::channel(1);
        let out = Out::new(CallId(7), tx, Clock::real(Ms(0)));
        let script = Script::new(vec![command.into()], folder.into(), environment(&[]));
        script.speak(ask(timeouts(AMPLE_MS), "x"), out).await;
        let (_, last) = rx.recv().await.unwrap();
        let Chunk::Failed(CallFailure { class: ErrorClass::NotFound, text: why, .. }) = last else {
            panic!("{command}: {last:?}")
        };
        assert!(why.contains(command) && why.contains(words), "{command}: {why}");
    }
}

#[tokio::test]
async fn a_hanging_script_may_clean_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cleaned");
    let script = format!("trap 'echo yes >{}; exit' TERM; sleep $1 & wait", file.display());
    let token = token();
    let (_, last) = run(&script, &token, ask(timeouts(PATIENCE_MS), "x")).await;
    assert!(
        matches!(last, Chunk::Failed(CallFailure { class: ErrorClass::Silence, .. })),
        "{last:?}"
    );
    assert_eq!(fs::read_to_string(file).unwrap(), "yes\n");
    assert_eq!(survivors(&token), [""; 0]);
}

/// Prints the cost of a call.
#[tokio::test]
#[ignore = "figures: cargo test --release --test cli costs -- --ignored --nocapture"]
async fn costs_of_a_call() {
    const CALLS: u32 = 200;
    let begun = Instant::now();
    for _ in 0..CALLS {
        let (shown, _) = run("echo hi", "0", ask(timeouts(AMPLE_MS), "x")).await;
        assert_eq!(shown, "hi");
    }
    println!("a call of `sh -c 'echo hi'`: {:?}", begun.elapsed() / CALLS);
    let home = program::home();
    let begun = Instant::now();
    for _ in 0..CALLS {
        let mut command = program::command("sh", home.path());
        let output = command.args(["-c", "echo hi"]);
        assert_eq!(output.output().unwrap().stdout, b"hi\n");
    }
    println!("the same without us: {:?}", begun.elapsed() / CALLS);
}
