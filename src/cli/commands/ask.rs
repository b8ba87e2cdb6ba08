//! `ask`: puts a question to a panel and prints only the answer, its dissent and its cost, for use in scripts and
//! editors.

use crate::analysis::with_names;
use crate::cli::args::{self, Keep, ModelOptions, Play, RunOptions, Topic};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::{one_reader, read_file, read_stdin};
use crate::cli::models::minds::Mind;
use crate::cli::play::gate::OperatorGate;
use crate::cli::play::headless::{self, Played};
use crate::cli::play::material::ReadPart;
use crate::cli::play::next::Setup;
use crate::cli::{output, source};
use crate::export::{REHEARSED, losses, reason, spent, utterances};
use crate::model::{Command, Key, SteerLine, Text, Usd};
use crate::reply::behind_label;
use crate::state::{Entry, State, Who};
use clap::Args;
use serde_json::json;

/// Default panel.
const PANEL: &str = "council";
/// Participant of it that gives the answer.
const CHAIR: &str = "chair";
/// Prefix of the line with the dissent.
const DISSENT: &str = "dissent:";

/// Ask a panel of models a question; prints the answer, dissent and cost
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The question; `-` reads it from standard input
    #[arg(value_name = "QUESTION")]
    question: String,
    /// Files that the panel reads first; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Panel: council, review, or a scenario, whose last turn or verdict is the answer
    #[arg(long, value_name = "NAME", default_value = PANEL)]
    panel: String,
    /// Read only the beginning of files that do not fit into the context window of a model
    #[arg(long)]
    cut: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
    /// Use the panel's rehearsed lines; no model is called
    #[arg(long)]
    rehearsed: bool,
    /// Stop after this running time, such as 90s or 5m
    #[arg(long, value_name = "TIME", value_parser = args::seconds, help_heading = "Limits")]
    max_time: Option<u64>,
    /// Stop before the models use more than N tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    max_tokens: Option<u64>,
    /// Stop before the models cost more than USD dollars
    #[arg(long, value_name = "USD", value_parser = args::usd, help_heading = "Limits")]
    max_usd: Option<Usd>,
    /// Trust the panel for this run: allow the commands it names
    #[arg(long)]
    trust: bool,
    /// Override a scenario key, as in --set limits.utterances=9
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    keep: Keep,
    #[command(flatten)]
    models: ModelOptions,
}

impl AskArgs {
    /// Prints the answer. If no model is named or reachable, the panel is rehearsed: the answer is labelled so and the
    /// exit code is [`Exit::NoModel`].
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let readers = self.files.iter().map(|file| ("FILE", file == "-"));
        one_reader(readers.chain([("QUESTION", self.question == "-")]))?;
        let lines = self.files.iter().enumerate().map(|(at, file)| material(at, file));
        let lines = lines.collect::<Result<Vec<_>, Failure>>()?;
        let question = match self.question.as_str() {
            "-" => read_stdin("a question")?.trim().to_owned(),
            question => question.to_owned(),
        };
        if question.trim().is_empty() {
            return Err(Failure::usage("the question is empty", "as in: colloquium ask \"Why?\""));
        }
        let named = self.models.model.is_some()
            || self.models.server.endpoint.is_some()
            || context.settings()?.default_model.is_some();
        let start = |rehearsed| {
            let setup = self.start(&question, lines.clone(), rehearsed, context);
            setup.map_err(|failure| self.in_words_of_ask(failure))
        };
        let (setup, unasked) = match start(self.rehearsed) {
            Err(failure) if failure.code == Exit::NoModel && !named => {
                (start(true).map_err(|_| failure)?, true)
            }
            begun => (begun?, false),
        };
        let played = headless::run(setup, None, context)?;
        let code = played.verdict(context)?;
        let answer = Answer::from_played(&played, code)?;
        for part in answer.material.iter().filter(|part| part.is_cut()) {
            context.say_alive(&part.words());
        }
        if answer.capped {
            let why = "its reply reached a limit of tokens, or the server ended it";
            context.say_alive(&format!("warning: the answer is cut: {why}"));
        }
        let lost = losses(&played.state);
        lost.iter().for_each(|lost| context.say_alive(&format!("warning: {lost}")));
        let printed = if self.json { answer.json(&self.panel) } else { answer.text() };
        output::text(&printed)?;
        Ok(if unasked { Exit::NoModel } else { code })
    }

    /// Replaces a hint that names options which `ask` lacks by a hint to the `run` command, which has them.
    fn in_words_of_ask(&self, failure: Failure) -> Failure {
        let command = AskArgs::augment_args(clap::Command::default());
        let own: Vec<&str> = command.get_arguments().filter_map(|a| a.get_long()).collect();
        let words = failure.hint.iter().flat_map(|hint| hint.split(|c: char| c.is_whitespace()));
        let options = words.filter_map(|word| word.strip_prefix("--"));
        let plain = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
        let strange: Vec<String> = options
            .map(|option| option.split(plain).next().unwrap_or_default())
            .filter(|option| !own.contains(option))
            .map(|option| format!("--{option}"))
            .collect();
        if strange.is_empty() {
            return failure;
        }
        let panel = &self.panel;
        let fix = if strange.iter().any(|option| option == "--topic") {
            format!("name another panel, or play this one: colloquium run {panel}")
        } else {
            format!(
                "`ask` has no {}; use: colloquium run {panel} --headless --topic QUESTION",
                strange.join(", ")
            )
        };
        failure.hint(fix)
    }

    /// Returns the options of the models; the chair of the council is the first of several.
    fn models(&self) -> ModelOptions {
        let model = self.models.model.clone().map(|words| {
            let minds = Mind::list(&words);
            let chairs = |mind: &Mind| mind.seat.as_ref().is_some_and(|seat| *seat == CHAIR);
            match minds.first() {
                Some(first) if self.panel == PANEL && !minds.iter().any(chairs) => {
                    format!("{words},{CHAIR}={}", first.word)
                }
                Some(_) | None => words,
            }
        });
        ModelOptions { model, ..self.models.clone() }
    }

    fn start(
        &self,
        question: &str,
        lines: Vec<(Key, SteerLine)>,
        rehearsed: bool,
        context: &Context,
    ) -> Result<Setup, Failure> {
        let found = source::find_panel(&context.paths, &self.panel)?;
        let play = Play {
            headless: true,
            rehearsed,
            max_time: self.max_time,
            max_tokens: self.max_tokens,
            max_usd: self.max_usd,
            trust: self.trust,
            set: self.set.clone(),
            models: self.models(),
            ..Play::default()
        };
        let options = RunOptions {
            play,
            topic: Some(Topic::Text(question.to_owned())),
            keep: self.keep.clone(),
            cut_material: self.cut,
            ..RunOptions::default()
        };
        run::start_found(&options, found, lines, &OperatorGate, context)
    }
}

