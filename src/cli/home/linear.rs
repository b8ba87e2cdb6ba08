//! The start screen as questions with numbered answers, for text mode: action, topic, scenario and models.
//!
//! Asks one question at a time and offers the same choices as the screen; an empty line selects the default.

use crate::analysis;
use crate::catalogue;
use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::home::facts::{bounded, forecast, prepared};
use crate::cli::home::nearby;
use crate::cli::home::screen::reopen;
use crate::cli::models::providers::Providers;
use crate::cli::output;
use crate::cli::play::next::{Home, Next, Replay};
use crate::cli::runtime::block_on;
use crate::export::utterances;
use crate::session::ReadProgress;
use crate::text;
use crate::ui::linear::numbered;
use crate::ui::start::{
    ListedScenario, ModelPlace, News, OfferedModel, ScenarioChoice, StartScreen, TalkPlan,
    VoiceChoice, ago, status_text,
};
use crate::ui::theme::{Theme, glyphs};
use futures::future::join_all;
use std::io::stdin;

/// Maximum number of sessions in the list.
const SESSIONS: usize = 20;

/// Asks for the next action.
pub fn open(because: &str, home: &Home, context: &Context) -> Result<Next, Failure> {
    let start = found(context)?;
    match &home.notice {
        Some(notice) => print(&format!("{notice}\n\n"))?,
        None => {
            print(&format!("Accessible mode ({because}): plain text, nothing is redrawn.\n\n"))?
        }
    }
    if home.topic.is_some() {
        return begin(&start, home.topic.clone(), context);
    }
    let sessions = |what: &str| format!("{what} ({})", start.sessions.len());
    loop {
        let entries = [
            "watch a rehearsed debate (offline)".to_owned(),
            "new conversation".to_owned(),
            sessions("resume a session"),
            sessions("read a session"),
            "quit".to_owned(),
        ];
        match choose("What next?", &entries, Some(0))? {
            Some(0) => {
                let scenario = start.scripts.first().map(|s| s.name.clone()).unwrap_or_default();
                let plan = TalkPlan { scenario, ..TalkPlan::default() };
                return Ok(Next::Begin(Box::new(bounded(&plan, context))));
            }
            Some(1) => return begin(&start, None, context),
            Some(2) => match session(&start)? {
                Some(path) => return Ok(reopen(path, None)),
                None => continue,
            },
            Some(3) => match session(&start)? {
                Some(path) => {
                    let replay = Replay { path, headless: true, ..Replay::default() };
                    return Ok(Next::Replay(Box::new(replay)));
                }
                None => continue,
            },
            Some(_) | None => return Ok(Next::Over(Exit::Done)),
        }
    }
}

/// Collects the choices. Local servers have the same time to answer as on the screen.
fn found(context: &Context) -> Result<StartScreen, Failure> {
    let providers = Providers::new(context, &ModelOptions::default())?;
    let mut start =
        prepared(StartScreen::new(Theme::default(), &glyphs::ASCII), &providers, context);
    let hosts = join_all(nearby::look(&providers));
    let hosts = block_on(async { Ok(hosts.await) })?;
    hosts.into_iter().for_each(|host| start.take(News::Host(host)));
    // an unreadable folder offers no sessions; `sessions list` reports the reason
    let sessions =
        catalogue::list(&context.paths.sessions(), analysis::headline, &ReadProgress::default())
            .unwrap_or_default();
    start.take(News::Sessions(sessions));
    Ok(start)
}

/// Asks for topic, scenario and voices, shows the estimated usage, and starts.
fn begin(start: &StartScreen, topic: Option<String>, context: &Context) -> Result<Next, Failure> {
    loop {
        let topic = match &topic {
            Some(topic) => Some(topic.clone()),
            None => {
                let asked = "Topic? Press Enter to keep the scenario's own.";
                let Some(line) = ask(start, asked)? else {
                    return Ok(Next::Over(Exit::Done));
                };
                (!line.is_empty()).then_some(line)
            }
        };
        let all = start.scripts.iter().map(ListedScenario::choice);
        let playable: Vec<_> = all.filter(|s| s.fault.is_none()).collect();
        let titles = playable.iter().map(|s| {
            let cast = s.cast.iter().map(|c| text::name(c)).collect::<Vec<_>>().join(", ");
            format!("{}: {}; {}; {cast}", s.name, text::label(&s.title), s.rules)
        });
        let titles: Vec<String> = titles.collect();
        let Some(at) = choose("Which scenario?", &titles, Some(0))? else {
            return Ok(Next::Over(Exit::Done));
        };
        let script = playable[at];
        let Some(voice) = voice(start, script)? else {
            return Ok(Next::Over(Exit::Done));
        };
        let part = format!("take part: {}", script.takes_part);
        let seats = ["watch; you can still write at any time".to_owned(), part];
        let Some(seat) = choose("And you?", &seats, Some(0))? else {
            return Ok(Next::Over(Exit::Done));
        };
        let take_part = seat == 1;
        let topic = topic.filter(|t| script.topic.as_ref() != Some(t));
        let scenario = script.name.clone();
        let plan =
            TalkPlan { scenario, topic, voice: voice.clone(), take_part, ..TalkPlan::default() };
        if voice != VoiceChoice::Rehearsed {
            let expected = forecast(&plan, &[], context);
            let (length, sum) = (expected.length, expected.sum);
            let said = expected.fault.unwrap_or_else(|| format!("{length}, {sum}"));
            print(&format!("Estimate: {}\n\n", text::line(&said)))?;
        }
        let sure = ["begin".to_owned(), "check again".to_owned(), "quit".to_owned()];
        // an empty line begins nothing that may cost money
        let free = match &voice {
            VoiceChoice::Own => !script.paid,
            voice => !start.may_cost(voice),
        };
        match choose("Begin?", &sure, free.then_some(0))? {
            Some(0) => return Ok(Next::Begin(Box::new(bounded(&plan, context)))),
            Some(1) => {}
            Some(_) | None => return Ok(Next::Over(Exit::Done)),
        }
    }
}

