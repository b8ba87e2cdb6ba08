//! `check`: reports all faults of scenarios, or their speaking order.

use crate::cli::args::ModelOptions;
use crate::cli::commands::test;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::minds::Usable;
use crate::cli::models::providers::Providers;
use crate::cli::models::{alike, named};
use crate::cli::play::{assemble, dry_run};
use crate::cli::{output, source};
use crate::model::{After, Anonymous, Limit, Limits, Needs, Participant, Shows, Then, VoiceSpec};
use crate::scenario::{
    self, AnswerSpec, Fault, Faults, Gravity, Loaded, Phase, PolicySpec, Rule, Tie, VerdictSpec,
};
use crate::testing::{self, Test};
use crate::{policy, text};
use clap::Args;
use serde_json::{Value, json};
use std::path::Path;
use std::slice;
use std::sync::Arc;

/// Validate scenarios and tests, and show the speaking order
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Scenario files or names
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Print JSON: for each file its faults with line, column, key and fix
    #[arg(long)]
    json: bool,
}

/// Valid scenario or test.
struct Checked {
    title: String,
    warnings: Faults,
    /// Description and speaking order, as text.
    plan: String,
}

impl CheckArgs {
    /// Checks all files. An invalid file is reported and the others are still checked.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let mut wrong = None;
        let mut faulty = 0;
        let mut rows = vec![];
        for file in &self.files {
            let checked = check(file, context);
            if self.json {
                rows.push(row(file, &checked));
            }
            match checked {
                Ok(checked) if !self.json => {
                    context.report_warnings(&checked.warnings);
                    output::text(&checked.plan)?;
                }
                Ok(_) => {}
                Err(failure) => {
                    faulty += 1;
                    if !self.json {
                        output::failure(&failure);
                    }
                    wrong = wrong.or(Some(failure.code));
                }
            }
        }
        if self.json {
            output::data(format!("{:#}\n", Value::Array(rows)).as_bytes())?;
        }
        if faulty > 0 {
            context.say(&format!("{faulty} of {} files invalid", self.files.len()));
        }
        Ok(wrong.unwrap_or(Exit::Done))
    }
}

fn check(file: &str, context: &Context) -> Result<Checked, Failure> {
    if file.ends_with(testing::ENDING) {
        let loaded = test::read(Path::new(file))?;
        let plan = tested(file, &loaded.tests);
        let title = loaded.tests.first().map(|test| test.title.to_string()).unwrap_or_default();
        return Ok(Checked { title, warnings: loaded.warnings, plan });
    }
    let found = source::find(&context.paths, file)?;
    let loaded = scenario::load(&found.source, &policy::rows())?.with_known_names()?;
    let title = loaded.scenario.title.to_string();
    let mut warnings = loaded.warnings.clone();
    let providers = Providers::new(context, &ModelOptions::default())?;
    let unknown = named::unknown(&loaded, &found.source, Gravity::Warning, &providers);
    warnings.list.extend(unknown.into_iter().flat_map(|unknown| unknown.list));
    if let Some(warning) = alike::warning(&loaded, || Usable::without_servers(&providers)) {
        context.say(&warning);
    }
    let plan = describe(file, &loaded) + &dry_run::order(assemble::rehearsal(loaded)?);
    Ok(Checked { title, warnings, plan })
}

/// Returns one file's result as JSON.
fn row(file: &str, checked: &Result<Checked, Failure>) -> Value {
    let file = text::line(file);
    match checked {
        Ok(checked) => json!({
            "file": file,
            "valid": true,
            "title": text::line(&checked.title),
            "faults": fault_rows(slice::from_ref(&checked.warnings)),
        }),
        Err(failure) if failure.faults.is_empty() => json!({
            "file": file,
            "valid": false,
            "error": text::line(&failure.message),
            "fix": failure.hint.as_ref().map(|hint| text::line(hint)),
            "faults": [],
        }),
        Err(failure) => {
            json!({"file": file, "valid": false, "faults": fault_rows(&failure.faults)})
        }
    }
}

/// Returns faults as JSON. A fault without a position comes from a command or from `--set`.
fn fault_rows(all: &[Faults]) -> Vec<Value> {
    let row = |file: &str, fault: &Fault| {
        let severity = match fault.gravity {
            Gravity::Error => "error",
            Gravity::Warning | Gravity::UnknownName => "warning",
        };
        json!({
            "severity": severity,
            "file": text::line(file),
            "line": fault.place.as_ref().map(|place| place.line),
            "column": fault.place.as_ref().map(|place| place.column),
            "key": text::line(&fault.key),
            "message": text::line(&fault.message),
            "fix": text::line(&fault.fix),
        })
    };
    all.iter().flat_map(|faults| faults.list.iter().map(|f| row(faults.file(), f))).collect()
}

