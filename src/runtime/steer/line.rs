//! Typed lines: the one reader for the screen, the text mode, the shell, pages and clients.
//!
//! `/x` is a command in every manner, `@@bo x` a whisper; other words are for everybody. Text that is addressed to one
//! participant never becomes a command that others hear.

use super::slash::{self, TypedFault};
use crate::model::name::{after_name, ends_name};
use crate::model::{Addressed, Command, QueuedWords, Recipient, SeatId, Text};
use crate::state::{PendingCommand, State};
use crate::text;
use std::borrow::Cow;

/// Sign before the name of the only participant that hears a line.
const SIGN: &str = "@@";
/// Command that does the same as the sign.
const WHISPER: &str = "/whisper";
/// A way in through which people and clients type lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryPoint {
    /// Input box of the full screen.
    Screen,
    TextMode,
    /// Arguments of a shell command.
    Shell,
    /// Page in a browser.
    Page,
    /// Editor that speaks ACP.
    Acp,
    /// Client of the MCP server.
    Mcp,
}

impl EntryPoint {
    pub const ALL: [EntryPoint; 6] = [
        EntryPoint::Screen,
        EntryPoint::TextMode,
        EntryPoint::Shell,
        EntryPoint::Page,
        EntryPoint::Acp,
        EntryPoint::Mcp,
    ];

    /// Returns whether it has commands of its own and a list of all, so that an unknown `/word` is a mistake and
    /// not text.
    fn lists_commands(self) -> bool {
        matches!(self, EntryPoint::Screen | EntryPoint::TextMode)
    }

    /// Returns whether somebody sits at a terminal.
    fn is_terminal(self) -> bool {
        matches!(self, EntryPoint::Screen | EntryPoint::TextMode | EntryPoint::Shell)
    }
}

/// The command that words for everybody become.
#[derive(Clone, Debug, PartialEq)]
pub enum Manner {
    /// A message after the running turn.
    Say,
    /// A message that stops the running turn.
    CutIn,
    /// The turn of a person's seat.
    Speak(SeatId),
}

/// The meaning of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// A command of the conversation.
    Give(Command),
    /// A `/word` that is not one; the entry point may have it.
    Local,
}

/// How a line was typed.
#[derive(Clone, Debug)]
pub struct Typing<'a> {
    pub by: EntryPoint,
    /// Command of words for everybody.
    pub manner: Manner,
    /// Number of the turn that it answers.
    pub re: Option<u32>,
    /// Chosen participant, whom words for everybody address.
    pub to: Option<SeatId>,
    /// Queued message that the text was taken from.
    pub from: Option<&'a PendingCommand>,
}

impl Typing<'_> {
    /// Returns a new line at an entry point.
    pub fn new(by: EntryPoint, manner: Manner) -> Typing<'static> {
        Typing { by, manner, re: None, to: None, from: None }
    }
}

/// Parses a line.
///
/// # Errors
/// The invalid part, and its correct form. Nothing is said then.
pub fn read_line(line: &str, typing: &Typing<'_>, state: &State) -> Result<Intent, TypedFault> {
    let line = with_ascii_sign(line);
    let line = line.trim();
    if let Some(rest) = addressed(line) {
        let words = whisper(rest, state)?;
        return Ok(Intent::Give(Command::Whisper(words)));
    }
    if let Some(rest) = line.strip_prefix('/').filter(|rest| !rest.starts_with('/')) {
        match slash::row(line) {
            Some(_) if rest == "pass" => {
                let Manner::Speak(who) = &typing.manner else {
                    return Err("it is not your turn".into());
                };
                return Ok(Intent::Give(Command::Pass { who: who.clone() }));
            }
            Some(_) => {}
            None if typing.by.lists_commands() => return Ok(Intent::Local),
            // a misspelt whisper is not for everybody
            None if described(line, state).is_none()
                && slash::nearest_command(line).as_deref() == Some(WHISPER) => {}
            None => {
                // other programs have other words for a whisper: `/w bo ...`, `/msg bo ...`
                let named = rest.split_once(char::is_whitespace).and_then(|(word, rest)| {
                    let rest = rest.trim_start().trim_start_matches('@');
                    let words = whisper(&format!("{rest} …"), state).ok()?;
                    word.chars().all(char::is_alphabetic).then(|| words.to().clone())
                });
                return match named {
                    Some(to) => Err(for_whispers(&to)),
                    None => said(line, typing, state).map(Intent::Give),
                };
            }
        }
        let command = slash::read(line, state)?;
        if command.needs_terminal() && !typing.by.is_terminal() {
            let name = rest.split_whitespace().next().unwrap_or_default();
            return Err(format!("`/{name}` needs a terminal: colloquium attach").into());
        }
        private(&command, state)?;
        return Ok(Intent::Give(command));
    }
    said(line, typing, state).map(Intent::Give)
}

