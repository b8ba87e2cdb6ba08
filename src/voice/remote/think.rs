//! Reasoning that comes as text: `<think>` at the very beginning of a reply, up to `</think>`.
//!
//! Anywhere else the tags are words about tags and stay as they are.

use crate::model::Channel;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// Bytes at the beginning that may be held back as white space before a tag.
const HELD_MAX: usize = 256;

/// Where in a reply its text has come to.
#[derive(Default)]
pub(super) enum Splitter {
    /// Nothing but what may become the opening tag; held.
    #[default]
    Beginning,
    /// Inside the tags.
    Thinking,
    /// After them, before the first word.
    Between,
    /// Words.
    Saying,
}

/// The filter of one reply.
#[derive(Default)]
pub(super) struct Think {
    at: Splitter,
    held: String,
}

impl Think {
    /// Takes the next text and hands on what is certain.
    pub(super) fn push(&mut self, text: &str, mut to: impl FnMut(Channel, &str)) {
        if let (Splitter::Saying, true) = (&self.at, self.held.is_empty()) {
            return to(Channel::Say, text);
        }
        self.held.push_str(text);
        loop {
            match self.at {
                Splitter::Beginning => {
                    let begun = self.held.trim_start();
                    if let Some(inside) = begun.strip_prefix(OPEN) {
                        self.held = inside.to_owned();
                        self.at = Splitter::Thinking;
                    } else if OPEN.starts_with(begun) && self.held.len() < HELD_MAX {
                        return;
                    } else {
                        self.at = Splitter::Saying;
                    }
                }
                Splitter::Thinking => {
                    if let Some((thought, after)) = self.held.split_once(CLOSE) {
                        hand(Channel::Think, thought, &mut to);
                        self.held = after.to_owned();
                        self.at = Splitter::Between;
                    } else {
                        let certain = self.held.len() - open_end(&self.held);
                        let tail = self.held.split_off(certain);
                        hand(Channel::Think, &self.held, &mut to);
                        self.held = tail;
                        return;
                    }
                }
                Splitter::Between => {
                    self.held = self.held.trim_start().to_owned();
                    if self.held.is_empty() {
                        return;
                    }
                    self.at = Splitter::Saying;
                }
                Splitter::Saying => {
                    hand(Channel::Say, &std::mem::take(&mut self.held), &mut to);
                    return;
                }
            }
        }
    }

    /// Hands on what was held when the reply ends.
    pub(super) fn end(&mut self, mut to: impl FnMut(Channel, &str)) {
        let channel = match self.at {
            Splitter::Thinking => Channel::Think,
            Splitter::Beginning | Splitter::Between | Splitter::Saying => Channel::Say,
        };
        hand(channel, &std::mem::take(&mut self.held), &mut to);
    }
}

fn hand(channel: Channel, text: &str, to: &mut impl FnMut(Channel, &str)) {
    if !text.is_empty() {
        to(channel, text);
    }
}

/// Returns how many bytes at the end may be the beginning of the closing tag.
fn open_end(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|n| text.ends_with(&CLOSE[..*n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, think: &str, say: &str) {
        // by character, so that every tag is cut everywhere
        let (mut thought, mut said) = (String::new(), String::new());
        let mut to = |channel: Channel, text: &str| match channel {
            Channel::Think => thought.push_str(text),
            Channel::Say => said.push_str(text),
        };
        let mut filter = Think::default();
        let mut sign = [0; 4];
        text.chars().for_each(|c| filter.push(c.encode_utf8(&mut sign), &mut to));
        filter.end(&mut to);
        assert_eq!((&*thought, &*said), (think, say), "{text}");
    }

    #[test]
    fn only_tags_at_the_beginning_are_reasoning() {
        check("<think>Hm </thi</think>\n\nYes.", "Hm </thi", "Yes.");
        check(" \n<think>a<</think>b", "a<", "b");
        check("Say <think>no</think>.", "", "Say <think>no</think>.");
        check("<thinking about it>", "", "<thinking about it>");
        check("<thi", "", "<thi");
        check("<think>for ever</thin", "for ever</thin", "");
        check("", "", "");
    }
}
