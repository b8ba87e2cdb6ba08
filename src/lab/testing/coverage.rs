//! Coverage of a scenario by its tests: participants that spoke, phases that were played, conditions that were both
//! true and false, stop rules that ended the conversation.
//!
//! A condition is evaluated after every utterance, as in the engine; a part without a condition is a single point.

use super::plan::{Test, TestRun};
use crate::expr::{Condition, Facts};
use crate::model::command::COMMANDS;
use crate::model::payload::{Ended, Paused};
use crate::model::{Kind, SeatId};
use crate::scenario::{Loaded, Rule};
use crate::state::State;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A part of a scenario that tests can reach.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// Kind: `participant`, `stage`, `phase`, `dependency` or `stop`.
    pub kind: &'static str,
    /// Name of the part, with the outcome of its condition.
    pub name: String,
}

/// Number of hits of each point of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Title of the scenario.
    pub scenario: String,
    /// Hits of each point; 0 if it was never reached.
    pub hits: BTreeMap<Point, u32>,
    /// Uses of the operator's commands. They do not count as coverage: no scenario declares the commands that it needs.
    pub commands: BTreeMap<String, u32>,
}

impl Covered {
    /// Returns the coverage of one run.
    pub fn by(test: &Test, ran: &TestRun) -> Covered {
        let loaded = &test.loaded;
        let mut covered = Covered {
            scenario: loaded.scenario.title.to_string(),
            hits: points(test).into_iter().map(|point| (point, 0)).collect(),
            commands: BTreeMap::new(),
        };
        let conditions = conditions(loaded);
        let mut spoke: BTreeSet<SeatId> = BTreeSet::new();
        let mut state = State::default();
        for event in &ran.events {
            state.apply(event);
            match &event.kind {
                Kind::ThreadOpened(thread) => covered.hit("phase", &thread.name),
                Kind::StageEntered(entered) => {
                    entered.stage.iter().for_each(|stage| covered.hit("stage", stage));
                }
                Kind::TurnEnded(ended) if ended.number.is_some() => {
                    let entry = state.entries.iter().rev().find(|e| e.number == ended.number);
                    if let Some(seat) = entry.and_then(|e| e.seat()) {
                        for (_, name) in edges(loaded, seat).filter(|(on, _)| spoke.contains(on)) {
                            covered.hit("dependency", &name);
                        }
                        spoke.insert(seat.clone());
                    }
                    for (kind, name, condition) in &conditions {
                        let facts = Facts::new(state.facts(|name| condition.uses(name)));
                        // the engine treats a condition that cannot be evaluated as false
                        let holds = condition.holds(&facts).unwrap_or(false);
                        covered.hit(kind, &way(name, holds));
                    }
                }
                Kind::CommandGiven(given) => {
                    *covered.commands.entry(given.line.command.name().to_owned()).or_default() += 1;
                }
                // a rule that asks only pauses the conversation
                Kind::Ended(Ended { rule: Some(place), .. })
                | Kind::Paused(Paused { rule: Some(place), .. }) => {
                    let at = usize::try_from(*place).unwrap_or(usize::MAX);
                    if let Some(stop) = loaded.scenario.stops.get(at) {
                        covered.hit("stop", &label(&stop.rule));
                    }
                }
                _ => {}
            }
        }
        for entry in ran.state.entries.iter().filter(|e| e.number.is_some()) {
            if let Some(seat) = entry.seat() {
                covered.hit("participant", seat);
            }
        }
        covered
    }

    fn hit(&mut self, kind: &'static str, name: &str) {
        if let Some(hits) = self.hits.get_mut(&Point { kind, name: name.to_owned() }) {
            *hits += 1;
        }
    }

    /// Adds the coverage of another run of the same scenario.
    pub fn add(&mut self, other: &Covered) {
        for (point, hits) in &other.hits {
            *self.hits.entry(point.clone()).or_default() += hits;
        }
        for (command, times) in &other.commands {
            *self.commands.entry(command.clone()).or_default() += times;
        }
    }

    /// Returns the number of reached points and the number of points.
    pub fn reached(&self) -> (usize, usize) {
        (self.hits.values().filter(|hits| **hits > 0).count(), self.hits.len())
    }
}

/// Sums the coverage of runs by scenario.
pub fn sum<'a>(all: impl IntoIterator<Item = &'a Covered>) -> Vec<Covered> {
    let mut by: BTreeMap<String, Covered> = BTreeMap::new();
    for covered in all {
        let empty = || Covered { scenario: covered.scenario.clone(), ..Covered::default() };
        by.entry(covered.scenario.clone()).or_insert_with(empty).add(covered);
    }
    by.into_values().collect()
}

/// Returns the percentage of points that were reached; 100 without any points.
pub fn percent(all: &[Covered]) -> f64 {
    let (reached, points) =
        all.iter().map(Covered::reached).fold((0, 0), |(a, b), (r, p)| (a + r, b + p));
    if points == 0 { 100.0 } else { reached as f64 * 100.0 / points as f64 }
}