/// Describes a test file.
fn tested(file: &str, tests: &[Arc<Test>]) -> String {
    let mut told = format!("{file}: ");
    if let Some(first) = tests.first() {
        told.push_str(&format!("{}\n", text::line(&first.title)));
        told.push_str(&format!("  scenario {}\n", text::line(&first.loaded.scenario.title)));
        let seats: Vec<&str> = first.voices.keys().map(|id| &**id).collect();
        told.push_str(&format!("  voices   {}\n", seats.join(", ")));
        told.push_str(&format!("  checks   {} expectations\n", first.expects.len()));
    }
    for test in tests.iter().filter(|t| t.case.is_some()) {
        told.push_str(&format!("  case     {}\n", text::line(test.case.as_deref().unwrap_or(""))));
    }
    told
}

/// Describes a scenario: policies, phases, participants, limits and stop rules.
pub fn describe(file: &str, loaded: &Loaded) -> String {
    let scenario = &loaded.scenario;
    let mut told = format!("{file}: {}\n", text::line(&scenario.title));
    if let Some(topic) = &scenario.topic {
        told.push_str(&format!("  topic    {}\n", text::line(topic)));
    }
    told.push_str(&format!("  policy   {}\n", policy(&scenario.policy)));
    for phase in &scenario.phases {
        let who: Vec<_> = phase.who.iter().map(|w| text::line(w)).collect();
        let name = text::line(&phase.name);
        let policy = policy(&phase.policy);
        let judge = phase.judge.as_ref().map(|j| format!("; judged, {}", judging(j)));
        let when = phase.when.as_ref().map(|w| format!("; only when {w}")).unwrap_or_default();
        let line = format!("{name}: {policy}, {}{}{when}", who.join(", "), shows(&phase.shows));
        told.push_str(&format!("  phase    {line}{}\n", text::line(&judge.unwrap_or_default())));
    }
    for seat in &loaded.participants {
        told.push_str(&format!("  seat     {}\n", self::seat(seat, loaded)));
    }
    told.push_str(&format!("  limits   {}\n", limits(&scenario.limits)));
    for stop in &scenario.stops {
        let then = if stop.ask { ", after asking you" } else { "" };
        told.push_str(&format!("  stop     {}{then}\n", text::line(&rule(&stop.rule))));
    }
    if let Some(spec) = &scenario.answer {
        told.push_str(&format!("  answer   {}\n", text::line(&answer(spec))));
    }
    if let Some(verdict) = &scenario.verdict {
        told.push_str(&format!("  verdict  {}\n", text::line(&judging(verdict))));
    }
    told
}

fn answer(spec: &AnswerSpec) -> String {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let every = if spec.every { "every answer" } else { "the last answer" };
    let sure = if spec.confidence { ", with confidence" } else { "" };
    let tie = word(json!(spec.tie));
    let tie = if tie == "none" { "a tie is no answer".into() } else { format!("a tie: {tie}") };
    let form = word(json!(spec.form));
    format!("{form}{sure}; {every} of {} by {}; {tie}", spec.of.join(", "), spec.by.name())
}

fn judging(verdict: &VerdictSpec) -> String {
    let sides: Vec<&str> = verdict.sides.iter().map(|s| &*s.name).collect();
    let sides = if sides.is_empty() { "everybody".into() } else { sides.join(" against ") };
    let swap = if verdict.swap_test { ", again with the sides swapped" } else { "" };
    let times =
        if verdict.votes == 1 { String::new() } else { format!(", {} times", verdict.votes) };
    let stop = if verdict.may_stop { ", also after each round, and may end it early" } else { "" };
    let tie = match verdict.tie {
        Tie::Draw => "",
        Tie::First => "; a tie goes to the side named first",
        Tie::Random => "; ties are broken at random",
        Tie::Judge => "; the first judge breaks ties",
        Tie::Human => "; you break ties",
    };
    let judges = verdict.judges.join(", ");
    format!("{sides} by {judges}{times}{swap}{stop}{tie}: {}", verdict.question)
}

fn rule(rule: &Rule) -> String {
    match rule {
        Rule::When(when) => format!("when {when}"),
        Rule::Word { word, by, accepted_by } => {
            let of = if by.is_empty() { String::new() } else { format!(" of {}", by.join(" or ")) };
            let accepted = match &accepted_by[..] {
                [] => String::new(),
                seats => format!(", accepted by {} in the next turn", seats.join(" or ")),
            };
            format!("at a line{of} starting with {word}{accepted}")
        }
        Rule::Judge { seat, question, every: 1 } => {
            format!("when {seat} says yes, asked after every turn: {question}")
        }
        Rule::Judge { seat, question, every } => {
            format!("when {seat} says yes, asked every {every} turns: {question}")
        }
        Rule::Loop {} => "when it loops for two rounds".into(),
        Rule::Agreement(share) => {
            format!("when {} % give the same answer", (share * 100.0).round())
        }
    }
}

