//! The bundled scenarios.

/// Names and texts, in the order of the list.
const BUNDLED: &[(&str, &str)] = &[
    ("round-table", include_str!("../assets/scenarios/round-table.toml")),
    ("oxford", include_str!("../assets/scenarios/oxford.toml")),
    ("crux", include_str!("../assets/scenarios/crux.toml")),
    ("formal-debate", include_str!("../assets/scenarios/formal-debate.toml")),
    ("moderated-panel", include_str!("../assets/scenarios/moderated-panel.toml")),
    ("socratic-seminar", include_str!("../assets/scenarios/socratic-seminar.toml")),
    ("brainstorm", include_str!("../assets/scenarios/brainstorm.toml")),
    ("code-review", include_str!("../assets/scenarios/code-review.toml")),
    ("negotiation", include_str!("../assets/scenarios/negotiation.toml")),
    ("iterative-analysis", include_str!("../assets/scenarios/iterative-analysis.toml")),
    ("writing-room", include_str!("../assets/scenarios/writing-room.toml")),
    ("debug-loop", include_str!("../assets/scenarios/debug-loop.toml")),
    ("story-game", include_str!("../assets/scenarios/story-game.toml")),
    ("delegates", include_str!("../assets/scenarios/delegates.toml")),
    ("breed-advisor", include_str!("../assets/scenarios/breed-advisor.toml")),
    ("consensus", include_str!("../assets/scenarios/consensus.toml")),
    ("planner-executor", include_str!("../assets/scenarios/planner-executor.toml")),
];

/// Teams used by other bundled scenarios; they are scenarios too.
const TEAMS: &[(&str, &str)] = &[
    ("delegates-upper", include_str!("../assets/scenarios/teams/delegates-upper.toml")),
    ("delegates-lower", include_str!("../assets/scenarios/teams/delegates-lower.toml")),
];

/// Panels of `ask`; they are scenarios too, whose last speaker gives the answer.
const PANELS: &[(&str, &str)] = &[
    ("council", include_str!("../assets/panels/council.toml")),
    ("review", include_str!("../assets/panels/review.toml")),
];

/// Returns the text of a panel.
pub fn panel(name: &str) -> Option<&'static str> {
    PANELS.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Published protocols that find an answer, and their baselines; `formal-debate` is one of them too.
const PROTOCOLS: &[(&str, &str)] = &[
    ("society-of-minds", include_str!("../assets/scenarios/protocols/society-of-minds.toml")),
    ("vote-or-debate", include_str!("../assets/scenarios/protocols/vote-or-debate.toml")),
    ("free-mad", include_str!("../assets/scenarios/protocols/free-mad.toml")),
    ("noise-control", include_str!("../assets/scenarios/protocols/noise-control.toml")),
    ("tit-for-tat", include_str!("../assets/scenarios/protocols/tit-for-tat.toml")),
    ("referees", include_str!("../assets/scenarios/protocols/referees.toml")),
    ("persuasion", include_str!("../assets/scenarios/protocols/persuasion.toml")),
    ("consultancy", include_str!("../assets/scenarios/protocols/consultancy.toml")),
    ("angel-and-devil", include_str!("../assets/scenarios/protocols/angel-and-devil.toml")),
    ("interventions", include_str!("../assets/scenarios/protocols/interventions.toml")),
    ("mixture", include_str!("../assets/scenarios/protocols/mixture.toml")),
    ("reconcile", include_str!("../assets/scenarios/protocols/reconcile.toml")),
    ("council", include_str!("../assets/scenarios/protocols/council.toml")),
    ("delphi", include_str!("../assets/scenarios/protocols/delphi.toml")),
    ("sparse-topology", include_str!("../assets/scenarios/protocols/sparse-topology.toml")),
    ("answer-and-vote", include_str!("../assets/scenarios/protocols/answer-and-vote.toml")),
    ("plain-vote", include_str!("../assets/scenarios/protocols/plain-vote.toml")),
    ("self-consistency", include_str!("../assets/scenarios/protocols/self-consistency.toml")),
    ("reflection", include_str!("../assets/scenarios/protocols/reflection.toml")),
    ("self-correction", include_str!("../assets/scenarios/protocols/self-correction.toml")),
    ("single", include_str!("../assets/scenarios/protocols/single.toml")),
    ("naive-judge", include_str!("../assets/scenarios/protocols/naive-judge.toml")),
    ("expert-judge", include_str!("../assets/scenarios/protocols/expert-judge.toml")),
];

/// Returns the text of a bundled scenario.
pub fn bundled(name: &str) -> Option<&'static str> {
    BUNDLED.iter().chain(PROTOCOLS).chain(TEAMS).find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Returns the names of the bundled scenarios; `demo` plays the first one.
pub fn bundled_names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().map(|(name, _)| *name)
}

/// Returns the names of the protocols that find an answer, their baselines last.
pub fn protocol_names() -> impl Iterator<Item = &'static str> {
    PROTOCOLS.iter().map(|(name, _)| *name)
}

/// Returns the description of a bundled scenario: the first sentence of its leading comment.
pub fn about(text: &str) -> String {
    let comment: Vec<&str> = text.lines().map_while(|l| l.strip_prefix("# ")).collect();
    let comment = comment.join(" ");
    comment.split_inclusive(". ").next().unwrap_or_default().trim().to_owned()
}
