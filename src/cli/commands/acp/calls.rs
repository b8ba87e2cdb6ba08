//! Tools in the protocol: the calls of participants as updates, and the request for the person's permission.

use crate::model::agent::PlanStep;
use crate::model::{Event, Kind, Text, ToolOutcome};
use crate::state::State;
use crate::state::leave::{AsksLeave, asks_leave};
use crate::text;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    RequestPermissionOutcome, RequestPermissionRequest, SessionId, SessionUpdate, ToolCall,
    ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};

/// Maximum characters of a result that is sent.
const RESULT_MAX: usize = 4_000;
/// Maximum characters of a title.
const TITLE_MAX: usize = 200;

/// Options of a request for permission: id, label, kind, and the decision with true if it counts once.
const OPTIONS: [(&str, &str, PermissionOptionKind, bool, bool); 3] = [
    ("once", "Allow once", PermissionOptionKind::AllowOnce, true, true),
    ("always", "Allow until the program ends", PermissionOptionKind::AllowAlways, true, false),
    ("never", "Refuse", PermissionOptionKind::RejectAlways, false, false),
];

/// Returns the update about a tool or a plan; `None` for other events.
pub fn update(event: &Event) -> Option<SessionUpdate> {
    Some(match &event.kind {
        Kind::ToolCalled(called) => {
            let fields = ToolCallUpdateFields::new()
                .title(title(&called.tool, ""))
                .status(ToolCallStatus::InProgress);
            changed(&tool_id(called.asked.0, called.at), fields)
        }
        Kind::ToolReturned(returned) => {
            let done = returned.is == ToolOutcome::Done;
            let fields = ToolCallUpdateFields::new()
                .title(title(&returned.tool, ""))
                .status(if done { ToolCallStatus::Completed } else { ToolCallStatus::Failed })
                .content(vec![shown(&returned.result)]);
            changed(&tool_id(returned.asked.0, returned.at), fields)
        }
        Kind::AgentTool(used) => {
            let status = match &*used.status {
                "completed" => ToolCallStatus::Completed,
                "failed" => ToolCallStatus::Failed,
                _ => ToolCallStatus::InProgress,
            };
            let content = used.input.iter().chain(&used.result).map(|text| shown(text)).collect();
            let call = ToolCall::new(format!("agent-{}", event.seq), title(&used.title, ""))
                .kind(kind(&used.sort))
                .status(status)
                .content(content);
            SessionUpdate::ToolCall(call)
        }
        Kind::PermissionAnswered(answered) => {
            let status =
                if answered.yes { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
            let fields = ToolCallUpdateFields::new().status(status);
            changed(&permission_id(answered.asked.0), fields)
        }
        Kind::AgentPlan(plan) => {
            SessionUpdate::Plan(Plan::new(plan.steps.iter().map(entry).collect()))
        }
        _ => return None,
    })
}

fn changed(id: &str, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields))
}

fn entry(step: &PlanStep) -> PlanEntry {
    let status = match &*step.status {
        "completed" => PlanEntryStatus::Completed,
        "in_progress" => PlanEntryStatus::InProgress,
        _ => PlanEntryStatus::Pending,
    };
    PlanEntry::new(text::label(&step.text).into_owned(), PlanEntryPriority::Medium, status)
}

fn tool_id(asked: u64, at: u32) -> String {
    format!("tool-{asked}-{at}")
}

fn permission_id(asked: u64) -> String {
    format!("permission-{asked}")
}

fn title(tool: &str, who: &str) -> String {
    let title = if who.is_empty() { tool.to_owned() } else { format!("{who}: {tool}") };
    text::label(&title).chars().take(TITLE_MAX).collect()
}

fn shown(words: &str) -> ToolCallContent {
    let words: String = text::block(words).chars().take(RESULT_MAX).collect();
    words.into()
}

/// Returns all of a text that a person decides on.
fn whole(words: &str) -> ToolCallContent {
    text::block(words).into_owned().into()
}

fn kind(sort: &str) -> ToolKind {
    match sort {
        "read" => ToolKind::Read,
        "edit" => ToolKind::Edit,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Execute,
        "think" => ToolKind::Think,
        "fetch" => ToolKind::Fetch,
        "switch_mode" => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

/// A use of a tool that waits for the person's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAsk {
    /// Id of the call in the protocol, which no other use has.
    id: String,
    /// Name for the command `decide`.
    pub tool: Text,
    title: String,
    /// All arguments, untrusted.
    input: String,
    sort: ToolKind,
}

/// Returns the first use of a tool that waits for a decision.
pub fn waiting(state: &State) -> Option<ToolAsk> {
    let AsksLeave { seat, tool, at: (asked, at), .. } = asks_leave(state)?;
    let who = state.seat(&seat).map_or("", |seat| &*seat.spec.name);
    let mut permissions = state.turns.values().flat_map(|turn| &turn.permissions);
    if let Some(permission) = permissions.find(|permission| permission.asked == asked) {
        return Some(ToolAsk {
            id: permission_id(asked.0),
            title: title(&permission.title, who),
            input: permission.input.as_deref().unwrap_or_default().to_owned(),
            sort: sort_of(&seat, &tool),
            tool,
        });
    }
    let mut rounds = state.turns.values().filter_map(|turn| turn.tools.last());
    let run = rounds.find(|round| round.asked == asked)?.runs.get(at)?;
    Some(ToolAsk {
        id: tool_id(asked.0, u32::try_from(at).ok()?),
        title: title(&tool, who),
        input: run.request.arguments.to_string(),
        sort: ToolKind::Other,
        tool,
    })
}

/// Returns the kind of tool in the name of an agent's permission.
fn sort_of(seat: &str, tool: &str) -> ToolKind {
    let sort = tool.strip_prefix(seat).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
    kind(sort)
}

impl ToolAsk {
    /// Returns the request to the client.
    pub fn request(&self, session: &SessionId) -> RequestPermissionRequest {
        let content = if self.input.is_empty() { vec![] } else { vec![whole(&self.input)] };
        let fields = ToolCallUpdateFields::new()
            .title(self.title.clone())
            .kind(self.sort)
            .status(ToolCallStatus::Pending)
            .content(content);
        let options = OPTIONS.map(|(id, label, kind, ..)| PermissionOption::new(id, label, kind));
        let call = ToolCallUpdate::new(self.id.clone(), fields);
        RequestPermissionRequest::new(session.clone(), call, options.into())
    }
}

/// Returns the decision of an answer, and true if it counts once. Anything but a known option is a refusal.
pub fn decision(outcome: &RequestPermissionOutcome) -> (bool, bool) {
    let chosen = match outcome {
        RequestPermissionOutcome::Selected(selected) => {
            OPTIONS.iter().find(|(id, ..)| *selected.option_id.0 == **id)
        }
        _ => None,
    };
    chosen.map_or((false, false), |(.., yes, once)| (*yes, *once))
}
