//! Resolves `[answer]` and `[item]`: the requested answer, and the values of templates.

use super::check::{Walk, join};
use super::pattern::answer_pattern;
use super::tree::{Node, Value as Tree};
use super::who::who_of;
use crate::expr::{Facts, Template};
use crate::model::{Aggregation, AnswerKind, AnswerTie, Participant, Text, TrajectoryScores};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Name of the values in templates.
pub(super) const ITEM: &str = "item";
/// Key of an item with the right answer; hidden from templates.
pub const RIGHT: &str = "answer";

/// The requested answer of a conversation.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Text>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<TrajectoryScores>,
}

/// Resolves `[answer]`.
pub(super) fn answer(
    walk: &mut Walk<'_>,
    root: &Node,
    seats: &[Participant],
) -> Option<AnswerSpec> {
    let Some(node) = root.get("answer") else {
        let phases = root.get("phase").map(Node::items).unwrap_or_default();
        for (i, keeps) in phases.iter().enumerate().filter_map(|(i, p)| Some((i, p.get("keeps")?)))
        {
            let path = format!("phase[{}].keeps", i + 1);
            walk.fault(&keeps.span, &path, "needs answers", "add [answer]");
        }
        return None;
    };
    let word = |key: &str| node.get(key).and_then(Node::text).unwrap_or_default();
    let of = match node.get("of") {
        Some(of) => who_of(walk, of, seats, "answer.of"),
        None => seats.iter().filter(|s| s.speaks).map(|s| s.id.0.clone()).collect(),
    };
    let by = Aggregation::by_name(word("by")).unwrap_or_default();
    let mut bands = vec![];
    for (i, band) in node.get("bands").map(Node::items).unwrap_or_default().iter().enumerate() {
        let numbers: Vec<f64> = band.items().iter().filter_map(Node::number).collect();
        match numbers[..] {
            [from, counts] => bands.push((from, counts)),
            _ => {
                let path = format!("answer.bands[{}]", i + 1);
                walk.fault(&band.span, &path, "takes two numbers", "as in [0.9, 0.8]");
            }
        }
    }
    bands.sort_by(|a, b| b.0.total_cmp(&a.0));
    let confidence = node.get("confidence").and_then(Node::flag);
    if let (Some(by_node), false) = (node.get("by"), confidence.unwrap_or_default())
        && by == Aggregation::Confidence
    {
        let message = "needs to know how sure each is";
        walk.fault(&by_node.span, "answer.by", message, "add confidence = true");
    }
    if let (Some(by_node), None) = (node.get("by"), root.get("verdict"))
        && by == Aggregation::Judge
    {
        let message = "needs a verdict";
        walk.fault(
            &by_node.span,
            "answer.by",
            message,
            r#"add [verdict] with judge = "..." and sides"#,
        );
    }
    Some(AnswerSpec {
        form: AnswerKind::by_name(word("form")).unwrap_or_default(),
        confidence: confidence.unwrap_or_default(),
        object: node.get("object").and_then(Node::flag).unwrap_or_default(),
        pattern: pattern(walk, node),
        of,
        every: word("count") == "every",
        by,
        tie: match word("tie") {
            "first" => AnswerTie::First,
            "random" => AnswerTie::Random,
            _ => AnswerTie::None,
        },
        bands,
        trajectory: trajectory(walk, node, by),
    })
}

/// Resolves the scores over the rounds.
fn trajectory(walk: &mut Walk<'_>, node: &Node, by: Aggregation) -> Option<TrajectoryScores> {
    let scores = node.get("trajectory");
    if by != Aggregation::Trajectory {
        if let Some(scores) = scores {
            let message = "scores the rounds, and `by` counts otherwise";
            let fix = r#"set by = "trajectory", or remove it"#;
            walk.fault(&scores.span, "answer.trajectory", message, fix);
        }
        return None;
    }
    let Some(scores) = scores else { return Some(TrajectoryScores::default()) };
    let numbers: Vec<f64> = scores.items().iter().filter_map(Node::number).collect();
    if let [first, left, adopted, kept] = numbers[..] {
        return Some(TrajectoryScores { first, left, adopted, kept });
    }
    let message = "takes four numbers: first, left, adopted, kept";
    walk.fault(&scores.span, "answer.trajectory", message, "as in [20, 25, 30, 20]");
    None
}

/// Resolves the pattern of an answer.
fn pattern(walk: &mut Walk<'_>, node: &Node) -> Option<Text> {
    let pattern = node.get("pattern")?;
    let source = pattern.text()?;
    if let Err(fault) = answer_pattern(source) {
        let fix = r"as in pattern = '\\boxed\{(.*?)\}'";
        walk.fault(&pattern.span, "answer.pattern", fault.to_string(), fix);
    }
    if let Some(object) = node.get("object") {
        let message = "asks for a JSON object, and `pattern` reads text";
        walk.fault(&object.span, "answer.object", message, "keep one of them");
    }
    Some(source.into())
}

/// Resolves `[item]`, without the right answer.
pub(super) fn item(walk: &mut Walk<'_>, root: &Node) -> Map<String, Value> {
    let Some(node) = root.get(ITEM) else { return Map::new() };
    let Tree::Table(_) = node.value else {
        let message = format!("takes a table, not {}", node.quoted());
        walk.fault(&node.span, ITEM, message, r#"as in [item] with question = "...""#);
        return Map::new();
    };
    let mut values: Map<String, Value> =
        node.entries().iter().map(|e| (e.key.clone(), e.node.to_json())).collect();
    values.remove(RIGHT);
    values
}

/// Returns a text with the values of `[item]` filled in once: braces inside the values are plain text.
pub(super) fn filled(
    walk: &mut Walk<'_>,
    node: &Node,
    item: &Map<String, Value>,
    path: &str,
) -> Option<Text> {
    let source = node.text()?;
    if !source.contains("{{") {
        return Some(source.into());
    }
    let facts = Facts::new(json!({ ITEM: item }));
    match Template::compile(source).and_then(|template| template.render(&facts)) {
        Ok(text) => Some(text.into()),
        Err(fault) => {
            let message = format!("{}, at {}", fault.message, fault.place(source));
            walk.fault(
                &node.span,
                &join("", path),
                message,
                "only item.NAME can be filled in here",
            );
            Some(source.into())
        }
    }
}
