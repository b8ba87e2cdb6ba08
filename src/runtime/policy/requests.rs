//! Requests in the data of replies: `requests: [{to, text}]` wakes the named seats.
//!
//! A seat may request the seats in its `may_request`, or every seat of the thread without that option. Requests that
//! cannot be granted cause a warning. Each policy decides when it grants a request.

use super::View;
use crate::model::{Outcome, SeatId, Text};
use crate::state::{Asking, Memo, Reply, SeatRequest};

/// Name of the policy in which a moderator chooses and requests do not count.
pub(super) const MODERATED: &str = "moderated";

/// Returns the request as the seat's prompt shows it; `None` without a text.
pub(super) fn asking(request: &SeatRequest) -> Option<Asking> {
    Some(Asking { by: (&*request.by).into(), text: request.text.clone()? })
}

/// Returns the open requests in the memo.
pub(super) fn kept(v: &View<'_>) -> Vec<SeatRequest> {
    v.thread.memo.asked.clone().unwrap_or_default()
}

/// Returns the requests in replies, and warnings for the refused ones.
pub(super) fn read(v: &View<'_>, replies: &[Reply]) -> (Vec<SeatRequest>, Vec<Text>) {
    let mut asked = vec![];
    let mut refused = vec![];
    for reply in replies.iter().filter(|r| r.outcome == Outcome::Said) {
        for request in v.state.output(reply)["requests"].as_array().into_iter().flatten() {
            let to = request["to"].as_str().unwrap_or_default();
            match permitted(v, &reply.seat, to) {
                Ok(seat) => {
                    let text = request["text"].as_str().filter(|t| !t.trim().is_empty());
                    let by = reply.seat.0.clone();
                    let text = text.map(Text::from);
                    asked.push(SeatRequest { seat, by, text });
                }
                Err(why) => refused.push(format!("`{}` requests {to:?}, {why}", reply.seat).into()),
            }
        }
    }
    (asked, refused)
}

/// Returns the seat named by a request, if the requester may wake it.
///
/// # Errors
/// If it may not, with the reason.
fn permitted(v: &View<'_>, by: &SeatId, to: &str) -> Result<SeatId, String> {
    let seat = v.thread.seats.iter().find(|s| *s.0 == *to && *s != by);
    let seat = seat.ok_or("which is not another participant")?;
    let may = v.state.seat(by).and_then(|s| s.spec.runs.may_request.as_ref());
    match may {
        Some(may) if !may.contains(seat) && may.is_empty() => {
            Err("but it may request nobody".into())
        }
        Some(may) if !may.contains(seat) => {
            let all: Vec<&str> = may.iter().map(|s| &*s.0).collect();
            Err(format!("but it may request only {}", all.join(", ")))
        }
        _ if v.state.seat(seat).is_some_and(|s| s.gone) => Err("which has left".into()),
        _ => Ok(seat.clone()),
    }
}

/// Returns the first warning that was not shown yet.
pub(super) fn untold(v: &View<'_>, refused: &[Text]) -> Option<Text> {
    refused.iter().find(|text| !v.state.warnings.iter().any(|w| w.text == **text)).cloned()
}

/// Returns the open requests for a policy in which seats speak in turn, those in the memo first, and warnings for the
/// refused ones. Empty under `moderated`, where the moderator chooses.
pub(super) fn in_turn(v: &View<'_>) -> (Vec<SeatRequest>, Vec<Text>) {
    if &*v.thread.spec.policy == MODERATED {
        return (vec![], vec![]);
    }
    let replies = v.thread.asked.as_ref().map_or(&[][..], |batch| &batch.ended[..]);
    let (fresh, refused) = read(v, replies);
    let mut asked = kept(v);
    asked.extend(fresh);
    (asked, refused)
}

/// Records a turn of a seat: its requests are granted, the others stay open.
pub(super) fn grant(memo: &mut Memo, asked: &[SeatRequest], seat: &SeatId) {
    let (own, left): (Vec<&SeatRequest>, Vec<&SeatRequest>) =
        asked.iter().partition(|request| request.seat == *seat);
    let shown: Vec<Asking> = own.into_iter().filter_map(asking).collect();
    memo.requests = (!shown.is_empty()).then(|| [(seat.clone(), shown)].into());
    memo.asked = (!left.is_empty()).then(|| left.into_iter().cloned().collect());
}
