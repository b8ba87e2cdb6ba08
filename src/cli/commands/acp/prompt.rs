//! Prompts of a client: texts and files, with their limits. None of them is read as an option or a path.

use crate::model::{Command, SteerLine, Text};
use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};

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

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(files, [said.into()]);
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
