//! Parts of prompts that policies write, as data. `prompt` escapes them and puts them in their place.

use crate::model::{Seq, Text};

/// Parts of a turn's prompt that its policy writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptParts {
    /// Explanation of the process, for models.
    pub process: Option<&'static str>,
    /// Topic of the turn; `None` for that of the conversation.
    pub topic: Option<Text>,
    /// True if the sections contain the topic.
    pub has_topic: bool,
    /// Task of the turn within the process.
    pub brief: Option<Text>,
    /// Sections in order.
    pub sections: Vec<PromptSection>,
    /// True if the sections replace the messages of the conversation.
    pub replaces_messages: bool,
    /// `seq` of the last message in a [`SectionContent::History`].
    pub history_to: Option<Seq>,
}

/// A section of a prompt, in a tag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptSection {
    /// Name of the tag.
    pub tag: &'static str,
    /// Attributes of the tag, not escaped.
    pub attributes: Vec<(&'static str, Text)>,
    /// Sentence before the tag; empty for none.
    pub lead: &'static str,
    /// Content of the tag.
    pub content: SectionContent,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SectionContent {
    /// Text, not escaped.
    Text(String),
    /// Sections inside this one.
    Parts(Vec<PromptSection>),
    /// Sections inside this one, of which the first are omitted if the prompt is too long.
    History(Vec<PromptSection>),
}

impl Default for SectionContent {
    fn default() -> SectionContent {
        SectionContent::Text(String::new())
    }
}

impl PromptSection {
    pub(super) fn new(tag: &'static str, text: impl Into<String>) -> PromptSection {
        PromptSection { tag, content: SectionContent::Text(text.into()), ..Default::default() }
    }

    pub(super) fn with_parts(tag: &'static str, parts: Vec<PromptSection>) -> PromptSection {
        PromptSection { tag, content: SectionContent::Parts(parts), ..Default::default() }
    }

    /// Adds an attribute.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Text>) -> PromptSection {
        self.attributes.push((name, value.into()));
        self
    }
}