/// Asks who sits at the table. An empty line takes the usual models, else a local one, else the rehearsed lines; nothing
/// that costs money is proposed unless it is usual.
fn voice(start: &StartScreen, script: &ScenarioChoice) -> Result<Option<VoiceChoice>, Failure> {
    if !script.open {
        return Ok(Some(VoiceChoice::Own));
    }
    let offers = start.offers();
    let near = offers.iter().find(|model| model.place == ModelPlace::Here).cloned();
    let table =
        if start.usual.is_empty() { near.into_iter().collect() } else { start.usual.clone() };
    let named = |models: &[OfferedModel]| {
        let names = models.iter().map(OfferedModel::option).collect::<Vec<_>>();
        text::name(&names.join(", ")).into_owned()
    };
    let proposed = match table.is_empty() {
        false => Some((named(&table), VoiceChoice::Models(table))),
        true if script.rehearsed => Some(("the rehearsed lines".into(), VoiceChoice::Rehearsed)),
        true => None,
    };
    let known = if offers.is_empty() {
        "none yet; colloquium doctor explains".into()
    } else {
        named(&offers)
    };
    let default =
        proposed.as_ref().map_or(String::new(), |(name, _)| format!(" Press Enter for {name}."));
    let asked =
        format!("Which models?{default} Type them as in claude,PROVIDER:NAME. Known: {known}");
    loop {
        let Some(line) = ask(start, &asked)? else { return Ok(None) };
        let words = line.split(',').map(str::trim).filter(|word| !word.is_empty());
        let models: Vec<OfferedModel> = words.map(OfferedModel::from_name).collect();
        match &proposed {
            _ if !models.is_empty() => return Ok(Some(VoiceChoice::Models(models))),
            Some((_, voice)) => return Ok(Some(voice.clone())),
            None => print("Type at least one model.\n\n")?,
        }
    }
}

/// Asks for a session.
fn session(start: &StartScreen) -> Result<Option<std::path::PathBuf>, Failure> {
    let sessions = &start.sessions[..start.sessions.len().min(SESSIONS)];
    if sessions.is_empty() {
        print("None yet.\n\n")?;
        return Ok(None);
    }
    let titles = sessions.iter().map(|s| {
        let how = status_text(&s.standing);
        let when = ago(start.now, s.written);
        let said = utterances(s.utterances);
        format!("{}: {how}, {said}, {when}", text::label(&s.title))
    });
    let at = choose("Which session?", &titles.collect::<Vec<_>>(), Some(0))?;
    Ok(at.map(|at| sessions[at].path.clone()))
}

/// Asks a question with numbered answers until one is chosen; an empty line selects the default, if there is one. `None` at the end of
/// the input.
fn choose(
    question: &str,
    answers: &[String],
    proposed: Option<usize>,
) -> Result<Option<usize>, Failure> {
    let default = proposed.map_or(String::new(), |at| format!(" Press Enter for {}.", at + 1));
    print(&numbered(&format!("{question}{default}"), answers))?;
    loop {
        let Some(line) = read()? else { return Ok(None) };
        let number = || line.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let chosen = if line.is_empty() { proposed } else { number() };
        match chosen.filter(|at| *at < answers.len()) {
            Some(at) => return Ok(Some(at)),
            None => print(&format!("Type a number from 1 to {}.\n\n", answers.len()))?,
        }
    }
}

/// Asks for words; rejects keys, since others may read the words.
fn ask(start: &StartScreen, question: &str) -> Result<Option<String>, Failure> {
    print(&format!("{question}\n"))?;
    loop {
        let line = read()?;
        if line.as_ref().is_none_or(|line| start.veiled(&format!("{line} ")).is_none()) {
            return Ok(line);
        }
        print("This looks like a key, which is not used here. Type something else.\n\n")?;
    }
}

/// Reads a line; `None` at the end of the input.
fn read() -> Result<Option<String>, Failure> {
    let mut line = String::new();
    let read = stdin().read_line(&mut line);
    let read = read.map_err(|e| Failure::new(Exit::Failed, format!("cannot read: {e}")))?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

fn print(words: &str) -> Result<(), Failure> {
    output::wrapped(words).map(drop)
}
