//! Resolves stop rules, verdicts and their judges.

use super::check::Walk;
use super::keys::{RawPoll, RawStop, RawVerdict};
use super::policy::{orders, policy};
use super::tree::{At, texts};
use super::who::{NamedSeat, seat_of, speakers, who_of};
use super::{OptionKind, PollSpec, Rule, Side, Stop, VerdictSpec};
use crate::model::{Participant, Purpose, Text, VoiceSpec};

/// Keys of a stop rule that exclude each other.
const RULES: [&str; 5] = ["when", "word", "judge", "agreement", "loop"];
const GO_WITH: [(&str, &str); 4] =
    [("by", "word"), ("accepted_by", "word"), ("question", "judge"), ("every", "judge")];
/// Option of policies that count rounds.
const ROUNDS: &str = "rounds";
/// Key of the participant who chooses the next speaker.
const MODERATOR: &str = "moderator";
/// Key of the participant who writes summaries for another one.
const CLERK: &str = "summary_by";
/// Default choices of a poll.
const POLLED: [&str; 3] = ["for", "against", "undecided"];
/// Default question of a verdict.
const QUESTION: &str = "Who made the better case?";
/// Value of `result` for a result that a participant writes.
const SCRIBE: &str = "scribe";
/// Default question to a judge in a stop rule.
const ENOUGH: &str = "Has everything been said?";

/// Returns the participants who take no turns unless the file says so: judges, moderators and writers of summaries.
pub(super) fn silent(walk: &Walk<'_>, root: &At<'_>) -> Vec<Text> {
    let of_phases = root.list("phase").filter_map(|phase| phase.get("judge")?.get("seat"));
    let judges = root.list("stop").chain(root.get("verdict")).filter_map(|at| at.get("judge"));
    let clerks = root.list("participant").filter_map(|seat| seat.get("context")?.get(CLERK));
    let is_silent = |kind| matches!(kind, OptionKind::Seat | OptionKind::Named { speaks: false });
    let options = walk.rows.iter().flat_map(|row| row.options);
    let keys: Vec<&str> = options.filter(|o| is_silent(o.kind)).map(|o| o.key).collect();
    let tables = orders(root).chain(root.list("phase"));
    let moderators = tables.flat_map(|table| keys.iter().filter_map(move |key| table.get(key)));
    // the `judge` of a phase is a table
    let moderators = moderators.filter(|at| at.node.text().is_some());
    let all = judges.chain(of_phases).chain(moderators).chain(clerks);
    all.flat_map(|at| texts(at.node)).collect()
}

