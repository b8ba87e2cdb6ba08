//! Loads a scenario: resolves its text into the form of the log, or reports all its faults.

use super::answer::{ITEM, answer, filled, item, without_nulls};
use super::bundled::bundled;
use super::card::seat_cards;
use super::check::Walk;
use super::contest::{chairs, poll, stops, verdict, without_lines};
use super::fault::{Faults, Gravity, NamedModel};
use super::keys::{PARALLEL, RawCast, RawScenario, TOP, VARIED};
use super::policy::{in_play, policy};
use super::profile::{keeper, profile, ranking, stages};
use super::resolve::{cast, limits, lore, phases};
use super::seat::{Others, Team, Teams, members, seats};
use super::set::Override;
use super::shows::{poles, words};
use super::tools::DeclaredTools;
use super::tree::At;
use super::{
    Advice, PolicyRow, ProfileSpec, ResultRule, Scenario, context, idle, plan, prompt, runs,
    spelling,
};
use crate::model::{Guards, Participant, SEATS_MAX, SeatId, TEAM_DEPTH, TeamSpec, Text, VoiceSpec};
use crate::untrusted;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::{io, path::Path};

/// A scenario's text, its name, and overrides.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path or name for reports.
    pub name: String,
    /// The text, TOML.
    pub text: String,
    /// Values of `--set`, applied before the check.
    pub settings: Vec<Override>,
}

/// A scenario file that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It does not exist, is not a regular file, or may not be read.
    #[error("cannot read the scenario {path}")]
    File {
        /// The path as given.
        path: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// It is larger than 1 MiB.
    #[error("the scenario {0} is larger than {max} bytes", max = untrusted::FILE_MAX_BYTES)]
    TooLarge(String),
    /// The file is not in Unicode.
    #[error("the scenario {path}, {why}")]
    NotText {
        /// The path as given.
        path: String,
        /// The first line that is not in Unicode.
        why: String,
    },
}

/// Reads the file of a scenario without parsing it.
///
/// # Errors
/// If it cannot be read, is not text, or is larger than 1 MiB.
pub fn read(path: &Path) -> Result<Source, ReadError> {
    let name = path.display().to_string();
    match untrusted::read_text(path) {
        Ok(text) => Ok(Source { name, text, settings: vec![] }),
        Err(source) => Err(match source.kind() {
            io::ErrorKind::FileTooLarge => ReadError::TooLarge(name),
            io::ErrorKind::InvalidData => {
                ReadError::NotText { path: name, why: source.to_string() }
            }
            _ => ReadError::File { path: name, source },
        }),
    }
}

/// A scenario that can be played.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario, as logged.
    pub scenario: Scenario,
    /// The participants, in the order of the file.
    pub participants: Vec<Participant>,
    /// The rehearsed cast, by participant.
    pub rehearsed: BTreeMap<SeatId, VoiceSpec>,
    /// Maximum number of turns with that cast.
    pub rehearsed_utterances: Option<u32>,
    /// Roles and personas for another topic, by participant.
    pub any_topic: BTreeMap<SeatId, AnyTopic>,
    /// Maximum number of participants, and the participant that open seats copy, if there are open seats.
    pub open: Option<(usize, SeatId)>,
    /// Maximum parallel calls.
    pub parallel: u32,
    /// True if `parallel` is the default, which a local model lowers in a batch.
    pub is_parallel_default: bool,
    /// Words for models in the text.
    pub models: Vec<NamedModel>,
    /// Faults that do not prevent a run.
    pub warnings: Faults,
}

/// Role, side and persona of a participant for another topic. `None` keeps the participant's own persona, and its role
/// unless there is a side.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AnyTopic {
    pub(super) role: Option<Text>,
    pub(super) side: Option<Text>,
    pub(super) persona: Option<Text>,
}

/// Checks and resolves a scenario; `rows` are the known policies.
///
/// # Errors
/// All faults, in the order of the text.
pub fn load(source: &Source, rows: &[PolicyRow]) -> Result<Loaded, Faults> {
    load_at(source, rows, Nesting { depth: 0, free: &mut { SEATS_MAX }, item: None })
}

/// Loads a scenario for an item of a batch, whose fields take the place of `[item]`. A field that a template uses and
/// the item does not have is a fault here or, in prompts, of the call.
///
/// # Errors
/// All faults, in the order of the text.
pub fn load_item(
    source: &Source,
    rows: &[PolicyRow],
    item: &Map<String, Value>,
) -> Result<Loaded, Faults> {
    load_at(source, rows, Nesting { depth: 0, free: &mut { SEATS_MAX }, item: Some(item) })
}