/// Returns a file as a message of the operator, sent before the first turn.
fn material(at: usize, file: &str) -> Result<(Key, SteerLine), Failure> {
    let text = match file {
        "-" => read_stdin("a file")?,
        path => read_file("the file", path)?,
    };
    let name = if file == "-" { "standard input" } else { file };
    let said = Command::Say { text: text.into(), re: None, material: Some(name.into()) };
    Ok((format!("ask:{}", at + 1).into(), said.into()))
}

/// Dissenting opinion on an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Dissent {
    /// The answer does not mention it.
    NotStated,
    /// Nobody disagrees.
    Nobody,
    /// The opinion.
    Stated(String),
}

impl Dissent {
    /// Returns the opinion, if there is one.
    pub fn opinion(&self) -> Option<&str> {
        match self {
            Dissent::Stated(opinion) => Some(opinion),
            Dissent::NotStated | Dissent::Nobody => None,
        }
    }
}

/// Answer of a panel.
struct Answer<'a> {
    answer: Text,
    dissent: Dissent,
    state: &'a State,
    session: Option<&'a str>,
    /// The files that the panel read.
    material: Vec<ReadPart>,
    /// True if its reply ended before its words.
    capped: bool,
}

impl Answer<'_> {
    /// Returns the answer of a finished conversation: its verdict, or the text of its last turn.
    fn from_played(played: &Played, code: Exit) -> Result<Answer<'_>, Failure> {
        let state = &played.state;
        let session = played.name.as_deref();
        let found = if code == Exit::Done { found(state) } else { None };
        let Some((answer, dissent)) = found else {
            let ended = state.ended.as_ref().map(|end| reason(end.reason)).unwrap_or_default();
            let last = state.last.iter().filter_map(|last| state.seat(&last.seat));
            let failed = last.chain(&state.seats).find_map(|seat| seat.failed.as_ref());
            let (code, why) = match (code, failed) {
                (Exit::Done, Some(error)) => (Exit::Failed, error.text.to_string()),
                (Exit::Done, None) => (Exit::Failed, ended),
                (code, _) => (code, ended),
            };
            let read = session.map(|name| {
                format!("to read the conversation: colloquium export {name} --format txt")
            });
            let mend = failed.map(|_| "to look at the models: colloquium doctor".to_owned());
            let hints: Vec<String> = mend.into_iter().chain(read).collect();
            let failure = Failure::new(code, format!("the panel gave no answer: {why}"));
            return Err(if hints.is_empty() { failure } else { failure.hint(hints.join("; ")) });
        };
        let given = state.entries.iter();
        let material = given.filter_map(|e| Some(ReadPart::new(e.material.as_ref()?, e.text())));
        let material = material.collect();
        let last = state.entries.iter().rfind(|e| matches!(e.who, Who::Seat(_)));
        let capped = state.verdict.is_none() && last.is_some_and(|e| e.version().capped);
        Ok(Answer { capped, answer: answer.into(), dissent, state, session, material })
    }

    fn text(&self) -> String {
        let label = if self.state.rehearsed { format!("{REHEARSED}\n\n") } else { String::new() };
        let dissent = match &self.dissent {
            Dissent::NotStated => "not stated",
            Dissent::Nobody => "none",
            Dissent::Stated(opinion) => opinion,
        };
        let cut = self.material.iter().filter(|part| part.is_cut());
        let cut: String = cut.map(|part| format!("{}\n", part.words())).collect();
        format!("{label}{}\n\nDissent: {dissent}\n\n{cut}{}\n", self.answer, self.cost())
    }

    fn cost(&self) -> String {
        let used = spent(&self.state.spent()).map(|used| format!(", {used}")).unwrap_or_default();
        let kept = self.session.map(|name| format!("; session {name}")).unwrap_or_default();
        format!("{}{used}{kept}", utterances(self.state.utterances))
    }

    fn json(&self, panel: &str) -> String {
        let spent = self.state.spent();
        let whole = json!({
            "answer": self.answer,
            "dissent": self.dissent.opinion(),
            "dissent_stated": self.dissent != Dissent::NotStated,
            "result": self.state.result.as_ref().map(|(result, _)| result),
            "material": self.material.iter().map(|part| json!({
                "name": part.name, "bytes": part.bytes, "read": part.read,
            })).collect::<Vec<_>>(),
            "panel": panel,
            "rehearsed": self.state.rehearsed,
            "turns": self.state.utterances,
            "failed": self.state.failed,
            "adapted": self.state.lost_settings().collect::<Vec<_>>(),
            "tokens": spent.used().map(|used| used.tokens()),
            "usd": spent.cost().map(f64::from),
            "session": self.session,
        });
        format!("{whole:#}\n")
    }
}

