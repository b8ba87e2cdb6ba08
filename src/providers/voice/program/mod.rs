//! A program that people have, as a voice: Claude Code, Codex or Gemini CLI in print mode, without tools, with the
//! login of the person.
//!
//! One process per call. It gets the prompt that a model gets: the rules in place of its own instructions, and the
//! conversation on standard input. Cutting in ends the process and its descendants.

mod stream;
mod table;

pub use table::{
    PREFIX, PROGRAMS, PROVIDER, Program, cure, find, install, is_logged_out, label, parts,
};

use super::{CallFailure, CallRequest, Chunk, Done, Out, Pieces, Speaking, Voice, spawn_class};
use crate::model::{ErrorClass, Message, Role, Text, Timeouts};
use crate::own_file::OwnFile;
use crate::spawn::{self, Child, ChildEnvironment, ChildExit, Job, Output, SpawnError};
use crate::text;
use std::io::{self, Write};
use std::path::Path;
use std::{fs, time::Duration};
use stream::JsonStream;
use tempfile::TempDir;
use tokio::time::timeout;

/// Variable of a program's environment that marks it as a participant of a conversation.
pub const INSIDE: &str = "COLLOQUIUM_INSIDE";
/// File with the rules of the participant.
const SYSTEM: &str = "system.md";
/// File with settings that take the tools away.
const SETTINGS: &str = "settings.toml";
/// Empty working folder.
const FOLDER: &str = "empty";

/// A program that speaks for a seat.
#[derive(Clone)]
pub struct PrintMode {
    program: &'static Program,
    model: Option<Text>,
    /// Further arguments, from the program's own settings.
    more: Vec<String>,
    environment: ChildEnvironment,
}

/// Reason why a call ended without a reply.
struct Fault(ErrorClass, String);

impl From<SpawnError> for Fault {
    fn from(e: SpawnError) -> Fault {
        Fault(spawn_class(&e), e.to_string())
    }
}

impl From<io::Error> for Fault {
    fn from(e: io::Error) -> Fault {
        Fault(ErrorClass::Failed, format!("has no folder: {e}"))
    }
}

impl PrintMode {
    /// Creates the voice of a program, with its default model unless one is named.
    pub fn new(
        program: &'static Program,
        model: Option<Text>,
        more: Vec<String>,
        environment: ChildEnvironment,
    ) -> PrintMode {
        PrintMode { program, model, more, environment }
    }

    /// Writes the files of a call and returns its job; the folder has to live as long as the process.
    fn job(&self, messages: &[Message]) -> io::Result<(Job, TempDir)> {
        let own = tempfile::Builder::new().prefix("colloquium-program-").tempdir()?;
        let folder = own.path().join(FOLDER);
        let (system, prompt) = split(messages);
        fs::create_dir(&folder)?;
        OwnFile::create_new(&own.path().join(SYSTEM))?.write_all(system.as_bytes())?;
        if !self.program.settings.is_empty() {
            let settings = self.program.settings.as_bytes();
            OwnFile::create_new(&own.path().join(SETTINGS))?.write_all(settings)?;
        }
        let filled = |text: &str| filled(text, own.path());
        let model = self.model.iter().flat_map(|model| [self.program.model, &**model]);
        let arguments = self.program.arguments.split(' ').map(filled);
        let command = std::iter::once(self.program.name.to_owned())
            .chain(arguments)
            .chain(self.more.iter().cloned())
            .chain(model.map(str::to_owned));
        let variables = self.program.variables.iter();
        let variables = variables.map(|(name, value)| ((*name).into(), filled(value).into()));
        let marker = [(INSIDE.into(), "1".into())];
        let job = Job {
            command: command.collect(),
            folder,
            environment: self.environment.with(variables.chain(marker)),
            input: text::forwarded(&prompt).into_owned().into_bytes(),
        };
        Ok((job, own))
    }

    async fn answer(&self, ask: &CallRequest, out: &Out) -> Result<Done, Fault> {
        let (job, _own) = self.job(&ask.messages)?;
        let mut child = spawn::start(job)?;
        let timeouts = &ask.seat.timeouts;
        let within = Duration::from_millis(timeouts.total);
        let heard = timeout(within, self.listen(&mut child, timeouts, out)).await;
        let heard = heard.unwrap_or_else(|_| {
            Err(Fault(ErrorClass::Silence, format!("did not finish within {} ms", timeouts.total)))
        });
        if heard.is_err() {
            child.stop().await;
        }
        heard
    }

