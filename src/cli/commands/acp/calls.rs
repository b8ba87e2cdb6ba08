//! Tools in the protocol: the calls of participants as updates, and the request for the person's permission.

use crate::model::agent::PlanStep;
use crate::model::{Event, Kind, Text, ToolOutcome};
use crate::state::State;
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
    if state.ended.is_some() {
        return None;
    }
    let undecided = |tool: &Text| state.decided(tool).is_none();
    state.turns.values().find_map(|turn| {
        let who = state.seat(&turn.seat).map_or("", |seat| &*seat.spec.name);
        let open = |p: &&crate::model::agent::Permission| p.answer.is_none() && undecided(&p.tool);
        let asked = if turn.call.is_some() { turn.permissions.iter().find(open) } else { None };
        let asked = asked.map(|p| ToolAsk {
            id: permission_id(p.asked.0),
            tool: p.tool.clone(),
            title: title(&p.title, who),
            input: p.input.as_deref().unwrap_or_default().to_owned(),
            sort: sort_of(&turn.seat, &p.tool),
        });
        asked.or_else(|| {
            let round = turn.tools.last()?;
            let seat = state.seat(&turn.seat)?;
            let acts = |name: &Text| {
                seat.spec.tools.iter().any(|tool| tool.name == *name && !tool.read_only)
            };
            (0u32..).zip(&round.runs).find_map(|(at, run)| {
                let request = &run.request;
                let open = run.called.is_none() && run.returned.is_none();
                let waits = open && acts(&request.tool) && undecided(&request.tool);
                waits.then(|| ToolAsk {
                    id: tool_id(round.asked.0, at),
                    tool: request.tool.clone(),
                    title: title(&request.tool, who),
                    input: request.arguments.to_string(),
                    sort: ToolKind::Other,
                })
            })
        })
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
