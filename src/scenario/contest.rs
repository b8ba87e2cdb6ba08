//! Resolves stop rules, verdicts and their judges.

use super::check::{Walk, join};
use super::policy::policy;
use super::shows;
use super::tree::{Node, count, quote, texts};
use super::who::who_of;
use super::{OptionKind, PollSpec, Rule, Side, Stop, Tie, VerdictAt, VerdictSpec};
use crate::model::{Participant, Text};

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
/// Default question to a judge in a stop rule.
const ENOUGH: &str = "Has everything been said?";

/// Excludes judges and moderators from taking turns, unless the file says that they speak.
pub(super) fn duties(walk: &mut Walk<'_>, root: &Node, seats: &mut [Participant]) {
    let stops = root.get("stop").map(Node::items).unwrap_or_default();
    let judges = stops.iter().chain(root.get("verdict")).filter_map(|n| n.get("judge"));
    let phases = root.get("phase").map(Node::items).unwrap_or_default();
    let of_phases = phases.iter().filter_map(|p| p.get("judge")?.get("seat"));
    let judges = judges.chain(of_phases);
    let orders = phases.iter().filter_map(|p| p.get("order"));
    let moderators = root.get("policy").into_iter().chain(phases).chain(orders);
    let silent: Vec<&str> = walk
        .rows
        .iter()
        .flat_map(|row| row.options)
        .filter(|o| matches!(o.kind, OptionKind::Seat | OptionKind::Named { speaks: false }))
        .map(|o| o.key)
        .collect();
    // the `judge` of a phase is a table
    let moderators = moderators
        .flat_map(|p| silent.iter().filter_map(|key| p.get(key)).filter(|n| n.text().is_some()));
    let named: Vec<Text> = judges.chain(moderators).flat_map(texts).collect();
    let nodes = root.get("participant").map(Node::items).unwrap_or_default();
    let clerks = nodes.iter().filter_map(|n| n.get("context")?.get(CLERK));
    let named: Vec<Text> = named.into_iter().chain(clerks.flat_map(texts)).collect();
    let told = |id: &str| {
        let node = nodes.iter().find(|n| n.get("id").and_then(Node::text) == Some(id))?;
        node.get("speaks").and_then(Node::flag)
    };
    for seat in seats.iter_mut().filter(|s| told(&s.id).is_none()) {
        seat.speaks = !named.iter().any(|n| **n == *seat.id);
    }
    if !seats.is_empty() && !seats.iter().any(|s| s.speaks) {
        let span = root.get("participant").map_or(&None, |n| &n.span);
        let fix = "add a [[participant]] that does not judge or moderate, or set speaks = true";
        walk.fault(span, "participant", "no participant speaks", fix);
    }
}

/// Resolves the poll, if present.
pub(super) fn poll(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) -> Option<PollSpec> {
    let node = root.get("poll")?;
    let text = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let options = node.get("options").map(texts).unwrap_or_default();
    if let (Some(given), 0 | 1) = (node.get("options"), options.len()) {
        let fix = r#"as in options = ["for", "against", "undecided"]"#;
        walk.fault(&given.span, "poll.options", "takes at least two choices", fix);
    }
    let who = match node.get("who") {
        Some(who) => who_of(walk, who, seats, "poll.who"),
        None => seats.iter().filter(|s| s.speaks).map(|s| s.id.0.clone()).collect(),
    };
    let topic = || root.get("topic").or(root.get("title")).and_then(Node::text).map(Text::from);
    let question = text("question").or_else(topic).unwrap_or_default();
    let defaults = || POLLED.map(Text::from).to_vec();
    let options = if options.is_empty() { defaults() } else { options };
    Some(PollSpec { question, options, who })
}

/// Checks that the writer of summaries is a participant.
pub(super) fn clerks(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) {
    let nodes = root.get("participant").map(Node::items).unwrap_or_default();
    for (i, node) in nodes.iter().enumerate() {
        if let Some(clerk) = node.get("context").and_then(|c| c.get(CLERK)) {
            seat_of(walk, clerk, seats, &format!("participant[{}].context.{CLERK}", i + 1));
        }
    }
}