    /// Forwards the output as it arrives.
    async fn listen(
        &self,
        child: &mut Child,
        timeouts: &Timeouts,
        out: &Out,
    ) -> Result<Done, Fault> {
        let mut stream = JsonStream::new(self.program.rules);
        let mut patience = timeouts.first;
        let exit = loop {
            let next = timeout(Duration::from_millis(patience), child.next()).await;
            let next = next.map_err(|_| {
                Fault(ErrorClass::Silence, format!("wrote nothing for {patience} ms"))
            })?;
            match next? {
                Output::Ended(exit) => break Some(exit),
                Output::Bytes(bytes) => {
                    patience = timeouts.silence;
                    let mut pieces = Pieces::new();
                    let pushed = stream.push(&bytes, &mut pieces);
                    send(pieces, out).await;
                    pushed.map_err(|why| Fault(ErrorClass::TooLarge, why))?;
                }
            }
            if stream.end.is_some() {
                // a program may keep helpers running after its last line
                break child.finish().await;
            }
        };
        let mut pieces = Pieces::new();
        stream.finish(&mut pieces);
        send(pieces, out).await;
        match stream.end {
            Some(Ok(done)) if stream.spoke => Ok(done),
            Some(Ok(_)) => Err(Fault(ErrorClass::Empty, "returned an empty reply".into())),
            Some(Err(why)) => Err(self.fault(&why)),
            None => Err(self.fault(&last_words(exit.as_ref()))),
        }
    }

    /// Classifies a failure; a missing login names its cures.
    fn fault(&self, why: &str) -> Fault {
        let Program { name, login, logged_out, .. } = self.program;
        let why = text::line(why);
        if logged_out.iter().any(|part| why.contains(part)) {
            let cure = cure(login, name, &install(name));
            return Fault(ErrorClass::Credentials, format!("is not logged in ({why}); {cure}"));
        }
        Fault(ErrorClass::Failed, format!("failed: {why}"))
    }
}

impl Voice for PrintMode {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let voice = self.clone();
        Box::pin(async move {
            let last = voice.answer(&ask, &out).await.map_or_else(
                |Fault(class, why)| {
                    let text = format!("{} {why}", voice.program.label);
                    Chunk::Failed(CallFailure::new(class, text))
                },
                Chunk::Done,
            );
            out.send(last).await;
        })
    }
}

async fn send(pieces: Pieces, out: &Out) {
    for (channel, text) in pieces {
        out.send(Chunk::Piece(channel, text.into())).await;
    }
}

/// Splits a prompt into the rules and the conversation.
fn split(messages: &[Message]) -> (String, String) {
    let (rules, talk): (Vec<&Message>, Vec<&Message>) =
        messages.iter().partition(|message| message.role == Role::System);
    let join = |parts: Vec<String>| parts.join("\n\n");
    let talk = talk.iter().map(|message| match message.role {
        Role::Assistant => format!("<said by=\"you\">\n{}\n</said>", message.text),
        Role::System | Role::User => message.text.clone(),
    });
    (join(rules.iter().map(|message| message.text.clone()).collect()), join(talk.collect()))
}

/// Replaces the placeholders of an argument by the files of a call.
fn filled(text: &str, own: &Path) -> String {
    let file = |name: &str| own.join(name).display().to_string();
    let text = text.replace("{none}", "");
    text.replace("{system}", &file(SYSTEM)).replace("{settings}", &file(SETTINGS))
}

/// Returns the last line of standard error that is not a warning or a stack trace; programs print the reason there.
fn last_words(exit: Option<&ChildExit>) -> String {
    let Some(exit) = exit else { return "it ended without a reply".into() };
    let mut lines = exit.stderr.lines().map(str::trim);
    let says =
        |line: &&str| !(line.is_empty() || line.starts_with("at ") || line.starts_with("Warning"));
    match lines.rfind(says) {
        Some(line) => line.to_owned(),
        None => format!("it ended without a reply ({})", exit.status),
    }
}
