//! Counts in the logs of whole debates: the host first, one last turn, doubts, movers, questions, results.
//!
//! The bundled examples hold what the counts promise. To count other sessions, by hand:
//!
//! ```sh
//! PLAYED=FOLDER cargo test --test core played -- --ignored --nocapture
//! ```

use colloquium::analysis::Standing;
use colloquium::model::*;
use colloquium::prompt;
use colloquium::session;
use colloquium::state::State;
use std::collections::BTreeSet;
use std::{env, fs};

/// Requests of which a cue has at most one, or an answer and a doubt.
const TASKS: [&str; 12] = [
    "The host has just asked",
    "The host has just wished",
    "The host has just said something",
    "Answer ",
    "say who does what now, and by when",
    "Your numbers nearly agree.",
    "Suppose you get your way",
    "Put one question to ",
    "Tell a case that nobody has told.",
    "Say what your own proposal costs",
    "Say what you would give up",
    "If you disagree with ",
];
const DOUBTS: [&str; 2] = ["Your numbers nearly agree.", "Suppose you get your way"];
const LAST: &str = "This is the last turn of all";
const WISH: &str = "The host wished, and it holds until taken back";
/// Minimum length of a word by which a turn takes a message up, in characters.
const LONG_WORD: usize = 4;

/// A spoken turn with the cue of its prompt in the present words.
struct Spoken {
    turn: TurnId,
    seat: SeatId,
    cue: String,
    text: String,
}

/// One session.
#[derive(Default)]
struct Played {
    state: State,
    spoken: Vec<Spoken>,
    /// Number of turns with the same prompt as was sent.
    rebuilt: usize,
    /// Messages of the host to all, with the number of turns before each.
    host: Vec<(String, usize)>,
    /// Questions that were owed: the seat, the question and the number of turns before.
    owed: Vec<(SeatId, String, usize)>,
    result: Option<ResultGiven>,
}

/// Returns the words of a text that are not short, in lower case.
fn long_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.chars().count() >= LONG_WORD).collect()
}

/// Returns the part of a message behind the talk.
fn cue(message: &str) -> &str {
    let message = message.rsplit("</said>\n").next().unwrap_or_default();
    message.rsplit("</host>\n").next().unwrap_or_default()
}

impl Played {
    /// Parses a session and rebuilds the cue of each turn.
    fn new(text: &str) -> Played {
        let mut played = Played::default();
        for line in text.lines() {
            let Ok(event) = session::decode(line.as_bytes()) else { continue };
            played.state.apply(&event);
            let turns = played.spoken.len();
            match &event.kind {
                Kind::BatchOpened(batch) => {
                    for debt in &batch.owes {
                        let is_known = |(to, quote, _): &(SeatId, String, usize)| {
                            *to == debt.to && **quote == *debt.quote
                        };
                        if !played.owed.iter().any(is_known) {
                            played.owed.push((debt.to.clone(), debt.quote.to_string(), turns));
                        }
                    }
                }
                Kind::CallStarted(call) => {
                    let turn = &played.state.turns[&call.turn];
                    let is_new = played.spoken.iter().all(|spoken| spoken.turn != call.turn);
                    if turn.purpose == Purpose::Speak && is_new {
                        let built = prompt::build(&played.state, turn);
                        let is_same = prompt::digest(&built) == call.digest;
                        played.rebuilt += usize::from(is_same);
                        let messages = prompt::messages(&built);
                        let cue = cue(&messages.last().unwrap().text).to_owned();
                        let (turn, seat) = (call.turn, turn.seat.clone());
                        played.spoken.push(Spoken { turn, seat, cue, text: String::new() });
                    }
                }
                Kind::TurnEnded(ended) => {
                    let spoken = played.spoken.iter_mut().find(|spoken| spoken.turn == ended.turn);
                    spoken.into_iter().for_each(|spoken| spoken.text = ended.text.to_string());
                }
                Kind::HumanSaid(_) => {
                    let said = played.state.entries.iter().next_back().unwrap();
                    if said.is_by_host() && said.to.is_empty() && said.mentions.is_empty() {
                        played.host.push((said.text().to_string(), turns));
                    }
                }
                Kind::ResultGiven(result) => played.result = Some(result.clone()),
                _ => {}
            }
        }
        played
    }

    /// Returns the numbers of the turns whose cue has one of some texts, from 1.
    fn with(&self, texts: &[&str]) -> Vec<usize> {
        let has = |n: &usize| texts.iter().any(|text| self.spoken[n - 1].cue.contains(text));
        (1..=self.spoken.len()).filter(has).collect()
    }

    /// Returns the messages of the host that are the task of the next turn.
    fn heard_first(&self) -> usize {
        let first = |(_, at): &&(String, usize)| {
            let cue = self.spoken.get(*at).map_or("", |next| &next.cue);
            ["The host has just ", "The host asked you", "Answer the host"]
                .iter()
                .any(|t| cue.contains(t))
        };
        self.host.iter().filter(first).count()
    }

