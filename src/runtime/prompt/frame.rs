//! The frame around the conversation: identity of the participant, list of the others, rules for the reply.
//!
//! It is the same for every turn of a seat, so that a server can cache it: text that changes between turns is in the
//! cue, after the conversation. In the shared layout the part before the conversation is also the same for all seats.

use super::persona::{filled, rendered};
use super::{bare, judge, notes};
use crate::model::contract::WHISPER;
use crate::model::participant::{NO, YES};
use crate::model::{Layout, Participant, Purpose, SeatId, Sees, Text};
use crate::policy::PromptParts;
use crate::rules;
use crate::scenario::{Advice, Phase, Rule, TurnOrder};
use crate::state::{Labels, State, Thread, Turn, policies};

/// Name of a person's seat in prompts if its own name would address the reader.
pub(super) const VISITOR: &str = "the visitor";
/// Default maximum length of a reply that a model is asked for, in words.
const WORDS_MAX: u32 = 150;
/// Rule of a debate against invented evidence.
const FIGURES: &str =
    "Figures are your own counts; invent no source. \"I don't know\" is a good answer.";
/// Rule of a debate on changing sides.
const PRICE: &str = "Give a point up only for a fact or a case that is new to you; name it, and say what you still hold.";
/// Rule on mentions that give the floor. An `@` before every name would change the order with each address.
const HANDS_OVER: &str = "Write names without @; \"@name\" at the end gives that person the floor.";
/// Units by which a persona may define the length of a reply.
const UNITS: [&str; 4] = ["word", "sentence", "paragraph", "line"];
/// Maximum length of a persona's first sentence in the roster, in characters.
const GIST_MAX: usize = 160;
/// Introduction of a scribe who listened.
const SCRIBE: &str =
    "You are the scribe of a conversation in which you did not take part. You side with nobody.";

/// Introduction of one call for the bids of several seats.
const BIDS: &str = "You read a conversation in which you take no part.";

/// Parts of a prompt around the conversation.
pub(super) struct PromptFrame {
    /// Part before the conversation.
    pub system: String,
    /// Part after the conversation, in the shared layout.
    pub aside: Option<String>,
}

/// Returns true if a name, such as "You" for a person's seat, would address the reader of the prompt.
pub(super) fn addresses_the_reader(name: &str) -> bool {
    name.eq_ignore_ascii_case("you")
}

pub(super) fn layout(state: &State, seat: &Participant) -> Layout {
    if seat.voice.is_model() { state.layout_of(seat) } else { Layout::Own }
}

pub(super) fn frame(state: &State, turn: &Turn, own: &PromptParts) -> PromptFrame {
    let Some(seat) = state.seat(&turn.seat) else {
        return PromptFrame { system: String::new(), aside: None };
    };
    let seat = &*seat.spec;
    let by_model = seat.voice.reads_as_a_model();
    let persona = seat.persona.as_ref().map(|p| rendered(p, state, turn)).unwrap_or_default();
    let outside = state.is_outside(turn);
    let persona = if outside { String::new() } else { persona };
    let who = if turn.purpose == Purpose::Result {
        scribe(seat)
    } else if outside {
        BIDS.to_owned()
    } else {
        who(seat, persona.trim())
    };
    let labels = state.labels(turn);
    let shows_label = turn.speaks() && state.finds_answer(turn).is_none();
    let shown = if shows_label { labels.get(&turn.seat) } else { None };
    let own_label = shown.map(|label| {
        if label_is_common(state, turn) {
            format!("Names are hidden; to the others you are {label}.")
        } else {
            "Names are hidden; the others know you under another label.".to_owned()
        }
    });
    let shared = layout(state, seat) == Layout::Shared;
    let topic = own.topic.as_ref().or_else(|| state.topic_for(turn)).filter(|topic| {
        if shared {
            state.seats.iter().any(|s| !says_topic(&s.spec, topic))
        } else {
            !persona.contains(topic.trim())
        }
    });
    let topic = if own.has_topic { None } else { topic };
    let side = |side: &str| state.seats.iter().any(|s| s.spec.side.as_deref() == Some(side));
    let motion = judge::is_motion(state, turn)
        || rules::compares(state, None)
        || state.scenario.verdict.is_some() && side(YES) && side(NO);
    let topic = topic.map(|topic| {
        let heading = if motion { "The motion:" } else { heading(topic) };
        format!("{heading} {topic}")
    });
    let bids = state.bids_for_others(turn);
    let table = if bids { None } else { table(state, turn, &labels, shared) };
    // a blind round shows nobody's words, and the tags explain themselves to those who only work, vote or judge
    let is_blind = state.sees(turn) == Sees::Question || !shared && opens_blind(state, turn);
    let tags = (by_model && state.advice(turn) != Advice::Work && !is_blind)
        .then(|| tags(state.numbers_turns(turn)));
    let process = if by_model { own.process.map(str::to_owned) } else { None };
    let material = if by_model { notes::material_rule(state, turn) } else { None };
    let around =
        lines([topic, judge::arguments(state, turn), process, table, tags, material, own_label]);
    let goal = if by_model && !outside { goal(seat) } else { String::new() };
    let rules = if by_model { rules(state, turn, seat, &persona) } else { String::new() };
    if shared {
        PromptFrame { system: around, aside: Some(parts([who, goal, rules])) }
    } else {
        PromptFrame { system: parts([who, goal, around, rules]), aside: None }
    }
}