/// Checks that a policy with a moderator has one, in the whole conversation and in each phase.
pub(super) fn chairs(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) {
    let named = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
    let whole = root.get("policy").map(|p| {
        let name = p.text().map(str::to_owned).or_else(|| named(p, "name"));
        ("policy".to_owned(), p, name)
    });
    let phases = root.get("phase").map(Node::items).unwrap_or_default().iter().enumerate();
    let phases = phases.map(|(i, p)| match p.get("order") {
        Some(order) if order.text().is_none() => {
            (format!("phase[{}].order", i + 1), order, named(order, "name"))
        }
        _ => (format!("phase[{}]", i + 1), p, named(p, "order")),
    });
    for (path, node, policy) in whole.into_iter().chain(phases).collect::<Vec<_>>() {
        let row = walk.rows.iter().find(|r| Some(r.name) == policy.as_deref());
        let needs = row.is_some_and(|r| r.options.iter().any(|o| o.kind == OptionKind::Seat));
        let within = path.clone();
        let path = join(&path, MODERATOR);
        let named = row.into_iter().flat_map(|r| r.options);
        let named = named.filter(|o| matches!(o.kind, OptionKind::Named { .. }));
        for option in named.collect::<Vec<_>>() {
            if let Some(seat) = node.get(option.key) {
                seat_of(walk, seat, seats, &join(&within, option.key));
            }
        }
        match node.get(MODERATOR) {
            Some(moderator) => {
                seat_of(walk, moderator, seats, &path);
            }
            None if needs => {
                let message = format!("is missing, and {} needs it", policy.unwrap_or_default());
                walk.fault(&node.span, &path, message, "name the participant who chooses");
            }
            None => {}
        }
    }
}

/// Resolves the stop rules.
pub(super) fn stops(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) -> Vec<Stop> {
    let nodes = root.get("stop").map(Node::items).unwrap_or_default();
    let mut stops = vec![];
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("stop[{}]", i + 1);
        let text = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
        let mut rules = RULES.iter().filter(|r| node.get(r).is_some());
        let rule = match (rules.next(), rules.next()) {
            (Some(first), Some(second)) => {
                let span = node.get(second).map_or(&None, |n| &n.span);
                let fix = "write two [[stop]] rules, or keep one of them";
                walk.fault(span, &path, format!("has both `{first}` and `{second}`"), fix);
                continue;
            }
            (None, _) => {
                let fix = r#"as in word = "AGREED", or when = "turn_count > 6""#;
                walk.fault(
                    &node.span,
                    &path,
                    "has no `when`, `word`, `judge`, `agreement` or `loop`",
                    fix,
                );
                continue;
            }
            (Some(rule), None) => *rule,
        };
        let ask = text("then").as_deref() == Some("ask");
        let every = node.get("every").filter(|n| n.flag().is_some());
        if let (Some(every), false) = (every, ask) {
            let message = "goes with then = \"ask\": a rule that ends it does so once";
            let fix = "add then = \"ask\", or leave it out";
            walk.fault(&every.span, &join(&path, "every"), message, fix);
        }
        let goes_with = |key: &str| key != "every" || every.is_none();
        for (key, of) in GO_WITH.iter().filter(|(key, of)| *of != rule && goes_with(key)) {
            if let Some(entry) = node.entries().iter().find(|e| e.key == *key) {
                let message = format!("belongs to `{of}`, and this rule has `{rule}`");
                walk.fault(&entry.node.span, &join(&path, key), message, "remove it");
            }
        }
        let rule = match rule {
            "when" => Rule::When(text("when").unwrap_or_default()),
            "word" => Rule::Word {
                word: text("word").unwrap_or_default(),
                by: match node.get("by") {
                    Some(by) => who_of(walk, by, seats, &join(&path, "by")),
                    None => vec![],
                },
                accepted_by: match node.get("accepted_by") {
                    Some(by) => who_of(walk, by, seats, &join(&path, "accepted_by")),
                    None => vec![],
                },
            },
            "judge" => Rule::Judge {
                seat: match node.get("judge") {
                    Some(judge) => seat_of(walk, judge, seats, &join(&path, "judge")),
                    None => "".into(),
                },
                question: text("question").unwrap_or_else(|| ENOUGH.into()),
                every: count(node, "every").unwrap_or(1),
            },
            "loop" => Rule::Loop {},
            _ => Rule::Agreement(node.get("agreement").and_then(Node::number).unwrap_or(1.0)),
        };
        stops.push(Stop { rule, ask, every: every.is_some() });
    }
    stops
}