/// Returns the command of words for everybody.
fn said(line: &str, typing: &Typing<'_>, state: &State) -> Result<Command, TypedFault> {
    if let Some(QueuedWords::One(words)) = typing.from.and_then(|from| from.words.as_ref()) {
        return Err(for_one(words, state));
    }
    if let Some(to) = described(line, state) {
        return Err(for_whispers(&to));
    }
    // a line that begins with a slash is text after a second one
    let text = match line.strip_prefix('/').filter(|rest| rest.starts_with('/')) {
        Some(rest) if rest[1..].starts_with(char::is_alphanumeric) => Text::from(rest),
        Some(_) | None => line.into(),
    };
    let text = match &typing.to {
        Some(to) if !line.starts_with('@') => format!("@{to} {text}").into(),
        Some(_) | None => text,
    };
    let command = match &typing.manner {
        Manner::Say => Command::Say { text, re: typing.re, material: None },
        Manner::CutIn => Command::CutIn { text, who: None, re: typing.re },
        Manner::Speak(who) => Command::Speak { text, who: who.clone() },
    };
    private(&command, state)?;
    Ok(command)
}

fn for_one(words: &Addressed, state: &State) -> TypedFault {
    let name = state.seat(words.to()).map_or(&*words.to().0, |seat| &seat.spec.name);
    format!("this was for {name} alone: esc, then write it again").into()
}

/// Returns the whisper of a name and a text.
fn whisper(rest: &str, state: &State) -> Result<Addressed, TypedFault> {
    let here = || state.seats.iter().filter(|seat| !seat.gone);
    let mut named: Vec<(&str, &SeatId)> = here()
        .flat_map(|seat| seat.spec.names().map(|name| (name, &seat.spec.id)))
        .filter_map(|(name, id)| Some((after_name(rest, name)?, id)))
        .collect();
    // the longest name: a seat may be called "Bo Lind" and another "Bo"
    named.sort_by_key(|(text, _)| text.len());
    let word = rest.split(ends_name).next();
    let word = word.unwrap_or_default();
    let by_number = || {
        let seat = state.seats.get(word.parse::<usize>().ok()?.checked_sub(1)?)?;
        (!seat.gone).then_some((rest.get(word.len()..)?, &seat.spec.id))
    };
    let Some((text, to)) = named.first().copied().or_else(by_number) else {
        return Err(format!("nobody here is called {word}; nothing was said").into());
    };
    let text = text.trim_start_matches(ends_name);
    if text.is_empty() {
        return Err(format!("write what {to} alone should hear, as in: {SIGN}{to} TEXT").into());
    }
    for_another(text, state)?;
    Ok(Addressed::new(to.clone(), text.into()))
}

/// Rejects the text of a whisper that begins with another address.
fn for_another(text: &str, state: &State) -> Result<(), TypedFault> {
    let text = with_ascii_sign(text);
    if addressed(text.trim()).is_some_and(|rest| whisper(&format!("{rest} …"), state).is_ok()) {
        return Err(format!("a whisper is for one; begin a line with {SIGN} for each").into());
    }
    Ok(())
}

/// Returns the name and the text of a line for one participant: after `@@` and a word, or after
/// `/whisper`. `None` for other lines, such as the `@@ -1,3 @@` of a diff.
pub fn addressed(line: &str) -> Option<&str> {
    if let Some((word, rest)) = line.split_once(char::is_whitespace)
        && word.eq_ignore_ascii_case(WHISPER)
    {
        return Some(rest.trim_start().trim_start_matches('@'));
    }
    let rest = line.strip_prefix(SIGN)?.trim_start_matches('@').trim_start();
    rest.starts_with(char::is_alphanumeric).then_some(rest)
}

fn for_whispers(to: &SeatId) -> TypedFault {
    format!("to whisper, write {SIGN}{to} TEXT; nothing was said").into()
}

