//! `/commands`: every command of the operator as one line, parsed with the table of commands.
//!
//! `/cut-in @bo One moment.` is the command `cut_in` with its keys in a fixed order: seats, numbers, names, then the
//! rest as text. The result is validated by `model`, like a steering line.

mod joining;
mod pairs;

use crate::model::command::{COMMANDS, CommandRow};
use crate::model::near::nearest;
use crate::model::{Command, Key, MessageNumber, SeatId, SteerLine};
use crate::state::State;
use serde_json::{Map, Value};

pub use pairs::TypedFault;

/// Keys in the order in which they are parsed, with their names in the usage.
pub const KEYS: &[(&str, &str)] = &[
    ("who", "NAME"),
    ("to", "NAME"),
    ("utterance", "N"),
    ("alternative", "N"),
    ("n", "N"),
    ("step", "N"),
    ("before", "N"),
    ("note", "NOTE"),
    ("of", "NUMBER"),
    ("tool", "TOOL"),
    ("yes", "yes|no"),
    ("on", "yes|no"),
    ("once", "once"),
    ("for", "--round|--standing"),
    ("final_round", "final"),
    ("set", "KEY=VALUE, ..."),
    ("participant", "NAME, WHO, KEY=VALUE, ..."),
    ("winner", "SIDE"),
    ("tie", "--first|--random"),
    ("count", "--count=WAY,WAY"),
    ("question", "QUESTION"),
    ("options", "| OPTION ..."),
    ("text", "TEXT"),
];

/// Returns the `/command` of a command.
pub fn spelled(row: &CommandRow) -> String {
    format!("/{}", row.name.replace('_', "-"))
}

/// Returns the usage of a `/command`: required arguments, and optional ones in brackets.
pub fn usage(row: &CommandRow) -> String {
    let mut usage = spelled(row);
    for (key, name) in KEYS {
        let seat = if row.takes.contains(key) && *name == "NAME" { "@" } else { "" };
        if row.needs.contains(key) {
            usage.push_str(&format!(" {name}"));
        } else if row.takes.contains(key) {
            usage.push_str(&format!(" [{seat}{name}]"));
        }
    }
    usage
}

/// Returns the command named by the first word of a line.
pub fn row(line: &str) -> Option<&'static CommandRow> {
    let mut words = line.strip_prefix('/')?.split_whitespace();
    let name = words.next()?;
    // without arguments, the screen lists the models
    let name = if name == "model" && words.next().is_some() { "change" } else { name };
    // some people write it with a hyphen
    let name = if name == "re-roll" { "reroll" } else { name };
    let name = match name {
        "next" => "floor",
        "again" => "retry",
        name => name,
    };
    COMMANDS.iter().find(|r| spelled(r)[1..] == *name)
}