impl Loaded {
    /// Returns the scenario if no template uses an unknown name.
    ///
    /// # Errors
    /// The unknown names.
    pub fn with_known_names(self) -> Result<Loaded, Faults> {
        match self.warnings.unknown_names() {
            Some(faults) => Err(faults),
            None => Ok(self),
        }
    }
}

/// Position of a scenario among teams.
struct Nesting<'a> {
    /// Teams around it.
    depth: usize,
    /// Seats that are left for it and for all that follow.
    free: &'a mut usize,
    /// Fields in the place of `[item]`.
    item: Option<&'a Map<String, Value>>,
}

/// Loads a scenario that may be that of a team.
fn load_at(source: &Source, rows: &[PolicyRow], nesting: Nesting<'_>) -> Result<Loaded, Faults> {
    let mut walk = Walk::new(&source.text, rows);
    let faults = |faults| Faults::new(faults, &source.name, &source.text);
    let Some(mut root) = walk.parse() else { return Err(faults(walk.faults)) };
    spelling::make_usual(&mut root);
    if nesting.item.is_some() {
        // the examples of the scenario are not data; values of `--set` are
        walk.is_item = Override::from_path(&[ITEM], &Map::new().into()).apply(&mut root).is_ok();
    }
    for setting in &source.settings {
        if let Err(why) = setting.apply(&mut root) {
            let fix = "set a key of the scenario schema";
            walk.report(Gravity::Error, &None, &setting.key(), why.into(), fix);
        }
    }
    for (key, value) in nesting.item.map(without_nulls).unwrap_or_default() {
        // `item` is a table now, so this cannot fail
        let _ = Override::from_path(&[ITEM, &key], &value).apply(&mut root);
    }
    let folder = Path::new(&source.name).parent().unwrap_or(Path::new(""));
    seat_cards(&mut walk, &mut root, folder);
    let root = At::root(&root);
    // checked first, because later checks compare all seats with each other
    let seats = root.list("participant").count();
    if let Some(first) = root.list("participant").nth(*nesting.free) {
        let count = seats + SEATS_MAX - *nesting.free;
        let message = format!(
            "{count} seats, but at most {SEATS_MAX} are possible, including those of teams"
        );
        let first = At { path: "participant".into(), ..first };
        walk.fault(&first, message, "remove participants, or use smaller teams");
        return Err(faults(walk.faults));
    }
    *nesting.free -= seats;
    walk.policies = in_play(&root);
    walk.table(&root, TOP);
    let teams = teams(&mut walk, &root, source, nesting);
    let loaded = resolve(&mut walk, &root, &teams);
    let (warnings, errors): (Vec<_>, Vec<_>) =
        walk.faults.into_iter().partition(|f| f.gravity != Gravity::Error);
    if !errors.is_empty() {
        return Err(faults(errors));
    }
    Ok(Loaded { warnings: faults(warnings), ..loaded })
}

/// Loads the scenarios of the seats that are teams.
fn teams(walk: &mut Walk<'_>, root: &At<'_>, source: &Source, nesting: Nesting<'_>) -> Teams {
    let mut teams = Teams::new();
    for at in root.list("participant") {
        let (Some(id), Some(file)) = (at.word("id"), at.word("team")) else { continue };
        let inner = Nesting { depth: nesting.depth, free: nesting.free, item: None };
        match team(source, file, walk.rows, inner) {
            Ok(team) => drop(teams.insert(id.into(), team)),
            Err((why, fix)) => walk.fault(&at.place("team"), why, fix),
        }
    }
    teams
}

