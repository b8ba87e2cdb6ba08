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
        // a loss that a person would notice: the opening and the end, words, votes (they are ended turns), controls
        Kind::Opened(_)
        | Kind::Renamed(_)
        | Kind::Reopened(_)
        | Kind::Forked(_)
        | Kind::Ended(_)
        | Kind::CommandGiven(_)
        | Kind::HumanSaid(_)
        | Kind::TurnEnded(_)
        | Kind::ToolCalled(_)
        | Kind::ToolReturned(_)
        | Kind::AgentTool(_)
        | Kind::ModelAdapted(_)
        | Kind::PermissionAnswered(_)
        | Kind::VoteClosed(_)
        | Kind::VerdictGiven(_)
        | Kind::ResultGiven(_)
        | Kind::Paused(_)
        | Kind::Resumed(_)
        | Kind::StepEnded(_)
        | Kind::PlanEnded(_) => Urgency::Soon,
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
        | Kind::StanceRecorded(_)
        | Kind::ProfileUpdated(_)
        | Kind::StageEntered(_)
        | Kind::RankingMade(_)
        | Kind::Warning(_)
        | Kind::LogRepaired(_)
        | Kind::Unknown(_) => Urgency::Later,
    }
}
