//! Prompts of a client: texts and files, with their limits. None of them is read as an option or a path.

use crate::cli::error::Failure;
use crate::model::command::{COMMANDS, CommandRow};
use crate::model::{Command, SteerLine, Text};
use crate::state::State;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use crate::steer::slash;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ContentBlock,
    EmbeddedResourceResource, SessionUpdate, UnstructuredCommandInput,
};

/// Bytes of the text of a prompt.
const TEXT_MAX: usize = 64 << 10;
/// Bytes of an embedded file.
const FILE_MAX: usize = 1 << 20;
/// Embedded files of a prompt.
const FILES_MAX: usize = 100;

/// A prompt of the client.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientPrompt {
    /// The words of the person.
    pub text: String,
    /// Embedded files: name and content.
    files: Vec<(Text, Text)>,
}

impl ClientPrompt {
    /// Reads the blocks of a prompt.
    ///
    /// # Errors
    /// The block that cannot be read, for the client.
    pub fn read(blocks: Vec<ContentBlock>) -> Result<ClientPrompt, String> {
        let mut texts: Vec<String> = vec![];
        let mut files = vec![];
        for block in blocks {
            match block {
                ContentBlock::Text(text) => texts.push(text.text),
                ContentBlock::ResourceLink(link) => {
                    texts.push(format!("{} ({})", link.name, link.uri))
                }
                ContentBlock::Resource(resource) => match resource.resource {
                    EmbeddedResourceResource::TextResourceContents(file) => {
                        if file.text.len() > FILE_MAX {
                            return Err(format!(
                                "{} is larger than {} MiB",
                                file.uri,
                                FILE_MAX >> 20
                            ));
                        }
                        files.push((file_name(&file.uri), file.text.into()));
                    }
                    _ => return Err("embed files as text; other files cannot be read".into()),
                },
                _ => return Err("a prompt may contain text, links and embedded text files".into()),
            }
        }
        let text = texts.join("\n\n").trim().to_owned();
        if text.is_empty() {
            return Err("the prompt is empty".into());
        }
        if text.len() > TEXT_MAX {
            return Err(format!("the prompt is longer than {} KiB", TEXT_MAX >> 10));
        }
        if text.contains('\0') {
            return Err("the prompt contains a NUL character".into());
        }
        if files.len() > FILES_MAX {
            return Err(format!("the prompt has more than {FILES_MAX} files"));
        }
        Ok(ClientPrompt { text, files })
    }

    /// Returns an error if its files, which everybody reads, come with words for one.
    ///
    /// # Errors
    /// The way to send both.
    pub fn fits(&self, given: &Command) -> Result<(), Failure> {
        if self.files.is_empty() || !given.is_private() {
            return Ok(());
        }
        let message = "a file is for everybody, and these words are for one; nothing was said";
        Err(Failure::usage(message, "send the file alone, or its words in the whisper"))
    }

    /// Returns the messages with its files.
    pub fn files(&self) -> impl Iterator<Item = SteerLine> {
        self.files.iter().map(|(name, text)| {
            Command::Say { text: text.clone(), re: None, material: Some(name.clone()) }.into()
        })
    }
}

/// Returns the last part of an address.
fn file_name(uri: &str) -> Text {
    uri.rsplit('/').find(|part| !part.is_empty()).unwrap_or("file").into()
}

/// Beginning of the keys of the client's commands.
pub const KEYS: &str = "acp:";

/// Returns the command of a prompt: the turn of the person's seat if it has the floor, a `/command`, or a message to
/// everyone.
pub fn command(words: &str, state: &State) -> Result<Command, Failure> {
    let human = state.turns.values().find(|turn| state.waits_for_human(turn));
    let manner = human.map_or(Manner::Say, |turn| Manner::Speak(turn.seat.clone()));
    match read_line(words, &Typing::new(EntryPoint::Acp, manner), state) {
        Ok(Intent::Give(command)) => Ok(command),
        Ok(Intent::Local) => Ok(said(words)),
        Err(why) => Err(Failure::usage(why.to_string(), "see `colloquium help steering`")),
    }
}

/// Returns a message to everyone.
pub fn said(words: &str) -> Command {
    Command::Say { text: words.into(), re: None, material: None }
}

/// Returns whether a command lets the conversation go on: somebody speaks next.
pub fn speaks(command: &Command) -> bool {
    matches!(command, Command::Say { .. } | Command::Speak { .. } | Command::Floor { .. })
}

/// Returns the `/commands` for the client.
pub fn available() -> SessionUpdate {
    let hidden = ["decide", "join", "change", "hold", "say", "speak", "edit_queued", "drop_queued"];
    let rows = COMMANDS.iter().filter(|row| !hidden.contains(&row.name));
    let command = |row: &'static CommandRow| {
        let spelled = slash::spelled(row);
        let usage = slash::usage(row);
        let hint = usage.strip_prefix(&*spelled).unwrap_or_default().trim().to_owned();
        let input = UnstructuredCommandInput::new(hint.clone());
        let input = (!hint.is_empty()).then_some(AvailableCommandInput::Unstructured(input));
        AvailableCommand::new(spelled.trim_start_matches('/'), row.meaning).input(input)
    };
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(
        rows.map(command).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Addressed;
    use agent_client_protocol::v1::schema::{
        EmbeddedResource, ImageContent, ResourceLink, TextResourceContents,
    };

    fn file(text: &str) -> ContentBlock {
        let contents = TextResourceContents::new(text, "file:///a/b.rs");
        ContentBlock::Resource(EmbeddedResource::new(
            EmbeddedResourceResource::TextResourceContents(contents),
        ))
    }

    #[test]
    fn joins_texts_and_keeps_files_apart() {
        let link = ContentBlock::ResourceLink(ResourceLink::new("c.rs", "file:///c.rs"));
        let prompt = ClientPrompt::read(vec!["- ".into(), file("fn x"), link]).unwrap();
        assert_eq!(prompt.text, "- \n\nc.rs (file:///c.rs)");
        let files: Vec<SteerLine> = prompt.files().collect();
        let said = Command::Say { text: "fn x".into(), re: None, material: Some("b.rs".into()) };
        assert_eq!(files, [said.clone().into()]);
        prompt.fits(&said).unwrap();
        let whisper = Command::Whisper(Addressed::new("bo".into(), "fn x".into()));
        assert!(prompt.fits(&whisper).is_err(), "everybody would read the file");
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        let image = ContentBlock::Image(ImageContent::new("AA==", "image/png"));
        for blocks in [
            vec![],
            vec![" \n".into()],
            vec!["a\0".into()],
            vec!["a".repeat(TEXT_MAX + 1).into()],
            vec!["a".into(), image],
            vec!["a".into(), file(&"b".repeat(FILE_MAX + 1))],
        ] {
            ClientPrompt::read(blocks).unwrap_err();
        }
    }
}
