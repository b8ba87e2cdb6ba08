//! Loader of test files: returns the tests of a file, or all of its faults with line, key and caret, as for scenarios.
//!
//! Every case is resolved before anything runs, so that a wrong name in the last expectation of the last case is a
//! fault of the file and not of a run.

mod cases;
mod expects;
mod given;
mod tools;
mod voices;

use super::fault::TestFault;
use super::find::ENDING;
use super::keys::{RawTest, TEST, VOICE_NAMES};
use super::places;
use super::plan::{ExpectKind, Speaker, Test, TestFile};
use super::replies::ReplyFile;
use super::tools::PlayedTool;
use crate::model::near::nearest;
use crate::model::{Key, SeatId, SteerLine};
use crate::scenario::{
    self, At, Faults, Gravity, Loaded, Node, Override, PolicyRow, ResultRule, Source, Teams, Walk,
    quote,
};
use crate::steer;
use cases::Case;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Default limit of one run in real time.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Default limit of one run in real time if the test asks a model.
const MODEL_TIMEOUT: Duration = Duration::from_secs(600);
/// Suffix of the file with recorded replies, beside the test file.
const REPLIES: &str = ".replies.jsonl";

/// The reason why a test file cannot be run: its own faults, or those of its scenario.
#[derive(Debug)]
pub struct Invalid(pub Vec<Faults>);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reports: Vec<String> = self.0.iter().map(Faults::to_string).collect();
        f.write_str(&reports.join("\n\n"))
    }
}

/// Scenario of a test, with its origin.
struct Told<'a> {
    /// Text of the scenario if it is a separate file.
    source: Option<Source>,
    /// Path of the scenario if it is a file on disk.
    path: Option<PathBuf>,
    /// Table of the scenario if it is part of the test file.
    table: Option<&'a Node>,
    trusted: bool,
}

/// Loads a test file in a folder; `rows` are the policies of this program.
///
/// # Errors
/// All faults of the file, in the order of the text.
pub fn load(source: &Source, folder: &Path, rows: &[PolicyRow]) -> Result<TestFile, Invalid> {
    let mut walk = Walk::new(&source.text, rows).with_names(VOICE_NAMES);
    let Some(root) = walk.parse() else { return Err(invalid(walk, source)) };
    let root = At::root(&root);
    walk.table(&root, TEST);
    if !walk.faults.iter().all(|f| f.gravity != Gravity::Error) {
        return Err(invalid(walk, source));
    }
    let told = find_scenario(&mut walk, &root, folder);
    let voices = voices::voices(&mut walk, &root, folder);
    let cases = cases::all(&mut walk, &root);
    let scenario_bytes =
        told.as_ref().and_then(|told| told.source.as_ref()).map_or(0, |s| s.text.len());
    if cases::too_much(&mut walk, &root, scenario_bytes, cases.len()) {
        return Err(invalid(walk, source));
    }
    let replies = Arc::new(replies(source, folder));
    let mut tests = vec![];
    let mut shared: Option<Played> = None;
    let joins = joins(&root, &cases);
    for case in cases {
        let Some(told) = &told else { break };
        let before = walk.faults.len();
        let home =
            told.path.as_deref().and_then(Path::parent).filter(|f| !f.as_os_str().is_empty());
        let home = home.unwrap_or(folder);
        let played = match (&shared, cases::differ(&root)) {
            (Some(played), false) => played.clone(),
            _ => match scenario(&mut walk, &root, told, &case, rows)? {
                Some(loaded) => played(&mut walk, &root, loaded, &voices, &joins, home),
                None => break,
            },
        };
        shared.get_or_insert_with(|| played.clone());
        let place = Place { source, folder, home, trusted: told.trusted, replies: &replies };
        let mut test = test(&mut walk, &root, played, case, &place);
        test.inputs = test.named_files();
        test.inputs.extend(told.path.clone());
        tests.push(Arc::new(test));
        // a fault that every case has is reported once
        if walk.faults.iter().skip(before).any(|f| f.gravity == Gravity::Error) {
            break;
        }
    }
    let errors = walk.faults.iter().any(|f| f.gravity == Gravity::Error);
    if errors {
        return Err(invalid(walk, source));
    }
    Ok(TestFile { tests, warnings: Faults::new(walk.faults, &source.name, &source.text) })
}