/// Resolves the id of one participant.
pub(super) fn seat_of(walk: &mut Walk<'_>, node: &Node, seats: &[Participant], path: &str) -> Text {
    let id = node.text().unwrap_or_default();
    if !seats.iter().any(|s| &*s.id == id) {
        let known: Vec<&str> = seats.iter().map(|s| &*s.id).collect();
        let fix = format!("the participants are {}", known.join(", "));
        walk.fault(&node.span, path, format!("no participant {}", quote(id)), fix);
    }
    id.into()
}

/// Resolves `[verdict]`.
pub(super) fn verdict(
    walk: &mut Walk<'_>,
    root: &Node,
    seats: &[Participant],
) -> Option<VerdictSpec> {
    let spec = judging(walk, root.get("verdict")?, "judge", seats, "verdict");
    let policy = policy(root);
    let phases = root.get("phase").is_some();
    let row = walk.rows.iter().find(|r| r.name == &*policy.name);
    let rounds = phases || row.is_none_or(|r| r.options.iter().any(|o| o.key == ROUNDS));
    let stops = root.get("verdict").and_then(|v| v.get("may_stop"));
    if spec.may_stop
        && !rounds
        && let Some(stops) = stops
    {
        let message = format!("needs rounds, which {} does not have", policy.name);
        walk.fault(
            &stops.span,
            "verdict.may_stop",
            message,
            "remove it; a [[stop]] judge counts turns",
        );
    }
    Some(spec)
}

/// Resolves a verdict whose judges are under a key.
pub(super) fn judging(
    walk: &mut Walk<'_>,
    node: &Node,
    key: &str,
    seats: &[Participant],
    path: &str,
) -> VerdictSpec {
    let text = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let judges_path = join(path, key);
    let judges = match node.get(key) {
        Some(judge) if judge.text().is_some() => {
            vec![seat_of(walk, judge, seats, &judges_path)]
        }
        Some(panel) => {
            let judges = panel.items().iter().enumerate();
            let path = |i| format!("{judges_path}[{}]", i + 1);
            judges.map(|(i, judge)| seat_of(walk, judge, seats, &path(i))).collect()
        }
        None => vec![],
    };
    let argued = node.get("argues");
    let sides = node.get("sides").map(Node::items).unwrap_or_default().iter().enumerate();
    let sides: Vec<Side> = sides
        .map(|(i, side)| {
            let path = format!("{path}.sides[{}]", i + 1);
            let name = side.text().unwrap_or_default().into();
            let argues = argued.and_then(|node| node.items().get(i)?.text()).map(Text::from);
            Side { name, seats: who_of(walk, side, seats, &path), argues }
        })
        .collect();
    if let Some(argued) = argued.filter(|argued| argued.items().len() != sides.len()) {
        let message = format!("has {} answers for {} sides", argued.items().len(), sides.len());
        let fix = "write one answer for each of `sides`, in the same order";
        walk.fault(&argued.span, &join(path, "argues"), message, fix);
    }
    let compared =
        if sides.is_empty() { seats.iter().filter(|s| s.speaks).count() } else { sides.len() };
    if compared < 2 && !seats.is_empty() {
        let fix = r#"as in sides = ["pro", "con"]"#;
        walk.fault(&node.span, path, "needs at least two sides to compare", fix);
    }
    VerdictSpec {
        judges,
        question: text("question").unwrap_or_else(|| QUESTION.into()),
        sides,
        votes: count(node, "votes").unwrap_or(1),
        swap_test: node.get("swap_test").and_then(Node::flag).unwrap_or_default(),
        tie: match text("tie").as_deref() {
            Some("first") => Tie::First,
            Some("random") => Tie::Random,
            Some("judge") => Tie::Judge,
            Some("human") => Tie::Human,
            _ => Tie::Draw,
        },
        sees: shows::sees(node),
        may_stop: node.get("may_stop").and_then(Node::flag).unwrap_or_default(),
        at: match text("at").as_deref() {
            Some("completed") => VerdictAt::Completed,
            _ => VerdictAt::Always,
        },
    }
}