/// Returns the coverage as text: the missed points of each scenario.
pub fn text(all: &[Covered]) -> String {
    let mut text = String::new();
    for covered in all {
        let (reached, points) = covered.reached();
        text.push_str(&format!("coverage  {}: {reached} of {points}\n", covered.scenario));
        for (point, _) in covered.hits.iter().filter(|(_, hits)| **hits == 0) {
            text.push_str(&format!("    not reached: {} {}\n", point.kind, point.name));
        }
        let given = |name: &&str| covered.commands.contains_key(*name);
        let (given, not): (Vec<&str>, Vec<&str>) = names().partition(given);
        for (commands, what) in [(given, "given"), (not, "not given")] {
            if !commands.is_empty() {
                text.push_str(&format!("    commands {what}: {}\n", commands.join(", ")));
            }
        }
    }
    text.push_str(&format!("coverage  {:.1} % of all\n", percent(all)));
    text
}

/// Returns the coverage as JSON: every point with its hits, in the style of LCOV.
pub fn json(all: &[Covered]) -> Value {
    let scenario = |covered: &Covered| {
        let (hit, found) = covered.reached();
        let points: Vec<Value> = covered
            .hits
            .iter()
            .map(|(point, hits)| json!({"kind": point.kind, "name": point.name, "hits": hits}))
            .collect();
        let times = |name: &str| covered.commands.get(name).copied().unwrap_or(0);
        let commands: BTreeMap<&str, u32> = names().map(|name| (name, times(name))).collect();
        json!({
            "scenario": covered.scenario, "found": found, "hit": hit, "points": points,
            "commands": commands,
        })
    };
    json!({"percent": percent(all), "scenarios": all.iter().map(scenario).collect::<Vec<_>>()})
}

/// Returns the names of all commands.
fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

fn points(test: &Test) -> Vec<Point> {
    let loaded = &test.loaded;
    let point = |kind, name: &str| Point { kind, name: name.to_owned() };
    let speaks = loaded.participants.iter().filter(|p| p.speaks);
    let mut points: Vec<Point> = speaks.map(|p| point("participant", &p.id)).collect();
    points.extend(loaded.scenario.stages.iter().map(|stage| point("stage", &stage.name)));
    for seat in &loaded.participants {
        points.extend(edges(loaded, &seat.id).map(|(_, name)| point("dependency", &name)));
    }
    points.extend(loaded.scenario.phases.iter().map(|phase| point("phase", &phase.name)));
    for (kind, name, _) in conditions(loaded) {
        points.extend([true, false].map(|holds| point(kind, &way(&name, holds))));
    }
    let rules = loaded.scenario.stops.iter().filter(|s| match &s.rule {
        Rule::When(_) => false,
        // the stop word of a person that a model plays comes from the test
        Rule::Word { by, .. } => !by.iter().any(|seat| test.is_played(seat)),
        Rule::Judge { .. } | Rule::Agreement(_) | Rule::Loop {} => true,
    });
    points.extend(rules.map(|stop| point("stop", &label(&stop.rule))));
    points
}

/// Returns the unconditional dependencies of a seat: the seats it depends on, with a name for each edge.
fn edges<'a>(loaded: &'a Loaded, seat: &SeatId) -> impl Iterator<Item = (SeatId, String)> + 'a {
    let seat = loaded.participants.iter().find(|p| p.id == *seat);
    let edges = seat.into_iter().flat_map(|seat| seat.runs.after.iter().map(move |a| (seat, a)));
    edges.filter(|(_, after)| after.when.is_none()).map(|(seat, after)| {
        (after.participant.clone(), format!("{} after {}", seat.id, after.participant))
    })
}

/// Returns the conditions of a scenario.
fn conditions(loaded: &Loaded) -> Vec<(&'static str, String, Condition)> {
    let edges = loaded.participants.iter().flat_map(|p| p.runs.after.iter().map(move |a| (p, a)));
    let edges = edges.filter_map(|(seat, after)| {
        let when = after.when.as_ref()?;
        let name = format!("{} after {} when {when}", seat.id, after.participant);
        Some(("dependency", name, Condition::compile(when).ok()?))
    });
    let stops = loaded.scenario.stops.iter().filter_map(|stop| match &stop.rule {
        Rule::When(when) => Some(("stop", format!("when {when}"), Condition::compile(when).ok()?)),
        Rule::Word { .. } | Rule::Judge { .. } | Rule::Agreement(_) | Rule::Loop {} => None,
    });
    edges.chain(stops).collect()
}

fn way(name: &str, holds: bool) -> String {
    format!("{name}: {holds}")
}

fn label(rule: &Rule) -> String {
    match rule {
        Rule::When(when) => format!("when {when}"),
        Rule::Word { word, .. } => format!("word {word}"),
        Rule::Judge { seat, .. } => format!("judge {seat}"),
        Rule::Agreement(share) => format!("agreement {share}"),
        Rule::Loop {} => "loop".into(),
    }
}