/// Loads the scenario of a team: a bundled one, or a file next to the scenario that names it.
fn team(
    source: &Source,
    file: &str,
    rows: &[PolicyRow],
    nesting: Nesting<'_>,
) -> Result<Team, (String, String)> {
    if nesting.depth >= TEAM_DEPTH {
        let why = format!("teams are nested more than {TEAM_DEPTH} deep");
        return Err((why, "give the participant another voice".into()));
    }
    let found = match bundled(file) {
        Some(text) => Source { name: file.into(), text: text.into(), settings: vec![] },
        None => {
            let folder = Path::new(&source.name).parent().unwrap_or(Path::new(""));
            read(&folder.join(file)).map_err(|e| {
                let fix = "name a bundled scenario, or a file beside this one, as in team = \"./jury.toml\"";
                (e.to_string(), fix.to_owned())
            })?
        }
    };
    let whole = load_at(&found, rows, Nesting { depth: nesting.depth + 1, ..nesting }).map_err(
        |faults| {
            let first = faults.list.first().map_or(String::new(), |fault| fault.to_string());
            let fix = format!("fix {}; `colloquium check` lists its errors", found.name);
            (format!("{} cannot be seated: {first}", found.name), fix)
        },
    )?;
    let spec = |mut loaded: Loaded| {
        loaded.unattended(false);
        // the outer conversation reads the answer, not a result
        loaded.scenario.result = ResultRule::None;
        let waits = loaded.waits(rows);
        let scenario = serde_json::to_value(&loaded.scenario).unwrap_or_default();
        let participants = loaded.participants;
        let parallel = loaded.parallel;
        (TeamSpec { file: file.into(), scenario, participants, parallel }, waits)
    };
    let (team, waits) = spec(whole.clone());
    if let Some(wait) = waits.first() {
        let why = format!("{} would wait for a person: {wait}", found.name);
        return Err((why, "give that participant a stand_in".into()));
    }
    let mut played = whole;
    played.rehearse();
    let (played, _) = spec(played);
    let rehearsed = played.participants.iter().all(|p| p.voice.is_rehearsed()).then_some(played);
    Ok(Team { spec: team, rehearsed })
}

/// Resolves a tree with checked keys and values; reports invalid combinations.
pub fn resolve(walk: &mut Walk<'_>, root: &At<'_>, teams: &Teams) -> Loaded {
    let raw: RawScenario = root.node.read();
    let item = item(walk, root);
    let members = members(walk, root);
    let others = Others { members: &members, item: &item, teams };
    let tools = DeclaredTools::new(walk, root);
    let participants = seats(walk, root, &tools, others);
    chairs(walk, root, &members);
    without_lines(walk, root, &participants);
    runs::check(walk, root, &participants);
    plan::check(walk, root, &participants);
    context::check(walk, root, &participants);
    keeper(walk, root, &participants);
    prompt::check(walk, root, &raw);
    let policy = policy(root.node);
    let traits = walk.traits(&policy.name);
    let mut text = |key: &str| filled(walk, &root.get(key)?, &item);
    let mut scenario = Scenario {
        title: text("title").unwrap_or_default(),
        topic: text("topic"),
        layout: raw.layout,
        debate: prompt::debate(&raw),
        bare: prompt::is_bare(&raw),
        guards: guards(root, &raw),
        prompt: raw.prompt,
        words: words(walk, root),
        stance: poles(walk, root),
        varied: root.word("words") == Some(VARIED),
        lore: lore(walk, root, &members),
        limits: limits(raw.limits, traits.length),
        policy,
        phases: phases(walk, root, others),
        stops: stops(walk, root, &members),
        verdict: verdict(walk, root, &members),
        poll: poll(walk, root, &members),
        result: ResultRule::None,
        answer: answer(walk, root, &members),
        profile: profile(walk, root),
        stages: stages(walk, root),
        ranking: ranking(walk, root),
        strict: walk.is_item,
        item,
    };
    swap_topics(walk, root, &mut scenario);
    idle::check(walk, root, &scenario, traits, &participants);
    let many = participants.iter().filter(|p| p.speaks).count() > 1;
    let ends_open = scenario.answer.is_none()
        && scenario.profile == ProfileSpec::default()
        && Advice::is_debate(&scenario, traits, &participants);
    let open = if ends_open && many { ResultRule::Scribe } else { ResultRule::None };
    scenario.result = raw.result.unwrap_or(open);
    let any_topic = |at: At<'_>| Some((at.word("id")?.into(), at.node.get("any_topic")?.read()));
    Loaded {
        scenario,
        rehearsed: cast(walk, root, &participants, teams),
        rehearsed_utterances: root
            .get("rehearsed")
            .and_then(|at| at.node.read::<RawCast>().utterances),
        participants,
        any_topic: root.list("participant").filter_map(any_topic).collect(),
        open: open_seats(walk, root),
        parallel: raw.parallel.unwrap_or(PARALLEL),
        is_parallel_default: raw.parallel.is_none(),
        models: named_models(walk, root),
        warnings: Faults::new(vec![], "", ""),
    }
}