/// Returns the command whose name is most like the first word of a line.
pub fn nearest_command(line: &str) -> Option<String> {
    let names: Vec<String> = COMMANDS.iter().map(spelled).collect();
    let word = line.split_whitespace().next()?;
    nearest(word, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Parses a line.
///
/// # Errors
/// The missing or invalid part, and its correct form.
pub fn read(line: &str, state: &State) -> Result<Command, TypedFault> {
    // accept the command in two words
    let joined = line.strip_prefix("/pause now").map(|rest| format!("/pause-now{rest}"));
    let joined = joined.or_else(|| model_change(line));
    let line = joined.as_deref().unwrap_or(line);
    let Some(row) = row(line) else {
        let word = line.split_whitespace().next().unwrap_or("/");
        let near = nearest_command(line)
            .map_or("type / to see them".to_owned(), |near| format!("the nearest is {near}"));
        return Err(format!("unknown command {word}; {near}").into());
    };
    let mut rest = line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim();
    let mut map = Map::from_iter([("do".to_owned(), Value::from(row.name))]);
    for (key, _) in KEYS {
        let needed = row.needs.contains(key);
        if !needed && !row.takes.contains(key) {
            continue;
        }
        if let Some(value) = value(key, needed, &mut rest, state)? {
            map.insert((*key).to_owned(), value);
        } else if needed {
            return Err(format!("use {}", usage(row)).into());
        }
    }
    if !rest.is_empty() {
        return Err(format!("use {}", usage(row)).into());
    }
    SteerLine::from_map(map).map(|line| line.command).map_err(|e| e.to_string().into())
}

/// Returns `/model NAME MODEL` as the change of a participant.
fn model_change(line: &str) -> Option<String> {
    let (who, model) = line.strip_prefix("/model ")?.trim().split_once(char::is_whitespace)?;
    Some(format!("/change {who} model = {}", Value::from(model.trim())))
}

/// Takes the value of a key from the rest of a line; `None` if it is missing.
fn value(
    key: &str,
    needed: bool,
    rest: &mut &str,
    state: &State,
) -> Result<Option<Value>, TypedFault> {
    let word = rest.split_whitespace().next().unwrap_or_default();
    let found = match key {
        "of" => return waiting(word, rest, state).map(Some),
        _ if rest.is_empty() => return Ok(None),
        // what follows would be heard by all
        "who" if word.starts_with("@@") => {
            return Err(format!("\"{word}\" addresses one person: use /whisper NAME TEXT").into());
        }
        "who" | "to" if needed || word.starts_with('@') => {
            Some(Value::from(seat(word, state)?.to_string()))
        }
        "utterance" | "alternative" | "n" | "step" | "before" => {
            let turn = word.trim_start_matches(['u', '#']).parse::<u32>().map(MessageNumber::Turn);
            match turn.or_else(|e| MessageNumber::of_host(word).ok_or(e)) {
                Ok(number) => Some(number.into()),
                Err(_) if needed => return Err(format!("not a number: `{word}`").into()),
                Err(_) => None,
            }
        }
        "yes" | "on" => match word {
            "yes" => Some(true.into()),
            "no" => Some(false.into()),
            _ => None,
        },
        "for" => ["round", "standing", "utterance"]
            .into_iter()
            .find(|lives| word.strip_prefix("--") == Some(lives))
            .map(Value::from),
        "tie" => ["first", "random"]
            .into_iter()
            .find(|tie| word.strip_prefix("--") == Some(tie))
            .map(Value::from),
        "count" => word
            .strip_prefix("--count=")
            .map(|ways| ways.split(',').map(str::trim).map(Value::from).collect::<Vec<_>>().into()),
        "once" => (word == "once").then(|| true.into()),
        "final_round" => (word == "final").then(|| true.into()),
        "note" | "tool" => Some(word.into()),
        "set" | "participant" => {
            let words = std::mem::take(rest);
            let pairs = match key {
                "set" => joining::changes(words),
                _ => joining::participant(words, state),
            }?;
            return serde_json::to_value(&pairs).map(Some).map_err(|e| e.to_string().into());
        }
        "question" => {
            let end = rest.find('|').unwrap_or(rest.len());
            let (question, options) = rest.split_at(end);
            *rest = options;
            return Ok(Some(question.trim().into()));
        }
        "options" => {
            let options = std::mem::take(rest).split('|').map(str::trim).filter(|o| !o.is_empty());
            return Ok(Some(options.collect::<Vec<_>>().into()));
        }
        "text" | "winner" => return Ok(Some(std::mem::take(rest).into())),
        _ => None,
    };
    if found.is_some() {
        *rest = rest[word.len()..].trim_start();
    }
    Ok(found)
}

/// Takes a queued message from the rest of a line: by its number as shown, or by its key; neither is needed if only
/// one is queued.
///
/// # Errors
/// If none is queued, or the line does not identify one of several.
fn waiting(word: &str, rest: &mut &str, state: &State) -> Result<Value, TypedFault> {
    let all: Vec<&Key> = state.queued_messages().map(|waits| &waits.given.key).collect();
    let number = || all.get(word.parse::<usize>().ok()?.checked_sub(1)?).copied();
    let keyed = || all.iter().find(|key| *key.0 == *word).copied();
    let key = match (keyed().or_else(number), &all[..]) {
        (_, []) => return Err("no queued messages".into()),
        (Some(key), _) => {
            *rest = rest[word.len()..].trim_start();
            key
        }
        (None, [key]) => key,
        (None, all) => {
            return Err(format!(
                "{} messages are queued: give the number of one, from 1",
                all.len()
            )
            .into());
        }
    };
    Ok(Value::from(key.0.to_string()))
}

/// Finds a seat by its id, its number or its name, with or without `@`.
pub fn seat(word: &str, state: &State) -> Result<SeatId, TypedFault> {
    let name = word.trim_start_matches('@').trim_end_matches([',', ':']);
    let number = name.parse::<usize>().ok().and_then(|n| state.seats.get(n.checked_sub(1)?));
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let named = state.seats.iter().find(|s| same(&s.spec.id) || same(&s.spec.name));
    let found = named.or(number).map(|s| s.spec.id.clone());
    found.ok_or_else(|| format!("no participant named `{name}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::command::NoteFor;
    use crate::model::{Addressed, Aggregation, AnswerTie};
    use crate::model::{Event, FailureRule, Kind, Ms, ThreadId, Timeouts, Wall};
    use serde_json::json;

    fn take(state: &mut State, kind: &str, data: serde_json::Value) {
        let data = serde_json::value::to_raw_value(&data).unwrap();
        state.apply(&Event {
            seq: state.next_seq,
            at: Wall(0),
            ms: Ms(0),
            thread: ThreadId::ROOT,
            by: "engine".into(),
            cause: None,
            kind: Kind::read(kind, &data).unwrap(),
        });
    }

    /// Returns a state with three seats and queued messages.
    fn state() -> State {
        let seat = |id: &str| {
            json!({
                "id": id, "name": id.to_uppercase(), "voice": {"lines": {"lines": [], "pace": 0}},
                "timeouts": Timeouts::default(), "on_failure": FailureRule::default(),
            })
        };
        let seats: Vec<serde_json::Value> = ["ada", "bo", "cy"].map(seat).into();
        let mut state = State::default();
        let opened = json!({
            "format": 1, "program": "test", "seed": 1, "rehearsed": true, "parallel": 1,
            "scenario": {"title": "Test", "policy": {"name": "round_robin"}},
            "participants": seats,
        });
        take(&mut state, "conversation.opened", opened);
        let words = json!({"key": "0:1", "do": "say", "text": "Wait."});
        take(&mut state, "command.given", words);
        take(&mut state, "receipt", json!({"of": "0:1", "is": "queued"}));
        state
    }

    #[test]
    fn every_command_has_a_command_that_reads_back() {
        let state = state();
        for row in COMMANDS {
            let arguments: Vec<&str> = KEYS
                .iter()
                .filter(|(key, _)| row.needs.contains(key))
                .map(|(key, _)| match *key {
                    "who" | "to" => "Bo",
                    "utterance" | "alternative" | "step" => "2",
                    "yes" | "on" => "yes",
                    "of" => "1",
                    "set" if row.name == "limit" => "utterances = 12",
                    "set" => "weight = 2",
                    "participant" => "id = \"dee\", lines = [\"Hello.\"]",
                    _ => "words",
                })
                .collect();
            let line = format!("{} {}", spelled(row), arguments.join(" "));
            let command = read(&line, &state).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(command.name(), row.name);
            assert_eq!(arguments.len(), row.needs.len(), "{line}");
        }
    }

    #[test]
    fn a_model_is_changed_by_a_word() {
        let state = state();
        for (typed, model) in [
            ("/model bo gemini", "gemini"),
            ("/model @bo  llama3:8b", "llama3:8b"),
            ("/change bo gemini", "gemini"),
        ] {
            let set = serde_json::from_value(json!({"model": model})).unwrap();
            let change = Command::Change { who: "bo".into(), set };
            assert_eq!(read(typed, &state).unwrap(), change, "{typed}");
        }
        assert!(row("/model").is_none(), "the screen has a list");
        read("/model bo", &state).unwrap_err();
    }

    #[test]
    fn command_lines_are_parsed() {
        let state = state();
        let join =
            |participant: &serde_json::Value| Command::Join { participant: participant.clone() };
        let bo: SeatId = "bo".into();
        for (line, command) in [
            (
                "/cut-in One moment.",
                Command::CutIn { text: "One moment.".into(), who: None, re: None },
            ),
            (
                "/cut-in @Bo stop",
                Command::CutIn { text: "stop".into(), who: Some(bo.clone()), re: None },
            ),
            (
                "/whisper @bo: psst, you",
                Command::Whisper(Addressed::new(bo.clone(), "psst, you".into())),
            ),
            ("/floor 2", Command::Floor { to: bo.clone() }),
            ("/step 3", Command::Step { n: 3 }),
            ("/step", Command::Step { n: 1 }),
            ("/pause now", Command::PauseNow {}),
            ("/hide h2", Command::Hide { utterance: MessageNumber::Host(2), text: None }),
            ("/edit u2 better", Command::Edit { utterance: 2, text: "better".into() }),
            ("/end final", Command::End { final_round: true }),
            (
                "/note @bo --standing be brief",
                Command::Note { text: "be brief".into(), to: vec![bo], lives: NoteFor::Standing },
            ),
            ("/join dee", join(&json!({"id": "dee"}))),
            (
                "/join dee persona = A calm voice, role=con",
                join(&json!({"id": "dee", "persona": "A calm voice", "role": "con"})),
            ),
            (
                "/join id = \"dee\", lines = [\"Hello, you.\"]",
                join(&json!({"id": "dee", "lines": ["Hello, you."]})),
            ),
            (
                "/change @bo model = openai:gpt-5, weight = 2",
                Command::Change {
                    who: "bo".into(),
                    set: serde_json::from_value(json!({"model": "openai:gpt-5", "weight": 2}))
                        .unwrap(),
                },
            ),
            (
                "/vote Ban them? | yes | no",
                Command::Vote {
                    question: "Ban them?".into(),
                    options: vec!["yes".into(), "no".into()],
                    tie: AnswerTie::None,
                    count: vec![],
                },
            ),
            (
                "/vote --first --count=majority,borda Where? | Rome | Oslo",
                Command::Vote {
                    question: "Where?".into(),
                    options: vec!["Rome".into(), "Oslo".into()],
                    tie: AnswerTie::First,
                    count: vec![Aggregation::Majority, Aggregation::Borda],
                },
            ),
        ] {
            assert_eq!(read(line, &state).as_ref(), Ok(&command), "{line}");
        }
    }

    #[test]
    fn wrong_line_reports_a_fix() {
        let state = state();
        for (line, words) in [
            ("/flor bo", "nearest is /floor"),
            ("/floor", "use /floor NAME"),
            ("/floor dan", "no participant named `dan`"),
            ("/pause later", "use /pause"),
            ("/step 0", "must be at least 1"),
            ("/limit 12", "KEY=VALUE"),
            ("/limit utterances =", "has no value"),
            ("/join dee, persona = A calm, quiet voice", "KEY=VALUE"),
        ] {
            let why = read(line, &state).unwrap_err();
            assert!(why.to_string().contains(words), "{line}: {why}");
        }
    }
}