    /// Returns the messages of the host of which the next turn uses a word.
    fn taken_up(&self) -> usize {
        let taken = |(text, at): &&(String, usize)| {
            let next = self.spoken.get(*at).map(|next| long_words(&next.text));
            next.is_some_and(|next| !next.is_disjoint(&long_words(text)))
        };
        self.host.iter().filter(taken).count()
    }

    /// Returns the owed questions of which the next turn of their seat uses a word.
    fn answered(&self) -> usize {
        let answers = |(to, quote, at): &&(SeatId, String, usize)| {
            let next = self.spoken.iter().skip(*at).find(|spoken| spoken.seat == *to);
            next.is_some_and(|next| !long_words(&next.text).is_disjoint(&long_words(quote)))
        };
        self.owed.iter().filter(answers).count()
    }

    /// Returns the turns that have more than one task, or an answer and a doubt.
    fn overloaded(&self) -> Vec<usize> {
        let many = |n: &usize| {
            let cue = &self.spoken[n - 1].cue;
            let tasks = TASKS.iter().filter(|task| cue.contains(**task)).count();
            let beside = cue.contains(" Then: ") && DOUBTS.iter().any(|doubt| cue.contains(doubt));
            tasks > 1 + usize::from(beside)
        };
        (1..=self.spoken.len()).filter(many).collect()
    }

    /// Returns the turns whose seat spoke the turn before too.
    fn twice(&self) -> Vec<usize> {
        (2..=self.spoken.len())
            .filter(|n| self.spoken[n - 2].seat == self.spoken[n - 1].seat)
            .collect()
    }

    /// Returns the moves, and how many of them name a mover.
    fn moves(&self) -> (usize, usize) {
        let moves = Standing::new(&self.state).map(|standing| standing.moves()).unwrap_or_default();
        let credited = moves.iter().filter(|moved| moved.now.by.label("host").is_some());
        (moves.len(), credited.count())
    }

    /// Returns the counts as a row of a table.
    fn row(&self, name: &str) -> String {
        let two_thirds = u32::try_from(self.spoken.len() * 2 / 3).unwrap();
        let apart = |at: Option<u8>| at.map_or("–".to_owned(), |at| at.to_string());
        let (moves, credited) = self.moves();
        let result = self.result.as_ref().map_or("–".to_owned(), |result| {
            let dated = result.actions.iter().filter(|action| action.by.is_some()).count();
            format!("{} ({dated} with a date), {}", result.actions.len(), result.against.len())
        });
        format!(
            "| {name} | {} | {} of {}, {} | {} | {:?} | {:?} | {}, {} | {} of {} | {credited} of {moves} | {result} | {:?} | {:?} |",
            self.spoken.len(),
            self.heard_first(),
            self.host.len(),
            self.taken_up(),
            self.with(&[WISH]).len(),
            self.with(&[LAST]),
            self.with(&DOUBTS),
            apart(self.state.apart_at(two_thirds)),
            apart(self.state.apart()),
            self.answered(),
            self.owed.len(),
            self.overloaded(),
            self.twice(),
        )
    }
}

const HEAD: &str = "| conversation | turns | host first, taken up | turns with a wish | last words | doubts | apart at two thirds, at the end | \
     questions answered | moves credited | result: do, against | more than one task | twice in a row |\n\
     |---|---|---|---|---|---|---|---|---|---|---|---|";

fn example(name: &str) -> Played {
    let path = format!("{}/assets/sessions/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    Played::new(&fs::read_to_string(path).unwrap())
}

#[test]
fn the_recorded_debates_keep_what_their_requests_promise() {
    for name in ["example-crux", "example-oxford"] {
        let played = example(name);
        let turns = played.spoken.len();
        let row = played.row(name);
        assert!(turns > 10 && played.rebuilt == turns, "{} rebuilt: {row}", played.rebuilt);
        assert_eq!(played.heard_first(), played.host.len(), "{row}");
        assert_eq!(played.with(&[LAST]), [turns], "{row}");
        assert_eq!((played.overloaded(), played.twice()), (vec![], vec![]), "{row}");
        assert_eq!(played.answered(), played.owed.len(), "{row}");
        let (moves, credited) = played.moves();
        assert!(moves > 0 && credited + 1 >= moves, "{row}");
        assert!(played.result.is_some(), "{row}");
    }
}

#[test]
#[ignore = "counts the sessions of a folder: PLAYED=FOLDER cargo test --test core played -- --ignored --nocapture"]
fn counts_the_sessions_of_a_folder() {
    let folder = env::var("PLAYED").expect("PLAYED names a folder with sessions");
    println!("{HEAD}");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        println!("{}", Played::new(&fs::read_to_string(file).unwrap()).row(&name));
    }
}
