//! Completion in the composer: seats after `@`, commands after `/`, and their arguments. Candidates are listed above
//! the composer, selected with the keys for lists, and never inserted automatically.

use crate::model::ModelSpec;
use crate::model::command::CommandRow;
use crate::steer::line::spelled as spelled_message;
use crate::steer::slash::{self, usage};
use crate::text;
use crate::ui::action::Action;
use crate::ui::keymap::{LISTED, parse_action};
use crate::ui::view::list::formats;
use crate::ui::view::transcript::Transcript;
use tui_textarea::TextArea;

/// Common keys of a seat.
const SEAT_KEYS: [&str; 7] =
    ["model", "persona", "weight", "temperature", "talkativeness", "max_tokens", "timeout"];
const LIMIT_KEYS: [&str; 5] = ["utterances", "rounds", "seconds", "tokens", "usd"];

/// A completion candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Text to insert.
    pub words: String,
    /// Description shown beside it.
    pub about: String,
}

/// The open completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Candidates; never empty.
    pub candidates: Vec<Candidate>,
    /// Index of the selected candidate.
    pub at: usize,
    /// Word before the caret.
    word: String,
}

impl Completion {
    /// Returns the candidates at the caret; `None` if nothing matches or the word is already complete.
    pub fn at_caret(
        area: &TextArea<'_>,
        transcript: &Transcript,
        themes: &[&str],
    ) -> Option<Completion> {
        let (before, first) = before_caret(area);
        // a value starts after the `=` of its key
        let apart = |c: char| c.is_whitespace() || c == '=';
        let start = before.rfind(apart).map_or(0, |at| at + 1);
        let word = before[start..].to_owned();
        let all = match (word.strip_prefix('@'), first && before.starts_with('/')) {
            (Some(name), _) if name.starts_with('@') => seats(transcript, "@@"),
            (Some(_), _) => seats(transcript, "@"),
            (None, true) if start == 0 => every_command(),
            (None, true) => arguments(transcript, themes, &before[..start]),
            (None, false) => vec![],
        };
        let typed = word.to_lowercase();
        let begins = |c: &Candidate| {
            let words = c.words.to_lowercase();
            // as an argument a name may be typed without its sign
            let without_sign = first && !typed.is_empty();
            let bare = words.strip_prefix('@');
            let is_named = |bare: &str| without_sign && bare.starts_with(&typed);
            words.starts_with(&typed) || bare.is_some_and(is_named)
        };
        let mut candidates: Vec<Candidate> = all.into_iter().filter(begins).collect();
        candidates.sort_by_key(|c| c.words.to_lowercase() != typed);
        // nothing to offer for a complete word
        let whole = matches!(&candidates[..], [only] if only.words == word);
        (!candidates.is_empty() && !whole).then_some(Completion { candidates, at: 0, word })
    }

    /// Returns whether there is nothing to insert: the selected candidate is already there, or no word was begun and
    /// none was selected.
    pub fn is_whole(&self) -> bool {
        let selected = self.candidates.get(self.at);
        let begun = !self.word.is_empty() || self.at > 0;
        let is_there =
            |words: &str| words == self.word || words.strip_prefix('@') == Some(&self.word);
        !begun || selected.is_some_and(|candidate| is_there(&candidate.words))
    }

    /// Selects the previous candidate, wrapping around.
    pub fn up(&mut self) {
        self.at = self.at.checked_sub(1).unwrap_or(self.candidates.len() - 1);
    }

    /// Selects the next candidate, wrapping around.
    pub fn down(&mut self) {
        self.at = (self.at + 1) % self.candidates.len();
    }

    /// Replaces the word with the selected candidate.
    pub fn take(&self, area: &mut TextArea<'_>) {
        let Some(chosen) = self.candidates.get(self.at) else { return };
        self.word.chars().for_each(|_| _ = area.delete_char());
        let open = chosen.words.ends_with(['=', '"']);
        area.insert_str(format!("{}{}", chosen.words, if open { "" } else { " " }));
    }
}

/// Returns the text before the caret in its line, and whether that is the first line.
fn before_caret(area: &TextArea<'_>) -> (String, bool) {
    let cursor = area.cursor();
    let line = area.lines().get(cursor.0).map_or("", String::as_str);
    (line.chars().take(cursor.1).collect(), cursor.0 == 0)
}

fn candidate(words: impl Into<String>, about: impl Into<String>) -> Candidate {
    Candidate { words: words.into(), about: about.into() }
}

fn every_command() -> Vec<Candidate> {
    LISTED.iter().map(|listed| candidate(listed.line(), listed.meaning())).collect()
}

fn seats(transcript: &Transcript, sign: &str) -> Vec<Candidate> {
    let here = transcript.state().seats.iter().filter(|s| !s.gone);
    let role = |role: &crate::model::Text| text::name(role).into_owned();
    here.map(|s| {
        let present = transcript.state().present_role(&s.spec.id);
        let about = present.map_or(String::new(), |r| format!(", {}", role(r)));
        candidate(format!("{sign}{}", s.spec.id), transcript.name(&s.spec.id) + &about)
    })
    .collect()
}

/// Returns the models in use and their fallbacks.
fn models(transcript: &Transcript) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for seat in &transcript.state().seats {
        let names = seat.spec.voice.as_model().into_iter().flat_map(ModelSpec::names);
        for name in names.map(|name| text::name(name).into_owned()) {
            if !name.is_empty() && !all.iter().any(|known| known.words == name) {
                all.push(candidate(name, "in use"));
            }
        }
    }
    all
}

/// Returns the candidates for the next argument of a command.
fn arguments(transcript: &Transcript, themes: &[&str], before: &str) -> Vec<Candidate> {
    let second = before.split_whitespace().count() == 1;
    if let Some(keys) = before.trim_end().strip_suffix('=') {
        let key = keys.split_whitespace().next_back();
        return if key == Some("model") { models(transcript) } else { vec![] };
    }
    if let Some(row) = slash::row(before) {
        return command_arguments(row, second, transcript);
    }
    let named = |names: Vec<&str>| names.into_iter().map(|n| candidate(n, "")).collect();
    match parse_action(before) {
        Some((row, _)) if second => match row.action {
            Action::Filter => seats(transcript, ""),
            Action::Theme => named(themes.to_vec()),
            Action::Export => named(formats().collect()),
            Action::Picture => named(vec!["png", "svg", "ans"]),
            _ => vec![],
        },
        Some(_) | None => vec![],
    }
}

fn command_arguments(row: &CommandRow, second: bool, transcript: &Transcript) -> Vec<Candidate> {
    let has = |key: &str| row.needs.contains(&key) || row.takes.contains(&key);
    let mut all = Vec::new();
    if second && (has("who") || has("to")) {
        all.extend(seats(transcript, "@"));
    }
    if second && has("of") {
        let queued = transcript.queued().map(spelled_message).enumerate();
        all.extend(queued.map(|(n, words)| candidate((n + 1).to_string(), text::line(&words))));
    }
    if has("for") {
        all.push(candidate("--round", "until this round ends"));
        all.push(candidate("--standing", "until you remove it"));
    }
    if has("final_round") {
        all.push(candidate("final", "after closing statements"));
    }
    if (has("yes") || has("on")) && !second {
        all.extend([candidate("yes", ""), candidate("no", "")]);
    }
    let keys = match row.name {
        "limit" => &LIMIT_KEYS[..],
        "change" | "join" if !second => &SEAT_KEYS[..],
        _ => &[],
    };
    all.extend(keys.iter().map(|key| candidate(format!("{key} ="), usage(row))));
    all
}
