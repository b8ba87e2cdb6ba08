//! Numbered menus, and the questions that ask for the keys of a command one by one.

use crate::model::command::{COMMANDS, CommandRow};
use crate::state::leave::{AsksLeave, leaves_of};
use crate::steer::line;
use crate::steer::slash::{self, KEYS, spelled};
use crate::text;
use crate::ui::view::transcript::Transcript;

/// Optional keys that are asked for nevertheless, because they change the meaning of the command.
const ASKED_ANYWAY: &[(&str, &[&str])] =
    &[("note", &["to"]), ("vote", &["options"]), ("end", &["final_round"]), ("mark", &["text"])];

#[derive(Clone, Copy)]
pub enum MenuEntry {
    /// A description, and the line that could be typed instead.
    Line(&'static str, &'static str),
    /// Pause or resume, depending on the state.
    PauseOrGoOn,
    /// A command whose keys are asked for.
    Command(&'static CommandRow),
}

impl MenuEntry {
    /// Returns the description of the entry, and the line to type for it.
    pub fn title(&self) -> String {
        match self {
            MenuEntry::Line(what, line) => format!("{what}: {line}"),
            MenuEntry::PauseOrGoOn => "pause or resume: /pause, /resume".into(),
            MenuEntry::Command(row) => format!("{}: {}", slash::usage(row), row.meaning),
        }
    }
}

/// Returns the most useful entries, always under the same numbers.
pub fn short() -> Vec<MenuEntry> {
    let command = |name: &str| COMMANDS.iter().find(|r| r.name == name).map(MenuEntry::Command);
    let commands = ["say", "cut_in", "floor", "skip", "whisper", "note", "vote", "end"];
    let first = [MenuEntry::Line("status", "/status"), MenuEntry::PauseOrGoOn];
    let last = [
        MenuEntry::Line("continue after a limit or the end", "/more"),
        MenuEntry::Line("all commands", "/all"),
        MenuEntry::Line("quit (saved)", "/leave"),
        MenuEntry::Line("leave; the conversation goes on in the background", "/detach"),
        MenuEntry::Line("read out what is said in the steps of a plan", "/open"),
    ];
    first.into_iter().chain(commands.iter().filter_map(|name| command(name))).chain(last).collect()
}

/// Returns an entry for every command.
pub fn all() -> Vec<MenuEntry> {
    COMMANDS.iter().map(MenuEntry::Command).collect()
}

pub fn numbered(question: &str, answers: &[String]) -> String {
    let rows = answers.iter().enumerate().map(|(i, a)| format!("{:>2} {a}\n", i + 1));
    format!("{question}\n{}\n", rows.collect::<String>())
}

/// A command whose keys are asked for.
pub struct Question {
    row: &'static CommandRow,
    /// Command line so far.
    line: String,
    /// Number of keys that are done, out of `KEYS`.
    done: usize,
    /// Values of the numbered answers of the current question.
    answers: Vec<String>,
}

/// Result of an answer.
pub enum Answered {
    /// Text and state of the next question.
    Ask(String, Question),
    /// Finished command line.
    Line(String),
}

impl Question {
    /// Returns the first question about a command.
    pub fn about(row: &'static CommandRow) -> Question {
        Question { row, line: spelled(row), done: 0, answers: vec![] }
    }

    /// Returns the question for the next key, or the finished command.
    pub fn next(mut self, transcript: &Transcript) -> Answered {
        let anyway = ASKED_ANYWAY.iter().find(|(command, _)| *command == self.row.name);
        let anyway = anyway.map_or(&[][..], |(_, keys)| keys);
        let asked = |key: &str| self.row.needs.contains(&key) || anyway.contains(&key);
        let next = KEYS.iter().enumerate().skip(self.done).find(|(_, (key, _))| asked(key));
        let Some((at, (key, _))) = next else { return Answered::Line(self.line) };
        self.done = at + 1;
        let (question, shown, answers) = ask(key, self.row, transcript);
        self.answers = answers;
        let back = "/back cancels.";
        let told = if shown.is_empty() {
            format!("{question} {back}\n\n")
        } else {
            numbered(&format!("{question} {back}"), &shown)
        };
        Answered::Ask(told, self)
    }

    /// Applies an answer and asks for the next key.
    pub fn answered(mut self, answer: &str, transcript: &Transcript) -> Answered {
        let number = answer.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let known = number.and_then(|at| self.answers.get(at)).map(String::as_str);
        let answer = known.unwrap_or(answer).to_owned();
        if !answer.is_empty() {
            self.line = format!("{} {answer}", self.line);
        }
        self.next(transcript)
    }
}

/// Returns the question for a key: its text, the choices to show, and their values.
fn ask(key: &str, row: &CommandRow, transcript: &Transcript) -> (String, Vec<String>, Vec<String>) {
    let free = |words: &str| (words.to_owned(), vec![], vec![]);
    let state = transcript.state();
    match key {
        "who" | "to" => {
            let here = state.seats.iter().filter(|s| !s.gone);
            let mut seats: Vec<(String, String)> =
                here.map(|s| (transcript.name(&s.spec.id), format!("@{}", s.spec.id))).collect();
            if !row.needs.contains(&key) {
                seats.push(("everybody".into(), String::new()));
            }
            let (shown, answers) = seats.into_iter().unzip();
            ("Who?".into(), shown, answers)
        }
        "of" => {
            let queued = transcript.queued().map(|one| {
                (text::line(&line::spelled(one)).into_owned(), one.given.key.0.to_string())
            });
            let (shown, answers) = queued.unzip();
            ("Which queued message?".into(), shown, answers)
        }
        "yes" | "on" | "once" | "final_round" => {
            let (shown, answers) = match key {
                "yes" | "on" => (["yes", "no"], ["yes", "no"]),
                "once" => (["until the program exits", "once"], ["", "once"]),
                _ => (["closing statements", "immediately"], ["final", ""]),
            };
            let owned = |words: [&str; 2]| words.map(str::to_owned).to_vec();
            ("Which?".into(), owned(shown), owned(answers))
        }
        "utterance" => free(&format!("Which turn, 1 to {}?", state.utterances)),
        "alternative" => free("Which version, from 1?"),
        "note" => free("Which note, by its key?"),
        "tool" => {
            let asks: Vec<_> =
                state.turns.values().flat_map(|turn| leaves_of(state, turn)).collect();
            let shown = asks.iter().map(AsksLeave::describe).collect();
            let answers = asks.iter().map(|asks| asks.tool.to_string()).collect();
            ("Which tool?".into(), shown, answers)
        }
        "set" | "participant" => free("Changes as KEY = VALUE, KEY = VALUE, with text in quotes:"),
        "question" => free("What is the question?"),
        "options" => free("Options, separated by |? Leave empty for yes or no."),
        "text" if row.needs.contains(&key) => free("What text?"),
        _ => free("What text? Leave empty for none."),
    }
}
