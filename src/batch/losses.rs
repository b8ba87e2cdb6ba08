//! How a debate loses answers: minorities that adopt the majority, right answers that are given up, and right answers
//! that were stated and not chosen.

use super::gathered::Report;
use super::results::{Held, ResultLine};
use crate::analysis::{Cell, Table};

/// Returns the table of lost answers, for conversations with a key.
pub(super) fn losses(report: &Report) -> Table {
    let mut table = Table::new(
        "losses",
        "How answers were lost",
        "minority: answers that differed from the majority and had a next round; adopted: how many became the majority's; \
         held: right answers that had a next round; broken: how many became wrong; in the pool: conversations in which \
         somebody gave the right answer; lost: in how many of them the result is not right; gap: these as a share of all \
         with a key",
        1,
        &[
            ("protocol", "protocol"),
            ("minority", "minority"),
            ("adopted", "adopted"),
            ("adopted_share", "share"),
            ("held", "held"),
            ("broken", "broken"),
            ("broken_share", "share"),
            ("pool", "in the pool"),
            ("lost", "lost"),
            ("gap", "gap"),
        ],
    );
    for protocol in &report.protocols {
        let keyed = || report.ended(protocol).filter(|line| line.key.is_some());
        let sum = |of: fn(&Held) -> u32| keyed().map(|l| u64::from(of(&l.measured.held))).sum();
        let minority: u64 = sum(|h| h.minority);
        let adopted: u64 = sum(|h| h.adopted);
        let held: u64 = sum(|h| h.right);
        let broken: u64 = sum(|h| h.broken);
        let found = |line: &&ResultLine| line.measured.held.found;
        let pool = keyed().filter(found).count() as u64;
        let lost = keyed().filter(found).filter(|line| line.correct != Some(true)).count() as u64;
        if pool + held + minority == 0 {
            continue;
        }
        table.rows.push(vec![
            Cell::text(protocol),
            Cell::Count(minority),
            Cell::Count(adopted),
            Cell::share(adopted, minority),
            Cell::Count(held),
            Cell::Count(broken),
            Cell::share(broken, held),
            Cell::Count(pool),
            Cell::Count(lost),
            Cell::share(lost, keyed().count() as u64),
        ]);
    }
    table
}