/// Describes the restrictions on visible messages and replies in a phase; empty if there are none.
fn shows(shows: &Shows) -> String {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().replace('_', " ");
    let told = [
        shows.sees.map(|sees| format!("; sees {}", word(json!(sees)))),
        (shows.anonymous != Anonymous::Off)
            .then(|| format!("; names hidden ({})", word(json!(shows.anonymous)))),
        shows.thinks.then(|| "; private thinking".to_owned()),
        shows.words.map(|(least, most)| format!("; {least} to {most} words")),
        shows.until.as_ref().map(|until| format!("; until {}", text::line(until))),
        shows.diverse.map(|most| format!("; the {most} least alike")),
    ];
    told.into_iter().flatten().collect()
}

fn policy(spec: &PolicySpec) -> String {
    let options: Vec<String> = spec.options.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    let meaning = policy::find(&spec.name).map_or("", |p| p.row.meaning.trim_end_matches('.'));
    let options = match &options[..] {
        [] => String::new(),
        options => format!(" ({})", options.join(", ")),
    };
    text::line(&format!("{}{options}: {meaning}", spec.name)).into_owned()
}

fn in_no_phase(seat: &Participant, phases: &[Phase]) -> bool {
    !phases.is_empty() && !phases.iter().any(|phase| phase.who.contains(&seat.id.0))
}

fn seat(seat: &Participant, loaded: &Loaded) -> String {
    let mut line = seat.id.to_string();
    if *seat.name != *seat.id {
        line.push_str(&format!(", {}", seat.name));
    }
    if let Some(role) = &seat.role {
        line.push_str(&format!(" ({role})"));
    }
    line.push_str(&format!(": {}", voice(&seat.voice)));
    if let Some(stand_in) = &seat.stand_in {
        line.push_str(&format!("; without a person at the keyboard: {}", voice(stand_in)));
    }
    if let (Some(lines), false) = (loaded.rehearsed.get(&seat.id), seat.voice.is_rehearsed()) {
        line.push_str(&format!("; with --rehearsed: {}", voice(lines)));
    }
    line.push_str(&runs(seat));
    if let Some(usd) = seat.max_usd {
        line.push_str(&format!("; at most {usd}"));
    }
    if !seat.speaks {
        line.push_str("; takes no turns");
    } else if in_no_phase(seat, &loaded.scenario.phases) {
        line.push_str("; is in no phase, so never speaks");
    }
    let then = match seat.on_failure.then {
        Then::Skip => "",
        Then::Pause => "; pauses on failure",
        Then::Replace => "; uses the next fallback on failure",
        Then::Stop => "; ends the conversation on failure",
    };
    text::line(&format!("{line}{then}")).into_owned()
}

/// Describes the participants after which a seat runs; empty if it depends on none.
fn runs(seat: &Participant) -> String {
    let edge = |after: &After| {
        let when = after.when.as_ref().map(|w| format!(" when {w}")).unwrap_or_default();
        let times = if after.max == 1 { String::new() } else { format!(" ({} times)", after.max) };
        format!("{}{when}{times}", after.participant)
    };
    let edges: Vec<String> = seat.runs.after.iter().map(edge).collect();
    let joined = match seat.runs.needs {
        Needs::All => edges.join(" and "),
        Needs::Any => edges.join(" or "),
    };
    match (edges.is_empty(), seat.runs.starts) {
        (true, Some(false)) => "; runs on request".into(),
        (true, _) => String::new(),
        (false, Some(true)) => format!("; runs first, then after {joined}"),
        (false, _) => format!("; runs after {joined}"),
    }
}

fn voice(voice: &VoiceSpec) -> String {
    match voice {
        VoiceSpec::Model(model) if model.name.is_empty() => "the default model".into(),
        VoiceSpec::Model(model) => {
            let models: Vec<&str> = model.names().map(|name| &**name).collect();
            format!("the model {}", models.join(", then "))
        }
        VoiceSpec::Script(command) => format!("the script `{}`", command.join(" ")),
        VoiceSpec::Http(service) => format!("the service {}", service.place()),
        VoiceSpec::Agent(agent) => format!("the agent `{}`", agent.command.join(" ")),
        VoiceSpec::Team(team) => {
            let names: Vec<&str> = team.participants.iter().map(|p| &*p.name).collect();
            format!("the team {} ({})", team.file, names.join(", "))
        }
        VoiceSpec::Human { seconds, pass, link } => {
            let link = if *link { " with a link of `serve`" } else { "" };
            let time = match seconds {
                Some(seconds) if *pass => format!(", {seconds} s per turn"),
                Some(_) | None => String::new(),
            };
            format!("a person{link}{time}")
        }
        VoiceSpec::Lines { lines, .. } if lines.len() == 1 => "1 rehearsed line".into(),
        VoiceSpec::Lines { lines, .. } => format!("{} rehearsed lines", lines.len()),
    }
}

fn limits(limits: &Limits) -> String {
    let mut all: Vec<String> =
        Limit::ALL.into_iter().filter_map(|l| Some(l.words(limits.get(l)?))).collect();
    all.extend(limits.per_seat.map(|n| format!("{} per participant", text::plural(n, "turn"))));
    if all.is_empty() { "none".into() } else { all.join(", ") }
}