/// Warns of judges and scribes that only have lines for other tasks.
pub(super) fn without_lines(walk: &mut Walk<'_>, root: &At<'_>, participants: &[Participant]) {
    let can = |seat: &Participant, purpose| match &seat.voice {
        VoiceSpec::Lines { lines, .. } => lines.iter().any(|line| line.purpose == purpose),
        voice => purpose == Purpose::Judge || voice.is_model(),
    };
    let judges = root.list("stop").chain(root.get("verdict")).filter_map(|at| at.get("judge"));
    for (at, id) in judges.flat_map(|at| texts(at.node).into_iter().map(move |id| (at.clone(), id)))
    {
        let seat = participants.iter().find(|seat| *seat.id.0 == *id);
        if seat.is_some_and(|seat| !can(seat, Purpose::Judge)) {
            let message = format!("`{id}` has no line for a judgement");
            walk.warn(&at, message, r#"add a line with for = "judge" to this participant"#);
        }
    }
    if let Some(at) = root.get("result").filter(|at| at.text() == SCRIBE)
        && !participants.iter().any(|seat| can(seat, Purpose::Result))
    {
        let fix =
            r#"give a participant a model or a line with for = "result", or write result = "none""#;
        walk.warn(&at, "no participant can write the result", fix);
    }
}

/// Resolves the poll, if present.
pub(super) fn poll(walk: &mut Walk<'_>, root: &At<'_>, members: &[NamedSeat]) -> Option<PollSpec> {
    let at = root.get("poll")?;
    let raw: RawPoll = at.node.read();
    if let (Some(given), Some([] | [_])) = (at.get("options"), raw.options.as_deref()) {
        let fix = r#"as in options = ["for", "against", "undecided"]"#;
        walk.fault(&given, "takes at least two choices", fix);
    }
    let who = match at.get("who") {
        Some(who) => who_of(walk, &who, members),
        None => speakers(members),
    };
    let topic = || Some(root.get("topic").or(root.get("title"))?.text().into());
    let question = raw.question.or_else(topic).unwrap_or_default();
    let options = raw.options.unwrap_or_else(|| POLLED.map(Text::from).to_vec());
    Some(PollSpec { question, options, who })
}

/// Checks that writers of summaries are participants, and that a policy with a moderator has one, in the whole
/// conversation and in each phase.
pub(super) fn chairs(walk: &mut Walk<'_>, root: &At<'_>, members: &[NamedSeat]) {
    for seat in root.list("participant") {
        if let Some(clerk) = seat.place("context").get(CLERK) {
            seat_of(walk, &clerk, members);
        }
    }
    let whole = root.get("policy").map(|at| (at.node.text().or(at.word("name")), at));
    let phases = root.list("phase").map(|phase| match phase.get("order") {
        Some(order) if order.node.text().is_none() => (order.word("name"), order),
        _ => (phase.word("order"), phase),
    });
    for (policy, at) in whole.into_iter().chain(phases) {
        let row = walk.rows.iter().find(|r| Some(r.name) == policy);
        let options = row.map_or(&[][..], |r| r.options);
        for option in options.iter().filter(|o| matches!(o.kind, OptionKind::Named { .. })) {
            if let Some(seat) = at.get(option.key) {
                seat_of(walk, &seat, members);
            }
        }
        if let Some(moderator) = at.get(MODERATOR) {
            seat_of(walk, &moderator, members);
        } else if options.iter().any(|o| o.kind == OptionKind::Seat) {
            let message = format!("is missing, and {} needs it", policy.unwrap_or_default());
            let fix = "name the participant who chooses";
            walk.fault(&at.place(MODERATOR), message, fix);
        }
    }
}

/// Resolves the stop rules.
pub(super) fn stops(walk: &mut Walk<'_>, root: &At<'_>, members: &[NamedSeat]) -> Vec<Stop> {
    let answers = gives_answers(root);
    for at in root.list("stop").filter_map(|at| at.get("agreement")) {
        if !answers && walk.debates() {
            let fix = "add [answer], or give the participants a `reply` with a choice";
            walk.warn(&at, "has no effect: no reply of this scenario has an answer", fix);
        }
    }
    root.list("stop").filter_map(|at| stop(walk, &at, members)).collect()
}

/// Returns whether replies may have an answer: by `[answer]`, by their form, or from a program that adds fields.
fn gives_answers(root: &At<'_>) -> bool {
    let keys = ["reply", "script", "http", "agent", "team", "recording"];
    let gives = |at: At<'_>| keys.iter().any(|key| at.get(key).is_some());
    let mut lists = ["participant", "phase"].into_iter().flat_map(|list| root.list(list));
    root.get("answer").is_some() || lists.any(gives)
}

fn stop(walk: &mut Walk<'_>, at: &At<'_>, members: &[NamedSeat]) -> Option<Stop> {
    let raw: RawStop = at.node.read();
    let mut rules = RULES.iter().filter(|rule| at.get(rule).is_some());
    let rule = match (rules.next(), rules.next()) {
        (Some(first), Some(second)) => {
            let both = At { path: at.path.clone(), ..at.place(second) };
            let fix = "write two [[stop]] rules, or keep one of them";
            walk.fault(&both, format!("has both `{first}` and `{second}`"), fix);
            return None;
        }
        (None, _) => {
            let fix = r#"as in word = "AGREED", or when = "turn_count > 6""#;
            walk.fault(at, "has no `when`, `word`, `judge`, `agreement` or `loop`", fix);
            return None;
        }
        (Some(rule), None) => *rule,
    };
    let ask = raw.then.as_deref() == Some("ask");
    let every = at.get("every");
    let each = every.as_ref().is_some_and(|every| every.node.flag().is_some());
    if let (Some(every), true, false) = (&every, each, ask) {
        let message = "goes with then = \"ask\": a rule that ends it does so once";
        walk.fault(every, message, "add then = \"ask\", or leave it out");
    }
    for (key, of) in GO_WITH.iter().filter(|(key, of)| *of != rule && !(*key == "every" && each)) {
        if let Some(value) = at.get(key) {
            let message = format!("belongs to `{of}`, and this rule has `{rule}`");
            walk.fault(&value, message, "remove it");
        }
    }
    let mut who =
        |key: &str| at.get(key).map(|who| who_of(walk, &who, members)).unwrap_or_default();
    let rule = match rule {
        "when" => Rule::When(raw.when.unwrap_or_default()),
        "word" => Rule::Word {
            word: raw.word.unwrap_or_default(),
            by: who("by"),
            accepted_by: who("accepted_by"),
        },
        "judge" => Rule::Judge {
            seat: seat_of(walk, &at.place("judge"), members),
            question: raw.question.unwrap_or_else(|| ENOUGH.into()),
            every: raw.every.unwrap_or(1),
        },
        "loop" => Rule::Loop {},
        _ => Rule::Agreement(raw.agreement.unwrap_or(1.0)),
    };
    Some(Stop { rule, ask, every: each })
}

/// Resolves `[verdict]`.
pub(super) fn verdict(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    members: &[NamedSeat],
) -> Option<VerdictSpec> {
    let at = root.get("verdict")?;
    let spec = judging(walk, &at, "judge", members);
    let policy = policy(root.node);
    let row = walk.rows.iter().find(|r| r.name == &*policy.name);
    let rounds = root.get("phase").is_some()
        || row.is_none_or(|r| r.options.iter().any(|o| o.key == ROUNDS));
    if spec.may_stop && !rounds {
        let message = format!("needs rounds, which {} does not have", policy.name);
        let fix = "remove it; a [[stop]] judge counts turns";
        walk.fault(&at.place("may_stop"), message, fix);
    }
    Some(spec)
}

/// Resolves a verdict whose judges are under a key.
pub(super) fn judging(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    key: &str,
    members: &[NamedSeat],
) -> VerdictSpec {
    let raw: RawVerdict = at.node.read();
    let judges = match at.get(key) {
        Some(judge) if judge.node.text().is_some() => vec![seat_of(walk, &judge, members)],
        _ => at.list(key).map(|judge| seat_of(walk, &judge, members)).collect(),
    };
    let side = |(i, side): (usize, At<'_>)| Side {
        name: side.text().into(),
        argues: raw.argues.get(i).cloned(),
        seats: who_of(walk, &side, members),
    };
    let sides: Vec<Side> = at.list("sides").enumerate().map(side).collect();
    if let Some(argued) = at.get("argues")
        && argued.node.items().len() != sides.len()
    {
        let answers = argued.node.items().len();
        let message = format!("has {answers} answers for {} sides", sides.len());
        let fix = "write one answer for each of `sides`, in the same order";
        walk.fault(&argued, message, fix);
    }
    let compared = if sides.is_empty() { speakers(members).len() } else { sides.len() };
    if compared < 2 && !members.is_empty() {
        let fix = r#"as in sides = ["pro", "con"]"#;
        walk.fault(at, "needs at least two sides to compare", fix);
    }
    VerdictSpec {
        judges,
        question: raw.question.unwrap_or_else(|| QUESTION.into()),
        sides,
        votes: raw.votes.unwrap_or(1),
        swaps: if raw.swap_test { swaps(walk, at, &raw.argues) } else { vec![] },
        swap_test: raw.swap_test,
        swapped_topic: None,
        prompt: raw.prompt,
        tie: raw.tie,
        sees: raw.sees,
        may_stop: raw.may_stop,
        at: raw.at,
    }
}

/// Returns the fields of the item that the second judgement exchanges: those of `swaps`, else the two that `argues` inserts.
fn swaps(walk: &mut Walk<'_>, at: &At<'_>, argues: &[Text]) -> Vec<(Text, Text)> {
    let field = |text: &Text| {
        let inside = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
        Some(Text::from(inside.trim().strip_prefix("item.")?))
    };
    if at.get("swaps").is_none() {
        let fields: Vec<Text> = argues.iter().filter_map(field).collect();
        return <[Text; 2]>::try_from(fields).map(|[a, b]| vec![(a, b)]).unwrap_or_default();
    }
    let mut pairs = vec![];
    for pair in at.list("swaps") {
        match pair.node.read::<Option<(Text, Text)>>() {
            Some(pair) => pairs.push(pair),
            None => walk.fault(&pair, "takes two fields of the item", r#"as in ["a", "b"]"#),
        }
    }
    pairs
}
