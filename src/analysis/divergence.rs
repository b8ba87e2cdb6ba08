//! Where two conversations diverge: a branch from its parent, or two runs of one scenario.

use crate::model::{Event, Seq};

/// Returns the index of the first event in which two logs differ; wall-clock times do not count.
pub fn divergence<'a, 'b>(
    a: impl IntoIterator<Item = &'a Event>,
    b: impl IntoIterator<Item = &'b Event>,
) -> Seq {
    let same = |(a, b): &(&Event, &Event)| a.seq == b.seq && a.by == b.by && a.kind == b.kind;
    let shared = a.into_iter().zip(b).take_while(same).last();
    shared.map_or(Seq(0), |(a, _)| a.seq.next())
}
