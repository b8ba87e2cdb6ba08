//! The start screen as questions with numbered answers, for text mode: action, topic, scenario and models.
//!
//! Asks one question at a time and offers the same choices as the screen; an empty line selects the default.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::home::facts::{bounded, filled_in, forecast, prepared};
use crate::cli::home::nearby;
use crate::cli::home::screen::reopen;
use crate::cli::models::providers::Providers;
use crate::cli::output;
use crate::cli::play::next::{Begin, Home, Next, Replay};
use crate::cli::runtime::block_on;
use crate::export::utterances;
use crate::session::ReadProgress;
use crate::ui::linear::numbered;
use crate::ui::start::{
    ListedScenario, ModelPlace, News, OfferedModel, StartScreen, TalkPlan, VoiceChoice, ago,
    status_text,
};
use crate::ui::theme::{Theme, glyphs};
use crate::{analysis, catalogue, text};
use futures::future::join_all;
use std::io::stdin;

/// Maximum number of sessions in the list.
const SESSIONS: usize = 20;

/// Asks for the next action.
pub fn open(because: &str, home: &Home, context: &Context) -> Result<Next, Failure> {
    let mut start = found(home, context)?;
    match &home.notice {
        Some(notice) => print(&format!("{notice}\n\n"))?,
        None => {
            print(&format!("Accessible mode ({because}): plain text, nothing is redrawn.\n\n"))?
        }
    }
    if home.topic.is_some() || home.scenario.is_some() {
        return begin(&mut start, home, context);
    }
    let sessions = format!("a session ({})", start.sessions.len());
    let entries = [
        "watch a rehearsed debate (offline)".to_owned(),
        "new conversation".to_owned(),
        format!("resume {sessions}"),
        format!("read {sessions}"),
        "quit".to_owned(),
    ];
    loop {
        let next = match choose("What next?", &entries, Some(0))? {
            Some(0) => {
                let scenario = start.scripts.first().map(|s| s.name.clone()).unwrap_or_default();
                let plan = TalkPlan { scenario, ..TalkPlan::default() };
                return Ok(Next::Begin(Box::new(bounded(&plan, context))));
            }
            Some(1) => return begin(&mut start, home, context),
            Some(2) => session(&start)?.map(|path| reopen(path, None)),
            Some(3) => session(&start)?.map(|path| {
                Next::Replay(Box::new(Replay { path, headless: true, ..Replay::default() }))
            }),
            Some(_) | None => return Ok(Next::Over(Exit::Done)),
        };
        if let Some(next) = next {
            return Ok(next);
        }
    }
}

