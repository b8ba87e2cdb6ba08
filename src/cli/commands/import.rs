//! `import`: makes a session of another program's conversation.

use crate::cli::args::Keep;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::await_stdin;
use crate::cli::output;
use crate::cli::play::assemble::naming;
use crate::cli::runtime::block_on;
use crate::clock::wall_now;
use crate::import::{
    self, BYTES_MAX, FORMATS, ImportError, ImportFormat, Imported, LeftOut, session_id,
};
use crate::model::Wall;
use crate::scenario::CharacterCard;
use crate::session::{FORMAT, Mode, Record, SessionFiles, create};
use crate::text::DecodedText;
use crate::{text, untrusted};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fs;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of standard input.
const STDIN: &str = "-";
/// Folder of a Claude Code session with the files of its sub-agents.
const SUBAGENTS: &str = "subagents";
/// Maximum number of files of sub-agents.
const SUBAGENTS_MAX: usize = 200;
/// Levels of folders below it: workflows have one each.
const SUBAGENTS_DEPTH: usize = 2;
/// Begin and end of the name of a sub-agent's file.
const AGENT_PREFIX: &str = "agent-";
const AGENT_SUFFIX: &str = ".jsonl";
/// Bytes of a file that are read to find its session.
const HEAD_MAX: u64 = 256 << 10;

/// Make a session of a conversation from elsewhere: chats, sessions of agents, ATIF
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Format of the file [default: recognised]
    #[arg(long, value_parser = PossibleValuesParser::new(FORMATS.map(|(name, _)| name)))]
    format: Option<String>,
    /// Number of the conversation, if the file has several
    #[arg(long, value_name = "N")]
    pick: Option<usize>,
    /// Import every conversation of the file
    #[arg(long, conflicts_with_all = ["pick", "title", "out_session"])]
    all: bool,
    /// Title of the session
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    #[command(flatten)]
    keep: Keep,
}

impl ImportArgs {
    /// Reads the file and writes the session. Prints its id, or its path.
    ///
    /// # Errors
    /// If the file cannot be read, is not a conversation, or the session cannot be written.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let named = self.format.as_deref();
        let format = FORMATS.iter().find(|(name, _)| Some(*name) == named).map(|(_, f)| *f);
        let invalid = |why: String| {
            Failure::new(Exit::Invalid, format!("cannot import {}: {why}", self.file))
                .hint("`colloquium help sessions` names the formats")
        };
        let mut left = BYTES_MAX;
        let card = CharacterCard::read(Path::new(&self.file));
        if let (true, Ok(card)) = (format.is_none() && self.file != STDIN, card) {
            context
                .say(&format!("the character card of {}; in a scenario beside it:", card.name()));
            if !card.left_out().is_empty() {
                context.say(&format!("left out: {}", card.left_out()));
            }
            let name = Path::new(&self.file).file_name().unwrap_or_default().to_string_lossy();
            return output::data(card.lines(&name).as_bytes());
        }
        let text = if self.file == STDIN {
            await_stdin("the conversation");
            read(stdin().lock(), &mut left)
        } else {
            read_file(Path::new(&self.file), &mut left)
        };
        let read = text.map_err(|e| invalid(e.to_string()))?;
        text::encoding_note(&self.file, read.guess).iter().for_each(|note| context.say(note));
        let text = read.text;
        let more = match format {
            None | Some(ImportFormat::ClaudeCode) if self.file != STDIN => {
                subagents(Path::new(&self.file), &text, &mut left)
                    .map_err(|e| invalid(e.to_string()))?
            }
            _ => vec![],
        };
        if self.all {
            return self.write_all(import::read_all(&text, &more, format), context);
        }
        let mut imported = import::read(&text, &more, format, self.pick)
            .map_err(|why| invalid(why.to_string()))?;
        if let Some(title) = &self.title {
            imported.title.clone_from(title);
        }
        let files = self.write(&imported, 0, context)?;
        say_left_out(&imported.left_out, context);
        let shown = match &self.keep.out_session {
            Some(path) => path.display().to_string(),
            None => files.id(),
        };
        let messages = text::plural(imported.messages.len(), "message");
        let participants = text::plural(imported.speakers.len(), "participant");
        context.say(&format!("{messages} of {participants}"));
        output::data(format!("{}\n", text::line(&shown)).as_bytes())
    }

    /// Writes a session for each conversation, and prints their ids. Conversations with a fault are named and skipped.
    fn write_all(
        &self,
        all: Vec<Result<Imported, ImportError>>,
        context: &Context,
    ) -> Result<Exit, Failure> {
        let mut ids = String::new();
        let mut written = 0;
        let mut left_out = LeftOut::default();
        let mut last_fault = None;
        for (n, imported) in (1..).zip(all) {
            match imported {
                Ok(imported) => {
                    let files = self.write(&imported, n, context)?;
                    ids.push_str(&format!("{}\n", text::line(&files.id())));
                    written += 1;
                    left_out.extend(&imported.left_out);
                }
                Err(why) => {
                    context.say(&format!("conversation {n} is not imported: {why}"));
                    last_fault = Some(why);
                }
            }
        }
        if let (0, Some(why)) = (written, last_fault) {
            let why = format!("cannot import {}: {why}", self.file);
            return Err(Failure::new(Exit::Invalid, why));
        }
        say_left_out(&left_out, context);
        context.say(&text::plural(written, "conversation"));
        output::data(ids.as_bytes())
    }

    /// Writes the session of a conversation; `dice` keeps the names of several apart if their time is fixed.
    fn write(
        &self,
        imported: &Imported,
        dice: u64,
        context: &Context,
    ) -> Result<SessionFiles, Failure> {
        let events = import::events(imported, wall_now(), FORMAT);
        let date = context.environment.source_date_epoch().map(Wall);
        let (at, dice) = naming(date, dice);
        let sessions = context.paths.sessions();
        block_on(async {
            let session = create(self.keep.place(&sessions, at, dice), Mode::Normal)?;
            for event in events {
                session.writer.push(Arc::new(Record::new(event)?));
            }
            let written = session.writer.finish().await;
            written.map_err(|e| Failure::new(Exit::Session, e.to_string()))?;
            Ok(session.files)
        })
    }
}

