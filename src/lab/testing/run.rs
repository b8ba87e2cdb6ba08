//! One run of a test: its own engine, feed and disk on virtual time, until the conversation ends.

use super::cassette::{self, Drift};
use super::fault::TestFault;
use super::judging::{self, JudgedRun};
use super::plan::{self, Speaker, Test, TestRun, Unfinished};
use super::replies::{RealModel, RecordMode, RunModels};
use super::stage::{OwnSources, Stage};
use super::watcher::Watcher;
use crate::clock::Clock;
use crate::host::{self, End, Leave, Opening, Parts};
use crate::model::payload::Opened;
use crate::model::{Event, Kind, Ms, Outcome, Participant, VoiceSpec};
use crate::session::{FORMAT, Item, Tail};
use crate::tool::Tools;
use crate::voice::Voices;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime;
use tokio::sync::watch;

/// Source of the seats' own voices in a test; the caller knows providers and scripts.
pub trait Real: Send + Sync {
    /// Returns the voices of a test's conversation.
    ///
    /// # Errors
    /// The reason why they may not be used, with the fix.
    fn voices(&self, test: &Test) -> Result<Arc<dyn Voices>, TestFault>;

    /// Returns the runner of tool scripts, which also reads the files of the test's folder.
    ///
    /// # Errors
    /// The reason why they may not run, with the fix.
    fn tools(&self, test: &Test) -> Result<Arc<dyn Tools>, TestFault>;

    /// Returns a model by name, or the default one if the name is empty; it makes no call and needs no key yet.
    ///
    /// # Errors
    /// The reason why it is unknown, with the fix.
    fn model(&self, name: &str) -> Result<RealModel, TestFault>;

    /// Returns the HTTP service or the agent of a participant, with a conversation of its own; it makes no call yet.
    ///
    /// # Errors
    /// The reason why it may not be asked, with the fix.
    fn service(&self, test: &Test, seat: &Participant) -> Result<RealModel, TestFault>;
}

#[derive(Clone, Copy, Default)]
pub struct TestRunOptions<'a> {
    /// True if recordings that differ are rewritten.
    pub bless: bool,
    /// Mode of model calls.
    pub asking: RecordMode,
    /// Source of the seats' own voices.
    pub real: Option<&'a dyn Real>,
}

/// Runs a test once; `stop` becomes true to cancel all tests.
pub fn once(
    test: &Arc<Test>,
    run: u32,
    options: TestRunOptions<'_>,
    stop: watch::Receiver<bool>,
) -> Result<TestRun, Unfinished> {
    let real = options.real;
    let failed = |e: std::io::Error| Unfinished::Error(format!("system error: {e}").into());
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let own = test.loaded.participants.iter().any(|p| speaks_itself(test, p));
    let voices = match (own, real) {
        (true, Some(real)) => Some(real.voices(test).map_err(Unfinished::Error)?),
        (true, None) | (false, _) => None,
    };
    let tools = match (test.files.is_some() || test.runs_scripts(), real) {
        (true, Some(real)) => Some(real.tools(test).map_err(Unfinished::Error)?),
        (true, None) | (false, _) => None,
    };
    let model = |name: String| {
        let model =
            real.map_or_else(|| Err("no model can be asked here".into()), |r| r.model(&name));
        (name, model)
    };
    let service = |seat: &Participant| {
        let nobody = || Err("no service can be asked here".into());
        let service = real.map_or_else(nobody, |real| real.service(test, seat));
        (plan::service_name(seat).unwrap_or_default(), service)
    };
    let services = test.services().map(service);
    let models = test.models().into_iter().map(model).chain(services).collect();
    let models = RunModels::new(
        test.replies.clone(),
        options.asking,
        test.folder.clone(),
        test.command(),
        models,
    );
    let own = OwnSources { voices, tools };
    runtime.block_on(play(test, run, own, Arc::new(models), stop, options.bless))
}

/// Runs a test once without any seat's own voice, and returns all events.
pub fn events_of(test: &Arc<Test>) -> Result<Vec<Event>, TestFault> {
    let (_going, stop) = watch::channel(false);
    match once(test, 0, TestRunOptions::default(), stop) {
        Ok(ran) => Ok(ran.events),
        Err(Unfinished::Error(why)) => Err(why),
        Err(Unfinished::Cancelled) => Err("the test was stopped".into()),
    }
}

fn speaks_itself(test: &Test, seat: &Participant) -> bool {
    !test.voices.contains_key(&seat.id)
        && matches!(seat.voice, VoiceSpec::Script(_) | VoiceSpec::Agent(_) | VoiceSpec::Model(_))
}