/// Returns the file of recorded model replies.
fn replies(source: &Source, folder: &Path) -> ReplyFile {
    let name = Path::new(&source.name).file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{}{REPLIES}", name.strip_suffix(ENDING).unwrap_or(&name));
    ReplyFile::new(places::file(folder, &name).map_err(|why| format!("{name} {why}").into()))
}

fn invalid(walk: Walk<'_>, source: &Source) -> Invalid {
    Invalid(vec![Faults::new(walk.faults, &source.name, &source.text)])
}

/// Finds the scenario of a test.
fn find_scenario<'a>(walk: &mut Walk<'_>, root: &At<'a>, folder: &Path) -> Option<Told<'a>> {
    let at = root.get("scenario")?;
    let Some(name) = at.node.text() else {
        return Some(Told { source: None, path: None, table: Some(at.node), trusted: false });
    };
    if let Some(text) = scenario::bundled(name) {
        let source = Source { name: name.to_owned(), text: text.to_owned(), settings: vec![] };
        return Some(Told { source: Some(source), path: None, table: None, trusted: true });
    }
    let read = places::file(folder, name).and_then(|path| {
        let source = scenario::read(&path).map_err(|e| with_cause(&e))?;
        Ok((source, path))
    });
    match read {
        Ok((source, path)) => {
            Some(Told { source: Some(source), path: Some(path), table: None, trusted: false })
        }
        Err(why) => {
            let names: Vec<&str> =
                scenario::bundled_names().chain(scenario::protocol_names()).collect();
            let fix = match nearest(name, names.iter().copied()) {
                Some(near) => format!("the nearest bundled scenario is `{near}`"),
                None => "name a file beside this one, or a bundled scenario".into(),
            };
            walk.fault(&at, format!("{}: {why}", quote(name)), fix);
            None
        }
    }
}

/// Returns the text of an error with its cause.
fn with_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// Loads the scenario with the changes of one case; `None` if the test has a fault in them.
fn scenario(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    told: &Told<'_>,
    case: &Case,
    rows: &[PolicyRow],
) -> Result<Option<Loaded>, Invalid> {
    let mut settings = vec![];
    for (key, at) in root.get("set").iter().flat_map(At::entries) {
        let filled = case.fill_value(&at.node.to_json()).and_then(|value| {
            let value = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Ok(Override::parse(&format!("{key}={value}")).map_err(String::from)?)
        });
        match filled {
            Ok(setting) => settings.push(setting),
            Err(why) => walk.fault(&at, why, r#"as in set = { "limits.utterances" = 4 }"#),
        }
    }
    let loaded = match (&told.source, told.table) {
        (Some(source), _) => {
            let source = Source { settings, ..source.clone() };
            scenario::load(&source, rows).map_err(|faults| Invalid(vec![faults]))?
        }
        (None, Some(table)) => {
            let mut table = table.clone();
            for setting in &settings {
                if let Err(why) = setting.apply(&mut table) {
                    walk.fault(&root.place("set"), why, "set a key of the scenario schema");
                }
            }
            scenario::resolve(walk, &At::root(&table), &Teams::new())
        }
        (None, None) => return Ok(None),
    };
    let mut loaded = loaded;
    // tests check turns
    loaded.scenario.result = ResultRule::None;
    if let Some(topic) = root.get("topic")
        && let Some(text) = topic.node.text()
    {
        match case.fill(text) {
            Ok(topic) => loaded.scenario.topic = Some(topic.into()),
            Err(why) => walk.fault(&topic, why, "as in {{ case.n }}"),
        }
    }
    Ok(Some(loaded))
}

/// A conversation with the tools and voices of the test; shared by all cases that do not change it.
#[derive(Clone)]
struct Played {
    loaded: Arc<Loaded>,
    tools: Arc<BTreeMap<String, PlayedTool>>,
    voices: Arc<BTreeMap<SeatId, Speaker>>,
}

/// Equips a conversation with the tools and voices of the test; `home` is the scenario's folder.
fn played(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    mut loaded: Loaded,
    voices: &voices::VoiceTable,
    joins: &[String],
    home: &Path,
) -> Played {
    let tools = tools::tools(walk, root, &mut loaded);
    let voices = voices::cast(&mut loaded, voices, joins, home).unwrap_or_else(|faults| {
        for why in faults {
            walk.fault(&root.place("voice"), why, "every participant in a test needs a voice");
        }
        Default::default()
    });
    Played { loaded: loaded.into(), tools: tools.into(), voices: voices.into() }
}

/// Location of a test, with the data that its runs share.
struct Place<'a> {
    source: &'a Source,
    folder: &'a Path,
    /// Folder of the scenario, in which its scripts run.
    home: &'a Path,
    trusted: bool,
    replies: &'a Arc<ReplyFile>,
}