/// Joins the lines that are present and not empty.
fn lines<const N: usize>(all: [Option<String>; N]) -> String {
    all.into_iter().flatten().filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Joins the parts that are not empty, with a blank line between them.
fn parts<const N: usize>(all: [String; N]) -> String {
    all.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns true in the only round of a phase in which all speak at once, before anybody was heard.
fn opens_blind(state: &State, turn: &Turn) -> bool {
    let is_blind = |phase: &Phase| {
        policies::traits(&phase.policy.name).order == TurnOrder::AtOnce && phase.rounds() <= 1
    };
    state.phase_of(turn.thread).is_some_and(is_blind)
        && !state.visible(turn).any(|entry| entry.seat().is_some())
}

/// Returns the heading of a topic: not every topic is a question.
fn heading(topic: &str) -> &'static str {
    if topic.trim_end().ends_with('?') { "The question:" } else { "The topic:" }
}

/// Returns true if a seat's persona contains the topic.
fn says_topic(seat: &Participant, topic: &str) -> bool {
    let persona = seat.persona.as_deref().unwrap_or_default();
    let filled_in = persona
        .split("{{")
        .skip(1)
        .any(|rest| rest.split("}}").next().is_some_and(|inside| inside.trim() == "topic"));
    filled_in || persona.contains(topic.trim())
}

/// Introduces a participant, without repeating the persona.
fn who(seat: &Participant, persona: &str) -> String {
    let role = if seat.roles.is_empty() { seat.role.as_ref() } else { None };
    let has = |text: &str, role: &Text| text.to_lowercase().contains(&role.to_lowercase());
    if introduces(persona, &seat.name) {
        let role = role.filter(|role| !has(persona, role));
        return role.map_or(persona.to_owned(), |role| format!("{persona}\nYour role: {role}."));
    }
    let role = role.filter(|role| !has(&seat.name, role));
    let role = role.map_or(String::new(), |role| format!(", {role}"));
    format!("You are {}{role}. {persona}", seat.name).trim_end().to_owned()
}

/// Introduces the scribe, who can be one of those who spoke.
fn scribe(seat: &Participant) -> String {
    let name = &seat.name;
    if seat.speaks {
        format!(
            "You spoke here as {name}. Now you are the scribe: you side with nobody, nor with {name}."
        )
    } else {
        SCRIBE.to_owned()
    }
}

/// Returns the private goal of a seat, for its own prompt.
fn goal(seat: &Participant) -> String {
    let goal = seat.goal.as_ref().map(|goal| goal.text.trim());
    goal.map_or(String::new(), |goal| format!("Your private goal, which nobody else reads: {goal}"))
}

/// Returns true if a persona begins with the participant's name.
pub(super) fn introduces(persona: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let persona = persona.to_lowercase();
    let rest = persona.strip_prefix("you are ").map(|rest| rest.trim_start_matches("the "));
    let rest = rest.and_then(|rest| rest.strip_prefix(&*name));
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns true if all participants know a seat under the same label.
fn label_is_common(state: &State, turn: &Turn) -> bool {
    use crate::model::Anonymous;
    let anonymous = state.phase_of(turn.thread).map_or(Anonymous::Off, |p| p.shows.anonymous);
    anonymous != Anonymous::PerViewer
}

/// Returns the other participants with their roles.
fn table(state: &State, turn: &Turn, labels: &Labels, shared: bool) -> Option<String> {
    let is_listed = shared || turn.purpose == Purpose::Result;
    let others = state.seats.iter().filter(|s| !s.gone && (is_listed || s.spec.id != turn.seat));
    let others = others.filter(|s| !state.is_template(&s.spec.id));
    if !labels.is_empty() {
        let mut names: Vec<&Text> =
            others.map(|s| labels.get(&s.spec.id).unwrap_or(&s.spec.name)).collect();
        // sorted, because the seating order would reveal the names; roles are left out for the same reason
        names.sort();
        names.dedup();
        let names: Vec<&str> = names.into_iter().map(|name| &**name).collect();
        let labelled = if state.finds_answer(turn).is_some() { "Answers" } else { "At the table" };
        return (!names.is_empty()).then(|| format!("{labelled}: {}.", names.join(", ")));
    }
    let (speakers, listeners): (Vec<_>, Vec<_>) = others.partition(|s| s.spec.speaks);
    let speaker = |seat: &Participant| {
        let own = addresses_the_reader(&seat.name);
        let name = if own { VISITOR } else { &seat.name };
        let in_name = |role: &Text| seat.name.to_lowercase().contains(&role.to_lowercase());
        let role = seat.role.as_ref().filter(|role| seat.roles.is_empty() && !in_name(role));
        let about: Vec<String> = role.map(Text::to_string).into_iter().chain(side(seat)).collect();
        if about.is_empty() { name.to_owned() } else { format!("{name} ({})", about.join(", ")) }
    };
    let mut told = vec![];
    let (alone, speakers): (Vec<_>, Vec<_>) =
        speakers.into_iter().partition(|s| speaks_alone(state, &s.spec.id));
    if !speakers.is_empty() {
        let all: Vec<String> = speakers.iter().map(|s| speaker(&s.spec)).collect();
        told.push(format!("At the table: {}.", all.join(", ")));
    }
    told.extend(alone.iter().map(|s| format!("{} has a phase alone.", speaker(&s.spec))));
    let (described, about): (Vec<_>, Vec<_>) =
        rules::ALL.iter().filter_map(|rule| (rule.listeners)(state)).unzip();
    let described = described.concat();
    let listens = |seat: &Participant| !described.contains(&&seat.name) && !seat.stands_in;
    let listeners = listeners.iter().filter(|s| listens(&s.spec));
    told.extend(about);
    told.extend(listeners.map(|s| {
        let name = &s.spec.name;
        match (judges(state, &s.spec.id), chooses(state, &s.spec.id)) {
            (true, _) => format!("{name} listens and decides at the end."),
            (false, true) => format!("{name} chooses who speaks."),
            (false, false) => format!("{name} listens."),
        }
    }));
    (!told.is_empty()).then(|| told.join(" "))
}

/// Returns the side of a participant for the others: `says no`, or its own words.
fn side(seat: &Participant) -> Option<String> {
    let side = seat.side.as_deref()?;
    Some(if [YES, NO].contains(&side) { format!("says {side}") } else { side.to_owned() })
}

/// Returns whether a seat speaks only in phases of its own, so that nobody there answers it.
fn speaks_alone(state: &State, seat: &SeatId) -> bool {
    let mut own =
        state.scenario.phases.iter().filter(|phase| phase.who.contains(&seat.0)).peekable();
    own.peek().is_some() && own.all(|phase| phase.who.len() == 1)
}

fn judges(state: &State, seat: &SeatId) -> bool {
    let phases = state.scenario.phases.iter().filter_map(|p| p.judge.as_ref());
    let verdicts = state.scenario.verdict.iter().chain(phases);
    let rules =
        state.scenario.stops.iter().any(
            |stop| matches!(&stop.rule, Rule::Judge { seat: judge, .. } if **judge == *seat.0),
        );
    rules || verdicts.flat_map(|v| &v.judges).any(|j| **j == *seat.0)
}

fn chooses(state: &State, seat: &SeatId) -> bool {
    let phases = state.scenario.phases.iter().map(|p| &p.policy);
    let policies = std::iter::once(&state.scenario.policy).chain(phases);
    policies.filter_map(|p| p.options.get("moderator")).any(|m| m.as_str() == Some(&*seat.0))
}

fn tags(numbered: bool) -> String {
    let number = if numbered { "; n is the number" } else { "" };
    format!("Others speak as <said by=\"NAME\">, the host as <host>{number}.")
}

/// Returns the rules for a model's reply; `reply` repairs violations.
fn rules(state: &State, turn: &Turn, seat: &Participant, persona: &str) -> String {
    if turn.purpose == Purpose::Pick || state.bids_for_others(turn) {
        return roster(state, turn);
    }
    if !turn.speaks() {
        return String::new();
    }
    let name = &seat.name;
    let advice = state.advice(turn);
    if advice == Advice::Work {
        let words = length(state, turn, seat, persona)
            .map_or(String::new(), |words| format!(" in {words}"));
        let work = format!("Answer as {name}{words}.");
        return lines([Some(work), whispers(state, turn)]);
    }
    let guided = advice == Advice::Debate;
    let prose = if guided { " plain prose," } else { "" };
    let length =
        length(state, turn, seat, persona).map_or(String::new(), |words| format!(" {words},"));
    let say = format!(
        "Say only what {name} says next:{prose}{length} no name, no tags, nobody else's lines."
    );
    // models that speak as themselves have counted nothing
    let has_rule = persona.contains("invent no source");
    let figures = (guided && !has_rule).then(|| FIGURES.to_owned());
    let last = [figures, hands_over(state, turn, persona)];
    let last = last.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let price = guided.then(|| PRICE.to_owned());
    lines([price, Some(say), Some(last), whispers(state, turn)])
}

/// Returns the length of a reply, unless a phase or the author's persona defines it.
fn length(state: &State, turn: &Turn, seat: &Participant, persona: &str) -> Option<String> {
    let by_phase = state.scenario.phases.iter().any(|p| p.shows.words.is_some());
    let varies = state.scenario.varied && seat.words.is_none();
    (!by_phase && !varies).then(|| said_length(state, turn, seat, persona)).flatten()
}

/// Returns the length of a reply without a phase that defines it; `None` if the persona defines it. Work has no length by
/// default.
pub(super) fn said_length(
    state: &State,
    turn: &Turn,
    seat: &Participant,
    persona: &str,
) -> Option<String> {
    // a word is about one and a half tokens
    let most = || seat.reply_tokens().map_or(WORDS_MAX, |t| (t * 2 / 3).clamp(1, WORDS_MAX));
    match seat.words.or(state.scenario.words) {
        Some((least, most)) => Some(range_of(least, most)),
        None if names_length(persona) || state.advice(turn) == Advice::Work => None,
        None => Some(format!("at most {} words", most())),
    }
}

/// Returns a range of word counts as text.
pub(super) fn range_of(least: u32, most: u32) -> String {
    format!("{least} to {most} words")
}

/// Returns true if a persona or a task defines the length of a reply, as in "in 40 to 90 words" or "one sentence".
pub(super) fn names_length(persona: &str) -> bool {
    let words: Vec<String> = persona
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    words.windows(2).any(|pair| {
        let [number, unit] = pair else { return false };
        let counts = number.chars().any(|c| c.is_ascii_digit())
            || ["one", "two", "three", "four", "five", "few"].contains(&number.as_str());
        counts && UNITS.iter().any(|u| unit == u || unit.strip_suffix('s') == Some(u))
    })
}

/// Explains how to hand over the floor, if a mention does that and the persona does not explain it.
fn hands_over(state: &State, turn: &Turn, persona: &str) -> Option<String> {
    let options = state.threads.get(&turn.thread).map(|t| &t.spec.options)?;
    let told = options["mentions"] == "once" && !persona.contains('@');
    let asked = state.threads.get(&turn.thread).is_some_and(Thread::hears_names);
    match (told, asked) {
        (_, true) => Some(format!("{HANDS_OVER} So does a question to somebody by name.")),
        (true, false) => Some(HANDS_OVER.into()),
        (false, false) => None,
    }
}

/// Explains how to whisper, if the seat may.
fn whispers(state: &State, turn: &Turn) -> Option<String> {
    let labels = state.labels(turn);
    let hearers = state.may_whisper_to(turn);
    let names: Vec<&str> =
        hearers.iter().map(|s| &**labels.get(&s.spec.id).unwrap_or(&s.spec.name)).collect();
    let (last, before) = names.split_last()?;
    let all = match before {
        [] => (*last).to_owned(),
        before => format!("{} or {last}", before.join(", ")),
    };
    let first = names.first()?;
    Some(format!(
        "To tell {all} something that nobody else reads, write a paragraph that begins \"{WHISPER} {first}:\"."
    ))
}

/// Returns the eligible participants, with one line about each.
fn roster(state: &State, turn: &Turn) -> String {
    let options = state.batch_of(turn).map(|b| b.spec.options.clone()).unwrap_or_default();
    let chosen = state.seats.iter().filter(|s| options.iter().any(|o| **o == *s.spec.id.0));
    let bids = turn.purpose == Purpose::Bid;
    let mut told = String::from(if bids { "Who can speak:" } else { "Who can be chosen:" });
    for seat in chosen.map(|s| &s.spec) {
        let about = about(seat);
        let repeats = |role: &Text| about.as_ref().is_some_and(|about| about.starts_with(&**role));
        let role = seat.role.as_ref().filter(|role| !repeats(role));
        let role = role.map_or(String::new(), |role| format!(", {role}"));
        let about = about.map_or(String::new(), |about| format!(": {about}"));
        told.push_str(&format!("\n- {}: {}{role}{about}", seat.id, seat.name));
    }
    told
}

/// Returns one line about a participant: its description, or the first sentence of its persona.
fn about(seat: &Participant) -> Option<String> {
    if let Some(description) = &seat.description {
        return Some(description.to_string());
    }
    let persona = seat.persona.as_deref()?.trim();
    let first = persona.split_inclusive(['.', '!', '?', '\n']).next()?.trim();
    let own = introduces(first, &seat.name);
    let bare = if own { first.get("you are ".len() + seat.name.len()..)? } else { first };
    let bare = bare.trim_start_matches([',', ' ']).trim();
    let fits = !bare.contains("{{")
        && bare.contains(char::is_alphanumeric)
        && bare.chars().count() <= GIST_MAX;
    fits.then(|| bare.to_owned())
}

/// Returns a warning for the user if a template of a turn's prompt cannot be filled in.
pub fn doubt(state: &State, turn: &Turn) -> Option<String> {
    let seat = &state.seat(&turn.seat)?.spec;
    let strict = state.scenario.strict;
    let result = if strict { "cannot be filled in" } else { "is used without filling it in" };
    if bare::is_bare(state, turn)
        && let Some(fault) = bare::fault(state, turn)
    {
        return Some(format!("the request to `{}` {result}: {fault}", seat.id));
    }
    let task = state.shows(turn).and_then(|shows| shows.task.as_ref());
    let texts = [("persona", seat.persona.as_ref()), ("task", task)];
    texts.into_iter().find_map(|(what, text)| {
        let is_sent = what == "persona" || !bare::is_bare(state, turn);
        let text = if is_sent { text? } else { return None };
        let fault = filled(text, state, turn).err()?;
        let at = fault.place(text);
        Some(format!("the {what} of `{}` {result}: {at}: {fault}", seat.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persona_with_identity_or_length_gets_no_duplicate() {
        for (persona, expected) in [
            ("You are Ada, a planner.", true),
            ("you are ada.", true),
            ("You are the Ada of this table.", true),
            ("You are Adam.", false),
            ("You plan cities.", false),
            ("", false),
        ] {
            assert_eq!(introduces(persona, "Ada"), expected, "{persona}");
        }
        for (persona, expected) in [
            ("Speak in 40 to 90 words, plainly.", true),
            ("Answer in one sentence.", true),
            ("In 60-80 words.", true),
            ("You choose your words well.", false),
            ("You have two sisters and a line manager.", false),
            ("", false),
        ] {
            assert_eq!(names_length(persona), expected, "{persona}");
        }
    }
}
