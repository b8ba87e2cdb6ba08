//! Resolution of `[[voice]]`: the lines of each seat, and the cast for seats without a voice in the test.

use super::tools;
use crate::model::{
    Form, HttpSpec, Line, ModelSpec, Participant, Price, Purpose, SeatId, Text, Usage, VoiceSpec,
    steering::duration_ms,
};
use crate::scenario::{self, Loaded, Node, Rule, Stop, Walk};
use crate::testing::answers::{Act, Answer, failure};
use crate::testing::cassette::{Cassette, CassetteFault};
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
pub fn voices(walk: &mut Walk<'_>, root: &Node, folder: &Path) -> VoiceTable {
    let mut voices = VoiceTable::new();
    for (i, node) in root.get("voice").map_or(&[][..], Node::items).iter().enumerate() {
        let path = format!("voice[{}]", i + 1);
        let mut sources = node.entries().iter().filter(|e| SOURCES.contains(&e.key.as_str()));
        match (sources.next(), sources.next()) {
            (None, _) => {
                walk.fault(&node.span, &path, "has no voice", r#"as in lines = ["First this."]"#);
            }
            (Some(first), Some(second)) => {
                let message = format!("is a second voice beside `{}`", first.key);
                walk.fault(&second.key_span, &path, message, "keep one of them");
            }
            (Some(_), None) => {}
        }
        let voice = voice(walk, node, &path, folder);
        let Some(seat) = node.get("seat") else { continue };
        for id in seat.text().into_iter().chain(seat.items().iter().filter_map(Node::text)) {
            if voices.insert(id.to_owned(), voice.clone()).is_some() {
                let message = format!("`{id}` already has a voice");
                walk.fault(&seat.span, &format!("{path}.seat"), message, "keep one of them");
            }
        }
    }
    voices
}

fn voice(walk: &mut Walk<'_>, node: &Node, path: &str, folder: &Path) -> VoiceOf {
    let pace = node.get("pace").and_then(Node::whole).unwrap_or(VoiceSpec::PACE_MS);
    let speaker = node.get("lines").map(|lines| {
        let answer =
            |(i, line): (usize, &Node)| answer(walk, line, &format!("{path}.lines[{}]", i + 1));
        Speaker::Lines { answers: lines.items().iter().enumerate().map(answer).collect(), pace }
    });
    let price = node.get("price").and_then(|price| {
        let numbers: Vec<f64> = price.items().iter().filter_map(Node::number).collect();
        match numbers[..] {
            [input, output] => Some(Price(input, output)),
            _ => {
                let fix = "as in price = [0.5, 1.5]";
                walk.fault(&price.span, &format!("{path}.price"), "takes two numbers", fix);
                None
            }
        }
    });
    let window = node.get("window").and_then(Node::whole).and_then(|n| u32::try_from(n).ok());
    let ignored = ignored(walk, node, path);
    let model = node.get("model").map(|name| Text::from(name.text().unwrap_or_default()));
    let service = node.get("http").map(|node| {
        scenario::check_service(walk, node, &format!("{path}.http"));
        scenario::service(node)
    });
    let speaker = speaker.or_else(|| {
        let has_window = window.is_some();
        let plays = plays(walk, node, path).map(Arc::new);
        let asks = model.is_some() || service.is_some();
        asks.then(|| Speaker::Model { ignored: ignored.clone().into(), has_window, plays })
    });
    let plays = node.entries().iter().find(|e| PLAYED.contains(&e.key.as_str()));
    if let (Some(entry), None) = (plays, &model) {
        let fix = r#"add model = "ollama:llama3""#;
        let path = format!("{path}.{}", entry.key);
        walk.fault(&entry.key_span, &path, "needs a model that plays it", fix);
    }
    let tape = node.get("recording").and_then(|name| tape(walk, name, ignored, path, folder));
    VoiceOf { speaker, tape, model, service, price, window }
}

/// Returns the role that a model plays; `None` if the model is the participant itself.
fn plays(walk: &mut Walk<'_>, node: &Node, path: &str) -> Option<Simulated> {
    let (table, is_attacker) = match (node.get("person"), node.get("attacker")) {
        (Some(_), Some(second)) => {
            walk.fault(&second.span, path, "is a second role beside `person`", "keep one of them");
            return None;
        }
        (Some(person), None) => (person, false),
        (None, attacker) => (attacker?, true),
    };
    let text = |key: &str| table.get(key).and_then(Node::text).map(str::to_owned);
    let list = |key: &str| -> Vec<String> {
        let items = table.get(key).map_or(&[][..], Node::items);
        items.iter().filter_map(Node::text).map(str::to_owned).collect()
    };
    let enough = table.get("enough").and_then(Node::whole).unwrap_or(SCORE_MAX);
    Some(Simulated {
        goal: text("goal").unwrap_or_default(),
        facts: list("facts"),
        manner: text("manner"),
        opening: text("opening"),
        stop: text("stop").unwrap_or_else(|| STOP.into()),
        attack: is_attacker.then(|| Attack { phases: list("phases"), enough }),
    })
}

/// Returns the patterns of prompt parts that may differ between runs.
fn ignored(walk: &mut Walk<'_>, node: &Node, path: &str) -> Vec<Regex> {
    let mut ignored = vec![];
    for part in node.get("ignore").into_iter().flat_map(|n| n.items().iter().chain([n])) {
        match part.text().map(Regex::new) {
            Some(Ok(part)) => ignored.push(part),
            Some(Err(e)) => {
                let fix = r#"as in ignore = ["[0-9]{2}:[0-9]{2}"]"#;
                walk.fault(&part.span, &format!("{path}.ignore"), e.to_string(), fix);
            }
            None => {}
        }
    }
    ignored
}

/// Resolves the session of a recording.
fn tape(
    walk: &mut Walk<'_>,
    name: &Node,
    ignored: Vec<Regex>,
    path: &str,
    folder: &Path,
) -> Option<Tape> {
    match places::file(folder, name.text()?) {
        Ok(path) => Some(Tape { path, ignored }),
        Err(why) => {
            let fix = "name a session in the test's folder";
            walk.fault(&name.span, &format!("{path}.recording"), why, fix);
            None
        }
    }
}

fn answer(walk: &mut Walk<'_>, node: &Node, path: &str) -> Answer {
    if let Some(text) = node.text() {
        return Answer { line: Line { text: text.into(), ..Line::default() }, ..Answer::default() };
    }
    let text = |key: &str| node.get(key).and_then(Node::text);
    let ms = |key: &str| {
        let value = node.get(key)?;
        value.text().and_then(duration_ms).or_else(|| value.number().map(|s| (s * 1000.0) as u64))
    };
    let mut acts = node.entries().iter().filter(|e| ACTS.contains(&e.key.as_str()));
    if let (Some(first), Some(second)) = (acts.next(), acts.next()) {
        let message = format!("does not go with `{}`", first.key);
        walk.fault(
            &second.key_span,
            &format!("{path}.{}", second.key),
            message,
            "keep one of them",
        );
    }
    let act = act(node, ms("wait"));
    let speaks = matches!(act, Act::Say | Act::Cut(_) | Act::BadJson);
    if let (None, None, true) = (text("text"), node.get("tool_calls"), speaks) {
        walk.fault(&node.span, path, "says nothing", r#"as in text = "No.", or fail = "429""#);
    }
    if let (Some(every), None) = (node.get("every"), text("when")) {
        let message = "is for a line with `when`";
        walk.fault(&every.span, &format!("{path}.every"), message, "give the line a `when`");
    }
    let usage = node.get("tokens").and_then(|tokens| {
        let counts: Vec<u64> = tokens.items().iter().filter_map(Node::whole).collect();
        match counts[..] {
            [input, output] => Some(Usage { input, output, ..Usage::default() }),
            _ => {
                let fix = "as in tokens = [900, 120]";
                walk.fault(&tokens.span, &format!("{path}.tokens"), "takes two numbers", fix);
                None
            }
        }
    });
    Answer {
        line: Line {
            text: text("text").unwrap_or_default().into(),
            when: text("when").map(Text::from),
            purpose: purpose(text("for")),
            ..Line::default()
        },
        every: node.get("every").and_then(Node::flag) == Some(true),
        act,
        slow: ms("slow").unwrap_or(0),
        usage,
        tools: tools::requests(node),
    }
}

fn act(node: &Node, wait: Option<u64>) -> Act {
    let has = |key: &str| node.get(key).is_some();
    let fail = node.get("fail").and_then(Node::text);
    match (fail.and_then(failure), node.get("cut").and_then(Node::whole)) {
        (Some(class), _) => Act::Fail { class, code: fail.unwrap_or_default().to_owned(), wait },
        (None, Some(words)) => Act::Cut(words),
        (None, None) if has("bad_json") => Act::BadJson,
        (None, None) if has("silence") => Act::Silence,
        (None, None) if has("pass") => Act::Pass,
        (None, None) => Act::Say,
    }
}

fn purpose(word: Option<&str>) -> Purpose {
    let named = word.map(|w| serde_json::Value::String(w.to_owned()));
    named.and_then(|w| serde_json::from_value(w).ok()).unwrap_or_default()
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
