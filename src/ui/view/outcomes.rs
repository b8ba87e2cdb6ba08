//! What became of the operator's last commands, as the log says it: a notice is gone with the next key.

use crate::model::payload::Receipt;
use crate::model::{CommandGiven, Key, Kind, Ms, ReceiptIs, Seq};
use crate::text;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Commands that are told.
const LAST: usize = 5;

/// Returns the page; nothing where no command was given.
pub fn page(transcript: &Transcript, _: Ms, glyphs: &Glyphs) -> Option<Page> {
    let mut given: VecDeque<Section> = VecDeque::new();
    let mut keys: VecDeque<Option<Key>> = VecDeque::new();
    transcript.events(Seq(0), &mut |event| {
        let (part, key) = match &event.kind {
            Kind::CommandGiven(command) => {
                let head = format!("{} {}", glyphs.dot, spelled(command));
                let body = "  taken; not carried out yet".into();
                (Section { head, body, ..Section::default() }, Some(command.key.clone()))
            }
            Kind::CommandRefused(refused) => {
                let what = refused.line.get("do").and_then(|name| name.as_str()).unwrap_or("?");
                let head = format!("{} {}", glyphs.dot, text::label(what));
                let body = format!("  refused: {}", text::line(&refused.why));
                (Section { head, body, warns: true, ..Section::default() }, None)
            }
            Kind::Receipt(receipt) => {
                let at = keys.iter().position(|key| key.as_ref() == Some(&receipt.of));
                if let Some(part) = at.and_then(|at| given.get_mut(at)) {
                    part.body = format!("  {}", outcome(receipt));
                }
                return ControlFlow::Continue(());
            }
            _ => return ControlFlow::Continue(()),
        };
        given.push_front(part);
        keys.push_front(key);
        given.truncate(LAST);
        keys.truncate(LAST);
        ControlFlow::Continue(())
    });
    let parts: Vec<Section> = given.into();
    let title = "Your last commands, the latest first".into();
    (!parts.is_empty()).then(|| Page { title, parts, again: Some(page), ..Page::default() })
}

/// A command as it would be typed, without its words.
fn spelled(given: &CommandGiven) -> String {
    format!("/{}", given.line.command.name().replace('_', "-"))
}

/// What a receipt says.
fn outcome(receipt: &Receipt) -> String {
    let why = receipt.why.as_ref().map_or(String::new(), |why| format!(": {}", text::line(why)));
    let is = match receipt.is {
        ReceiptIs::Queued => "queued",
        ReceiptIs::Delivered => "delivered",
        ReceiptIs::Done => "done",
        ReceiptIs::TooLate => "too late",
    };
    format!("{is}{why}")
}