/// Returns the participant of a line that says in words whom it is for: `(whisper to Bo) ...`, `/whisper:bo ...`,
/// `/@bo ...`.
fn described(line: &str, state: &State) -> Option<SeatId> {
    let is_sign = |c: char| !c.is_alphanumeric();
    let words = line.trim_start_matches(is_sign);
    let signs = line.strip_suffix(words).unwrap_or_default();
    let is_command = signs.contains('/');
    let (begin, after) = words.split_at_checked(WHISPER.len() - 1).unwrap_or((words, ""));
    let rest = if begin.eq_ignore_ascii_case(&WHISPER[1..]) {
        let rest = after.trim_start_matches(is_sign);
        (is_command || after.starts_with(char::is_whitespace)).then_some(rest)?
    } else {
        (is_command && signs.contains('@')).then_some(words)?
    };
    let rest = after_name(rest, "to").map_or(rest, str::trim_start);
    let words = whisper(&format!("{} …", rest.replace([')', ']'], ":")), state).ok()?;
    Some(words.to().clone())
}

/// Returns whether a line begins with a sign that may make it more than words for everybody.
pub fn has_sign(line: &str) -> bool {
    with_ascii_sign(line).trim().starts_with(['@', '/'])
}

/// Returns the participant that a draft addresses alone, or the name so far. `None` if it is for everybody.
pub fn hearer(draft: &str, state: &State) -> Option<Result<SeatId, String>> {
    let line = with_ascii_sign(draft);
    let line = line.trim();
    if line == SIGN || line == WHISPER {
        return Some(Err(String::new()));
    }
    let rest = addressed(line)?;
    match whisper(&format!("{rest} …"), state) {
        Ok(words) => Some(Ok(words.to().clone())),
        Err(_) => Some(Err(rest.split_whitespace().next().unwrap_or_default().to_owned())),
    }
}

/// Returns a queued message as its line.
pub fn spelled(command: &PendingCommand) -> String {
    let Some(words) = &command.words else { return String::new() };
    let text = words.text_for(&Recipient::Operator).map_or("", |text| &**text);
    match words.hearer() {
        Some(to) => format!("{SIGN}{to} {text}"),
        None => text.to_owned(),
    }
}

/// Checks that the texts of a command are not addressed to one whom it is not for.
///
/// # Errors
/// If one is, with the command for that.
pub fn private(command: &Command, state: &State) -> Result<(), TypedFault> {
    let texts: Vec<&Text> = match command {
        // a text of a file addresses nobody
        Command::Say { material: Some(_), .. } => return Ok(()),
        Command::Whisper(words) => {
            let text = words.text_for(&Recipient::Operator).map_or("", |text| text);
            return for_another(text, state);
        }
        Command::Say { text, .. }
        | Command::CutIn { text, .. }
        | Command::Speak { text, .. }
        | Command::SpeakAs { text, .. }
        | Command::Edit { text, .. }
        | Command::Rename { text }
        | Command::EditQueued { text, .. } => vec![text],
        Command::Note { text, to, .. } if to.is_empty() => vec![text],
        Command::Mark { text } | Command::Hide { text, .. } => text.iter().collect(),
        Command::Vote { question, options, .. } => {
            std::iter::once(question).chain(options).collect()
        }
        _ => return Ok(()),
    };
    for text in texts {
        let text = with_ascii_sign(text);
        if addressed(text.trim()).is_some() || described(&text, state).is_some() {
            let word = text.split_whitespace().next().unwrap_or_default();
            let why = format!("\"{word}\" addresses one person: use whisper with \"to\"");
            return Err(why.into());
        }
        // a letter before the sign may be a key that was meant to open the box
        let later = text.split_whitespace().find_map(|word| {
            let word = &word[word.find(SIGN)?..];
            let rest = addressed(word)?;
            whisper(&format!("{rest} …"), state).is_ok().then_some(word)
        });
        if let Some(word) = later {
            let why = format!("{word} whispers only at the start of a line; nothing was said");
            return Err(why.into());
        }
    }
    Ok(())
}

/// Returns the line with ASCII signs at its start: CJK keyboards type wide ones, and a copied line may begin with
/// invisible characters.
fn with_ascii_sign(line: &str) -> Cow<'_, str> {
    let visible = line.trim_start_matches(|c: char| text::is_invisible(c.encode_utf8(&mut [0; 4])));
    let ascii = |c| match c {
        '@' | '＠' | '﹫' => Some('@'),
        '/' | '／' => Some('/'),
        _ => None,
    };
    let signs: String = visible.chars().map_while(ascii).collect();
    if signs.is_empty() || line.starts_with(&signs) {
        return line.into();
    }
    let rest = visible.chars().skip(signs.len());
    signs.chars().chain(rest).collect::<String>().into()
}
