//! Resolution of `[[voice]]`: the lines of each seat, and the cast for seats without a voice in the test.

use super::tools;
use crate::model::steering::duration_ms;
use crate::model::{
    Form, HttpSpec, Line, ModelSpec, Participant, Price, SeatId, Text, Usage, VoiceSpec,
};
use crate::scenario::{self, At, Loaded, Node, Or, Rule, Stop, Walk};
use crate::testing::answers::{Act, Answer, failure};
use crate::testing::cassette::{Cassette, CassetteFault};
use crate::testing::keys::{RawAnswerLine, RawAttacker, RawPerson, RawVoice};
use crate::testing::places;
use crate::testing::plan::{Speaker, service_name};
use crate::testing::simulated::{Attack, SCORE_MAX, Simulated};
use regex::Regex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name for all seats without a voice of their own in the test.
const ALL: &str = "all";
/// Keys that define the source of a voice.
const SOURCES: [&str; 6] = ["lines", "recording", "model", "http", "script", "human"];
/// Roles that a model may play.
const PLAYED: [&str; 2] = ["person", "attacker"];
/// Default word with which a simulated person ends the conversation.
const STOP: &str = "DONE";
/// Default context window of a test's model, in tokens.
const WINDOW: u32 = 131_072;
/// Keys of a line that exclude each other.
const ACTS: [&str; 5] = ["fail", "silence", "cut", "bad_json", "pass"];

/// A `[[voice]]` of a test.
#[derive(Clone, Debug)]
pub struct VoiceOf {
    /// Voice of the seat; `None` if the seat keeps its own.
    speaker: Option<Speaker>,
    /// Session that the seat repeats.
    tape: Option<Tape>,
    /// Model of the seat; an empty name is the seat's own model.
    model: Option<Text>,
    /// HTTP service of the seat.
    service: Option<HttpSpec>,
    price: Option<Price>,
    window: Option<u32>,
}

/// A session to repeat.
#[derive(Clone, Debug)]
struct Tape {
    path: PathBuf,
    ignored: Vec<Regex>,
}

/// Voices of a file by seat, including `all`.
pub type VoiceTable = BTreeMap<String, VoiceOf>;

