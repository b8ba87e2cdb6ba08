//! Numbered menus, and the questions by which a command gets its keys one after the other.

use crate::model::command::{COMMANDS, CommandRow};
use crate::text;
use crate::ui::slash::{self, KEYS, spelled};
use crate::ui::view::transcript::Story;

/// Keys that a command can do without and is asked for all the same, since they change what it means.
const ASKED_ANYWAY: &[(&str, &[&str])] =
    &[("note", &["to"]), ("vote", &["options"]), ("end", &["final_round"]), ("mark", &["text"])];

/// An entry of a menu.
#[derive(Clone, Copy)]
pub enum Entry {
    /// A line that could be typed as well, and what it does.
    Line(&'static str, &'static str),
    /// Pauses, or goes on, as it stands.
    PauseOrGoOn,
    /// A command whose keys are asked for.
    Command(&'static CommandRow),
}

impl Entry {
    /// Returns what it does, and how it is typed.
    pub fn title(&self) -> String {
        match self {
            Entry::Line(what, line) => format!("{what}: {line}"),
            Entry::PauseOrGoOn => "pause, or go on: /pause, /resume".into(),
            Entry::Command(row) => format!("{}: {}", slash::usage(row), row.meaning),
        }
    }
}

/// Returns what is needed most, always under the same numbers.
pub fn short() -> Vec<Entry> {
    let verb = |name: &str| COMMANDS.iter().find(|r| r.name == name).map(Entry::Command);
    let verbs = ["say", "cut_in", "floor", "skip", "whisper", "note", "vote", "end"];
    let first = [Entry::Line("what goes on", "/status"), Entry::PauseOrGoOn];
    let last = [
        Entry::Line("one more round where a limit holds, or after the end", "/more"),
        Entry::Line("every command", "/all"),
        Entry::Line("leave; the session is saved", "/leave"),
    ];
    first.into_iter().chain(verbs.iter().filter_map(|name| verb(name))).chain(last).collect()
}

/// Returns every verb.
pub fn all() -> Vec<Entry> {
    COMMANDS.iter().map(Entry::Command).collect()
}

/// Returns a question with numbered answers.
pub fn numbered(question: &str, answers: &[String]) -> String {
    let rows = answers.iter().enumerate().map(|(i, a)| format!("{:>2} {a}\n", i + 1));
    format!("{question}\n{}\n", rows.collect::<String>())
}

/// A command whose keys are asked for.
pub struct Question {
    row: &'static CommandRow,
    /// What is known of it, as it would be typed.
    line: String,
    /// How many of the keys were dealt with.
    done: usize,
    /// What numbers stand for in the answer that is awaited.
    answers: Vec<String>,
}

/// What follows an answer.
pub enum Step {
    /// Something else is asked.
    Ask(String, Question),
    /// All is known: the command as it would be typed.
    Line(String),
}

impl Question {
    /// Returns a command of which nothing is known.
    pub fn about(row: &'static CommandRow) -> Question {
        Question { row, line: spelled(row), done: 0, answers: vec![] }
    }

    /// Asks for the next key.
    pub fn next(mut self, story: &Story) -> Step {
        let anyway = ASKED_ANYWAY.iter().find(|(verb, _)| *verb == self.row.name);
        let anyway = anyway.map_or(&[][..], |(_, keys)| keys);
        let asked = |key: &str| self.row.needs.contains(&key) || anyway.contains(&key);
        let next = KEYS.iter().enumerate().skip(self.done).find(|(_, (key, _))| asked(key));
        let Some((at, (key, _))) = next else { return Step::Line(self.line) };
        self.done = at + 1;
        let (question, shown, answers) = ask(key, self.row, story);
        self.answers = answers;
        let back = "/back asks nothing more.";
        let told = match shown.is_empty() {
            true => format!("{question} {back}\n\n"),
            false => numbered(&format!("{question} {back}"), &shown),
        };
        Step::Ask(told, self)
    }

    /// Takes in an answer and asks for the next key.
    pub fn answered(mut self, answer: &str, story: &Story) -> Step {
        let number = answer.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let known = number.and_then(|at| self.answers.get(at)).map(String::as_str);
        let answer = known.unwrap_or(answer).to_owned();
        if !answer.is_empty() {
            self.line = format!("{} {answer}", self.line);
        }
        self.next(story)
    }
}

/// Returns how a key is asked for: the question, what numbers are shown for, and what they stand for.
fn ask(key: &str, row: &CommandRow, story: &Story) -> (String, Vec<String>, Vec<String>) {
    let free = |words: &str| (words.to_owned(), vec![], vec![]);
    let state = story.state();
    match key {
        "who" | "to" => {
            let here = state.seats.iter().filter(|s| !s.gone);
            let mut seats: Vec<(String, String)> =
                here.map(|s| (story.name(&s.spec.id), format!("@{}", s.spec.id))).collect();
            if !row.needs.contains(&key) {
                seats.push(("everybody".into(), String::new()));
            }
            let (shown, answers) = seats.into_iter().unzip();
            ("Who?".into(), shown, answers)
        }
        "of" => {
            let queued =
                story.queued().map(|(k, words)| (text::line(words).into_owned(), k.0.to_string()));
            let (shown, answers) = queued.unzip();
            ("Which words that wait?".into(), shown, answers)
        }
        "yes" | "final_round" => {
            let (shown, answers) = match key {
                "yes" => (["yes", "no"], ["yes", "no"]),
                _ => (["everybody has a last word", "at once"], ["final", ""]),
            };
            let owned = |words: [&str; 2]| words.map(str::to_owned).to_vec();
            ("Which?".into(), owned(shown), owned(answers))
        }
        "utterance" => free(&format!("Which utterance, 1 to {}?", state.utterances)),
        "alternative" => free("Which alternative, from 1?"),
        "note" => free("Which note, by its key?"),
        "tool" => free("Which tool?"),
        "set" | "participant" => free("What, as KEY = VALUE, KEY = VALUE, with text in quotes?"),
        "question" => free("What is the question?"),
        "options" => free("Which options, each behind a |? Nothing means yes or no."),
        "text" if row.needs.contains(&key) => free("Which words?"),
        _ => free("Which words? Nothing means none."),
    }
}