fn say_left_out(parts: &LeftOut, context: &Context) {
    if !parts.is_empty() {
        context.say(&format!("left out: {parts}"));
    }
}

/// Reads a file of at most `left` bytes, and subtracts its size.
fn read_file(path: &Path, left: &mut u64) -> io::Result<DecodedText> {
    let file = untrusted::open(path)?;
    if file.metadata()?.len() > *left {
        return Err(too_large());
    }
    read(file, left)
}

fn too_large() -> io::Error {
    io::Error::other(format!("it is larger than {} MiB", BYTES_MAX >> 20))
}

/// Reads a text of at most `left` bytes, and subtracts its size.
fn read(from: impl Read, left: &mut u64) -> io::Result<DecodedText> {
    let mut bytes = vec![];
    from.take(*left + 1).read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    *left = left.checked_sub(size).ok_or_else(too_large)?;
    let DecodedText { text, guess } = text::decode_file(bytes)?;
    Ok(DecodedText { text: text::without_lone_surrogates(&text).into_owned(), guess })
}

/// Reads the files of a Claude Code session's sub-agents, in the order of their paths: those in its own folder, and those
/// beside it with its id, as older versions write them. Links are not followed.
fn subagents(session: &Path, text: &str, left: &mut u64) -> io::Result<Vec<String>> {
    let Some(id) = session_id(text) else { return Ok(vec![]) };
    let mut paths = vec![];
    find_agents(&session.with_extension("").join(SUBAGENTS), SUBAGENTS_DEPTH, &mut paths)?;
    let mut beside = vec![];
    let folder = session.parent().filter(|folder| !folder.as_os_str().is_empty());
    find_agents(folder.unwrap_or(Path::new(".")), 0, &mut beside)?;
    for path in beside {
        let mut head = vec![];
        untrusted::open(&path)?.take(HEAD_MAX).read_to_end(&mut head)?;
        if session_id(&text::decode(head).text).as_ref() == Some(&id) {
            paths.push(path);
        }
    }
    if paths.len() > SUBAGENTS_MAX {
        return Err(io::Error::other(format!("it has more than {SUBAGENTS_MAX} sub-agents")));
    }
    paths.iter().map(|path| Ok(read_file(path, left)?.text)).collect()
}

/// Finds the files of sub-agents in a folder, and in those below it down to `depth`.
fn find_agents(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    // most sessions lack it
    if !folder.symlink_metadata().is_ok_and(|kind| kind.is_dir()) {
        return Ok(());
    }
    let mut entries: Vec<_> = fs::read_dir(folder)?.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let is_agent = name
            .to_str()
            .is_some_and(|name| name.starts_with(AGENT_PREFIX) && name.ends_with(AGENT_SUFFIX));
        let kind = entry.file_type()?;
        if kind.is_dir() && depth > 0 {
            find_agents(&entry.path(), depth - 1, found)?;
        } else if kind.is_file() && is_agent {
            found.push(entry.path());
        }
    }
    Ok(())
}