fn test(walk: &mut Walk<'_>, root: &At<'_>, played: Played, case: Case, place: &Place<'_>) -> Test {
    let raw: RawTest = root.node.read();
    let Played { loaded, tools, voices } = played;
    let given = given::given(walk, root, &loaded, &case);
    let mut steer = given.steer;
    let (commands, steer_lines) = commands(walk, root, &case);
    steer.extend(commands);
    if root.get("expect").is_none() {
        let fix = r#"add [[expect]] with that = "ended.reason == 'utterance_limit'""#;
        walk.fault(&root.place("expect"), "is missing: the test could not fail", fix);
    }
    let title = raw.title.unwrap_or_else(|| loaded.scenario.title.to_string());
    let timeout = root.node.get("timeout").and_then(voices::ms);
    let expects =
        expects::expects(walk, root, &case, place.folder, loaded.scenario.limits.utterances);
    let asks = voices.values().any(|voice| matches!(voice, Speaker::Model { .. }))
        || expects.iter().any(|expect| matches!(expect.what, ExpectKind::Judge(_)));
    Test {
        file: place.source.name.clone(),
        title: case.fill(&title).unwrap_or(title),
        loaded,
        trusted: place.trusted,
        folder: place.home.to_owned(),
        seed: raw.seed,
        voices,
        steer,
        steer_lines,
        tools,
        files: tools::files(walk, root, place.folder),
        given: given.turns,
        expects,
        runs: raw.runs.unwrap_or(1),
        pass: raw.pass.unwrap_or(1.0),
        inputs: vec![],
        replies: place.replies.clone(),
        timeout: timeout.map_or(if asks { MODEL_TIMEOUT } else { TIMEOUT }, Duration::from_millis),
        case: case.name,
        variables: case.variables,
    }
}

/// Returns the ids of the seats that commands of any case add.
fn joins(root: &At<'_>, cases: &[Case]) -> Vec<String> {
    let ids = root.list("steer").filter_map(|at| at.get("participant")?.word("id"));
    let filled = |id| cases.iter().filter_map(move |case: &Case| case.fill(id).ok());
    let all: BTreeSet<String> = ids.flat_map(filled).collect();
    all.into_iter().collect()
}

/// Returns the commands of a test, and their lines in its file.
fn commands(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    case: &Case,
) -> (Vec<(Key, SteerLine)>, BTreeMap<Key, usize>) {
    let mut lines = vec![];
    let mut places = BTreeMap::new();
    for (i, at) in root.list("steer").enumerate() {
        let read = case.fill_value(&at.node.to_json()).and_then(|value| match value {
            Value::Object(map) => line(map),
            _ => Err("a command is a table, as in { do = \"pause\" }".into()),
        });
        match read {
            Ok(line) => {
                let key = Key::from(format!("steer:{}", i + 1));
                places.insert(key.clone(), walk.line(at.span));
                lines.push((key, line));
            }
            Err(why) => walk.fault(&at, why, "`colloquium schema steer` lists the commands"),
        }
    }
    (lines, places)
}

fn line(map: Map<String, Value>) -> Result<SteerLine, TestFault> {
    let line = SteerLine::from_map(map).map_err(|e| e.0)?;
    steer::compiles(&line).map_err(String::from)?;
    Ok(line)
}
