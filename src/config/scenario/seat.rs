//! Resolves a `[[participant]]`: in a scenario, for the command `join`, and key by key for `change`.

use super::check::{Walk, milliseconds};
use super::contest::silent;
use super::contract::{contract, one_form, whispers};
use super::fault::Fault;
use super::http;
use super::keys::{Key, PARTICIPANT, RawContext, RawHuman, RawSeat};
use super::runs::runs;
use super::shows::{seen, sees, words};
use super::tools::DeclaredTools;
use super::tree::{At, Node, Or, quote};
use super::who::NamedSeat;
use crate::model::sentence::sentence_error;
use crate::model::{
    AgentSpec, Budget, Fallback, Line, ModelSpec, Participant, SeatId, TeamSpec, Text, Then,
    Timeouts, VoiceSpec,
    event::{ENGINE, OPERATOR},
};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

sentence_error! {
    /// Reason why a participant cannot be changed: every invalid key, with its accepted values.
    pub struct ChangeFault;
}

/// Keys of the voices; a participant has at most one.
pub const VOICES: [&str; 8] =
    ["model", "script", "http", "agent", "human", "team", "lines", "recording"];
/// Keys with the parameters of a model's calls.
const OF_MODELS: [&str; 10] = crate::strings![
    "temperature" "top_p" "seed" "frequency_penalty" "presence_penalty" "repeat_penalty"
    "max_tokens" "stop" "effort" "fallbacks"
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
pub fn participant(json: &Json) -> Result<Participant, Vec<Fault>> {
    let node = Node::from(json);
    let at = At::root(&node);
    let mut walk = Walk::new("", &[]);
    if !json.is_object() {
        let message = format!("a participant is a table, not {}", node.quoted());
        walk.fault(&at, message, r#"as in {"id": "ada", "name": "Ada"}"#);
        return Err(walk.faults);
    }
    walk.table(&at, PARTICIPANT);
    match seat(&mut walk, &at, &DeclaredTools::default(), None) {
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
    let at = At::root(&node);
    let mut walk = Walk::new("", &[]);
    let keys: Vec<Key> = PARTICIPANT.iter().filter(|k| k.changeable).copied().collect();
    walk.table(&at, &keys);
    one_voice(&mut walk, &at);
    if let Some(reply) = at.get("reply") {
        one_form(&mut walk, &reply);
    }
    if !walk.faults.is_empty() {
        return Err(sentences(&walk.faults).into());
    }
    let raw: RawSeat = node.read();
    let mut changed = seat.clone();
    let pace = seat.voice.as_lines().map_or(VoiceSpec::PACE_MS, |(_, pace)| pace);
    if let Some(voice) = voice(&raw, pace) {
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
    if let Some(reply) = at.get("reply") {
        changed.reply = contract(&mut walk, &reply, None);
    }
    let changed = with_keys(changed, raw, &at, &mut walk);
    if walk.faults.is_empty() { Ok(changed) } else { Err(sentences(&walk.faults).into()) }
}

/// A team that has a seat.
#[derive(Clone, Debug)]
pub struct Team {
    pub(super) spec: TeamSpec,
    /// The team with rehearsed lines, if all its participants have them.
    pub(super) rehearsed: Option<TeamSpec>,
}

/// Loaded teams by the participants whose seats they have.
pub type Teams = BTreeMap<SeatId, Team>;

/// Parts of a scenario that a seat may refer to.
#[derive(Clone, Copy)]
pub(super) struct Others<'a> {
    /// All participants.
    pub members: &'a [NamedSeat],
    /// Values of `[item]`.
    pub item: &'a Map<String, Json>,
    pub teams: &'a Teams,
}

/// Resolves one checked `[[participant]]`; `None` without an id. A participant who joins has no `others`: its names are
/// resolved by the conversation.
pub(super) fn seat(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    tools: &DeclaredTools,
    others: Option<Others<'_>>,
) -> Option<Participant> {
    one_voice(walk, at);
    if let (Some(card), None) = (at.get("card"), others) {
        walk.fault(&card, "is for files", "write a scenario with this participant");
    }
    let reply = at.get("reply");
    if let Some(reply) = &reply {
        one_form(walk, reply);
    }
    let raw: RawSeat = at.node.read();
    let id = raw.id.clone()?;
    if RESERVED.contains(&&*id) {
        walk.fault(&at.place("id"), format!("{id:?} is reserved"), "choose another id");
    }
    let pace = raw.pace.unwrap_or(VoiceSpec::PACE_MS);
    let seat_voice = match others.and_then(|others| others.teams.get(&*id)) {
        Some(team) => VoiceSpec::Team(Box::new(team.spec.clone())),
        None => voice(&raw, pace).unwrap_or(VoiceSpec::Model(ModelSpec::default())),
    };
    fits_voice(walk, at, &seat_voice);
    let timeouts = match seat_voice {
        VoiceSpec::Agent(_) | VoiceSpec::Team(_) => Timeouts::AGENT,
        _ => Timeouts::default(),
    };
    let mut contract =
        reply.as_ref().map(|reply| contract(walk, reply, others.map(|others| others.item)));
    if let (Some(contract), Some(to), Some(others)) =
        (&mut contract, at.place("reply").get("to"), others)
    {
        contract.to = whispers(walk, &to, &id, others.members);
    }
    // the ids of a participant who joins are not checked
    let seen = match (others, &raw.sees) {
        (Some(others), _) => seen(walk, at, others.members),
        (None, Some(Or::Long(ids))) => ids.clone(),
        (None, _) => vec![],
    };
    let member = others.and_then(|others| others.members.iter().find(|m| m.id == *id));
    let seat = Participant {
        stand_in: raw.stand_in.as_ref().and_then(|stand_in| voice(stand_in, pace)),
        speaks: member.map(|m| m.speaks).or(raw.speaks).unwrap_or(true),
        timeouts,
        runs: runs(&raw),
        sees: sees(&raw.sees),
        seen,
        reply: contract.unwrap_or_default(),
        tools: at.get("tools").map(|names| tools.of_seat(walk, &names)).unwrap_or_default(),
        ..Participant::new(&*id, seat_voice)
    };
    Some(with_keys(seat, raw, at, walk))
}

/// Returns a participant with the given keys; the voice, its reply and names of others are set before.
fn with_keys(seat: Participant, raw: RawSeat, at: &At<'_>, walk: &mut Walk<'_>) -> Participant {
    let mut seat = seat;
    seat.name = raw.name.unwrap_or(seat.name);
    seat.aliases = raw.aliases.unwrap_or(seat.aliases);
    match raw.role {
        Some(Or::Long(roles)) => {
            seat.role = first_role(&roles);
            seat.roles = roles;
        }
        Some(Or::Short(role)) => {
            seat.role = Some(role);
            seat.roles = vec![];
        }
        None => {}
    }
    seat.side = raw.side.or(seat.side);
    seat.description = raw.description.or(seat.description);
    seat.persona = raw.persona.or(seat.persona);
    seat.goal = raw.goal.or(seat.goal);
    seat.weight = raw.weight.unwrap_or(seat.weight);
    seat.talkativeness = raw.talkativeness.unwrap_or(seat.talkativeness);
    seat.max_utterances = raw.max_utterances.or(seat.max_utterances);
    seat.max_usd = raw.max_usd.or(seat.max_usd);
    seat.words = words(walk, at).or(seat.words);
    if let Some(total) = at.node.get("timeout").and_then(milliseconds) {
        seat.timeouts.total = total;
        // more time for a slow model is also time for its first token
        seat.timeouts.first = seat.timeouts.first.max(total);
    }
    match raw.context {
        Some(Or::Short(word)) if &*word == "window" => seat.context = Budget::Window,
        Some(Or::Short(word)) if &*word == "summary" => seat.context = Budget::Summary { by: None },
        Some(Or::Short(_)) => seat.context = Budget::HeadTail,
        Some(Or::Long(RawContext { window: Some(last), .. })) => seat.context = Budget::Last(last),
        Some(Or::Long(RawContext { summary_by: by, .. })) => seat.context = Budget::Summary { by },
        None => {}
    }
    if let VoiceSpec::Model(model) = &mut seat.voice {
        model.temperature = raw.temperature.or(model.temperature);
        model.top_p = raw.top_p.or(model.top_p);
        model.seed = raw.seed.or(model.seed);
        model.frequency_penalty = raw.frequency_penalty.or(model.frequency_penalty);
        model.presence_penalty = raw.presence_penalty.or(model.presence_penalty);
        model.repeat_penalty = raw.repeat_penalty.or(model.repeat_penalty);
        model.max_tokens = raw.max_tokens.or(model.max_tokens);
        model.stop = raw.stop.unwrap_or_else(|| std::mem::take(&mut model.stop));
        model.effort = raw.effort.or(model.effort.take());
        if let Some(fallbacks) = raw.fallbacks {
            let fallback = |name| Fallback { name, ..Fallback::default() };
            model.fallbacks = fallbacks.into_iter().map(fallback).collect();
            // fallbacks without a failure rule mean `replace`
            if seat.on_failure.then == Then::Skip {
                seat.on_failure.then = Then::Replace;
            }
        }
    }
    seat.on_failure.retry = raw.on_failure.retry.unwrap_or(seat.on_failure.retry);
    seat.on_failure.then = raw.on_failure.then.unwrap_or(seat.on_failure.then);
    one_context(walk, at);
    one_rule(walk, &seat, at);
    seat
}

/// Returns the role by which a phase names a participant with several.
fn first_role(roles: &[Text]) -> Option<Text> {
    roles.iter().find(|role| role.trim() != "-").cloned()
}

/// Reports keys that are for another voice, and a `stand_in` without one.
fn fits_voice(walk: &mut Walk<'_>, at: &At<'_>, voice: &VoiceSpec) {
    if let Some(stand_in) = at.get("stand_in") {
        one_voice(walk, &stand_in);
        if stand_in.among(&VOICES).next().is_none() {
            walk.fault(&stand_in, "has no voice", r#"as in stand_in = { lines = ["I pass."] }"#);
        }
    }
    if let Some(service) = at.get("http") {
        http::check(walk, &service);
    }
    let speaks_lines = at.get("lines").is_some() || at.place("stand_in").get("lines").is_some();
    let is_agent = matches!(voice, VoiceSpec::Agent(_));
    for (key, fits, message, fix) in [
        (
            "pace",
            speaks_lines,
            "is for rehearsed lines, and this participant has none",
            "remove it, or give the participant lines",
        ),
        (
            "folder",
            is_agent,
            "is for agents, and this participant has another voice",
            "remove it, or give the participant an agent",
        ),
        (
            "who",
            voice.is_human(),
            "is for people, and this participant has another voice",
            "remove it, or set human = true",
        ),
        (
            "tools",
            !is_agent,
            "is for models, and this participant is an agent",
            "remove it: an agent brings its own tools",
        ),
    ] {
        if let (false, Some(value)) = (fits, at.get(key)) {
            walk.fault(&value, message, fix);
        }
    }
    let idle: &[&str] = match voice {
        VoiceSpec::Lines { .. } => &["context", "max_usd", "tools"],
        VoiceSpec::Script(_) | VoiceSpec::Http(_) | VoiceSpec::Team(_) => &["tools"],
        // a person's stand-in may be a model
        VoiceSpec::Human { .. } | VoiceSpec::Model(_) | VoiceSpec::Agent(_) => &[],
    };
    for (_, key) in at.among(idle) {
        walk.warn(
            &key,
            "has no effect with this voice",
            "remove it, or give the participant a model",
        );
    }
    if !voice.is_model() {
        for (_, key) in at.among(&OF_MODELS) {
            let fix = "remove it, or give the participant a model";
            walk.fault(&key, "is for models, and this participant has another voice", fix);
        }
    }
}

/// Reports a `context` table with neither of its keys, or with both.
fn one_context(walk: &mut Walk<'_>, at: &At<'_>) {
    let Some(context) = at.get("context") else { return };
    let message = match context.among(&["summary_by", "window"]).count() {
        0 => "has no `window`",
        1 => return,
        _ => "has both `window` and `summary_by`",
    };
    if context.node.text().is_none() {
        let fix = r#"as in context = { window = 12 }, or context = { summary_by = "clerk" }"#;
        walk.fault(&context, message, fix);
    }
}

/// Reports an impossible failure rule, and fallbacks that no rule uses.
fn one_rule(walk: &mut Walk<'_>, seat: &Participant, at: &At<'_>) {
    let has_fallbacks =
        matches!(&seat.voice, VoiceSpec::Model(model) if !model.fallbacks.is_empty());
    let replaces = seat.on_failure.then == Then::Replace;
    match (has_fallbacks, replaces, at.place("on_failure").get("then"), at.get("fallbacks")) {
        (false, true, Some(rule), _) => {
            let fix = r#"name the fallbacks, as in fallbacks = ["ollama:llama3"], with a model as the voice"#;
            walk.fault(&rule, "\"replace\" needs `fallbacks`", fix);
        }
        (true, false, _, Some(fallbacks)) => {
            let fix = r#"remove on_failure.then, or set it to "replace""#;
            walk.warn(&fallbacks, "are never used with this on_failure", fix);
        }
        _ => {}
    }
}

fn sentences(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ")
}

fn one_voice(walk: &mut Walk<'_>, at: &At<'_>) {
    let mut voices = at.among(&VOICES);
    if let (Some((first, _)), Some((_, second))) = (voices.next(), voices.next()) {
        let who = at.node.get("id").and_then(Node::text).map(|id| format!(" of {}", quote(id)));
        let message = format!("is a second voice{} beside `{first}`", who.unwrap_or_default());
        walk.fault(&second, message, "a participant has one voice: keep one of them");
    }
}

/// Returns the voice of a participant or a stand-in, if it has one.
fn voice(raw: &RawSeat, pace: u64) -> Option<VoiceSpec> {
    Some(if let Some(name) = raw.model.clone() {
        VoiceSpec::Model(ModelSpec { name, ..ModelSpec::default() })
    } else if let Some(file) = &raw.recording {
        VoiceSpec::Model(ModelSpec::recorded(file))
    } else if let Some(command) = raw.script.clone() {
        VoiceSpec::Script(command)
    } else if let Some(service) = raw.http.clone() {
        VoiceSpec::Http(Box::new(service.into()))
    } else if let Some(command) = raw.agent.clone() {
        VoiceSpec::Agent(AgentSpec { command, folder: raw.folder.clone() })
    } else if let Some(human) = raw.human.clone() {
        let RawHuman { seconds, then } = match human {
            Or::Long(human) => human,
            Or::Short(_) => RawHuman::default(),
        };
        let pass = seconds.is_some() && then.as_deref() != Some("wait");
        VoiceSpec::Human { seconds, pass, link: raw.who.is_some() }
    } else if let Some(file) = raw.team.clone() {
        VoiceSpec::Team(Box::new(TeamSpec { file, ..TeamSpec::default() }))
    } else {
        rehearsed(raw.lines.clone()?, pace)
    })
}

/// Returns the voice of rehearsed lines, at `pace` milliseconds a word.
pub(super) fn rehearsed(lines: Vec<Or<Text, Line>>, pace: u64) -> VoiceSpec {
    let line = |line| match line {
        Or::Short(text) => Line { text, ..Line::default() },
        Or::Long(line) => line,
    };
    VoiceSpec::Lines { lines: lines.into_iter().map(line).collect(), pace }
}

/// Returns the participants as other parts of the file name them; judges and moderators do not speak unless the file
/// says so.
pub(super) fn members(walk: &mut Walk<'_>, root: &At<'_>) -> Vec<NamedSeat> {
    let silent = silent(walk, root);
    let member = |at: At<'_>| {
        let raw: RawSeat = at.node.read();
        let id = SeatId(raw.id?);
        let role = match raw.role {
            Some(Or::Short(role)) => Some(role),
            Some(Or::Long(roles)) => first_role(&roles),
            None => None,
        };
        let speaks = raw.speaks.unwrap_or(!silent.contains(&id.0));
        Some(NamedSeat { id, role, speaks })
    };
    let all: Vec<NamedSeat> = root.list("participant").filter_map(member).collect();
    if !all.is_empty() && !all.iter().any(|m| m.speaks) {
        let fix = "add a [[participant]] that does not judge or moderate, or set speaks = true";
        walk.fault(&root.place("participant"), "no participant speaks", fix);
    }
    all
}

/// Resolves the participants in order, and checks that every id and name is unique.
pub(super) fn seats(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    tools: &DeclaredTools,
    others: Others<'_>,
) -> Vec<Participant> {
    let mut seats: Vec<Participant> = vec![];
    for at in root.list("participant") {
        let Some(seat) = seat(walk, &at, tools, Some(others)) else { continue };
        if let Some(first) = seats.iter().find(|s| s.id == seat.id) {
            let message = format!("{} is taken by {}", quote(&seat.id), quote(&first.name));
            walk.fault(&at.place("id"), message, "give every participant its own id");
        } else if let Some(first) = seats.iter().find(|s| differs_by_hyphens(&s.id, &seat.id)) {
            let id = quote(&seat.id);
            let first = quote(&first.id);
            let message = format!("{id} differs from {first} only by `-` and `_`");
            let fix = "people and expressions mix the two up; choose another id";
            walk.fault(&at.place("id"), message, fix);
        }
        // such an id is a fault already
        let nobodys = seat.id.is_empty() || RESERVED.contains(&&*seat.id);
        let named = at.get("name").or_else(|| if nobodys { None } else { at.get("id") });
        if let (Some(named), Some(fault)) = (named, seat.name_fault(&seats)) {
            let message = format!("{} {fault}", quote(&seat.name));
            let name = At { path: at.place("name").path, ..named };
            walk.fault(&name, message, "give it a distinct name, as in name = \"Ada\"");
        } else if let Some((name, other)) = shared_name(&seat, &seats) {
            let message = format!("{} is also a name of `{other}`", quote(&name));
            let fix = "mentions would reach only the first; use another name or alias";
            walk.warn(&at, message, fix);
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
