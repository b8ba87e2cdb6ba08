//! Point of divergence of two conversations: a branch and its parent, or two runs of one scenario.

use crate::logged::Logged;
use crate::model::{Event, Seq};

/// Returns the index of the first event that differs between two logs; wall-clock times do not count.
pub fn divergence(a: impl IntoIterator<Item: Logged>, b: impl IntoIterator<Item: Logged>) -> Seq {
    let mut from = Seq(0);
    for (a, b) in a.into_iter().zip(b) {
        let a: &Event = a.event();
        let b: &Event = b.event();
        if a.seq != b.seq || a.by != b.by || a.kind != b.kind {
            break;
        }
        from = a.seq.next();
    }
    from
}