/// Resolves every `[[voice]]`.
pub fn voices(walk: &mut Walk<'_>, root: &At<'_>, folder: &Path) -> VoiceTable {
    let mut voices = VoiceTable::new();
    for at in root.list("voice") {
        let mut sources = at.among(&SOURCES);
        match (sources.next(), sources.next()) {
            (None, _) => walk.fault(&at, "has no voice", r#"as in lines = ["First this."]"#),
            (Some((first, _)), Some((_, second))) => {
                let message = format!("is a second voice beside `{first}`");
                walk.fault(&At { path: at.path.clone(), ..second }, message, "keep one of them");
            }
            (Some(_), None) => {}
        }
        let voice = voice(walk, &at, folder);
        let seat = at.place("seat");
        for id in seat.each().filter_map(|id| id.node.text()) {
            if voices.insert(id.to_owned(), voice.clone()).is_some() {
                walk.fault(&seat, format!("`{id}` already has a voice"), "keep one of them");
            }
        }
    }
    voices
}

fn voice(walk: &mut Walk<'_>, at: &At<'_>, folder: &Path) -> VoiceOf {
    let raw: RawVoice = at.node.read();
    let speaker = at.get("lines").map(|lines| {
        let answers = lines.items().map(|line| answer(walk, &line)).collect();
        Speaker::Lines { answers, pace: raw.pace.unwrap_or(VoiceSpec::PACE_MS) }
    });
    let price = pair(walk, at.get("price"), "as in price = [0.5, 1.5]");
    let price = price.map(|[input, output]| Price(input, output));
    let ignored = ignored(walk, at);
    // `true` is the seat's own model
    let model = raw.model.map(|model| match model {
        Or::Long(name) => name,
        Or::Short(_) => "".into(),
    });
    let service = at.get("http").map(|service| {
        scenario::check_service(walk, &service);
        scenario::service(&service)
    });
    let has_window = raw.window.is_some();
    let plays = if speaker.is_some() { None } else { plays(walk, at).map(Arc::new) };
    let asks = model.is_some() || service.is_some();
    let asked = || Speaker::Model { ignored: ignored.clone().into(), has_window, plays };
    let speaker = speaker.or_else(|| asks.then(asked));
    if let (Some((_, role)), None) = (at.among(&PLAYED).next(), &model) {
        walk.fault(&role, "needs a model that plays it", r#"add model = "ollama:llama3""#);
    }
    let tape = at.get("recording").and_then(|name| tape(walk, &name, ignored, folder));
    VoiceOf { speaker, tape, model, service, price, window: raw.window }
}

/// Returns the two numbers of a list, if it is given.
fn pair<T: serde::de::DeserializeOwned>(
    walk: &mut Walk<'_>,
    list: Option<At<'_>>,
    fix: &str,
) -> Option<[T; 2]> {
    let list = list?;
    let pair: Option<[T; 2]> = list.node.read();
    if pair.is_none() {
        walk.fault(&list, "takes two numbers", fix);
    }
    pair
}

/// Returns the role that a model plays; `None` if the model is the participant itself.
fn plays(walk: &mut Walk<'_>, at: &At<'_>) -> Option<Simulated> {
    match (at.get("person"), at.get("attacker")) {
        (Some(_), Some(second)) => {
            let second = At { path: at.path.clone(), ..second };
            walk.fault(&second, "is a second role beside `person`", "keep one of them");
            None
        }
        (Some(person), None) => {
            let RawPerson { goal, facts, manner, opening, stop } = person.node.read();
            let stop = stop.unwrap_or_else(|| STOP.into());
            Some(Simulated { goal, facts, manner, opening, stop, attack: None })
        }
        (None, attacker) => {
            let raw: RawAttacker = attacker?.node.read();
            let enough = raw.enough.unwrap_or(SCORE_MAX);
            Some(Simulated {
                goal: raw.goal,
                facts: vec![],
                manner: raw.manner,
                opening: raw.opening,
                stop: raw.stop.unwrap_or_else(|| STOP.into()),
                attack: Some(Attack { phases: raw.phases, enough }),
            })
        }
    }
}

/// Returns the patterns of prompt parts that may differ between runs.
fn ignored(walk: &mut Walk<'_>, at: &At<'_>) -> Vec<Regex> {
    let mut ignored = vec![];
    for part in at.get("ignore").iter().flat_map(At::each) {
        match part.node.text().map(Regex::new) {
            Some(Ok(part)) => ignored.push(part),
            Some(Err(e)) => {
                let fix = r#"as in ignore = ["[0-9]{2}:[0-9]{2}"]"#;
                walk.fault(&part, e.to_string(), fix);
            }
            None => {}
        }
    }
    ignored
}

/// Resolves the session of a recording.
fn tape(walk: &mut Walk<'_>, at: &At<'_>, ignored: Vec<Regex>, folder: &Path) -> Option<Tape> {
    let path = places::file(folder, at.node.text()?);
    let fault = |why| walk.fault(at, why, "name a session in the test's folder");
    path.map(|path| Tape { path, ignored }).map_err(fault).ok()
}

fn answer(walk: &mut Walk<'_>, at: &At<'_>) -> Answer {
    if let Some(text) = at.node.text() {
        return Answer { line: Line { text: text.into(), ..Line::default() }, ..Answer::default() };
    }
    let raw: RawAnswerLine = at.node.read();
    let mut acts = at.among(&ACTS);
    if let (Some((first, _)), Some((_, second))) = (acts.next(), acts.next()) {
        walk.fault(&second, format!("does not go with `{first}`"), "keep one of them");
    }
    let has = |key: &str| at.node.get(key).is_some();
    let act = match (raw.fail.as_deref().and_then(failure), raw.cut) {
        (Some(class), _) => {
            let wait = at.node.get("wait").and_then(ms);
            Act::Fail { class, code: raw.fail.unwrap_or_default(), wait }
        }
        (None, Some(words)) => Act::Cut(words),
        (None, None) if has("bad_json") => Act::BadJson,
        (None, None) if has("silence") => Act::Silence,
        (None, None) if has("pass") => Act::Pass,
        (None, None) => Act::Say,
    };
    let speaks = matches!(act, Act::Say | Act::Cut(_) | Act::BadJson);
    if speaks && raw.text.is_none() && !has("tool_calls") {
        walk.fault(at, "says nothing", r#"as in text = "No.", or fail = "429""#);
    }
    if let (Some(every), None) = (at.get("every"), &raw.when) {
        walk.fault(&every, "is for a line with `when`", "give the line a `when`");
    }
    let tokens = pair(walk, at.get("tokens"), "as in tokens = [900, 120]");
    let line = Line {
        text: raw.text.unwrap_or_default(),
        when: raw.when,
        purpose: raw.r#for,
        ..Line::default()
    };
    Answer {
        line,
        every: raw.every,
        act,
        slow: at.node.get("slow").and_then(ms).unwrap_or(0),
        usage: tokens.map(|[input, output]| Usage { input, output, ..Usage::default() }),
        tools: tools::requests(at),
    }
}

/// Assigns a voice to every seat of a conversation, and returns the speakers by seat; `folder` is the scenario's.
///
/// # Errors
/// Seats without a voice, and voices for seats that do not exist, each with the fix.
pub fn cast(
    loaded: &mut Loaded,
    voices: &VoiceTable,
    joins: &[String],
    folder: &Path,
) -> Result<BTreeMap<SeatId, Speaker>, Vec<String>> {
    let mut speakers = BTreeMap::new();
    let mut faults = vec![];
    let mut tapes = vec![];
    if voices.is_empty() {
        loaded.limit_rehearsed();
    }
    let rehearsed = std::mem::take(&mut loaded.rehearsed);
    for seat in &mut loaded.participants {
        let named = voices.get(&*seat.id).or_else(|| voices.get(ALL));
        let own = named.is_some_and(|voice| voice.speaker.is_none() && voice.tape.is_none());
        if let Some(service) = named.and_then(|voice| voice.service.clone()) {
            seat.voice = VoiceSpec::Http(Box::new(service));
        }
        let speaker = match named {
            Some(voice) => voice.speaker.clone(),
            None => rehearsed_lines(seat, rehearsed.get(&seat.id)).or_else(|| asked(seat)),
        };
        let tape = match named {
            Some(voice) => voice.tape.clone(),
            None => own_tape(seat, folder).unwrap_or_else(|why| {
                faults.push(why);
                None
            }),
        };
        if let Some(tape) = tape {
            plays_here(seat, named);
            tapes.push((seat.id.clone(), tape));
            continue;
        }
        let calls = match &speaker {
            Some(Speaker::Lines { answers, .. }) => answers.iter().any(|a| !a.tools.is_empty()),
            Some(Speaker::Recorded(_) | Speaker::Model { .. }) | None => false,
        };
        if calls && seat.tools.is_empty() {
            faults.push(format!("`{}` calls tools and has none in the scenario", seat.id));
        }
        let asks_own = named.is_some_and(|voice| voice.model.as_deref() == Some(""));
        if let (VoiceSpec::Team(_), None) = (&seat.voice, &speaker) {
            // a team in a test plays its rehearsed cast
            seat.voice = rehearsed.get(&seat.id).unwrap_or(&seat.voice).clone();
            continue;
        }
        match (&seat.voice, speaker) {
            (voice, Some(_)) if asks_own && !voice.is_model() => {
                faults.push(format!(
                    "`{}` has no model in the scenario; name one, as in model = \"ollama:llama3\"",
                    seat.id
                ));
            }
            (VoiceSpec::Script(_) | VoiceSpec::Agent(_) | VoiceSpec::Human { .. }, None) if own => {
                seat.stand_in = None;
            }
            (_, None) if own => faults.push(format!(
                "`{}` is neither a script nor a person in the scenario; give this voice lines",
                seat.id
            )),
            (_, None) => faults.push(format!(
                "`{0}` has no voice; add [[voice]] with seat = \"{0}\" and lines = [\"...\"]",
                seat.id
            )),
            (_, Some(speaker)) => {
                let is_service = service_name(seat).is_some()
                    && matches!(speaker, Speaker::Model { plays: None, .. })
                    && named.is_none_or(|voice| voice.service.is_some());
                if is_service {
                    seat.stand_in = None;
                } else {
                    plays_here(seat, named);
                }
                if let Speaker::Model { plays: Some(plays), .. } = &speaker {
                    let by = vec![seat.id.0.clone()];
                    let word = plays.stop.as_str().into();
                    let rule = Rule::Word { word, by, accepted_by: vec![] };
                    loaded.scenario.stops.push(Stop { rule, ask: false, every: false });
                    // so that the stop word is removed from the sentence
                    seat.reply.form = Form::Markers(vec![plays.stop.as_str().into()]);
                }
                speakers.insert(seat.id.clone(), speaker);
            }
        }
    }
    let seated = |id: &str| id == ALL || loaded.participants.iter().any(|p| p.id == *id);
    for (id, voice) in voices {
        if !seated(id) && !joins.contains(id) {
            faults.push(format!("the scenario has no participant `{id}`"));
        } else if let (false, Some(speaker)) = (seated(id), &voice.speaker) {
            speakers.insert(id.as_str().into(), speaker.clone());
        }
    }
    recorded(loaded, &tapes, &mut speakers, &mut faults);
    if faults.is_empty() { Ok(speakers) } else { Err(faults) }
}

/// Returns the speaker of a service or an agent, which are asked like a model; `None` for any other voice.
fn asked(seat: &Participant) -> Option<Speaker> {
    let speaker = Speaker::Model { ignored: [].into(), has_window: false, plays: None };
    service_name(seat).map(|_| speaker)
}

/// Returns the session that the scenario assigns to a seat; `folder` is the scenario's.
fn own_tape(seat: &Participant, folder: &Path) -> Result<Option<Tape>, String> {
    let Some(file) = seat.voice.as_model().and_then(ModelSpec::recording) else { return Ok(None) };
    let path = places::file(folder, file);
    let path = path.map_err(|why| format!("`{}`: the recording {file} {why}", seat.id))?;
    Ok(Some(Tape { path, ignored: vec![] }))
}

/// Reads the sessions of seats, each once, and makes them the speakers.
fn recorded(
    loaded: &Loaded,
    tapes: &[(SeatId, Tape)],
    speakers: &mut BTreeMap<SeatId, Speaker>,
    faults: &mut Vec<String>,
) {
    let mut read: BTreeMap<&Path, Arc<Cassette>> = BTreeMap::new();
    for (seat, tape) in tapes {
        let shown = tape.path.display();
        let recording = match read.get(tape.path.as_path()) {
            Some(recording) => recording.clone(),
            None => match Cassette::read(&tape.path, &loaded.participants, tape.ignored.clone()) {
                Ok(recording) => {
                    let recording = Arc::new(recording);
                    read.insert(&tape.path, recording.clone());
                    recording
                }
                Err(why) => {
                    let place = match why {
                        CassetteFault::Unreadable(_) => String::new(),
                        CassetteFault::Empty => format!("{shown}: "),
                    };
                    faults.push(format!("the recording {place}{why}"));
                    return;
                }
            },
        };
        if recording.has(seat) {
            drop(speakers.insert(seat.clone(), Speaker::Recorded(recording)))
        } else {
            faults.push(format!("`{seat}` has no turns in the recording {shown}"))
        }
    }
}

/// Returns the lines that a seat has without the test: its own, the rehearsed cast's, or its stand-in's.
fn rehearsed_lines(seat: &Participant, cast: Option<&VoiceSpec>) -> Option<Speaker> {
    let all = [Some(&seat.voice), cast, seat.stand_in.as_ref()];
    all.into_iter().flatten().find_map(|voice| {
        let (lines, pace) = voice.as_lines()?;
        let answer = |line: &Line| Answer { line: line.clone(), ..Answer::default() };
        Some(Speaker::Lines { answers: lines.iter().map(answer).collect(), pace })
    })
}

/// Gives a seat a model voice that the test plays, so that it gets prompts and counts tokens like a model's seat.
fn plays_here(seat: &mut Participant, voice: Option<&VoiceOf>) {
    let spec = seat.voice.as_model().cloned().unwrap_or_default();
    let name = match (voice.and_then(|v| v.model.as_ref()), spec.name.is_empty()) {
        (Some(model), _) if !model.is_empty() => model.clone(),
        (Some(_), _) | (None, false) => spec.name.clone(),
        (None, true) => format!("test:{}", seat.id).into(),
    };
    seat.voice = VoiceSpec::Model(ModelSpec { name, ..spec });
    seat.stand_in = None;
    seat.stands_in = false;
    seat.price = voice.and_then(|v| v.price);
    seat.local = seat.price.is_none();
    seat.window = Some(voice.and_then(|v| v.window).unwrap_or(WINDOW));
}

/// Returns the milliseconds of a checked duration.
pub(super) fn ms(node: &Node) -> Option<u64> {
    node.text().and_then(duration_ms).or_else(|| node.number().map(|s| (s * 1000.0) as u64))
}
