//! Resolves a `[[participant]]`: in a scenario, for the command `join`, and key by key for `change`.

use super::check::{Walk, join, milliseconds};
use super::contract::{contract, one_form};
use super::fault::Fault;
use super::http;
use super::keys::{CHANGEABLE, Key, PARTICIPANT};
use super::runs::runs;
use super::shows::{sees, words};
use super::tools;
use super::tree::{Node, count, quote, texts, usd};
use crate::model::sentence::sentence_error;
use crate::model::{
    AgentSpec, Budget, Fallback, Goal, Line, ModelSpec, Participant, Purpose, SeatId, TeamSpec,
    Text, Then, Timeouts, VoiceSpec,
    event::{ENGINE, OPERATOR},
};
use serde_json::{Map, Value as Json};

sentence_error! {
    /// Reason why a participant cannot be changed: every invalid key, with its accepted values.
    pub struct ChangeFault;
}

/// Keys of the voices; a participant has at most one.
pub const VOICES: [&str; 8] =
    ["model", "script", "http", "agent", "human", "team", "lines", "recording"];
/// Keys with the parameters of a model's calls.
const OF_MODELS: [&str; 10] = [
    "temperature",
    "top_p",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "repeat_penalty",
    "max_tokens",
    "stop",
    "effort",
    "fallbacks",
];
/// Reserved ids: the operator, the engine, and everyone.
const RESERVED: [&str; 3] = [OPERATOR, ENGINE, "all"];

/// Converts a name to an id.
pub fn id_of(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let id: String = name.chars().map(plain).collect();
    id.trim_matches('-').to_owned()
}