/// Returns the answer of a conversation (its verdict, or the text of its last turn, unless that is hidden or cut off) and
/// the dissent in it.
pub fn found(state: &State) -> Option<(String, Dissent)> {
    let last = state.last.as_ref().and_then(|last| last.number);
    let entry = state.entries.iter().rfind(|e| matches!(e.who, Who::Seat(_)));
    let whole = |e: &&Entry| e.hidden.is_none() && e.version().cut.is_none();
    let words = entry.filter(|e| e.number == last).filter(whole);
    let words = words.map(|e| e.text().clone());
    let verdict = state.verdict.as_ref().map(|(verdict, _)| {
        let why = verdict.judgements.iter().find(|j| j.winner == verdict.winner);
        let why = why.map(|j| format!(": {}", with_names(state, verdict, j, &j.why)));
        let why = why.unwrap_or_default();
        format!("{}{why}", verdict.winner.as_deref().unwrap_or("draw")).into()
    });
    verdict.or(words).map(|words| parts(&words))
}

/// Splits an answer at the dissent line. An empty dissent or `none` means that the panel agrees.
fn parts(words: &str) -> (String, Dissent) {
    let lines: Vec<&str> = words.lines().collect();
    let Some(at) = lines.iter().rposition(|line| behind_label(line, DISSENT).is_some()) else {
        return (words.trim().to_owned(), Dissent::NotStated);
    };
    let (before, after) = lines.split_at(at);
    let first = after.first().and_then(|line| behind_label(line, DISSENT)).unwrap_or_default();
    let rest = after.get(1..).unwrap_or_default().join("\n");
    let dissent = format!("{}\n{rest}", first.trim_matches(['*', '_', ' ']));
    let dissent = dissent.trim();
    let agrees = dissent.trim_end_matches('.').eq_ignore_ascii_case("none") || dissent.is_empty();
    let dissent = if agrees { Dissent::Nobody } else { Dissent::Stated(dissent.to_owned()) };
    (before.join("\n").trim().to_owned(), dissent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dissent_is_told_apart_from_the_answer() {
        let check = |words: &str, answer: &str, dissent: Dissent| {
            assert_eq!(parts(words), (answer.to_owned(), dissent), "{words}");
        };
        let stated = |opinion: &str| Dissent::Stated(opinion.into());
        check("Yes.", "Yes.", Dissent::NotStated);
        check("Yes.\nDISSENT: none.", "Yes.", Dissent::Nobody);
        check(
            "Yes.\n\n**Dissent:** Bo would wait.\nSo would Cy.",
            "Yes.",
            stated("Bo would wait.\nSo would Cy."),
        );
        check(
            "The word dissent: means no.\nDISSENT:",
            "The word dissent: means no.",
            Dissent::Nobody,
        );
        check("é\nDissent: é", "é", stated("é"));
    }
}