/// Collects the choices. Local servers have the same time to answer as on the screen.
fn found(home: &Home, context: &Context) -> Result<StartScreen, Failure> {
    let providers = Providers::new(context, &ModelOptions::default())?;
    let start = StartScreen::new(Theme::default(), &glyphs::ASCII);
    let mut start = prepared(start, home, &providers, context);
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

/// Asks for the fields, shows the estimated usage, and starts.
fn begin(start: &mut StartScreen, home: &Home, context: &Context) -> Result<Next, Failure> {
    // the topic of the command line is asked for only if something went wrong
    let mut has_topic = home.topic.is_some() && home.notice.is_none();
    loop {
        let Some(plan) = ask_plan(start, has_topic)? else { return Ok(Next::Over(Exit::Done)) };
        has_topic = false;
        if plan.voice != VoiceChoice::Rehearsed {
            let expected = forecast(&plan, &[], context);
            let (length, sum) = (expected.length, expected.sum);
            let said = expected.fault.unwrap_or_else(|| format!("{length}, {sum}"));
            print(&format!("Estimate: {}\n\n", text::line(&said)))?;
        }
        let sure = ["begin".to_owned(), "check again".to_owned(), "quit".to_owned()];
        // an empty line begins nothing that may cost money
        let free = !start.may_cost(&plan.voice);
        match choose("Begin?", &sure, free.then_some(0))? {
            Some(0) => {
                let chosen_on = Some(filled_in(start, home));
                return Ok(Next::Begin(Box::new(Begin { chosen_on, ..bounded(&plan, context) })));
            }
            Some(1) => {}
            Some(_) | None => return Ok(Next::Over(Exit::Done)),
        }
    }
}

/// Asks for topic, scenario, voices and the person's seat; an empty line keeps what is filled in. `None` at the end of the
/// input.
fn ask_plan(start: &mut StartScreen, has_topic: bool) -> Result<Option<TalkPlan>, Failure> {
    if !has_topic {
        let own = "the scenario's own".to_owned();
        let topic = start.topic().map_or(own, |topic| format!("\"{}\"", text::line(&topic)));
        let asked = format!("Topic? Press Enter to keep {topic}.");
        let Some(line) = ask(start, &asked)? else { return Ok(None) };
        if !line.is_empty() {
            start.about(&line);
        }
    }
    let all = start.scripts.iter().map(ListedScenario::choice).enumerate();
    let playable: Vec<_> = all.filter(|(_, script)| script.fault.is_none()).collect();
    let titles = playable.iter().map(|(_, s)| {
        let cast = s.cast.iter().map(|c| text::name(c)).collect::<Vec<_>>().join(", ");
        format!("{}: {}; {}; {cast}", s.name, text::label(&s.title), s.rules)
    });
    let titles: Vec<String> = titles.collect();
    let at = playable.iter().position(|(at, _)| *at == start.script).unwrap_or(0);
    let Some(at) = choose("Which scenario?", &titles, Some(at))? else { return Ok(None) };
    start.script = playable[at].0;
    if start.topic().is_none() {
        let own = start.script().map(|script| script.own_topic().clone());
        own.into_iter().for_each(|own| start.about(&own));
    }
    if !ask_models(start)? {
        return Ok(None);
    }
    let part = start.script().map_or("", |script| script.takes_part);
    let seats = ["watch; you can still write at any time".into(), format!("take part: {part}")];
    let Some(seat) = choose("And you?", &seats, Some(usize::from(start.take_part)))? else {
        return Ok(None);
    };
    start.take_part = seat == 1;
    Ok(start.plan())
}

/// Asks who sits at the table. An empty line takes the usual models, else a local one, else the rehearsed lines; nothing
/// that costs money is proposed unless it is usual. Returns false at the end of the input.
fn ask_models(start: &mut StartScreen) -> Result<bool, Failure> {
    if start.script().is_none_or(|script| !script.open) {
        return Ok(true);
    }
    let offers = start.offers();
    if start.ticked.is_none() && start.usual.is_empty() {
        let near = offers.iter().find(|model| model.place == ModelPlace::Here).cloned();
        start.ticked = Some(near.into_iter().collect());
    }
    let named = |models: &[OfferedModel]| {
        let names = models.iter().map(OfferedModel::option).collect::<Vec<_>>();
        text::name(&names.join(", ")).into_owned()
    };
    let default = match start.voice() {
        Some(VoiceChoice::Models(table)) => format!(" Press Enter for {}.", named(&table)),
        Some(_) => " Press Enter for the rehearsed lines.".into(),
        None => String::new(),
    };
    let known = if offers.is_empty() {
        "none yet; colloquium doctor explains".into()
    } else {
        named(&offers)
    };
    let asked =
        format!("Which models?{default} Type them as in claude,PROVIDER:NAME. Known: {known}");
    loop {
        let Some(line) = ask(start, &asked)? else { return Ok(false) };
        let words = line.split(',').map(str::trim).filter(|word| !word.is_empty());
        let models: Vec<OfferedModel> = words.map(OfferedModel::from_name).collect();
        if !models.is_empty() {
            start.ticked = Some(models);
        }
        if start.voice().is_some() {
            return Ok(true);
        }
        print("Type at least one model.\n\n")?;
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
