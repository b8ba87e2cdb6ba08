//! Sync urgency of each event kind: events that the screen shows as saved must be synced soon.

use crate::model::Kind;

/// Deadline of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// Within a second.
    Later,
    /// Within 20 milliseconds, together with the events in between.
    Soon,
}

/// Returns the sync urgency of an event kind.
pub(super) fn urgency(kind: &Kind) -> Urgency {
    match kind {
        // events that the engine would decide or produce again
        Kind::ThreadOpened(_)
        | Kind::ThreadClosed(_)
        | Kind::SeatJoined(_)
        | Kind::SeatLeft(_)
        | Kind::PlanMade(_)
        | Kind::CommandRefused(_)
        | Kind::BatchOpened(_)
        | Kind::FloorGranted(_)
        | Kind::CallStarted(_)
        | Kind::CallRetried(_)
        | Kind::ToolAsked(_)
        | Kind::AgentPlan(_)
        | Kind::PermissionAsked(_)
        | Kind::Delta(_)
        | Kind::Receipt(_)
        | Kind::LimitNear(_)
        | Kind::LimitReached(_)
        | Kind::PositionRecorded(_)
        | Kind::ProfileUpdated(_)
        | Kind::StageEntered(_)
        | Kind::RankingMade(_)
        | Kind::Warning(_)
        | Kind::LogRepaired(_)
        | Kind::Unknown(_) => Urgency::Later,
        // a loss that a person would notice: the opening and the end, words, votes (they are ended turns), controls
        _ => Urgency::Soon,
    }
}