async fn play(
    test: &Arc<Test>,
    run: u32,
    own: OwnSources,
    models: Arc<RunModels>,
    mut stop: watch::Receiver<bool>,
    bless: bool,
) -> Result<TestRun, Unfinished> {
    let error = Unfinished::Error;
    let stage = Stage::new(test.clone(), run, own, models.clone());
    let clock = Clock::virtual_from(Ms(0));
    let tools = Arc::new(stage.clone());
    let session = host::unsaved().map_err(|e| error(format!("system error: {e}").into()))?;
    let start = Opening::Open(Box::new(opened(test, run, &models).map_err(error)?));
    let (lines, saved) = (test.steer.clone(), false);
    let parts = Parts::new(session, start, Arc::new(stage.clone()), tools, clock);
    let mut conversation = host::assemble(Parts { lines, saved, ..parts });
    let watcher = Watcher::new(test.clone(), run, models.clone());
    let checkpoints = watcher.judged.clone();
    let halt = watcher.halt.clone();
    let mut halted = watcher.halt.subscribe();
    conversation.witness = Some(Box::new(watcher));
    let host::RunningConversation { mut tail, commands, run: mut running } = conversation.start();
    drop(commands);
    tokio::select! { biased;
        Ok(_) = stop.wait_for(|stop| *stop) => return Err(Unfinished::Cancelled),
        () = tokio::time::sleep(test.timeout) => {
            let seconds = test.timeout.as_secs_f64();
            let why = format!("it ran longer than {seconds} s; raise its timeout, or bound the conversation");
            return Err(error(why.into()));
        }
        Ok(_) = halted.wait_for(Option::is_some) => running.leave(Leave::Now),
        _ = running.stopped() => {}
    }
    let End { mut state, stop: stopped } = running.stopped().await.clone();
    stopped.map_err(|why| error(why.into()))?;
    let mut events = read_all(&mut tail);
    let mut breach = None;
    if let Some(halt) = halt.send_replace(None) {
        events.retain(|event| event.seq <= halt.seq);
        state = halt.state;
        breach = halt.breach;
    }
    if let Some(fault) = stage.faults().first() {
        return Err(error(fault.clone().into()));
    }
    if let Some(why) = events.iter().find_map(|event| unanswered(event, &stage)) {
        return Err(error(why.into()));
    }
    let earlier = std::mem::take(&mut *checkpoints.lock());
    let all = JudgedRun { state: &state, events: &events, run, models: &models };
    let judged = tokio::select! { biased;
        Ok(_) = stop.wait_for(|stop| *stop) => return Err(Unfinished::Cancelled),
        judged = tokio::time::timeout(test.timeout, judging::judged(test, all, &earlier)) => {
            judged.unwrap_or_else(|_| Err("the judges did not answer in time; raise the timeout".into()))
        }
    };
    let judged = judged.map_err(error)?;
    let asked = stage.asked();
    let drifts = stage.drifts();
    if bless && !drifts.is_empty() {
        bless_recordings(&drifts, &events).await.map_err(error)?;
    }
    Ok(TestRun {
        events,
        state,
        asked,
        drifts,
        breach,
        judged,
        attack: stage.progress(),
        charged: models.charged(),
    })
}

/// Returns the reason if a turn failed because a live model failed: this is an error, not a failure of the test.
fn unanswered(event: &Event, stage: &Stage) -> Option<String> {
    let Kind::TurnEnded(ended) = &event.kind else { return None };
    if ended.outcome != Outcome::Failed {
        return None;
    }
    let why = stage.failure(ended.turn)?;
    Some(format!("a call failed: {why}"))
}

/// Replaces the recordings whose prompts have changed with this run.
async fn bless_recordings(drifts: &[Drift], events: &[Event]) -> Result<(), TestFault> {
    let paths: BTreeSet<&Path> = drifts.iter().map(|d| d.path.as_path()).collect();
    for path in paths {
        let written = cassette::write(path, events).await;
        written.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(())
}

/// Returns every event that was appended.
fn read_all(tail: &mut Tail) -> Vec<Event> {
    let items = std::iter::from_fn(|| tail.try_next());
    let events = items.filter_map(|item| match item {
        Item::Event(record) => Some(Event::clone(&record.event)),
        // a live conversation never jumps, and its pieces are repeated in events
        Item::Piece(_) | Item::Past(_) => None,
    });
    events.collect()
}

fn opened(test: &Test, run: u32, models: &RunModels) -> Result<Opened, TestFault> {
    let loaded = &test.loaded;
    let scenario = serde_json::to_value(&loaded.scenario)
        .map_err(|e| format!("cannot write the scenario: {e}"))?;
    Ok(Opened {
        format: FORMAT,
        program: concat!("colloquium ", env!("CARGO_PKG_VERSION")).into(),
        seed: test.seed.wrapping_add(u64::from(run)),
        rehearsed: loaded.participants.iter().all(|p| test.voices.contains_key(&p.id)),
        scenario,
        participants: loaded.participants.iter().map(|seat| seated(test, seat, models)).collect(),
        parallel: loaded.parallel,
        rules: 1,
        item: None,
        ..Opened::default()
    })
}

/// Returns a seat with the price and the other known properties of its model.
fn seated(test: &Test, seat: &Participant, models: &RunModels) -> Participant {
    let mut seat = seat.clone();
    let (VoiceSpec::Model(spec), Some(Speaker::Model { has_window, plays, .. })) =
        (&mut seat.voice, test.voices.get(&seat.id))
    else {
        return seat;
    };
    let model = models.find(&spec.name);
    if spec.name.is_empty()
        && let Some(model) = model
    {
        spec.name = model.name.as_str().into();
    }
    if !has_window {
        seat.window = model.and_then(|model| model.window);
    }
    // the cost of a simulated person does not count for the conversation
    if seat.price.is_none()
        && plays.is_none()
        && let Some(model) = model
    {
        seat.price = model.price;
        seat.local = model.local;
    }
    seat
}
