//! Each participant's share of the conversation.

use super::subject::{YOU, total};
use super::{Analysis, Cell, Table, TimedTurn, name};
use crate::model::SeatId;
use crate::text::word_count;

/// One participant's share of the conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// Number of turns; for the operator, of messages.
    pub utterances: u64,
    /// Words in those turns.
    pub words: u64,
    /// Tokens of those turns; `None` if no server reported any.
    pub tokens: Option<u64>,
    /// True if some of the tokens are estimates.
    pub estimated: bool,
    /// Milliseconds from the grants of the floor to the ends of the turns.
    pub ms: u64,
}

/// Returns the shares of all participants in seat order, then of the operator, who has no seat.
pub fn shares(analysis: &Analysis<'_>) -> Vec<(Option<SeatId>, Share)> {
    let seats = analysis.state.seats.iter().map(|s| &s.spec.id);
    let seats = seats.filter(|id| !analysis.state.is_template(id)).map(|id| Some(id.clone()));
    seats.chain([None]).map(|seat| (seat.clone(), share(analysis, seat.as_ref()))).collect()
}

fn share(analysis: &Analysis<'_>, seat: Option<&SeatId>) -> Share {
    let mut share = Share::default();
    let Some(seat) = seat else {
        let own = analysis.state.entries.iter().filter(|e| e.of.is_some() && e.number.is_none());
        for entry in own.filter(|e| e.seq >= analysis.from) {
            share.utterances += 1;
            share.words += u64::from(word_count(entry.text()));
        }
        return share;
    };
    for (entry, spent) in analysis.utterances().filter(|(e, _)| e.seat() == Some(seat)) {
        share.utterances += 1;
        share.words += u64::from(TimedTurn::words_of(entry, spent));
        let Some(spent) = spent else { continue };
        share.ms = share.ms.saturating_add(spent.ended.since(spent.granted));
        if let Some(usage) = &spent.usage {
            share.tokens = Some(share.tokens.unwrap_or(0).saturating_add(usage.output));
            share.estimated |= usage.estimated;
        }
    }
    share
}

/// Returns the table: one row per participant.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let all = shares(analysis);
    let seats = || all.iter().filter(|(seat, _)| seat.is_some()).map(|(_, share)| share);
    let whole = |of: fn(&Share) -> u64| total(seats().map(of));
    let utterances = whole(|s| s.utterances);
    let words = whole(|s| s.words);
    let ms = whole(|s| s.ms);
    let tokens = whole(|s| s.tokens.unwrap_or(0));
    let mut table = Table::new(
        "shares",
        "Speaking share",
        "your own words are not counted; tokens as reported",
        1,
        "participant | utterances: turns | utterances_share: share | words | words_share: share | \
         tokens_out: tokens | tokens_share: share | floor_ms: time | floor_share: share",
    );
    table.rows = all
        .iter()
        .map(|(seat, s)| match seat {
            Some(seat) => vec![
                Cell::Text(name(analysis.state, seat)),
                Cell::Count(s.utterances),
                Cell::share(s.utterances, utterances),
                Cell::Count(s.words),
                Cell::share(s.words, words),
                super::cost::tokens(s.tokens, s.estimated),
                s.tokens.map_or(Cell::None, |n| Cell::share(n, tokens)),
                Cell::Took(s.ms),
                Cell::share(s.ms, ms),
            ],
            None => {
                let mut row = vec![Cell::text(YOU), Cell::Count(s.utterances), Cell::None];
                row.extend([Cell::Count(s.words), Cell::None]);
                row.resize(9, Cell::None);
                row
            }
        })
        .collect();
    table
}
