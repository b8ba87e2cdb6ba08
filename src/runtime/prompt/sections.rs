//! Sections of prompts that policies write, as text.

use crate::escape::{attribute, quoted};
use crate::model::Text;
use crate::policy::{PromptSection, SectionContent};

#[derive(Clone, Debug, Default)]
pub(super) struct SectionTexts {
    /// Complete sections in order, each in its tag.
    pub(super) all: Vec<Text>,
    /// Number of omitted messages.
    pub(super) left_out: u32,
}

/// Renders sections. If a history takes more than `most` bytes, its oldest messages are omitted.
pub(super) fn render(sections: &[PromptSection], most: usize) -> SectionTexts {
    let mut left_out = 0;
    let all = sections.iter().map(|s| text(s, most, &mut left_out).into()).collect();
    SectionTexts { all, left_out: u32::try_from(left_out).unwrap_or(u32::MAX) }
}

fn text(section: &PromptSection, most: usize, left_out: &mut usize) -> String {
    let PromptSection { tag, attributes, lead, content } = section;
    let mut inside = |parts: &[PromptSection]| -> Vec<String> {
        parts.iter().map(|part| text(part, most, left_out)).collect()
    };
    let content = match content {
        SectionContent::Text(text) => quoted(text),
        SectionContent::Parts(parts) => inside(parts).join("\n"),
        SectionContent::History(parts) => {
            let mut parts = inside(parts);
            *left_out += shorten(&mut parts, most);
            parts.join("\n")
        }
    };
    let attributes: String = attributes
        .iter()
        .map(|(name, value)| format!(" {name}=\"{}\"", attribute(value)))
        .collect();
    let lead = if lead.is_empty() { String::new() } else { format!("{lead}\n") };
    format!("{lead}<{tag}{attributes}>\n{content}\n</{tag}>")
}

/// Removes the first messages until the rest takes at most `most` bytes, and returns their number.
fn shorten(messages: &mut Vec<String>, most: usize) -> usize {
    let mut left = most;
    let fit = messages.iter().rev().take_while(|said| {
        let fits = said.len() < left;
        left = left.saturating_sub(said.len() + 1);
        fits
    });
    let left_out = messages.len() - fit.count();
    messages.drain(..left_out);
    if left_out > 0 {
        let what = if left_out == 1 { "message" } else { "messages" };
        messages.insert(0, format!("[{left_out} earlier {what} left out]"));
    }
    left_out
}
