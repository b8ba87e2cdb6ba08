//! Files that a panel reads: they fit into the context windows of its models, or they are cut on request.

use crate::cli::error::{Exit, Failure};
use crate::model::{Command, Key, Participant, SteerLine, Text};
use crate::prompt::{LINE_NUMBER_TOKENS, assumed_window, estimate_tokens, material_tokens};

/// Beginning of the line that replaces the rest of a file.
const CUT: &str = "[The rest of this file is left out: ";
/// Tokens of that line, on the safe side.
const CUT_TOKENS: usize = 48;
/// Bytes per kilobyte, in messages.
const KILOBYTE: usize = 1_000;

/// Part of a file that is read.
pub struct ReadPart {
    /// Name of the file.
    pub name: Text,
    /// Size of the file, in bytes.
    pub bytes: usize,
    /// Number of its bytes that are read.
    pub read: usize,
}

impl ReadPart {
    /// Returns the part of a file in a message about it.
    pub fn new(name: &Text, text: &str) -> ReadPart {
        let cut = text.rsplit_once(CUT);
        let read = cut.map_or(text.len(), |(kept, _)| kept.len());
        let left_out = cut.and_then(|(_, count)| count.split(' ').next()?.parse::<usize>().ok());
        ReadPart { name: name.clone(), bytes: read + left_out.unwrap_or(0), read }
    }

    /// Returns true if a part of the file is left out.
    pub fn is_cut(&self) -> bool {
        self.read < self.bytes
    }

    /// Returns the share of the file that is read, in percent.
    pub fn percent(&self) -> usize {
        self.read * 100 / self.bytes.max(1)
    }

    /// Returns the part in words: `main.py: read 23 % of 33 kB`.
    pub fn words(&self) -> String {
        format!("{}: read {} % of {}", self.name, self.percent(), size(self.bytes))
    }
}

fn size(bytes: usize) -> String {
    if bytes < KILOBYTE { format!("{bytes} bytes") } else { format!("{} kB", bytes / KILOBYTE) }
}

/// Returns the tokens of a file with numbered lines.
fn cost(text: &str) -> usize {
    estimate_tokens(text) + text.lines().count() * LINE_NUMBER_TOKENS
}

/// Checks that all files fit into the windows of the seats' models, or with `cuts` shortens them until they do.
///
/// # Errors
/// If a file does not fit and may not be cut.
pub fn fit(
    lines: &mut [(Key, SteerLine)],
    seats: &[Participant],
    cuts: bool,
) -> Result<(), Failure> {
    let readers = seats.iter().filter(|seat| seat.voice.is_model());
    let Some(narrowest) = readers.min_by_key(|seat| material_tokens(seat)) else { return Ok(()) };
    let room = material_tokens(narrowest);
    let all: usize = files(lines).map(|(_, text)| cost(text)).sum();
    if all <= room {
        return Ok(());
    }
    if !cuts {
        return Err(too_large(lines, narrowest, all));
    }
    for (_, line) in lines {
        if let Command::Say { text, material: Some(_), .. } = &mut line.command {
            *text = beginning(text, room * cost(text) / all).into();
        }
    }
    Ok(())
}

/// Returns the files among some messages, each with its name.
fn files(lines: &[(Key, SteerLine)]) -> impl Iterator<Item = (&Text, &Text)> {
    lines.iter().filter_map(|(_, line)| match &line.command {
        Command::Say { text, material: Some(name), .. } => Some((name, text)),
        _ => None,
    })
}

/// Returns the first lines of a file that cost at most `most` tokens, with a line about the rest. A file of a single
/// long line keeps the beginning of that line.
fn beginning(text: &str, most: usize) -> String {
    if cost(text) <= most {
        return text.to_owned();
    }
    let most = most.saturating_sub(CUT_TOKENS);
    let mut end = 0;
    let mut spent = 0;
    for line in text.split_inclusive('\n') {
        spent += line.len().div_ceil(3) + LINE_NUMBER_TOKENS;
        if spent > most {
            break;
        }
        end += line.len();
    }
    if end == 0 {
        end = text.floor_char_boundary(most * 2);
    }
    let (kept, rest) = text.split_at(end);
    let newline = if kept.is_empty() || kept.ends_with('\n') { "" } else { "\n" };
    let rest = rest.len() - newline.len().min(rest.len());
    format!("{kept}{newline}{CUT}{rest} bytes.]")
}

fn too_large(lines: &[(Key, SteerLine)], seat: &Participant, tokens: usize) -> Failure {
    let files: Vec<String> =
        files(lines).map(|(name, text)| format!("{name} ({})", size(text.len()))).collect();
    let window = match seat.window {
        Some(window) => format!("{window} tokens"),
        None => format!("unknown, so {} tokens are assumed", assumed_window(seat)),
    };
    let model = seat.voice.as_model().map(|model| model.name.to_string()).unwrap_or_default();
    Failure::new(
        Exit::Invalid,
        format!(
            "{}: about {tokens} tokens, more than half of the context window of {} ({window})",
            files.join(", "),
            seat.id
        ),
    )
    .hint(format!(
        "name fewer or smaller files, or a model with a larger window; if the window is larger, set [models.\"{model}\"] \
         window = N in the settings; --cut reads the beginning only"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_whole_lines_and_counts_the_bytes_of_the_rest() {
        let text = "a line of text\n".repeat(100);
        for text in [text.as_str(), &text.replace('\n', " ")] {
            let cut = beginning(text, 200);
            assert!(cost(&cut) <= 200, "{}", cost(&cut));
            let part = ReadPart::new(&"x".into(), &cut);
            assert_eq!(part.bytes, text.len());
            assert!(part.is_cut() && part.percent() > 10, "{}", part.words());
        }
        assert_eq!(beginning("short", 200), "short");
    }
}
