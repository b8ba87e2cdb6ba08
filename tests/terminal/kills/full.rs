//! A disk of 1 MiB: a conversation that does not fit waits for free space, and continues when there is some.

use crate::kills::house::House;
use crate::kills::record;
use crate::program::{PROGRAM, until};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// Size of a file that occupies space and is deleted later, in KiB. One page stays free for the file names.
const BALLAST_KIB: u64 = 800;

/// A conversation on a disk of its own, mounted in a private namespace.
struct Small {
    house: House,
    run: Child,
}

impl Small {
    /// Starts a conversation on a disk of 1 MiB, of which `ballast_kib` are occupied.
    fn start(turns: u32, ballast_kib: u64) -> Small {
        let house = House::new();
        fs::create_dir(house.path("disk")).unwrap();
        let mount = "mount -t tmpfs -o size=1m tmpfs disk";
        let own = |script: &str| {
            let mut command = house.other("unshare");
            command.args(["-rm", "sh", "-c", script]);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        assert!(own(mount).status().unwrap().success(), "nobody may mount a disk here");
        let words: String = (0..700).map(|n| format!("word{n} ")).collect();
        let seat = |id: &str| format!("[[participant]]\nid = \"{id}\"\nlines = [\"{words}\"]\n");
        let talk = format!(
            "title = \"Large\"\n{}{}[limits]\nutterances = {turns}\n",
            seat("a"),
            seat("b")
        );
        house.file("large.toml", &talk);
        let script = format!(
            "{mount} && head -c {ballast_kib}K /dev/zero >disk/ballast || exit 99
             '{PROGRAM}' run large.toml --headless --trust --out-session disk/s.jsonl 2>err
             code=$?; cp disk/s.jsonl left.jsonl; rm -f disk/ballast; exit $code"
        );
        let run = own(&script).spawn().unwrap();
        Small { house, run }
    }

    /// Returns the path of the disk in the program's mount namespace.
    fn disk(&self) -> PathBuf {
        let path = self.house.path("disk").canonicalize().unwrap();
        PathBuf::from(format!("/proc/{}/root{}", self.run.id(), path.display()))
    }

    /// Waits until the disk is full.
    fn until_full(&self) {
        let log = self.disk().join("s.jsonl");
        let free = || rustix::fs::statvfs(self.disk()).map_or(1, |disk| disk.f_bfree);
        until("the disk is full", || (log.exists() && free() == 0).then_some(()));
    }

    /// Waits for the end. Returns the exit code, standard error, and the events in the session.
    fn end(mut self) -> (Option<i32>, String, Vec<serde_json::Value>) {
        let code = self.run.wait().unwrap().code();
        let told = fs::read_to_string(self.house.path("err")).unwrap();
        let left = record::read(&fs::read(self.house.path("left.jsonl")).unwrap()).unwrap();
        assert!(left.torn.is_empty() && !left.unended, "whole lines alone are left");
        (code, told, left.events)
    }
}

#[test]
#[ignore = "needs unshare, half a minute: cargo test --test terminal a_conversation_larger -- --ignored --nocapture"]
fn a_conversation_larger_than_its_disk_says_so_and_leaves_whole_lines() {
    let small = Small::start(100, 0);
    let (code, told, events) = small.end();
    assert_eq!(code, Some(6), "{told}");
    assert!(told.contains("disk stayed full") && told.contains("colloquium resume"), "{told}");
    let turns = events.iter().filter(|event| event["kind"] == "turn.ended").count();
    println!("a disk of 1 MiB: {turns} of 100 turns are in it, code 6");
    assert!(turns > 20 && turns < 100, "{turns}");
}

#[test]
#[ignore = "needs unshare: cargo test --test terminal a_conversation_goes_on -- --ignored --nocapture"]
fn a_conversation_goes_on_when_its_disk_has_room_again() {
    let small = Small::start(20, BALLAST_KIB);
    small.until_full();
    fs::remove_file(small.disk().join("ballast")).unwrap();
    let (code, told, events) = small.end();
    assert_eq!(code, Some(0), "{told}");
    assert!(events.len() > 80 && events.last().unwrap()["kind"] == "conversation.ended");
    println!("a disk of 1 MiB, full and with room again: all {} events are in it", events.len());
}
