//! A page of two conversations: the part that both share once, then their ends side by side.

use super::document::Document;
use super::html::{self, Anchors, ConversationPart, HALF_COLUMNS};
use super::markup::escaped;
use crate::analysis::divergence;
use crate::model::Seq;
use crate::session::Record;
use crate::state::State;
use std::io::{self, Write};
use std::sync::Arc;

/// Writes the page. The first document decides if it has a player, which plays both at once.
pub fn spell(a: &Document, b: &Document, out: &mut dyn Write) -> io::Result<()> {
    let from = divergence(read(a), read(b));
    let shared = shared(&a.state, from);
    let title = escaped(&a.title());
    html::open(&title, a.has_player, "", out)?;
    let parted = match shared {
        0 => "the sessions have no turns in common".to_owned(),
        number => format!("they diverge after <a href=\"#t{number}\">turn {number}</a>"),
    };
    write!(
        out,
        "<header>\n<h1>{title}</h1>\n<p class=\"facts\">{parted}</p>\n{}</header>\n<main>\n",
        html::cast(&a.state)
    )?;
    let timing = html::talk(a, ConversationPart::Before(from), &Anchors::default(), out)?;
    let others =
        html::talk(b, ConversationPart::Before(from), &Anchors::default(), &mut io::sink())?;
    out.write_all(b"<div class=\"branches\">\n")?;
    for (document, timing, branch) in [(a, &timing, None), (b, &others, Some(shared))] {
        let known = timing.as_ref().map(|timing| timing.known());
        write!(
            out,
            "<section>\n<h2>{}</h2>\n<p class=\"facts\">{}</p>\n{}",
            escaped(&document.title()),
            html::facts(document),
            html::over(&document.state, HALF_COLUMNS)
        )?;
        html::talk(document, ConversationPart::Since(from, known), &Anchors { branch }, out)?;
        out.write_all(b"</section>\n")?;
    }
    out.write_all(b"</div>\n</main>\n")?;
    if let (Some(mut timing), Some(others)) = (timing, others) {
        timing.join(&others);
        timing.finish(out)?;
    }
    out.write_all(b"</body>\n</html>\n")
}

/// Returns the events of a document up to its first fault, which writing it reports.
fn read(document: &Document) -> impl Iterator<Item = Arc<Record>> {
    document.records().map_while(Result::ok)
}

/// Returns the number of the last turn before an event; 0 without a shared turn.
fn shared(state: &State, from: Seq) -> u32 {
    let before = state.entries.iter().filter(|entry| entry.seq < from);
    before.filter_map(|entry| entry.number).max().unwrap_or(0)
}