/// Parses the participant of a `join` command, by the rules of `[[participant]]`.
///
/// # Errors
/// All its faults.
pub fn participant(json: &Json) -> Result<Participant, Vec<Fault>> {
    let node = Node::from(json);
    let mut walk = Walk::new("", &[]);
    if !json.is_object() {
        let message = format!("a participant is a table, not {}", node.quoted());
        walk.fault(&None, "", message, r#"as in {"id": "ada", "name": "Ada"}"#);
        return Err(walk.faults);
    }
    walk.table(&node, PARTICIPANT, "");
    let seat = seat(&mut walk, &node, "");
    seat.iter().for_each(|seat| tools::only_built_in(&mut walk, seat));
    match seat {
        Some(seat) if walk.faults.is_empty() => Ok(seat),
        _ => Err(walk.faults),
    }
}

/// Returns a participant after a `change` command; other keys are unchanged.
///
/// # Errors
/// A sentence that names every invalid key and its accepted values.
pub fn change(seat: &Participant, set: &Map<String, Json>) -> Result<Participant, ChangeFault> {
    let node = Node::from(set);
    let mut walk = Walk::new("", &[]);
    let keys: Vec<Key> =
        PARTICIPANT.iter().filter(|k| CHANGEABLE.contains(&k.name)).copied().collect();
    walk.table(&node, &keys, "");
    one_voice(&mut walk, &node, "");
    if let Some(reply) = node.get("reply") {
        one_form(&mut walk, reply, "reply");
    }
    if !walk.faults.is_empty() {
        return Err(sentences(&walk.faults).into());
    }
    let mut changed = seat.clone();
    let pace = seat.voice.as_lines().map_or(VoiceSpec::PACE_MS, |(_, pace)| pace);
    if let Some(voice) = voice(&node, pace) {
        changed.voice = match (&seat.voice, voice) {
            // another model gets the same parameters
            (VoiceSpec::Model(old), VoiceSpec::Model(new)) => {
                VoiceSpec::Model(ModelSpec { name: new.name, ..old.clone() })
            }
            (_, voice) => voice,
        };
        // facts about the old voice do not apply to the new one
        changed.stands_in = false;
        changed.local = false;
        changed.price = None;
        changed.window = None;
    }
    fill(&mut changed, &node);
    changed.words = words(&mut walk, &node, "").or(changed.words);
    one_context(&mut walk, &node, "");
    one_rule(&mut walk, &changed, &node, "");
    if walk.faults.is_empty() { Ok(changed) } else { Err(sentences(&walk.faults).into()) }
}

/// Resolves one checked `[[participant]]`; `None` without an id.
pub(super) fn seat(walk: &mut Walk<'_>, node: &Node, path: &str) -> Option<Participant> {
    one_voice(walk, node, path);
    if let Some(reply) = node.get("reply") {
        one_form(walk, reply, &join(path, "reply"));
    }
    let id_node = node.get("id")?;
    let id = id_node.text()?;
    if RESERVED.contains(&id) {
        let message = format!("{id:?} is reserved");
        walk.fault(&id_node.span, &join(path, "id"), message, "choose another id");
    }
    let stand_in = node.get("stand_in");
    if let Some(stand_in) = stand_in {
        let path = join(path, "stand_in");
        one_voice(walk, stand_in, &path);
        if !stand_in.entries().iter().any(|e| VOICES.contains(&e.key.as_str())) {
            let fix = r#"as in stand_in = { lines = ["I pass."] }"#;
            walk.fault(&stand_in.span, &path, "has no voice", fix);
        }
    }
    let pace = node.get("pace");
    let speaks_lines =
        node.get("lines").is_some() || stand_in.is_some_and(|s| s.get("lines").is_some());
    if let (Some(pace), false) = (pace, speaks_lines) {
        let message = "is for rehearsed lines, and this participant has none";
        walk.fault(
            &pace.span,
            &join(path, "pace"),
            message,
            "remove it, or give the participant lines",
        );
    }
    let pace = pace.and_then(Node::whole).unwrap_or(VoiceSpec::PACE_MS);
    let mut seat = Participant {
        stand_in: stand_in.and_then(|s| voice(s, pace)),
        ..Participant::new(id, voice(node, pace).unwrap_or(VoiceSpec::Model(ModelSpec::default())))
    };
    if let VoiceSpec::Agent(_) | VoiceSpec::Team(_) = seat.voice {
        seat.timeouts = Timeouts::AGENT;
    }
    if let (false, Some(folder)) = (matches!(seat.voice, VoiceSpec::Agent(_)), node.get("folder")) {
        let message = "is for agents, and this participant has another voice";
        let fix = "remove it, or give the participant an agent";
        walk.fault(&folder.span, &join(path, "folder"), message, fix);
    }
    if let Some(service) = node.get("http") {
        http::check(walk, service, &join(path, "http"));
    }
    if let (false, Some(who)) = (seat.voice.is_human(), node.get("who")) {
        let message = "is for people, and this participant has another voice";
        walk.fault(&who.span, &join(path, "who"), message, "remove it, or set human = true");
    }
    seat.runs = runs(node);
    seat.sees = sees(node);
    // ids; the roles of a scenario are resolved once all seats are known
    seat.seen = node.get("sees").filter(|n| n.text().is_none()).map(texts).unwrap_or_default();
    fill(&mut seat, node);
    seat.words = words(walk, node, path);
    one_context(walk, node, path);
    one_rule(walk, &seat, node, path);
    if let (VoiceSpec::Agent(_), Some(tools)) = (&seat.voice, node.get("tools")) {
        let fix = "remove it: an agent brings its own tools";
        let message = "is for models, and this participant is an agent";
        walk.fault(&tools.span, &join(path, "tools"), message, fix);
    }
    if !seat.voice.is_model() {
        for entry in node.entries().iter().filter(|e| OF_MODELS.contains(&e.key.as_str())) {
            let fix = "remove it, or give the participant a model";
            let message = "is for models, and this participant has another voice";
            walk.fault(&entry.key_span, &join(path, &entry.key), message, fix);
        }
    }
    Some(seat)
}

/// Sets every key except the id and the voices.
fn fill(seat: &mut Participant, node: &Node) {
    let text = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
    if let Some(name) = text("name") {
        seat.name = name;
    }
    if let Some(aliases) = node.get("aliases") {
        seat.aliases = texts(aliases);
    }
    match node.get("role") {
        // a phase may name it by its first role
        Some(list) if list.text().is_none() => {
            seat.roles = texts(list);
            seat.role = seat.roles.iter().find(|role| role.trim() != "-").cloned();
        }
        Some(_) => (seat.role, seat.roles) = (text("role"), vec![]),
        None => {}
    }
    seat.description = text("description").or_else(|| seat.description.take());
    seat.persona = text("persona").or_else(|| seat.persona.take());
    seat.goal = node.get("goal").map(goal).or(seat.goal.take());
    if let Some(weight) = node.get("weight").and_then(Node::number) {
        seat.weight = weight;
    }
    if let Some(talkativeness) = node.get("talkativeness").and_then(Node::number) {
        seat.talkativeness = talkativeness;
    }
    seat.max_utterances = count(node, "max_utterances").or(seat.max_utterances);
    seat.max_usd = usd(node, "max_usd").or(seat.max_usd);
    if let Some(total) = node.get("timeout").and_then(milliseconds) {
        seat.timeouts.total = total;
        // more time for a slow model is also time for its first token
        seat.timeouts.first = seat.timeouts.first.max(total);
    }
    if let Some(speaks) = node.get("speaks").and_then(Node::flag) {
        seat.speaks = speaks;
    }
    if let Some(reply) = node.get("reply") {
        seat.reply = contract(reply);
    }
    if let Some(tools) = tools::read(node) {
        seat.tools = tools;
    }
    match (node.get("context"), text("context").as_deref()) {
        (Some(_), Some("window")) => seat.context = Budget::Window,
        (Some(_), Some("summary")) => seat.context = Budget::Summary { by: None },
        (Some(table), None) => {
            let by = table.get("summary_by").and_then(Node::text).map(SeatId::from);
            seat.context = match count(table, "window") {
                Some(last) => Budget::Last(last),
                None => Budget::Summary { by },
            };
        }
        (Some(_), Some(_)) => seat.context = Budget::HeadTail,
        (None, _) => {}
    }
    if let VoiceSpec::Model(model) = &mut seat.voice {
        model.temperature = node.get("temperature").and_then(Node::number).or(model.temperature);
        let number = |key: &str| node.get(key).and_then(Node::number);
        model.top_p = number("top_p").or(model.top_p);
        model.seed = node.get("seed").and_then(Node::whole).or(model.seed);
        model.frequency_penalty = number("frequency_penalty").or(model.frequency_penalty);
        model.presence_penalty = number("presence_penalty").or(model.presence_penalty);
        model.repeat_penalty = number("repeat_penalty").or(model.repeat_penalty);
        model.max_tokens = count(node, "max_tokens").or(model.max_tokens);
        model.stop = node.get("stop").map(texts).unwrap_or_else(|| std::mem::take(&mut model.stop));
        model.effort = text("effort").or_else(|| model.effort.take());
        if let Some(fallbacks) = node.get("fallbacks") {
            let fallback = |name| Fallback { name, ..Fallback::default() };
            model.fallbacks = texts(fallbacks).into_iter().map(fallback).collect();
            // fallbacks without a failure rule mean `replace`
            if seat.on_failure.then == Then::Skip {
                seat.on_failure.then = Then::Replace;
            }
        }
    }
    if let Some(rule) = node.get("on_failure") {
        seat.on_failure.retry = count(rule, "retry").unwrap_or(seat.on_failure.retry);
        seat.on_failure.then = match rule.get("then").and_then(Node::text) {
            Some("skip") => Then::Skip,
            Some("pause") => Then::Pause,
            Some("replace") => Then::Replace,
            Some("stop") => Then::Stop,
            _ => seat.on_failure.then,
        };
    }
}

/// Reports a `context` table with neither of its keys, or with both.
fn one_context(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let Some(table) = node.get("context").filter(|c| c.text().is_none()) else { return };
    let said = [table.get("summary_by"), table.get("window")].into_iter().flatten().count();
    if said != 1 {
        let message =
            if said == 0 { "has no `window`" } else { "has both `window` and `summary_by`" };
        let fix = r#"as in context = { window = 12 }, or context = { summary_by = "clerk" }"#;
        walk.fault(&table.span, &join(path, "context"), message, fix);
    }
}

/// Reports an impossible failure rule, and fallbacks that no rule uses.
fn one_rule(walk: &mut Walk<'_>, seat: &Participant, node: &Node, path: &str) {
    let fallbacks = seat.voice.as_model().map_or(0, |model| model.fallbacks.len());
    let replaces = seat.on_failure.then == Then::Replace;
    let rule = node.get("on_failure").and_then(|rule| rule.get("then"));
    if let (0, true, Some(rule)) = (fallbacks, replaces, rule) {
        let fix =
            r#"name the fallbacks, as in fallbacks = ["ollama:llama3"], with a model as the voice"#;
        let message = "\"replace\" needs `fallbacks`";
        walk.fault(&rule.span, &join(path, "on_failure.then"), message, fix);
    }
    if let (true, false, Some(named)) = (fallbacks > 0, replaces, node.get("fallbacks")) {
        let fix = r#"remove on_failure.then, or set it to "replace""#;
        walk.warn(
            &named.span,
            &join(path, "fallbacks"),
            "are never used with this on_failure",
            fix,
        );
    }
}

fn sentences(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ")
}

fn one_voice(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let mut voices = node.entries().iter().filter(|e| VOICES.contains(&e.key.as_str()));
    if let (Some(first), Some(second)) = (voices.next(), voices.next()) {
        let who = node.get("id").and_then(Node::text).map(|id| format!(" of {}", quote(id)));
        let message =
            format!("is a second voice{} beside `{}`", who.unwrap_or_default(), first.key);
        let fix = "a participant has one voice: keep one of them";
        walk.fault(&second.key_span, &join(path, &second.key), message, fix);
    }
}

fn voice(node: &Node, pace: u64) -> Option<VoiceSpec> {
    if let Some(model) = node.get("model") {
        let name = model.text().unwrap_or_default().into();
        return Some(VoiceSpec::Model(ModelSpec { name, ..ModelSpec::default() }));
    }
    if let Some(file) = node.get("recording") {
        return Some(VoiceSpec::Model(ModelSpec::recorded(file.text().unwrap_or_default())));
    }
    if let Some(script) = node.get("script") {
        return Some(VoiceSpec::Script(texts(script)));
    }
    if let Some(service) = node.get("http") {
        return Some(VoiceSpec::Http(Box::new(http::service(service))));
    }
    if let Some(agent) = node.get("agent") {
        let folder = node.get("folder").and_then(Node::text).map(Text::from);
        return Some(VoiceSpec::Agent(AgentSpec { command: texts(agent), folder }));
    }
    if let Some(human) = node.get("human") {
        let seconds = human.get("seconds").and_then(Node::whole);
        let waits = human.get("then").and_then(Node::text) == Some("wait");
        let link = node.get("who").is_some();
        return Some(VoiceSpec::Human { seconds, pass: seconds.is_some() && !waits, link });
    }
    if let Some(team) = node.get("team") {
        let file = team.text().unwrap_or_default().into();
        return Some(VoiceSpec::Team(Box::new(TeamSpec { file, ..TeamSpec::default() })));
    }
    node.get("lines").map(|lines| rehearsed(lines, pace))
}

/// Resolves a list of rehearsed lines, at `pace` milliseconds a word.
pub(super) fn rehearsed(node: &Node, pace: u64) -> VoiceSpec {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let line = |node: &Node| match node.text() {
        Some(plain) => Line { text: plain.into(), ..Line::default() },
        None => Line {
            text: text(node, "text").unwrap_or_default(),
            when: text(node, "when"),
            instead: node.get("instead").and_then(Node::flag) == Some(true),
            leads: node.get("leads").and_then(Node::flag) == Some(true),
            purpose: purpose(node),
        },
    };
    VoiceSpec::Lines { lines: node.items().iter().map(line).collect(), pace }
}

fn purpose(line: &Node) -> Purpose {
    match line.get("for").and_then(Node::text) {
        Some("pick") => Purpose::Pick,
        Some("bid") => Purpose::Bid,
        Some("vote") => Purpose::Vote,
        Some("judge") => Purpose::Judge,
        Some("summarise") => Purpose::Summarise,
        Some("result") => Purpose::Result,
        _ => Purpose::Speak,
    }
}

/// Resolves the participants in order, and checks that every id is unique.
pub(super) fn seats(walk: &mut Walk<'_>, root: &Node) -> Vec<Participant> {
    let mut seats: Vec<Participant> = vec![];
    let nodes = root.get("participant").map(Node::items).unwrap_or_default();
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("participant[{}]", i + 1);
        let Some(seat) = seat(walk, node, &path) else { continue };
        if let Some(first) = seats.iter().find(|s| s.id == seat.id) {
            let message = format!("{} is taken by {}", quote(&seat.id), quote(&first.name));
            let span = node.get("id").map_or(&None, |n| &n.span);
            walk.fault(span, &join(&path, "id"), message, "give every participant its own id");
        } else if let Some(first) = seats.iter().find(|s| differs_by_hyphens(&s.id, &seat.id)) {
            let id = quote(&seat.id);
            let first = quote(&first.id);
            let message = format!("{id} differs from {first} only by `-` and `_`");
            let span = node.get("id").map_or(&None, |n| &n.span);
            let fix = "people and expressions mix the two up; choose another id";
            walk.fault(span, &join(&path, "id"), message, fix);
        }
        // such an id is a fault already
        let nobodys = seat.id.is_empty() || RESERVED.contains(&&*seat.id);
        let named = node.get("name").is_some() || !nobodys;
        if named && let Some(fault) = seat.name_fault(&seats) {
            let message = format!("{} {fault}", quote(&seat.name));
            let span = node.get("name").or(node.get("id")).map_or(&None, |n| &n.span);
            let fix = "give it a distinct name, as in name = \"Ada\"";
            walk.fault(span, &join(&path, "name"), message, fix);
        } else if let Some((name, other)) = shared_name(&seat, &seats) {
            let message = format!("{} is also a name of `{other}`", quote(&name));
            let fix = "mentions would reach only the first; use another name or alias";
            walk.warn(&node.span, &path, message, fix);
        }
        seats.push(seat);
    }
    seats
}

/// Returns whether two ids are the same but for hyphens in the place of underscores.
fn differs_by_hyphens(a: &str, b: &str) -> bool {
    a != b && a.replace('-', "_") == b.replace('-', "_")
}

/// Finds a name of `seat` that a seat before it answers to.
fn shared_name(seat: &Participant, before: &[Participant]) -> Option<(Text, SeatId)> {
    let names = |p: &Participant| {
        let mut names = vec![p.name.clone()];
        names.extend(p.aliases.iter().cloned());
        names
    };
    before.iter().filter(|other| other.id != seat.id).find_map(|other| {
        let same = |name: &Text| {
            let name = name.to_lowercase();
            name == *other.id || names(other).iter().any(|n| n.to_lowercase() == name)
        };
        names(seat).into_iter().find(same).map(|name| (name, other.id.clone()))
    })
}

/// Returns the private goal of a participant.
fn goal(node: &Node) -> Goal {
    Goal {
        text: node.get("text").and_then(Node::text).unwrap_or_default().into(),
        least: node.get("least").and_then(Node::number),
        most: node.get("most").and_then(Node::number),
    }
}
