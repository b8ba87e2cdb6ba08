//! Resolves `[answer]` and `[item]`: the requested answer, and the values of templates.

use super::check::Walk;
use super::keys::RawAnswer;
use super::pattern::answer_pattern;
use super::tree::At;
use super::who::{NamedSeat, speakers, who_of};
use crate::expr::{Facts, Template};
use crate::model::{Aggregation, AnswerKind, AnswerTie, Text, TrajectoryScores};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Name of the values in templates.
pub(super) const ITEM: &str = "item";
/// Key of an item with the right answer; hidden from templates.
pub const RIGHT: &str = "answer";

/// The requested answer of a conversation.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerSpec {
    /// Kind of the answers.
    #[serde(default)]
    pub form: AnswerKind,
    /// True if each answer needs a confidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confidence: bool,
    /// True if each answer is a JSON object, which servers can enforce, instead of text that ends with the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub object: bool,
    /// Regular expression with one group, whose last match in a reply is the answer.
    pub pattern: Option<Text>,
    /// True if the last number of a reply without a readable answer is the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// Ids of the participants whose answers count.
    #[serde(default)]
    pub of: Vec<Text>,
    /// True if every answer counts, not only the last one of each participant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every: bool,
    /// Way of combining the answers.
    #[serde(default)]
    pub by: Aggregation,
    /// Rule for a tie.
    #[serde(default)]
    pub tie: AnswerTie,
    /// Bands of confidence as (lower bound, weight), the highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<(f64, f64)>,
    /// Scores over the rounds, if they decide.
    pub trajectory: Option<TrajectoryScores>,
}

/// Resolves `[answer]`.
pub(super) fn answer(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    members: &[NamedSeat],
) -> Option<AnswerSpec> {
    let Some(at) = root.get("answer") else {
        for keeps in root.list("phase").filter_map(|phase| phase.get("keeps")) {
            walk.fault(&keeps, "needs answers", "add [answer]");
        }
        return None;
    };
    let raw: RawAnswer = at.node.read();
    let of = match at.get("of") {
        Some(of) => who_of(walk, &of, members),
        None => speakers(members),
    };
    let mut bands = vec![];
    for band in at.list("bands") {
        match band.node.read::<Option<(f64, f64)>>() {
            Some(band) => bands.push(band),
            None => walk.fault(&band, "takes two numbers", "as in [0.9, 0.8]"),
        }
    }
    bands.sort_by(|a, b| b.0.total_cmp(&a.0));
    if raw.by == Aggregation::Confidence && !raw.confidence {
        let message = "needs to know how sure each is";
        walk.fault(&at.place("by"), message, "add confidence = true");
    }
    if raw.by == Aggregation::Judge && root.get("verdict").is_none() {
        let fix = r#"add [verdict] with judge = "..." and sides"#;
        walk.fault(&at.place("by"), "needs a verdict", fix);
    }
    let counts_rounds = raw.by == Aggregation::Trajectory;
    match (at.get("trajectory"), counts_rounds, raw.trajectory) {
        (Some(scores), false, _) => {
            let fix = r#"set by = "trajectory", or remove it"#;
            walk.fault(&scores, "scores the rounds, and `by` counts otherwise", fix);
        }
        (Some(scores), true, None) => {
            let message = "takes four numbers: first, left, adopted, kept";
            walk.fault(&scores, message, "as in [20, 25, 30, 20]");
        }
        (Some(_), true, Some(_)) | (None, ..) => {}
    }
    if let Some(pattern) = at.get("pattern") {
        if let Err(fault) = answer_pattern(pattern.text()) {
            let fix = r"as in pattern = '\\boxed\{(.*?)\}'";
            walk.fault(&pattern, fault.to_string(), fix);
        }
        if let Some(object) = at.get("object") {
            let message = "asks for a JSON object, and `pattern` reads text";
            walk.fault(&object, message, "keep one of them");
        }
    }
    if let Some(fallback) = at.get("fallback")
        && (raw.form != AnswerKind::Number || raw.pattern.is_some())
    {
        let message = "takes the last number, where no pattern reads the answer";
        walk.fault(&fallback, message, r#"set form = "number", without pattern"#);
    }
    Some(AnswerSpec {
        form: raw.form,
        confidence: raw.confidence,
        object: raw.object,
        pattern: raw.pattern,
        last: raw.fallback.is_some(),
        of,
        every: raw.count.as_deref() == Some("every"),
        by: raw.by,
        tie: raw.tie,
        bands,
        trajectory: counts_rounds.then(|| raw.trajectory.unwrap_or_default()),
    })
}

/// Resolves `[item]`, without the right answer.
pub(super) fn item(walk: &mut Walk<'_>, root: &At<'_>) -> Map<String, Value> {
    let Some(at) = root.get(ITEM) else { return Map::new() };
    let Value::Object(mut values) = at.node.to_json() else {
        let message = format!("takes a table, not {}", at.node.quoted());
        walk.fault(&at, message, r#"as in [item] with question = "...""#);
        return Map::new();
    };
    values.remove(RIGHT);
    values
}

/// Returns the fields of an item that have a value.
pub fn without_nulls(item: &Map<String, Value>) -> Map<String, Value> {
    let entries = item.iter().filter(|(_, value)| !value.is_null());
    let inner = |value: &Value| match value {
        Value::Object(fields) => without_nulls(fields).into(),
        other => other.clone(),
    };
    entries.map(|(key, value)| (key.clone(), inner(value))).collect()
}

/// Returns a text with the values of `[item]` filled in once: braces inside the values are plain text.
pub(super) fn filled(walk: &mut Walk<'_>, at: &At<'_>, item: &Map<String, Value>) -> Option<Text> {
    let source = at.node.text()?;
    if !source.contains("{{") {
        return Some(source.into());
    }
    let rendered = Template::compile(source).and_then(|template| {
        if walk.is_item {
            let facts = Facts::new(json!({ ITEM: without_nulls(item) }));
            template.strict().render(&facts)
        } else {
            template.render(&Facts::new(json!({ ITEM: item })))
        }
    });
    match rendered {
        Ok(text) => Some(text.into()),
        Err(fault) => {
            let message = format!("{}, at {}", fault.message, fault.place(source));
            walk.fault(at, message, "only item.NAME can be filled in here");
            Some(source.into())
        }
    }
}
