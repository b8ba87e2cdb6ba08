//! Page with the results of the operator's last commands, from the log. Notices of them disappear with the next key
//! press.

use crate::model::{Ms, SeatId};
use crate::text;
use crate::text::clock;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::{Page, Section};
use crate::ui::view::receipts::CommandOutcome;
use crate::ui::view::transcript::Transcript;
use serde_json::{Map, Value};

/// Maximum number of characters shown of a command's text.
const WORDS_MAX: usize = 60;

/// Returns the page; `None` if no command was given.
pub fn page(transcript: &Transcript, _: Ms, _: &Glyphs) -> Option<Page> {
    let part = |outcome: &CommandOutcome| Section {
        head: format!("{}  {}", clock(outcome.at.0), asked(transcript, &outcome.line)),
        body: format!("      {}", outcome.is),
        warns: outcome.refused,
        ..Section::default()
    };
    let parts: Vec<Section> = transcript.outcomes.iter().map(part).collect();
    let title = "Your last commands, the latest first".into();
    (!parts.is_empty()).then(|| Page { title, parts, again: Some(page), ..Page::default() })
}

/// Describes a command: its verb, its arguments and its text.
fn asked(transcript: &Transcript, line: &Map<String, Value>) -> String {
    let of = |key: &str| line.get(key).filter(|value| !value.is_null());
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let name = |value: &Value| transcript.name(&SeatId::from(plain(value).as_str()));
    let names = |value: &Value| match value {
        Value::Array(all) => all.iter().map(name).collect::<Vec<_>>().join(", "),
        one => name(one),
    };
    let settings = |value: &Value| {
        let each = value.as_object().into_iter().flatten();
        each.map(|(key, value)| format!("{key} {}", plain(value))).collect::<Vec<_>>().join(", ")
    };
    let mut told = of("do").map_or("?".into(), |verb| plain(verb).replace('_', " "));
    let parts = [
        of("who").map(names),
        of("to").map(|to| format!("to {}", names(to))),
        of("for").map(|lives| match lives.as_str() {
            Some("round") => "for this round".into(),
            Some("standing") => "until lifted".into(),
            _ => "for the next turn".into(),
        }),
        of("participant").and_then(|p| p.get("name").or(p.get("id"))).map(plain),
        of("tool").map(plain),
        of("yes").map(|yes| if yes == true { "allowed" } else { "refused" }.to_owned()),
        of("once").filter(|once| *once == true).map(|_| "once".into()),
        of("utterance").map(|n| format!("turn {n}")),
        of("alternative").map(|n| format!("version {n}")),
        of("step").map(|n| format!("step {n}")),
        of("before").map(|n| format!("before step {n}")),
        of("n").map(|n| if n == 1 { "one turn".into() } else { format!("{n} turns") }),
        of("note").map(plain),
        of("winner").map(plain),
        of("final_round").filter(|last| *last == true).map(|_| "with closing statements".into()),
    ];
    for part in parts.into_iter().flatten() {
        told = format!("{told} {part}");
    }
    let words: Option<String> =
        of("text").or(of("question")).map(plain).or_else(|| of("set").map(settings));
    if let Some(words) = words {
        let whole = text::label(&words);
        let cut: String = whole.chars().take(WORDS_MAX).collect();
        let more = if cut.len() < whole.len() { "..." } else { "" };
        told = format!("{told}: {}{more}", cut.trim_end());
    }
    text::label(&told).into_owned()
}
