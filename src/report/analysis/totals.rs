//! Totals over many conversations: models, cost, wins and ends.
//!
//! Sessions are added one by one, so that a thousand of them need the memory of one.

use super::cost::tokens;
use super::{Analysis, Cell, Table, TimedTurn};
use crate::model::{Outcome, Seq, Text, Usd, VoiceSpec};
use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};

/// Sums over the added sessions.
#[derive(Default)]
pub struct Totals {
    models: BTreeMap<Text, OfModel>,
    sides: BTreeMap<Text, OfSide>,
    winners: BTreeMap<Text, OfSide>,
    ends: BTreeMap<&'static str, u64>,
    sessions: u64,
}

/// Sums of one model.
#[derive(Default)]
struct OfModel {
    sessions: u64,
    turns: u64,
    failed: u64,
    read: Option<u64>,
    written: Option<u64>,
    estimated: bool,
    usd: Option<Usd>,
    unpriced: u64,
}

/// Number and outcome of the judgements of a side.
#[derive(Default)]
struct OfSide {
    judged: u64,
    won: u64,
    drawn: u64,
}

impl Totals {
    /// Adds a session; of a branch, only the part after the parent.
    pub fn add(&mut self, session: &Analysis<'_>) {
        let state = session.state;
        let left = state.forked.as_ref().map_or(Seq(0), |forked| forked.at.next());
        let own = Analysis { from: session.from.max(left), ..*session };
        self.sessions += 1;
        let end = state.ended.as_ref().map_or("not ended", |ended| ended.reason.as_str());
        *self.ends.entry(end).or_default() += 1;
        let mut spoke: BTreeSet<Text> = BTreeSet::new();
        for turn in own.turns() {
            let Some(model) = turn.models.last() else { continue };
            let priced =
                matches!(state.seat(&turn.seat).map(|s| &s.spec.voice), Some(VoiceSpec::Model(_)));
            let sum = self.models.entry(model.clone()).or_default();
            sum.take(turn, priced);
            if spoke.insert(model.clone()) {
                sum.sessions += 1;
            }
        }
        self.judge(state);
    }

    /// Adds the last verdict of a session to its sides and their models.
    fn judge(&mut self, state: &State) {
        let Some((verdict, _)) = &state.verdict else { return };
        let named = state.scenario.verdict.as_ref().map_or(&[][..], |v| &v.sides);
        for side in &verdict.sides {
            let seats = named.iter().find(|s| s.name == *side).map(|s| s.seats.clone());
            let seats = seats.unwrap_or_else(|| vec![side.clone()]);
            let models: BTreeSet<Text> = seats
                .iter()
                .filter_map(|id| state.seats.iter().find(|s| *s.spec.id == **id))
                .map(|s| s.spec.voice.label().into())
                .collect();
            let wins = verdict.winner.as_ref().map(|winner| winner == side);
            self.sides.entry(side.clone()).or_default().take(wins);
            for model in models {
                self.winners.entry(model).or_default().take(wins);
            }
        }
    }

    /// Returns the number of added sessions.
    pub fn sessions(&self) -> u64 {
        self.sessions
    }

    pub fn tables(&self) -> Vec<Table> {
        let mut ends = Table::new(
            "ends",
            "How conversations ended",
            "each session once; `not ended`: still running, or left before its end",
            1,
            "reason | sessions | share",
        );
        for (reason, n) in &self.ends {
            let cells = [Cell::text(reason), Cell::Count(*n), Cell::share(*n, self.sessions)];
            ends.rows.push(cells.into());
        }
        let won = |name, title, key, rows: &BTreeMap<Text, OfSide>| {
            let counts = "the last verdict of each session that has one; a draw has no winner";
            let columns = format!("{key} | judged | won | drawn | share: share won");
            let mut table = Table::new(name, title, counts, 1, &columns);
            let row = |(who, n): (&Text, &OfSide)| {
                let counts = [n.judged, n.won, n.drawn].map(Cell::Count);
                let share = Cell::share(n.won, n.judged);
                [Cell::text(who)].into_iter().chain(counts).chain([share]).collect()
            };
            table.rows = rows.iter().map(row).collect();
            table
        };
        vec![
            self.spoke(),
            won("sides", "Who won, by side", "side", &self.sides),
            won("winners", "Who won, by model", "model", &self.winners),
            ends,
        ]
    }

    fn spoke(&self) -> Table {
        let mut table = Table::new(
            "models",
            "Models",
            "all calls, including votes, failures and replaced versions; tokens as reported, \
             `~` where estimated; a branch counts from its branch point",
            1,
            "model | sessions | turns: calls | failed | tokens_in: in | tokens_out: out | usd: cost | \
             not_priced_turns: calls without a price",
        );
        for (model, sum) in &self.models {
            let cost = match (sum.usd, sum.unpriced) {
                (Some(usd), _) => Cell::Dollars(usd.into()),
                (None, 0) => Cell::None,
                (None, _) => Cell::NotPriced,
            };
            let counts = [sum.sessions, sum.turns, sum.failed].map(Cell::Count);
            let tokens = [sum.read, sum.written].map(|n| tokens(n, sum.estimated));
            let row = [Cell::text(model)].into_iter().chain(counts).chain(tokens);
            table.rows.push(row.chain([cost, Cell::Count(sum.unpriced)]).collect());
        }
        table
    }
}

impl OfSide {
    /// Adds a verdict: whether the side won; `None` for a draw.
    fn take(&mut self, wins: Option<bool>) {
        self.judged += 1;
        self.won += u64::from(wins == Some(true));
        self.drawn += u64::from(wins.is_none());
    }
}

impl OfModel {
    fn take(&mut self, turn: &TimedTurn, priced: bool) {
        self.turns += 1;
        self.failed += u64::from(turn.outcome == Outcome::Failed);
        if let Some(usage) = &turn.usage {
            let more = |sum: Option<u64>, n: u64| Some(sum.unwrap_or(0).saturating_add(n));
            (self.read, self.written) =
                (more(self.read, usage.input), more(self.written, usage.output));
            self.estimated |= usage.estimated;
        }
        match turn.cost {
            Some(cost) => self.usd = Some(self.usd.unwrap_or_default() + cost),
            None => self.unpriced += u64::from(priced),
        }
    }
}