/// Returns the words for models of all participants.
fn named_models(walk: &Walk<'_>, root: &At<'_>) -> Vec<NamedModel> {
    let of_seat = |seat: At<'_>| {
        let others = seat.get("fallbacks");
        let others: Vec<At<'_>> = others.iter().flat_map(|all| all.each()).collect();
        seat.get("model").into_iter().chain(others).filter_map(|at| walk.named_model(&at)).collect()
    };
    root.list("participant").flat_map::<Vec<NamedModel>, _>(of_seat).collect()
}

/// Reads the open seats.
fn open_seats(walk: &mut Walk<'_>, root: &At<'_>) -> Option<(usize, SeatId)> {
    let table = root.get("seats")?;
    let most = table.node.get("open")?.whole()?;
    let like = table.get("like")?;
    let id = like.node.text()?;
    if !root.list("participant").any(|seat| seat.word("id") == Some(id)) {
        walk.fault(&like, format!("no participant `{id}`"), "name a participant of this scenario");
        return None;
    }
    Some((usize::try_from(most).ok()?, id.into()))
}

/// Returns whether replies are corrected. Experiments are not, unless the scenario says so: a correction would act on
/// some protocols only.
fn guards(root: &At<'_>, raw: &RawScenario) -> Guards {
    let experiment = root.get("answer").is_some() || prompt::is_bare(raw);
    raw.guards.unwrap_or(if experiment { Guards::Off } else { Guards::On })
}

/// Sets the topic of second judgements, with the fields of the sides exchanged.
fn swap_topics(walk: &mut Walk<'_>, root: &At<'_>, scenario: &mut Scenario) {
    let judges = scenario.phases.iter_mut().filter_map(|phase| phase.judge.as_mut());
    for spec in scenario.verdict.iter_mut().chain(judges).filter(|spec| !spec.swaps.is_empty()) {
        let item = spec.exchanged(&scenario.item);
        let topic = root.get("topic").and_then(|at| filled(walk, &at, &item));
        spec.swapped_topic = topic.filter(|topic| scenario.topic.as_ref() != Some(topic));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_seats(count: usize, more: &str) -> String {
        let seats =
            (0..count).map(|n| format!("[[participant]]\nid = \"s{n}\"\nlines = [\"x\"]\n"));
        format!("title = \"T\"\n{}{more}", seats.collect::<String>())
    }

    fn load_file(folder: &Path, name: &str) -> Result<Loaded, String> {
        load(&read(&folder.join(name)).unwrap(), &[]).map_err(|faults| faults.to_string())
    }

    #[test]
    fn refuses_more_than_two_hundred_seats_including_teams() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        let team =
            |id: &str, file: &str| format!("[[participant]]\nid = {id:?}\nteam = {file:?}\n");
        write("many.toml", with_seats(200, ""));
        write("inner.toml", with_seats(60, ""));
        write("outer.toml", with_seats(60, &team("in", "inner.toml")));
        assert!(load_file(folder.path(), "many.toml").is_ok());
        let why = "at most 200 are possible, including those of teams";
        write("most.toml", with_seats(78, &team("a", "outer.toml")));
        assert_eq!(load_file(folder.path(), "most.toml").unwrap().participants.len(), 79);
        write("most.toml", with_seats(79, &team("a", "outer.toml")));
        let fault = load_file(folder.path(), "most.toml").err().unwrap();
        assert!(fault.contains("participant[80].team") && fault.contains("inner.toml"), "{fault}");
        assert!(fault.contains(&format!("201 seats, but {why}")), "{fault}");
        // comparing all of these with one another would take minutes
        write("flood.toml", with_seats(20_000, ""));
        let fault = load_file(folder.path(), "flood.toml").err().unwrap();
        assert!(fault.contains(&format!("participant: 20000 seats, but {why}")), "{fault}");
        assert!(fault.contains("flood.toml:602:"), "{fault}");
    }

    #[test]
    fn reports_the_first_faults_of_very_many() {
        let text = format!(
            "title = \"T\"\n{}",
            (0..50_000).map(|n| format!("k{n} = 1\n")).collect::<String>()
        );
        let source = Source { name: "x.toml".into(), text, settings: vec![] };
        assert_eq!(load(&source, &[]).unwrap_err().list.len(), 200);
    }
}
